# src/codec: its files, for the one Makefile. The first part has no dependency but the C library and base: the Windows
# program links it.
libpagelab_a_SOURCES += \
	src/codec/bytes.h \
	src/codec/xpress.h src/codec/xpress_encode.c src/codec/xpress_decode.c \
	src/codec/page_hash.h src/codec/page_hash.c \
	src/codec/page_content.h src/codec/page_content.c
libpagelab_a_SOURCES += \
	src/codec/codec.h src/codec/codec_list.h src/codec/codec.c \
	src/codec/codec_xpress.c src/codec/codec_wkdm.c src/codec/codec_lz4.c src/codec/codec_lzo.c src/codec/codec_zstd.c \
	src/codec/same_filled.h src/codec/same_filled.c src/codec/content_file.h src/codec/content_file.c src/codec/codec_constant.c src/codec/codec_raw.c
