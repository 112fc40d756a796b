/* curve/simulate_clockpro.c: CLOCK-Pro, of Jiang, Chen and Zhang (USENIX 2005, section 3).
 *
 * All pages that are known lie on one clock: hot ones, cold ones, and cold ones that have left memory while in their test
 * period. A page that is touched again within its test period has a short reuse distance and turns hot.
 *
 *   the hot hand    looks for a hot page to turn cold: one that was not touched since it passed; it ends the test
 *                   periods of cold pages that it passes
 *   the cold hand   looks for a page to evict: a cold one that was not touched. One that was turns hot when in its test
 *                   period; else it begins a new one. Both move to the head of the clock
 *   the test hand   ends test periods, the oldest first, when more pages are known outside of memory than inside
 *
 *   The head is the place just behind the hot hand, which is the last that the hot hand comes to.
 *
 * How many frames cold pages may have is learnt: one more for each page that is touched in its test period, one fewer for
 * each test period that ends without. While memory fills, pages are hot as long as there is room for hot ones. Where the
 * paper leaves a choice: cold pages begin with one frame, and have at least one. Cost: O(1) a touch on average, 13 bytes a
 * page. */
#include "curve/simulate_ops.h"
#include "curve/simulate_ring.h"

#include <assert.h>

enum { KNOWN = 1, RESIDENT = 2, HOT = 4, IN_TEST = 8, TOUCHED = 16 };

struct clock_pro {
    struct simulate_run run;
    struct ring clock;  /* pages; hands move to the newer neighbour */
    uint8_t *state;     /* by page */
    uint32_t *frame_of; /* by page */
    pl_page hot_hand, cold_hand, test_hand; /* PL_NO_PAGE: the clock is empty */
    uint32_t hot, outside;                  /* pages */
    uint32_t cold_frames, filled; /* frames; those that have ever been used */
};

static void *clock_pro_create(const struct simulate_run *run)
{
    struct clock_pro *pro = pl_arena_alloc(run->arena, 1, sizeof *pro);
    if (!pro || !ring_create(&pro->clock, run->arena, run->page_limit))
        return NULL;
    pro->run = *run;
    pro->state = pl_arena_alloc(run->arena, run->page_limit, 1);
    pro->frame_of = pl_arena_alloc(run->arena, run->page_limit, sizeof *pro->frame_of);
    pro->hot_hand = pro->cold_hand = pro->test_hand = PL_NO_PAGE;
    pro->cold_frames = 1;
    return pro->state && pro->frame_of ? pro : NULL;
}

/* --- the clock -------------------------------------------------------------------------------------------------------- */

static void leave_clock(struct clock_pro *pro, pl_page page)
{
    pl_page next = pro->clock.newer[page];
    next = next == page ? PL_NO_PAGE : next;
    pro->hot_hand = pro->hot_hand == page ? next : pro->hot_hand;
    pro->cold_hand = pro->cold_hand == page ? next : pro->cold_hand;
    pro->test_hand = pro->test_hand == page ? next : pro->test_hand;
    ring_take(&pro->clock, page);
}

static void enter_clock(struct clock_pro *pro, pl_page page)
{
    if (pro->hot_hand == PL_NO_PAGE) {
        ring_clear(&pro->clock, page);
        pro->hot_hand = pro->cold_hand = pro->test_hand = page;
        return;
    }
    ring_put(&pro->clock, pro->hot_hand, page);
}

static void move_to_head(struct clock_pro *pro, pl_page page)
{
    leave_clock(pro, page);
    enter_clock(pro, page);
}

/* A cold page was not touched in time. One outside of memory is known no longer. */
static void end_test(struct clock_pro *pro, pl_page page)
{
    if (!(pro->state[page] & IN_TEST))
        return;
    pro->state[page] &= (uint8_t)~IN_TEST;
    pro->cold_frames -= pro->cold_frames > 1;
    if (pro->state[page] & RESIDENT)
        return;
    pro->outside--;
    pro->state[page] = 0;
    leave_clock(pro, page);
}

static void passed_test(struct clock_pro *pro)
{
    pro->cold_frames += pro->cold_frames < pro->run.frames;
}

static uint32_t hot_max(const struct clock_pro *pro)
{
    return pro->run.frames - pro->cold_frames;
}

/* --- the hands ---------------------------------------------------------------------------------------------------------- */

/* Turns hot pages cold until there are not too many. */
static void run_hot_hand(struct clock_pro *pro)
{
    while (pro->hot > hot_max(pro)) {
        pl_page page = pro->hot_hand;
        pro->hot_hand = pro->clock.newer[page];
        if (!(pro->state[page] & HOT)) {
            end_test(pro, page);
        } else if (pro->state[page] & TOUCHED) {
            pro->state[page] &= (uint8_t)~TOUCHED;
        } else {
            pro->state[page] &= (uint8_t)~HOT;
            pro->hot--;
        }
    }
}

static void run_test_hand(struct clock_pro *pro)
{
    while (pro->outside > pro->run.frames) {
        pl_page page = pro->test_hand;
        pro->test_hand = pro->clock.newer[page];
        end_test(pro, page);
    }
}

static void turn_hot(struct clock_pro *pro, pl_page page)
{
    pro->state[page] = KNOWN | RESIDENT | HOT;
    pro->hot++;
    passed_test(pro);
}

/* A cold page that was touched. */
static void spare(struct clock_pro *pro, pl_page page)
{
    bool in_test = pro->state[page] & IN_TEST;
    move_to_head(pro, page);
    if (in_test)
        turn_hot(pro, page);
    else
        pro->state[page] = KNOWN | RESIDENT | IN_TEST;
    run_hot_hand(pro);
}

static uint32_t evict(struct clock_pro *pro, pl_page page)
{
    if (pro->state[page] & IN_TEST) {
        pro->state[page] = KNOWN | IN_TEST;
        pro->outside++;
    } else {
        pro->state[page] = 0;
        leave_clock(pro, page);
    }
    run_test_hand(pro);
    return pro->frame_of[page];
}

static uint32_t clock_pro_victim(void *self, size_t at)
{
    struct clock_pro *pro = self;
    run_hot_hand(pro); /* there may be fewer hot pages than there were, so that one is cold */
    for (;;) {
        pl_page page = pro->cold_hand;
        uint8_t state = pro->state[page];
        pro->cold_hand = pro->clock.newer[page];
        if (state & HOT || !(state & RESIDENT))
            continue;
        if (!(state & TOUCHED))
            return evict(pro, page);
        spare(pro, page);
    }
}

/* --- touches ------------------------------------------------------------------------------------------------------------ */

static void clock_pro_loaded(void *self, uint32_t frame, size_t at)
{
    struct clock_pro *pro = self;
    pl_page page = pro->run.pages[at];
    pro->frame_of[page] = frame;
    if (pro->state[page] & KNOWN) { /* in its test period */
        assert(pro->state[page] & IN_TEST);
        pro->outside--;
        move_to_head(pro, page);
        turn_hot(pro, page);
        run_hot_hand(pro);
        return;
    }
    enter_clock(pro, page);
    bool hot = frame == pro->filled && pro->hot < hot_max(pro);
    pro->filled += frame == pro->filled;
    pro->state[page] = KNOWN | RESIDENT | (hot ? HOT : IN_TEST);
    pro->hot += hot;
}

static void clock_pro_hit(void *self, uint32_t frame, size_t at)
{
    struct clock_pro *pro = self;
    pro->state[pro->run.pages[at]] |= TOUCHED;
}

const struct pl_simulated_ops pl_simulated_clockpro = {.name = "clockpro",
                                                       .create = clock_pro_create,
                                                       .loaded = clock_pro_loaded,
                                                       .hit = clock_pro_hit,
                                                       .victim = clock_pro_victim};
