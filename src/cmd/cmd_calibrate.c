/* cmd/cmd_calibrate.c: `pagelab calibrate`: a machine's costs from measurements of it. */
#include "cmd/cmd.h"

#include "sim/machine.h"
#include "study/calibrate.h"
#include "study/codec_speed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct calibrate_options {
    const char *output, *date, *parameters;
    struct pl_strings measured, sets;
    pl_time_ps least;
    double confidence;
    bool codec_timing;
    struct cmd_common common;
};

static const struct pl_option fit_options[] = {
    {"measured", 0, PL_OPT_LIST, offsetof(struct calibrate_options, measured), "FILE", NULL,
     "A measurement of the machine, as pagecap eat writes it."},
    {"parameters", 0, PL_OPT_TEXT, offsetof(struct calibrate_options, parameters), "A,B,...", NULL,
     "Which parameters to fit (cost.compress,store.workers); without it every cost. What the measurements cannot tell is "
     "kept and named."},
    {"output", 'o', PL_OPT_TEXT, offsetof(struct calibrate_options, output), "FILE", NULL, "The fitted machine's file."},
    {"set", 0, PL_OPT_LIST, offsetof(struct calibrate_options, sets), "PATH=VALUE", NULL,
     "Another value for a parameter, before the fit."},
    {"least", 0, PL_OPT_TIME, offsetof(struct calibrate_options, least), "TIME", "100us", "Shorter times are left out."},
    {"codec-timing", 0, PL_OPT_FLAG, offsetof(struct calibrate_options, codec_timing), NULL, NULL,
     "Time the machine's codec (its library, on generated text and random bytes, in this process), and set what the "
     "measurements could not tell of compressible pages: cost.compress and cost.decompress from those of raw pages and the "
     "codec's difference, cost.compress_sequence and cost.decompress_sequence. Not reproducible to the bit."},
    {"confidence", 0, PL_OPT_REAL, offsetof(struct calibrate_options, confidence), "SHARE", "0.95", "Of the intervals."},
    {"date", 0, PL_OPT_TEXT, offsetof(struct calibrate_options, date), "TEXT", NULL,
     "The date that the file remembers; today's otherwise."},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"The fit", fit_options, 0},
    {"Output", cmd_undrawn_options, offsetof(struct calibrate_options, common)},
    {NULL},
};

static const struct pl_example examples[] = {{NULL}};

const struct pl_command_spec cmd_calibrate_spec = {
    .name = "calibrate",
    .operands = "MACHINE --measured FILE... -o FITTED.json",
    .summary = "fit a machine's costs to measurements of it",
    .details =
        "Least squares on simulated against measured times. Each parameter gets an interval; one that no time depends on, or "
        "whose effect cannot be told from the others', keeps its value and is named. The file that is written says of every "
        "fitted value from which measurement it is, so that 'pagelab validate' will not call those numbers predictions.\n\n"
        "    pagecap eat --size 128MiB --zram 1GiB,lz4 -o eat.json\n"
        "    pagelab calibrate zram-direct --measured eat.json -o here.json\n"
        "    pagelab validate --machine here.json --measured other.json",
    .groups = groups,
    .examples = examples,
};

static void add_parameters(struct pl_document *document, const struct pl_calibration *result,
                           const struct pl_parameters *parameters)
{
    static const struct pl_column columns[] = {
        {"parameter", "parameter", "", PL_VALUE_TEXT, 0}, {"state", "state", "", PL_VALUE_TEXT, 0},
        {"before", "before", "", PL_VALUE_REAL, -1},      {"value", "now", "", PL_VALUE_REAL, -1},
        {"low", "from", "", PL_VALUE_REAL, -1},           {"high", "to", "", PL_VALUE_REAL, -1},
        {"unit", "unit", "", PL_VALUE_TEXT, 0},           {"with", "cannot be told from", "", PL_VALUE_TEXT, 0},
    };
    struct pl_document_table *table = pl_document_table(document, "parameters", "Parameters", columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < result->parameters; i++) {
        const struct pl_calibrated *one = &result->parameter[i];
        const bool time = pl_parameters_find(parameters, one->path)->row->kind == PL_PARAM_TIME;
        const double scale = time ? 1e-6 : 1;
        const struct pl_value row[] = {
            pl_value_text(one->path), pl_value_text(pl_calibrated_state_names[one->state]), pl_value_real(one->before * scale),
            pl_value_real(one->value * scale), pl_value_real(one->low * scale), pl_value_real(one->high * scale),
            pl_value_text(time ? "us" : ""), pl_value_text(one->with)};
        pl_document_row(table, row);
    }
    pl_document_csv_table(document, table);
}

static void add_points(struct pl_document *document, const struct pl_calibration *result)
{
    static const struct pl_column columns[] = {
        {"measurement", "measurement", "", PL_VALUE_TEXT, 0}, {"phase", "phase", "", PL_VALUE_TEXT, 0},
        {"quantity", "quantity", "", PL_VALUE_TEXT, 0},       {"measured", "measured", "s", PL_VALUE_REAL, -1},
        {"before", "before", "s", PL_VALUE_REAL, -1},         {"fitted", "fitted", "s", PL_VALUE_REAL, -1},
        {"error_percent", "error", "%", PL_VALUE_REAL, 2},
    };
    struct pl_document_table *table =
        pl_document_table(document, "observations", "What it was fitted to", columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < result->points; i++) {
        const struct pl_calibration_point *one = &result->point[i];
        const struct pl_value row[] = {pl_value_text(one->measurement->name), pl_value_text(one->phase),
                                       pl_value_text(one->quantity), pl_value_real(one->measured), pl_value_real(one->before),
                                       pl_value_real(one->after), pl_value_real((one->after / one->measured - 1) * 100)};
        pl_document_row(table, row);
    }
}

static struct pl_document *make_document(const struct pl_calibration *result, const struct pl_parameters *parameters,
                                         struct pl_arena *arena)
{
    int argc;
    char **argv;
    size_t fitted = 0;
    for (size_t i = 0; i < result->parameters; i++)
        fitted += result->parameter[i].state == PL_CALIBRATED_FITTED;
    const char *title = pl_arena_printf(arena, "%zu of %zu parameters fitted to %zu times", fitted, result->parameters,
                                        result->points);
    struct pl_document *document = pl_document_create(arena, "calibrate", title ? title : "Calibration");
    if (!document)
        return NULL;
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    pl_document_result(document, "rms_error_before_percent", "root mean square error before", "%",
                       pl_value_real(result->rms_before * 100));
    pl_document_result(document, "rms_error_percent", "and now", "%", pl_value_real(result->rms_after * 100));
    pl_document_result(document, "runs", "simulations", "", pl_value_count(result->runs));
    add_parameters(document, result, parameters);
    add_points(document, result);
    return document;
}

static enum pl_err write_machine(const struct calibrate_options *given, const struct pl_parameters *parameters,
                                 struct pl_arena *arena, struct pl_error *err)
{
    struct pl_sink *sink;
    const char *title = pl_arena_printf(arena, "%s, calibrated", pl_parameters_title(parameters));
    const struct pl_profile_head head = {title, pl_parameters_about(parameters), NULL, false};
    enum pl_err rc = pl_sink_open_path(given->output, &sink, err);
    if (rc)
        return rc;
    pl_parameters_write(parameters, &head, sink);
    return pl_sink_close(sink, err);
}

/* "a,b" as a list of names. */
static enum pl_err split(const char *list, struct pl_arena *arena, const char ***out, size_t *count, struct pl_error *err)
{
    *count = 0;
    if (!list)
        return PL_OK;
    char *copy = pl_arena_strdup(arena, list);
    *out = pl_arena_alloc(arena, strlen(list) + 1, sizeof **out);
    if (!copy || !*out)
        return pl_fail_memory(err, 0, "parameters");
    for (char *at = strtok(copy, ", "); at; at = strtok(NULL, ", "))
        (*out)[(*count)++] = at;
    return PL_OK;
}

static const char *today(struct pl_arena *arena)
{
    char text[16];
    struct tm parts;
    time_t now = time(NULL);
    if (!gmtime_r(&now, &parts) || !strftime(text, sizeof text, "%Y-%m-%d", &parts))
        return NULL;
    return pl_arena_strdup(arena, text);
}

/* The codec of the machine, on the processor at hand. */
static enum pl_err time_codec(struct pl_parameters *parameters, struct pl_calibration *result, const char *date,
                              struct pl_arena *arena, struct pl_error *err)
{
    struct pl_machine machine;
    struct pl_codec_speed speed;
    enum pl_err rc = pl_machine_finish(parameters, &machine, err);
    if (rc)
        return rc;
    const struct pl_codec_params params = {(uint32_t)machine.page_bytes, (int)machine.codec_level, machine.ratio};
    rc = pl_codec_speed_measure(machine.codec, &params, &speed, err);
    return rc ? rc : pl_calibrate_codec(parameters, &speed, result, date, arena, err);
}

static enum pl_err calibrate(const struct calibrate_options *given, const char *name, struct pl_arena *arena,
                             struct pl_error *err)
{
    char path[4096];
    struct pl_parameters *parameters;
    const size_t count = given->measured.count;
    struct pl_measurement *measurements = pl_arena_alloc(arena, count, sizeof *measurements);
    const char **paths = NULL;
    struct pl_calibration result;
    struct pl_calibrate_options options = {.least_time = given->least, .confidence = given->confidence,
                                           .date = given->date ? given->date : today(arena)};
    enum pl_err rc = measurements ? pl_model_path("", name, NULL, path, sizeof path, err) : pl_fail_memory(err, 0, "measurements");
    if (rc == PL_OK)
        rc = pl_machine_parameters(arena, &parameters, err);
    if (rc == PL_OK)
        rc = pl_parameters_read(parameters, path, err);
    for (size_t i = 0; i < given->sets.count && rc == PL_OK; i++)
        rc = pl_parameters_override(parameters, given->sets.item[i], err);
    if (rc == PL_OK)
        rc = split(given->parameters, arena, &paths, &options.path_count, err);
    options.paths = paths;
    size_t read = 0;
    while (rc == PL_OK && read < count && (rc = pl_measurement_read(given->measured.item[read], arena, &measurements[read], err)) == PL_OK)
        read++;
    struct pl_progress progress = cmd_progress_begin("calibrate", "runs", given->common.quiet);
    options.progress = &progress;
    if (rc == PL_OK)
        rc = pl_calibrate(parameters, measurements, count, &options, arena, &result, err);
    cmd_progress_end();
    if (rc == PL_OK && given->codec_timing)
        rc = time_codec(parameters, &result, options.date, arena, err);
    if (rc == PL_OK && given->output)
        rc = write_machine(given, parameters, arena, err);
    struct pl_document *document = rc == PL_OK ? make_document(&result, parameters, arena) : NULL;
    if (rc == PL_OK)
        rc = document ? cmd_emit(document, &given->common, err) : pl_fail_memory(err, 0, "the result");
    for (size_t i = 0; i < read; i++)
        pl_measurement_close(&measurements[i]);
    return rc;
}

enum pl_err cmd_calibrate(int argc, char **argv, struct pl_error *err)
{
    struct calibrate_options given;
    struct pl_strings operands;
    bool done;
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "a run");
    enum pl_err rc = cmd_parse(&cmd_calibrate_spec, argc, argv, &given, &operands, arena, &done, err);
    if (rc == PL_OK && !done) {
        if (operands.count != 1)
            rc = pl_fail(err, PL_ERR_USAGE, "calibrate: needs one machine (a file, or a name of models/)");
        else if (!given.measured.count)
            rc = pl_fail(err, PL_ERR_USAGE, "calibrate: no measurement given (--measured FILE)");
        else if (!(given.confidence > 0 && given.confidence < 1))
            rc = pl_fail(err, PL_ERR_USAGE, "--confidence %g: a share between 0 and 1", given.confidence);
        else
            rc = calibrate(&given, operands.item[0], arena, err);
    }
    pl_arena_destroy(arena);
    return rc;
}
