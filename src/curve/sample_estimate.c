/* curve/sample_estimate.c: from the counts of sampled pages and of windows of time to estimates and their errors.
 *
 * Memories of few pages are what windows of time know (sample_windows.c), up to an anchor, the largest size at which they
 * know better than sampled pages do. Above it the sampled pages' counts are corrected by what is known of the whole trace:
 * the number of its pages, and how many touches, and writes, pass the anchor. (The anchor may be a memory of no pages: all
 * touches miss it.) Hot pages, one more or less of which in the sample would matter, mostly hit at the anchor, so they do
 * not count in either. The correction is a regression over the groups; what it leaves unexplained of their differences is
 * the error that is due to which pages are in the sample.
 *
 * Two errors are common to all groups. The sample may hold too many or too few pages as a whole, which scales all
 * distances; where the number of pages is known they are scaled back. And of the pages that lie in a memory the sample may
 * have too many or too few, so that the curve that it gives is that of a larger or smaller memory. How far off depends on
 * how long the same pages lie there: for good, n of them are give or take sqrt(n), while always others average out. The
 * groups tell, by how much of the time their pages have lain in a memory: a page that comes back at distance D has been
 * in a memory of m pages for about m / D of the time. At the anchor, and at the memory that holds all pages, the number is
 * known, so between the two it strays as a Brownian bridge does. */
#include "curve/sample_private.h"

#include <math.h>
#include <string.h>

/* With fewer sampled pages than this in a memory, windows of time know better, whatever groups say. */
static const double FEW_PAGES = 16;

/* A number and how far off it may be: errors by chance are normal, and known with `freedom`. */
struct guess {
    double count, deviation, freedom;
};

/* --- regression ------------------------------------------------------------------------------------------------------------- */

static double sum_of(const double *values)
{
    double sum = 0;
    for (int group = 0; group < GROUPS; group++)
        sum += values[group];
    return sum;
}

static double covariance(const double *a, const double *b)
{
    double mean_a = sum_of(a) / GROUPS, mean_b = sum_of(b) / GROUPS, sum = 0;
    for (int group = 0; group < GROUPS; group++)
        sum += (a[group] - mean_a) * (b[group] - mean_b);
    return sum;
}

/* Factors the covariances of what is known. What is (nearly) a combination of others is left out; what is known only nearly
 * has a variance more, so that it corrects the less. */
static void prepare_regression(const struct pl_sample *sample, struct controls *controls, const double *truth)
{
    for (int i = 0; i < KNOWNS; i++) {
        double own = covariance(controls->value[i], controls->value[i]) +
                     controls->deviation[i] * controls->deviation[i] * (GROUPS - 1) / GROUPS;
        double left = own;
        controls->lack[i] = truth[i] - sum_of(controls->value[i]);
        for (int j = 0; j < i; j++) {
            double sum = covariance(controls->value[i], controls->value[j]);
            for (int k = 0; k < j; k++)
                sum -= controls->factor[i][k] * controls->factor[j][k];
            controls->factor[i][j] = controls->factor[j][j] > 0 ? sum / controls->factor[j][j] : 0;
            left -= controls->factor[i][j] * controls->factor[i][j];
        }
        bool usable = left > 1e-6 * own && (i != KNOWN_PAGES || sample->params.dense);
        controls->factor[i][i] = usable ? sqrt(left) : 0;
    }
}

/* Coefficients of the regression of `values` on what is known. */
static void regress(const struct controls *controls, const double *values, double *coefficient)
{
    double right[KNOWNS];
    for (int i = 0; i < KNOWNS; i++) {
        right[i] = covariance(controls->value[i], values);
        for (int j = 0; j < i; j++)
            right[i] -= controls->factor[i][j] * right[j];
        right[i] = controls->factor[i][i] > 0 ? right[i] / controls->factor[i][i] : 0;
    }
    for (int i = KNOWNS - 1; i >= 0; i--) {
        double left = right[i];
        for (int j = i + 1; j < KNOWNS; j++)
            left -= controls->factor[j][i] * coefficient[j];
        coefficient[i] = controls->factor[i][i] > 0 ? left / controls->factor[i][i] : 0;
    }
}

/* The sum of the groups, corrected. Of counts behind which there are few sampled touches the groups may not differ at all;
 * one touch more or less is always possible. */
static struct guess estimate(const struct pl_sample *sample, const struct controls *controls, const double *values)
{
    double coefficient[KNOWNS], sum = sum_of(values), rest[GROUPS], carried = 0;
    double few = (fmax(sum, 0) / sample->weight + 1) * sample->weight * sample->weight;
    regress(controls, values, coefficient);
    memcpy(rest, values, sizeof rest);
    for (int i = 0; i < KNOWNS; i++) {
        sum += coefficient[i] * controls->lack[i];
        carried += coefficient[i] * coefficient[i] * controls->deviation[i] * controls->deviation[i];
        for (int group = 0; group < GROUPS; group++)
            rest[group] -= coefficient[i] * controls->value[i][group];
    }
    double variance = covariance(rest, rest) * GROUPS / (GROUPS - 1 - KNOWNS);
    variance = fmax(variance, few) * (1 - 1 / sample->weight);
    return (struct guess){fmax(sum, 0), sqrt(variance + carried), GROUPS - 1 - KNOWNS};
}

/* --- sampled pages ------------------------------------------------------------------------------------------------------------ */

/* Touches, or writes, of each group that pass a memory of `pages`, without first touches. */
static void values_at(const struct pl_sample *sample, bool writes, uint64_t pages, double *values)
{
    struct sample_place place = sample_place(pages);
    for (int group = 0; group < GROUPS; group++)
        values[group] = sample_behind(writes ? sample->writes.bin[group] : sample->reads.bin[group], &place);
}

/* A size in the sample's own scale: distances in it are right already where the number of pages was known all the time. */
static uint64_t in_scale(const struct pl_sample *sample, double pages)
{
    double sampled = sum_of(sample->known[KNOWN_PAGES]);
    if (sample->params.dense && !sample_in_order(sample))
        pages *= sampled / (double)sample->page_limit;
    return pages < 0x1p40 ? (uint64_t)llround(pages) : UINT64_C(1) << 40;
}

static struct guess by_pages(const struct pl_sample *sample, bool writes, double pages)
{
    double values[GROUPS];
    values_at(sample, writes, in_scale(sample, pages), values);
    return estimate(sample, &sample->controls, values);
}

/* The distance that stands for a bin. */
static double middle_of(unsigned bin)
{
    return bin < EXACT_BINS ? bin + 1 : EXACT_BINS * exp2((bin - EXACT_BINS + 0.5) / BINS_PER_DOUBLING);
}

/* How much the groups' shares of a memory differ, for memories of each size. */
static void prepare_composition(struct pl_sample *sample)
{
    double inside[GROUPS] = {0}, far[GROUPS] = {0}, share[GROUPS];
    for (int bin = 0; bin < BINS; bin++)
        for (int group = 0; group < GROUPS; group++)
            far[group] += sample->stays.bin[group][bin] / middle_of(bin);
    for (int bin = 0; bin < BINS; bin++) {
        for (int group = 0; group < GROUPS; group++) {
            double stays = sample->stays.bin[group][bin];
            inside[group] += stays;
            far[group] -= stays / middle_of(bin);
            share[group] = inside[group] + fmax(far[group], 0) * middle_of(bin);
        }
        double all = sum_of(share), variance = covariance(share, share) * GROUPS / (GROUPS - 1);
        sample->composition[bin] = all > 0 ? (float)(variance / all / all) : 1;
    }
}

/* Relative standard deviation of the number of sampled pages in a memory, where it is not known. */
static double stray(const struct pl_sample *sample, bool writes, double pages)
{
    double from = (double)(writes ? sample->controls.writes_from : sample->controls.reads_from);
    double free = 1 - fmin(from / fmax(pages, 1), 1), all = (double)sample->page_limit;
    if (sample->params.dense) /* of all pages the number is known */
        free *= fmax(all - pages, 0) / fmax(all - from, 1);
    double variance = sample->composition[sample_bin((double)in_scale(sample, pages))] * free;
    return fmin(sqrt(variance), 1);
}

static struct guess by_pages_blurred(const struct pl_sample *sample, bool writes, uint64_t pages)
{
    double part = stray(sample, writes, (double)pages);
    struct guess guess = by_pages(sample, writes, (double)pages);
    double above = by_pages(sample, writes, (double)pages * (1 + part)).count;
    double below = by_pages(sample, writes, (double)pages / (1 + part)).count;
    guess.deviation = hypot(guess.deviation, (below - above) / 2);
    return guess;
}

/* --- windows of time ---------------------------------------------------------------------------------------------------------- */

static double cold_pages(const struct pl_sample *sample)
{
    return sample->params.dense ? (double)sample->page_limit : sum_of(sample->known[KNOWN_PAGES]);
}

/* First touches that dirty their page under the demand-zero rule and do not write. */
static struct guess dirty_first_reads(const struct pl_sample *sample)
{
    double sampled = sum_of(sample->known[KNOWN_PAGES]), cold = cold_pages(sample);
    if (sample->params.rule == PL_RULE_MEMSIM || sampled == 0)
        return (struct guess){0};
    if (sample_in_order(sample))
        return (struct guess){.count = (double)sample->first_reads};
    double part = sample->sampled_first_reads / sampled;
    return (struct guess){.count = part * cold, .deviation = cold * sqrt(part * (1 - part) * sample->weight / sampled)};
}

/* Reads have first touches among them; each write starts a reach, and so does a first touch that dirties its page. */
static bool by_windows(const struct pl_sample *sample, bool writes, uint64_t pages, struct guess *out)
{
    struct sample_share share;
    struct guess first = writes ? dirty_first_reads(sample) : (struct guess){0};
    double of = writes ? (double)sample->write_touches + first.count : (double)sample->touches;
    if (!sample_windows_share(sample->windows, writes, pages, of, &share))
        return false;
    out->count = share.share * of;
    out->deviation = hypot(hypot(share.deviation, share.doubt) * of, share.share * first.deviation);
    out->freedom = share.freedom;
    return true;
}

/* --- both --------------------------------------------------------------------------------------------------------------------- */

/* The largest size up to which windows know better than sampled pages. 0: none. */
static uint64_t find_anchor(const struct pl_sample *sample, bool writes)
{
    uint64_t anchor = 0;
    for (double size = 1; size < (double)sample->page_limit; size = fmax(size + 1, size * 1.05)) {
        uint64_t pages = (uint64_t)size;
        struct guess windows;
        if (!by_windows(sample, writes, pages, &windows))
            break;
        if (size / sample->weight >= FEW_PAGES && windows.deviation > by_pages_blurred(sample, writes, pages).deviation)
            break;
        anchor = pages;
    }
    return anchor;
}

void sample_prepare(struct pl_sample *sample)
{
    struct controls *controls = &sample->controls;
    double truth[KNOWNS] = {(double)sample->touches, (double)sample->write_touches, (double)sample->page_limit};
    memcpy(controls->value, sample->known, sizeof controls->value);
    prepare_regression(sample, controls, truth);
    prepare_composition(sample);
    uint64_t anchor[2] = {find_anchor(sample, false), find_anchor(sample, true)};
    for (int writes = 0; writes < 2; writes++) {
        struct guess windows;
        if (anchor[writes] == 0 || !by_windows(sample, writes, anchor[writes], &windows))
            continue;
        double *values = controls->value[writes ? KNOWN_WRITES : KNOWN_TOUCHES];
        values_at(sample, writes, in_scale(sample, (double)anchor[writes]), values);
        for (int group = 0; group < GROUPS && !writes; group++)
            values[group] += sample->known[KNOWN_PAGES][group];
        truth[writes ? KNOWN_WRITES : KNOWN_TOUCHES] = windows.count;
        controls->deviation[writes ? KNOWN_WRITES : KNOWN_TOUCHES] = windows.deviation;
    }
    controls->reads_from = anchor[0];
    controls->writes_from = anchor[1];
    prepare_regression(sample, controls, truth);
}

static void answer(const struct pl_sample *sample, bool writes, uint64_t pages, double *count, double *error)
{
    struct guess guess;
    bool memsim = sample->params.rule == PL_RULE_MEMSIM;
    double cold = writes ? 0 : cold_pages(sample);
    if (pages <= (writes ? sample->controls.writes_from : sample->controls.reads_from)) {
        by_windows(sample, writes, pages, &guess);
        guess.count -= cold;
    } else {
        guess = by_pages_blurred(sample, writes, pages);
    }
    double all = writes ? (double)sample->write_touches + dirty_first_reads(sample).count : (double)sample->touches - cold;
    *count = fmin(fmax(guess.count, 0), all) + (memsim ? cold : 0);
    *error = sample_quantile(guess.freedom) * guess.deviation;
}

struct pl_estimate pl_sample_at(const struct pl_sample *sample, uint64_t pages)
{
    struct pl_estimate at;
    if (sample->threshold == UINT32_MAX) { /* every page is in the sample */
        double values[GROUPS];
        values_at(sample, false, pages, values);
        at.reads = sum_of(values) + (sample->params.rule == PL_RULE_MEMSIM ? sum_of(sample->known[KNOWN_PAGES]) : 0);
        values_at(sample, true, pages, values);
        at.writes = sum_of(values);
        at.reads_error = at.writes_error = 0;
        return at;
    }
    answer(sample, false, pages, &at.reads, &at.reads_error);
    answer(sample, true, pages, &at.writes, &at.writes_error);
    return at;
}
