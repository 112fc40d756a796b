# src/codec: its files, for the one Makefile. The first part has no dependency but the C library: the Windows program links it.
libpagelab_a_SOURCES += \
	src/codec/bytes.h \
	src/codec/xpress.h src/codec/xpress_encode.c src/codec/xpress_decode.c
