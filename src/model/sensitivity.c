/* model/sensitivity.c: how much the cost hangs on each parameter.
 *
 * Assumes that parameters change one at a time. Does not model how likely such a change is. */
#include "model/optimum.h"

#include <math.h>

const char *const pl_cost_parameter_names[] = {"m", "d", "r", "cd", "ch", "frac", NULL};

static double *field(struct pl_cost_params *p, enum pl_cost_parameter which)
{
    double *const fields[PL_PARAMETER_COUNT] = {&p->m_mb, &p->d_mb, &p->r, &p->cd_s, &p->ch_s, &p->frac};
    return fields[which];
}

double pl_cost_parameter_get(const struct pl_cost_params *params, enum pl_cost_parameter which)
{
    struct pl_cost_params copy = *params;
    return *field(&copy, which);
}

void pl_cost_parameter_set(struct pl_cost_params *params, enum pl_cost_parameter which, double value)
{
    *field(params, which) = value;
}

/* NaN when the parameters make no sense or the table cannot tell. */
static double total_at(const struct pl_fault_curves *curves, const struct pl_cost_params *params)
{
    struct pl_cost cost;
    if (pl_cost_at(curves, params, &cost, NULL) || cost.extrapolated)
        return NAN;
    return cost.total_s;
}

static struct pl_sensitivity change_one(const struct pl_fault_curves *curves, struct pl_cost_params params,
                                        enum pl_cost_parameter which, double change)
{
    struct pl_sensitivity row = {.parameter = which, .change = change};
    row.value = pl_cost_parameter_get(&params, which) * (1 + change);
    pl_cost_parameter_set(&params, which, row.value);
    row.possible = pl_cost_check(&params, curves, NULL) == PL_OK;
    row.total_s = row.best_d_mb = row.best_total_s = NAN;
    if (!row.possible)
        return row;

    row.total_s = total_at(curves, &params);
    struct pl_optimum optimum;
    pl_cost_optimum(curves, &params, 0, &optimum);
    if (optimum.found) {
        row.best_d_mb = optimum.d_mb;
        row.best_total_s = optimum.cost.total_s;
    }
    return row;
}

void pl_cost_sensitivity(const struct pl_fault_curves *curves, const struct pl_cost_params *params,
                         struct pl_sensitivity out[PL_SENSITIVITY_ROWS])
{
    static const enum pl_cost_parameter parameters[] = {PL_PARAMETER_R, PL_PARAMETER_CD, PL_PARAMETER_CH};
    static const double changes[] = {-0.5, -0.1, 0.1, 0.5};
    size_t row = 0;
    for (size_t i = 0; i < PL_COUNT_OF(parameters); i++) {
        for (size_t k = 0; k < PL_COUNT_OF(changes); k++)
            out[row++] = change_one(curves, *params, parameters[i], changes[k]);
    }
}

void pl_cost_elasticities(const struct pl_fault_curves *curves, const struct pl_cost_params *params,
                          struct pl_elasticity out[PL_ELASTICITY_ROWS])
{
    static const enum pl_cost_parameter parameters[PL_ELASTICITY_ROWS] = {
        PL_PARAMETER_M, PL_PARAMETER_D, PL_PARAMETER_R, PL_PARAMETER_CD, PL_PARAMETER_CH};
    const double share = 0.001;
    double base = total_at(curves, params);
    for (int i = 0; i < PL_ELASTICITY_ROWS; i++) {
        struct pl_cost_params less = *params, more = *params;
        double value = pl_cost_parameter_get(params, parameters[i]);
        pl_cost_parameter_set(&less, parameters[i], value * (1 - share));
        pl_cost_parameter_set(&more, parameters[i], value * (1 + share));
        double slope = (total_at(curves, &more) - total_at(curves, &less)) / (2 * share);
        out[i] = (struct pl_elasticity){parameters[i], slope / 100, base != 0 ? slope / base : NAN};
    }
}
