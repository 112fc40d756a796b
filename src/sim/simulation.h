/* sim/simulation.h: running a trace on a machine.
 *
 *     pl_sim_create, pl_sim_feed for each batch, pl_sim_finish, pl_sim_result, pl_sim_destroy
 *
 * Threads of the trace are actors with a clock each. A touch of a resident page costs its time and a stamp, and nothing
 * else; what is not resident goes to the memory manager, the store and the disk, and takes the time that they take.
 * Everything that is not a touch is an event.
 *
 * A phase mark is a barrier: all threads finish what stands before it in the trace, and go on together. Between two marks
 * threads run at the same time (run.order = threads). */
#ifndef PL_SIM_SIMULATION_H
#define PL_SIM_SIMULATION_H

#include "sim/machine.h"
#include "sim/sim_result.h"
#include "sim/timeline.h"
#include "trace/trace.h"

struct pl_sim_options {
    enum pl_clock clock;     /* of the trace */
    bool check;              /* conservation: counts at every event; frame by frame and page by page at every event where there
                                are up to 4,096 of them, else less often, and at the end of each phase */
    pl_time_ps interval_ps;  /* between samples; 0: none */
    bool views;              /* keep what tools would show at the end of each phase: a walk over all of memory for each */
    struct pl_timeline *timeline; /* NULL: none */
    pl_origin_fn *origin;    /* of pages, for page tables; NULL: neighbouring pages have neighbouring numbers */
    void *origin_user;
    struct pl_future future; /* for policy opt */
    bool (*interrupted)(void); /* asked now and then: true ends the run early; NULL: nobody is asked */
};

struct pl_sim;

enum pl_err pl_sim_create(const struct pl_machine *machine, const struct pl_sim_options *options, struct pl_sim **out,
                          struct pl_error *err);
/* Batches in the order of the trace. PL_END: the run came to an end before the trace (result->stopped says why). */
enum pl_err pl_sim_feed(struct pl_sim *sim, const struct pl_batch *batch, struct pl_error *err);
/* Runs what is left, and closes the last phase. */
enum pl_err pl_sim_finish(struct pl_sim *sim, struct pl_error *err);
/* After pl_sim_finish; lives as long as the simulation. */
const struct pl_sim_result *pl_sim_result(const struct pl_sim *sim);
void pl_sim_destroy(struct pl_sim *sim); /* NULL is allowed */

/* Everything the tests ask of a run at any time: conservation of frames, store bytes, slots and time. */
enum pl_err pl_sim_check(struct pl_sim *sim, struct pl_error *err);

#endif
