/* tests/unit/sim_worlds.h: random machines with random traces on them, conservation checked at every event. */
#ifndef TEST_SIM_WORLDS_H
#define TEST_SIM_WORLDS_H

#include <stddef.h>
#include <stdint.h>

struct world_size {
    uint64_t pages;      /* of each of three processes; at least 4 */
    uint64_t frames;     /* memory is up to so many more than the least */
    size_t touches;      /* of a trace, ranges apart */
    uint64_t once_again; /* one world in so many is run again, and must give the same */
};

/* Runs the world of a seed; the events that were checked. */
uint64_t world_run(uint64_t seed, const struct world_size *size);

/* Worlds of the seeds from `first_seed` on until so many events have been checked, and how many were. $PL_SIM_EVENTS is
 * another number of events, $PL_SIM_SEED the one world to run. */
uint64_t worlds_run(uint64_t first_seed, uint64_t events, const struct world_size *size);

extern uint64_t worlds_seed; /* of the world under way: the one that failed */

#endif
