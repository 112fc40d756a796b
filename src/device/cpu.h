/* device/cpu.h: processors with a run queue, passive like the devices (device.h says how to drive them).
 *
 * A job is a stretch of work of one thread. The highest class runs; within a class, who came first; when others of its
 * class wait, a job goes to the end of the queue after a quantum. A job of a higher class takes a processor from one of
 * the lowest, which goes to the front of its queue. Work whose end is not known, such as spinning, is submitted as
 * PL_CPU_UNTIL_STOPPED and ended with pl_cpu_stop. */
#ifndef PL_DEVICE_CPU_H
#define PL_DEVICE_CPU_H

#include "base/parameter.h"
#include "device/histogram.h"

#define PL_CPU_UNTIL_STOPPED INT64_MAX
#define PL_CPU_IDLE_PS INT64_MAX

enum pl_cpu_class { PL_CPU_LOW, PL_CPU_NORMAL, PL_CPU_HIGH, PL_CPU_CLASSES };

struct pl_cpu_params {
    uint64_t processors;
    pl_time_ps quantum_ps;
    pl_time_ps switch_ps; /* lost whenever a job starts or goes on on a processor */
};
extern const struct pl_parameter pl_cpu_parameters[]; /* offsets in struct pl_cpu_params */

struct pl_cpu_job {
    enum pl_cpu_class class;
    bool spins; /* accounted apart */
    uint64_t cookie;
    pl_time_ps work_ps;      /* to do; of a job that comes out: what is left */
    pl_time_ps ran_ps;       /* done so far; starts at 0 */
    pl_time_ps submitted_ps; /* these two are filled in */
    pl_time_ps done_ps;
};

struct pl_cpu;

enum pl_err pl_cpu_create(const struct pl_cpu_params *params, struct pl_cpu **out, struct pl_error *err);
void pl_cpu_destroy(struct pl_cpu *cpu); /* NULL is allowed */

/* `*id` names the job until it is done or stopped; NULL when it is not wanted. Fails only when there is no memory. */
enum pl_err pl_cpu_submit(struct pl_cpu *cpu, pl_time_ps now_ps, const struct pl_cpu_job *job, uint32_t *id,
                          struct pl_error *err);
/* Takes a job out, whether it runs or waits. */
void pl_cpu_stop(struct pl_cpu *cpu, pl_time_ps now_ps, uint32_t id, struct pl_cpu_job *out);
pl_time_ps pl_cpu_next_ps(const struct pl_cpu *cpu);
/* To be called at that time. True when a job is done; false when only a quantum is over. */
bool pl_cpu_complete(struct pl_cpu *cpu, pl_time_ps now_ps, struct pl_cpu_job *out);

struct pl_cpu_stats {
    uint64_t submitted, completed, stopped, running, waiting;
    uint64_t switches, preemptions, quanta; /* quanta that ended with another job's turn */
    pl_sum busy_ps[PL_CPU_CLASSES];         /* processor time by class, switching included */
    pl_sum spin_ps[PL_CPU_CLASSES];         /* of that, spent by jobs that spin */
    double utilisation;                     /* of all processors, from time 0 */
    double class_utilisation[PL_CPU_CLASSES];
    double mean_waiting;
    const struct pl_histogram *wait_ps[PL_CPU_CLASSES]; /* of completed jobs: time in which they did not run */
};
void pl_cpu_stats(struct pl_cpu *cpu, pl_time_ps now_ps, struct pl_cpu_stats *out);

#endif
