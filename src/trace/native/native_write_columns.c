/* trace/native/native_write_columns.c: columns of the native file, coded.
 *
 * Page numbers are coded in two steps. Real programs run in loops, so first the column is searched for repeats of what stands
 * before (LZ77 over whole numbers, greedy, one candidate for each hash of four numbers); on recorded programs that leaves a few
 * per cent as literals. Literals, or the whole column where there is little to find, become groups of packed bits: either offsets from
 * the least number, or indices into a table of the block's numbers, the most frequent first, so that most groups need
 * few bits. Whichever is smallest is written; the raw numbers when nothing is smaller. */
#include "trace/native/native.h"

enum {
    HASH_BITS = 14,
    SLOT_BITS = 18, /* open addressing for at most 65,536 distinct numbers */
    SLOTS = 1 << SLOT_BITS,
    GROUP_ROWS = PL_NATIVE_GROUP / 8,
};

struct pl_native_coder {
    uint32_t *heads;     /* repeats: last place of each hash, plus 1 */
    uint32_t *literals;  /* PL_BATCH_MAX */
    uint8_t *sequences;
    uint32_t *indices;   /* PL_BATCH_MAX + a group: numbers as offsets or places in the table */
    uint32_t *offsets;   /* the same, for the other scheme */
    uint32_t *keys, *slots;  /* SLOTS: number and its place + 1 in the list of distinct ones */
    uint32_t *used;      /* the slots that are taken */
    uint32_t *values, *counts, *order; /* PL_NATIVE_TABLE_MAX distinct numbers, how often, by frequency */
    uint32_t *starts;    /* PL_BATCH_MAX + 2, for sorting by count */
    uint32_t *steps;     /* PL_BATCH_MAX, for times */
};

struct pl_native_coder *pl_native_coder_create(struct pl_arena *arena)
{
    const size_t room = PL_BATCH_MAX + PL_NATIVE_GROUP;
    struct pl_native_coder *coder = pl_arena_alloc(arena, 1, sizeof *coder);
    if (!coder)
        return NULL;
    struct {
        uint32_t **place;
        size_t count;
    } tables[] = {
        {&coder->heads, 1 << HASH_BITS}, {&coder->literals, room}, {&coder->indices, room}, {&coder->offsets, room},
        {&coder->keys, SLOTS},           {&coder->slots, SLOTS},   {&coder->used, room},    {&coder->values, room},
        {&coder->counts, room},          {&coder->order, room},    {&coder->starts, room},  {&coder->steps, room},
    };
    for (size_t i = 0; i < PL_COUNT_OF(tables); i++) {
        *tables[i].place = pl_arena_alloc(arena, tables[i].count, sizeof(uint32_t));
        if (!*tables[i].place)
            return NULL;
    }
    coder->sequences = pl_arena_alloc(arena, room, sizeof(uint32_t));
    return coder->sequences ? coder : NULL;
}

static uint8_t *put_head(uint8_t *to, unsigned scheme, unsigned parameter, size_t length)
{
    memset(to, 0, 8);
    to[0] = (uint8_t)scheme;
    to[1] = (uint8_t)parameter;
    pl_native_put32(to + 4, (uint32_t)length);
    return to + 8;
}

/* Zeros up to the next multiple of 8, counted from `start`. */
static uint8_t *put_padding(uint8_t *to, const uint8_t *start)
{
    while ((to - start) % 8 != 0)
        *to++ = 0;
    return to;
}

static size_t put_raw(const uint32_t *numbers, size_t count, uint8_t *to)
{
    const size_t length = pl_native_pad(4 * count, 8);
    uint8_t *start = put_head(to, PL_NATIVE_RAW, 0, length);
    memset(start + 4 * count, 0, length - 4 * count);
    pl_native_copy_put32(start, numbers, count);
    return 8 + length;
}

/* --- groups of packed bits ------------------------------------------------------ */
static unsigned bits_of(uint32_t value)
{
    unsigned bits = 0;
    for (; value; value >>= 1)
        bits++;
    return bits;
}

static size_t group_count(size_t count)
{
    return (count + PL_NATIVE_GROUP - 1) / PL_NATIVE_GROUP;
}

/* The numbers beyond `count` in the last group must be zero. */
static unsigned group_width(const uint32_t *group)
{
    uint32_t all = 0;
    for (unsigned i = 0; i < PL_NATIVE_GROUP; i++)
        all |= group[i];
    return bits_of(all);
}

static size_t groups_size(const uint32_t *numbers, size_t count)
{
    size_t size = pl_native_pad(group_count(count), 8);
    for (size_t i = 0; i < count; i += PL_NATIVE_GROUP)
        size += 32 * (size_t)group_width(numbers + i);
    return size;
}

/* Lane by lane: number i of the group goes to lane i mod 8. */
static void pack_group(const uint32_t *group, unsigned width, uint8_t *to)
{
    uint32_t words[8 * 32] = {0};
    for (unsigned row = 0; row < GROUP_ROWS; row++) {
        const unsigned word = row * width / 32, shift = row * width % 32;
        for (unsigned lane = 0; lane < 8; lane++)
            words[8 * word + lane] |= group[8 * row + lane] << shift;
        if (shift + width > 32)
            for (unsigned lane = 0; lane < 8; lane++)
                words[8 * (word + 1) + lane] |= group[8 * row + lane] >> (32 - shift);
    }
    pl_native_copy_put32(to, words, 8 * (size_t)width);
}

static uint8_t *put_groups(const uint32_t *numbers, size_t count, uint8_t *to)
{
    uint8_t *widths = to;
    memset(widths, 0, pl_native_pad(group_count(count), 8));
    to += pl_native_pad(group_count(count), 8);
    for (size_t i = 0; i < count; i += PL_NATIVE_GROUP) {
        unsigned width = group_width(numbers + i);
        widths[i / PL_NATIVE_GROUP] = (uint8_t)width;
        pack_group(numbers + i, width, to);
        to += 32 * (size_t)width;
    }
    return to;
}

static void pad_group(uint32_t *numbers, size_t count)
{
    while (count % PL_NATIVE_GROUP != 0)
        numbers[count++] = 0;
}

/* --- frame ---------------------------------------------------------------------- */
static uint32_t subtract_least(const uint32_t *numbers, size_t count, uint32_t *offsets)
{
    uint32_t least = count ? numbers[0] : 0;
    for (size_t i = 1; i < count; i++)
        least = numbers[i] < least ? numbers[i] : least;
    for (size_t i = 0; i < count; i++)
        offsets[i] = numbers[i] - least;
    pad_group(offsets, count);
    return least;
}

static size_t put_frame(const uint32_t *offsets, uint32_t least, size_t count, uint8_t *to)
{
    size_t length = 8 + groups_size(offsets, count);
    uint8_t *at = put_head(to, PL_NATIVE_FRAME, 0, length);
    pl_native_put64(at, least);
    put_groups(offsets, count, at + 8);
    return 8 + length;
}

/* --- table ---------------------------------------------------------------------- */
static uint32_t slot_of(const struct pl_native_coder *coder, uint32_t number)
{
    uint32_t slot = number * UINT32_C(0x9E3779B1) >> (32 - SLOT_BITS);
    while (coder->slots[slot] && coder->keys[slot] != number)
        slot = (slot + 1) & (SLOTS - 1);
    return slot;
}

/* Lists the distinct numbers and how often each occurs; indices[] gets the place in the list of every number. */
static uint32_t list_distinct(struct pl_native_coder *coder, const uint32_t *numbers, size_t count)
{
    uint32_t distinct = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = slot_of(coder, numbers[i]);
        if (!coder->slots[slot]) {
            coder->keys[slot] = numbers[i];
            coder->values[distinct] = numbers[i];
            coder->counts[distinct] = 0;
            coder->used[distinct] = slot;
            coder->slots[slot] = ++distinct;
        }
        coder->indices[i] = coder->slots[slot] - 1;
        coder->counts[coder->indices[i]]++;
    }
    for (uint32_t i = 0; i < distinct; i++)
        coder->slots[coder->used[i]] = 0;
    return distinct;
}

/* A counting sort, most frequent first; equals stay in the order of first use. order[place in the list] = rank. */
static void rank_by_count(struct pl_native_coder *coder, uint32_t distinct, size_t count)
{
    uint32_t *starts = coder->starts;
    uint32_t most = 0;
    for (uint32_t i = 0; i < distinct; i++)
        most = coder->counts[i] > most ? coder->counts[i] : most;
    memset(starts, 0, ((size_t)most + 2) * sizeof *starts);
    for (uint32_t i = 0; i < distinct; i++)
        starts[most - coder->counts[i] + 1]++;
    for (uint32_t i = 1; i <= most; i++)
        starts[i] += starts[i - 1];
    for (uint32_t i = 0; i < distinct; i++)
        coder->order[i] = starts[most - coder->counts[i]]++;
    for (size_t i = 0; i < count; i++)
        coder->indices[i] = coder->order[coder->indices[i]];
    pad_group(coder->indices, count);
}

/* Literals, or whole columns without repeats: the smallest of raw, frame and table. */
static size_t encode_literals(struct pl_native_coder *coder, const uint32_t *numbers, size_t count, uint8_t *to)
{
    const uint32_t least = subtract_least(numbers, count, coder->offsets);
    const size_t raw = pl_native_pad(4 * count, 8), frame = 8 + groups_size(coder->offsets, count);
    const uint32_t distinct = list_distinct(coder, numbers, count);
    rank_by_count(coder, distinct, count);
    const size_t indices = groups_size(coder->indices, count);
    if (raw <= frame && raw <= 16 + indices)
        return put_raw(numbers, count, to);
    if (frame <= 16 + indices + distinct)
        return put_frame(coder->offsets, least, count, to);

    /* The entries, in the order of rank, are a column of their own. The offsets' buffer is free by now. */
    uint8_t *at = to + 16;
    uint32_t *entries = coder->starts;
    for (uint32_t i = 0; i < distinct; i++)
        entries[coder->order[i]] = coder->values[i];
    uint32_t entry_least = subtract_least(entries, distinct, coder->offsets);
    at += put_frame(coder->offsets, entry_least, distinct, at);
    if ((size_t)(at - to) + indices < 8 + (frame < raw ? frame : raw)) {
        pl_native_put64(to + 8, distinct);
        at = put_groups(coder->indices, count, at);
        put_head(to, PL_NATIVE_TABLE, 0, (size_t)(at - to) - 8);
        return (size_t)(at - to);
    }
    if (raw <= frame)
        return put_raw(numbers, count, to);
    return put_frame(coder->offsets, subtract_least(numbers, count, coder->offsets), count, to);
}

/* --- repeats ---------------------------------------------------------------------- */
/* Sequences as they are found. */
struct repeats {
    uint8_t *at;
    size_t literal_count;
};

static uint32_t hash_four(const uint32_t *numbers)
{
    uint32_t mix = numbers[0] * UINT32_C(0x9E3779B1) + numbers[1] * UINT32_C(0x85EBCA77) +
                   numbers[2] * UINT32_C(0xC2B2AE3D) + numbers[3] * UINT32_C(0x27D4EB2F);
    return (mix ^ mix >> 15) * UINT32_C(0x2C1B3C6D) >> (32 - HASH_BITS);
}

static uint8_t *put_rest(uint8_t *to, size_t value)
{
    if (value < 15)
        return to;
    for (value -= 15; value >= 255; value -= 255)
        *to++ = 255;
    *to++ = (uint8_t)value;
    return to;
}

/* A distance of 0 stands for "no match": the last sequence. */
static void put_sequence(struct pl_native_coder *coder, struct repeats *repeats, const uint32_t *literals, size_t count,
                         size_t distance, size_t length)
{
    memcpy(coder->literals + repeats->literal_count, literals, count * sizeof *literals);
    repeats->literal_count += count;
    size_t rest = distance ? length - PL_NATIVE_MATCH_MIN : 0;
    *repeats->at++ = (uint8_t)((count < 15 ? count : 15) << 4 | (rest < 15 ? rest : 15));
    repeats->at = put_rest(repeats->at, count);
    if (!distance)
        return;
    *repeats->at++ = (uint8_t)distance;
    *repeats->at++ = (uint8_t)(distance >> 8);
    repeats->at = put_rest(repeats->at, rest);
}

static size_t match_length(const uint32_t *numbers, size_t count, size_t old, size_t now)
{
    size_t length = 0;
    while (now + length < count && numbers[old + length] == numbers[now + length])
        length++;
    return length;
}

/* A sequence costs about three bytes; a match must save more. */
enum { WORTH = 6 };

static struct repeats find_repeats(struct pl_native_coder *coder, const uint32_t *numbers, size_t count)
{
    struct repeats repeats = {.at = coder->sequences};
    memset(coder->heads, 0, sizeof(uint32_t) << HASH_BITS);
    size_t literal_start = 0, now = 0, misses = 0;
    while (now + WORTH <= count) {
        uint32_t *head = &coder->heads[hash_four(numbers + now)];
        size_t old = *head;
        *head = (uint32_t)now + 1;
        size_t length = old ? match_length(numbers, count, old - 1, now) : 0;
        if (length < WORTH || now - (old - 1) > 65535) {
            now += 1 + (misses++ >> 6); /* give up searching gradually where nothing repeats */
            continue;
        }
        put_sequence(coder, &repeats, numbers + literal_start, now - literal_start, now - (old - 1), length);
        /* The places within a match are entered thinly: enough for the next time round, and quick. */
        for (size_t inside = now + 2; inside + WORTH <= now + length && inside + WORTH <= count; inside += 4)
            coder->heads[hash_four(numbers + inside)] = (uint32_t)inside + 1;
        now += length;
        literal_start = now;
        misses = 0;
    }
    if (literal_start < count)
        put_sequence(coder, &repeats, numbers + literal_start, count - literal_start, 0, 0);
    return repeats;
}

size_t pl_native_encode_numbers(struct pl_native_coder *coder, const uint32_t *numbers, size_t count, uint8_t *to)
{
    struct repeats repeats = find_repeats(coder, numbers, count);
    if (repeats.literal_count > count - count / 4)
        return encode_literals(coder, numbers, count, to);
    size_t bytes = (size_t)(repeats.at - coder->sequences);
    uint8_t *at = to + 16;
    memcpy(at, coder->sequences, bytes);
    at = put_padding(at + bytes, to);
    at += encode_literals(coder, coder->literals, repeats.literal_count, at);
    pl_native_put32(to + 8, (uint32_t)bytes);
    pl_native_put32(to + 12, (uint32_t)repeats.literal_count);
    put_head(to, PL_NATIVE_REPEATS, 0, (size_t)(at - to) - 8);
    return (size_t)(at - to);
}

/* --- kinds -------------------------------------------------------------------------- */
static size_t put_kind_runs(const uint8_t *kinds, size_t count, uint8_t *to, size_t limit)
{
    uint8_t *at = to;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && kinds[end] == kinds[i]; end++)
            ;
        if ((size_t)(at - to) + PL_NATIVE_VARINT_MAX > limit)
            return limit;
        at = pl_native_put_varint(at, (uint64_t)(end - i) << 2 | kinds[i]);
    }
    return (size_t)(at - to);
}

static size_t put_kind_bits(const uint8_t *kinds, size_t count, unsigned per_kind, unsigned zero, uint8_t *to)
{
    const size_t bytes = (count * per_kind + 7) / 8;
    memset(to, 0, bytes);
    for (size_t i = 0; i < count; i++) {
        unsigned value = per_kind == 1 ? kinds[i] != zero : kinds[i];
        to[i * per_kind / 8] |= (uint8_t)(value << i * per_kind % 8);
    }
    return bytes;
}

size_t pl_native_encode_kinds(const uint8_t *kinds, size_t count, uint8_t *to)
{
    bool seen[PL_EXECUTE + 1] = {false};
    for (size_t i = 0; i < count; i++)
        seen[kinds[i]] = true;
    const bool two = !(seen[PL_READ] && seen[PL_WRITE] && seen[PL_EXECUTE]);
    const unsigned zero = seen[PL_READ] ? PL_READ : PL_WRITE, one = seen[PL_EXECUTE] ? PL_EXECUTE : PL_WRITE;
    const size_t bit_bytes = (count * (two ? 1 : 2) + 7) / 8;

    unsigned scheme = PL_NATIVE_KINDS_RUNS, parameter = 0;
    size_t bytes = put_kind_runs(kinds, count, to + 8, bit_bytes);
    if (bytes >= bit_bytes) {
        scheme = two ? PL_NATIVE_KINDS_ONE_BIT : PL_NATIVE_KINDS_TWO_BITS;
        parameter = two ? zero | one << 4 : 0;
        bytes = put_kind_bits(kinds, count, two ? 1 : 2, zero, to + 8);
    }
    uint8_t *end = put_padding(to + 8 + bytes, to);
    put_head(to, scheme, parameter, (size_t)(end - to) - 8);
    return (size_t)(end - to);
}

/* --- times -------------------------------------------------------------------------- */
static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Steps as multiples of a scale above the least step. A clock that ticks in microseconds gives picoseconds that are all
 * multiples of 10^6: the common divisor takes that out. False when a step does not fit 32 bits. */
static bool times_to_steps(struct pl_native_coder *coder, const int64_t *times, size_t count, int64_t *least,
                           uint64_t *scale)
{
    *least = 0;
    for (size_t i = 1; i < count; i++) {
        int64_t step = (int64_t)((uint64_t)times[i] - (uint64_t)times[i - 1]);
        *least = i == 1 || step < *least ? step : *least;
    }
    *scale = 0;
    for (size_t i = 1; i < count; i++) {
        uint64_t above = (uint64_t)times[i] - (uint64_t)times[i - 1] - (uint64_t)*least;
        *scale = *scale == 1 ? 1 : common_divisor(above, *scale);
    }
    *scale = *scale ? *scale : 1;
    coder->steps[0] = 0;
    for (size_t i = 1; i < count; i++) {
        uint64_t above = ((uint64_t)times[i] - (uint64_t)times[i - 1] - (uint64_t)*least) / *scale;
        if (above > UINT32_MAX)
            return false;
        coder->steps[i] = (uint32_t)above;
    }
    return true;
}

size_t pl_native_encode_times(struct pl_native_coder *coder, const int64_t *times, size_t count, uint8_t *to)
{
    int64_t least;
    uint64_t scale;
    if (count == 0 || !times_to_steps(coder, times, count, &least, &scale)) {
        put_head(to, PL_NATIVE_TIMES_RAW, 0, 8 * count);
        pl_native_copy_put64(to + 8, (const uint64_t *)times, count);
        return 8 + 8 * count;
    }
    pl_native_put64(to + 8, (uint64_t)least);
    pl_native_put64(to + 16, scale);
    size_t length = 16 + pl_native_encode_numbers(coder, coder->steps, count, to + 24);
    put_head(to, PL_NATIVE_TIMES_STEPS, 0, length);
    return 8 + length;
}
