# src/trace: its files, for the one Makefile.

# The native file (traces/FORMAT.md). All but native_read_header.c belong to the core without third-party parts.
libpagelab_a_SOURCES += src/trace/native/native.h src/trace/native/native_reader.h src/trace/native/format_native.c \
	src/trace/native/native_check.c src/trace/native/native_expand.c src/trace/native/native_kernels.c \
	src/trace/native/native_layout.c src/trace/native/native_read.c src/trace/native/native_read_block.c \
	src/trace/native/native_read_count.c src/trace/native/native_read_columns.c \
	src/trace/native/native_read_header.c src/trace/native/native_read_index.c \
	src/trace/native/native_read_records.c src/trace/native/native_write.c \
	src/trace/native/native_write_columns.c src/trace/native/native_write_records.c

# Synthetic traces, and traces made from traces.
libpagelab_a_SOURCES += src/trace/generate.c src/trace/generate.h src/trace/generate_zipf.c \
	src/trace/generate_stack.c src/trace/rebatch.c src/trace/rebatch.h src/trace/transform.h \
	src/trace/transform_out.c src/trace/transform_out.h src/trace/transform_cut.c src/trace/transform_merge.c
EXTRA_DIST += traces/FORMAT.md traces/phases.trace traces/exponential.trace

# Reading.
libpagelab_a_SOURCES += src/trace/batch.h src/trace/format.h src/trace/trace.h src/trace/source.c src/trace/source.h \
	src/trace/source_archive.c src/trace/source_archive.h src/trace/gzip_check.c src/trace/gzip_check.h \
	src/trace/densify.c src/trace/densify.h src/trace/builder.c src/trace/builder.h src/trace/format.c \
	src/trace/format_find.h src/trace/trace.c src/trace/survey.c src/trace/survey.h src/trace/page_map.c \
	src/trace/page_map.h

# Formats of others.
libpagelab_a_SOURCES += src/trace/formats/lines.c src/trace/formats/lines.h src/trace/formats/scan.c \
	src/trace/formats/scan.h src/trace/formats/digits.c src/trace/formats/digits.h \
	src/trace/formats/digits_avx2.c src/trace/formats/textread.c src/trace/formats/textread.h \
	src/trace/formats/textwrite.c src/trace/formats/textwrite.h src/trace/formats/csv_columns.c \
	src/trace/formats/csv_columns.h src/trace/formats/format_lackey.c src/trace/formats/format_memsim.c \
	src/trace/formats/format_pages.c src/trace/formats/format_hex.c src/trace/formats/format_numbers.c \
	src/trace/formats/format_csv.c src/trace/formats/format_vscsi.c src/trace/formats/format_oracle.c \
	src/trace/formats/format_address.c src/trace/formats/format_pinatrace.c src/trace/formats/format_perf.c

# Scenarios.
libpagelab_a_SOURCES += src/trace/scenario/scenario.h src/trace/scenario/format_scenario.c \
	src/trace/scenario/scenario_order.c src/trace/scenario/scenario_read.c src/trace/scenario/scenario_run.c \
	src/trace/scenario/scenario_touch.c src/trace/scenario/scenario_fill.c src/trace/scenario/scenario_value.c

# Windows event traces. All but format_etl.c and etl_source.c belong to the core without third-party parts.
libpagelab_a_SOURCES += src/trace/etl/etl.h src/trace/etl/etl_private.h src/trace/etl/etl_buffer.c \
	src/trace/etl/etl_fault.c src/trace/etl/etl_history.c src/trace/etl/etl_kinds.c src/trace/etl/etl_log.c \
	src/trace/etl/etl_merge.c src/trace/etl/etl_record.c src/trace/etl/etl_schema.c \
	src/trace/etl/etl_reference.h src/trace/etl/etl_reference.c src/trace/etl/etl_survey.c \
	src/trace/etl/etl_source.h src/trace/etl/etl_source.c src/trace/etl/format_etl.c
