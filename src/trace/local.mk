# src/trace: its files, for the one Makefile.

# The native file (traces/FORMAT.md). All but native_read_header.c belong to the core without third-party parts.
libpagelab_a_SOURCES += src/trace/native.h src/trace/native_reader.h src/trace/format_native.c src/trace/native_check.c \
	src/trace/native_expand.c src/trace/native_kernels.c src/trace/native_layout.c src/trace/native_read.c \
	src/trace/native_read_block.c src/trace/native_read_count.c src/trace/native_read_columns.c src/trace/native_read_header.c \
	src/trace/native_read_index.c src/trace/native_read_records.c src/trace/native_write.c \
	src/trace/native_write_columns.c src/trace/native_write_records.c

# Synthetic traces, and traces made from traces.
libpagelab_a_SOURCES += src/trace/generate.c src/trace/generate.h src/trace/generate_zipf.c src/trace/generate_stack.c \
	src/trace/rebatch.c src/trace/rebatch.h src/trace/transform.h src/trace/transform_out.c src/trace/transform_out.h \
	src/trace/transform_cut.c src/trace/transform_merge.c
EXTRA_DIST += traces/FORMAT.md traces/phases.trace traces/exponential.trace

# Reading, the text formats and the simple binary ones.
libpagelab_a_SOURCES += \
	src/trace/batch.h src/trace/format.h src/trace/trace.h \
	src/trace/source.c src/trace/source.h src/trace/source_archive.c src/trace/source_archive.h \
	src/trace/gzip_check.c src/trace/gzip_check.h \
	src/trace/lines.c src/trace/lines.h src/trace/scan.c src/trace/scan.h \
	src/trace/digits.c src/trace/digits.h src/trace/digits_avx2.c \
	src/trace/densify.c src/trace/densify.h src/trace/builder.c src/trace/builder.h \
	src/trace/textread.c src/trace/textread.h src/trace/textwrite.c src/trace/textwrite.h \
	src/trace/format.c src/trace/format_find.h src/trace/trace.c src/trace/survey.c src/trace/survey.h \
	src/trace/page_map.c src/trace/page_map.h \
	src/trace/format_lackey.c src/trace/format_memsim.c src/trace/format_pages.c src/trace/format_hex.c \
	src/trace/format_numbers.c src/trace/format_csv.c src/trace/csv_columns.c src/trace/csv_columns.h \
	src/trace/format_vscsi.c src/trace/format_oracle.c src/trace/format_address.c src/trace/format_pinatrace.c \
	src/trace/format_perf.c

# Scenarios.
libpagelab_a_SOURCES += src/trace/scenario/scenario.h src/trace/scenario/format_scenario.c src/trace/scenario/scenario_order.c \
	src/trace/scenario/scenario_read.c src/trace/scenario/scenario_run.c src/trace/scenario/scenario_touch.c \
	src/trace/scenario/scenario_value.c

# Windows event traces. All but format_etl.c and etl_source.c belong to the core without third-party parts.
libpagelab_a_SOURCES += src/trace/etl.h src/trace/etl_private.h src/trace/etl_buffer.c src/trace/etl_fault.c src/trace/etl_history.c \
	src/trace/etl_kinds.c src/trace/etl_log.c src/trace/etl_merge.c src/trace/etl_record.c src/trace/etl_schema.c \
	src/trace/etl_reference.h src/trace/etl_reference.c src/trace/etl_survey.c src/trace/etl_source.h src/trace/etl_source.c src/trace/format_etl.c
