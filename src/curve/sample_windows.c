/* curve/sample_windows.c: short distances, from windows of time in which every touch is looked at.
 *
 *   period 0                  period 1                  ...        of 256 Ki touches
 *   |.....[window]............|..............[window]...|          16 Ki touches, somewhere in each period
 *
 * In a window stack distances start from nothing. A touch of a page that the window has seen has its true distance. The
 * first touch of a page in the window has one that is larger than the number u of pages seen so far: it is censored at u,
 * as the life of a patient who moved away. Kaplan and Meier's estimate (1958) of the share of distances above m takes
 * both for what they say: the product, over all k <= m, of the share of touches that go on past distance k among those of
 * which it is known that they reach k.
 *
 * Write-backs the same way: the reach of a page from one write to the next (stack.h) is known when the window has both,
 * and censored when the window ends before. Windows are dealt out to groups in turn; how much neighbours differ tells
 * the error.
 *
 * Not modelled: that touches which are censored early may differ from others. Hot pages are written and written again
 * within a window, cold ones are censored, so reaches come out a little too short. */
#include "curve/sample_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PERIOD = 262144, WINDOW = 16384, WINDOWS_MIN = 8, AT_RISK_MIN = 200 };

/* What is known of some length (a distance, a reach): how often which, and how often at least which. */
struct survival {
    struct counts exact, censored; /* after the end `exact` has the share behind, by group */
    double share[BINS];            /* behind, of all groups together */
    double at_risk[BINS];          /* how many are known to reach a bin */
};

struct windows {
    const struct stack_kernel *kernel;
    struct stack stack;
    struct sample_map map; /* of the pages of this window */
    uint64_t seed, period;
    uint64_t at, begin; /* touches so far; where the window of this period begins */
    uint32_t length, seen; /* of this window */
    uint32_t done;         /* windows that are complete */
    pl_page number[WINDOW];
    uint8_t kind[WINDOW];
    uint32_t pages_before[WINDOW]; /* u of each touch */
    uint32_t distance[WINDOW];
    uint32_t reach[WINDOW]; /* by page: since it was last written; REACH_CLEAN: not written in this window */
    uint32_t last[WINDOW];  /* the stack's table: a window has at most so many pages */
    struct survival reads, writes;
};

static void place_window(struct windows *windows)
{
    uint64_t draw = pl_mix64(windows->seed ^ (windows->period + 1) * UINT64_C(0x9e3779b97f4a7c15));
    windows->begin = windows->period * PERIOD + draw % (PERIOD - WINDOW + 1);
}

enum pl_err sample_windows_create(uint64_t seed, bool portable, struct windows **out, struct pl_error *err)
{
    const size_t bytes = (sizeof(struct windows) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    struct windows *windows = aligned_alloc(CACHE_LINE, bytes);
    if (!windows)
        return pl_fail_memory(err, bytes, "a sample");
    memset(windows, 0, bytes);
    windows->kernel = pl_stack_kernel(portable);
    windows->seed = pl_mix64(seed + 77);
    windows->stack.pages = (struct pages){.last = windows->last, .limit = WINDOW};
    enum pl_err rc = pl_slots_create(&windows->stack.slots, WINDOW, err); /* so slots never run out */
    if (rc) {
        sample_windows_free(windows);
        return rc;
    }
    place_window(windows);
    *out = windows;
    return PL_OK;
}

void sample_windows_free(struct windows *windows)
{
    if (!windows)
        return;
    pl_slots_destroy(&windows->stack.slots);
    sample_map_free(&windows->map);
    free(windows);
}

/* --- one window ---------------------------------------------------------------------------------------------------------- */

static void count_reads(struct windows *windows, unsigned group)
{
    for (uint32_t i = 0; i < windows->length; i++) {
        if (windows->distance[i])
            windows->reads.exact.bin[group][sample_bin(windows->distance[i])]++;
        else
            windows->reads.censored.bin[group][sample_bin(windows->pages_before[i] + 1.0)]++;
    }
}

/* Reaches from write to write; what is open at the end goes on at least to the page's place in the stack. That place is
 * the distance which another touch would have, so touching all pages again, the oldest first, would not tell; but the
 * pages' places are the order of their latest touches, which a walk backwards meets. */
static void count_writes(struct windows *windows, unsigned group)
{
    memset(windows->reach, 0xff, windows->seen * sizeof *windows->reach);
    for (uint32_t i = 0; i < windows->length; i++) {
        uint32_t *reach = &windows->reach[windows->number[i]], distance = windows->distance[i];
        if (*reach != REACH_CLEAN && *reach < distance)
            *reach = distance;
        if (windows->kind[i] != 1)
            continue;
        if (*reach != REACH_CLEAN)
            windows->writes.exact.bin[group][sample_bin(*reach)]++;
        *reach = 0;
    }
    uint32_t position = 0;
    for (uint32_t i = windows->length; i-- > 0;) {
        uint32_t number = windows->number[i], reach = windows->reach[number];
        if (windows->last[number] == 0) /* met already */
            continue;
        windows->last[number] = 0;
        position++;
        if (reach != REACH_CLEAN)
            windows->writes.censored.bin[group][sample_bin(reach > position ? reach : position)]++;
    }
}

/* The window is complete. Afterwards last[] is zero again. */
static void close_window(struct windows *windows)
{
    unsigned group = windows->done++ % GROUPS;
    windows->stack.live = 0;
    pl_slots_fill(&windows->stack.slots, 0);
    windows->kernel->measure(&windows->stack, windows->number, windows->length, windows->distance);
    count_reads(windows, group);
    count_writes(windows, group);
    sample_map_clear(&windows->map);
    windows->length = windows->seen = 0;
    windows->period++;
    place_window(windows);
}

static enum pl_err add_touch(struct windows *windows, pl_page page, uint8_t kind, struct pl_error *err)
{
    bool added;
    uint32_t at = windows->length;
    enum pl_err rc = sample_map_get(&windows->map, page, &windows->number[at], &added, err);
    if (rc)
        return rc;
    windows->pages_before[at] = windows->seen;
    windows->kind[at] = kind;
    windows->seen += added;
    if (++windows->length == WINDOW)
        close_window(windows);
    return PL_OK;
}

enum pl_err sample_windows_feed(struct windows *windows, const pl_page *pages, const uint8_t *kinds, size_t count,
                                struct pl_error *err)
{
    for (size_t done = 0; done < count;) {
        if (windows->at < windows->begin) {
            uint64_t skip = windows->begin - windows->at;
            skip = skip < count - done ? skip : count - done;
            windows->at += skip;
            done += skip;
            continue;
        }
        enum pl_err rc = add_touch(windows, pages[done], kinds ? kinds[done] : 0, err);
        if (rc)
            return rc;
        windows->at++;
        done++;
    }
    return PL_OK;
}

/* --- the estimates --------------------------------------------------------------------------------------------------------- */

/* share[b]: of lengths that lie in bin b or behind. */
static void survive(const double *exact, const double *censored, double *share, double *at_risk)
{
    double reach = 0, behind = 1;
    for (int bin = 0; bin < BINS; bin++)
        reach += exact[bin] + censored[bin];
    for (int bin = 0; bin < BINS; bin++) {
        at_risk[bin] = reach - censored[bin];
        share[bin] = behind;
        behind *= at_risk[bin] > 0 ? 1 - exact[bin] / at_risk[bin] : 1;
        reach -= exact[bin] + censored[bin];
    }
}

static void end_survival(struct survival *survival)
{
    double exact[BINS] = {0}, censored[BINS] = {0}, share[BINS], at_risk[BINS];
    for (int group = 0; group < GROUPS; group++) {
        for (int bin = 0; bin < BINS; bin++) {
            exact[bin] += survival->exact.bin[group][bin];
            censored[bin] += survival->censored.bin[group][bin];
        }
        survive(survival->exact.bin[group], survival->censored.bin[group], share, at_risk);
        memcpy(survival->exact.bin[group], share, sizeof share);
    }
    survive(exact, censored, survival->share, survival->at_risk);
}

void sample_windows_end(struct windows *windows)
{
    end_survival(&windows->reads);
    end_survival(&windows->writes);
}

bool sample_windows_share(const struct windows *windows, bool writes, uint64_t pages, double *share, double *deviation)
{
    const struct survival *survival = writes ? &windows->writes : &windows->reads;
    uint32_t groups = windows->done < GROUPS ? windows->done & ~1u : GROUPS;
    double squares = 0;
    if (windows->done < WINDOWS_MIN || survival->at_risk[sample_bin((double)pages + 1)] < AT_RISK_MIN)
        return false;
    *share = sample_behind(survival->share, pages);
    /* Each window stands for its own period, so only differences within periods are left to chance: neighbours differ by
     * not much more than that. */
    for (uint32_t group = 0; group < groups; group += 2) {
        double rest = sample_behind(survival->exact.bin[group], pages) - sample_behind(survival->exact.bin[group + 1], pages);
        squares += rest * rest;
    }
    *deviation = sqrt(squares) / groups;
    return true;
}

size_t sample_windows_bytes(const struct windows *windows)
{
    return sizeof *windows + windows->stack.slots.bytes + sample_map_bytes(&windows->map);
}
