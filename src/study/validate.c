/* study/validate.c: rows of predicted beside measured.
 *
 * A level (working set, private bytes) is compared by its change since the first phase in which the measurement has it as
 * an input: a process has memory of its own before the workload begins, and that is not predicted. */
#include "study/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool pl_machine_was_fitted_to(const struct pl_parameters *machine, const struct pl_measurement *measurement)
{
    char mark[320];
    snprintf(mark, sizeof mark, "fitted to %.200s (%016llx)", measurement->name, (unsigned long long)measurement->hash);
    for (size_t i = 0; machine && i < pl_parameters_count(machine); i++) {
        const struct pl_parameter_value *value = pl_parameters_at(machine, i);
        if (value->source == PL_FROM_FITTED && value->note && strstr(value->note, mark))
            return true;
    }
    return false;
}

static enum pl_err add_row(struct pl_validation *validation, const struct pl_validation_row *row, struct pl_error *err)
{
    enum pl_err rc = pl_grow((void **)&validation->row, &validation->capacity, validation->rows + 1, sizeof *validation->row,
                             "a comparison", err);
    if (rc == PL_OK)
        validation->row[validation->rows++] = *row;
    return rc;
}

/* --- the offset of levels ---------------------------------------------------------------- */

/* Measured less simulated, at the first phase that has the level as an input; 0 without one. */
static enum pl_err level_offset(const struct pl_measurement *measurement, const struct pl_prediction *prediction,
                                const char *quantity, double *out, struct pl_error *err)
{
    *out = 0;
    if (!pl_quantity_is_level(quantity))
        return PL_OK;
    for (size_t i = 0; i < measurement->phases; i++) {
        const struct pl_measured_value *value = pl_measurement_find(measurement, measurement->phase[i].name, quantity);
        double simulated;
        if (!value || value->class != PL_MEASURED_INPUT)
            continue;
        if (pl_prediction_value(prediction, measurement->phase[i].name, quantity, &simulated, NULL))
            simulated = 0; /* before the first mark of the scenario */
        *out = pl_measured_median(value) - simulated;
        return PL_OK;
    }
    (void)err;
    return PL_OK;
}

/* --- a value ---------------------------------------------------------------------------------- */

static double usual_tolerance(const struct pl_validate_options *options, const struct pl_measured_value *value)
{
    if (!strcmp(value->quantity, "time"))
        return options->time_tolerance;
    if (!strcmp(value->quantity, "store_bytes"))
        return options->size_tolerance;
    if (!strcmp(value->quantity, "store_used_bytes"))
        return 2 * options->size_tolerance; /* fragmentation comes on top */
    return strstr(value->quantity, "faults") ? options->count_tolerance : NAN;
}

static void judge(struct pl_validation_row *row, const struct pl_validate_options *options)
{
    double difference = row->predicted - row->measured;
    row->error = row->measured != 0 ? difference / fabs(row->measured) : difference == 0 ? 0 : NAN;
    row->counts = row->class == PL_MEASURED_PREDICTED && (!isnan(row->tolerance) || !isnan(row->tolerance_pages));
    if (row->counts && !strcmp(row->quantity, "time") && row->measured < (double)options->least_time / (double)PL_PS_PER_S)
        row->counts = false;
    const bool pages = !isnan(row->tolerance_pages) &&
                       fabs(difference) <= row->tolerance_pages * row->scale * (1 + 1e-9);
    const bool share = !isnan(row->tolerance) && fabs(difference) <= row->tolerance * fabs(row->measured) * (1 + 1e-9);
    row->holds = !row->counts || pages || share;
}

static enum pl_err compare(const struct pl_measurement *measurement, const char *phase, const struct pl_measured_value *value,
                           const struct pl_prediction *prediction, bool fitted, const struct pl_validate_options *options,
                           struct pl_validation *out, struct pl_error *err)
{
    double offset = 0;
    if (!measurement->from_document && !pl_quantity_is_known(value->quantity))
        return PL_OK; /* a program measures more than a model predicts */
    struct pl_validation_row row = {.measurement = measurement, .phase = phase, .quantity = value->quantity,
                                    .unit = value->unit, .scale = value->scale, .measured = pl_measured_median(value),
                                    .spread = pl_measured_spread(value), .tolerance = value->tolerance,
                                    .tolerance_pages = value->tolerance_pages, .class = value->class, .from = value->from,
                                    .note = value->note, .known_miss = value->known_miss};
    enum pl_err rc = pl_prediction_value(prediction, phase, value->quantity, &row.predicted, err);
    if (rc == PL_OK)
        rc = level_offset(measurement, prediction, value->quantity, &offset, err);
    if (rc)
        return rc;
    row.predicted += offset;
    row.fitted = fitted && row.class == PL_MEASURED_PREDICTED;
    if (row.fitted)
        row.class = PL_MEASURED_CALIBRATED;
    if (isnan(row.tolerance) && isnan(row.tolerance_pages) && !measurement->from_document)
        row.tolerance = usual_tolerance(options, value);
    /* A swap device keeps a page for itself. */
    if (!measurement->from_document && !isnan(row.tolerance) && isnan(row.tolerance_pages) && !strncmp(value->quantity, "store_", 6))
        row.tolerance_pages = 2;
    /* A tolerance in pages: counts are pages already, sizes are bytes. */
    if (!isnan(row.tolerance_pages)) {
        double page = strstr(row.quantity, "bytes") ? measurement->page_bytes : 1;
        row.tolerance_pages *= page / row.scale;
    }
    judge(&row, options);
    return add_row(out, &row, err);
}

enum pl_err pl_validate(const struct pl_measurement *measurement, const struct pl_parameters *parameters,
                        const struct pl_prediction *prediction, const struct pl_validate_options *options,
                        struct pl_arena *arena, struct pl_validation *out, struct pl_error *err)
{
    const bool fitted = pl_machine_was_fitted_to(parameters, measurement);
    enum pl_err rc = PL_OK;
    (void)arena;
    for (size_t i = 0; i < measurement->phases && rc == PL_OK; i++)
        for (size_t k = 0; k < measurement->phase[i].values && rc == PL_OK; k++)
            rc = compare(measurement, measurement->phase[i].name, &measurement->phase[i].value[k], prediction, fitted, options,
                         out, err);
    return rc;
}

/* --- numbers made of several --------------------------------------------------------------------- */

struct terms {
    const struct pl_measurement *self, *others;
    struct pl_prediction *const *predictions;
    size_t count;
    const struct pl_json_node *node;
    const char *at;
    struct pl_arena *arena;
    struct pl_error *err;
};

/* "quantity[phase]" or "measurement:quantity[phase]". */
static enum pl_err term(struct terms *terms, double *out)
{
    terms->at += strspn(terms->at, " ");
    if (strspn(terms->at, "0123456789.") > 0) {
        char *end;
        *out = strtod(terms->at, &end);
        terms->at = end;
        return PL_OK;
    }
    size_t length = strcspn(terms->at, "[");
    const char *close = strchr(terms->at, ']');
    if (!close || !terms->at[length])
        return pl_json_fail(terms->node, terms->err, "'%.80s': write quantity[phase] or measurement:quantity[phase]", terms->at);
    char *head = pl_arena_printf(terms->arena, "%.*s", (int)length, terms->at);
    char *phase = pl_arena_printf(terms->arena, "%.*s", (int)(close - terms->at - (ptrdiff_t)length - 1), terms->at + length + 1);
    if (!head || !phase)
        return pl_fail_memory(terms->err, 0, "a comparison");
    terms->at = close + 1;
    char *colon = strchr(head, ':');
    const char *quantity = colon ? colon + 1 : head, *wanted = terms->self->name;
    if (colon) {
        *colon = '\0';
        wanted = head;
    }
    for (size_t i = 0; i < terms->count; i++)
        if (!strcmp(terms->others[i].name, wanted)) {
            if (!terms->predictions[i])
                break;
            return pl_prediction_value(terms->predictions[i], phase, quantity, out, terms->err);
        }
    return pl_json_fail(terms->node, terms->err, "the measurement '%.80s' is not among those that ran", wanted);
}

/* Terms joined by / * - +, from left to right with * and / first. */
static enum pl_err formula(struct terms *terms, double *out)
{
    double sum = 0, product;
    char pending = '+';
    enum pl_err rc = term(terms, &product);
    while (rc == PL_OK) {
        terms->at += strspn(terms->at, " ");
        char op = *terms->at;
        double next;
        if (op != '/' && op != '*') {
            sum += pending == '+' ? product : -product;
            if (!op) {
                *out = sum;
                return PL_OK;
            }
            if (op != '+' && op != '-')
                return pl_json_fail(terms->node, terms->err, "'%.40s' is no operator (+ - * /)", terms->at);
            pending = op;
            terms->at++;
            rc = term(terms, &product);
            continue;
        }
        terms->at++;
        rc = term(terms, &next);
        product = op == '*' ? product * next : product / next;
    }
    return rc;
}

enum pl_err pl_validate_comparisons(const struct pl_measurement *measurement, const struct pl_measurement *others,
                                    struct pl_prediction *const *predictions, size_t count, struct pl_arena *arena,
                                    struct pl_validation *out, struct pl_error *err)
{
    static const struct pl_validate_options none;
    for (size_t i = 0; i < measurement->comparisons; i++) {
        const struct pl_comparison *one = &measurement->comparison[i];
        struct terms terms = {measurement, others, predictions, count, one->value.node, one->of, arena, err};
        struct pl_validation_row row = {.measurement = measurement, .phase = one->name, .quantity = "comparison",
                                        .unit = one->value.unit, .scale = one->value.scale,
                                        .measured = pl_measured_median(&one->value), .tolerance = one->value.tolerance,
                                        .tolerance_pages = one->value.tolerance_pages, .class = one->value.class,
                                        .from = one->value.from ? one->value.from : one->of, .note = one->value.note,
                                        .known_miss = one->value.known_miss};
        enum pl_err rc = formula(&terms, &row.predicted);
        if (rc)
            return rc;
        judge(&row, &none);
        rc = add_row(out, &row, err);
        if (rc)
            return rc;
    }
    return PL_OK;
}

/* --- sums ------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void pl_validation_sum(struct pl_validation *validation)
{
    double *error = malloc((validation->rows + 1) * sizeof *error);
    size_t count = 0;
    validation->counted = validation->missed = validation->known = 0;
    validation->median_error = validation->worst_error = NAN;
    for (size_t i = 0; i < validation->rows; i++) {
        const struct pl_validation_row *row = &validation->row[i];
        validation->counted += row->counts;
        validation->missed += row->counts && !row->holds;
        validation->known += row->counts && !row->holds && row->known_miss;
        if (error && row->counts && !strcmp(row->quantity, "time") && !isnan(row->error))
            error[count++] = fabs(row->error);
    }
    if (count) {
        qsort(error, count, sizeof *error, by_value);
        validation->median_error = count % 2 ? error[count / 2] : (error[count / 2 - 1] + error[count / 2]) / 2;
        validation->worst_error = error[count - 1];
    }
    free(error);
}

void pl_validation_free(struct pl_validation *validation)
{
    free(validation->row);
    *validation = (struct pl_validation){0};
}
