# src/trace: its files, for the one Makefile.

# The native file (traces/FORMAT.md). All but native_read_header.c belong to the core without third-party parts.
libpagelab_a_SOURCES += src/trace/native.h src/trace/native_reader.h src/trace/format_native.c src/trace/native_check.c \
	src/trace/native_expand.c src/trace/native_kernels.c src/trace/native_layout.c src/trace/native_read.c \
	src/trace/native_read_block.c src/trace/native_read_columns.c src/trace/native_read_header.c \
	src/trace/native_read_index.c src/trace/native_read_records.c src/trace/native_write.c \
	src/trace/native_write_columns.c src/trace/native_write_records.c
EXTRA_DIST += traces/FORMAT.md
