# Benchmarks: make bench builds and runs them all. A benchmark appends its name to BENCHES.
BENCHES += tests/bench/bench_curve
EXTRA_PROGRAMS += tests/bench/bench_curve
tests_bench_bench_curve_SOURCES = tests/bench/bench_curve.c tests/bench/bench_touches.c tests/bench/bench_touches.h \
	tests/bench/bench_peer.c tests/bench/bench_peer.h
tests_bench_bench_curve_LDADD = $(PL_LIBS) -lm
BENCHES += tests/bench/bench_sample
EXTRA_PROGRAMS += tests/bench/bench_sample
tests_bench_bench_sample_SOURCES = tests/bench/bench_sample.c tests/bench/bench_touches.c tests/bench/bench_touches.h
tests_bench_bench_sample_LDADD = $(PL_LIBS) -lm
BENCHES += tests/bench/bench_read
EXTRA_PROGRAMS += tests/bench/bench_read
tests_bench_bench_read_SOURCES = tests/bench/bench_read.c
tests_bench_bench_read_LDADD = $(PL_LIBS)
BENCHES += tests/bench/bench_event_queue tests/bench/bench_device
EXTRA_PROGRAMS += tests/bench/bench_event_queue tests/bench/bench_device
tests_bench_bench_event_queue_SOURCES = tests/bench/bench_event_queue.c
tests_bench_bench_event_queue_LDADD = $(PL_LIBS) -lm
tests_bench_bench_device_SOURCES = tests/bench/bench_device.c
tests_bench_bench_device_LDADD = $(PL_LIBS) -lm
BENCHES += tests/bench/bench_etl
EXTRA_PROGRAMS += tests/bench/bench_etl
tests_bench_bench_etl_SOURCES = tests/bench/bench_etl.c tests/support/etl_writer.c tests/support/etl_writer.h
tests_bench_bench_etl_LDADD = $(PL_LIBS)
BENCHES += tests/bench/bench_replay
EXTRA_PROGRAMS += tests/bench/bench_replay
tests_bench_bench_replay_SOURCES = tests/bench/bench_replay.c tests/bench/bench_replay_peer.c \
	tests/bench/bench_replay_peer.h
tests_bench_bench_replay_LDADD = $(PL_LIBS) -lm
EXTRA_PROGRAMS += tests/bench/soak_curve
tests_bench_soak_curve_SOURCES = tests/bench/soak_curve.c
CLEANFILES += $(BENCHES) tests/bench/soak_curve

# Ten minutes and 3 GB: 10^9 touches on 10^8 pages through a pipe, exact and sampled.
.PHONY: soak-large
soak: soak-large
soak-large: tests/bench/soak_curve pagelab
	./tests/bench/soak_curve $(abs_builddir)/pagelab

# The time of a touch from 10^3 to 10^8 pages, and its picture (6 GB).
.PHONY: curve-cost
curve-cost: tests/bench/bench_curve
	./tests/bench/bench_curve scaling 3 > curve-cost.csv
	gnuplot -e "input='curve-cost.csv'; output='curve-cost.svg'" $(srcdir)/plots/curve-cost.gp

.PHONY: bench
bench: $(BENCHES)
	@for bench in $(BENCHES); do ./$$bench || exit 1; done
