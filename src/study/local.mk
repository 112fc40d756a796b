# src/study: its files, for the one Makefile.
libpagelab_a_SOURCES += \
	src/study/expression.c src/study/expression.h \
	src/study/quantity.c src/study/quantity.h \
	src/study/study.h
