# src/store: its files, for the one Makefile.
libpagelab_a_SOURCES += \
	src/store/store.h src/store/store.c \
	src/store/dedup.h src/store/dedup.c \
	src/store/space.h src/store/space_list.h src/store/space.c \
	src/store/slots.h src/store/slots.c \
	src/store/space_regions.c src/store/space_buddies.c src/store/space_ideal.c \
	src/store/zsmalloc_classes.h src/store/zsmalloc_classes.c src/store/space_zsmalloc.c \
	src/store/page_survey.h src/store/page_survey.c \
	src/store/page_reader.h src/store/page_reader_private.h src/store/page_reader.c src/store/page_reader_process.c
