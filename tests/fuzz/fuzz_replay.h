/* tests/fuzz/fuzz_replay.h: what a fuzz target offers, and what the replay needs of it.
 *
 * LLVMFuzzerTestOneInput is libFuzzer's name. Without libFuzzer, fuzz_replay.c has a main that runs it on the target's
 * seeds, on mutations of them, and on files named on the command line. */
#ifndef PL_TESTS_FUZZ_REPLAY_H
#define PL_TESTS_FUZZ_REPLAY_H

#include <stddef.h>
#include <stdint.h>

struct fuzz_seed {
    const char *bytes;
    size_t length;
};

extern const char fuzz_name[];
extern const struct fuzz_seed fuzz_seeds[]; /* ends with NULL bytes */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#endif
