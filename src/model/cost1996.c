/* model/cost1996.c: equation (A) and the two-level accounting. The derivation stands in cost1996.h.
 *
 * Assumes true LRU order over all pages (so that a smaller memory faults on a superset), one compression ratio for all
 * pages, and costs that do not depend on load. Under exact curves sizes are whole pages: m - d and d r are each rounded
 * down, as the frames and the store of a machine are.
 *
 * What this does not model: disk queues, seeks and clusters of pages; compression by another processor meanwhile; the
 * file cache that shrinks with the memory; pages whose ratio differs; the program's own reaction to being slower. */
#include "model/cost1996.h"

#include <math.h>
#include <string.h>

const char *const pl_accounting_names[] = {"1996", "two-level", NULL};
const char *const pl_frac_reading_names[] = {"file", "cache", NULL};

/* --- parameters ---------------------------------------------------------------- */

static enum pl_err check_sizes(const struct pl_cost_params *p, struct pl_error *err)
{
    if (!(p->m_mb > 0) || isinf(p->m_mb))
        return pl_fail(err, PL_ERR_USAGE, "m = %.10g MB: a machine has some memory", p->m_mb);
    if (!(p->d_mb >= 0))
        return pl_fail(err, PL_ERR_USAGE, "d = %.10g MB: a cache cannot be smaller than nothing", p->d_mb);
    if (p->d_mb > p->m_mb)
        return pl_fail(err, PL_ERR_USAGE,
                       "d = %.10g MB is more than m = %.10g MB: the cache is taken from the machine's memory",
                       p->d_mb, p->m_mb);
    if (!(p->r >= 1) || isinf(p->r))
        return pl_fail(err, PL_ERR_USAGE,
                       "r = %.10g: the ratio is original over compressed size and at least 1 (1.6 for 1.6:1)", p->r);
    return PL_OK;
}

enum pl_err pl_cost_check(const struct pl_cost_params *p, const struct pl_fault_curves *curves, struct pl_error *err)
{
    enum pl_err rc = check_sizes(p, err);
    if (rc)
        return rc;
    if (!(p->cd_s >= 0) || isinf(p->cd_s))
        return pl_fail(err, PL_ERR_USAGE, "cd = %.10g ms: compressing a page cannot take less than no time",
                       p->cd_s * 1e3);
    if (!(p->ch_s >= 0) || isinf(p->ch_s))
        return pl_fail(err, PL_ERR_USAGE, "ch = %.10g ms: a disk access cannot take less than no time", p->ch_s * 1e3);
    if (!(p->frac >= 0) || isinf(p->frac))
        return pl_fail(err, PL_ERR_USAGE,
                       "frac = %.10g: additional disk accesses for each write cannot be fewer than none", p->frac);
    if (p->frac > 0 && !curves->writes)
        return pl_fail(err, PL_ERR_USAGE, "frac charges writes, and %s has no writes", curves->table->name);
    return PL_OK;
}

/* --- the equations --------------------------------------------------------------- */

/* Pages that leave the resident part, each of which the two-level cache compresses. */
static double evictions(const struct pl_fault_curves *curves, const struct pl_cost *cost)
{
    const struct pl_fault_table *table = curves->table;
    bool reads_hold_cold = table->rule && !strcmp(table->rule, "memsim");
    double faults = cost->at_resident.reads;
    if (!reads_hold_cold && isnan(table->cold))
        return faults; /* memory was full before the table began to count */
    if (!reads_hold_cold)
        faults += table->cold;
    return fmax(faults - cost->resident_mb / curves->page_mb, 0);
}

/* Each side's compressions and decompressions. */
static void codec_operations(const struct pl_fault_curves *curves, enum pl_accounting accounting,
                             const struct pl_cost *cost, double *read_side, double *write_side)
{
    if (accounting == PL_ACCOUNTING_1996) {
        *read_side = cost->at_resident.reads;
        *write_side = cost->at_resident.writes;
    } else {
        *read_side = cost->at_resident.reads - cost->at_reach.reads;
        *write_side = evictions(curves, cost);
    }
}

struct pl_cost pl_cost_evaluate(const struct pl_fault_curves *curves, const struct pl_cost_params *p)
{
    struct pl_cost cost = {.resident_mb = pl_fault_curves_floor(curves, p->m_mb - p->d_mb)};
    cost.reach_mb = curves->exact ? cost.resident_mb + pl_fault_curves_floor(curves, p->d_mb * p->r)
                                  : p->m_mb - p->d_mb + p->d_mb * p->r;
    cost.at_m = pl_fault_curves_at(curves, p->m_mb);
    cost.at_resident = pl_fault_curves_at(curves, cost.resident_mb);
    cost.at_reach = pl_fault_curves_at(curves, cost.reach_mb);
    cost.extrapolated =
        cost.at_m.extrapolated || cost.at_resident.extrapolated || cost.at_reach.extrapolated;

    double read_codec, write_codec;
    codec_operations(curves, p->accounting, &cost, &read_codec, &write_codec);
    double reads_saved = cost.at_m.reads - cost.at_reach.reads;
    double writes_saved = cost.at_m.writes - cost.at_reach.writes;
    cost.read_s = p->cd_s * read_codec - p->ch_s * reads_saved;
    cost.write_s = p->cd_s * write_codec - p->ch_s * writes_saved;
    cost.frac_accesses =
        p->frac * (p->frac_reading == PL_FRAC_FILE ? cost.at_reach.writes : cost.at_resident.writes);
    cost.frac_s = p->ch_s * cost.frac_accesses;
    cost.total_s = cost.read_s + cost.write_s + cost.frac_s;
    cost.codec_operations = read_codec + write_codec;
    cost.disk_saved = reads_saved + writes_saved;
    cost.disk_without_s = p->ch_s * (cost.at_m.reads + cost.at_m.writes);
    return cost;
}

enum pl_err pl_cost_at(const struct pl_fault_curves *curves, const struct pl_cost_params *params, struct pl_cost *out,
                       struct pl_error *err)
{
    enum pl_err rc = pl_cost_check(params, curves, err);
    if (rc == PL_OK)
        *out = pl_cost_evaluate(curves, params);
    return rc;
}
