/* codec/codec_wkdm.c: WKdm (Wilson, Kaplan, Smaragdakis 1999): 32-bit words against a direct-mapped dictionary of
 * 16 recent ones. macOS compresses its memory with a descendant of it.
 *
 * Each word becomes a tag of two bits: zero; partial (its upper 22 bits are those of a dictionary word: 4 bits say
 * which, 10 bits are its own); miss (the word itself); exact (4 bits say which). The four kinds of data stand
 * apart:
 *
 *   u16 misses, u16 indices, u16 partials, u16 0 | tags, 16 in a word | missed words |
 *   indices, 8 in a word | low parts, 3 in a word
 *
 * The word's upper bits choose its place in the dictionary by a multiplicative hash where the authors had a table
 * of random numbers, and the header has 8 bytes where theirs had 16: sizes differ from theirs by a little. */
#include "codec/bytes.h"
#include "codec/codec_list.h"

enum tag { ZERO, PARTIAL, MISS, EXACT };

enum {
    DICTIONARY = 16,
    LOW_BITS = 10,
    LOW_MASK = (1 << LOW_BITS) - 1,
    WORDS_MAX = PL_CODEC_PAGE_MAX / 4,
    HEADER = 8,
};

struct work { /* one of each per word of the page */
    uint8_t tags[WORDS_MAX];
    uint8_t indices[WORDS_MAX];
    uint16_t lows[WORDS_MAX];
    uint32_t misses[WORDS_MAX];
};

struct counts {
    size_t misses, indices, lows;
};

static unsigned slot_of(uint32_t word)
{
    return (word >> LOW_BITS) * 0x9E3779B1u >> 28;
}

static size_t work_bytes(const struct pl_codec_params *params)
{
    return sizeof(struct work);
}

/* Sorts the page's words into the four kinds. */
static struct counts model(struct work *work, const uint8_t *page, size_t words)
{
    uint32_t dictionary[DICTIONARY] = {0};
    struct counts n = {0, 0, 0};
    for (size_t i = 0; i < words; i++) {
        uint32_t word = load32(page + 4 * i);
        unsigned slot = slot_of(word);
        uint32_t known = dictionary[slot];
        if (!word) {
            work->tags[i] = ZERO;
        } else if (word == known) {
            work->tags[i] = EXACT;
            work->indices[n.indices++] = (uint8_t)slot;
        } else {
            if (word >> LOW_BITS == known >> LOW_BITS) {
                work->tags[i] = PARTIAL;
                work->indices[n.indices++] = (uint8_t)slot;
                work->lows[n.lows++] = word & LOW_MASK;
            } else {
                work->tags[i] = MISS;
                work->misses[n.misses++] = word;
            }
            dictionary[slot] = word;
        }
    }
    return n;
}

static size_t words_for(size_t count, size_t per_word)
{
    return (count + per_word - 1) / per_word;
}

static uint8_t *pack_bytes(uint8_t *out, const uint8_t *values, size_t count, unsigned bits)
{
    unsigned per_word = 32 / bits;
    for (size_t i = 0; i < count; out += 4) {
        uint32_t word = 0;
        for (unsigned k = 0; k < per_word && i < count; k++, i++)
            word |= (uint32_t)values[i] << bits * k;
        store32(out, word);
    }
    return out;
}

static uint8_t *pack_lows(uint8_t *out, const uint16_t *values, size_t count)
{
    for (size_t i = 0; i < count; out += 4) {
        uint32_t word = 0;
        for (unsigned k = 0; k < 3 && i < count; k++, i++)
            word |= (uint32_t)values[i] << LOW_BITS * k;
        store32(out, word);
    }
    return out;
}

static size_t packed_bytes(size_t words, const struct counts *n)
{
    return HEADER + 4 * (words_for(words, 16) + n->misses + words_for(n->indices, 8) + words_for(n->lows, 3));
}

static size_t compress(struct pl_codec *codec, const uint8_t *page, uint8_t *out, size_t room)
{
    struct work *work = codec->work;
    size_t words = codec->params.page_size / 4;
    struct counts n = model(work, page, words);
    size_t size = packed_bytes(words, &n);
    if (size > room)
        return 0;
    store16(out, (uint32_t)n.misses);
    store16(out + 2, (uint32_t)n.indices);
    store16(out + 4, (uint32_t)n.lows);
    store16(out + 6, 0);
    uint8_t *at = pack_bytes(out + HEADER, work->tags, words, 2);
    for (size_t i = 0; i < n.misses; i++, at += 4)
        store32(at, work->misses[i]);
    at = pack_bytes(at, work->indices, n.indices, 4);
    pack_lows(at, work->lows, n.lows);
    return size;
}

static unsigned unpack(const uint8_t *area, size_t i, unsigned per_word, unsigned bits)
{
    return load32(area + 4 * (i / per_word)) >> bits * (i % per_word) & ((1u << bits) - 1);
}

static bool decompress(struct pl_codec *codec, const uint8_t *in, size_t size, uint8_t *page)
{
    size_t words = codec->params.page_size / 4;
    if (size < HEADER)
        return false;
    const struct counts n = {load16(in), load16(in + 2), load16(in + 4)};
    if (size != packed_bytes(words, &n))
        return false;
    const uint8_t *tags = in + HEADER, *misses = tags + 4 * words_for(words, 16);
    const uint8_t *indices = misses + 4 * n.misses, *lows = indices + 4 * words_for(n.indices, 8);
    uint32_t dictionary[DICTIONARY] = {0};
    struct counts at = {0, 0, 0};

    for (size_t i = 0; i < words; i++) {
        unsigned tag = unpack(tags, i, 16, 2);
        uint32_t word = 0;
        if (tag == MISS) {
            if (at.misses == n.misses)
                return false;
            word = load32(misses + 4 * at.misses++);
            dictionary[slot_of(word)] = word;
        } else if (tag != ZERO) {
            if (at.indices == n.indices || (tag == PARTIAL && at.lows == n.lows))
                return false;
            unsigned slot = unpack(indices, at.indices++, 8, 4);
            word = dictionary[slot];
            if (tag == PARTIAL)
                word = (word & ~(uint32_t)LOW_MASK) | unpack(lows, at.lows++, 3, LOW_BITS);
            dictionary[slot] = word;
        }
        store32(page + 4 * i, word);
    }
    return true;
}

const struct pl_codec_ops pl_codec_wkdm = {
    .name = "wkdm",
    .about = "WKdm: 32-bit words against a dictionary of 16",
    .work_bytes = work_bytes,
    .compress = compress,
    .decompress = decompress,
};
