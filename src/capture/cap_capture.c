/* capture/cap_capture.c: `pagecap run` and `attach`: a back end, a recorder, and when to stop. */
#include "config.h"

#include "capture/contents.h"
#include "capture/pagecap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct capture_line {
    struct cap_common common;
    const char *backend, *output, *log_path;
    uint64_t min_region, ring, max_bytes, max_touches, last_touches;
    pl_time_ps time, interval;
    bool stacks, children, reference_set, plain, content;
    struct pl_strings ranges;
};

static const struct pl_option what_options[] = {
    {"backend", 'b', PL_OPT_TEXT, offsetof(struct capture_line, backend), "NAME", NULL,
     "How to look; without it the best one that works here ('pagecap backends')."},
    {"min-region", 0, PL_OPT_BYTES, offsetof(struct capture_line, min_region), "SIZE", "64KiB",
     "exact, interval: trace allocations of at least this size only."},
    {"range", 0, PL_OPT_LIST, offsetof(struct capture_line, ranges), "START-END", NULL,
     "Trace only regions that meet these hexadecimal addresses; may be repeated."},
    {"stacks", 0, PL_OPT_FLAG, offsetof(struct capture_line, stacks), NULL, NULL,
     "Trace stacks as well, where that works."},
    {"children", 0, PL_OPT_FLAG, offsetof(struct capture_line, children), NULL, NULL,
     "Follow processes that the program starts, where that works."},
    {"interval", 0, PL_OPT_TIME, offsetof(struct capture_line, interval), "TIME", "100ms",
     "interval, snapshot, writes: the length of one interval."},
    {"content", 0, PL_OPT_FLAG, offsetof(struct capture_line, content), NULL, NULL,
     "At the end record of each page its hash and its compressed sizes (XPRESS, LZ4): of a program that is run by "
     "exact or interval on Linux, or attached to."},
    {"reference-set", 0, PL_OPT_FLAG, offsetof(struct capture_line, reference_set), NULL, NULL,
     "etw: record the reference set; it empties every working set at its marks."},
    {NULL},
};

static const struct pl_option limit_options[] = {
    {"time", 0, PL_OPT_TIME, offsetof(struct capture_line, time), "TIME", "0",
     "Stop after so long; 0: at the program's end."},
    {"bytes", 0, PL_OPT_BYTES, offsetof(struct capture_line, max_bytes), "SIZE", "0",
     "Stop when the trace is so large."},
    {"touches", 0, PL_OPT_COUNT, offsetof(struct capture_line, max_touches), "N", "0", "Stop after so many touches."},
    {"last", 0, PL_OPT_COUNT, offsetof(struct capture_line, last_touches), "N", "0",
     "Keep only the last so many touches, in memory until the end."},
    {"ring", 0, PL_OPT_BYTES, offsetof(struct capture_line, ring), "SIZE", "0",
     "Memory between program and tool; 0: what the back end likes."},
    {NULL},
};

static const struct pl_option output_options[] = {
    {"output", 'o', PL_OPT_TEXT, offsetof(struct capture_line, output), "FILE", "pagecap.trace", "The native trace."},
    {"plain", 0, PL_OPT_FLAG, offsetof(struct capture_line, plain), NULL, NULL,
     "Store blocks plainly: faster, larger."},
    {"log", 0, PL_OPT_TEXT, offsetof(struct capture_line, log_path), "FILE", NULL,
     "etw: keep the .etl file under this name."},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"What is captured", what_options, 0},
    {"When it stops", limit_options, 0},
    {"Output", output_options, 0},
    {NULL, cap_common_options, offsetof(struct capture_line, common)},
    {NULL},
};

static const char details[] =
    "The trace's header says what its records are: accesses (every touch, in order), faults, interval (sets of pages "
    "without order) or writes. It ends with the program, at Ctrl-C, or at a limit; after a crash it is valid up to its "
    "last block. 'run' ends with the program's own status (128 + signal when one ended it), or with 0 when the capture was "
    "stopped first.";

const struct pl_command_spec cap_run_spec = {
    .name = "run",
    .operands = "-- PROGRAM [ARGUMENTS]",
    .summary = "Run a program and record which pages it touches.",
    .details = details,
    .groups = groups,
    .examples = (const struct pl_example[]){
        {"pagecap run -o sort.trace -- sort words.txt", "every access, by the best back end"},
        {"pagecap run --backend interval --interval 20ms -- ./server", "access bits by interval, at low cost"},
        {NULL},
    },
};

const struct pl_command_spec cap_attach_spec = {
    .name = "attach",
    .operands = "PID",
    .summary = "Record which pages a running process touches.",
    .details = details,
    .groups = groups,
    .examples = (const struct pl_example[]){
        {"pagecap attach --time 10s -o server.trace 1234", "ten seconds of it"},
        {NULL},
    },
};

/* --- when to stop ------------------------------------------------------------------------- */
struct limits {
    const struct pl_recorder *recorder;
    pl_time_ps start, end; /* end 0: none */
    bool reached;          /* the capture stopped, not the program */
    bool watched;          /* by someone at a terminal: a line says how far it is */
    pl_time_ps told;       /* when it last did */
};

static pl_time_ps limits_time(const struct limits *limits)
{
    return pl_os_now() - limits->start;
}

/* "pagecap: 12.3 M touches, 4.1 MiB, 83 s", twice a second, over itself. */
static void tell_progress(struct limits *limits, pl_time_ps now)
{
    char size[32];
    if (!limits->watched || now - limits->told < PL_PS_PER_S / 2)
        return;
    limits->told = now;
    const struct pl_recorder_counts counts = pl_recorder_counts(limits->recorder);
    fprintf(stderr, "\rpagecap: %.3g M touches, %s, %.0f s ", (double)counts.touches / 1e6,
            pl_format_bytes(size, sizeof size, (double)counts.bytes), (double)(now - limits->start) / (double)PL_PS_PER_S);
}

static void end_progress(const struct limits *limits)
{
    if (limits->watched && limits->told > limits->start)
        fprintf(stderr, "\r%60s\r", "");
}

static bool should_stop(void *user)
{
    struct limits *limits = user;
    tell_progress(limits, pl_os_now());
    limits->reached |=
        pl_os_interrupted() || pl_recorder_full(limits->recorder) || (limits->end && pl_os_now() >= limits->end);
    return limits->reached;
}

/* --- which back end ------------------------------------------------------------------------ */
static bool can(const struct pl_backend *backend, bool attach)
{
    return attach ? backend->attaches : backend->runs;
}

/* The first that works. */
static enum pl_err choose(bool attach, const struct pl_backend **out, struct pl_error *err)
{
    for (size_t i = 0; pl_backends[i]; i++)
        if (can(pl_backends[i], attach) && pl_backends[i]->probe(NULL) == PL_OK) {
            *out = pl_backends[i];
            return PL_OK;
        }
    return pl_fail(err, PL_ERR_RESOURCE, "no back end works here; 'pagecap backends' says why");
}

static enum pl_err pick(const char *name, bool attach, const struct pl_backend **out, struct pl_error *err)
{
    if (!name)
        return choose(attach, out, err);
    enum pl_err rc = pl_backend_find(name, out, err);
    if (rc)
        return rc;
    if (!can(*out, attach))
        return pl_fail(err, PL_ERR_USAGE, "back end '%s' cannot %s", name,
                       attach ? "attach to a running process; use pagecap run" : "run a program; use pagecap attach");
    rc = (*out)->probe(err);
    return rc ? pl_fail_prefix(err, "back end '%s' does not work here", name) : PL_OK;
}

/* --- the request ------------------------------------------------------------------------------ */
static enum pl_err parse_ranges(const struct pl_strings *texts, struct pl_capture_request *request,
                                struct pl_error *err)
{
    if (texts->count > PL_CAPTURE_RANGES_MAX)
        return pl_fail(err, PL_ERR_USAGE, "at most %d ranges", PL_CAPTURE_RANGES_MAX);
    for (size_t i = 0; i < texts->count; i++) {
        struct pl_capture_range *range = &request->range[i];
        char rest;
        if (sscanf(texts->item[i], "%" SCNx64 "-%" SCNx64 "%c", &range->start, &range->end, &rest) != 2 ||
            range->start >= range->end)
            return pl_fail(err, PL_ERR_USAGE, "--range: '%s' is no START-END in hexadecimal", texts->item[i]);
    }
    request->range_count = texts->count;
    return PL_OK;
}

static const char *describe_source(struct pl_arena *arena, const struct pl_backend *backend,
                                   const struct pl_capture_request *request)
{
    struct pl_text text = {0};
    pl_text_addf(&text, "pagecap %s %s on %s:", PACKAGE_VERSION, backend->name, pl_os_name);
    if (!request->argv)
        pl_text_addf(&text, " process %" PRIu64, request->pid);
    for (char *const *word = request->argv; word && *word && text.length < 4000; word++) {
        pl_text_add(&text, " ");
        pl_text_add_printable(&text, *word, strlen(*word));
    }
    const char *copy = pl_arena_strdup(arena, text.data ? text.data : "");
    pl_text_free(&text);
    return copy;
}

/* --- the summary --------------------------------------------------------------------------------- */
static enum pl_err show(const struct capture_line *line, const struct pl_backend *backend,
                        struct pl_recorder_counts counts, const struct pl_capture_result *result,
                        struct pl_arena *arena, struct pl_error *err)
{
    static const char *const records[] = {"accesses", "requests", "faults", "interval", "writes"};
    struct pl_document *document = pl_document_create(arena, "capture", "What was captured");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    int argc;
    char **argv;
    cap_whole_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    pl_document_parameter(document, "backend", "back end", "", pl_value_text(backend->name));
    pl_document_parameter(document, "records", "records", "", pl_value_text(records[backend->records]));
    pl_document_parameter(document, "trace", "trace", "", pl_value_text(line->output));
    pl_document_result(document, "pid", "process", "", pl_value_count(result->pid));
    if (result->exit_status >= 0)
        pl_document_result(document, "exit_status", "it ended with", "", pl_value_count((uint64_t)result->exit_status));
    pl_document_result(document, "touches", "touches", "", pl_value_count(counts.touches));
    pl_document_result(document, "reads", "of them reads", "", pl_value_count(counts.reads));
    pl_document_result(document, "writes", "of them writes", "", pl_value_count(counts.writes));
    pl_document_result(document, "pages", "distinct pages", "pages", pl_value_count(counts.touched));
    pl_document_result(document, "lost", "records lost", "", pl_value_count(counts.lost));
    pl_document_result(document, "regions", "regions traced", "", pl_value_count(result->regions));
    pl_document_result(document, "traced_bytes", "memory traced", "bytes", pl_value_count(result->traced_bytes));
    pl_document_result(document, "untraced_faults", "accesses let through untraced", "",
                       pl_value_count(result->untraced_faults));
    if (line->content)
        pl_document_result(document, "contents", "pages whose content is recorded", "pages",
                           pl_value_count(result->contents));
    if (line->content && !result->contents)
        pl_document_note(document, "The program had ended before its pages could be read.");
    pl_document_result(document, "trace_bytes", "size of the trace", "bytes", pl_value_count(counts.bytes));
    if (result->note[0])
        pl_document_note(document, "%s", result->note);
    pl_document_note(document, "Not seen: %s", backend->blind_to);
    return cap_emit(document, &line->common, err);
}

/* As time, strace and valgrind do: whoever runs a program below another wants to know how it ended. */
static void pass_status_on(const struct capture_line *line, const struct limits *limits, int status)
{
    if (limits->reached || status <= 0)
        return;
    cap_ends_with(status);
    if (line->common.quiet)
        return;
    if (status > 128)
        cap_say("the program was ended by signal %d", status - 128);
    else
        cap_say("the program ended with status %d", status);
}

/* --- the work -------------------------------------------------------------------------------------- */
static enum pl_err record(const struct capture_line *line, const struct pl_backend *backend,
                          struct pl_capture_request *request, struct pl_arena *arena, struct pl_error *err)
{
    struct pl_recorder_options options = {
        .path = line->output,
        .source = describe_source(arena, backend, request),
        .page_size = pl_os_page_size(),
        .records = backend->records,
        .times = true,
        .plain = line->plain,
        .max_bytes = line->max_bytes,
        .max_touches = line->max_touches,
        .last_touches = line->last_touches,
    };
    struct pl_recorder *recorder;
    enum pl_err rc = pl_recorder_open(&options, &recorder, err);
    if (rc)
        return rc;
    const pl_time_ps now = pl_os_now();
    struct limits limits = {.recorder = recorder,
                            .start = now,
                            .end = line->time ? now + line->time : 0,
                            .watched = !line->common.quiet && pl_os_watched(),
                            .told = now};
    if (limits.watched && backend->slow)
        cap_say("%s", backend->slow);
    struct pl_capture_result result = {.exit_status = -1};
    request->should_stop = should_stop;
    request->user = &limits;
    rc = backend->capture(request, recorder, &result, err);
    end_progress(&limits);
    if (rc == PL_OK && line->content && !result.contents && result.exit_status < 0)
        rc = capture_contents(recorder, result.pid, limits_time(&limits), &result.contents, err);
    if (rc == PL_OK && pl_recorder_counts(recorder).touches == 0)
        rc = pl_fail(err, PL_ERR_RESOURCE, "back end '%s' saw not one touch%s%s", backend->name,
                     result.note[0] ? ": " : "", result.note);
    if (rc) {
        pl_recorder_abandon(recorder);
        return rc;
    }
    struct pl_recorder_counts counts;
    rc = pl_recorder_close(recorder, &counts, err);
    if (rc == PL_OK)
        rc = show(line, backend, counts, &result, arena, err);
    if (rc == PL_OK && request->argv)
        pass_status_on(line, &limits, result.exit_status);
    return rc;
}

static enum pl_err capture(const struct pl_command_spec *spec, bool attach, int argc, char **argv, struct pl_error *err)
{
    struct capture_line values;
    struct cap_line line;
    const struct pl_backend *backend;
    struct pl_capture_request request = {0};
    enum pl_err rc = cap_begin(spec, argc, argv, &values, &line, err);
    if (rc || line.done) {
        cap_end(&line);
        return rc;
    }
    if (attach)
        rc = cap_pid(&line, &request.pid, err);
    else if (!line.program || !line.program[0] || line.operands.count)
        rc = pl_fail(err, PL_ERR_USAGE, "say what to run behind --: pagecap run [OPTIONS] -- PROGRAM ARGUMENTS");
    if (rc == PL_OK)
        rc = parse_ranges(&values.ranges, &request, err);
    if (rc == PL_OK)
        rc = pick(values.backend, attach, &backend, err);
    if (rc == PL_OK && ((values.stacks && !backend->stacks) || (values.children && !backend->children)))
        rc = pl_fail(err, PL_ERR_USAGE, "back end '%s' takes no --%s", backend->name,
                     values.stacks && !backend->stacks ? "stacks" : "children");
    if (rc == PL_OK) {
        request.argv = attach ? NULL : line.program;
        request.min_region_bytes = values.min_region;
        request.stacks = values.stacks;
        request.children = values.children;
        request.content = values.content;
        request.reference_set = values.reference_set;
        request.interval = values.interval;
        request.ring_bytes = values.ring;
        request.log_path = values.log_path;
        pl_os_catch_interrupts();
        rc = record(&values, backend, &request, line.arena, err);
    }
    cap_end(&line);
    return rc;
}

enum pl_err cap_run(int argc, char **argv, struct pl_error *err)
{
    return capture(&cap_run_spec, false, argc, argv, err);
}

enum pl_err cap_attach(int argc, char **argv, struct pl_error *err)
{
    return capture(&cap_attach_spec, true, argc, argv, err);
}
