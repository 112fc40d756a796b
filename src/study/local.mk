# src/study: its files, for the one Makefile.
libpagelab_a_SOURCES += \
	src/study/advice.c src/study/advice.h src/study/advice_machines.c \
	src/study/expression.c src/study/expression.h \
	src/study/measured.c src/study/measured.h \
	src/study/predict.c src/study/predict.h \
	src/study/validate.c src/study/validate.h \
	src/study/calibrate.c src/study/calibrate.h src/study/calibrate_codec.c \
	src/study/codec_speed.c src/study/codec_speed.h \
	src/study/quantity.c src/study/quantity.h \
	src/study/scale_memory.c src/study/scale_memory.h \
	src/study/study.h \
	src/study/sweep_base.h \
	src/study/sweep_check.c src/study/sweep_check.h \
	src/study/sweep_design.c \
	src/study/sweep_halving.c \
	src/study/sweep_keeper.c \
	src/study/sweep_model.c \
	src/study/sweep_mpi.c src/study/sweep_mpi.h \
	src/study/sweep_replay.c src/study/sweep_replay.h \
	src/study/sweep_results.c src/study/sweep_results.h src/study/sweep_results_private.h \
	src/study/sweep_results_merge.c src/study/sweep_results_read.c \
	src/study/sweep_run.c src/study/sweep_run.h \
	src/study/sweep_search.c src/study/sweep_search.h \
	src/study/sweep_study.c src/study/sweep_study.h \
	src/study/sweep_traces.c src/study/sweep_traces.h \
	src/study/sweep_values.c
modelsdir = $(pkgdatadir)/models
dist_models_DATA = models/pc-1996.json models/plain-hdd.json models/rc96.json models/two-level.json \
	models/win10-1607-i7-4770k.json models/win10-server-96.json models/win11-server-128.json models/win7-server-96.json \
	models/win10-1607-published-codec.json models/winstone96.csv models/winxp-nyaruru.json models/zram-direct.json models/zram-group.json models/zram-lz4.json models/zswap-zstd.json
studiesdir = $(pkgdatadir)/models/studies
dist_studies_DATA = models/studies/winstone.json models/studies/replay.json models/studies/curve.json models/studies/sweep.sbatch models/studies/README.md \
	models/studies/zeroing.json
scenariosdir = $(pkgdatadir)/models/scenarios
dist_scenarios_DATA = models/scenarios/README.md \
	models/scenarios/black-holes.json \
	models/scenarios/cppeater.json \
	models/scenarios/dedup.json \
	models/scenarios/demand-paging.json \
	models/scenarios/file-cache.json \
	models/scenarios/hard-faults.json \
	models/scenarios/large-page-owner.json \
	models/scenarios/office-1996.json \
	models/scenarios/minimise.json \
	models/scenarios/overcommit.json \
	models/scenarios/paging-sets-in.json \
	models/scenarios/provisioning.json \
	models/scenarios/soft-faults.json \
	models/scenarios/standby-purges.json \
	models/scenarios/storm.json \
	models/scenarios/zeroing-download.json \
	models/scenarios/zeroing-stress.json
measurementsdir = $(pkgdatadir)/models/measurements
dist_measurements_DATA = models/measurements/README.md models/measurements/PREDICTIONS.md \
	models/measurements/casey-provisioning.json \
	models/measurements/dawson-download.json \
	models/measurements/dawson-soft-faults.json \
	models/measurements/dawson-stress-one-thread.json \
	models/measurements/dawson-stress-windows-11.json \
	models/measurements/dawson-stress.json \
	models/measurements/kraus-black-holes.json \
	models/measurements/kraus-cppeater.json \
	models/measurements/kraus-dedup-own.json \
	models/measurements/kraus-dedup-same.json \
	models/measurements/kraus-overcommit.json models/measurements/kraus-published-codec.json \
	models/measurements/kraus-page-file-io.json \
	models/measurements/kraus-page-file-raw.json \
	models/measurements/kraus-paging-sets-in.json \
	models/measurements/nyaruru-demand-paging.json \
	models/measurements/nyaruru-hard-faults.json \
	models/measurements/nyaruru-soft-faults.json
