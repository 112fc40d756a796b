/* What objects cost in each organisation: the kernel's class tables, cases by hand, and random lives against plain
 * book-keeping. */
#include "base/random.h"
#include "store/space.h"
#include "store/zsmalloc_classes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct pl_space *make(const char *name, struct pl_space_params params)
{
    const struct pl_space_ops *ops = NULL;
    struct pl_space *space = NULL;
    if (!params.page_size)
        params.page_size = 4096;
    assert_int_equal(pl_space_find(name, &ops, NULL), PL_OK);
    assert_int_equal(pl_space_create(ops, &params, &space, NULL), PL_OK);
    return space;
}

static uint32_t put(struct pl_space *space, uint32_t size)
{
    uint32_t slot = 0;
    assert_int_equal(pl_space_insert(space, size, &slot, NULL), PL_OK);
    return slot;
}

/* The table of the kernel's documentation (mm/zsmalloc): clusters and huge watermark by the longest chain. */
static void test_kernel_table(void **state)
{
    static const struct {
        uint32_t chain, clusters, watermark;
    } rows[] = {
        {4, 69, 3264},   {5, 86, 3408},   {6, 93, 3504},   {7, 112, 3584},  {8, 123, 3632},
        {9, 140, 3680},  {10, 143, 3712}, {11, 159, 3744}, {12, 164, 3776}, {13, 180, 3792},
        {14, 183, 3808}, {15, 188, 3840}, {16, 191, 3840},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_zs_classes classes;
        pl_zs_classes_make(4096, rows[i].chain, PL_ZS_MOST_USED, &classes);
        assert_int_equal(classes.count, rows[i].clusters);
        assert_int_equal(classes.watermark, rows[i].watermark);
        /* What is stored raw does not depend on the rule. */
        pl_zs_classes_make(4096, rows[i].chain, PL_ZS_LEAST_WASTE, &classes);
        assert_int_equal(classes.watermark, rows[i].watermark);
    }
}

/* Pages that Linux 6.18 (chains of 8) took on a zram device for 1000 pages of equal compressed size: where the two
 * rules differ, the kernel's is the one of least waste. */
static void test_running_kernel(void **state)
{
    static const struct {
        uint32_t object, pages;
    } rows[] = {{122, 42}, {196, 51}, {420, 112}, {680, 176}, {1385, 352}};
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++)
        for (int rule = PL_ZS_LEAST_WASTE; rule <= PL_ZS_MOST_USED; rule++) {
            struct pl_space *space = make("zsmalloc", (struct pl_space_params){.chain_rule = (enum pl_zs_rule)rule});
            for (int k = 0; k < 1000; k++)
                put(space, rows[i].object);
            assert_int_equal(pl_space_used_bytes(space) == rows[i].pages * 4096u, rule == PL_ZS_LEAST_WASTE);
            pl_space_destroy(space);
        }
}

/* Every size goes to the smallest class that holds it, and classes use their pages. */
static void test_class_of(void **state)
{
    struct pl_zs_classes classes;
    pl_zs_classes_make(4096, 8, PL_ZS_LEAST_WASTE, &classes);
    for (uint32_t size = 1; size <= 4096; size++) {
        uint32_t c = pl_zs_class_of(&classes, size);
        const struct pl_zs_class *class = &classes.cluster[c];
        assert_true(class->size >= size);
        assert_true(c + 1 == classes.count || classes.cluster[c + 1].size < size);
        assert_int_equal(class->objects, class->pages * 4096 / class->size);
        assert_true(class->pages >= 1 && class->pages <= 8);
    }
}

/* The documentation's example: 13 objects of class size 1568 take 6 pages with chains of 4, where they share a
 * class with larger ones, and 5 with longer chains. */
static void test_thirteen_objects(void **state)
{
    for (uint32_t chain = 4; chain <= 8; chain++) {
        struct pl_space *space = make("zsmalloc", (struct pl_space_params){.chain_pages = chain, .chain_rule = PL_ZS_MOST_USED});
        for (int i = 0; i < 13; i++)
            put(space, 1568 - 8);
        assert_int_equal(pl_space_used_bytes(space), (chain == 4 ? 6 : 5) * 4096);
        pl_space_destroy(space);
    }
}

/* zram stores raw what would leave the classes that share: 3257 and more with chains of 4. */
static void test_raw_from(void **state)
{
    struct pl_space *space = make("zsmalloc", (struct pl_space_params){.chain_pages = 4});
    assert_int_equal(space->raw_from, 3257);
    put(space, 3256);
    assert_int_equal(pl_space_used_bytes(space), 4 * 4096); /* five objects in four pages */
    for (int i = 0; i < 4; i++)
        put(space, 3256);
    assert_int_equal(pl_space_used_bytes(space), 4 * 4096);
    put(space, 3257);
    assert_int_equal(pl_space_used_bytes(space), 5 * 4096);
    pl_space_destroy(space);
    space = make("zbud", (struct pl_space_params){0});
    assert_int_equal(space->largest_object, 4096 - 128);
    pl_space_destroy(space);
}

/* 3334 bytes are 209 chunks; 39 of them go into 8192, and leave a tail of 41. */
static void test_regions_by_hand(void **state)
{
    struct pl_space *space = make("regions", (struct pl_space_params){0});
    uint32_t slot[80];
    for (int i = 0; i < 78; i++) {
        slot[i] = put(space, 3334);
        uint64_t written = (uint64_t)(i % 39 + 1) * 209 * 16; /* in the region being filled, in pages */
        assert_int_equal(pl_space_used_bytes(space), i / 39 * 131072 + (written + 4095) / 4096 * 4096);
    }
    struct pl_space_usage usage = pl_space_usage(space);
    assert_int_equal(usage.units, 2);
    assert_int_equal(usage.unit_bytes_free, 2 * 131072 - 78 * 209 * 16);
    /* Holes are not filled again, but small objects fit the tail of the region being filled. */
    pl_space_remove(space, slot[3], 3334);
    slot[78] = put(space, 41 * 16);
    assert_int_equal(pl_space_used_bytes(space), 2 * 131072);
    slot[79] = put(space, 16);
    assert_int_equal(pl_space_used_bytes(space), 2 * 131072 + 4096);
    /* A region goes with its last object. */
    for (int i = 0; i < 39; i++)
        if (i != 3)
            pl_space_remove(space, slot[i], 3334);
    assert_int_equal(pl_space_used_bytes(space), 131072 + 4096);
    pl_space_destroy(space);
}

/* What an organisation says beforehand of an object is what it then grows by; a compaction frees what it says. */
static void test_growth_is_told(void **state)
{
    for (size_t s = 0; pl_spaces[s]; s++) {
        struct pl_space *space = make(pl_spaces[s]->name, (struct pl_space_params){.region_bytes = 16384});
        struct pl_random random = pl_random_seeded(7 + s);
        uint32_t slot[300], size[300] = {0};
        for (int step = 0; step < 20000; step++) {
            uint64_t i = pl_random_below(&random, 300), before = pl_space_used_bytes(space);
            if (size[i]) {
                pl_space_remove(space, slot[i], size[i]);
                size[i] = 0;
                continue;
            }
            size[i] = 1 + (uint32_t)pl_random_below(&random, space->largest_object);
            uint64_t grows = pl_space_grows_by(space, size[i]);
            slot[i] = put(space, size[i]);
            assert_int_equal(pl_space_used_bytes(space), before + grows);
            if (step % 500 == 499) {
                before = pl_space_used_bytes(space);
                uint64_t freed = pl_space_compact(space).bytes_freed;
                assert_int_equal(before - freed, pl_space_used_bytes(space));
            }
        }
        for (int i = 0; i < 300; i++)
            if (size[i])
                pl_space_remove(space, slot[i], size[i]);
        assert_int_equal(pl_space_used_bytes(space), 0);
        pl_space_destroy(space);
    }
}

static void test_regions_compact(void **state)
{
    struct pl_space *space = make("regions", (struct pl_space_params){0});
    uint32_t slot[390];
    for (int i = 0; i < 390; i++)
        slot[i] = put(space, 3334);
    assert_int_equal(pl_space_usage(space).units, 10);
    for (int i = 0; i < 390; i++)
        if (i % 3)
            pl_space_remove(space, slot[i], 3334);
    assert_int_equal(pl_space_usage(space).units, 10);
    struct pl_compaction done = pl_space_compact(space);
    /* Nine regions of 13 objects each move into three; the one being filled stays. */
    assert_int_equal(done.objects_moved, 9 * 13);
    assert_int_equal(done.bytes_moved, 9 * 13 * 209 * 16);
    assert_int_equal(done.bytes_freed, 6 * 131072);
    assert_int_equal(pl_space_usage(space).units, 4);
    assert_int_equal(pl_space_compact(space).objects_moved, 0);
    for (int i = 0; i < 390; i += 3)
        pl_space_remove(space, slot[i], 3334);
    assert_int_equal(pl_space_used_bytes(space), 0);
    pl_space_destroy(space);
}

/* 63 chunks of 64 bytes: 31 and 32 share a page, 32 and 32 do not. */
static void test_buddies_by_hand(void **state)
{
    struct pl_space *space = make("zbud", (struct pl_space_params){0});
    put(space, 31 * 64);
    put(space, 32 * 64);
    assert_int_equal(pl_space_used_bytes(space), 4096);
    put(space, 32 * 64);
    put(space, 31 * 64 + 1);
    assert_int_equal(pl_space_used_bytes(space), 3 * 4096);
    put(space, 64); /* beside one of the two, although four would fit */
    put(space, 64);
    put(space, 64);
    assert_int_equal(pl_space_used_bytes(space), 4 * 4096);
    pl_space_destroy(space);

    space = make("z3fold", (struct pl_space_params){0});
    for (int i = 0; i < 3; i++)
        put(space, 21 * 64);
    assert_int_equal(pl_space_used_bytes(space), 4096);
    put(space, 1);
    assert_int_equal(pl_space_used_bytes(space), 2 * 4096);
    pl_space_destroy(space);
}

enum { LIVES = 3000 };

struct life {
    uint32_t slot, size; /* size 0: free */
};

static void check_usage(const struct pl_space *space, const struct life *life, double most_per_unit)
{
    uint64_t objects = 0, bytes = 0;
    for (size_t i = 0; i < LIVES; i++) {
        objects += life[i].size != 0;
        bytes += life[i].size;
    }
    struct pl_space_usage usage = pl_space_usage(space);
    assert_int_equal(usage.objects, objects);
    assert_int_equal(usage.object_bytes, bytes);
    assert_true(usage.used_bytes >= bytes);
    assert_true(usage.unit_bytes_free <= usage.used_bytes);
    assert_true((usage.used_bytes == 0) == (objects == 0));
    if (most_per_unit > 0)
        assert_true((double)objects <= most_per_unit * (double)usage.units);
}

/* Objects come and go at random, with compactions between; at the end nothing is left. */
static void test_random_lives(void **state)
{
    static struct life life[LIVES];
    for (size_t k = 0; pl_spaces[k]; k++) {
        struct pl_space *space = make(pl_spaces[k]->name, (struct pl_space_params){0});
        struct pl_random random = pl_random_named(4, "lives");
        double most = !strcmp(pl_spaces[k]->name, "zbud") ? 2 : !strcmp(pl_spaces[k]->name, "z3fold") ? 3 : 0;
        memset(life, 0, sizeof(life));
        for (int step = 0; step < 60000; step++) {
            struct life *one = &life[pl_random_below(&random, LIVES)];
            bool shrinking = step / 10000 % 2;
            if (one->size) {
                pl_space_remove(space, one->slot, one->size);
                one->size = 0;
            } else if (!shrinking || pl_random_below(&random, 4) == 0) {
                one->size = 1 + (uint32_t)pl_random_below(&random, space->largest_object);
                one->slot = put(space, one->size);
            }
            if (step % 5000 == 4999) {
                uint64_t before = pl_space_used_bytes(space);
                struct pl_compaction done = pl_space_compact(space);
                assert_int_equal(pl_space_used_bytes(space), before - done.bytes_freed);
                check_usage(space, life, most);
            }
        }
        for (size_t i = 0; i < LIVES; i++)
            if (life[i].size) {
                pl_space_remove(space, life[i].slot, life[i].size);
                life[i].size = 0;
            }
        check_usage(space, life, 0);
        pl_space_destroy(space);
    }
}

/* After compaction each class of zsmalloc has less than one zspage of holes. */
static void test_zsmalloc_compact(void **state)
{
    struct pl_space *space = make("zsmalloc", (struct pl_space_params){0});
    struct pl_random random = pl_random_named(5, "compact");
    static uint32_t slot[20000], size[20000];
    for (size_t i = 0; i < PL_COUNT_OF(slot); i++) {
        size[i] = 32 + 16 * (uint32_t)pl_random_below(&random, 200) - 8;
        slot[i] = put(space, size[i]);
    }
    for (size_t i = 0; i < PL_COUNT_OF(slot); i++)
        if (pl_random_below(&random, 4)) {
            pl_space_remove(space, slot[i], size[i]);
            size[i] = 0;
        }
    uint64_t before = pl_space_used_bytes(space);
    struct pl_compaction done = pl_space_compact(space);
    assert_true(done.bytes_freed > before / 3);
    assert_int_equal(pl_space_used_bytes(space), before - done.bytes_freed);
    struct pl_zs_classes classes;
    pl_zs_classes_make(4096, 8, PL_ZS_LEAST_WASTE, &classes);
    uint64_t pages = 0;
    for (uint32_t c = 0; c < classes.count; c++) {
        uint64_t objects = 0;
        for (size_t i = 0; i < PL_COUNT_OF(slot); i++)
            objects += size[i] && pl_zs_class_of(&classes, size[i] + 8) == c;
        pages += (objects + classes.cluster[c].objects - 1) / classes.cluster[c].objects * classes.cluster[c].pages;
    }
    assert_int_equal(pl_space_used_bytes(space), pages * 4096);
    pl_space_destroy(space);
}

static void test_bad_parameters(void **state)
{
    const struct pl_space_ops *ops = NULL;
    struct pl_space *space = NULL;
    struct pl_error err;
    assert_int_equal(pl_space_find("zmalloc", &ops, &err), PL_ERR_INPUT);
    assert_non_null(strstr(err.message, "zsmalloc"));
    static const struct {
        const char *name;
        struct pl_space_params params;
    } bad[] = {
        {"ideal", {.page_size = 0}},
        {"ideal", {.page_size = 4095}},
        {"zsmalloc", {.page_size = 4096, .chain_pages = 17}},
        {"regions", {.page_size = 4096, .chunk_bytes = 24}},
        {"regions", {.page_size = 4096, .region_bytes = 2048}},
        {"regions", {.page_size = 4096, .region_bytes = 131080}},
    };
    for (size_t i = 0; i < PL_COUNT_OF(bad); i++) {
        assert_int_equal(pl_space_find(bad[i].name, &ops, NULL), PL_OK);
        assert_int_equal(pl_space_create(ops, &bad[i].params, &space, &err), PL_ERR_USAGE);
        assert_null(space);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel_table),    cmocka_unit_test(test_running_kernel),
        cmocka_unit_test(test_class_of),
        cmocka_unit_test(test_thirteen_objects), cmocka_unit_test(test_raw_from),
        cmocka_unit_test(test_regions_by_hand), cmocka_unit_test(test_growth_is_told),
        cmocka_unit_test(test_regions_compact),
        cmocka_unit_test(test_buddies_by_hand), cmocka_unit_test(test_random_lives),
        cmocka_unit_test(test_zsmalloc_compact), cmocka_unit_test(test_bad_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
