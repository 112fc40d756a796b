/* capture/team.h: one workload in this process, or several in processes of their own that go in step. */
#ifndef PL_CAPTURE_TEAM_H
#define PL_CAPTURE_TEAM_H

#include "capture/workload.h"

struct team;

/* What a phase took, over all processes: the time until the last was done, the sums of counters. UINT64_MAX: not
 * counted. */
struct team_sample {
    double time_ms;
    uint64_t minor_faults, major_faults, cpu_ns;
    uint64_t resident_bytes; /* after it */
};

/* `processes` above 1: each is this program again, run as `pagecap worker` with `arguments` (NULL-terminated, without
 * seed), and --seed SEED, or SEED + its number with `own_seeds`. */
enum pl_err team_create(const struct pl_workload_options *options, unsigned processes, bool own_seeds,
                        const char *const *arguments, struct team **out, struct pl_error *err);
enum pl_err team_run(struct team *team, enum pl_workload_phase phase, struct team_sample *out, struct pl_error *err);
enum pl_err team_forget(struct team *team, struct pl_error *err);
/* PL_ERR_CHECK when a page does not hold what it was filled with. */
enum pl_err team_verify(struct team *team, struct pl_error *err);
void team_destroy(struct team *team); /* NULL is allowed */

/* The other side: obeys the lines on standard input until it ends. */
enum pl_err team_work(const struct pl_workload_options *options, struct pl_error *err);

#endif
