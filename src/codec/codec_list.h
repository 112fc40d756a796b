/* codec/codec_list.h: the members of the family, for the registry in codec.c alone. */
#ifndef PL_CODEC_CODEC_LIST_H
#define PL_CODEC_CODEC_LIST_H

#include "codec/codec.h"

extern const struct pl_codec_ops pl_codec_xpress, pl_codec_wkdm, pl_codec_lz4, pl_codec_lzo, pl_codec_zstd,
    pl_codec_same_filled, pl_codec_constant, pl_codec_raw;

#endif
