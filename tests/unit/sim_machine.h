/* tests/unit/sim_machine.h: machines and runs for the tests of src/sim. */
#ifndef TEST_SIM_MACHINE_H
#define TEST_SIM_MACHINE_H

#include "sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* A machine from models/NAME.json with changes ("a.b=c"), ended by NULL. Lives in `arena`. */
struct pl_machine machine_of(struct pl_arena *arena, const char *name, const char *const *changes);

/* Touches in one batch after the other, as a single process; kinds may be NULL. */
struct pl_sim *run_touches(const struct pl_machine *machine, const struct pl_sim_options *options, const pl_page *page,
                           const uint8_t *kind, size_t count);

/* A trace that is put together record by record, for traces with control records. */
struct script {
    pl_page *page;
    uint8_t *kind;
    struct pl_control *control;
    size_t count, control_count, page_capacity, kind_capacity, control_capacity;
    uint64_t distinct;
};
void script_touch(struct script *script, pl_page page, enum pl_kind kind);
void script_control(struct script *script, enum pl_op op, unsigned flags, uint64_t a, uint64_t b, uint64_t c,
                    const char *text);
void script_range(struct script *script, pl_page first, uint64_t count, uint64_t step, enum pl_kind kind);
/* Feeds it in batches of `batch` touches and finishes. The caller destroys the simulation. */
struct pl_sim *script_run(const struct script *script, const struct pl_machine *machine,
                          const struct pl_sim_options *options, size_t batch);
void script_free(struct script *script);

#endif
