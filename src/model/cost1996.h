/* model/cost1996.h: the time that a compressed cache of d MB costs or saves on a machine of m MB.
 *
 *        0              m - d        m               h = m - d + d r
 *        |--- resident ---|-- cache ---|                |
 *                         |======= pages the cache holds, compressed r : 1
 *
 * Equation (A), from the words of Russinovich and Cogswell's document of 1996 (its equations were pictures). For F one
 * of Read and Write, the accesses beyond a memory size:
 *
 *   effect_F = cd F(m - d) - ch (F(m) - F(h))
 *   effect   = effect_Read + effect_Write + frac ch Write(h)
 *
 * Every fault and every page-out beyond the resident part pays cd; what the cache holds beyond m saves a disk access.
 * Positive is time lost. The frac term charges additional disk accesses of cache management: on every write that
 * reaches the page file (Write(h), the default) or on every write into the cache (Write(m - d)).
 *
 * The other accounting is that of a real two-level cache, which compresses whatever leaves the resident part, clean or
 * dirty, and from which a page is taken out when it is hit (u = m - d, h as above):
 *
 *   store hits   H = R(u) - R(h)      each is decompressed          disk reads   R(h)
 *   evictions    E = all faults at u, less the u pages that stay    disk writes  W(h)
 *   effect = cd (E + H) - ch (R(m) - R(h)) - ch (W(m) - W(h)) + the frac term
 *
 * All faults are R(u), plus the first touches when the table does not count them in R. A table that does not say how
 * many first touches there were is taken to have none, and to have been filled before: E = R(u).
 *
 * d = 0 is an empty cache that still charges cd on every fault; a machine without a cache is 0 by definition. */
#ifndef PL_MODEL_COST1996_H
#define PL_MODEL_COST1996_H

#include "model/fault_curves.h"

enum pl_accounting { PL_ACCOUNTING_1996, PL_ACCOUNTING_TWO_LEVEL };
enum pl_frac_reading { PL_FRAC_FILE, PL_FRAC_CACHE }; /* frac ch Write(h), frac ch Write(m - d) */
/* NULL-terminated, in the order of the enums, for option tables. */
extern const char *const pl_accounting_names[];
extern const char *const pl_frac_reading_names[];

struct pl_cost_params {
    double m_mb;  /* memory of the machine */
    double d_mb;  /* taken from it for the cache, 0 <= d <= m */
    double r;     /* compression ratio, original over compressed size, >= 1 */
    double cd_s;  /* compressing or decompressing a page, >= 0 */
    double ch_s;  /* a disk access, >= 0 */
    double frac;  /* additional disk accesses for each write, >= 0 */
    enum pl_frac_reading frac_reading;
    enum pl_accounting accounting;
    double most_d_mb; /* searches over d go no further; 0: as far as the data */
};

struct pl_cost {
    double read_s, write_s; /* the two sub-expressions */
    double frac_s;
    double total_s; /* their sum: time lost (+) or gained (-) against no cache at all */
    double resident_mb, reach_mb; /* m - d and h */
    struct pl_faults at_m, at_resident, at_reach;
    double codec_operations;  /* how often cd is paid */
    double disk_saved;        /* disk accesses saved; negative: added */
    double frac_accesses;     /* additional ones */
    double disk_without_s;    /* disk time without a cache: ch (R(m) + W(m)) */
    bool extrapolated;        /* some value lies outside the table */
};

/* Why these parameters make no sense (PL_ERR_USAGE), or PL_OK. */
enum pl_err pl_cost_check(const struct pl_cost_params *params, const struct pl_fault_curves *curves,
                          struct pl_error *err);

/* Checks and evaluates. */
enum pl_err pl_cost_at(const struct pl_fault_curves *curves, const struct pl_cost_params *params, struct pl_cost *out,
                       struct pl_error *err);

/* Evaluates parameters that are known to pass the check: for inner loops. */
struct pl_cost pl_cost_evaluate(const struct pl_fault_curves *curves, const struct pl_cost_params *params);

#endif
