/* mm/frames.c: lists of frames, chained by index. */
#include "mm/frames.h"
#include "base/arena.h"

#include <assert.h>

const char *const pl_list_names[PL_LISTS] = {
    "zero",      "free",      "standby 0", "standby 1", "standby 2",         "standby 3",  "standby 4", "standby 5",
    "standby 6", "standby 7", "modified",  "modified file", "modified no-write", "transition", "active",    "bad",
};

enum pl_err pl_frames_open(struct pl_frames *frames, uint32_t total, struct pl_error *err)
{
    *frames = (struct pl_frames){.total = total};
    size_t bytes = (size_t)total * sizeof(frames->frame[0]);
    if (total == 0 || total == PL_NO_FRAME)
        return pl_fail(err, PL_ERR_USAGE, "a memory of %u frames: there must be at least one", total);
    frames->frame = pl_table_alloc(bytes);
    if (!frames->frame)
        return pl_fail_memory(err, bytes, "the frames");
    for (int list = 0; list < PL_LIST_CHAINED; list++)
        frames->head[list] = frames->tail[list] = PL_NO_FRAME;
    for (pl_frame f = 0; f < total; f++)
        frames->frame[f] = (struct pl_frame_entry){
            .next = f + 1 < total ? f + 1 : PL_NO_FRAME, .prev = f - 1, .page = PL_NO_PAGE, .list = PL_LIST_ZERO};
    frames->head[PL_LIST_ZERO] = 0;
    frames->tail[PL_LIST_ZERO] = total - 1;
    frames->count[PL_LIST_ZERO] = total;
    return PL_OK;
}

void pl_frames_close(struct pl_frames *frames)
{
    pl_table_free(frames->frame, (size_t)frames->total * sizeof(frames->frame[0]));
    *frames = (struct pl_frames){.total = 0};
}

static bool is_standby(enum pl_list list)
{
    return list >= PL_LIST_STANDBY && list < PL_LIST_STANDBY + PL_PRIORITIES;
}

static void unlink_frame(struct pl_frames *frames, pl_frame f)
{
    const struct pl_frame_entry *e = &frames->frame[f];
    enum pl_list from = e->list;
    assert(frames->count[from] > 0);
    frames->count[from]--;
    if (from >= PL_LIST_CHAINED)
        return;
    if (e->prev != PL_NO_FRAME)
        frames->frame[e->prev].next = e->next;
    else
        frames->head[from] = e->next;
    if (e->next != PL_NO_FRAME)
        frames->frame[e->next].prev = e->prev;
    else
        frames->tail[from] = e->prev;
    if (is_standby(from) && !frames->count[from])
        frames->standby_mask &= (uint8_t)~(1u << (from - PL_LIST_STANDBY));
}

static void count_in(struct pl_frames *frames, pl_frame f, enum pl_list to)
{
    frames->frame[f].list = (uint8_t)to;
    frames->count[to]++;
    if (is_standby(to))
        frames->standby_mask |= (uint8_t)(1u << (to - PL_LIST_STANDBY));
}

void pl_frames_move_tail(struct pl_frames *frames, pl_frame f, enum pl_list to)
{
    unlink_frame(frames, f);
    count_in(frames, f, to);
    if (to >= PL_LIST_CHAINED)
        return;
    frames->frame[f].next = PL_NO_FRAME;
    frames->frame[f].prev = frames->tail[to];
    if (frames->tail[to] != PL_NO_FRAME)
        frames->frame[frames->tail[to]].next = f;
    else
        frames->head[to] = f;
    frames->tail[to] = f;
}

void pl_frames_move_head(struct pl_frames *frames, pl_frame f, enum pl_list to)
{
    unlink_frame(frames, f);
    count_in(frames, f, to);
    if (to >= PL_LIST_CHAINED)
        return;
    frames->frame[f].prev = PL_NO_FRAME;
    frames->frame[f].next = frames->head[to];
    if (frames->head[to] != PL_NO_FRAME)
        frames->frame[frames->head[to]].prev = f;
    else
        frames->tail[to] = f;
    frames->head[to] = f;
}

pl_frame pl_frames_choose(const struct pl_frames *frames, bool for_zeros)
{
    enum pl_list first = for_zeros ? PL_LIST_ZERO : PL_LIST_FREE;
    enum pl_list second = for_zeros ? PL_LIST_FREE : PL_LIST_ZERO;
    if (frames->count[first])
        return frames->head[first];
    if (frames->count[second])
        return frames->head[second];
    if (!frames->standby_mask)
        return PL_NO_FRAME;
    return frames->head[PL_LIST_STANDBY + __builtin_ctz(frames->standby_mask)];
}
