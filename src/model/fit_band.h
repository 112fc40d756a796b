/* model/fit_band.h: how far the cost of a cache can be trusted, when the counts come from fits.
 *
 * Bootstrap: the fits' own residuals are drawn anew with replacement (reads and writes of a row together), the same
 * forms are fitted again, and the cost is evaluated for each such replica. The band holds the middle `confidence` of the
 * replicas. The same seed gives the same band.
 *
 * Assumes that the chosen forms are the right ones: costs by other forms stand beside the band. */
#ifndef PL_MODEL_FIT_BAND_H
#define PL_MODEL_FIT_BAND_H

#include "model/cost1996.h"
#include "model/fit_choice.h"

struct pl_fit_band_options {
    size_t replicas; /* at least 20 */
    uint64_t seed;
    double confidence;
    const struct pl_progress *progress; /* of replicas; may be NULL. Asked to stop it fails with PL_ERR_RESOURCE */
};

struct pl_fit_band {
    size_t replicas, failed;  /* replicas evaluated; those that could not be fitted */
    size_t count;             /* cache sizes */
    const double *d_mb, *total_s, *low_s, *high_s;
    double least_s;           /* of the fit itself, over the sizes inside the table; NaN when there is none */
    double least_low_s, least_high_s;
    bool pays;                /* least_s < 0 */
    double agree;             /* the share of replicas that say the same */
    bool survives;            /* agree >= confidence */
};

/* `writes` NULL: the table has none. `d_mb` has `count` sizes; params->d_mb is not used. */
enum pl_err pl_fit_band_make(const struct pl_fault_table *table, const struct pl_fit_choice *reads,
                             const struct pl_fit_choice *writes, const struct pl_cost_params *params,
                             const double *d_mb, size_t count, const struct pl_fit_band_options *options,
                             struct pl_arena *arena, struct pl_fit_band *out, struct pl_error *err);

#endif
