/* mm/frames.h: physical page frames and the lists they are on.
 *
 * Each frame is on exactly one list. Lists whose order matters are chained through the frames, head first out; active
 * frames and those in transition are only counted (working sets and running transfers know them). The names and the
 * order in which frames are taken are those of Windows:
 *
 *   for a page of zeros      zero, free, standby 0 .. 7 (the latter two are zeroed first)
 *   for a page read in       free, zero, standby 0 .. 7
 *
 * A modified frame is never taken: it must be written out before. */
#ifndef PL_MM_FRAMES_H
#define PL_MM_FRAMES_H

#include "base/error.h"

typedef uint32_t pl_frame;
#define PL_NO_FRAME UINT32_MAX

enum { PL_PRIORITIES = 8 };

enum pl_list {
    PL_LIST_ZERO,
    PL_LIST_FREE,
    PL_LIST_STANDBY, /* of priority 0; those of 1 .. 7 follow */
    PL_LIST_MODIFIED = PL_LIST_STANDBY + PL_PRIORITIES, /* goes to the store or the page file */
    PL_LIST_MODIFIED_FILE,                              /* goes to a mapped file */
    PL_LIST_MODIFIED_NO_WRITE,                          /* must not be written yet */
    PL_LIST_CHAINED,                                    /* those before this one are chained */
    PL_LIST_TRANSITION = PL_LIST_CHAINED,               /* a transfer is under way */
    PL_LIST_ACTIVE,                                     /* in a working set, or held by the kernel */
    PL_LIST_BAD,
    PL_LISTS,
};
extern const char *const pl_list_names[PL_LISTS];

/* What is under way in a frame. */
enum pl_flight {
    PL_FLIGHT_NONE,
    PL_FLIGHT_IN,       /* the page is being brought in */
    PL_FLIGHT_WRITE,    /* it is being written to a file; it may be active meanwhile */
    PL_FLIGHT_COMPRESS, /* it is being compressed */
    PL_FLIGHT_OVERTAKEN, /* it is being compressed in vain: it was touched meanwhile */
};

struct pl_frame_entry {
    pl_frame next, prev;
    pl_page page;   /* whose content it holds; PL_NO_PAGE: nobody's, the kernel's, or orphaned */
    uint16_t share; /* working sets that it is in; UINT16_MAX stands for more and never falls again */
    uint8_t list;   /* enum pl_list */
    uint8_t flight; /* enum pl_flight */
};

struct pl_frames {
    struct pl_frame_entry *frame;
    uint32_t total;
    pl_frame head[PL_LIST_CHAINED], tail[PL_LIST_CHAINED];
    uint32_t count[PL_LISTS];
    uint8_t standby_mask; /* bit p: standby list p is not empty */
};

/* `total` frames, all on the zero list, the first first. */
enum pl_err pl_frames_open(struct pl_frames *frames, uint32_t total, struct pl_error *err);
void pl_frames_close(struct pl_frames *frames); /* allowed on a zeroed one */

void pl_frames_move_tail(struct pl_frames *frames, pl_frame frame, enum pl_list to);
void pl_frames_move_head(struct pl_frames *frames, pl_frame frame, enum pl_list to);
/* The frame that a fault would get: the head of the first list of the order above that has any. PL_NO_FRAME when none
 * has. */
pl_frame pl_frames_choose(const struct pl_frames *frames, bool for_zeros);

static inline uint32_t pl_frames_standby(const struct pl_frames *frames)
{
    uint32_t sum = 0;
    for (int p = 0; p < PL_PRIORITIES; p++)
        sum += frames->count[PL_LIST_STANDBY + p];
    return sum;
}
/* Zero, free and standby: what can be had without writing. */
static inline uint32_t pl_frames_available(const struct pl_frames *frames)
{
    return frames->count[PL_LIST_ZERO] + frames->count[PL_LIST_FREE] + pl_frames_standby(frames);
}

#endif
