/* cmd/cmd_sweep.c: `pagelab sweep STUDY`: runs the points of a study; its verbs are in cmd_sweep_results.c. */
#include "cmd/cmd_sweep.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct pl_option run_options[] = {
    {"output", 'o', PL_OPT_TEXT, offsetof(struct sweep_options, output), "FILE", NULL,
     "The database of results (SQLite): made, or gone on with when it is of the same study.", NULL, 0},
    {"threads", 't', PL_OPT_COUNT, offsetof(struct sweep_options, threads), "N", "0",
     "Points at a time; 0: as many as there are processors. Results do not depend on it.", NULL, 0},
    {"shard", 0, PL_OPT_TEXT, offsetof(struct sweep_options, shard), "I/N", NULL,
     "Run the I-th of N parts of the points (1/8 to 8/8), into a database of its own; sweep merge puts them together.",
     NULL, 0},
    {"check-shared", 0, PL_OPT_COUNT, offsetof(struct sweep_options, check_shared), "N", "0",
     "Of points that were answered from one curve pass, run N also by replays on the machine of 1996, and compare; a "
     "difference ends with status 1.",
     NULL, 0},
    {NULL},
};

static const struct pl_option search_options[] = {
    {"optimize", 0, PL_OPT_FLAG, offsetof(struct sweep_options, optimize), NULL, NULL,
     "Search for the best point by the study's objective instead of running all; what is tried is kept.", NULL, 0},
    {"search", 0, PL_OPT_CHOICE, offsetof(struct sweep_options, search), "METHOD", "auto",
     "golden: one number. nelder-mead: several. halving: the design's points on ever more of the trace, the better "
     "half each "
     "time (replays). auto: one of the first two.",
     pl_search_names, 0},
    {"evaluations", 0, PL_OPT_COUNT, offsetof(struct sweep_options, evaluations), "N", "200",
     "Try at most so many points (golden, nelder-mead).", NULL, 0},
    {"tolerance", 0, PL_OPT_REAL, offsetof(struct sweep_options, tolerance), "SHARE", "0.001",
     "Stop when the best is known to this share of the ranges.", NULL, 0},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"The run", run_options, 0},
    {"Searching", search_options, 0},
    {"Output", cmd_undrawn_options, offsetof(struct sweep_options, common)},
    {NULL, NULL, 0},
};

static const struct pl_example examples[] = {
    {"pagelab sweep models/studies/winstone.json -o results.sqlite", "10,000 points on the model of 1996"},
    {"pagelab sweep models/studies/replay.json -o replay.sqlite --threads 2",
     "replays of one trace on several machines"},
    {"pagelab sweep models/studies/winstone.json -o part.sqlite --shard 1/4",
     "a quarter of them, for one task of an array"},
    {"pagelab sweep models/studies/curve.json -o curve.sqlite --check-shared 5",
     "one pass for all points; five checked by replays"},
    {"pagelab sweep models/studies/curve.json -o best.sqlite --optimize",
     "the best memory, cache and ratio, with few points"},
    {"pagelab sweep models/studies/replay.json -o half.sqlite --optimize --search halving",
     "the better half on twice the trace, again and again"},
    {NULL, NULL},
};

const struct pl_command_spec cmd_sweep_spec = {
    .name = "sweep",
    .operands = "STUDY -o RESULTS",
    .summary = "many points: a grid or a random design over any parameters, kept in a database",
    .details =
        "STUDY (JSON) names what is run (the cost model on a table, the curve of a trace, or replays), the values of "
        "its "
        "parameters, a design, conditions, outputs and an objective; models/studies/README.md explains it.\n\n"
        "Results are written as they come. A sweep that was stopped or killed goes on where it was when the same "
        "command is "
        "given again; a study that has changed in between is refused. A point that fails has its error in the results "
        "and "
        "stops nothing. Ctrl-C ends cleanly, with status 3: the same command goes on.\n\n"
        "pagelab sweep export | show | best | merge RESULTS do what they say; 'pagelab sweep export --help' explains.",
    .groups = groups,
    .examples = examples,
};

/* --- watching -------------------------------------------------------------------------------------- */

static bool watch(void *user, const struct pl_sweep_state *state)
{
    const struct pl_progress *line = user;
    char note[48] = "";
    if (state->has_best)
        snprintf(note, sizeof note, ", best %.6g", state->best);
    cmd_progress_note(state->earlier, note);
    return pl_progress_report(line, state->done, state->total);
}

/* --- options ---------------------------------------------------------------------------------------- */

static enum pl_err read_shard(const char *text, struct pl_sweep_run_options *run, struct pl_error *err)
{
    char *end, *last;
    if (!text)
        return PL_OK;
    run->shard = strtoull(text, &end, 10);
    run->shards = *end == '/' ? strtoull(end + 1, &last, 10) : 0;
    if (!run->shards || *last || run->shard < 1 || run->shard > run->shards || strchr(text, '-'))
        return pl_fail(err, PL_ERR_USAGE, "--shard: I/N with I from 1 to N (3/8), not '%.60s'", text);
    return PL_OK;
}

static enum pl_err settle(const struct sweep_options *options, struct pl_sweep_run_options *run, struct pl_error *err)
{
    enum { THREADS_MAX = 1024 };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (!options->output)
        return pl_fail(err, PL_ERR_USAGE, "sweep: where shall the results go? Say -o FILE");
    if (options->threads > THREADS_MAX)
        return pl_fail(err, PL_ERR_USAGE, "--threads: at most %d", THREADS_MAX);
    if (options->optimize && options->shard)
        return pl_fail(err, PL_ERR_USAGE, "--optimize and --shard: a search is not cut into parts");
    if (!options->optimize && options->search != PL_SEARCH_AUTO)
        return pl_fail(err, PL_ERR_USAGE, "--search is for --optimize");
    if (!(options->tolerance > 0 && options->tolerance < 1))
        return pl_fail(err, PL_ERR_USAGE, "--tolerance: a share of the range above 0 and below 1");
    run->threads = options->threads ? (int)options->threads : processors > 1 ? (int)processors : 1;
    return read_shard(options->shard, run, err);
}

/* --- the run ------------------------------------------------------------------------------------------- */

static enum pl_err report(const struct sweep_options *options, struct pl_arena *arena, struct pl_error *err)
{
    const struct sweep_view_options plain = {.count = 10};
    struct sweep_view view;
    struct pl_document *document;
    enum pl_err rc = sweep_view_open(options->output, &plain, arena, &view, err);
    if (rc == PL_OK)
        rc = sweep_show_document(&view, &document, err);
    if (rc == PL_OK)
        rc = cmd_emit(document, &options->common, err);
    sweep_view_close(&view);
    return rc;
}

static enum pl_err stopped(const struct sweep_options *options, const struct pl_sweep_state *state,
                           struct pl_error *err)
{
    return pl_fail(err, PL_ERR_RESOURCE, "stopped: %llu of %llu points are in %s; the same command goes on",
                   (unsigned long long)state->done, (unsigned long long)state->total, options->output);
}

typedef enum pl_err run_fn(struct pl_study *study, struct pl_results *results,
                           const struct pl_sweep_run_options *options, struct pl_sweep_state *state,
                           struct pl_error *err);

/* The points, by `run_points`, into the database. */
static enum pl_err run_study(const struct sweep_options *options, struct pl_study *study, struct pl_results *results,
                             struct pl_sweep_run_options *run, run_fn *run_points, struct pl_error *err)
{
    struct pl_progress line = cmd_progress_begin("sweep", "points", options->common.quiet);
    const struct pl_sweep_watch eyes = {watch, &line, &line};
    struct pl_sweep_state state;
    run->watch = &eyes;
    enum pl_err rc = run_points(study, results, run, &state, err);
    cmd_progress_end();
    return rc == PL_END ? stopped(options, &state, err) : rc;
}

static enum pl_err search(const struct sweep_options *options, struct pl_study *study, struct pl_results *results,
                          struct pl_search_options *how, struct pl_error *err)
{
    struct pl_progress line = cmd_progress_begin("search", "points", options->common.quiet);
    const struct pl_sweep_watch eyes = {watch, &line, &line};
    struct pl_sweep_state state;
    how->watch = &eyes;
    enum pl_err rc = pl_search_run(study, results, options->output, how, &state, err);
    cmd_progress_end();
    return rc == PL_END ? pl_fail(err, PL_ERR_RESOURCE, "stopped: what was tried is in %s; the same command goes on",
                                  options->output)
                        : rc;
}

/* Points that were answered from one curve pass, run alone. */
static enum pl_err check_shared(const struct sweep_options *options, struct pl_study *study, struct pl_error *err)
{
    struct pl_shared_check check;
    enum pl_err rc = pl_sweep_check_shared(study, options->check_shared, &check, err);
    if (rc == PL_OK && !options->common.quiet)
        printf("\nChecked: %llu points by replays of their own; largest difference %.3g of the cost (point %llu)\n",
               (unsigned long long)check.points, check.largest, (unsigned long long)check.largest_point);
    if (rc == PL_OK && !check.equal)
        rc = pl_fail(err, PL_ERR_CHECK, "point %llu: the curve gives %.17g s, a replay of its own %.17g s",
                     (unsigned long long)check.largest_point, check.shared_s, check.alone_s);
    return rc;
}

static enum pl_err sweep_alone(const struct sweep_options *options, const char *path, struct pl_arena *arena,
                               struct pl_error *err)
{
    struct pl_sweep_run_options run = {0};
    struct pl_study *study = NULL;
    struct pl_results *results = NULL;
    enum pl_err rc = settle(options, &run, err);
    struct pl_search_options how = {(enum pl_search)options->search, options->evaluations, options->tolerance,
                                    run.threads, NULL};
    if (rc == PL_OK)
        rc = pl_study_read(path, arena, &study, err);
    if (rc == PL_OK)
        rc = options->optimize ? pl_search_settle(study, &how, arena, err) : pl_study_check_grid(study, err);
    if (rc == PL_OK)
        rc = pl_results_begin(options->output, study, run.shard, run.shards, &results, err);
    if (rc == PL_OK)
        rc = options->optimize ? search(options, study, results, &how, err)
                               : run_study(options, study, results, &run, pl_sweep_run, err);
    pl_results_close(results);
    if (rc == PL_OK)
        rc = report(options, arena, err);
    if (rc == PL_OK && options->check_shared)
        rc = check_shared(options, study, err);
    pl_study_close(study);
    return rc;
}

/* --- under mpirun ---------------------------------------------------------------------------------------- */

/* What every rank does before points are handed out. Of those that fail one speaks. */
static enum pl_err begin_together(const struct sweep_options *options, const char *path, int rank,
                                  struct pl_arena *arena, struct pl_sweep_run_options *run, struct pl_study **study,
                                  struct pl_results **results, struct pl_error *err)
{
    enum pl_err rc = settle(options, run, err);
    if (rc == PL_OK && (options->optimize || options->check_shared))
        rc = pl_fail(err, PL_ERR_USAGE, "--optimize and --check-shared run in one process, not under mpirun");
    if (rc == PL_OK)
        rc = pl_study_read(path, arena, study, err);
    if (rc == PL_OK)
        rc = pl_study_check_grid(*study, err);
    if (rc == PL_OK && rank == 0)
        rc = pl_results_begin(options->output, *study, run->shard, run->shards, results, err);
    bool speaks;
    if (!pl_sweep_mpi_agree_who(rc == PL_OK, &speaks))
        return speaks ? rc : PL_END;
    if (!pl_sweep_mpi_agree_on((*study)->hash))
        return rank ? PL_END : pl_fail(err, PL_ERR_INPUT, "%s is not the same study for all ranks", path);
    return PL_OK;
}

static enum pl_err sweep_together(const struct sweep_options *options, const char *path, struct pl_arena *arena,
                                  struct pl_error *err)
{
    struct pl_sweep_run_options run = {0};
    struct pl_study *study = NULL;
    struct pl_results *results = NULL;
    int rank = 0;
    enum pl_err rc = pl_sweep_mpi_start(&rank, err);
    if (rc)
        return rc;
    rc = begin_together(options, path, rank, arena, &run, &study, &results, err);
    if (rc == PL_OK)
        rc = rank ? pl_sweep_mpi_serve(study, err) : run_study(options, study, results, &run, pl_sweep_mpi_lead, err);
    pl_results_close(results);
    if (rc == PL_OK && rank == 0)
        rc = report(options, arena, err);
    pl_sweep_mpi_end(); /* before the study goes: others may read what this rank decoded */
    pl_study_close(study);
    return rc;
}

static enum pl_err run_command(int argc, char **argv, struct pl_error *err)
{
    struct sweep_options options;
    struct pl_strings operands;
    bool done;
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "a sweep");
    enum pl_err rc = cmd_parse(&cmd_sweep_spec, argc, argv, &options, &operands, arena, &done, err);
    if (rc == PL_OK && !done)
        rc = operands.count == 1
                 ? (pl_sweep_mpi_launched() ? sweep_together : sweep_alone)(&options, operands.item[0], arena, err)
                 : pl_fail(err, PL_ERR_USAGE, "sweep takes one study; see pagelab sweep --help");
    pl_arena_destroy(arena);
    return rc;
}

enum pl_err cmd_sweep(int argc, char **argv, struct pl_error *err)
{
    static const struct pl_command verbs[] = {
        {&cmd_sweep_export_spec, cmd_sweep_export},
        {&cmd_sweep_show_spec, cmd_sweep_show},
        {&cmd_sweep_best_spec, cmd_sweep_best},
        {&cmd_sweep_merge_spec, cmd_sweep_merge},
    };
    for (size_t i = 0; argc > 1 && i < PL_COUNT_OF(verbs); i++)
        if (!strcmp(verbs[i].spec->name + strlen("sweep "), argv[1]))
            return verbs[i].run(argc - 1, argv + 1, err);
    return run_command(argc, argv, err);
}
