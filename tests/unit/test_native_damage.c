/* tests/unit/test_native_damage.c: cut, flipped, lost, doubled and malicious bytes in a native file.
 *
 * Whatever happens to a file, reading it ends, touches no memory that is not its own (the sanitizers watch), and gives
 * either what was written or an error; told to skip damage it gives a part of it and counts the rest. */
#include "native_help.h"

static const struct pl_trace_options strict = {.need_dictionary = true},
                                     skipping = {.need_dictionary = true, .skip_damaged = true};

static uint64_t skipped(const struct pl_trace_info *info, const struct pl_trace_skip *skips, const char *reason)
{
    for (size_t i = 0; i < info->skip_count; i++)
        if (strstr(skips[i].reason, reason))
            return skips[i].count;
    return 0;
}

/* Reads bytes as a file. `skips` gets what was left out, which does not outlive the trace. */
static enum pl_err read_bytes(const uint8_t *bytes, size_t length, const struct pl_trace_options *options,
                              struct flat *out, struct pl_trace_info *info, struct pl_trace_skip skips[8],
                              struct pl_error *err)
{
    const char *path = help_path("damaged");
    struct pl_trace *trace;
    struct pl_batch batch;
    help_spill(path, bytes, length);
    memset(out, 0, sizeof *out);
    memset(info, 0, sizeof *info);
    err->message[0] = 0;
    enum pl_err rc = pl_trace_open(path, options, &trace, err);
    if (rc == PL_OK) {
        while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK)
            flat_append(out, &batch);
        *info = *pl_trace_info(trace);
        for (size_t i = 0; i < info->skip_count && i < 8; i++)
            skips[i] = info->skips[i];
        for (uint64_t page = 0; page < out->distinct; page += 3)
            (void)pl_trace_page_origin(trace, (pl_page)page);
        pl_trace_close(trace);
    }
    unlink(path);
    return rc;
}

/* What was read is a run of the original from its start. */
static void is_prefix(const struct flat *part, const struct flat *whole)
{
    assert_true(part->count <= whole->count);
    if (part->count)
        assert_memory_equal(part->page, whole->page, part->count * sizeof *part->page);
}

/* A small file with every kind of block and column. */
static uint8_t *small_file(struct flat *flat, bool pack, size_t *length)
{
    struct recipe recipe = {.seed = 3, .count = 60, .shape = SHAPE_LOOPS, .times = true, .sizes = true,
                            .control_every = 10, .pages = 20};
    *flat = random_trace(&recipe);
    const char *path = help_path("small");
    flat_write(flat, path, pack, 25);
    uint8_t *bytes = help_slurp(path, length);
    unlink(path);
    return bytes;
}

/* Several blocks: 65,536 touches each. */
static uint8_t *large_file(struct flat *flat, bool pack, size_t *length)
{
    struct recipe recipe = {.seed = 8, .count = 300000, .shape = SHAPE_LOCAL, .pages = 5000};
    *flat = random_trace(&recipe);
    const char *path = help_path("large");
    flat_write(flat, path, pack, 65536);
    uint8_t *bytes = help_slurp(path, length);
    unlink(path);
    return bytes;
}

static void cut_at_every_byte(void **state)
{
    (void)state;
    struct flat flat, part;
    size_t length;
    uint8_t *bytes = small_file(&flat, true, &length);
    for (size_t keep = 0; keep < length; keep++)
        for (int skip = 0; skip < 2; skip++) {
            struct pl_trace_info info;
            struct pl_trace_skip skips[8];
            struct pl_error err;
            enum pl_err rc = read_bytes(bytes, keep, skip ? &skipping : &strict, &part, &info, skips, &err);
            is_prefix(&part, &flat);
            if (rc == PL_END) { /* only by leaving the end out, and saying so */
                assert_true(skip);
                assert_int_equal(skipped(&info, skips, "cut off"), 1);
                assert_int_equal(part.count, flat.count);
            } else {
                assert_int_equal(rc, PL_ERR_INPUT);
                assert_true(strlen(err.message) > 10);
            }
            flat_free(&part);
        }
    free(bytes);
    flat_free(&flat);
}

static void flip_every_byte(void **state)
{
    (void)state;
    struct flat flat, part;
    size_t length;
    for (int pack = 0; pack < 2; pack++) {
        uint8_t *bytes = small_file(&flat, pack, &length);
        for (size_t i = 0; i < length; i++) {
            struct pl_trace_info info;
            struct pl_trace_skip skips[8];
            struct pl_error err;
            const uint8_t flip = (uint8_t)(1u << i % 8);
            bytes[i] ^= flip;
            enum pl_err rc = read_bytes(bytes, length, &strict, &part, &info, skips, &err);
            if (rc == PL_END) /* padding between blocks, which says nothing */
                flat_same(&flat, &part);
            else
                is_prefix(&part, &flat);
            flat_free(&part);
            rc = read_bytes(bytes, length, &skipping, &part, &info, skips, &err);
            if (rc == PL_END && info.skip_count == 0)
                flat_same(&flat, &part);
            else
                assert_true(rc == PL_END || rc == PL_ERR_INPUT);
            flat_free(&part);
            bytes[i] ^= flip;
        }
        free(bytes);
        flat_free(&flat);
    }
}

/* Where the n-th block of a type starts. */
static size_t find_block(const uint8_t *bytes, size_t length, uint8_t type, int nth, struct pl_native_block *block)
{
    const char *what;
    for (size_t at = 0; at + PL_NATIVE_BLOCK_HEADER <= length; at += PL_NATIVE_ALIGN)
        if (pl_native_block_get(bytes + at, block, &what) && block->type == type && nth-- == 0)
            return at;
    fail_msg("no such block");
    return 0;
}

static size_t block_bytes(const struct pl_native_block *block)
{
    return PL_NATIVE_BLOCK_HEADER + pl_native_pad(block->stored, PL_NATIVE_ALIGN);
}

/* Damage in the payload or the header of the second touch block: it is named, and skipped without loss of others. */
static void one_block_lost(void **state)
{
    (void)state;
    for (int pack = 0; pack < 2; pack++)
        for (int place = 0; place < 3; place++) {
            struct flat flat, part;
            struct pl_trace_info info;
            struct pl_trace_skip skips[8];
            struct pl_error err;
            struct pl_native_block block;
            size_t length;
            uint8_t *bytes = large_file(&flat, pack, &length);
            size_t at = find_block(bytes, length, PL_NATIVE_TOUCHES, 1, &block);
            static const size_t offsets[] = {500, 50, 2}; /* payload, header, magic */
            bytes[at + offsets[place]] ^= 0x10;
            assert_int_equal(read_bytes(bytes, length, &strict, &part, &info, skips, &err), PL_ERR_INPUT);
            char name[64];
            snprintf(name, sizeof name, "at byte %zu: block %u", at, (unsigned)block.number);
            assert_non_null(strstr(err.message, name));
            assert_int_equal(part.count, 65536);
            flat_free(&part);

            assert_int_equal(read_bytes(bytes, length, &skipping, &part, &info, skips, &err), PL_END);
            assert_int_equal(skipped(&info, skips, "damaged blocks"), 1);
            assert_int_equal(skipped(&info, skips, "touches in damaged blocks"), 65536);
            assert_int_equal(part.count, flat.count - 65536);
            assert_memory_equal(part.page, flat.page, 65536 * sizeof *part.page);
            assert_memory_equal(part.page + 65536, flat.page + 131072, (part.count - 65536) * sizeof *part.page);
            assert_int_equal(part.distinct, flat.distinct);
            flat_free(&part);
            free(bytes);
            flat_free(&flat);
        }
}

/* Pages whose first use was in a lost block are new where they turn up next: the numbering has no holes. */
static void numbers_without_holes(void **state)
{
    (void)state;
    struct flat flat = {0}, part;
    struct pl_trace_info info;
    struct pl_trace_skip skips[8];
    struct pl_error err;
    struct pl_native_block block;
    size_t length;
    for (uint32_t i = 0; i < 4 * 65536; i++) /* 1,000 new pages in each block */
        flat_add(&flat, i % 65536 < 1000 ? i / 65536 * 1000 + i % 65536 : i * 7 % (i / 65536 * 1000 + 1000), PL_READ, 0, 0);
    const char *path = help_path("holes");
    flat_write(&flat, path, true, 65536);
    uint8_t *bytes = help_slurp(path, &length);
    unlink(path);
    size_t at = find_block(bytes, length, PL_NATIVE_TOUCHES, 1, &block);
    bytes[at + PL_NATIVE_BLOCK_HEADER + 9] ^= 4;
    assert_int_equal(read_bytes(bytes, length, &skipping, &part, &info, skips, &err), PL_END);
    assert_int_equal(part.count, 3 * 65536);
    assert_int_equal(part.distinct, 4000); /* all are used again later */
    uint32_t next = 0;
    assert_true(pl_native_kernels(true)->check_pages(part.page, part.count, &next));
    assert_int_equal(next, 4000);
    free(bytes);
    flat_free(&part);
    flat_free(&flat);
}

/* Blocks cut out, doubled or swapped are whole in themselves: only their order is wrong. */
static void order_is_checked(void **state)
{
    (void)state;
    struct flat flat, part;
    struct pl_trace_info info;
    struct pl_trace_skip skips[8];
    struct pl_error err;
    struct pl_native_block block;
    size_t length;
    uint8_t *bytes = large_file(&flat, false, &length);
    size_t at = find_block(bytes, length, PL_NATIVE_TOUCHES, 1, &block), size = block_bytes(&block);
    uint8_t *other = malloc(length + size);

    memcpy(other, bytes, at);
    memcpy(other + at, bytes + at + size, length - at - size);
    assert_int_equal(read_bytes(other, length - size, &strict, &part, &info, skips, &err), PL_ERR_INPUT);
    assert_non_null(strstr(err.message, "missing"));
    flat_free(&part);
    assert_int_equal(read_bytes(other, length - size, &skipping, &part, &info, skips, &err), PL_END);
    assert_int_equal(part.count, flat.count - 65536);
    assert_int_equal(skipped(&info, skips, "touches in damaged blocks"), 65536);
    flat_free(&part);

    memcpy(other, bytes, at + size);
    memcpy(other + at + size, bytes + at, length - at);
    assert_int_equal(read_bytes(other, length + size, &strict, &part, &info, skips, &err), PL_ERR_INPUT);
    assert_non_null(strstr(err.message, "twice"));
    flat_free(&part);
    assert_int_equal(read_bytes(other, length + size, &skipping, &part, &info, skips, &err), PL_END);
    flat_same(&flat, &part);
    assert_int_equal(skipped(&info, skips, "damaged blocks"), 1);
    flat_free(&part);

    /* Bytes pushed in between two blocks: everything behind them is at an odd place. */
    memcpy(other, bytes, at);
    memcpy(other + at, "junk of 13 by", 13);
    memcpy(other + at + 13, bytes + at, length - at);
    assert_int_equal(read_bytes(other, length + 13, &skipping, &part, &info, skips, &err), PL_END);
    flat_same(&flat, &part);
    flat_free(&part);
    free(other);
    free(bytes);
    flat_free(&flat);
}

static void lost_dictionary(void **state)
{
    (void)state;
    struct flat flat, part;
    struct pl_trace_info info;
    struct pl_trace_skip skips[8];
    struct pl_error err;
    struct pl_native_block block;
    size_t length;
    uint8_t *bytes = large_file(&flat, false, &length);
    size_t at = find_block(bytes, length, PL_NATIVE_PAGES, 0, &block);
    bytes[at + PL_NATIVE_BLOCK_HEADER] ^= 1;
    assert_int_equal(read_bytes(bytes, length, &strict, &part, &info, skips, &err), PL_ERR_INPUT);
    flat_free(&part);
    assert_int_equal(read_bytes(bytes, length, &skipping, &part, &info, skips, &err), PL_END);
    flat_same(&flat, &part);
    flat_free(&part);
    /* Who does not need it does not look at it. */
    struct pl_trace_options none = {0};
    assert_int_equal(read_bytes(bytes, length, &none, &part, &info, skips, &err), PL_END);
    flat_same(&flat, &part);
    flat_free(&part);
    free(bytes);
    flat_free(&flat);
}

/* Puts a changed header in place, with hashes that hold: what somebody who means harm would do. */
static void reseal(uint8_t *bytes, struct pl_native_block block)
{
    block.payload_hash = pl_xxh64(bytes + PL_NATIVE_BLOCK_HEADER, block.stored, 0);
    pl_native_block_put(&block, bytes);
}

static void lying_headers(void **state)
{
    (void)state;
    struct flat flat, part;
    struct pl_native_block block;
    size_t length;
    for (int pack = 0; pack < 2; pack++) {
        uint8_t *bytes = small_file(&flat, pack, &length);
        size_t at = find_block(bytes, length, PL_NATIVE_TOUCHES, 0, &block);
        uint8_t *copy = malloc(length);
        for (int field = 0; field < 14; field++) {
            struct pl_native_block lie = block;
            switch (field) {
            case 0: lie.count = 65536; break;
            case 1: lie.count = UINT32_MAX; break;
            case 2: lie.controls = 65536; break;
            case 3: lie.controls = UINT32_MAX; break;
            case 4: lie.stored = 8 << 20; break;
            case 5: lie.stored = UINT32_MAX; break;
            case 6: lie.distinct_after = UINT32_MAX; break;
            case 7: lie.distinct_before = UINT32_MAX; break;
            case 8: lie.first_touch = UINT64_MAX; break;
            case 9: lie.raw = 0; break;
            case 10: lie.columns ^= 7; break;
            case 11: lie.coding ^= 1; break;
            case 12: lie.type = PL_NATIVE_PAGES; break;
            default: lie.stored = 0; break;
            }
            memcpy(copy, bytes, length);
            if (lie.stored <= length - at - PL_NATIVE_BLOCK_HEADER)
                reseal(copy + at, lie);
            else
                pl_native_block_put(&lie, copy + at);
            struct pl_trace_info info;
            struct pl_trace_skip skips[8];
            struct pl_error err;
            enum pl_err rc = read_bytes(copy, length, &strict, &part, &info, skips, &err);
            if (rc != PL_ERR_INPUT)
                fail_msg("lie %d, pack %d was believed", field, pack);
            flat_free(&part);
            rc = read_bytes(copy, length, &skipping, &part, &info, skips, &err);
            assert_true(rc == PL_ERR_INPUT || rc == PL_END);
            flat_free(&part);
        }
        free(copy);
        free(bytes);
        flat_free(&flat);
    }
}

/* Random bytes under hashes that hold: decoders meet everything. Pages that come out are below the distinct count. */
static void garbage_payloads(void **state)
{
    (void)state;
    struct flat flat, part;
    size_t length;
    struct pl_random random = pl_random_seeded(4);
    for (int pack = 0; pack < 2; pack++) {
        uint8_t *bytes = small_file(&flat, pack, &length), *copy = malloc(length);
        for (int round = 0; round < 3000; round++) {
            struct pl_native_block block;
            memcpy(copy, bytes, length);
            size_t at = find_block(copy, length, round % 4 ? PL_NATIVE_TOUCHES : PL_NATIVE_PAGES, 0, &block);
            for (uint64_t flips = 1 + pl_random_below(&random, 4); flips > 0; flips--)
                copy[at + PL_NATIVE_BLOCK_HEADER + pl_random_below(&random, block.stored)] =
                    (uint8_t)(round % 2 ? pl_random_next(&random) : 255 * pl_random_below(&random, 2));
            reseal(copy + at, block);
            struct pl_trace_info info;
            struct pl_trace_skip skips[8];
            struct pl_error err;
            enum pl_err rc = read_bytes(copy, length, &strict, &part, &info, skips, &err);
            assert_true(rc == PL_ERR_INPUT || rc == PL_END);
            for (size_t i = 0; i < part.count; i++)
                if (part.page[i] >= part.distinct || part.kind[i] > PL_EXECUTE)
                    fail_msg("round %d let page %u of %u out", round, (unsigned)part.page[i], (unsigned)part.distinct);
            flat_free(&part);
        }
        free(copy);
        free(bytes);
        flat_free(&flat);
    }
}

/* Version 1 does not change: files that were written when it was new read as they did, and the plain one is written with
 * the same bytes, but for the header, which names the program's version. PL_RECORD=1 writes them anew. */
static void golden_bytes(void **state)
{
    (void)state;
    static const char *const names[] = {"native-v1-plain.trace", "native-v1-packed.trace"};
    const char *srcdir = getenv("srcdir");
    for (int pack = 0; pack < 2; pack++) {
        struct flat flat, part;
        struct pl_trace_info info;
        struct pl_trace_skip skips[8];
        struct pl_error err;
        char path[512];
        size_t length, golden_length;
        uint8_t *bytes = small_file(&flat, pack, &length);
        snprintf(path, sizeof path, "%s/tests/unit/%s", srcdir ? srcdir : PL_SOURCE_DIR, names[pack]);
        if (getenv("PL_RECORD"))
            help_spill(path, bytes, length);
        uint8_t *golden = help_slurp(path, &golden_length);
        assert_int_equal(read_bytes(golden, golden_length, &strict, &part, &info, skips, &err), PL_END);
        flat_same(&flat, &part);
        struct pl_native_block block;
        if (!pack) {
            size_t end = find_block(bytes, length, PL_NATIVE_INDEX, 0, &block);
            size_t start = find_block(bytes, length, PL_NATIVE_PAGES, 0, &block);
            size_t golden_start = find_block(golden, golden_length, PL_NATIVE_PAGES, 0, &block);
            assert_memory_equal(bytes + start, golden + golden_start, end - start);
        }
        free(golden);
        free(bytes);
        flat_free(&part);
        flat_free(&flat);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_at_every_byte), cmocka_unit_test(flip_every_byte),  cmocka_unit_test(one_block_lost),
        cmocka_unit_test(order_is_checked),  cmocka_unit_test(lost_dictionary),  cmocka_unit_test(lying_headers),
        cmocka_unit_test(garbage_payloads),  cmocka_unit_test(golden_bytes),
        cmocka_unit_test(numbers_without_holes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
