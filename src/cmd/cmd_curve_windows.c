/* cmd/cmd_curve_windows.c: `pagelab curve --windows`, `--window-time` and `--by phase`: a curve for each part of a
 * trace.
 *
 * One run goes through the whole trace; at the end of a window its counters are read (curve/snapshot.h), and what they
 * grew by is the window's curve. So the memory sizes have to be known at the start, when the footprint is not. */
#include "cmd/cmd_curve.h"
#include "curve/snapshot.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What was counted by size; also of a window, as a difference. */
struct counts {
    uint64_t touches, cold;
    uint64_t *reads, *writes;
};

struct window {
    const char *phase; /* NULL: none */
    uint64_t number, start;
    struct counts counts;
};

struct windows {
    const struct curve_options *options;
    struct pl_arena *arena;
    struct pl_sizes sizes;
    struct pl_curve *curve;
    uint64_t fed;         /* touches since the curve began */
    uint64_t before;      /* touches of curves before this one (--restart) */
    struct counts closed; /* what the curve had counted when the last window ended */
    const char *phase;
    uint64_t number; /* of the open window */
    struct window *window;
    size_t count, capacity;
    struct curve_touched touched;
};

/* --- opening and closing windows ---------------------------------------------------------------------------------- */

static enum pl_err begin_curve(struct windows *run, struct pl_error *err)
{
    struct pl_curve_params params = {
        .rule = (enum pl_rule)run->options->rule, .threads = 1, .portable = run->options->portable};
    run->before += run->fed;
    run->fed = 0;
    run->closed.touches = run->closed.cold = 0;
    memset(run->closed.reads, 0, run->sizes.count * sizeof *run->closed.reads);
    memset(run->closed.writes, 0, run->sizes.count * sizeof *run->closed.writes);
    return pl_curve_create(&params, &run->curve, err);
}

static bool counts_make(struct counts *counts, const struct windows *run)
{
    *counts = (struct counts){.reads = pl_arena_alloc(run->arena, run->sizes.count, sizeof *counts->reads),
                              .writes = pl_arena_alloc(run->arena, run->sizes.count, sizeof *counts->writes)};
    return counts->reads && counts->writes;
}

/* A phase that comes again goes on in the window of its name. */
static enum pl_err window_for(struct windows *run, struct window **out, struct pl_error *err)
{
    for (size_t i = 0; run->phase && i < run->count; i++) {
        if (run->window[i].phase && !strcmp(run->window[i].phase, run->phase)) {
            *out = &run->window[i];
            return PL_OK;
        }
    }
    void *windows = run->window;
    enum pl_err rc = pl_grow(&windows, &run->capacity, run->count + 1, sizeof *run->window, "the windows", err);
    run->window = windows;
    if (rc)
        return rc;
    struct window *window = &run->window[run->count];
    *window = (struct window){.phase = run->phase, .number = run->number, .start = run->before + run->closed.touches};
    if (!counts_make(&window->counts, run))
        return pl_fail_memory(err, 0, "the windows");
    run->count++;
    *out = window;
    return PL_OK;
}

static void add_growth(struct counts *to, struct counts *closed, const struct pl_snapshot *now, size_t sizes)
{
    to->touches += now->touches - closed->touches;
    to->cold += now->cold - closed->cold;
    closed->touches = now->touches;
    closed->cold = now->cold;
    for (size_t i = 0; i < sizes; i++) {
        assert(now->reads[i] >= closed->reads[i] && now->writes[i] >= closed->writes[i]);
        to->reads[i] += now->reads[i] - closed->reads[i];
        to->writes[i] += now->writes[i] - closed->writes[i];
        closed->reads[i] = now->reads[i];
        closed->writes[i] = now->writes[i];
    }
}

/* Ends the open window; one without touches leaves nothing. */
static enum pl_err close_window(struct windows *run, struct pl_error *err)
{
    if (run->fed == run->closed.touches)
        return PL_OK;
    struct window *window = NULL;
    struct pl_snapshot now = {.reads = calloc(run->sizes.count, sizeof *now.reads),
                              .writes = calloc(run->sizes.count, sizeof *now.writes)};
    enum pl_err rc = now.reads && now.writes ? PL_OK : pl_fail_memory(err, 0, "the windows");
    if (rc == PL_OK)
        rc = window_for(run, &window, err);
    if (rc == PL_OK)
        rc = pl_curve_snapshot(run->curve, run->sizes.pages, run->sizes.count, &now, err);
    if (rc == PL_OK)
        add_growth(&window->counts, &run->closed, &now, run->sizes.count);
    free(now.reads);
    free(now.writes);
    if (rc == PL_OK && run->options->more.restart) {
        pl_curve_abandon(run->curve);
        run->curve = NULL;
        rc = begin_curve(run, err);
    }
    return rc;
}

/* --- where windows end -------------------------------------------------------------------------------------------- */

static enum pl_err feed(struct windows *run, const struct pl_batch *batch, size_t from, size_t to, struct pl_error *err)
{
    run->fed += to - from;
    return pl_curve_feed(run->curve, batch->page + from, batch->kind ? batch->kind + from : NULL, to - from, err);
}

static enum pl_err feed_counted(struct windows *run, const struct pl_batch *batch, struct pl_error *err)
{
    uint64_t length = run->options->more.windows;
    enum pl_err rc = PL_OK;
    for (size_t at = 0; rc == PL_OK && at < batch->count;) {
        uint64_t left = length - (run->fed - run->closed.touches);
        size_t to = left < batch->count - at ? at + (size_t)left : batch->count;
        rc = feed(run, batch, at, to, err);
        if (rc == PL_OK && to - at == left) {
            rc = close_window(run, err);
            run->number++;
        }
        at = to;
    }
    return rc;
}

/* A time that goes back stays in the open window. */
static enum pl_err feed_timed(struct windows *run, const struct pl_batch *batch, struct pl_error *err)
{
    pl_time_ps length = run->options->more.window_time;
    enum pl_err rc = PL_OK;
    size_t fed = 0;
    for (size_t at = 0; rc == PL_OK && at < batch->count; at++) {
        uint64_t number = batch->time && batch->time[at] > 0 ? (uint64_t)(batch->time[at] / length) : 0;
        if (number <= run->number)
            continue;
        rc = feed(run, batch, fed, at, err);
        if (rc == PL_OK)
            rc = close_window(run, err);
        run->number = number;
        fed = at;
    }
    return rc == PL_OK ? feed(run, batch, fed, batch->count, err) : rc;
}

static enum pl_err feed_phases(struct windows *run, const struct pl_batch *batch, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    size_t fed = 0;
    for (size_t i = 0; rc == PL_OK && i < batch->control_count; i++) {
        const struct pl_control *control = &batch->control[i];
        if (control->op != PL_OP_PHASE)
            continue;
        rc = feed(run, batch, fed, control->at, err);
        fed = control->at;
        if (rc == PL_OK)
            rc = close_window(run, err);
        run->number++;
        run->phase = pl_arena_strdup(run->arena, control->text ? control->text : "(no name)");
        if (rc == PL_OK && !run->phase)
            rc = pl_fail_memory(err, 0, "a phase");
    }
    return rc == PL_OK ? feed(run, batch, fed, batch->count, err) : rc;
}

static enum pl_err feed_trace(struct windows *run, struct pl_trace *trace, struct pl_error *err)
{
    struct pl_batch batch;
    enum pl_err rc;
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK) {
        rc = run->options->more.windows       ? feed_counted(run, &batch, err)
             : run->options->more.window_time ? feed_timed(run, &batch, err)
                                              : feed_phases(run, &batch, err);
        if (rc == PL_OK)
            rc = curve_touched_note(&run->touched, &batch, err);
        if (rc)
            return rc;
    }
    return rc == PL_END ? close_window(run, err) : rc;
}

/* --- the answer --------------------------------------------------------------------------------------------------- */

static struct pl_value where(const struct windows *run, const struct window *window)
{
    if (run->options->more.by == CURVE_BY_PHASE)
        return pl_value_text(window->phase);
    if (run->options->more.windows)
        return pl_value_count(window->start);
    return pl_value_real((double)window->number * (double)run->options->more.window_time / (double)PL_PS_PER_S);
}

static struct pl_document_table *add_table(struct pl_document *document, const struct windows *run)
{
    struct pl_column columns[] = {
        {"window", "window", "", PL_VALUE_COUNT, 0},
        {"start", "from access", "", PL_VALUE_COUNT, 0},
        {"accesses", "accesses", "", PL_VALUE_COUNT, 0},
        {"memory_mb", "memory", "MB", PL_VALUE_REAL, 3},
        {"memory_pages", "memory", "pages", PL_VALUE_COUNT, 0},
        {"reads", "reads", "", PL_VALUE_COUNT, 0},
        {"writes", "writes", "", PL_VALUE_COUNT, 0},
        {"cold", "first touches", "", PL_VALUE_COUNT, 0},
    };
    if (run->options->more.by == CURVE_BY_PHASE)
        columns[1] = (struct pl_column){"phase", "phase", "", PL_VALUE_TEXT, 0};
    else if (!run->options->more.windows)
        columns[1] = (struct pl_column){"start_s", "from", "s", PL_VALUE_REAL, 3};
    return pl_document_table(document, "windows", "Reads and write-backs by window and memory size", columns,
                             PL_COUNT_OF(columns));
}

/* Powers of two, if nobody chose sizes, end with the first that holds all pages. */
static size_t sizes_wanted(const struct windows *run, uint64_t pages)
{
    size_t count = 0;
    while (!run->options->sizes && count < run->sizes.count && run->sizes.pages[count] < pages)
        count++;
    return run->options->sizes || count == run->sizes.count ? run->sizes.count : count + 1;
}

static enum pl_err report(const struct windows *run, const struct pl_trace_info *info, struct pl_error *err)
{
    struct pl_document *document = curve_more_document(
        info, "curve-windows", "Reads and write-backs for every memory size, by window", run->arena);
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    pl_document_parameter(document, "rule", "rule", "", pl_value_text(pl_rule_names[run->options->rule]));
    pl_document_parameter(document, "restart", "memories empty at each start", "",
                          pl_value_bool(run->options->more.restart));
    pl_document_result(document, "accesses", "accesses", "", pl_value_count(run->before + run->fed));
    pl_document_result(document, "pages", "distinct pages", "", pl_value_count(run->touched.pages));
    pl_document_result(document, "windows", "windows", "", pl_value_count(run->count));
    struct pl_document_table *table = add_table(document, run);
    size_t sizes = sizes_wanted(run, run->touched.pages);
    for (size_t w = 0; w < run->count; w++) {
        const struct window *window = &run->window[w];
        for (size_t i = 0; i < sizes; i++) {
            uint64_t pages = run->sizes.pages[i];
            struct pl_value values[] = {pl_value_count(window->number),
                                        where(run, window),
                                        pl_value_count(window->counts.touches),
                                        pl_value_real(curve_mb(info, (double)pages)),
                                        pl_value_count(pages),
                                        pl_value_count(window->counts.reads[i]),
                                        pl_value_count(window->counts.writes[i]),
                                        pl_value_count(window->counts.cold)};
            pl_document_row(table, values);
        }
    }
    return curve_more_emit(document, table, run->options, info, err);
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static enum pl_err choose_sizes(struct windows *run, const struct pl_trace_info *info, struct pl_error *err)
{
    const char *sizes = run->options->sizes;
    if (sizes && strchr(sizes, '%'))
        return pl_fail(err, PL_ERR_USAGE,
                       "--sizes: shares of the footprint need the whole trace first; with windows give "
                       "pages or bytes");
    if (sizes)
        return pl_sizes_parse(sizes, info->page_size, UINT32_MAX, run->arena, &run->sizes, err);
    return pl_sizes_powers(UINT64_C(1) << 31, run->arena, &run->sizes, err);
}

enum pl_err curve_by_windows(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                             struct pl_error *err)
{
    const struct pl_trace_info *info = pl_trace_info(trace);
    struct windows run = {.options = options, .arena = arena};
    if (options->more.window_time && info->clock != PL_CLOCK_PICOSECONDS)
        return pl_fail(err, PL_ERR_INPUT, "%s: it has no times, so no windows of time (use --windows N)", info->path);
    enum pl_err rc = choose_sizes(&run, info, err);
    if (rc == PL_OK && !counts_make(&run.closed, &run))
        rc = pl_fail_memory(err, 0, "the windows");
    if (rc == PL_OK)
        rc = begin_curve(&run, err);
    if (rc == PL_OK)
        rc = feed_trace(&run, trace, err);
    if (rc == PL_OK)
        rc = report(&run, info, err);
    pl_curve_abandon(run.curve);
    free(run.window);
    curve_touched_free(&run.touched);
    return rc;
}
