# src/base: its files, for the one Makefile.
libpagelab_a_SOURCES += \
	src/base/arena.c src/base/arena.h \
	src/base/base.h \
	src/base/csv.h \
	src/base/document.h \
	src/base/error.c src/base/error.h \
	src/base/hash.c src/base/hash.h \
	src/base/json.h \
	src/base/option.h \
	src/base/progress.h \
	src/base/random.c src/base/random.h \
	src/base/sink.c src/base/sink.h \
	src/base/sink_file.c src/base/sink_file.h \
	src/base/table_memory.c \
	src/base/text.c src/base/text.h \
	src/base/types.h \
	src/base/units.c src/base/units.h
