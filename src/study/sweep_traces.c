/* study/sweep_traces.c: traces that many threads replay, decoded once. */
#include "study/sweep_traces.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum pl_err pl_sweep_traces_list(struct pl_sweep_traces *traces, const char *const *names, size_t count,
                                 const char *folder, struct pl_arena *arena, struct pl_text *identity,
                                 struct pl_error *err)
{
    traces->trace = pl_arena_alloc(arena, count, sizeof *traces->trace);
    if (!traces->trace)
        return pl_fail_memory(err, count * sizeof *traces->trace, "the traces of a study");
    traces->count = count;
    for (size_t i = 0; i < count; i++)
        traces->trace[i].descriptor = -1;
    for (size_t i = 0; i < count; i++) {
        struct pl_sweep_trace *trace = &traces->trace[i];
        trace->name = names[i];
        trace->path = pl_sweep_path(folder, names[i], arena);
        if (!trace->path)
            return pl_fail_memory(err, strlen(names[i]), "a path");
        enum pl_err rc = pl_sweep_identify_file("trace", trace->name, trace->path, identity, err);
        if (rc)
            return rc;
    }
    return PL_OK;
}

/* --- decoding ------------------------------------------------------------------------------------- */

static struct pl_page_origin origin_of(void *user, pl_page page)
{
    return pl_trace_page_origin(user, page);
}

static enum pl_err copy(struct pl_trace *from, const char *path, struct pl_error *err)
{
    const struct pl_trace_info *info = pl_trace_info(from);
    const struct pl_trace_header header = {info->page_size, info->records, info->clock, info->source, info->lost};
    struct pl_trace_writer *writer;
    struct pl_batch batch;
    enum pl_err rc = pl_trace_writer_open(path, "native", false, &header, &writer, err);
    if (rc)
        return rc;
    while ((rc = pl_trace_next(from, &batch, err)) == PL_OK)
        if ((rc = pl_trace_write(writer, &batch, origin_of, from, err)))
            break;
    if (rc == PL_END)
        return pl_trace_writer_close(writer, err);
    pl_trace_writer_abandon(writer);
    return rc;
}

/* Decodes into a file, and takes its name away: only the descriptor leads to it then. */
static enum pl_err decode_into(struct pl_sweep_trace *trace, struct pl_trace *from, const char *folder,
                               struct pl_error *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/trace", folder);
    enum pl_err rc = copy(from, path, err);
    if (rc == PL_OK && (trace->descriptor = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        rc = pl_fail_errno(err, errno, "%s", path);
    unlink(path);
    if (rc)
        return rc;
    snprintf(trace->own, sizeof trace->own, "/proc/%ld/fd/%d", (long)getpid(), trace->descriptor);
    trace->native = trace->own;
    return PL_OK;
}

static enum pl_err decode(struct pl_sweep_trace *trace, struct pl_trace *from, struct pl_error *err)
{
    const char *temporary = getenv("TMPDIR");
    char folder[4000];
    int length = snprintf(folder, sizeof folder, "%s/pagelab-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (length >= (int)sizeof folder || !mkdtemp(folder))
        return pl_fail_errno(err, errno ? errno : ENAMETOOLONG, "a folder for a decoded trace (%s)", folder);
    enum pl_err rc = decode_into(trace, from, folder, err);
    rmdir(folder);
    return rc;
}

static enum pl_err decode_one(struct pl_sweep_trace *trace, const struct pl_progress *progress, struct pl_error *err)
{
    const struct pl_trace_options options = {.need_dictionary = true, .progress = progress};
    struct pl_trace *from;
    if (trace->native)
        return PL_OK;
    enum pl_err rc = pl_trace_open(trace->path, &options, &from, err);
    if (rc)
        return rc;
    const struct pl_trace_info *info = pl_trace_info(from);
    if (info->records != PL_RECORDS_ACCESSES && info->records != PL_RECORDS_REQUESTS) {
        rc = pl_fail(err, PL_ERR_INPUT, "%s: its records are not accesses: they cannot be replayed", trace->path);
    } else if (!strcmp(info->format, "scenario") ||
               (!strcmp(info->format, "native") && !strcmp(info->compression, "none"))) {
        trace->native = trace->path;
        trace->touches = info->total_hint;
    } else {
        rc = decode(trace, from, err);
        trace->touches = info->touches;
    }
    pl_trace_close(from);
    return rc;
}

/* What the process that leads tells the others of a trace. */
struct news {
    char own[sizeof ((struct pl_sweep_trace *)NULL)->own];
    uint64_t touches;
    int32_t code;
    char message[PL_ERROR_MESSAGE_MAX];
};

static enum pl_err decode_for_all(struct pl_sweep_trace *trace, const struct pl_sweep_setup *setup,
                                  struct pl_error *err)
{
    struct pl_error inner = {PL_OK, ""};
    struct news news = {.code = PL_OK};
    if (setup->node->leads) {
        news.code = (int32_t)decode_one(trace, setup->progress, &inner);
        news.touches = trace->touches;
        memcpy(news.own, trace->own, sizeof news.own);
        memcpy(news.message, inner.message, sizeof news.message);
    }
    setup->node->broadcast(setup->node->user, &news, sizeof news);
    trace->touches = news.touches;
    memcpy(trace->own, news.own, sizeof news.own);
    trace->native = *trace->own ? trace->own : trace->path;
    return news.code ? pl_fail(err, (enum pl_err)news.code, "%s", news.message) : PL_OK;
}

enum pl_err pl_sweep_traces_decode(struct pl_sweep_traces *traces, const struct pl_sweep_setup *setup,
                                   struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    for (size_t i = 0; rc == PL_OK && i < traces->count; i++)
        rc = setup->node ? decode_for_all(&traces->trace[i], setup, err)
                         : decode_one(&traces->trace[i], setup->progress, err);
    return rc;
}

enum pl_err pl_sweep_traces_open(const struct pl_sweep_traces *traces, size_t which, bool need_dictionary,
                                 const char *const *assignments, size_t count, struct pl_trace **out,
                                 struct pl_error *err)
{
    const struct pl_trace_options options = {
        .need_dictionary = need_dictionary, .parameter = assignments, .parameter_count = count};
    return pl_trace_open(traces->trace[which].native, &options, out, err);
}

void pl_sweep_traces_free(struct pl_sweep_traces *traces)
{
    for (size_t i = 0; i < traces->count; i++)
        if (traces->trace[i].descriptor >= 0)
            close(traces->trace[i].descriptor);
    traces->count = 0;
}
