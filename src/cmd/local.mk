# src/cmd: its files, for the one Makefile.
pagelab_SOURCES += src/cmd/main.c src/cmd/commands.c src/cmd/common.c src/cmd/progress_line.c \
	src/cmd/output_files.c src/cmd/cmd.h
pagelab_SOURCES += src/cmd/cmd_compress.c src/cmd/cmd_compress_document.c src/cmd/cmd_compress.h
pagelab_SOURCES += src/cmd/cmd_plot.c src/cmd/cmd_report.c src/cmd/cmd_validate.c \
	src/cmd/cmd_validate.h src/cmd/cmd_validate_sensitivity.c src/cmd/cmd_calibrate.c
pagelab_SOURCES += src/cmd/cmd_model.c src/cmd/cmd_model_document.c src/cmd/cmd_model_fit.c src/cmd/cmd_model.h
pagelab_SOURCES += src/cmd/cmd_trace.c src/cmd/cmd_trace.h src/cmd/cmd_trace_info.c src/cmd/cmd_trace_convert.c \
	src/cmd/cmd_trace_check.c src/cmd/cmd_trace_map.c src/cmd/trace_options.c
pagelab_SOURCES += src/cmd/cmd_curve.c src/cmd/cmd_curve.h src/cmd/cmd_curve_document.c \
	src/cmd/cmd_curve_sample.c src/cmd/cmd_curve_simulate.c src/cmd/cmd_curve_touched.c
pagelab_SOURCES += src/cmd/cmd_curve_more.c src/cmd/cmd_curve_more.h src/cmd/cmd_curve_windows.c \
	src/cmd/cmd_curve_process.c src/cmd/cmd_curve_intervals.c src/cmd/cmd_curve_bytes.c

# Making traces, and traces from traces.
pagelab_SOURCES += src/cmd/cmd_trace_gen.c src/cmd/cmd_trace_cut.c src/cmd/cmd_trace_merge.c \
	src/cmd/trace_output.c src/cmd/trace_output.h
pagelab_SOURCES += src/cmd/cmd_replay.c src/cmd/cmd_replay_document.c src/cmd/cmd_replay_views.c src/cmd/cmd_replay_sample.c \
	src/cmd/cmd_replay.h
pagelab_SOURCES += src/cmd/cmd_trace_events.c src/cmd/cmd_trace_events.h src/cmd/cmd_trace_events_tables.c
pagelab_SOURCES += src/cmd/cmd_fit.c src/cmd/cmd_fit.h src/cmd/cmd_fit_document.c src/cmd/cmd_fit_runs.c
pagelab_SOURCES += src/cmd/cmd_sweep.c src/cmd/cmd_sweep.h src/cmd/cmd_sweep_document.c src/cmd/cmd_sweep_profile.c src/cmd/cmd_sweep_results.c
pagelab_SOURCES += src/cmd/cmd_advise.c src/cmd/cmd_advise.h src/cmd/cmd_advise_document.c src/cmd/cmd_advise_knobs.c
