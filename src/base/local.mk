# src/base: its files, for the one Makefile.
libpagelab_a_SOURCES += \
	src/base/arena.c src/base/arena.h \
	src/base/base.h \
	src/base/csv.c src/base/csv.h \
	src/base/document.c src/base/document.h src/base/document_parts.h \
	src/base/document_csv.c src/base/document_json.c src/base/document_text.c \
	src/base/error.c src/base/error.h \
	src/base/hash.c src/base/hash.h \
	src/base/json.h src/base/json_read.c src/base/json_write.c \
	src/base/json_scan.c src/base/json_scan.h \
	src/base/option.c src/base/option.h src/base/option_help.c \
	src/base/parameter.c src/base/parameter.h src/base/parameter_parts.h \
	src/base/parameter_read.c src/base/parameter_value.c src/base/parameter_write.c \
	src/base/progress.h \
	src/base/random.c src/base/random.h \
	src/base/sink.c src/base/sink.h \
	src/base/sink_file.c src/base/sink_file.h \
	src/base/table_memory.c \
	src/base/text.c src/base/text.h src/base/text_wrap.c \
	src/base/types.h \
	src/base/units.c src/base/units.h \
	src/base/whole_file.c src/base/whole_file.h
