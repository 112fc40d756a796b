/* tests/unit/mm_world.h: a small world around src/mm that keeps what pages contain.
 *
 * Every write gives a page a new value; every copy (frame, store, slot of the page file, mapped file) remembers the
 * value it was made of. Whenever a page is brought in, the copy it comes from must hold the page's value: nothing
 * that was written is ever lost. Slots and store entries are handed out and taken back by the book, so that a leak or
 * a double release shows. Transfers and faults stay under way for a random while. */
#ifndef PL_TESTS_MM_WORLD_H
#define PL_TESTS_MM_WORLD_H

#include "base/random.h"
#include "mm/mm.h"

enum {
    WORLD_PAGES = 160,
    WORLD_INTERNAL = 2048,
    WORLD_OBJECTS = WORLD_PAGES + WORLD_INTERNAL,
    WORLD_SLOTS = 4096,
    WORLD_PENDING = 6,
    WORLD_FRAMES = 96,
};

struct world_fault {
    struct pl_fault fault;
    pl_page touched;
    bool is_write, read_ahead;
    uint64_t serial; /* the object's incarnation */
};

struct world_out {
    struct pl_out out;
    bool compress, mapped_file;
    uint64_t value;
};

struct world {
    struct pl_memory *memory;
    struct pl_memory_params params;
    struct pl_random random;
    pl_process process[3]; /* of thirds of the pages */
    pl_section section;
    bool has_section;
    uint64_t next_value, serial[WORLD_OBJECTS]; /* serial: which incarnation of a page */
    uint64_t value[WORLD_OBJECTS];              /* 0: zeros */
    uint64_t in_store[WORLD_OBJECTS];           /* value + 1; 0: not there */
    uint64_t on_file[WORLD_OBJECTS];            /* in the mapped file, or on disk from the beginning */
    uint64_t slot_value[WORLD_SLOTS];
    bool slot_used[WORLD_SLOTS];
    struct world_fault fault[WORLD_PENDING];
    struct world_out out[WORLD_PENDING];
    struct pl_evicted leaving[WORLD_PENDING];
    int faults, outs, leavings;
    uint32_t used_slots;
    char wrong[256]; /* what did not hold; empty: all did */
};

bool world_create(struct world *w, const struct pl_memory_params *params, uint64_t seed);
/* One random step. False: something did not hold; `wrong` says what. */
bool world_step(struct world *w);
/* Everything ends; then nothing may be left anywhere. */
bool world_end(struct world *w);

#endif
