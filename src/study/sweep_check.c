/* study/sweep_check.c: points of a curve study, each by a replay of its own. The machine is models/rc96.json in code,
 * so that the check does not depend on a file. */
#include "study/sweep_check.h"

#include "model/optimum.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *path, *text;
} machine_of_1996[] = {
    {"memory.lists", "false"},        {"working_set.policy", "lru"},     {"working_set.scope", "global"},
    {"store.enabled", "true"},        {"store.accounting", "1996"},      {"store.codec", "constant"},
    {"store.space", "ideal"},         {"store.takes", "all"},            {"store.when_full", "write-oldest"},
    {"store.exclusive", "true"},      {"cost.read", "0"},                {"cost.write", "0"},
    {"cost.execute", "0"},            {"cost.demand_zero_fault", "0"},   {"cost.hard_fault", "0"},
    {"cost.store_fault", "0"},        {"cost.zero_page", "0"},           {"disk.kind", "constant"},
    {"disk.constant.servers", "unlimited"},
};

static enum pl_err set_numbers(struct pl_parameters *parameters, const struct pl_model_point *point,
                               struct pl_error *err)
{
    const struct pl_cost_params *params = &point->params;
    const struct {
        const char *path;
        double number;
    } numbers[] = {
        {"memory.page_size", point->curves->page_mb * (double)PL_MIB},
        {"memory.total", params->m_mb * (double)PL_MIB},
        {"store.max_bytes", params->d_mb * (double)PL_MIB},
        {"store.ratio", params->r},
        {"store.extra_writes", params->frac},
        {"cost.compress", params->cd_s * (double)PL_PS_PER_S},
        {"cost.decompress", params->cd_s * (double)PL_PS_PER_S},
        {"disk.constant.read_page", params->ch_s * (double)PL_PS_PER_S},
        {"disk.constant.write_page", params->ch_s * (double)PL_PS_PER_S},
    };
    enum pl_err rc = PL_OK;
    for (size_t i = 0; rc == PL_OK && i < PL_COUNT_OF(numbers); i++)
        rc = pl_parameters_put_number(parameters, numbers[i].path, numbers[i].number, PL_FROM_UNSTATED, NULL,
                                      "the point", err);
    return rc;
}

static enum pl_err make_machine(const struct pl_model_point *point, struct pl_arena *arena, struct pl_machine *out,
                                struct pl_error *err)
{
    struct pl_parameters *parameters;
    enum pl_err rc = pl_machine_parameters(arena, &parameters, err);
    for (size_t i = 0; rc == PL_OK && i < PL_COUNT_OF(machine_of_1996); i++)
        rc = pl_parameters_put(parameters, machine_of_1996[i].path, machine_of_1996[i].text, PL_FROM_UNSTATED, NULL,
                               "the point", err);
    if (rc == PL_OK)
        rc = pl_parameters_put(parameters, "memory.first_touch", point->rule == PL_RULE_MEMSIM ? "disk" : "demand-zero",
                               PL_FROM_UNSTATED, NULL, "the point", err);
    if (rc == PL_OK)
        rc = set_numbers(parameters, point, err);
    return rc == PL_OK ? pl_machine_finish(parameters, out, err) : rc;
}

static enum pl_err run_on(const struct pl_machine *machine, const char *path, pl_time_ps *elapsed_ps,
                          struct pl_error *err)
{
    const struct pl_trace_options options = {.page_size = (uint32_t)machine->page_bytes};
    struct pl_trace *trace = NULL;
    struct pl_sim *sim = NULL;
    struct pl_batch batch;
    enum pl_err rc = pl_trace_open(path, &options, &trace, err);
    if (rc)
        return rc;
    const struct pl_sim_options how = {.clock = pl_trace_info(trace)->clock};
    rc = pl_sim_create(machine, &how, &sim, err);
    while (rc == PL_OK && (rc = pl_trace_next(trace, &batch, err)) == PL_OK)
        rc = pl_sim_feed(sim, &batch, err);
    if (rc == PL_END)
        rc = pl_sim_finish(sim, err);
    if (rc == PL_OK)
        *elapsed_ps = pl_sim_result(sim)->elapsed_ps;
    pl_sim_destroy(sim);
    pl_trace_close(trace);
    return rc;
}

static enum pl_err run_alone(const struct pl_model_point *point, double *total_s, struct pl_error *err)
{
    struct pl_machine machine;
    pl_time_ps with = 0, without = 0;
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "a machine");
    enum pl_err rc = make_machine(point, arena, &machine, err);
    if (rc == PL_OK)
        rc = run_on(&machine, point->trace, &with, err);
    if (rc == PL_OK) {
        const struct pl_machine bare = pl_machine_without_store(&machine);
        rc = run_on(&bare, point->trace, &without, err);
    }
    if (rc == PL_OK)
        *total_s = (double)(with - without) / (double)PL_PS_PER_S;
    pl_arena_destroy(arena);
    return rc;
}

static enum pl_err compare(const struct pl_study *study, uint64_t number, struct pl_shared_check *check,
                           struct pl_error *err)
{
    struct pl_model_point point;
    struct pl_cost cost;
    double alone_s = 0;
    pl_sweep_model_point(study->base, pl_study_point(study, number), &point);
    if (pl_cost_at(point.curves, &point.params, &cost, NULL) || !(point.params.d_mb > 0) || cost.extrapolated)
        return PL_OK; /* a point that fails in both, or a cache that does not exist on a machine */
    enum pl_err rc = run_alone(&point, &alone_s, err);
    if (rc)
        return pl_fail_prefix(err, "point %llu", (unsigned long long)number);
    /* Costs are differences of sums that may be much larger than themselves. */
    const double scale = fmax(fabs(cost.total_s), cost.disk_without_s);
    const double difference = scale > 0 ? fabs(alone_s - cost.total_s) / scale : fabs(alone_s - cost.total_s);
    check->points++;
    if (difference >= check->largest || check->points == 1) {
        check->largest = difference;
        check->largest_point = number;
        check->shared_s = cost.total_s;
        check->alone_s = alone_s;
    }
    check->equal = check->equal && difference <= 1e-9;
    return PL_OK;
}

enum pl_err pl_sweep_check_shared(struct pl_study *study, uint64_t count, struct pl_shared_check *out,
                                  struct pl_error *err)
{
    const struct pl_sweep_setup setup = {.threads = 1};
    struct pl_model_point first;
    struct pl_shared_check check = {.equal = true};
    if (study->ops != &pl_sweep_curve)
        return pl_fail(err, PL_ERR_INPUT, "%s: its points share no curve pass: nothing to compare", study->path);
    if (pl_sweep_index_of(study, pl_cost_parameter_names[PL_PARAMETER_D]) < 0)
        return pl_fail(err, PL_ERR_INPUT, "%s: a replay has a cache of some size: the study needs d", study->path);
    enum pl_err rc = study->ops->prepare(study->base, study, &setup, err);
    if (rc)
        return rc;
    pl_sweep_model_point(study->base, pl_study_point(study, 0), &first);
    if (first.params.accounting != PL_ACCOUNTING_1996 || first.params.frac_reading != PL_FRAC_FILE)
        return pl_fail(err, PL_ERR_INPUT, "%s: a replay charges as in 1996, with frac at the file; this study does not",
                       study->path);
    if (!count || count > study->point_count)
        count = study->point_count;
    for (uint64_t i = 0; rc == PL_OK && i < count; i++)
        rc = compare(study, count > 1 ? i * (study->point_count - 1) / (count - 1) : study->point_count / 2, &check,
                     err);
    if (rc == PL_OK)
        *out = check;
    return rc;
}
