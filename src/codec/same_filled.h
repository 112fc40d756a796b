/* codec/same_filled.h: pages that repeat one 64-bit word, zero pages first of all. zram and zswap keep the word
 * alone; the Windows store keeps a record without data for zero pages. */
#ifndef PL_CODEC_SAME_FILLED_H
#define PL_CODEC_SAME_FILLED_H

#include "base/types.h"

/* Whether the page (its size a multiple of 8) repeats its first 8 bytes; if so `*word` has them, as the machine
 * reads them. Ends at the first difference, so it costs next to nothing on other pages. */
bool pl_same_filled(const uint8_t *page, size_t size, uint64_t *word);

#endif
