/* capture/cap_touch.c: `pagecap touch`: the pages that a trace touches, touched here, in memory as scarce as one likes.
 *
 * Each page of the trace is a page of anonymous memory. Its first touch fills it, later ones read its first int or write
 * it again, so that a page holds the same all the time: what `pagelab replay` takes it to hold (store.content, page by
 * page in the order of first use). Touches follow one another without a pause; faults are counted by the system. */
#include "capture/measurement.h"
#include "capture/pagecap.h"
#include "capture/touch_list.h"

#include "codec/page_content.h"

#include <stdlib.h>
#include <string.h>

struct touch_line {
    struct cap_common common;
    const char *fill, *zram, *output, *name;
    uint64_t limit, repetitions, warm_up;
    bool limited;
};

static const struct pl_option run_options[] = {
    {"limit", 0, PL_OPT_BYTES, offsetof(struct touch_line, limit), "SIZE", NULL,
     "Linux, root: in a memory cgroup of this run's own with this limit.", NULL, offsetof(struct touch_line, limited)},
    {"zram", 0, PL_OPT_TEXT, offsetof(struct touch_line, zram), "SIZE,CODEC", NULL,
     "Linux, root: swap to a zram device of this run's own, as `pagecap eat --zram` does."},
    {"fill", 0, PL_OPT_TEXT, offsetof(struct touch_line, fill), "WHAT", "text",
     "What the pages hold: zeros, index, rand, text, hash, same, mixed (seed 0)."},
    {"repetitions", 'n', PL_OPT_COUNT, offsetof(struct touch_line, repetitions), "N", "3", "How often."},
    {"warm-up", 0, PL_OPT_COUNT, offsetof(struct touch_line, warm_up), "N", "1", "How often before, not counted."},
    {NULL},
};

static const struct pl_option output_options[] = {
    {"output", 'o', PL_OPT_TEXT, offsetof(struct touch_line, output), "FILE", NULL,
     "Write the measurement, for pagelab validate."},
    {"name", 0, PL_OPT_TEXT, offsetof(struct touch_line, name), "NAME", "touch", "The measurement's name."},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"The run", run_options, 0},
    {"Output", output_options, 0},
    {NULL, cap_common_options, offsetof(struct touch_line, common)},
    {NULL},
};

const struct pl_command_spec cap_touch_spec = {
    .name = "touch",
    .operands = "TRACE.txt",
    .summary = "Touch the pages of a trace in its order, with little memory: faults and times.",
    .details = "The trace is text, 'hexaddress R' or 'hexaddress W' a line, as pagelab trace convert --to memsim writes it.",
    .groups = groups,
    .examples = (const struct pl_example[]){
        {"pagecap touch gcc.txt --limit 8MiB --zram 64MiB,lz4 -o touched.json", "a trace in 8 MiB, the rest in zram"}, {NULL}},
};

/* --- touching ------------------------------------------------------------------------ */
struct touching {
    const struct touch_list *list;
    struct pl_os_memory memory;
    struct pl_content content;
    uint32_t page_size;
    uint32_t *first; /* by page: its first int */
    uint8_t *made;
};

static enum pl_err prepare(struct touching *touching, const struct touch_list *list, const char *fill,
                           struct pl_error *err)
{
    *touching = (struct touching){.list = list, .page_size = pl_os_page_size()};
    enum pl_err rc = pl_content_find(fill, &touching->content.kind, err);
    if (rc)
        return pl_fail_prefix(err, "--fill");
    touching->first = malloc(list->pages * sizeof *touching->first);
    touching->made = malloc(touching->page_size);
    if (!touching->first || !touching->made)
        return pl_fail_memory(err, list->pages * sizeof *touching->first, "what pages hold");
    for (uint32_t page = 0; page < list->pages; page++) {
        pl_content_page(&touching->content, page, touching->made, touching->page_size);
        memcpy(&touching->first[page], touching->made, sizeof touching->first[page]);
    }
    return PL_OK;
}

static void forget(struct touching *touching)
{
    pl_os_memory_release(&touching->memory);
    free(touching->first);
    free(touching->made);
}

/* The list from its beginning to its end; *aside gets the time spent on something else. Returns whether nobody stopped
 * it. */
static bool touch_all(const struct touching *touching, pl_time_ps *aside)
{
    enum { LOOK_EVERY = 1 << 11 };
    const struct touch_list *list = touching->list;
    uint32_t next = 0;
    for (uint64_t i = 0; i < list->count; i++) {
        const uint32_t page = list->touch[i] >> 1;
        uint8_t *bytes = touching->memory.bytes + (uint64_t)page * touching->page_size;
        volatile uint32_t *word = (volatile uint32_t *)(void *)bytes;
        if (page == next) { /* its first touch */
            pl_content_page(&touching->content, next++, touching->made, touching->page_size);
            memcpy(bytes, touching->made, touching->page_size);
        } else if (list->touch[i] & 1)
            *word = touching->first[page];
        else
            (void)*word;
        if (i % LOOK_EVERY != 0)
            continue;
        pl_time_ps start = pl_os_now();
        pl_os_limit_look();
        *aside += pl_os_now() - start;
        if (pl_os_interrupted())
            return false;
    }
    return true;
}

/* --- measuring ------------------------------------------------------------------------- */
struct sample {
    double time_ms;
    uint64_t minor, major;
    struct pl_os_store store;
    bool stored;
};

static enum pl_err measure_once(const struct touch_line *values, struct touching *touching, struct sample *out,
                                struct pl_error *err)
{
    struct pl_os_counters before, after;
    *out = (struct sample){0};
    pl_os_own_store_settle();
    enum pl_err rc = pl_os_memory_get(PL_OS_PRIVATE, (uint64_t)touching->list->pages * touching->page_size, NULL,
                                      &touching->memory, err);
    if (rc == PL_OK && values->limited)
        rc = pl_os_limit_start(values->limit, err);
    if (rc)
        return rc;
    pl_os_counters(&before);
    pl_time_ps start = pl_os_now(), aside = 0;
    bool whole = touch_all(touching, &aside);
    out->time_ms = (double)(pl_os_now() - start - aside) / (double)PL_PS_PER_MS;
    pl_os_counters(&after);
    out->stored = pl_os_store(&out->store);
    out->minor = after.minor_faults - before.minor_faults;
    out->major = after.major_faults - before.major_faults;
    pl_os_memory_release(&touching->memory);
    pl_os_limit_stop();
    return whole ? PL_OK : pl_fail(err, PL_ERR_RESOURCE, "interrupted");
}

static void keep(struct pl_measurement *measurement, const struct sample *sample)
{
    static const char phase[] = "run";
    pl_measurement_sample(measurement, phase, "time", "ms", sample->time_ms);
    pl_measurement_sample(measurement, phase, "page_faults", "count", (double)(sample->minor + sample->major));
    pl_measurement_sample(measurement, phase, "major_faults", "count", (double)sample->major);
    if (!sample->stored)
        return;
    pl_measurement_sample(measurement, phase, "store_pages", "count", (double)sample->store.pages);
    pl_measurement_sample(measurement, phase, "store_bytes", "bytes", (double)sample->store.bytes);
    pl_measurement_sample(measurement, phase, "store_used_bytes", "bytes", (double)sample->store.used_bytes);
}

static enum pl_err measure_all(const struct touch_line *values, struct touching *touching,
                               struct pl_measurement *measurement, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    for (uint64_t i = 0; i < values->warm_up + values->repetitions && rc == PL_OK; i++) {
        struct sample sample;
        rc = measure_once(values, touching, &sample, err);
        if (rc == PL_OK && i >= values->warm_up)
            keep(measurement, &sample);
    }
    return rc;
}

/* --- the result -------------------------------------------------------------------------- */
static void keep_fact(void *user, const char *key, const char *unit, struct pl_value value)
{
    pl_measurement_fact(user, key, value);
}

static void describe(const struct touch_line *values, const char *path, struct pl_measurement *measurement)
{
    char *full = pl_os_full_path(path);
    pl_measurement_trace(measurement, full ? full : path);
    free(full);
    pl_measurement_fact(measurement, "page_bytes", pl_value_count(pl_os_page_size()));
    pl_measurement_fact(measurement, "fill", pl_value_text(values->fill));
    if (values->limited)
        pl_measurement_fact(measurement, "limit_bytes", pl_value_count(values->limit));
    pl_os_facts(keep_fact, measurement);
}

static enum pl_err show(const struct touch_line *values, const struct touch_list *list,
                        const struct pl_measurement *measurement, struct pl_arena *arena, struct pl_error *err)
{
    static const struct {
        const char *value, *label, *unit;
    } rows[] = {{"time", "time", "ms"},
                {"page_faults", "page faults", ""},
                {"major_faults", "of them from swap", ""},
                {"store_pages", "pages in the store at the end", "pages"},
                {"store_bytes", "compressed", "bytes"},
                {"store_used_bytes", "memory that they take", "bytes"}};
    int argc;
    char **argv;
    struct pl_document *document = pl_document_create(arena, "touch", "The pages of a trace, touched");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    cap_whole_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    pl_document_parameter(document, "touches", "touches", "", pl_value_count(list->count));
    pl_document_parameter(document, "writes", "writes", "", pl_value_count(list->writes));
    pl_document_parameter(document, "pages", "distinct pages", "pages", pl_value_count(list->pages));
    if (values->limited)
        pl_document_parameter(document, "limit_bytes", "memory", "bytes", pl_value_count(values->limit));
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++)
        pl_document_result(document, rows[i].value, rows[i].label, rows[i].unit,
                           pl_value_real(pl_measurement_median(measurement, "run", rows[i].value)));
    pl_document_note(document, "Medians of %llu repetitions.", (unsigned long long)values->repetitions);
    return cap_emit(document, &values->common, err);
}

static enum pl_err write_out(const struct pl_measurement *measurement, const char *path, struct pl_error *err)
{
    struct pl_sink *sink;
    enum pl_err rc = pl_sink_open_path(path, &sink, err);
    if (rc)
        return rc;
    rc = pl_measurement_write(measurement, sink, err);
    if (rc == PL_OK)
        return pl_sink_close(sink, err);
    pl_sink_abandon(sink);
    return rc;
}

static enum pl_err touch_command(const struct touch_line *values, const char *path, struct pl_arena *arena,
                                 struct pl_error *err)
{
    struct touch_list list = {0};
    struct touching touching = {0};
    struct pl_measurement *measurement =
        pl_measurement_create(arena, values->name, "", "The pages of a trace, touched by pagecap touch");
    if (!measurement)
        return pl_fail_memory(err, 0, "the measurement");
    enum pl_err rc = values->repetitions ? touch_list_read(path, &list, err)
                                         : pl_fail(err, PL_ERR_USAGE, "--repetitions must be at least 1");
    if (rc == PL_OK)
        rc = prepare(&touching, &list, values->fill, err);
    if (rc == PL_OK && values->zram)
        rc = pl_os_own_store_start(values->zram, err);
    if (rc == PL_OK) {
        describe(values, path, measurement);
        rc = measure_all(values, &touching, measurement, err);
    }
    forget(&touching);
    pl_os_own_store_stop();
    if (rc == PL_OK && values->output)
        rc = write_out(measurement, values->output, err);
    if (rc == PL_OK)
        rc = show(values, &list, measurement, arena, err);
    touch_list_free(&list);
    return rc;
}

enum pl_err cap_touch(int argc, char **argv, struct pl_error *err)
{
    struct touch_line values;
    struct cap_line line;
    enum pl_err rc = cap_begin(&cap_touch_spec, argc, argv, &values, &line, err);
    if (rc == PL_OK && !line.done && line.operands.count != 1)
        rc = pl_fail(err, PL_ERR_USAGE, "touch takes one trace");
    if (rc == PL_OK && !line.done) {
        pl_os_catch_interrupts();
        rc = touch_command(&values, line.operands.item[0], line.arena, err);
    }
    cap_end(&line);
    return rc;
}
