/* tests/unit/test_generate.c: generated traces have the distributions that their names promise, and nothing depends on
 * anything but parameters and seed.
 *
 * Frequencies are held to five standard deviations with fixed seeds: a wrong law fails, the right one does not by
 * chance. */
#include "native_help.h"

#include "trace/generate.h"

#include <math.h>

static struct pl_generate_part part(enum pl_pattern pattern, uint64_t pages)
{
    return (struct pl_generate_part){.pattern = pattern, .pages = pages, .weight = 1, .alpha = 0.8, .mean = 40, .writes = 0.25};
}

static struct pl_generate_params params(const struct pl_generate_part *parts, size_t count, uint64_t touches)
{
    return (struct pl_generate_params){.parts = parts, .part_count = count, .count = touches, .seed = 5, .processes = 1, .turn = 1000};
}

/* Runs a generator to its end; origins[] gets process and number of every touch. */
static struct flat run(const struct pl_generate_params *given, struct pl_page_origin *origins)
{
    struct pl_error err = {PL_OK, ""};
    struct pl_generator *generator;
    struct flat flat = {0};
    struct pl_batch batch;
    struct pl_page_origin *by_page = calloc(100000, sizeof *by_page);
    uint32_t next = 0;
    if (pl_generator_create(given, &generator, &err))
        fail_msg("%s", err.message);
    while (pl_generator_next(generator, &batch, &err) == PL_OK) {
        assert_true(pl_native_check_batch(pl_native_kernels(true), &batch, &next));
        assert_int_equal(next, batch.distinct);
        for (uint64_t page = flat.distinct; page < batch.distinct; page++)
            by_page[page] = pl_generator_origin(generator, (pl_page)page);
        for (size_t i = 0; origins && i < batch.count; i++)
            origins[flat.count + i] = by_page[batch.page[i]];
        flat_append(&flat, &batch);
    }
    assert_int_equal(flat.count, given->count);
    pl_generator_free(generator);
    free(by_page);
    return flat;
}

static void near(double got, double probability, double draws)
{
    const double sigma = sqrt(draws * probability * (1 - probability)) + 1e-9;
    if (fabs(got - draws * probability) > 5 * sigma + 1)
        fail_msg("%.0f of %.0f draws; %.1f were expected, give or take %.1f", got, draws, draws * probability, sigma);
}

static void zipf_law(void **state)
{
    (void)state;
    static const struct {
        uint64_t count;
        double alpha;
    } laws[] = {{1, 1}, {2, 0}, {30, 1}, {1000, 0}, {5000, 0.6}, {100000, 1}, {1000000, 1.3}, {3000000, 0.9}};
    enum { DRAWS = 400000, SPANS = 24 };
    for (size_t i = 0; i < PL_COUNT_OF(laws); i++) {
        const uint64_t count = laws[i].count;
        struct pl_zipf *zipf;
        struct pl_random random = pl_random_seeded(i);
        /* Spans of ranks, each half as long again as the one before, and their exact masses. */
        uint64_t ends[64], spans = 0;
        double mass[64] = {0}, total = 0, hits[64] = {0};
        for (double end = 1; spans == 0 || ends[spans - 1] < count; end = end * 1.5 + 1)
            ends[spans++] = end < (double)count ? (uint64_t)end : count;
        for (uint64_t rank = 0, span = 0; rank < count; rank++) {
            while (rank >= ends[span])
                span++;
            mass[span] += pow((double)rank + 1, -laws[i].alpha);
        }
        for (uint64_t span = 0; span < spans; span++)
            total += mass[span];
        assert_int_equal(pl_zipf_create(count, laws[i].alpha, &zipf, NULL), PL_OK);
        for (int draw = 0; draw < DRAWS; draw++) {
            uint64_t rank = pl_zipf_draw(zipf, &random), span = 0;
            assert_true(rank < count);
            while (rank >= ends[span])
                span++;
            hits[span]++;
        }
        for (uint64_t span = 0; span < spans; span++)
            near(hits[span], mass[span] / total, DRAWS);
        pl_zipf_free(zipf);
    }
}

/* Every rank by itself, also where ranks share a bucket. */
static void zipf_single_ranks(void **state)
{
    (void)state;
    enum { COUNT = 3000, DRAWS = 3000000 };
    struct pl_zipf *zipf;
    struct pl_random random = pl_random_seeded(99);
    double *hits = calloc(COUNT, sizeof *hits), total = 0, chi = 0;
    assert_int_equal(pl_zipf_create(COUNT, 0.5, &zipf, NULL), PL_OK);
    for (int i = 0; i < DRAWS; i++)
        hits[pl_zipf_draw(zipf, &random)]++;
    for (int i = 0; i < COUNT; i++)
        total += pow(i + 1, -0.5);
    for (int i = 0; i < COUNT; i++) {
        double expected = DRAWS * pow(i + 1, -0.5) / total;
        chi += (hits[i] - expected) * (hits[i] - expected) / expected;
    }
    /* Chi square with 2,999 degrees of freedom: mean 2,999, standard deviation 77. */
    assert_true(fabs(chi - (COUNT - 1)) < 5 * sqrt(2.0 * COUNT));
    free(hits);
    pl_zipf_free(zipf);
}

static void stack_lifts(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 2, 1023, 1024, 1025, 5000};
    for (size_t i = 0; i < PL_COUNT_OF(sizes); i++) {
        struct pl_stack *stack;
        struct pl_random random = pl_random_seeded(i);
        uint32_t *plain = calloc(sizes[i], sizeof *plain);
        for (uint32_t j = 0; j < sizes[i]; j++)
            plain[j] = j;
        assert_int_equal(pl_stack_create(sizes[i], &stack, NULL), PL_OK);
        for (int round = 0; round < 20000; round++) {
            uint64_t depth = pl_random_below(&random, round % 2 ? sizes[i] : 1 + sizes[i] / 10);
            uint32_t item = plain[depth];
            memmove(plain + 1, plain, depth * sizeof *plain);
            plain[0] = item;
            if (pl_stack_lift(stack, depth) != item)
                fail_msg("size %d, round %d", (int)sizes[i], round);
        }
        free(plain);
        pl_stack_free(stack);
    }
}

/* Under LRU with m pages a touch misses with probability e^(-m / mean), cut at `pages`: measured with a plain list. */
static void exponential_law(void **state)
{
    (void)state;
    enum { PAGES = 300, TOUCHES = 200000 };
    struct pl_generate_part one = part(PL_PATTERN_EXPONENTIAL, PAGES);
    struct pl_generate_params given = params(&one, 1, TOUCHES);
    struct pl_page_origin *origins = calloc(TOUCHES, sizeof *origins);
    struct flat flat = run(&given, origins);
    uint64_t list[PAGES];
    double misses[PAGES] = {0};
    for (uint64_t i = 0; i < PAGES; i++)
        list[i] = i;
    for (int i = 0; i < TOUCHES; i++) {
        int depth = 0;
        while (list[depth] != origins[i].number)
            depth++;
        memmove(list + 1, list, (size_t)depth * sizeof *list);
        list[0] = origins[i].number;
        for (int m = 0; m <= depth; m++)
            misses[m]++;
    }
    const double cut = exp(-PAGES / 40.0);
    for (int m = 0; m < PAGES; m += 7)
        near(misses[m], (exp(-m / 40.0) - cut) / (1 - cut), TOUCHES);
    free(origins);
    flat_free(&flat);
}

static void plain_patterns(void **state)
{
    (void)state;
    enum { TOUCHES = 150000 };
    struct pl_page_origin *origins = calloc(TOUCHES, sizeof *origins);
    struct pl_generate_part one = part(PL_PATTERN_LOOP, 700);
    struct pl_generate_params given = params(&one, 1, TOUCHES);
    struct flat flat = run(&given, origins);
    double writes = 0;
    for (int i = 0; i < TOUCHES; i++) {
        assert_int_equal(origins[i].number, i % 700);
        assert_int_equal(origins[i].process, 0);
        writes += flat.kind[i] == PL_WRITE;
    }
    near(writes, 0.25, TOUCHES);
    flat_free(&flat);

    one = part(PL_PATTERN_SEQUENTIAL, 700);
    flat = run(&given, origins);
    int touches[700] = {0};
    for (int i = 0; i < TOUCHES; i++) {
        assert_true(i == 0 ? origins[i].number == 0 : origins[i].number - origins[i - 1].number <= 1);
        touches[origins[i].number]++;
    }
    for (int i = 0; i < 700; i++)
        assert_in_range(touches[i], TOUCHES / 700, TOUCHES / 700 + 1);
    flat_free(&flat);

    one = part(PL_PATTERN_UNIFORM, 10);
    one.writes = 1;
    flat = run(&given, origins);
    double hits[10] = {0};
    for (int i = 0; i < TOUCHES; i++) {
        hits[origins[i].number]++;
        assert_int_equal(flat.kind[i], PL_WRITE);
    }
    for (int i = 0; i < 10; i++)
        near(hits[i], 0.1, TOUCHES);
    flat_free(&flat);
    free(origins);
}

static void mixtures_and_phases(void **state)
{
    (void)state;
    enum { TOUCHES = 200000 };
    struct pl_page_origin *origins = calloc(TOUCHES, sizeof *origins);
    struct pl_generate_part parts[3] = {part(PL_PATTERN_ZIPF, 100), part(PL_PATTERN_LOOP, 50), part(PL_PATTERN_UNIFORM, 30)};
    parts[0].weight = 3;
    parts[1].weight = 2;
    struct pl_generate_params given = params(parts, 3, TOUCHES);
    struct flat flat = run(&given, origins);
    double from_loop = 0, from_uniform = 0;
    uint64_t next = 0;
    for (int i = 0; i < TOUCHES; i++) {
        uint64_t number = origins[i].number;
        from_uniform += number >= 150;
        if (number >= 100 && number < 150) {
            assert_int_equal(number - 100, next++ % 50); /* the loop goes on where it was */
            from_loop++;
        }
    }
    near(from_loop, 2.0 / 6, TOUCHES);
    near(from_uniform, 1.0 / 6, TOUCHES);
    assert_int_equal(flat.control_count, 0);
    flat_free(&flat);

    given.phases = true;
    flat = run(&given, origins);
    static const uint64_t starts[] = {0, TOUCHES / 2, TOUCHES / 6 * 5 + 1};
    static const char *const names[] = {"zipf", "loop", "uniform"};
    assert_int_equal(flat.control_count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(flat.control[i].op, PL_OP_PHASE);
        assert_string_equal(flat.control[i].text, names[i]);
        assert_in_range(flat.place[i], starts[i], starts[i] + 2);
    }
    for (uint64_t i = 0; i < TOUCHES; i++) {
        uint64_t number = origins[i].number;
        int phase = number >= 150 ? 2 : number >= 100 ? 1 : 0;
        assert_true(i >= flat.place[phase] && (phase == 2 || i < flat.place[phase + 1]));
    }
    flat_free(&flat);
    free(origins);
}

static void processes_take_turns(void **state)
{
    (void)state;
    enum { TOUCHES = 100000 };
    struct pl_page_origin *origins = calloc(TOUCHES, sizeof *origins);
    struct pl_generate_part parts[2] = {part(PL_PATTERN_LOOP, 10), part(PL_PATTERN_ZIPF, 40)};
    struct pl_generate_params given = params(parts, 2, TOUCHES);
    given.processes = 3;
    given.turn = 777;
    struct flat flat = run(&given, origins);
    for (uint64_t i = 0; i < TOUCHES; i++) {
        assert_int_equal(origins[i].process, i / 777 % 3 + 1);
        assert_true(origins[i].number < 50);
    }
    assert_int_equal(flat.control_count, (TOUCHES + 776) / 777);
    for (size_t i = 0; i < flat.control_count; i++) {
        assert_int_equal(flat.control[i].op, PL_OP_SWITCH);
        assert_int_equal(flat.control[i].a, i % 3 + 1);
        assert_int_equal(flat.control[i].actor, i % 3);
        assert_int_equal(flat.place[i], 777 * i);
    }
    assert_int_equal(flat.distinct, 150);
    flat_free(&flat);
    free(origins);
}

static void only_the_seed_decides(void **state)
{
    (void)state;
    for (int pattern = 0; pl_pattern_names[pattern]; pattern++) {
        struct pl_generate_part one = part((enum pl_pattern)pattern, 500);
        struct pl_generate_params given = params(&one, 1, 70000);
        struct flat a = run(&given, NULL), b = run(&given, NULL);
        flat_same(&a, &b);
        given.seed++;
        struct flat c = run(&given, NULL);
        assert_int_not_equal(memcmp(a.kind, c.kind, a.count), 0);
        /* A second part leaves the draws of the first alone. */
        struct pl_generate_part two[2] = {one, part(PL_PATTERN_UNIFORM, 9)};
        given = params(two, 2, 70000);
        given.phases = true;
        struct flat d = run(&given, NULL);
        if (pattern != PL_PATTERN_SEQUENTIAL) /* which spreads over its own share */
            assert_memory_equal(a.page, d.page, 35000 * sizeof *a.page);
        flat_free(&a);
        flat_free(&b);
        flat_free(&c);
        flat_free(&d);
    }
}

static void bad_parameters(void **state)
{
    (void)state;
    struct pl_generate_part good = part(PL_PATTERN_ZIPF, 10), bad[6];
    for (size_t i = 0; i < PL_COUNT_OF(bad); i++)
        bad[i] = good;
    bad[0].pages = 0;
    bad[1].weight = 0;
    bad[2].writes = 1.5;
    bad[3].alpha = NAN;
    bad[4].pages = UINT64_C(1) << 40;
    bad[5].pattern = PL_PATTERN_EXPONENTIAL;
    bad[5].mean = -1;
    for (size_t i = 0; i < PL_COUNT_OF(bad); i++) {
        struct pl_generator *generator;
        struct pl_generate_params given = params(&bad[i], 1, 10);
        assert_int_equal(pl_generator_create(&given, &generator, NULL), PL_ERR_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zipf_law),            cmocka_unit_test(zipf_single_ranks),
        cmocka_unit_test(stack_lifts),         cmocka_unit_test(exponential_law),
        cmocka_unit_test(plain_patterns),      cmocka_unit_test(mixtures_and_phases),
        cmocka_unit_test(processes_take_turns), cmocka_unit_test(only_the_seed_decides),
        cmocka_unit_test(bad_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
