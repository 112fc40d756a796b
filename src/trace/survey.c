/* trace/survey.c: what a trace is like. */
#include "trace/survey.h"

#include <stdlib.h>
#include <string.h>

enum { WRITTEN = 1, EXECUTED = 2 };

struct pl_surveyor {
    struct pl_survey survey;
    uint64_t touches, stride; /* a sample of the growth every `stride` touches */
    uint32_t *count;          /* of touches by page; stays at its maximum */
    uint8_t *flags;
    uint64_t *number; /* page numbers, to see neighbours */
    size_t count_room, flags_room, number_room;
    uint64_t known;   /* pages of the trace so far, touched or only allocated */
    pl_page before;
    struct pl_survey_process *process;
    size_t process_room, present;
};

enum pl_err pl_surveyor_create(struct pl_surveyor **out, struct pl_error *err)
{
    struct pl_surveyor *surveyor = calloc(1, sizeof *surveyor);
    if (!surveyor)
        return pl_fail_memory(err, sizeof *surveyor, "a survey");
    surveyor->stride = 1;
    surveyor->before = PL_NO_PAGE;
    surveyor->survey.first_number = UINT64_MAX;
    *out = surveyor;
    return PL_OK;
}

void pl_surveyor_destroy(struct pl_surveyor *surveyor)
{
    if (!surveyor)
        return;
    free(surveyor->count);
    free(surveyor->flags);
    free(surveyor->number);
    free(surveyor->process);
    free(surveyor);
}

static enum pl_err make_room(struct pl_surveyor *surveyor, uint64_t pages, struct pl_error *err)
{
    void *count = surveyor->count, *flags = surveyor->flags, *number = surveyor->number;
    enum pl_err rc = pl_grow(&count, &surveyor->count_room, pages, sizeof *surveyor->count, "a survey", err);
    surveyor->count = count;
    if (rc == PL_OK)
        rc = pl_grow(&flags, &surveyor->flags_room, pages, sizeof *surveyor->flags, "a survey", err);
    surveyor->flags = flags;
    if (rc == PL_OK)
        rc = pl_grow(&number, &surveyor->number_room, pages, sizeof *surveyor->number, "a survey", err);
    surveyor->number = number;
    return rc;
}

/* Finds the process of that id, or adds it, and makes it the present one. */
static enum pl_err enter_process(struct pl_surveyor *surveyor, uint64_t id, struct pl_error *err)
{
    struct pl_survey *survey = &surveyor->survey;
    for (size_t i = 0; i < survey->process_count; i++)
        if (surveyor->process[i].id == id) {
            surveyor->present = i;
            return PL_OK;
        }
    void *process = surveyor->process;
    enum pl_err rc = pl_grow(&process, &surveyor->process_room, survey->process_count + 1, sizeof *surveyor->process,
                             "processes", err);
    surveyor->process = process;
    if (rc)
        return rc;
    surveyor->process[survey->process_count] = (struct pl_survey_process){.id = id};
    surveyor->present = survey->process_count++;
    return PL_OK;
}

/* When the samples are full, every other one goes. */
static void sample_growth(struct pl_surveyor *surveyor)
{
    struct pl_survey *survey = &surveyor->survey;
    if (survey->growth_count == PL_SURVEY_SAMPLES - 1) {
        size_t kept = 0;
        for (size_t i = 1; i < survey->growth_count; i += 2)
            survey->growth[kept++] = survey->growth[i];
        survey->growth_count = kept;
        surveyor->stride *= 2;
        if (surveyor->touches % surveyor->stride)
            return;
    }
    survey->growth[survey->growth_count].touches = surveyor->touches;
    survey->growth[survey->growth_count++].pages = survey->pages;
}

static void new_page(struct pl_surveyor *surveyor, const struct pl_trace *trace, pl_page page)
{
    surveyor->number[page] = pl_trace_page_origin(trace, page).number;
    surveyor->count[page] = 0;
    surveyor->flags[page] = 0;
    surveyor->known++;
}

static void first_touch(struct pl_surveyor *surveyor, pl_page page)
{
    struct pl_survey *survey = &surveyor->survey;
    const uint64_t number = surveyor->number[page];
    if (number < survey->first_number)
        survey->first_number = number;
    if (number > survey->last_number)
        survey->last_number = number;
    survey->pages++;
    if (survey->process_count)
        surveyor->process[surveyor->present].pages++;
}

static void touch(struct pl_surveyor *surveyor, const struct pl_trace *trace, pl_page page, uint8_t kind)
{
    struct pl_survey *survey = &surveyor->survey;
    while (page >= surveyor->known)
        new_page(surveyor, trace, (pl_page)surveyor->known);
    if (surveyor->count[page] == 0)
        first_touch(surveyor, page);
    if (page == surveyor->before)
        survey->same_page++;
    else if (surveyor->before != PL_NO_PAGE && surveyor->number[page] == surveyor->number[surveyor->before] + 1)
        survey->next_page++;
    surveyor->before = page;
    surveyor->count[page] += surveyor->count[page] != UINT32_MAX;
    surveyor->flags[page] |= kind == PL_WRITE ? WRITTEN : kind == PL_EXECUTE ? EXECUTED : 0;
    if (survey->process_count) {
        surveyor->process[surveyor->present].touches++;
        surveyor->process[surveyor->present].writes += kind == PL_WRITE;
    }
    if (++surveyor->touches % surveyor->stride == 0)
        sample_growth(surveyor);
}

enum pl_err pl_surveyor_feed(struct pl_surveyor *surveyor, const struct pl_trace *trace, const struct pl_batch *batch,
                             struct pl_error *err)
{
    enum pl_err rc = make_room(surveyor, batch->distinct, err);
    size_t next = 0;
    for (size_t i = 0; i <= batch->count && rc == PL_OK; i++) {
        for (; next < batch->control_count && batch->control[next].at <= i && rc == PL_OK; next++)
            if (batch->control[next].op == PL_OP_SWITCH)
                rc = enter_process(surveyor, batch->control[next].a, err);
        if (i < batch->count && rc == PL_OK)
            touch(surveyor, trace, batch->page[i], batch->kind ? batch->kind[i] : PL_READ);
    }
    return rc;
}

static int by_count_down(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Of `pages` hottest ones, at least one. */
static double share(const uint32_t *sorted, uint64_t pages, uint64_t total, double part)
{
    uint64_t sum = 0, take = (uint64_t)((double)pages * part + 0.5);
    if (!take && pages)
        take = 1;
    for (uint64_t i = 0; i < take; i++)
        sum += sorted[i];
    return total ? (double)sum / (double)total : 0;
}

enum pl_err pl_surveyor_finish(struct pl_surveyor *surveyor, struct pl_survey *out, struct pl_error *err)
{
    struct pl_survey *survey = &surveyor->survey;
    uint64_t total = 0;
    (void)err;
    for (uint64_t page = 0; page < surveyor->known; page++) {
        survey->written_pages += (surveyor->flags[page] & WRITTEN) != 0;
        survey->executed_pages += (surveyor->flags[page] & EXECUTED) != 0;
        survey->once_pages += surveyor->count[page] == 1;
        total += surveyor->count[page];
    }
    if (surveyor->known)
        qsort(surveyor->count, surveyor->known, sizeof *surveyor->count, by_count_down);
    survey->hot_1 = share(surveyor->count, survey->pages, total, 0.01);
    survey->hot_10 = share(surveyor->count, survey->pages, total, 0.10);
    survey->hot_50 = share(surveyor->count, survey->pages, total, 0.50);
    if (!survey->growth_count || survey->growth[survey->growth_count - 1].touches != surveyor->touches) {
        survey->growth[survey->growth_count].touches = surveyor->touches;
        survey->growth[survey->growth_count++].pages = survey->pages;
    }
    survey->processes = surveyor->process;
    *out = *survey;
    return PL_OK;
}
