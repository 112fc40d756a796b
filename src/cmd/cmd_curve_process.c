/* cmd/cmd_curve_process.c: `pagelab curve --by process`: each process alone, and all in one memory.
 *
 * Every process has a curve of its own, fed with its touches only, by page numbers of its own (so that its tables are
 * as large as its footprint); one more curve gets everything. A page belongs to the process that touches it first; the
 * few that others touch, too, have their numbers in a second dictionary. */
#include "cmd/cmd_curve.h"
#include "trace/densify.h"

#include <stdlib.h>

struct process {
    uint64_t id;
    const char *name; /* or NULL */
    pl_page pages;    /* numbers given out */
    struct pl_curve *curve;
    struct pl_curve_result result;
};

struct number {
    uint32_t owner; /* index of a process plus one; 0: not seen */
    pl_page page;   /* its number there */
};

struct processes {
    const struct curve_options *options;
    struct pl_arena *arena;
    struct process *process;
    size_t count, capacity, current;
    struct number *number; /* by page */
    size_t number_capacity, known;
    struct pl_densify *foreign; /* pages under processes that do not own them */
    pl_page *foreign_number;    /* by the dictionary's: the number in that process */
    uint8_t *shared;            /* by page, with `number`: others touch it */
    size_t foreign_capacity, shared_capacity;
    uint64_t shared_pages;
    struct pl_curve *joint;
    pl_page buffer[4096];
};

static struct pl_curve_params params_of(const struct curve_options *options)
{
    return (struct pl_curve_params){.rule = (enum pl_rule)options->rule, .threads = 1, .portable = options->portable};
}

/* --- numbers of a process's own ----------------------------------------------------------------------------------- */

static enum pl_err fit_numbers(struct processes *run, uint64_t pages, struct pl_error *err)
{
    void *number = run->number, *shared = run->shared;
    enum pl_err rc = pl_grow(&number, &run->number_capacity, pages, sizeof *run->number, "the pages' processes", err);
    run->number = number;
    if (rc == PL_OK)
        rc = pl_grow(&shared, &run->shared_capacity, pages, sizeof *run->shared, "the pages' processes", err);
    run->shared = shared;
    for (; rc == PL_OK && run->known < pages; run->known++) {
        run->number[run->known] = (struct number){0, 0};
        run->shared[run->known] = 0;
    }
    return rc;
}

/* The number, in the present process, of a page that belongs to another. */
static enum pl_err foreign_page(struct processes *run, pl_page page, pl_page *out, struct pl_error *err)
{
    uint64_t key = page, known;
    pl_page entry;
    void *numbers = run->foreign_number;
    enum pl_err rc = run->foreign ? PL_OK : pl_densify_create(0, &run->foreign, err);
    if (rc)
        return rc;
    known = pl_densify_count(run->foreign);
    rc = pl_densify_batch(run->foreign, (uint32_t)run->current, &key, 1, &entry, err);
    if (rc == PL_OK)
        rc = pl_grow(&numbers, &run->foreign_capacity, (size_t)known + 1, sizeof *run->foreign_number, "shared pages",
                     err);
    run->foreign_number = numbers;
    if (rc)
        return rc;
    if (entry == known)
        run->foreign_number[entry] = run->process[run->current].pages++;
    run->shared_pages += !run->shared[page];
    run->shared[page] = 1;
    *out = run->foreign_number[entry];
    return PL_OK;
}

static enum pl_err own_page(struct processes *run, pl_page page, pl_page *out, struct pl_error *err)
{
    struct number *number = &run->number[page];
    if (!number->owner)
        *number = (struct number){(uint32_t)run->current + 1, run->process[run->current].pages++};
    if (number->owner != run->current + 1)
        return foreign_page(run, page, out, err);
    *out = number->page;
    return PL_OK;
}

static enum pl_err feed_alone(struct processes *run, const pl_page *pages, const uint8_t *kinds, size_t count,
                              struct pl_error *err)
{
    struct process *process = &run->process[run->current];
    enum pl_err rc = PL_OK;
    for (size_t done = 0; rc == PL_OK && done < count;) {
        size_t part = count - done < PL_COUNT_OF(run->buffer) ? count - done : PL_COUNT_OF(run->buffer);
        for (size_t i = 0; rc == PL_OK && i < part; i++)
            rc = own_page(run, pages[done + i], &run->buffer[i], err);
        if (rc == PL_OK)
            rc = pl_curve_feed(process->curve, run->buffer, kinds ? kinds + done : NULL, part, err);
        done += part;
    }
    return rc;
}

/* --- whose turn it is --------------------------------------------------------------------------------------------- */

static enum pl_err find_process(struct processes *run, uint64_t id, const char *name, struct pl_error *err)
{
    size_t i = 0;
    while (i < run->count && run->process[i].id != id)
        i++;
    if (i == run->count) {
        void *processes = run->process;
        struct pl_curve_params params = params_of(run->options);
        enum pl_err rc = pl_grow(&processes, &run->capacity, i + 1, sizeof *run->process, "the processes", err);
        run->process = processes;
        if (rc)
            return rc;
        run->process[i] = (struct process){.id = id};
        rc = pl_curve_create(&params, &run->process[i].curve, err);
        if (rc)
            return rc;
        run->count++;
    }
    if (name && !run->process[i].name)
        run->process[i].name = pl_arena_strdup(run->arena, name);
    run->current = i;
    return PL_OK;
}

static enum pl_err feed_part(struct processes *run, const struct pl_batch *batch, size_t from, size_t to,
                             struct pl_error *err)
{
    if (from == to)
        return PL_OK;
    enum pl_err rc = run->count ? PL_OK : find_process(run, 0, NULL, err);
    if (rc == PL_OK)
        rc = feed_alone(run, batch->page + from, batch->kind ? batch->kind + from : NULL, to - from, err);
    return rc;
}

static enum pl_err feed_batch(struct processes *run, const struct pl_batch *batch, struct pl_error *err)
{
    size_t fed = 0;
    enum pl_err rc = fit_numbers(run, batch->distinct, err);
    for (size_t i = 0; rc == PL_OK && i < batch->control_count; i++) {
        const struct pl_control *control = &batch->control[i];
        if (control->op != PL_OP_SWITCH)
            continue;
        rc = feed_part(run, batch, fed, control->at, err);
        fed = control->at;
        if (rc == PL_OK)
            rc = find_process(run, control->a, control->text, err);
    }
    if (rc == PL_OK)
        rc = feed_part(run, batch, fed, batch->count, err);
    return rc == PL_OK ? pl_curve_feed(run->joint, batch->page, batch->kind, batch->count, err) : rc;
}

static enum pl_err feed_trace(struct processes *run, struct pl_trace *trace, struct pl_error *err)
{
    struct pl_batch batch;
    enum pl_err rc;
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK) {
        rc = feed_batch(run, &batch, err);
        if (rc)
            return rc;
    }
    return rc == PL_END ? PL_OK : rc;
}

/* --- the answer --------------------------------------------------------------------------------------------------- */

static enum pl_err add_rows(struct pl_document_table *table, const struct processes *run, const struct process *process,
                            struct pl_value id, const struct pl_trace_info *info, struct pl_error *err)
{
    const struct pl_curve_result *result = &process->result;
    struct pl_sizes sizes;
    enum pl_err rc = curve_choose_sizes(run->options, info, info->distinct, true, run->arena, &sizes, err);
    for (size_t i = 0; rc == PL_OK && i < sizes.count; i++) {
        uint64_t at = sizes.pages[i] < result->depth ? sizes.pages[i] : result->depth;
        struct pl_value values[] = {
            pl_value_text(process->name),       id,
            pl_value_count(result->touches),    pl_value_real(curve_mb(info, (double)sizes.pages[i])),
            pl_value_count(sizes.pages[i]),     pl_value_count(result->reads[at]),
            pl_value_count(result->writes[at]), pl_value_count(result->cold)};
        pl_document_row(table, values);
    }
    return rc;
}

static enum pl_err report(const struct processes *run, const struct process *all, const struct pl_trace_info *info,
                          struct pl_error *err)
{
    static const struct pl_column columns[] = {
        {"who", "process", "", PL_VALUE_TEXT, 0},
        {"process", "id", "", PL_VALUE_COUNT, 0},
        {"accesses", "accesses", "", PL_VALUE_COUNT, 0},
        {"memory_mb", "memory", "MB", PL_VALUE_REAL, 3},
        {"memory_pages", "memory", "pages", PL_VALUE_COUNT, 0},
        {"reads", "reads", "", PL_VALUE_COUNT, 0},
        {"writes", "writes", "", PL_VALUE_COUNT, 0},
        {"cold", "first touches", "", PL_VALUE_COUNT, 0},
    };
    struct pl_document *document =
        curve_more_document(info, "curve-processes", "Reads and write-backs by memory size, by process", run->arena);
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    pl_document_parameter(document, "rule", "rule", "", pl_value_text(pl_rule_names[run->options->rule]));
    pl_document_result(document, "accesses", "accesses", "", pl_value_count(all->result.touches));
    pl_document_result(document, "pages", "distinct pages", "", pl_value_count(all->result.cold));
    pl_document_result(document, "processes", "processes", "", pl_value_count(run->count));
    pl_document_result(document, "shared_pages", "pages that several processes touch", "",
                       pl_value_count(run->shared_pages));
    pl_document_note(document, "each process as if it had the memory to itself; 'all' in one memory together");
    struct pl_document_table *table = pl_document_table(
        document, "processes", "Reads and write-backs by process and memory size", columns, PL_COUNT_OF(columns));
    enum pl_err rc = add_rows(table, run, all, pl_value_text(NULL), info, err);
    for (size_t i = 0; rc == PL_OK && i < run->count; i++)
        rc = add_rows(table, run, &run->process[i], pl_value_count(run->process[i].id), info, err);
    return rc ? rc : curve_more_emit(document, table, run->options, info, err);
}

static enum pl_err finish_all(struct processes *run, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    for (size_t i = 0; rc == PL_OK && i < run->count; i++) {
        struct process *process = &run->process[i];
        rc = pl_curve_finish(process->curve, &process->result, err);
        process->curve = NULL;
    }
    return rc;
}

static void processes_free(struct processes *run)
{
    for (size_t i = 0; i < run->count; i++) {
        pl_curve_abandon(run->process[i].curve);
        if (run->process[i].result.reads)
            pl_curve_result_free(&run->process[i].result);
    }
    pl_curve_abandon(run->joint);
    pl_densify_destroy(run->foreign);
    free(run->process);
    free(run->number);
    free(run->shared);
    free(run->foreign_number);
    free(run);
}

enum pl_err curve_by_process(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                             struct pl_error *err)
{
    struct pl_curve_params params = params_of(options);
    struct process all = {.name = "all"};
    struct processes *run = calloc(1, sizeof *run);
    if (!run)
        return pl_fail_memory(err, sizeof *run, "the processes");
    run->options = options;
    run->arena = arena;
    enum pl_err rc = pl_curve_create(&params, &run->joint, err);
    if (rc == PL_OK)
        rc = feed_trace(run, trace, err);
    if (rc == PL_OK) {
        rc = pl_curve_finish(run->joint, &all.result, err);
        run->joint = NULL;
    }
    if (rc == PL_OK) {
        rc = finish_all(run, err);
        if (rc == PL_OK)
            rc = report(run, &all, pl_trace_info(trace), err);
        pl_curve_result_free(&all.result);
    }
    processes_free(run);
    return rc;
}
