/* tests/unit/sim_variations.h: for every parameter of a machine another value, and what must change by it. */
#ifndef TEST_SIM_VARIATIONS_H
#define TEST_SIM_VARIATIONS_H

#include "sim_machine.h"

/* With page lists; without; touches with times; with counts of instructions; the scenario of all faults. */
enum world { LISTS, DIRECT, TIMED, COUNTED, WORLDS };

struct variation {
    const char *path, *value;
    enum world world;
    const char *with;    /* what else is set, in both runs: assignments separated by spaces; or NULL */
    const char *effects; /* "+elapsed -faults_hard": results that become more, or fewer */
};
extern const struct variation variations[]; /* the last has no path */

/* What a run reports, by name. */
enum { FIGURES_MAX = 80 };
struct figures {
    int64_t value[FIGURES_MAX];
};
void figures_take(struct figures *figures, const struct pl_sim_result *result);
int64_t figure_named(const struct figures *figures, const char *name); /* fails the test when there is none */
void figures_print_changes(const struct variation *v, const struct figures *before, const struct figures *after);

#endif
