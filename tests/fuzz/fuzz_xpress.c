/* Fuzz target for the XPRESS decoder and encoder.
 *
 * The first three bytes of an input are the size to decompress to; the rest is taken as a stream, and as plain
 * bytes that must survive compression. Under libFuzzer (clang -fsanitize=fuzzer -DPL_LIBFUZZER) the function is the
 * target; in the ordinary tests main replays streams of the encoder's own with random damage, and noise. Prints
 * TAP. */
#include "codec/page_content.h"
#include "codec/xpress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct pl_xpress_work work;
static unsigned long taken; /* streams that were accepted */

static void fail(const char *what)
{
    printf("Bail out! %s\n", what);
    abort();
}

/* Memory of exactly the size, so that sanitizers see one byte too far. */
static uint8_t *exactly(size_t size)
{
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes)
        fail("no memory");
    return bytes;
}

/* Whatever comes in, the decoder keeps to its buffers; and what it accepts, the encoder and it agree on. */
static void check_plain(const uint8_t *plain, size_t size, unsigned depth)
{
    size_t room = pl_xpress_bound(size);
    uint8_t *packed = exactly(room), *back = exactly(size);
    size_t length = pl_xpress_compress(&work, depth, plain, size, packed, room);
    if (!length)
        fail("the bound was too small");
    uint8_t *exact = exactly(length);
    memcpy(exact, packed, length);
    if (!pl_xpress_decompress(exact, length, back, size) || memcmp(back, plain, size) != 0)
        fail("a round trip changed the bytes");
    free(exact);
    free(back);
    free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    size_t out_size = (size_t)data[0] | (size_t)data[1] << 8 | (size_t)(data[2] & 3) << 16;
    unsigned depth = 1 + data[2] % PL_XPRESS_DEPTH_MAX;
    uint8_t *in = exactly(size - 3), *out = exactly(out_size);
    memcpy(in, data + 3, size - 3);
    if (pl_xpress_decompress(in, size - 3, out, out_size)) {
        taken++;
        check_plain(out, out_size, depth);
    }
    check_plain(in, size - 3, depth);
    free(out);
    free(in);
    return 0;
}

#if !defined(PL_LIBFUZZER)

enum { ROUNDS = 6000, PLAIN_MAX = 20000 };

/* A stream of the encoder's behind its size, damaged in up to `hits` places. Returns its length. */
static size_t make_input(struct pl_random *random, uint64_t hits, uint8_t *input, size_t room)
{
    static uint8_t plain[PLAIN_MAX + 4096];
    struct pl_content content = {(enum pl_content_kind)pl_random_below(random, 6), pl_random_next(random)};
    size_t size = (size_t)pl_random_below(random, 3) ? 4096 : (size_t)pl_random_below(random, PLAIN_MAX);
    for (size_t at = 0; at < size; at += 4096)
        pl_content_page(&content, at / 4096, plain + at, 4096);
    size_t length = pl_xpress_compress(&work, 1 + (unsigned)pl_random_below(random, 4), plain, size, input + 3, room - 3);
    input[0] = (uint8_t)size;
    input[1] = (uint8_t)(size >> 8);
    input[2] = (uint8_t)(size >> 16);
    for (; hits; hits--) {
        size_t at = 3 + (size_t)pl_random_below(random, length);
        input[at] = pl_random_below(random, 2) ? (uint8_t)pl_random_next(random) : (uint8_t)(input[at] ^ 1u << hits % 8);
    }
    if (pl_random_below(random, 4) == 0)
        length = (size_t)pl_random_below(random, length + 1);
    return length + 3;
}

int main(void)
{
    static uint8_t input[2 * PLAIN_MAX + 4096];
    printf("1..3\n");
    struct pl_random random = pl_random_named(11, "fuzz xpress");
    for (int i = 0; i < ROUNDS / 10; i++)
        LLVMFuzzerTestOneInput(input, make_input(&random, 0, input, sizeof(input)));
    printf("%s 1 - undamaged streams are taken (%lu)\n", taken > ROUNDS / 20 ? "ok" : "not ok", taken);
    bool good = taken > ROUNDS / 20;
    unsigned long before = taken;
    for (int i = 0; i < ROUNDS; i++)
        LLVMFuzzerTestOneInput(input, make_input(&random, 1 + pl_random_below(&random, 6), input, sizeof(input)));
    /* Damage to literals goes unnoticed, since the format has no checksum; damage to structure mostly does not. */
    bool both = taken > before && taken - before < ROUNDS;
    printf("%s 2 - damaged streams stay inside their buffers (%lu of %d still decode)\n", both ? "ok" : "not ok",
           taken - before, ROUNDS);
    for (int i = 0; i < ROUNDS; i++) {
        size_t size = 3 + (size_t)pl_random_below(&random, 600);
        for (size_t k = 0; k < size; k++)
            input[k] = (uint8_t)(pl_random_below(&random, 3) ? pl_random_next(&random) : 0xff);
        LLVMFuzzerTestOneInput(input, size);
    }
    printf("ok 3 - noise stays inside its buffers\n");
    return good && both ? 0 : 1;
}

#endif
