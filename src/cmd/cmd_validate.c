/* cmd/cmd_validate.c: `pagelab validate`: predicted beside measured. */
#include "cmd/cmd_validate.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct pl_option what_options[] = {
    {"machine", 'm', PL_OPT_TEXT, offsetof(struct validate_options, machine), "MACHINE", NULL,
     "The machine that predicts: a file, or the name of one of models/. Without it, the one that each measurement names."},
    {"measured", 0, PL_OPT_LIST, offsetof(struct validate_options, measured), "FILE", NULL,
     "A measurement, as pagecap eat writes it or typed from a document."},
    {"all", 0, PL_OPT_FLAG, offsetof(struct validate_options, all), NULL, NULL,
     "Every measurement of models/measurements (or of the folders given as operands), each on the machine that it names."},
    {"sensitivity", 0, PL_OPT_FLAG, offsetof(struct validate_options, sensitivity), NULL, NULL,
     "Move each calibrated value of the machines by a tenth, and list the predictions that move with it; what "
     "moves none is named."},
    {"set", 0, PL_OPT_LIST, offsetof(struct validate_options, sets), "PATH=VALUE", NULL,
     "Another value for a parameter of the machine."},
    {"least", 0, PL_OPT_TIME, offsetof(struct validate_options, least), "TIME", "20ms",
     "Times of measured files that are shorter are shown and do not count."},
    {"time-tolerance", 0, PL_OPT_REAL, offsetof(struct validate_options, time_tolerance), "SHARE", "0.25",
     "Relative error that is allowed for times of measured files without a tolerance of their own."},
    {"count-tolerance", 0, PL_OPT_REAL, offsetof(struct validate_options, count_tolerance), "SHARE", "0.005",
     "The same for counts of faults."},
    {"size-tolerance", 0, PL_OPT_REAL, offsetof(struct validate_options, size_tolerance), "SHARE", "0.03",
     "The same for compressed bytes; twice as much for the memory that they take."},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"What is compared", what_options, 0},
    {"Output", cmd_common_options, offsetof(struct validate_options, common)},
    {NULL},
};

static const struct pl_example examples[] = {
    {"pagelab validate --machine win10-1607-i7-4770k --measured models/measurements/kraus-cppeater.json",
     "one document's numbers on one machine"},
    {NULL},
};

const struct pl_command_spec cmd_validate_spec = {
    .name = "validate",
    .operands = "[--machine MACHINE] --measured FILE... | --all [FOLDER...]",
    .summary = "hold predictions against measurements, phase by phase; exit status 1 when one is outside its tolerance",
    .details =
        "Runs the workload of each measurement on a simulated machine and puts every number beside what was measured. Numbers "
        "have a class: input (was entered), restated (the same measurement in other words), calibrated (a cost was taken from "
        "it) or predicted; only predicted ones count. What the machine was fitted to, as its file remembers, is never a "
        "prediction.\n\n"
        "A prediction that is known to miss has its reason in the measurement's file: it is shown with that reason and counted "
        "among the misses, and does not make the exit status 1; every other miss does.",
    .groups = groups,
    .examples = examples,
};

/* --- one machine ------------------------------------------------------------------------------- */

enum pl_err validate_read_machine(const struct validate_options *given, const struct pl_measurement *measurement,
                                  struct pl_arena *arena, struct pl_parameters **parameters, struct pl_machine *machine,
                                  struct pl_error *err)
{
    const char *name = given->machine ? given->machine : measurement->machine;
    char path[4096];
    if (!name)
        return pl_fail(err, PL_ERR_USAGE, "%s: names no machine; give one with --machine", measurement->path);
    enum pl_err rc = pl_model_path("", name, measurement->path, path, sizeof path, err);
    if (rc == PL_OK)
        rc = pl_machine_parameters(arena, parameters, err);
    if (rc == PL_OK)
        rc = pl_parameters_read(*parameters, path, err);
    for (size_t i = 0; i < given->sets.count && rc == PL_OK; i++)
        rc = pl_parameters_override(*parameters, given->sets.item[i], err);
    if (rc == PL_OK)
        rc = pl_machine_finish(*parameters, machine, err);
    return rc;
}

/* --- the document -------------------------------------------------------------------------------- */

static const char *verdict(const struct pl_validation_row *row)
{
    if (row->counts)
        return row->holds ? "holds" : row->known_miss ? "misses (known)" : "MISSES";
    return row->fitted ? "fitted to it" : row->class == PL_MEASURED_PREDICTED ? "not judged" : "";
}

/* "4 pages" where the measurement allows an absolute error. */
/* A tolerance given in pages, in the row's unit: "8192 bytes", "12 KiB", "3". */
static const char *absolute(const struct pl_validation_row *row, struct pl_arena *arena)
{
    if (isnan(row->tolerance_pages))
        return NULL;
    const bool counts = !strcmp(row->unit, "count");
    return pl_arena_printf(arena, "%.6g%s%s", row->tolerance_pages, counts ? "" : " ", counts ? "" : row->unit);
}

static void add_rows(struct pl_document *document, const struct pl_validation *validation, struct pl_arena *arena)
{
    static const struct pl_column columns[] = {
        {"measurement", "measurement", "", PL_VALUE_TEXT, 0}, {"phase", "phase", "", PL_VALUE_TEXT, 0},
        {"quantity", "quantity", "", PL_VALUE_TEXT, 0},       {"unit", "unit", "", PL_VALUE_TEXT, 0},
        {"measured", "measured", "", PL_VALUE_REAL, -1},      {"spread_percent", "spread", "%", PL_VALUE_REAL, 1},
        {"predicted", "predicted", "", PL_VALUE_REAL, -1},    {"error_percent", "error", "%", PL_VALUE_REAL, 2},
        {"tolerance_percent", "tolerance", "%", PL_VALUE_REAL, 1}, {"tolerance_absolute", "or by", "", PL_VALUE_TEXT, 0}, {"class", "class", "", PL_VALUE_TEXT, 0},
        {"verdict", "verdict", "", PL_VALUE_TEXT, 0},         {"from", "rests on", "", PL_VALUE_TEXT, 0},
    };
    struct pl_document_table *table =
        pl_document_table(document, "values", "Predicted beside measured", columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < validation->rows; i++) {
        const struct pl_validation_row *row = &validation->row[i];
        const double pages = row->tolerance_pages * row->scale / fabs(row->measured);
        const struct pl_value values[] = {
            pl_value_text(row->measurement->name), pl_value_text(row->phase), pl_value_text(row->quantity),
            pl_value_text(row->unit), pl_value_real(row->measured / row->scale),
            pl_value_real(row->spread > 0 ? row->spread * 100 : NAN), pl_value_real(row->predicted / row->scale),
            pl_value_real(row->error * 100), pl_value_real((isnan(row->tolerance) ? pages : row->tolerance) * 100),
            pl_value_text(absolute(row, arena)),
            pl_value_text(pl_measured_class_names[row->class]), pl_value_text(verdict(row)), pl_value_text(row->from)};
        pl_document_row(table, values);
    }
    pl_document_csv_table(document, table);
}

static struct pl_document *make_document(const struct pl_validation *validation, struct pl_arena *arena)
{
    int argc;
    char **argv;
    const char *title = validation->counted == 0 ? "Nothing here is a prediction"
        : pl_arena_printf(arena, "%zu of %zu predictions hold%s", validation->counted - validation->missed, validation->counted,
                          isnan(validation->median_error) ? "; no time was judged" : "");
    struct pl_document *document = pl_document_create(arena, "validate", title ? title : "Predicted beside measured");
    if (!document)
        return NULL;
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    pl_document_result(document, "predictions", "predictions", "", pl_value_count(validation->counted));
    pl_document_result(document, "missed", "outside their tolerance", "", pl_value_count(validation->missed));
    pl_document_result(document, "median_time_error_percent", "median error of predicted times", "%",
                       pl_value_real(validation->median_error * 100));
    pl_document_result(document, "worst_time_error_percent", "worst of them", "%",
                       pl_value_real(validation->worst_error * 100));
    add_rows(document, validation, arena);
    for (size_t i = 0; i < validation->rows; i++) {
        const struct pl_validation_row *row = &validation->row[i];
        if (row->counts && row->known_miss)
            pl_document_note(document, "%s, %s, %s: %s: %s.", row->measurement->name, row->phase, row->quantity,
                             row->holds ? "holds now, though it was known to miss" : "is known to miss", row->known_miss);
    }
    size_t fitted = 0;
    for (size_t i = 0; i < validation->rows; i++)
        fitted += validation->row[i].fitted;
    if (fitted)
        pl_document_note(document, "%zu values are of a measurement that the machine was fitted to: they are no predictions and "
                         "do not count.", fitted);
    return document;
}

/* --- the run --------------------------------------------------------------------------------------- */

static enum pl_err run_one(struct validate_job *job, size_t i, struct pl_error *err)
{
    const struct validate_options *given = job->given;
    const struct pl_validate_options options = {given->time_tolerance, given->count_tolerance, given->size_tolerance, given->least};
    struct pl_parameters *parameters = NULL;
    struct pl_machine machine;
    enum pl_err rc = pl_measurement_read(job->path[i], job->arena, &job->measurement[i], err);
    if (rc == PL_OK)
        rc = validate_read_machine(given, &job->measurement[i], job->arena, &parameters, &machine, err);
    if (rc == PL_OK)
        rc = pl_predict(&job->measurement[i], &machine, NULL, &job->prediction[i], err);
    if (rc == PL_OK)
        rc = pl_validate(&job->measurement[i], parameters, job->prediction[i], &options, job->arena, &job->validation, err);
    return rc;
}

static enum pl_err run_all(struct validate_job *job, struct pl_error *err)
{
    struct pl_progress progress = cmd_progress_begin("validate", "measurements", job->given->common.quiet);
    enum pl_err rc = PL_OK;
    job->measurement = calloc(job->count + 1, sizeof *job->measurement);
    job->prediction = calloc(job->count + 1, sizeof(struct pl_prediction *));
    if (!job->measurement || !job->prediction)
        rc = pl_fail_memory(err, 0, "measurements");
    for (size_t i = 0; i < job->count && rc == PL_OK; i++) {
        struct pl_error why = {PL_OK, ""};
        rc = run_one(job, i, &why);
        if (rc && rc != PL_ERR_RESOURCE && job->given->all && job->measurement[i].path) {
            /* One that cannot run does not keep the others from running; it is told at the end. */
            if (!job->failed++)
                job->why = why;
            cmd_warn("%s", why.message);
            rc = PL_OK;
        } else if (rc)
            *err = why;
        if (!pl_progress_report(&progress, i + 1, job->count) && rc == PL_OK)
            rc = pl_fail(err, PL_ERR_RESOURCE, "interrupted");
    }
    for (size_t i = 0; i < job->count && rc == PL_OK; i++)
        rc = !job->prediction[i] ? PL_OK : pl_validate_comparisons(&job->measurement[i], job->measurement, job->prediction, job->count, job->arena,
                                     &job->validation, err);
    cmd_progress_end();
    return rc;
}

static enum pl_err report(struct validate_job *job, struct pl_error *err)
{
    pl_validation_sum(&job->validation);
    struct pl_document *document = make_document(&job->validation, job->arena);
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    enum pl_err rc = cmd_emit(document, &job->given->common, err);
    if (rc == PL_OK && job->failed)
        rc = pl_fail(err, PL_ERR_CHECK, "%zu measurement%s could not run; the first: %s", job->failed,
                     job->failed == 1 ? "" : "s", job->why.message);
    if (rc == PL_OK && job->validation.missed > job->validation.known)
        rc = pl_fail(err, PL_ERR_CHECK, "%zu of %zu predictions lie outside their tolerance (%zu of them known)",
                     job->validation.missed, job->validation.counted, job->validation.known);
    return rc;
}

/* --- which files ------------------------------------------------------------------------------------- */

static enum pl_err add_path(struct validate_job *job, const char *path, struct pl_error *err)
{
    enum pl_err rc = pl_grow((void **)&job->path, &job->capacity, job->count + 1, sizeof *job->path, "measurements", err);
    if (rc == PL_OK && !path)
        rc = pl_fail_memory(err, 0, "a path");
    if (rc == PL_OK)
        job->path[job->count++] = path;
    return rc;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum pl_err add_folder(struct validate_job *job, const char *folder, struct pl_error *err)
{
    DIR *open = opendir(folder);
    const struct dirent *entry;
    enum pl_err rc = PL_OK;
    const size_t first = job->count;
    if (!open)
        return pl_fail(err, PL_ERR_RESOURCE, "%s: cannot be read", folder);
    while (rc == PL_OK && (entry = readdir(open))) {
        const size_t length = strlen(entry->d_name);
        if (length > 5 && !strcmp(entry->d_name + length - 5, ".json"))
            rc = add_path(job, pl_arena_printf(job->arena, "%s/%s", folder, entry->d_name), err);
    }
    closedir(open);
    if (job->count > first)
        qsort(job->path + first, job->count - first, sizeof *job->path, by_name);
    return rc;
}

static enum pl_err choose(struct validate_job *job, const struct pl_strings *operands, struct pl_error *err)
{
    static const char *const usual[] = {PL_SOURCE_DIR "/models/measurements", PL_PKGDATADIR "/models/measurements"};
    const char *environment = getenv("PAGELAB_MODELS");
    enum pl_err rc = PL_OK;
    for (size_t i = 0; i < job->given->measured.count && rc == PL_OK; i++)
        rc = add_path(job, job->given->measured.item[i], err);
    for (size_t i = 0; i < operands->count && rc == PL_OK; i++)
        rc = job->given->all ? add_folder(job, operands->item[i], err) : add_path(job, operands->item[i], err);
    if (rc || job->count || !job->given->all)
        return rc || job->count ? rc : pl_fail(err, PL_ERR_USAGE, "validate: no measurement given (--measured FILE or --all)");
    if (environment)
        return add_folder(job, pl_arena_printf(job->arena, "%s/measurements", environment), err);
    rc = add_folder(job, usual[0], NULL);
    return rc == PL_OK ? rc : add_folder(job, usual[1], err);
}

enum pl_err cmd_validate(int argc, char **argv, struct pl_error *err)
{
    struct validate_options given;
    struct pl_strings operands;
    bool done;
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "a run");
    struct validate_job job = {.given = &given, .arena = arena};
    enum pl_err rc = cmd_parse(&cmd_validate_spec, argc, argv, &given, &operands, arena, &done, err);
    if (rc == PL_OK && !done) {
        rc = choose(&job, &operands, err);
        if (rc == PL_OK)
            rc = run_all(&job, err);
        if (rc == PL_OK)
            rc = given.sensitivity ? validate_sensitivity(&job, err) : report(&job, err);
    }
    for (size_t i = 0; i < job.count; i++) {
        if (job.prediction)
            pl_prediction_free(job.prediction[i]);
        if (job.measurement)
            pl_measurement_close(&job.measurement[i]);
    }
    free(job.prediction);
    free(job.measurement);
    free(job.path);
    pl_validation_free(&job.validation);
    pl_arena_destroy(arena);
    return rc;
}
