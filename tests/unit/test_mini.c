/* tests/unit/test_mini.c: how far small simulations are from full ones, on generated traces and real ones.
 *
 * The error is the mean absolute difference of the miss ratio over sizes a factor of two apart, and is held against the
 * mean miss ratio, which is the error of an estimate of nothing. Traces of real programs come from $PAGELAB_CASES, and
 * are skipped without it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "curve/mini.h"
#include "trace/generate.h"

struct loaded {
    pl_page *page;
    uint8_t *kind;
    size_t count;
    uint64_t distinct;
};

static void append(struct loaded *loaded, const struct pl_batch *batch, size_t most)
{
    for (size_t i = 0; i < batch->count && loaded->count < most; i++) {
        loaded->page[loaded->count] = batch->page[i];
        loaded->kind[loaded->count++] = batch->kind ? batch->kind[i] : PL_READ;
    }
    loaded->distinct = batch->distinct;
}

static struct loaded make_room(size_t count)
{
    return (struct loaded){malloc(count * sizeof(pl_page)), malloc(count), 0, 0};
}

static struct loaded generate(const struct pl_generate_part *parts, size_t part_count, size_t count)
{
    struct pl_generate_params params = {
        .parts = parts, .part_count = part_count, .count = count, .seed = 1, .processes = 1, .turn = 1};
    struct loaded loaded = make_room(count);
    struct pl_generator *generator;
    struct pl_batch batch;
    assert_int_equal(pl_generator_create(&params, &generator, NULL), PL_OK);
    while (pl_generator_next(generator, &batch, NULL) == PL_OK)
        append(&loaded, &batch, count);
    pl_generator_free(generator);
    return loaded;
}

static double full_ratio(const struct loaded *loaded, enum pl_simulated policy, uint32_t frames)
{
    struct pl_simulation run;
    assert_int_equal(
        pl_simulate(policy, PL_RULE_DEMAND_ZERO, frames, loaded->page, loaded->kind, loaded->count, &run, NULL), PL_OK);
    return (double)run.reads / (double)loaded->count;
}

static double mini_ratio(const struct loaded *sample, const struct pl_mini *mini, enum pl_simulated policy,
                         uint32_t frames, size_t count)
{
    struct pl_simulation run;
    assert_int_equal(pl_simulate(policy, PL_RULE_DEMAND_ZERO, pl_mini_frames(mini, frames), sample->page, sample->kind,
                                 sample->count, &run, NULL),
                     PL_OK);
    return (double)pl_mini_scale_up(mini, run.reads) / (double)count;
}

/* Over sizes and three samples, by the mean miss ratio. */
static double relative_error(const struct loaded *loaded, enum pl_simulated policy, double rate, const char *name)
{
    double sum = 0, expected = 0;
    int terms = 0;
    struct loaded sample = make_room(loaded->count);
    for (uint32_t frames = (uint32_t)ceil(16 / rate); frames < loaded->distinct; frames *= 2) {
        double full = full_ratio(loaded, policy, frames);
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct pl_mini mini = pl_mini_make(rate, seed);
            sample.count = pl_mini_pick(&mini, loaded->page, loaded->kind, loaded->count, sample.page, sample.kind);
            sum += fabs(mini_ratio(&sample, &mini, policy, frames, loaded->count) - full);
            expected += full;
            terms++;
        }
    }
    free(sample.page);
    free(sample.kind);
    assert_true(terms > 0);
    print_message("%s, %s, rate %g: error of the miss ratio %.5f (mean ratio %.4f)\n", name, pl_simulated_names[policy],
                  rate, sum / terms, expected / terms);
    return sum / expected;
}

static void check_policies(const struct loaded *loaded, double rate, double most, const char *name)
{
    for (int policy = PL_SIMULATED_LRU; policy <= PL_SIMULATED_CLOCKPRO; policy++)
        if (relative_error(loaded, (enum pl_simulated)policy, rate, name) > most)
            fail_msg("%s, %s: more than %g of the mean", name, pl_simulated_names[policy], most);
}

static void unload(struct loaded *loaded)
{
    free(loaded->page);
    free(loaded->kind);
}

static void test_zipf(void **state)
{
    const struct pl_generate_part part = {PL_PATTERN_ZIPF, 50000, 1, 0.9, 0, 0.2};
    struct loaded loaded = generate(&part, 1, 500000);
    check_policies(&loaded, 0.05, 0.08, "zipf");
    unload(&loaded);
}

/* Touches fall off with the distance from the last one, as those of programs do, with a scan in between. */
static void test_local(void **state)
{
    const struct pl_generate_part parts[] = {{PL_PATTERN_EXPONENTIAL, 8000, 30, 0, 900, 0.3},
                                             {PL_PATTERN_SEQUENTIAL, 8000, 1, 0, 0, 0}};
    struct loaded loaded = generate(parts, 2, 400000);
    check_policies(&loaded, 0.1, 0.12, "exponential and a scan");
    unload(&loaded);
}

static void test_etch(void **state)
{
    enum { MOST = 2000000 };
    const char *cases = getenv("PAGELAB_CASES");
    char path[1024];
    if (!cases || !*cases)
        skip();
    snprintf(path, sizeof path, "%s/etch/netscape.bz2", cases);
    struct pl_trace_options options = {.expand_ranges = true};
    struct pl_trace *trace;
    struct pl_batch batch;
    struct loaded loaded = make_room(MOST);
    assert_int_equal(pl_trace_open(path, &options, &trace, NULL), PL_OK);
    while (loaded.count < MOST && pl_trace_next(trace, &batch, NULL) == PL_OK)
        append(&loaded, &batch, MOST);
    pl_trace_close(trace);
    check_policies(&loaded, 0.25, 0.5, "netscape");
    unload(&loaded);
}

/* With rate 1 nothing is left out and nothing scaled. */
static void test_whole(void **state)
{
    const struct pl_generate_part part = {PL_PATTERN_ZIPF, 500, 1, 0.9, 0, 0.2};
    struct loaded loaded = generate(&part, 1, 20000), copy = make_room(20000);
    struct pl_mini mini = pl_mini_make(1, 5);
    assert_int_equal(pl_mini_pick(&mini, loaded.page, loaded.kind, loaded.count, copy.page, copy.kind), loaded.count);
    assert_memory_equal(copy.page, loaded.page, loaded.count * sizeof *copy.page);
    assert_memory_equal(copy.kind, loaded.kind, loaded.count);
    assert_int_equal(pl_mini_frames(&mini, 123), 123);
    assert_int_equal(pl_mini_scale_up(&mini, 77), 77);
    unload(&copy);
    unload(&loaded);
}

/* About the rate's share of the pages, others for another seed, the same for the same. */
static void test_share(void **state)
{
    struct pl_mini a = pl_mini_make(0.1, 1), b = pl_mini_make(0.1, 2);
    int in_a = 0, in_both = 0;
    for (pl_page page = 0; page < 100000; page++) {
        in_a += pl_mini_has(&a, page);
        in_both += pl_mini_has(&a, page) && pl_mini_has(&b, page);
    }
    assert_in_range(in_a, 9600, 10400);
    assert_in_range(in_both, 800, 1200);
    assert_int_equal(pl_mini_frames(&a, 4), 1);
    assert_int_equal(pl_mini_frames(&a, 1000), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zipf),  cmocka_unit_test(test_local), cmocka_unit_test(test_etch),
        cmocka_unit_test(test_whole), cmocka_unit_test(test_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
