/* trace/scenario/format_scenario.c: scenarios among the formats of traces. See scenario.h.
 *
 * The file is JSON whose "format" says pagelab-scenario. It is read whole (it is small, however much it describes) and
 * then run step by step. */
#include "config.h"

#include "trace/native/native.h"
#include "trace/scenario/scenario.h"

#include <string.h>

enum { FILE_MAX_BYTES = 4 << 20 };

struct scenario_reader {
    struct scenario_run *run;
    struct pl_native_expander *expander; /* NULL: ranges stay ranges */
};

static int probe(const uint8_t *head, size_t length, bool whole)
{
    static const char mark[] = "\"pagelab-scenario\"";
    size_t first = 0;
    (void)whole;
    while (first < length && strchr(" \t\r\n", head[first]) && head[first])
        first++;
    return first < length && head[first] == '{' && memmem(head, length, mark, sizeof mark - 1) ? 100 : 0;
}

static enum pl_err read_program(struct pl_reader *reader, struct scenario_run **out, struct pl_error *err)
{
    const uint8_t *text;
    size_t length;
    struct scenario *scenario;
    enum pl_err rc = pl_source_peek(reader->source, FILE_MAX_BYTES, &text, &length, err);
    if (rc == PL_OK && length >= FILE_MAX_BYTES)
        rc = pl_fail(err, PL_ERR_INPUT, "%s: larger than 4 MiB: no scenario", reader->info.path);
    if (rc == PL_OK)
        rc = scenario_read((const char *)text, length, reader, &scenario, err);
    if (rc)
        return rc;
    reader->info.page_size = scenario->page_size;
    const struct pl_json_node *title = pl_json_get(pl_json_root(scenario->json), "title");
    if (title && pl_json_is_text(title))
        pl_json_as_text(title, &reader->info.source, NULL);
    pl_source_skip(reader->source, length);
    reader->info.bytes_read = length;
    rc = scenario_run_create(scenario, out, err);
    if (rc)
        scenario_free(scenario);
    return rc;
}

static enum pl_err open_scenario(struct pl_reader *reader, struct pl_error *err)
{
    struct scenario_reader *self = pl_arena_alloc(reader->arena, 1, sizeof *self);
    if (!self)
        return pl_fail_memory(err, sizeof *self, "a scenario");
    enum pl_err rc = read_program(reader, &self->run, err);
    if (rc)
        return rc;
    reader->info.records = PL_RECORDS_ACCESSES;
    reader->info.clock = PL_CLOCK_NONE;
    if (reader->options.expand_ranges) {
        self->expander = pl_native_expander_create(reader->arena);
        if (!self->expander) {
            scenario_run_free(self->run);
            return pl_fail_memory(err, PL_BATCH_MAX, "expanding ranges");
        }
    }
    reader->self = self;
    return PL_OK;
}

static void count_kind(struct pl_trace_info *info, int kind, uint64_t touches)
{
    info->touches += touches;
    *(kind == PL_WRITE ? &info->writes : kind == PL_EXECUTE ? &info->executes : &info->reads) += touches;
}

static void count_batch(struct scenario_reader *self, struct pl_trace_info *info, const struct pl_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        count_kind(info, batch->kind[i], 1);
    for (size_t i = 0; i < batch->control_count; i++)
        if (batch->control[i].op == PL_OP_RANGE) {
            info->ranges++;
            count_kind(info, batch->control[i].kind, batch->control[i].b);
        }
    info->input_records += batch->count + batch->control_count;
    info->distinct = batch->distinct;
    info->processes = self->run->scenario->process_count;
    info->threads = self->run->scenario->actor_count;
}

static enum pl_err next(struct pl_reader *reader, struct pl_batch *out, struct pl_error *err)
{
    struct scenario_reader *self = reader->self;
    if (self->expander && pl_native_expander_next(self->expander, out))
        return PL_OK;
    enum pl_err rc = scenario_run_next(self->run, out, err);
    if (rc)
        return rc;
    count_batch(self, &reader->info, out);
    if (!self->expander)
        return PL_OK;
    pl_native_expander_start(self->expander, out);
    return pl_native_expander_next(self->expander, out) ? PL_OK : next(reader, out, err);
}

static struct pl_page_origin origin(const struct pl_reader *reader, pl_page page)
{
    const struct scenario_reader *self = reader->self;
    const struct scenario_run *run = self->run;
    size_t low = 0, high = run->origin_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (run->origin[middle].first <= page)
            low = middle;
        else
            high = middle;
    }
    if (!run->origin_count)
        return (struct pl_page_origin){0, page};
    return (struct pl_page_origin){run->origin[low].process, run->origin[low].number + (page - run->origin[low].first)};
}

static void close_scenario(struct pl_reader *reader)
{
    struct scenario_reader *self = reader->self;
    if (self)
        scenario_run_free(self->run);
}

const struct pl_format pl_format_scenario = {
    .name = "scenario",
    .about = "a workload in JSON: processes, allocations, touches, trims (models/scenarios/README.md)",
    .suffixes = "json",
    .probe = probe,
    .open = open_scenario,
    .next = next,
    .origin = origin,
    .close = close_scenario,
};
