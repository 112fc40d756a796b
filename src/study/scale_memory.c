/* study/scale_memory.c: sizes that go with the size of memory.
 *
 * What this does not know: sizes that systems do not take in proportion (Linux takes watermarks from the square root of
 * memory). Who has such sizes sets them one by one. */
#include "study/scale_memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const sizes[] = {
    "memory.kernel",          "memory.bad",
    "memory.commit_limit",    "working_set.minimum",
    "working_set.maximum",    "working_set.grow_above",
    "working_set.trim_below", "working_set.trim_until",
    "writer.modified_above",  "writer.available_below",
    "store.max_pages",        "store.max_bytes",
    "page_file.size",
};

static enum pl_err scale(struct pl_parameters *parameters, const struct pl_machine *machine, const char *path,
                         double factor, struct pl_error *err)
{
    char note[128];
    const struct pl_parameter_value *value = pl_parameters_find(parameters, path);
    const double number = value ? pl_parameter_number(value, machine) : 0;
    if (!value || value->source == PL_FROM_DEFAULT || !isfinite(number) || number <= 0)
        return PL_OK;
    const double page = value->row->kind == PL_PARAM_PAGES ? 1 : (double)machine->page_bytes;
    snprintf(note, sizeof note, "%.40s, scaled with memory by %.4g", value->text, factor);
    return pl_parameters_put_number(parameters, path, fmax(round(number * factor / page), 1) * page, PL_FROM_ASSUMED,
                                    note, "--memory", err);
}

enum pl_err pl_machine_scale_memory(struct pl_parameters *parameters, double bytes, struct pl_error *err)
{
    struct pl_machine machine = {0};
    enum pl_err rc = pl_parameters_finish(parameters, &machine, err);
    if (rc)
        return rc;
    const bool fixed = machine.resident_pages != PL_UNLIMITED;
    const double before =
        fixed ? (double)machine.resident_pages * (double)machine.page_bytes : (double)machine.total_bytes;
    if (!(bytes >= (double)machine.page_bytes))
        return pl_fail(err, PL_ERR_USAGE, "--memory: less than a page");
    for (size_t i = 0; i < PL_COUNT_OF(sizes) && rc == PL_OK; i++)
        rc = scale(parameters, &machine, sizes[i], bytes / before, err);
    if (rc == PL_OK)
        rc = pl_parameters_put_number(parameters, fixed ? "memory.resident" : "memory.total",
                                      fixed ? round(bytes / (double)machine.page_bytes) : bytes, PL_FROM_COMMAND_LINE,
                                      NULL, "--memory", err);
    return rc;
}

enum pl_err pl_machine_scale_memory_to(struct pl_parameters *parameters, const char *size, struct pl_error *err)
{
    struct pl_machine machine = {0};
    uint64_t bytes;
    enum pl_err rc = pl_parameters_finish(parameters, &machine, err);
    if (rc)
        return rc;
    rc = pl_parse_bytes(size, (uint32_t)machine.page_bytes, &bytes, err);
    if (rc)
        return pl_fail_prefix(err, "--memory");
    return pl_machine_scale_memory(parameters, (double)bytes, err);
}
