/* tests/bench/bench_sample.c: how fast and how far off sampled curves are, and how well they know.
 *
 *   bench_sample                 what is asked of them: speed, error and memory; then six traces, 5 samples of each
 *   bench_sample SEEDS           six traces (netscape, powerpoint and gcc of $PAGELAB_CASES), SEEDS samples of each
 *   bench_sample SEEDS others    other generated traces
 *   bench_sample SEEDS RATE FILE
 *
 * For memories of 1, 1.2, 1.44 ... pages up to the footprint: how often the true count lies within the error given, and
 * the mean error given over the mean error made, for reads and for write-backs. Were errors normal and known, 90 %
 * covered would come to 2.06, 95 % to 2.46. `off` is the mean error made, in percent of all touches. */
#include "bench_touches.h"
#include "curve/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 5, FIXED_PAGES = 8192, SMALL_PAGES = 256 };

struct score {
    double sizes, covered[2], given[2], made[2]; /* reads, writes */
    double pages;
};

static struct pl_curve_result exact_curve(const struct touches *touches)
{
    struct pl_curve_params params = {.threads = 1};
    struct pl_curve *curve;
    struct pl_curve_result result;
    if (pl_curve_create(&params, &curve, NULL) ||
        pl_curve_feed(curve, touches->page, touches->kind, touches->count, NULL) ||
        pl_curve_finish(curve, &result, NULL))
        exit(3);
    return result;
}

static void add(struct score *score, int what, double estimate, double error, uint64_t exact)
{
    double off = fabs(estimate - (double)exact);
    score->covered[what] += off <= error;
    score->given[what] += error;
    score->made[what] += off;
}

static void score_sample(const struct touches *touches, const struct pl_curve_result *exact, double rate, uint64_t seed,
                         struct score *score)
{
    struct pl_sample_params params = {.rate = rate, .seed = seed, .dense = true};
    struct pl_sample *sample;
    if (pl_sample_create(&params, &sample, NULL) ||
        pl_sample_feed(sample, touches->page, touches->kind, touches->count, NULL) || pl_sample_end(sample, NULL))
        exit(3);
    uint64_t former = 0;
    for (double size = 1; size < (double)exact->depth; size *= 1.2) {
        uint64_t m = (uint64_t)size;
        if (m == former)
            continue;
        former = m;
        struct pl_estimate at = pl_sample_at(sample, m);
        add(score, 0, at.reads, at.reads_error, exact->reads[m]);
        add(score, 1, at.writes, at.writes_error, exact->writes[m]);
        score->sizes++;
    }
    score->pages += (double)pl_sample_facts(sample).sampled_pages;
    pl_sample_free(sample);
}

static void print(const char *name, const struct score *score, uint64_t seeds, double touches)
{
    printf("%-14s %7.0f pages", name, score->pages / (double)seeds);
    for (int what = 0; what < 2; what++)
        printf("   %s %5.1f %% covered, given/made %4.2f, off %.3f %%", what ? "writes" : "reads",
               100 * score->covered[what] / score->sizes, score->given[what] / score->made[what],
               100 * score->made[what] / score->sizes / touches);
    printf("\n");
    fflush(stdout);
}

static void bench(const char *name, struct touches touches, double rate, uint64_t seeds, struct score *all)
{
    struct pl_curve_result exact = exact_curve(&touches);
    struct score score = {0};
    for (uint64_t seed = 1; seed <= seeds; seed++)
        score_sample(&touches, &exact, rate, seed, &score);
    print(name, &score, seeds, (double)touches.count);
    all->sizes += score.sizes;
    for (int what = 0; what < 2; what++) { /* each trace counts alike, whatever its length */
        all->covered[what] += score.covered[what];
        all->given[what] += score.given[what] / (double)touches.count;
        all->made[what] += score.made[what] / (double)touches.count;
    }
    all->pages += score.pages;
    pl_curve_result_free(&exact);
    bench_touches_free(&touches);
}

static void bench_case(const char *file, double rate, uint64_t seeds, struct score *all)
{
    char path[1024];
    const char *cases = getenv("PAGELAB_CASES");
    if (!cases || !*cases) {
        printf("%-14s skipped: PAGELAB_CASES is not set\n", file);
        return;
    }
    snprintf(path, sizeof path, "%s/%s", cases, file);
    bench(strchr(file, '/') + 1, bench_read(path), rate, seeds, all);
}

static void bench_made(const char *name, struct pl_generate_part one, struct pl_generate_part two, bool phases,
                       double rate, uint64_t seeds, struct score *all)
{
    struct pl_generate_part parts[] = {one, two};
    struct pl_generate_params params = {.parts = parts, .part_count = two.pages ? 2 : 1, .phases = phases,
                                        .count = 10000000, .seed = 1, .processes = 1, .turn = 1};
    bench(name, bench_generate(&params), rate, seeds, all);
}

/* --- what is asked of them --------------------------------------------------------------------------------------- */

static struct pl_sample *sample_of(const struct touches *touches, struct pl_sample_params params)
{
    struct pl_sample *sample;
    params.dense = true;
    if (pl_sample_create(&params, &sample, NULL) ||
        pl_sample_feed(sample, touches->page, touches->kind, touches->count, NULL) || pl_sample_end(sample, NULL))
        exit(3);
    return sample;
}

/* M touches/s of a sample from a native file, from opening it to the end. */
static double native_speed(const char *path, double rate, double millions)
{
    struct pl_sample_params params = {.rate = rate, .seed = 1, .dense = true};
    struct pl_sample *sample;
    struct pl_trace *trace;
    struct pl_batch batch;
    double begin = bench_seconds(CLOCK_MONOTONIC);
    enum pl_err rc = pl_trace_open(path, NULL, &trace, NULL);
    if (rc || pl_sample_create(&params, &sample, NULL))
        exit(3);
    while ((rc = pl_trace_next(trace, &batch, NULL)) == PL_OK)
        if (pl_sample_feed(sample, batch.page, batch.kind, batch.count, NULL))
            exit(3);
    if (rc != PL_END || pl_sample_end(sample, NULL))
        exit(3);
    pl_trace_close(trace);
    pl_sample_free(sample);
    return millions / (bench_seconds(CLOCK_MONOTONIC) - begin);
}

/* Mean absolute error of the miss ratio over log-spaced sizes up to `limit`; *zero is what predicting zero makes. */
static double mean_error(const struct touches *touches, const struct pl_curve_result *exact, struct pl_sample *sample,
                         double limit, double *zero)
{
    double off = 0, sizes = 0;
    uint64_t former = 0;
    *zero = 0;
    for (double size = 1; size <= limit && size < (double)exact->depth; size *= 1.2) {
        uint64_t m = (uint64_t)size;
        if (m == former)
            continue;
        former = m;
        off += fabs(pl_sample_at(sample, m).reads - (double)exact->reads[m]);
        *zero += (double)exact->reads[m];
        sizes++;
    }
    *zero /= sizes * (double)touches->count;
    return off / sizes / (double)touches->count;
}

static void bench_zipf_targets(void)
{
    struct touches touches = bench_zipf(1000000, 100000000, 0.9);
    struct pl_curve_result exact = exact_curve(&touches);
    struct pl_sample *fixed_rate = sample_of(&touches, (struct pl_sample_params){.rate = 0.01, .seed = 1});
    struct pl_sample *fixed_size =
        sample_of(&touches, (struct pl_sample_params){.rate = 1, .pages_max = FIXED_PAGES, .seed = 1});
    char *path = bench_write_native(&touches);
    double speeds[RUNS], zero;
    for (int r = 0; r < RUNS; r++)
        speeds[r] = native_speed(path, 0.01, (double)touches.count / 1e6);
    unlink(path);
    free(path);
    double off = mean_error(&touches, &exact, fixed_rate, INFINITY, &zero);
    printf("zipf-1m rate 0.01: %.0f M/s from a native file, mean error of the miss ratio %.4f\n",
           bench_median(speeds, RUNS), off);
    off = mean_error(&touches, &exact, fixed_size, INFINITY, &zero);
    printf("zipf-1m %d pages: %.2f MB of tables, mean error of the miss ratio %.4f\n", FIXED_PAGES,
           (double)pl_sample_facts(fixed_size).bytes / 1e6, off);
    pl_sample_free(fixed_rate);
    pl_sample_free(fixed_size);
    pl_curve_result_free(&exact);
    bench_touches_free(&touches);
}

/* Five seeds, each by itself: a mean of estimates would hide how far off one of them is. */
static void bench_etch_target(const char *name)
{
    char path[1024];
    const char *cases = getenv("PAGELAB_CASES");
    if (!cases || !*cases)
        return;
    snprintf(path, sizeof path, "%s/etch/%s.bz2", cases, name);
    struct touches touches = bench_read(path);
    struct pl_curve_result exact = exact_curve(&touches);
    double offs[RUNS], zero = 0;
    for (int r = 0; r < RUNS; r++) {
        struct pl_sample *sample = sample_of(&touches, (struct pl_sample_params){.rate = 0.1, .seed = (uint64_t)r + 1});
        offs[r] = mean_error(&touches, &exact, sample, SMALL_PAGES, &zero);
        pl_sample_free(sample);
    }
    double middle = bench_median(offs, RUNS);
    printf("%s rate 0.1, up to %d pages: mean error of the miss ratio %.5f (worst of %d seeds %.5f), ", name,
           SMALL_PAGES, middle, RUNS, offs[RUNS - 1]);
    printf("predicting zero %.5f: 1/%.1f\n", zero, zero / middle);
    pl_curve_result_free(&exact);
    bench_touches_free(&touches);
}

int main(int argc, char **argv)
{
    const struct pl_generate_part none = {.pages = 0};
    struct pl_generate_part zipf = {PL_PATTERN_ZIPF, 100000, 1, 0.9, 1, 0.3};
    struct pl_generate_part steep = {PL_PATTERN_ZIPF, 30000, 1, 1.1, 1, 0.1};
    struct pl_generate_part flat = {PL_PATTERN_ZIPF, 200000, 1, 0.6, 1, 0.5};
    struct pl_generate_part loop = {PL_PATTERN_LOOP, 20000, 1, 1, 1, 0.3};
    struct pl_generate_part uniform = {PL_PATTERN_UNIFORM, 5000, 2, 1, 1, 0.2};
    struct pl_generate_part fast = {PL_PATTERN_EXPONENTIAL, 100000, 1, 1, 8000, 0.3};
    struct pl_generate_part slow = {PL_PATTERN_EXPONENTIAL, 20000, 1, 1, 500, 0.6};
    uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 5;
    struct score all = {0};
    if (argc < 2) {
        bench_zipf_targets();
        bench_etch_target("netscape");
        bench_etch_target("powerpoint");
    }
    if (argc > 3) {
        bench(argv[3], bench_read(argv[3]), atof(argv[2]), seeds, &all);
    } else if (argc > 2) {
        bench_made("zipf 1.1", steep, none, false, 0.03, seeds, &all);
        bench_made("zipf 0.6", flat, none, false, 0.005, seeds, &all);
        bench_made("exponential", slow, none, false, 0.03, seeds, &all);
        bench_made("zipf + loop", steep, loop, false, 0.02, seeds, &all);
        bench_made("uniform, zipf", uniform, steep, true, 0.05, seeds, &all);
        bench_made("few pages", steep, none, false, 0.003, seeds, &all);
    } else {
        bench_case("etch/netscape.bz2", 0.1, seeds, &all);
        bench_case("etch/powerpoint.bz2", 0.1, seeds, &all);
        bench_case("memsim/gcc.trace.gz", 0.1, seeds, &all);
        bench_made("zipf 0.9", zipf, none, false, 0.01, seeds, &all);
        bench_made("exponential", fast, none, false, 0.01, seeds, &all);
        bench_made("zipf, loop", zipf, loop, true, 0.01, seeds, &all);
    }
    print("all", &all, seeds, 1);
    return 0;
}
