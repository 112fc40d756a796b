/* Speed and size of every page codec on every generated content, of the content hash and the same-filled test. Not
 * a test: `make tests/bench/bench_codec && tests/bench/bench_codec`. Best of several passes of processor time, one
 * page after the other, 4 KiB pages. Give a file to measure its pages as well. */
#include "base/random.h"
#include "codec/codec.h"
#include "codec/page_content.h"
#include "codec/page_hash.h"
#include "codec/same_filled.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAGE = 4096, PAGES = 512, PASSES = 9 };

static uint8_t pages[PAGES][PAGE], packed[PAGES][PAGE], back[PAGES][PAGE];
static size_t size_of[PAGES];

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double rate(size_t count, double seconds)
{
    return seconds > 0 ? (double)count * PAGE / 1e6 / seconds : 0;
}

static void measure_codec(const struct pl_codec_ops *ops, size_t count)
{
    struct pl_codec_params params = {.page_size = PAGE};
    struct pl_codec *codec;
    if (pl_codec_create(ops, &params, &codec, NULL))
        return;
    double compress_s = 1e9, decompress_s = 1e9;
    size_t bytes = 0, unpacked = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        double begin = now_s();
        for (size_t i = 0; i < count; i++)
            size_of[i] = pl_codec_compress(codec, pages[i], packed[i], PAGE - 1);
        double middle = now_s();
        bytes = unpacked = 0;
        for (size_t i = 0; i < count; i++) {
            bytes += size_of[i] ? size_of[i] : PAGE;
            unpacked += size_of[i] && pl_codec_decompress(codec, packed[i], size_of[i], back[i]);
        }
        double end = now_s();
        compress_s = middle - begin < compress_s ? middle - begin : compress_s;
        decompress_s = end - middle < decompress_s ? end - middle : decompress_s;
    }
    printf("  %-12s %6.3f  %7.0f  ", ops->name, (double)bytes / (double)(count * PAGE), rate(count, compress_s));
    printf(unpacked ? "%7.0f\n" : "      -\n", rate(unpacked, decompress_s));
    pl_codec_destroy(codec);
}

static void measure(const char *name, size_t count)
{
    printf("%s: %zu pages\n  codec         size   compress  decompress (MB/s)\n", name, count);
    for (size_t c = 0; pl_codecs[c]; c++)
        if (!pl_codecs[c]->sizes_only)
            measure_codec(pl_codecs[c], count);
    double hash_s = 1e9, same_s = 1e9;
    volatile uint64_t sink = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        double begin = now_s();
        for (size_t i = 0; i < count; i++)
            sink += pl_page_hash(pages[i], PAGE).low;
        double middle = now_s();
        uint64_t word = 0;
        for (size_t i = 0; i < count; i++)
            sink += pl_same_filled(pages[i], PAGE, &word);
        double end = now_s();
        hash_s = middle - begin < hash_s ? middle - begin : hash_s;
        same_s = end - middle < same_s ? end - middle : same_s;
    }
    printf("  hash %.3f us a page, same-filled test %.3f us a page\n", hash_s * 1e6 / (double)count,
           same_s * 1e6 / (double)count);
}

int main(int argc, char **argv)
{
    for (int kind = PL_CONTENT_ZEROS; kind <= PL_CONTENT_HASH; kind++) {
        struct pl_content content = {(enum pl_content_kind)kind, 1};
        for (uint64_t i = 0; i < PAGES; i++)
            pl_content_page(&content, i, pages[i], PAGE);
        measure(pl_content_name(content.kind), PAGES);
    }
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        size_t count = file ? fread(pages, PAGE, PAGES, file) : 0;
        if (file)
            fclose(file);
        if (count)
            measure(argv[i], count);
    }
    return 0;
}
