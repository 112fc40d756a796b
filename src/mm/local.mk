# src/mm: its files, for the one Makefile.
libpagelab_a_SOURCES += \
	src/mm/mm.h src/mm/hot.h src/mm/frames.h src/mm/replacement.h src/mm/memory.h
