/* study/codec_speed.h: how fast a page codec is on this machine, as costs of a simulated machine.
 *
 * A codec's time for a page goes by the sequences (literals, then a match) that it makes of it, where it makes any: each
 * costs a search and a branch that is guessed wrong. Pages of made-up text with more or less of zeros behind it give the
 * line: so much for a page, so much for each sequence. Pages of random bytes give what a page costs that does not shrink.
 *
 * Times are processor time of one thread, medians over several rounds. They are this program's, of the codec's library: a
 * kernel has its own build of the codec, and does more with a page than to compress it; calibration gives that (the costs
 * of raw pages), this gives the difference from one content to another. */
#ifndef PL_STUDY_CODEC_SPEED_H
#define PL_STUDY_CODEC_SPEED_H

#include "codec/codec.h"

struct pl_codec_speed { /* picoseconds */
    double compress_raw, compress, compress_sequence;
    double decompress_raw, decompress, decompress_sequence; /* raw: a copy */
    double sequences; /* of a page of text, on average; 0: the codec does not tell, and `compress` is that of such a page */
};

/* Takes a fraction of a second. */
enum pl_err pl_codec_speed_measure(const struct pl_codec_ops *ops, const struct pl_codec_params *params,
                                   struct pl_codec_speed *out, struct pl_error *err);

#endif
