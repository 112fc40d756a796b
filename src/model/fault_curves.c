/* model/fault_curves.c: Read(x) and Write(x) over a table.
 *
 * Assumes that counts fall with memory, as under any policy with the stack property. Does not model what the log-linear
 * tails guess at: values there are marked, and whoever uses them decides. */
#include "model/fault_curves.h"

#include <math.h>

/* m - d + d r is a sum of rounded numbers: so much beyond the end of the table is still its end. */
static const double EDGE = 1e-12;

static void set_range(struct pl_fault_curves *curves)
{
    const struct pl_fault_table *table = curves->table;
    bool settled = table->reads_settled && (!table->writes || table->writes_settled);
    curves->page_mb = pl_pages_to_mb(1, table->page_size);
    curves->low_mb = table->memory_mb[0];
    curves->high_mb = settled ? INFINITY : table->memory_mb[table->count - 1];
}

/* Every whole number of pages from the first row to the last has a row. */
static enum pl_err check_exact(const struct pl_fault_table *table, struct pl_error *err)
{
    double page_mb = pl_pages_to_mb(1, table->page_size);
    double first = table->memory_mb[0] / page_mb;
    for (size_t i = 0; i < table->count; i++) {
        double pages = table->memory_mb[i] / page_mb;
        if (pages != floor(pages))
            return pl_fail(err, PL_ERR_INPUT, "%s: %.10g MB are not whole pages of %u bytes, as exact reading needs",
                           table->name, table->memory_mb[i], (unsigned)table->page_size);
        if (pages != first + (double)i)
            return pl_fail(err, PL_ERR_INPUT,
                           "%s: no row for %.0f pages; exact reading needs a row for every size (curve --all-sizes)",
                           table->name, first + (double)i);
    }
    return PL_OK;
}

enum pl_err pl_fault_curves_create(const struct pl_fault_table *table, enum pl_interpolation method,
                                   struct pl_arena *arena, struct pl_fault_curves *out, struct pl_error *err)
{
    if (table->count < 2)
        return pl_fail(err, PL_ERR_INPUT,
                       "%s: one row says nothing about other memory sizes; the model needs two at least",
                       table->name);
    bool exact = method == PL_INTERPOLATE_EXACT;
    enum pl_err rc = exact ? check_exact(table, err) : PL_OK;
    if (rc)
        return rc;
    if (exact)
        method = PL_INTERPOLATE_LINEAR; /* at whole pages every method gives the row itself */

    struct pl_interpolant *reads = NULL, *writes = NULL;
    rc = pl_interpolant_create(method, table->memory_mb, table->reads, table->count, arena, &reads, err);
    if (rc == PL_OK && table->writes)
        rc = pl_interpolant_create(method, table->memory_mb, table->writes, table->count, arena, &writes, err);
    if (rc)
        return pl_fail_prefix(err, "%s", table->name);
    *out = (struct pl_fault_curves){.table = table, .reads = reads, .writes = writes, .exact = exact};
    set_range(out);
    return PL_OK;
}

double pl_fault_curves_floor(const struct pl_fault_curves *curves, double memory_mb)
{
    if (!curves->exact)
        return memory_mb;
    return floor(memory_mb / curves->page_mb + 1e-9) * curves->page_mb;
}

/* One function, with what is known beyond the last row. */
static double value_at(const struct pl_interpolant *function, double x, double last, bool settled)
{
    return pl_interpolant_at(function, settled ? fmin(x, last) : x);
}

struct pl_faults pl_fault_curves_at(const struct pl_fault_curves *curves, double memory_mb)
{
    const struct pl_fault_table *table = curves->table;
    double x = pl_fault_curves_floor(curves, memory_mb);
    double last = table->memory_mb[table->count - 1];
    if (fabs(x - curves->low_mb) <= EDGE * curves->low_mb)
        x = curves->low_mb;
    else if (fabs(x - last) <= EDGE * last)
        x = last;

    struct pl_faults out = {.extrapolated = x < curves->low_mb || x > curves->high_mb};
    out.reads = value_at(curves->reads, x, last, table->reads_settled);
    if (curves->writes)
        out.writes = value_at(curves->writes, x, last, table->writes_settled);
    return out;
}
