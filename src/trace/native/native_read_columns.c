/* trace/native/native_read_columns.c: coded columns of the native file, back to numbers.
 *
 * Decoders write whole groups and whole vectors, so every target has PL_NATIVE_SLACK numbers to spare; they read only what
 * the column's own length says is there. No value is trusted: a number that points outside its table comes out as
 * PL_NO_PAGE, which the check of pages refuses. */
#include "trace/native/native.h"

#include <stdlib.h>

enum pl_err pl_native_decoder_create(struct pl_arena *arena, struct pl_native_decoder *out, struct pl_error *err)
{
    const size_t room = PL_BATCH_MAX + PL_NATIVE_SLACK;
    struct pl_native_decoder decoder = {
        .kernels = pl_native_kernels(false),
        .literals = pl_arena_alloc(arena, room, sizeof(uint32_t)),
        .table = pl_arena_alloc(arena, room, sizeof(uint32_t)),
        .pages = pl_arena_alloc(arena, room, sizeof(uint32_t)),
        .sizes = pl_arena_alloc(arena, room, sizeof(uint32_t)),
        .times = pl_arena_alloc(arena, room, sizeof(int64_t)),
        .kinds = pl_arena_alloc(arena, room, 1),
    };
    if (!decoder.literals || !decoder.table || !decoder.pages || !decoder.sizes || !decoder.times || !decoder.kinds)
        return pl_fail_memory(err, room * 25, "decoding the trace");
    *out = decoder;
    return PL_OK;
}

void pl_native_decoder_free(struct pl_native_decoder *decoder)
{
    free(decoder->controls);
    decoder->controls = NULL;
    decoder->control_capacity = 0;
}

/* A column's head; the cursor `body` gets what follows it. */
struct head {
    uint8_t scheme, parameter;
};

static struct head take_head(struct pl_native_cursor *from, struct pl_native_cursor *body)
{
    struct head head = {0, 0};
    const uint8_t *bytes = pl_native_take(from, 8);
    size_t length = bytes ? pl_native_get32(bytes + 4) : 0;
    const uint8_t *start = pl_native_take(from, length);
    if (!start || length % 8 != 0) {
        from->failed = true;
        *body = (struct pl_native_cursor){.failed = true};
        return head;
    }
    *body = (struct pl_native_cursor){.at = start, .end = start + length};
    head.scheme = bytes[0];
    head.parameter = bytes[1];
    return head;
}

/* --- groups ------------------------------------------------------------------- */
/* What becomes of unpacked numbers. */
struct mapping {
    const uint32_t *table; /* NULL: add base */
    uint32_t base;
};

static void map_group(const struct mapping *mapping, uint32_t *group)
{
    if (mapping->table)
        for (unsigned i = 0; i < PL_NATIVE_GROUP; i++)
            group[i] = mapping->table[group[i]];
    else if (mapping->base)
        for (unsigned i = 0; i < PL_NATIVE_GROUP; i++)
            group[i] += mapping->base;
}

static const uint8_t *take_widths(struct pl_native_cursor *body, size_t count, unsigned widest, unsigned *largest)
{
    size_t groups = (count + PL_NATIVE_GROUP - 1) / PL_NATIVE_GROUP;
    const uint8_t *widths = pl_native_take(body, pl_native_pad(groups, 8));
    *largest = 0;
    for (size_t i = 0; widths && i < groups; i++)
        *largest = widths[i] > *largest ? widths[i] : *largest;
    body->failed |= *largest > widest;
    return body->failed ? NULL : widths;
}

static bool unpack_groups(struct pl_native_decoder *decoder, struct pl_native_cursor *body, const uint8_t *widths,
                          const struct mapping *mapping, size_t count, uint32_t *to)
{
    for (size_t done = 0, i = 0; done < count; done += PL_NATIVE_GROUP, i++) {
        const uint8_t *bits = pl_native_take(body, 32 * (size_t)widths[i]);
        if (!bits)
            return false;
        if (widths[i])
            decoder->kernels->unpack(bits, widths[i], to + done);
        else
            memset(to + done, 0, PL_NATIVE_GROUP * sizeof *to);
        map_group(mapping, to + done);
    }
    return true;
}

static bool take_raw(struct pl_native_cursor *body, size_t count, uint32_t *to)
{
    const uint8_t *bytes = pl_native_take(body, 4 * count);
    if (bytes)
        pl_native_copy_get32(to, bytes, count);
    return bytes != NULL;
}

static bool take_frame(struct pl_native_decoder *decoder, struct pl_native_cursor *body, size_t count, uint32_t *to)
{
    const uint8_t *base = pl_native_take(body, 8);
    unsigned largest;
    const uint8_t *widths = take_widths(body, count, 32, &largest);
    if (!base || !widths)
        return false;
    struct mapping mapping = {NULL, pl_native_get32(base)};
    return unpack_groups(decoder, body, widths, &mapping, count, to);
}

/* Raw numbers or a frame: what a table's entries may be coded as. */
static bool take_simple(struct pl_native_decoder *decoder, struct pl_native_cursor *from, size_t count, uint32_t *to)
{
    struct pl_native_cursor body;
    struct head head = take_head(from, &body);
    if (body.failed)
        return false;
    if (head.scheme == PL_NATIVE_RAW)
        return take_raw(&body, count, to);
    return head.scheme == PL_NATIVE_FRAME && take_frame(decoder, &body, count, to);
}

static bool take_table(struct pl_native_decoder *decoder, struct pl_native_cursor *body, size_t count, uint32_t *to)
{
    const uint8_t *start = pl_native_take(body, 8);
    uint32_t entries = start ? pl_native_get32(start) : 0;
    if (entries < 1 || entries > PL_NATIVE_TABLE_MAX || !take_simple(decoder, body, entries, decoder->table))
        return false;
    unsigned largest;
    const uint8_t *widths = take_widths(body, count, 16, &largest);
    if (!widths)
        return false;
    for (size_t i = entries; i < (size_t)1 << largest; i++)
        decoder->table[i] = PL_NO_PAGE; /* packed bits can say these, a writer never does */
    struct mapping mapping = {decoder->table, 0};
    return unpack_groups(decoder, body, widths, &mapping, count, to);
}

/* Any scheme but repeats: what literals may be coded as. */
static bool take_literals(struct pl_native_decoder *decoder, struct pl_native_cursor *from, size_t count, uint32_t *to)
{
    struct pl_native_cursor body;
    struct head head = take_head(from, &body);
    if (body.failed)
        return false;
    switch (head.scheme) {
    case PL_NATIVE_RAW:
        return take_raw(&body, count, to);
    case PL_NATIVE_FRAME:
        return take_frame(decoder, &body, count, to);
    case PL_NATIVE_TABLE:
        return take_table(decoder, &body, count, to);
    default:
        return false;
    }
}

/* --- repeats ------------------------------------------------------------------ */
/* A count of 15 goes on in further bytes. False when it runs over `limit` or the bytes end. */
static bool continue_count(const uint8_t **at, const uint8_t *end, size_t limit, size_t *count)
{
    uint8_t byte;
    do {
        if (*at == end || *count > limit)
            return false;
        byte = *(*at)++;
        *count += byte;
    } while (byte == 255);
    return true;
}

/* Copies in steps of eight numbers and may write up to seven beyond `count`; the ranges do not overlap within eight. */
static inline void copy_eights(uint32_t *to, const uint32_t *from, size_t count)
{
    for (size_t i = 0; i < count; i += 8)
        memcpy(to + i, from + i, 8 * sizeof *to);
}

/* The match may overlap its own output: a short distance is a pattern that repeats. Its first eight numbers are written
 * one by one; from there on a multiple of the distance that is at least eight says the same. */
static inline void copy_match(uint32_t *to, size_t distance, size_t count)
{
    const uint32_t *from = to - distance;
    if (distance < 8) {
        for (int i = 0; i < 8; i++)
            to[i] = from[i];
        if (count <= 8)
            return;
        static const uint8_t multiple[8] = {0, 8, 8, 9, 8, 10, 12, 14};
        to += 8;
        count -= 8;
        from = to - multiple[distance];
    }
    copy_eights(to, from, count);
}

/* Rebuilds `count` numbers from sequences and `literal_count` literals; uses all of both. */
static bool run_sequences(const uint8_t *at, const uint8_t *end, const uint32_t *literals, size_t literal_count,
                          size_t count, uint32_t *to)
{
    size_t done = 0, used = 0;
    while (done < count) {
        if (at == end)
            return false;
        uint8_t token = *at++;
        size_t copies = token >> 4, length = token & 15;
        if (copies == 15 && !continue_count(&at, end, count, &copies))
            return false;
        if (copies > literal_count - used || copies > count - done)
            return false;
        copy_eights(to + done, literals + used, copies);
        used += copies;
        done += copies;
        if (done == count)
            break;
        if (end - at < 2)
            return false;
        size_t distance = at[0] | (size_t)at[1] << 8;
        at += 2;
        if (length == 15 && !continue_count(&at, end, count, &length))
            return false;
        length += PL_NATIVE_MATCH_MIN;
        if (distance == 0 || distance > done || length > count - done)
            return false;
        copy_match(to + done, distance, length);
        done += length;
    }
    return used == literal_count && at == end;
}

static bool take_repeats(struct pl_native_decoder *decoder, struct pl_native_cursor *body, size_t count, uint32_t *to)
{
    const uint8_t *start = pl_native_take(body, 8);
    if (!start)
        return false;
    size_t bytes = pl_native_get32(start), literal_count = pl_native_get32(start + 4);
    const uint8_t *sequences = pl_native_take(body, pl_native_pad(bytes, 8));
    if (!sequences || literal_count > count || !take_literals(decoder, body, literal_count, decoder->literals))
        return false;
    return run_sequences(sequences, sequences + bytes, decoder->literals, literal_count, count, to);
}

bool pl_native_decode_numbers(struct pl_native_decoder *decoder, struct pl_native_cursor *from, size_t count, uint32_t *to)
{
    struct pl_native_cursor again = *from, body;
    struct head head = take_head(from, &body);
    if (body.failed)
        return false;
    if (head.scheme == PL_NATIVE_REPEATS)
        return take_repeats(decoder, &body, count, to);
    return take_literals(decoder, &again, count, to);
}

/* --- kinds -------------------------------------------------------------------- */
static bool take_bits(struct pl_native_cursor *body, size_t count, unsigned parameter, uint8_t *to)
{
    const uint8_t *bytes = pl_native_take(body, (count + 7) / 8);
    if (!bytes)
        return false;
    /* Eight bits spread to eight bytes by a multiplication, then each picks one of two kinds. */
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t zero_kind = (parameter & 15) * ones;
    const uint64_t change = ((parameter & 15) ^ (parameter >> 4)) & 15;
    for (size_t i = 0; 8 * i < count; i++) {
        uint64_t spread = (bytes[i] & 127) * UINT64_C(0x0002040810204081) & ones;
        spread |= (uint64_t)(bytes[i] >> 7) << 56;
        uint64_t kinds = zero_kind ^ spread * change;
        if (pl_native_little())
            memcpy(to + 8 * i, &kinds, 8);
        else
            pl_native_put64(to + 8 * i, kinds);
    }
    return true;
}

static bool take_bit_pairs(struct pl_native_cursor *body, size_t count, uint8_t *to)
{
    const uint8_t *bytes = pl_native_take(body, (count + 3) / 4);
    if (!bytes)
        return false;
    for (size_t i = 0; 4 * i < count; i++)
        for (unsigned j = 0; j < 4; j++)
            to[4 * i + j] = bytes[i] >> 2 * j & 3;
    return true;
}

static bool take_runs(struct pl_native_cursor *body, size_t count, uint8_t *to)
{
    size_t done = 0;
    while (done < count) {
        uint64_t run = pl_native_take_varint(body);
        if (body->failed || run >> 2 == 0 || run >> 2 > count - done)
            return false;
        memset(to + done, (int)(run & 3), (size_t)(run >> 2));
        done += (size_t)(run >> 2);
    }
    return true;
}

bool pl_native_decode_kinds(struct pl_native_cursor *from, size_t count, uint8_t *to)
{
    struct pl_native_cursor body;
    struct head head = take_head(from, &body);
    if (body.failed)
        return false;
    switch (head.scheme) {
    case PL_NATIVE_KINDS_RAW: {
        const uint8_t *bytes = pl_native_take(&body, count);
        if (bytes)
            memcpy(to, bytes, count);
        return bytes != NULL;
    }
    case PL_NATIVE_KINDS_ONE_BIT:
        return take_bits(&body, count, head.parameter, to);
    case PL_NATIVE_KINDS_TWO_BITS:
        return take_bit_pairs(&body, count, to);
    case PL_NATIVE_KINDS_RUNS:
        return take_runs(&body, count, to);
    default:
        return false;
    }
}

/* --- times -------------------------------------------------------------------- */
bool pl_native_decode_times(struct pl_native_decoder *decoder, struct pl_native_cursor *from, size_t count, int64_t first,
                            int64_t *to)
{
    struct pl_native_cursor body;
    struct head head = take_head(from, &body);
    if (body.failed || head.scheme > PL_NATIVE_TIMES_STEPS)
        return false;
    if (head.scheme == PL_NATIVE_TIMES_RAW) {
        const uint8_t *bytes = pl_native_take(&body, 8 * count);
        if (bytes)
            pl_native_copy_get64((uint64_t *)to, bytes, count);
        return bytes != NULL;
    }
    /* The sizes column comes after this one, so its buffer is free to hold the steps. */
    const uint8_t *start = pl_native_take(&body, 16);
    uint32_t *steps = decoder->sizes;
    if (!start || !pl_native_decode_numbers(decoder, &body, count, steps))
        return false;
    const uint64_t least = pl_native_get64(start), scale = pl_native_get64(start + 8);
    uint64_t time = (uint64_t)first - least;
    for (size_t i = 0; i < count; i++) {
        time += least + scale * steps[i];
        to[i] = (int64_t)time;
    }
    return true;
}
