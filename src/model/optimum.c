/* model/optimum.c: searches over the cost.
 *
 * The cost over d is smooth between the d at which m - d or h passes a row of the table, and can have several valleys.
 * So it is first looked at in many places (more of them for longer tables), and the best one is refined by golden
 * section between its neighbours. cd and ch enter the cost linearly,
 *
 *   cost = cd C(d) - ch B(d)      C: codec operations, B: disk accesses saved, less additional ones
 *
 * so that their break-even values over all d are the largest ch B / C and the smallest cd C / B. For r the sign of the
 * least cost is bisected.
 *
 * Does not look at sizes for which the table has to be extrapolated. */
#include "model/optimum.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* --- one variable, minimised -------------------------------------------------------- */

struct search {
    const struct pl_fault_curves *curves;
    struct pl_cost_params params;
    double (*objective)(const struct search *search, const struct pl_cost *cost);
    double high_d; /* d goes from 0 to here */
    double step;   /* between the places first looked at; a page in exact curves */
    long places;
};

/* INFINITY where the table cannot tell. */
static double look(const struct search *search, double d_mb)
{
    struct pl_cost_params params = search->params;
    params.d_mb = d_mb;
    struct pl_cost cost = pl_cost_evaluate(search->curves, &params);
    return cost.extrapolated ? INFINITY : search->objective(search, &cost);
}

static double golden_section(const struct search *search, double low, double high)
{
    const double share = (sqrt(5) - 1) / 2;
    double a = high - share * (high - low), b = low + share * (high - low);
    double at_a = look(search, a), at_b = look(search, b);
    while (high - low > 1e-10 * search->high_d) {
        if (at_a <= at_b) {
            high = b;
            b = a, at_b = at_a;
            a = high - share * (high - low);
            at_a = look(search, a);
        } else {
            low = a;
            a = b, at_a = at_b;
            b = low + share * (high - low);
            at_b = look(search, b);
        }
    }
    return (low + high) / 2;
}

static double place(const struct search *search, long i)
{
    return fmin((double)i * search->step, search->high_d);
}

/* The d of the least objective (the smallest such d), and the objective. */
static double minimise(const struct search *search, double *least)
{
    long best = 0;
    double best_value = INFINITY;
    for (long i = 0; i <= search->places; i++) {
        double value = look(search, place(search, i));
        if (value < best_value)
            best = i, best_value = value;
    }
    double best_d = place(search, best);
    *least = best_value;
    if (search->curves->exact || search->high_d == 0 || isinf(best_value))
        return best_d;

    double low = place(search, best > 0 ? best - 1 : 0);
    double high = place(search, best < search->places ? best + 1 : best);
    double refined = golden_section(search, low, high), value = look(search, refined);
    if (value < best_value) {
        *least = value;
        return refined;
    }
    return best_d;
}

/* --- what the table can tell ------------------------------------------------------------- */

/* The largest d for which m, m - d and h lie inside the table, and that is allowed; -1 when m does not. */
static double reach_d(const struct pl_fault_curves *curves, const struct pl_cost_params *p)
{
    if (pl_fault_curves_at(curves, p->m_mb).extrapolated)
        return -1;
    double below = fmax(p->m_mb - curves->low_mb, 0);
    double above = p->r > 1 ? fmax(curves->high_mb - p->m_mb, 0) / (p->r - 1) : INFINITY;
    const double most = p->most_d_mb > 0 ? fmin(p->most_d_mb, p->m_mb) : p->m_mb;
    return fmin(fmin(below, above), most);
}

static struct search search_over(const struct pl_fault_curves *curves, const struct pl_cost_params *params,
                                 double (*objective)(const struct search *, const struct pl_cost *))
{
    enum { PLACES_LEAST = 256, PLACES_A_ROW = 4, PLACES_MOST = 8192 };
    struct search search = {curves, *params, objective, reach_d(curves, params), 0, 0};
    search.high_d = fmax(pl_fault_curves_floor(curves, search.high_d), 0);
    if (curves->exact) {
        search.step = curves->page_mb;
        search.places = (long)(search.high_d / search.step);
    } else {
        size_t places = PLACES_LEAST + PLACES_A_ROW * curves->table->count;
        search.places = (long)(places < PLACES_MOST ? places : PLACES_MOST);
        search.step = search.high_d / (double)search.places;
    }
    return search;
}

static double total_cost(const struct search *search, const struct pl_cost *cost)
{
    (void)search;
    return cost->total_s;
}

/* --- the optimum ----------------------------------------------------------------------------- */

static bool explain(const struct pl_fault_curves *curves, const struct pl_cost_params *p, double reach,
                    struct pl_optimum *out)
{
    const struct pl_fault_table *table = curves->table;
    double first = table->memory_mb[0], last = table->memory_mb[table->count - 1];
    if (reach < 0)
        snprintf(out->why_not, sizeof(out->why_not), "m = %.6g MB lies outside the table (%.6g to %.6g MB)", p->m_mb,
                 first, last);
    else if (p->m_mb <= curves->low_mb)
        snprintf(out->why_not, sizeof(out->why_not),
                 "the table begins at %.6g MB, so that m - d lies below it for every cache", first);
    else if (reach == 0)
        snprintf(out->why_not, sizeof(out->why_not),
                 "the table ends at %.6g MB, so that what a cache holds reaches beyond it", last);
    return reach > 0;
}

/* The last place from `from` towards `stop` at which the cost is still at most `limit`. */
static double flat_end(const struct search *search, double from, double stop, double limit)
{
    double step = stop > from ? search->step : -search->step, inside = from, outside = from;
    while (inside != stop) {
        outside = step > 0 ? fmin(inside + step, stop) : fmax(inside + step, stop);
        if (look(search, outside) > limit)
            break;
        inside = outside;
    }
    for (int halving = 0; halving < 40 && inside != outside && !search->curves->exact; halving++) {
        double middle = (inside + outside) / 2;
        if (look(search, middle) > limit)
            outside = middle;
        else
            inside = middle;
    }
    return inside;
}

void pl_cost_optimum(const struct pl_fault_curves *curves, const struct pl_cost_params *params, double flat_s,
                     struct pl_optimum *out)
{
    assert(flat_s >= 0);
    *out = (struct pl_optimum){.d_mb = NAN, .flat_from_mb = NAN, .flat_to_mb = NAN, .reach_d_mb = NAN};
    if (!explain(curves, params, reach_d(curves, params), out))
        return;

    struct search search = search_over(curves, params, total_cost);
    double least;
    struct pl_cost_params best = *params;
    best.d_mb = 0;
    out->never_pages = pl_cost_evaluate(curves, &best).disk_without_s <= 0;
    least = 0;
    if (!out->never_pages)
        best.d_mb = minimise(&search, &least);
    out->found = true;
    out->d_mb = best.d_mb;
    out->cost = pl_cost_evaluate(curves, &best);
    out->reach_d_mb = search.high_d;
    out->at_edge = best.d_mb > 0 && best.d_mb >= search.high_d * (1 - 1e-6) && search.high_d < params->m_mb;
    out->flat_from_mb = flat_end(&search, best.d_mb, 0, least + flat_s);
    out->flat_to_mb = flat_end(&search, best.d_mb, search.high_d, least + flat_s);
}

/* --- break-even ---------------------------------------------------------------------------------- */

static double disk_gain(const struct pl_cost *cost)
{
    return cost->disk_saved - cost->frac_accesses;
}

/* Minus the cd at which this cache size breaks even. */
static double minus_cd(const struct search *search, const struct pl_cost *cost)
{
    if (cost->codec_operations <= 0)
        return INFINITY;
    return -search->params.ch_s * disk_gain(cost) / cost->codec_operations;
}

static double least_ch(const struct search *search, const struct pl_cost *cost)
{
    return disk_gain(cost) > 0 ? search->params.cd_s * cost->codec_operations / disk_gain(cost) : INFINITY;
}

/* The same search at one d only. */
static struct search search_at(struct search search, bool at_d, double *d_mb)
{
    *d_mb = search.params.d_mb;
    if (!at_d)
        return search;
    search.places = -1;
    return search;
}

static double least_of(const struct search *search, double *d_mb)
{
    double least;
    if (search->places < 0)
        return look(search, *d_mb);
    *d_mb = minimise(search, &least);
    return least;
}

static struct pl_break_even break_even_cost(const struct search *search, double d_mb, double sign)
{
    double least = least_of(search, &d_mb), value = sign * least;
    bool found = isfinite(least) && value > 0;
    return (struct pl_break_even){found, found ? value : NAN, found ? d_mb : NAN};
}

/* The least cost at ratio r; `d_mb` is the size held, or receives the best one. */
static double least_cost_at_r(const struct pl_fault_curves *curves, const struct pl_cost_params *params, bool at_d,
                              double r, double *d_mb)
{
    struct pl_cost_params changed = *params;
    changed.r = r;
    struct search search = search_at(search_over(curves, &changed, total_cost), at_d, d_mb);
    return least_of(&search, d_mb);
}

/* The smallest r at which the least cost is below zero: steps upward, then bisection. */
static struct pl_break_even break_even_r(const struct pl_fault_curves *curves, const struct pl_cost_params *params,
                                         bool at_d)
{
    double low = 1, high = 1, d_mb = params->d_mb, least = INFINITY;
    for (; high < 1000; low = high) {
        high = high * 1.02;
        least = least_cost_at_r(curves, params, at_d, high, &d_mb);
        if (!(least > 0))
            break;
    }
    if (least > 0)
        return (struct pl_break_even){false, NAN, NAN};
    while (high - low > 1e-9 * high) {
        double middle = (low + high) / 2, ignored = params->d_mb;
        if (least_cost_at_r(curves, params, at_d, middle, &ignored) > 0)
            low = middle;
        else
            high = middle;
    }
    least_cost_at_r(curves, params, at_d, high, &d_mb);
    return (struct pl_break_even){true, high, d_mb};
}

void pl_cost_break_evens(const struct pl_fault_curves *curves, const struct pl_cost_params *params, bool at_d,
                         struct pl_break_evens *out)
{
    const struct pl_break_even none = {false, NAN, NAN};
    *out = (struct pl_break_evens){none, none, none};
    if (reach_d(curves, params) <= 0)
        return;
    double d_mb;
    struct search cd = search_at(search_over(curves, params, minus_cd), at_d, &d_mb);
    out->cd = break_even_cost(&cd, d_mb, -1);
    struct search ch = search_at(search_over(curves, params, least_ch), at_d, &d_mb);
    out->ch = break_even_cost(&ch, d_mb, 1);
    out->r = break_even_r(curves, params, at_d);
}
