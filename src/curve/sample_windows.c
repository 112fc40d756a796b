/* curve/sample_windows.c: short distances, from windows of time in which every touch is looked at.
 *
 *   |[window][window][window] ... |...[window]...|[window]......| ... |......[window].........|.........
 *    64 periods of one window      then 32 periods of two windows, of four, ... up to 32 windows
 *
 * In each period a window of 16 Ki touches lies somewhere. Each window is a stratum of the trace, with counts of its
 * own. When there are 64, every other one is dropped and periods double, so a short trace is seen whole, a longer one
 * in at least 32 places; once periods are long, neighbours are joined instead.
 *
 * In a window stack distances start from nothing. A touch of a page that the window has seen has its true distance. The
 * first touch of a page in the window has one that is larger than the number u of pages seen so far: it is censored at
 * u, as the life of a patient who moved away. Kaplan and Meier's estimate (1958) of the share of distances above m
 * takes both for what they say: the product, over all k <= m, of the share of touches that go on past distance k among
 * those of which it is known that they reach k. A stratum that has too few of these goes on as all strata together do,
 * which is a guess, and its doubt is half of what the guess changes.
 *
 * Write-backs the same way: the reach of a page from one write to the next (stack.h) is known when the window has both,
 * and censored when the window ends before. This censoring is not independent of the length (hot pages are written and
 * written again within the window, cold ones are censored), so only writes in the first half of a window count: most of
 * them are followed until it is known. For the others there are bounds: all reaches that are censored below m may end
 * there or go on. The doubt is the standard deviation of a number anywhere between these.
 *
 * A first touch that dirties its page starts a reach, too.
 *
 * How much neighbouring strata differ tells the error that is due to where the windows are. The part of the trace that
 * windows have seen, and that is not censored, has no error. */
#include "curve/sample_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 16384,
    WINDOW_BINS = EXACT_BINS + 6 * BINS_PER_DOUBLING + 1, /* no distance is longer than a window */
    STRATA = 64,
    STRATA_MIN = 4,
    STRIDE_MAX = 32,   /* windows in a period */
    OWN_MIN = 32,      /* touches that a stratum must know of to go on by itself */
    AT_RISK_MIN = 200, /* and all together */
};
/* What is kept of a touch: it writes; it is the first one of its page in the trace. */
enum { WRITES = 1, FIRST = 2 };

/* What is known of some length (a distance, a reach): how often which, and how often at least which. */
struct lengths {
    float exact[WINDOW_BINS];    /* after the end: the share that lies in this bin or behind */
    float censored[WINDOW_BINS]; /* after the end: by how much that may be off, of what is not known */
    float all;                   /* after the end: how many there were */
};

struct stratum {
    uint32_t windows;
    struct lengths reads, writes;
};

struct windows {
    const struct stack_kernel *kernel;
    struct stack stack;
    struct sample_map map; /* of the pages of this window */
    uint64_t seed;
    uint64_t at, begin, period_begin; /* touches so far; where this window begins, and its period */
    uint32_t length, seen;            /* of this window */
    uint32_t stride;                  /* windows in a period */
    uint32_t per_stratum, strata;     /* windows in a full one; strata in use */
    bool memsim;                      /* first touches do not dirty */
    /* after the end, of reads and of writes: bins of which enough is known; the share that is censored up to a bin */
    uint32_t known[2];
    double open[2][WINDOW_BINS];
    pl_page number[WINDOW];
    uint8_t kind[WINDOW];          /* WRITES, FIRST */
    uint8_t early[WINDOW];         /* by page: last written in the first half */
    uint32_t pages_before[WINDOW]; /* u of each touch */
    uint32_t distance[WINDOW];
    uint32_t reach[WINDOW];   /* by page: since it was last written; REACH_CLEAN: not written in this window */
    uint32_t last[WINDOW];    /* the stack's table: a window has at most so many pages */
    uint16_t bin[WINDOW + 1]; /* of each length that a window can hold: a logarithm for each touch takes too long */
    struct stratum stratum[STRATA];
};

static void place_window(struct windows *windows)
{
    uint64_t draw = pl_mix64(windows->seed ^ (windows->period_begin + 1) * UINT64_C(0x9e3779b97f4a7c15));
    windows->begin = windows->period_begin + draw % ((windows->stride - 1) * (uint64_t)WINDOW + 1);
}

enum pl_err sample_windows_create(const struct pl_sample_params *params, struct windows **out, struct pl_error *err)
{
    const size_t bytes = (sizeof(struct windows) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    struct windows *windows = aligned_alloc(CACHE_LINE, bytes);
    if (!windows)
        return pl_fail_memory(err, bytes, "a sample");
    memset(windows, 0, bytes);
    windows->kernel = pl_stack_kernel(params->portable);
    windows->seed = pl_mix64(params->seed + 77);
    windows->memsim = params->rule == PL_RULE_MEMSIM;
    windows->stride = windows->per_stratum = 1;
    windows->stack.pages = (struct pages){.last = windows->last, .limit = WINDOW};
    for (unsigned length = 0; length <= WINDOW; length++)
        windows->bin[length] = (uint16_t)sample_bin(length);
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

/* --- strata
 * -------------------------------------------------------------------------------------------------------------- */

static void add_lengths(struct lengths *to, const struct lengths *from)
{
    for (int bin = 0; bin < WINDOW_BINS; bin++) {
        to->exact[bin] += from->exact[bin];
        to->censored[bin] += from->censored[bin];
    }
}

/* All are full: of each pair one is left, or both in one. */
static void halve_strata(struct windows *windows)
{
    bool drop = windows->stride < STRIDE_MAX;
    for (uint32_t pair = 0; pair < STRATA / 2; pair++) {
        struct stratum *one = &windows->stratum[2 * pair], *other = one + 1;
        bool second = pl_mix64(windows->seed + windows->period_begin + pair) & 1;
        if (drop) {
            windows->stratum[pair] = second ? *other : *one;
            continue;
        }
        one->windows += other->windows;
        add_lengths(&one->reads, &other->reads);
        add_lengths(&one->writes, &other->writes);
        windows->stratum[pair] = *one;
    }
    memset(&windows->stratum[STRATA / 2], 0, STRATA / 2 * sizeof *windows->stratum);
    windows->strata = STRATA / 2;
    if (drop)
        windows->stride *= 2;
    else
        windows->per_stratum *= 2;
}

/* Where the counts of the window that is complete go. */
static struct stratum *next_stratum(struct windows *windows)
{
    if (windows->strata == 0 || windows->stratum[windows->strata - 1].windows == windows->per_stratum)
        windows->strata++;
    struct stratum *stratum = &windows->stratum[windows->strata - 1];
    stratum->windows++;
    return stratum;
}

static bool strata_full(const struct windows *windows)
{
    return windows->strata == STRATA && windows->stratum[STRATA - 1].windows == windows->per_stratum;
}

/* --- one window
 * ---------------------------------------------------------------------------------------------------------- */

static void count_reads(const struct windows *windows, struct lengths *reads)
{
    for (uint32_t i = 0; i < windows->length; i++) {
        if (windows->distance[i])
            reads->exact[windows->bin[windows->distance[i]]]++;
        else
            reads->censored[windows->bin[windows->pages_before[i] + 1]]++;
    }
}

/* What is open at the end goes on at least to the page's place in the stack. That place is the distance which another
 * touch would have, so touching all pages again, the oldest first, would not tell; but the pages' places are the order
 * of their latest touches, which a walk backwards meets. */
static void count_open(struct windows *windows, struct lengths *writes)
{
    uint32_t position = 0;
    for (uint32_t i = windows->length; i-- > 0;) {
        uint32_t number = windows->number[i], reach = windows->reach[number];
        if (windows->last[number] == 0) /* met already */
            continue;
        windows->last[number] = 0;
        position++;
        if (reach != REACH_CLEAN && windows->early[number])
            writes->censored[windows->bin[reach > position ? reach : position]]++;
    }
}

/* Reaches from write to write. */
static void count_writes(struct windows *windows, struct lengths *writes)
{
    memset(windows->reach, 0xff, windows->seen * sizeof *windows->reach);
    for (uint32_t i = 0; i < windows->length; i++) {
        uint32_t number = windows->number[i], *reach = &windows->reach[number], distance = windows->distance[i];
        if (*reach != REACH_CLEAN && *reach < distance)
            *reach = distance;
        if (!(windows->kind[i] & WRITES) && (windows->memsim || !(windows->kind[i] & FIRST)))
            continue;
        if (*reach != REACH_CLEAN && windows->early[number])
            writes->exact[windows->bin[*reach]]++;
        *reach = 0;
        windows->early[number] = i < WINDOW / 2;
    }
    count_open(windows, writes);
}

/* The window is complete. Afterwards last[] is zero again. */
static void close_window(struct windows *windows)
{
    struct stratum *stratum = next_stratum(windows);
    windows->stack.live = 0;
    pl_slots_fill(&windows->stack.slots, 0);
    windows->kernel->measure(&windows->stack, windows->number, windows->length, windows->distance);
    count_reads(windows, &stratum->reads);
    count_writes(windows, &stratum->writes);
    sample_map_clear(&windows->map);
    windows->length = windows->seen = 0;
    windows->period_begin += windows->stride * (uint64_t)WINDOW;
    if (strata_full(windows))
        halve_strata(windows);
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

enum pl_err sample_windows_feed(struct windows *windows, const pl_page *pages, const uint8_t *kinds,
                                const uint32_t *first, size_t firsts, size_t count, struct pl_error *err)
{
    for (size_t done = 0, passed = 0; done < count;) {
        if (windows->at < windows->begin) {
            uint64_t skip = windows->begin - windows->at;
            skip = skip < count - done ? skip : count - done;
            windows->at += skip;
            done += skip;
            continue;
        }
        while (passed < firsts && first[passed] < done)
            passed++;
        bool is_first = passed < firsts && first[passed] == done;
        unsigned kind = (kinds && kinds[done] == 1 ? WRITES : 0) | (is_first ? FIRST : 0);
        enum pl_err rc = add_touch(windows, pages[done], (uint8_t)kind, err);
        if (rc)
            return rc;
        windows->at++;
        done++;
    }
    return PL_OK;
}

/* --- the estimates
 * --------------------------------------------------------------------------------------------------------- */

/* Of all strata together: the share of lengths that go on past a bin among those that reach it, how many bins enough is
 * known of, and the share of all that is censored up to a bin. */
static void pool(struct lengths *const *strata, uint32_t count, double *go_on, uint32_t *known, double *open)
{
    double exact[WINDOW_BINS] = {0}, censored[WINDOW_BINS] = {0}, reach = 0, censored_so_far = 0;
    for (uint32_t i = 0; i < count; i++)
        for (int bin = 0; bin < WINDOW_BINS; bin++) {
            exact[bin] += strata[i]->exact[bin];
            censored[bin] += strata[i]->censored[bin];
            reach += strata[i]->exact[bin] + strata[i]->censored[bin];
        }
    const double all = reach;
    *known = 0;
    for (int bin = 0; bin < WINDOW_BINS; bin++) {
        double at_risk = reach - censored[bin];
        go_on[bin] = at_risk > 0 ? 1 - exact[bin] / at_risk : 1;
        *known += at_risk >= AT_RISK_MIN && *known == (uint32_t)bin;
        open[bin] = censored_so_far / fmax(all, 1);
        censored_so_far += censored[bin];
        reach -= exact[bin] + censored[bin];
    }
}

/* Counts become shares behind. `bounds`: what is censored may be unlike the rest. */
static void survive(struct lengths *lengths, const double *go_on, bool bounds)
{
    double all = 0, behind = 1, own = 1, open = 0;
    for (int bin = 0; bin < WINDOW_BINS; bin++)
        all += lengths->exact[bin] + lengths->censored[bin];
    double reach = all;
    bool knows = true;
    lengths->all = (float)all;
    for (int bin = 0; bin < WINDOW_BINS; bin++) {
        double exact = lengths->exact[bin], censored = lengths->censored[bin], at_risk = reach - censored;
        lengths->exact[bin] = (float)behind;
        lengths->censored[bin] = (float)hypot((own - behind) / 2, bounds && all > 0 ? open / all / sqrt(12) : 0);
        knows = knows && at_risk >= OWN_MIN;
        behind *= knows ? 1 - exact / at_risk : go_on[bin];
        own = knows ? behind : own;
        open += censored;
        reach -= exact + censored;
    }
}

void sample_windows_end(struct windows *windows)
{
    if (windows->stride == 1 && windows->length) /* so that a short trace is seen to its end */
        close_window(windows);
    double go_on[WINDOW_BINS];
    struct lengths *strata[STRATA];
    for (int writes = 0; writes < 2; writes++) {
        for (uint32_t i = 0; i < windows->strata; i++)
            strata[i] = writes ? &windows->stratum[i].writes : &windows->stratum[i].reads;
        pool(strata, windows->strata, go_on, &windows->known[writes], windows->open[writes]);
        for (uint32_t i = 0; i < windows->strata; i++)
            survive(strata[i], go_on, writes);
    }
}

static double between(const float *bins, const struct sample_place *place)
{
    return bins[place->bin] * (1 - place->part) + bins[place->bin + 1] * place->part;
}

static const struct lengths *lengths_of(const struct windows *windows, uint32_t stratum, bool writes)
{
    return writes ? &windows->stratum[stratum].writes : &windows->stratum[stratum].reads;
}

/* Each stratum stands for its own time, so only differences within it are left to chance: neighbours differ by not much
 * more than that. Of the sum of numbers that a share goes on, when there are `all`. */
static double variance_of_sum(const struct windows *windows, bool writes, const struct sample_place *place,
                              double share)
{
    double squares = 0, former = 0;
    for (uint32_t i = 0; i < windows->strata; i++) {
        const struct lengths *lengths = lengths_of(windows, i, writes);
        double rest = lengths->all * (between(lengths->exact, place) - share);
        squares += i ? (rest - former) * (rest - former) : 0;
        former = rest;
    }
    return squares / 2 / (windows->strata - 1) * windows->strata;
}

bool sample_windows_share(const struct windows *windows, bool writes, uint64_t pages, double of,
                          struct sample_share *out)
{
    struct sample_place place = sample_place(pages);
    double sum = 0, doubt = 0, all = 0;
    if (windows->strata < STRATA_MIN || place.bin + 1 >= windows->known[writes])
        return false;
    for (uint32_t i = 0; i < windows->strata; i++) {
        const struct lengths *lengths = lengths_of(windows, i, writes);
        sum += lengths->all * between(lengths->exact, &place);
        doubt += lengths->all * between(lengths->censored, &place);
        all += lengths->all;
    }
    double unseen = 1 - fmin(all / of, 1) * (1 - windows->open[writes][place.bin]);
    out->share = sum / all;
    out->deviation = sqrt(variance_of_sum(windows, writes, &place, sum / all) * unseen) / all;
    out->doubt = doubt / all;
    out->freedom = (windows->strata - 1) * 2 / 3;
    return true;
}

size_t sample_windows_bytes(const struct windows *windows)
{
    return sizeof *windows + windows->stack.slots.bytes + sample_map_bytes(&windows->map);
}
