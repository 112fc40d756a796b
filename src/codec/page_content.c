/* codec/page_content.c: the generators. Each can start at any page, so pages need not be made in order. */
#include "codec/page_content.h"
#include "base/random.h"
#include "base/text.h"
#include "codec/bytes.h"

static const char *const names[] = {
    [PL_CONTENT_ZEROS] = "zeros", [PL_CONTENT_INDEX] = "index", [PL_CONTENT_RAND] = "rand",
    [PL_CONTENT_TEXT] = "text",   [PL_CONTENT_HASH] = "hash",   [PL_CONTENT_SAME] = "same", [PL_CONTENT_MIXED] = "mixed",
};

static void make_index(uint64_t first, uint8_t *page, uint32_t page_size)
{
    for (uint32_t at = 0; at < page_size; at += 4)
        store32(page + at, (uint32_t)first++);
}

/* The generator behind rand() of the Microsoft C library, and where `steps` steps lead: both the step and its
 * doublings are maps x -> a x + c mod 2^32. */
enum { RAND_STEP = 214013, RAND_ADD = 2531011 };

static uint32_t rand_after(uint32_t state, uint64_t steps)
{
    uint32_t a = RAND_STEP, c = RAND_ADD;
    for (; steps; steps >>= 1) {
        if (steps & 1)
            state = a * state + c;
        c = (a + 1) * c;
        a *= a;
    }
    return state;
}

static void make_rand(uint64_t seed, uint64_t first, uint8_t *page, uint32_t page_size)
{
    uint32_t state = rand_after((uint32_t)seed, first);
    for (uint32_t at = 0; at < page_size; at += 4) {
        state = RAND_STEP * state + RAND_ADD;
        store32(page + at, state >> 16 & 0x7fff);
    }
}

static void make_hash(uint64_t seed, uint64_t first, uint8_t *page, uint32_t page_size)
{
    for (uint32_t at = 0; at < page_size; at += 4, first++)
        store32(page + at, (uint32_t)pl_mix64(first + seed * UINT64_C(0x9E3779B97F4A7C15) + 1));
}

static void make_same(uint32_t word, uint8_t *page, uint32_t page_size)
{
    for (uint32_t at = 0; at < page_size; at += 4)
        store32(page + at, word);
}

/* --- text --- */

enum { VOCABULARY = 4096, WORD_MAX = 12 };

/* Word `rank` of the language that `seed` stands for: one to four syllables, longer for rarer words. Returns its
 * length. */
static uint32_t spell(uint64_t seed, uint32_t rank, char word[WORD_MAX])
{
    static const char consonants[] = "tnrslhdcmfpgbvkw", vowels[] = "eaoiuaei";
    uint64_t bits = pl_mix64(seed ^ (uint64_t)(rank + 1) << 32);
    uint32_t syllables = 1 + (rank > 8) + (rank > 200 && bits >> 60 > 4) + (rank > 1000 && (bits >> 56 & 15) > 8);
    uint32_t length = 0;
    for (uint32_t i = 0; i < syllables; i++, bits >>= 8) {
        word[length++] = consonants[bits & 15];
        word[length++] = vowels[bits >> 4 & 7];
        if (bits & 0x80)
            word[length++] = consonants[bits >> 3 & 15];
    }
    return length;
}

/* A rank below VOCABULARY with probability about 1 / (rank + 1): uniform in its logarithm, which is Zipf's law. */
static uint32_t draw_rank(struct pl_random *random)
{
    uint32_t octave = (uint32_t)pl_random_below(random, 12); /* 2^12 words */
    uint32_t width = 1u << octave;
    return width - 1 + (uint32_t)pl_random_below(random, width);
}

static void make_text(uint64_t seed, uint64_t index, uint8_t *page, uint32_t page_size)
{
    struct pl_random random = pl_random_seeded(pl_mix64(seed) + index);
    uint32_t at = 0, column = 0;
    while (at < page_size) {
        char word[WORD_MAX];
        uint32_t length = spell(seed, draw_rank(&random), word);
        for (uint32_t i = 0; i < length && at < page_size; i++)
            page[at++] = (uint8_t)word[i];
        column += length + 1;
        if (at < page_size)
            page[at++] = column > 72 ? '\n' : pl_random_below(&random, 12) ? ' ' : ',';
        if (column > 72)
            column = 0;
    }
}

void pl_content_page(const struct pl_content *content, uint64_t index, uint8_t *page, uint32_t page_size)
{
    uint64_t first = index * (page_size / 4);
    switch (content->kind) {
    case PL_CONTENT_ZEROS:
        memset(page, 0, page_size);
        break;
    case PL_CONTENT_INDEX:
        make_index(content->seed + first, page, page_size);
        break;
    case PL_CONTENT_RAND:
        make_rand(content->seed, first, page, page_size);
        break;
    case PL_CONTENT_TEXT:
        make_text(content->seed, index, page, page_size);
        break;
    case PL_CONTENT_HASH:
        make_hash(content->seed, first, page, page_size);
        break;
    case PL_CONTENT_SAME:
        make_same((uint32_t)content->seed, page, page_size);
        break;
    case PL_CONTENT_MIXED: {
        static const enum pl_content_kind turns[] = {PL_CONTENT_INDEX, PL_CONTENT_ZEROS, PL_CONTENT_TEXT, PL_CONTENT_RAND};
        const struct pl_content one = {turns[index % PL_COUNT_OF(turns)], content->seed};
        pl_content_page(&one, index, page, page_size);
        break;
    }
    }
}

const char *pl_content_name(enum pl_content_kind kind)
{
    return names[kind];
}

enum pl_err pl_content_find(const char *name, enum pl_content_kind *out, struct pl_error *err)
{
    for (size_t i = 0; i < PL_COUNT_OF(names); i++)
        if (!strcmp(names[i], name)) {
            *out = (enum pl_content_kind)i;
            return PL_OK;
        }
    char hint[64], shown[64];
    return pl_fail(err, PL_ERR_INPUT, "no page content is called '%s'%s",
                   pl_printable(shown, sizeof(shown), name, strlen(name)),
                   pl_did_you_mean(hint, sizeof(hint), name, names, PL_COUNT_OF(names), sizeof(names[0])));
}
