/* cmd/cmd_validate_sensitivity.c: `pagelab validate --sensitivity`: each calibrated value of a machine is moved by a
 * tenth, and the predictions that move with it are listed.
 *
 * A calibrated value is a parameter that a measurement names as what was calibrated from it. It counts for the machine
 * that the measurement names and for the machines that inherit it. What moves no prediction rests on nothing but
 * itself: it is listed too, so that nobody takes the agreement of what it was calibrated from for a result. */
#include "cmd/cmd_validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double moved_by = 1.1, least_change = 1e-6;

/* A calibrated value, and where it was calibrated. */
struct lever {
    const char *machine, *path;
};

struct levers {
    struct lever *lever;
    size_t count, capacity;
};

static enum pl_err add_lever(struct levers *levers, const char *machine, const char *path, struct pl_error *err)
{
    for (size_t i = 0; i < levers->count; i++)
        if (!strcmp(levers->lever[i].machine, machine) && !strcmp(levers->lever[i].path, path))
            return PL_OK;
    enum pl_err rc = pl_grow((void **)&levers->lever, &levers->capacity, levers->count + 1, sizeof *levers->lever,
                             "calibrated values", err);
    if (rc == PL_OK)
        levers->lever[levers->count++] = (struct lever){machine, path};
    return rc;
}

static enum pl_err consider(const struct pl_measurement *measurement, const struct pl_measured_value *value,
                            const struct pl_parameters *parameters, struct levers *levers, struct pl_error *err)
{
    bool names_one = value->class == PL_MEASURED_CALIBRATED && value->from && measurement->machine &&
                     pl_parameters_find(parameters, value->from);
    return names_one ? add_lever(levers, measurement->machine, value->from, err) : PL_OK;
}

/* Those that the measurement's calibrated values name, as far as they are parameters of machines. */
static enum pl_err levers_of(const struct validate_job *job, const struct pl_measurement *measurement,
                             struct levers *levers, struct pl_error *err)
{
    struct pl_parameters *parameters;
    enum pl_err rc = pl_machine_parameters(job->arena, &parameters, err);
    for (size_t i = 0; rc == PL_OK && i < measurement->phases; i++)
        for (size_t k = 0; rc == PL_OK && k < measurement->phase[i].values; k++)
            rc = consider(measurement, &measurement->phase[i].value[k], parameters, levers, err);
    for (size_t i = 0; rc == PL_OK && i < measurement->comparisons; i++)
        rc = consider(measurement, &measurement->comparison[i].value, parameters, levers, err);
    return rc;
}

/* Whether the machine of a measurement has the value from the machine where it was calibrated. */
static bool holds_there(const struct lever *lever, const struct pl_measurement *measurement,
                        const struct pl_parameter_value *value)
{
    char file[256];
    if (!strcmp(measurement->machine, lever->machine))
        return true;
    snprintf(file, sizeof file, "%s.json:", lever->machine);
    return value->inherited && value->place && strstr(value->place, file) != NULL;
}

/* Runs a measurement with the lever moved; *out stays NULL where the lever does not hold. */
static enum pl_err run_moved(const struct validate_job *job, const struct lever *lever, size_t i, struct pl_arena *arena,
                             struct pl_prediction **out, struct pl_error *err)
{
    const struct pl_measurement *measurement = &job->measurement[i];
    struct pl_parameters *parameters;
    struct pl_machine machine;
    enum pl_err rc = validate_read_machine(job->given, measurement, arena, &parameters, &machine, err);
    if (rc)
        return rc;
    const struct pl_parameter_value *value = pl_parameters_find(parameters, lever->path);
    if (!holds_there(lever, measurement, value))
        return PL_OK;
    rc = pl_parameters_put_number(parameters, lever->path, pl_parameter_number(value, &machine) * moved_by,
                                  PL_FROM_COMMAND_LINE, NULL, "--sensitivity", err);
    if (rc == PL_OK)
        rc = pl_machine_finish(parameters, &machine, err);
    return rc == PL_OK ? pl_predict(measurement, &machine, NULL, out, err) : rc;
}

/* All rows again, in the order of the first run. */
static enum pl_err rows_of(const struct validate_job *job, struct pl_prediction *const *prediction, struct pl_arena *arena,
                           struct pl_validation *out, struct pl_error *err)
{
    const struct validate_options *given = job->given;
    const struct pl_validate_options options = {given->time_tolerance, given->count_tolerance, given->size_tolerance, given->least};
    enum pl_err rc = PL_OK;
    for (size_t i = 0; rc == PL_OK && i < job->count; i++) {
        struct pl_parameters *parameters;
        struct pl_machine machine;
        if (!prediction[i])
            continue;
        rc = validate_read_machine(given, &job->measurement[i], arena, &parameters, &machine, err);
        if (rc == PL_OK)
            rc = pl_validate(&job->measurement[i], parameters, prediction[i], &options, arena, out, err);
    }
    for (size_t i = 0; rc == PL_OK && i < job->count; i++)
        if (prediction[i])
            rc = pl_validate_comparisons(&job->measurement[i], job->measurement, prediction, job->count, arena, out, err);
    return rc;
}

/* A row for each prediction that moved; one that says so when none did. */
static size_t put_moves(struct pl_document_table *table, const struct lever *lever, const struct pl_validation *before,
                        const struct pl_validation *after)
{
    size_t moves = 0;
    for (size_t i = 0; i < before->rows && i < after->rows; i++) {
        const struct pl_validation_row *old = &before->row[i], *new = &after->row[i];
        double change = new->predicted / old->predicted - 1;
        if (old->class != PL_MEASURED_PREDICTED || !(fabs(change) > least_change))
            continue;
        const struct pl_value row[] = {
            pl_value_text(lever->machine), pl_value_text(lever->path), pl_value_text(old->measurement->name),
            pl_value_text(old->phase), pl_value_text(old->quantity), pl_value_real(change * 100),
            pl_value_real(new->error * 100), pl_value_text(new->counts ? new->holds ? "holds" : "misses" : "not judged")};
        pl_document_row(table, row);
        moves++;
    }
    if (!moves) {
        const struct pl_value row[] = {pl_value_text(lever->machine), pl_value_text(lever->path), pl_value_text("none"),
                                       pl_value_text(""), pl_value_text(""), pl_value_real(NAN), pl_value_real(NAN),
                                       pl_value_text("")};
        pl_document_row(table, row);
    }
    return moves;
}

static enum pl_err move(const struct validate_job *job, const struct lever *lever, struct pl_document_table *table,
                        size_t *moves, struct pl_error *err)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_prediction **moved = calloc(job->count + 1, sizeof *moved), **all = calloc(job->count + 1, sizeof *all);
    struct pl_validation after = {0};
    enum pl_err rc = arena && moved && all ? PL_OK : pl_fail_memory(err, 0, "predictions");
    for (size_t i = 0; rc == PL_OK && i < job->count; i++) {
        if (job->prediction[i])
            rc = run_moved(job, lever, i, arena, &moved[i], err);
        all[i] = moved[i] ? moved[i] : job->prediction[i];
    }
    if (rc == PL_OK)
        rc = rows_of(job, all, arena, &after, err);
    if (rc == PL_OK)
        *moves = put_moves(table, lever, &job->validation, &after);
    for (size_t i = 0; moved && i < job->count; i++)
        pl_prediction_free(moved[i]);
    free(moved);
    free(all);
    pl_validation_free(&after);
    pl_arena_destroy(arena);
    return rc;
}

static struct pl_document_table *make_table(struct pl_document *document)
{
    static const struct pl_column columns[] = {
        {"machine", "machine", "", PL_VALUE_TEXT, 0},      {"parameter", "calibrated value", "", PL_VALUE_TEXT, 0},
        {"measurement", "moves", "", PL_VALUE_TEXT, 0},    {"phase", "phase", "", PL_VALUE_TEXT, 0},
        {"quantity", "quantity", "", PL_VALUE_TEXT, 0},    {"change_percent", "by", "%", PL_VALUE_REAL, 2},
        {"error_percent", "error then", "%", PL_VALUE_REAL, 2}, {"verdict", "verdict then", "", PL_VALUE_TEXT, 0},
    };
    return pl_document_table(document, "sensitivity", "Predictions that move with a calibrated value", columns,
                             PL_COUNT_OF(columns));
}

static enum pl_err move_all(const struct validate_job *job, const struct levers *levers, struct pl_document *document,
                            struct pl_error *err)
{
    struct pl_progress progress = cmd_progress_begin("sensitivity", "values", job->given->common.quiet);
    struct pl_document_table *table = make_table(document);
    size_t idle = 0, moves = 0;
    enum pl_err rc = PL_OK;
    for (size_t i = 0; rc == PL_OK && i < levers->count; i++) {
        rc = move(job, &levers->lever[i], table, &moves, err);
        idle += rc == PL_OK && !moves;
        if (!pl_progress_report(&progress, i + 1, levers->count) && rc == PL_OK)
            rc = pl_fail(err, PL_ERR_RESOURCE, "interrupted");
    }
    cmd_progress_end();
    pl_document_result(document, "calibrated_values", "calibrated values", "", pl_value_count(levers->count));
    pl_document_result(document, "move_none", "of them move no prediction", "", pl_value_count(idle));
    return rc;
}

enum pl_err validate_sensitivity(struct validate_job *job, struct pl_error *err)
{
    struct levers levers = {0};
    int argc;
    char **argv;
    struct pl_document *document = pl_document_create(job->arena, "sensitivity", "Each calibrated value moved up by a tenth");
    enum pl_err rc = document ? PL_OK : pl_fail_memory(err, 0, "the result");
    for (size_t i = 0; rc == PL_OK && i < job->count; i++)
        rc = levers_of(job, &job->measurement[i], &levers, err);
    if (rc == PL_OK) {
        cmd_line(&argc, &argv);
        pl_document_command(document, argc, argv);
        rc = move_all(job, &levers, document, err);
    }
    if (rc == PL_OK)
        rc = cmd_emit(document, &job->given->common, err);
    free(levers.lever);
    return rc;
}
