/* capture/cap_views.c: `pagecap lists`, `view` and `watch`: what memory holds, once or over time. */
#include "capture/pagecap.h"

struct views_line {
    struct cap_common common;
    pl_time_ps every;
    uint64_t count;
};

static const struct pl_option_group plain_groups[] = {
    {NULL, cap_common_options, offsetof(struct views_line, common)},
    {NULL},
};

static const struct pl_option watch_options[] = {
    {"every", 0, PL_OPT_TIME, offsetof(struct views_line, every), "TIME", "1s", "Time between samples."},
    {"count", 'n', PL_OPT_COUNT, offsetof(struct views_line, count), "N", "10", "Samples; Ctrl-C ends it earlier."},
    {NULL},
};

static const struct pl_option_group watch_groups[] = {
    {"Sampling", watch_options, 0},
    {NULL, cap_common_options, offsetof(struct views_line, common)},
    {NULL},
};

const struct pl_command_spec cap_lists_spec = {
    .name = "lists",
    .operands = "",
    .summary = "The system's page lists, its store and its page files, now.",
    .groups = plain_groups,
    .examples = (const struct pl_example[]){{"pagecap lists --json lists.json", "for a script"}, {NULL}},
};

const struct pl_command_spec cap_view_spec = {
    .name = "view",
    .operands = "PID",
    .summary = "One process's memory by type: size, resident, private, swapped.",
    .groups = plain_groups,
    .examples = (const struct pl_example[]){{"pagecap view 1", "as VMMap shows it"}, {NULL}},
};

const struct pl_command_spec cap_watch_spec = {
    .name = "watch",
    .operands = "[PID]",
    .summary = "Lists, store and fault counters over time, to a table, CSV or JSON.",
    .details =
        "Counters (faults, pages in and out) are totals since the start of the system or process, not differences.",
    .groups = watch_groups,
    .examples =
        (const struct pl_example[]){{"pagecap watch --every 100ms -n 50 --csv watch.csv", "five seconds"}, {NULL}},
};

static struct pl_document *begin(struct pl_arena *arena, const char *kind, const char *title, struct pl_error *err)
{
    struct pl_document *document = pl_document_create(arena, kind, title);
    if (!document) {
        pl_fail_memory(err, 0, "the result");
        return NULL;
    }
    int argc;
    char **argv;
    cap_whole_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    return document;
}

enum pl_err cap_lists(int argc, char **argv, struct pl_error *err)
{
    struct views_line values;
    struct cap_line line;
    enum pl_err rc = cap_begin(&cap_lists_spec, argc, argv, &values, &line, err);
    if (rc == PL_OK && !line.done) {
        struct pl_document *document = begin(line.arena, "lists", "Memory of this system", err);
        rc = document ? pl_os_lists(document, err) : PL_ERR_RESOURCE;
        if (rc == PL_OK)
            rc = cap_emit(document, &values.common, err);
    }
    cap_end(&line);
    return rc;
}

enum pl_err cap_view(int argc, char **argv, struct pl_error *err)
{
    struct views_line values;
    struct cap_line line;
    uint64_t pid = 0;
    enum pl_err rc = cap_begin(&cap_view_spec, argc, argv, &values, &line, err);
    if (rc == PL_OK && !line.done)
        rc = cap_pid(&line, &pid, err);
    if (rc == PL_OK && !line.done) {
        struct pl_document *document = begin(line.arena, "view", "Memory of a process", err);
        rc = document ? pl_os_view(pid, document, err) : PL_ERR_RESOURCE;
        if (rc == PL_OK)
            rc = cap_emit(document, &values.common, err);
    }
    cap_end(&line);
    return rc;
}

/* --- over time ------------------------------------------------------------------------------ */
enum { COLUMNS_MAX = 40 };

static enum pl_err sample_all(const struct views_line *values, uint64_t pid, struct pl_document_table *table,
                              size_t columns, struct pl_error *err)
{
    struct pl_value row[COLUMNS_MAX + 1];
    pl_time_ps start = pl_os_now(), next = start;
    for (uint64_t i = 0; i < values->count && !pl_os_interrupted(); i++) {
        row[0] = pl_value_real((double)(pl_os_now() - start) / (double)PL_PS_PER_S);
        enum pl_err rc = pl_os_watch_sample(pid, row + 1, err);
        if (rc)
            return i ? PL_OK : rc; /* the process has ended: what was seen counts */
        pl_document_row(table, row);
        next += values->every;
        if (i + 1 < values->count && next > pl_os_now())
            pl_os_sleep(next - pl_os_now());
    }
    return PL_OK;
}

static enum pl_err watch(const struct views_line *values, uint64_t pid, struct pl_arena *arena, struct pl_error *err)
{
    size_t count;
    const struct pl_column *columns = pl_os_watch_columns(pid, &count);
    struct pl_column all[COLUMNS_MAX + 1] = {{"time_s", "time", "s", PL_VALUE_REAL, 2}};
    struct pl_document *document = begin(arena, "watch", "Memory over time", err);
    if (!document)
        return PL_ERR_RESOURCE;
    if (count > COLUMNS_MAX)
        count = COLUMNS_MAX;
    for (size_t i = 0; i < count; i++)
        all[i + 1] = columns[i];
    struct pl_document_table *table = pl_document_table(document, "samples", "Samples", all, count + 1);
    enum pl_err rc = sample_all(values, pid, table, count, err);
    return rc ? rc : cap_emit(document, &values->common, err);
}

enum pl_err cap_watch(int argc, char **argv, struct pl_error *err)
{
    struct views_line values;
    struct cap_line line;
    uint64_t pid = 0;
    enum pl_err rc = cap_begin(&cap_watch_spec, argc, argv, &values, &line, err);
    if (rc == PL_OK && !line.done && line.operands.count)
        rc = cap_pid(&line, &pid, err);
    if (rc == PL_OK && !line.done && (values.count == 0 || values.every <= 0))
        rc = pl_fail(err, PL_ERR_USAGE, "--every and --count must be above 0");
    if (rc == PL_OK && !line.done) {
        pl_os_catch_interrupts();
        rc = watch(&values, pid, line.arena, err);
    }
    cap_end(&line);
    return rc;
}
