/* device/cpu.c: processors with a run queue.
 *
 * Each class has a list of waiting jobs. As a job of a higher class takes a processor at once, jobs wait only behind jobs
 * of their class or a higher one; so a quantum matters where somebody of the same class waits, and is renewed in silence
 * where nobody does. Processors are few: what happens next is found by looking at all of them after each change.
 *
 * What this does not model: which processor a thread ran on last and what its cache held, processors of different speed
 * or that share a core, interrupts, priorities that rise with waiting (a job of a low class may wait for ever behind
 * higher ones), and that fewer busy cores run faster. */
#include "device/cpu.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define NOBODY UINT32_MAX

#define FIELD(name) offsetof(struct pl_cpu_params, name)
const struct pl_parameter pl_cpu_parameters[] = {
    {"processors", PL_PARAM_COUNT, FIELD(processors), NULL, "1", "1", "4096", "Processors that run threads."},
    {"quantum", PL_PARAM_TIME, FIELD(quantum_ps), "ms", "20ms", "1us", "10s",
     "After this long, another waiting thread of the class has its turn."},
    {"switch", PL_PARAM_TIME, FIELD(switch_ps), "us", "0s", NULL, "1s", "Time lost when a processor takes a thread up."},
    {NULL},
};
#undef FIELD

struct entry {
    struct pl_cpu_job job;
    uint32_t before, after; /* in a list of waiting jobs, or among the free entries (after) */
    uint32_t processor;     /* NOBODY = waits */
};

struct list {
    uint32_t first, last;
    uint64_t count;
};

struct processor {
    uint32_t entry;          /* NOBODY = idle */
    pl_time_ps started_ps;   /* when the work itself starts: behind the switch */
    pl_time_ps end_ps;       /* when it is done */
    pl_time_ps quantum_end_ps;
};

struct pl_cpu {
    struct pl_cpu_params params;
    struct processor *processor;
    struct entry *entry;
    size_t entries, capacity;
    uint32_t free_entry;
    struct list waiting[PL_CPU_CLASSES];
    pl_time_ps next_ps;
    uint32_t next_processor;
    uint64_t running[PL_CPU_CLASSES], spinning[PL_CPU_CLASSES];

    pl_time_ps last_ps;
    uint64_t submitted, completed, stopped, switches, preemptions, quanta;
    pl_sum busy_ps[PL_CPU_CLASSES], spin_ps[PL_CPU_CLASSES], waiting_sum;
    struct pl_histogram wait_ps[PL_CPU_CLASSES];
};

/* --- creating ------------------------------------------------------------------------ */

enum pl_err pl_cpu_create(const struct pl_cpu_params *params, struct pl_cpu **out, struct pl_error *err)
{
    assert(params->processors > 0 && params->quantum_ps > 0 && params->switch_ps >= 0);
    struct pl_cpu *cpu = calloc(1, sizeof *cpu);
    struct processor *processor = calloc(params->processors, sizeof *processor);
    if (!cpu || !processor) {
        free(cpu);
        free(processor);
        return pl_fail_memory(err, sizeof *cpu, "processors");
    }
    cpu->params = *params;
    cpu->processor = processor;
    for (uint64_t i = 0; i < params->processors; i++)
        processor[i].entry = NOBODY;
    for (int class = 0; class < PL_CPU_CLASSES; class++)
        cpu->waiting[class] = (struct list){NOBODY, NOBODY, 0};
    cpu->free_entry = NOBODY;
    cpu->next_ps = PL_CPU_IDLE_PS;
    *out = cpu;
    return PL_OK;
}

void pl_cpu_destroy(struct pl_cpu *cpu)
{
    if (!cpu)
        return;
    free(cpu->processor);
    free(cpu->entry);
    free(cpu);
}

/* --- waiting jobs ----------------------------------------------------------------------- */

static void insert(struct pl_cpu *cpu, uint32_t index, bool at_front)
{
    struct entry *entry = &cpu->entry[index];
    struct list *list = &cpu->waiting[entry->job.class];
    entry->before = at_front ? NOBODY : list->last;
    entry->after = at_front ? list->first : NOBODY;
    if (entry->before != NOBODY)
        cpu->entry[entry->before].after = index;
    else
        list->first = index;
    if (entry->after != NOBODY)
        cpu->entry[entry->after].before = index;
    else
        list->last = index;
    list->count++;
}

static void take_out(struct pl_cpu *cpu, uint32_t index)
{
    const struct entry *entry = &cpu->entry[index];
    struct list *list = &cpu->waiting[entry->job.class];
    if (entry->before != NOBODY)
        cpu->entry[entry->before].after = entry->after;
    else
        list->first = entry->after;
    if (entry->after != NOBODY)
        cpu->entry[entry->after].before = entry->before;
    else
        list->last = entry->before;
    list->count--;
}

static uint64_t waiting(const struct pl_cpu *cpu)
{
    uint64_t count = 0;
    for (int class = 0; class < PL_CPU_CLASSES; class++)
        count += cpu->waiting[class].count;
    return count;
}

/* --- accounts ------------------------------------------------------------------------------ */

/* Brings all sums up to `now_ps`; to be called before anything changes. */
static void account(struct pl_cpu *cpu, pl_time_ps now_ps)
{
    assert(now_ps >= cpu->last_ps);
    pl_sum passed = (pl_sum)(now_ps - cpu->last_ps);
    for (int class = 0; class < PL_CPU_CLASSES; class++) {
        cpu->busy_ps[class] += passed * cpu->running[class];
        cpu->spin_ps[class] += passed * cpu->spinning[class];
        cpu->waiting_sum += passed * cpu->waiting[class].count;
    }
    cpu->last_ps = now_ps;
}

void pl_cpu_stats(struct pl_cpu *cpu, pl_time_ps now_ps, struct pl_cpu_stats *out)
{
    account(cpu, now_ps);
    double observed = now_ps > 0 ? (double)now_ps : (double)NAN;
    double all = observed * (double)cpu->params.processors;
    *out = (struct pl_cpu_stats){
        .submitted = cpu->submitted, .completed = cpu->completed, .stopped = cpu->stopped,
        .waiting = waiting(cpu), .switches = cpu->switches, .preemptions = cpu->preemptions, .quanta = cpu->quanta,
        .mean_waiting = (double)cpu->waiting_sum / observed,
    };
    pl_sum busy = 0;
    for (int class = 0; class < PL_CPU_CLASSES; class++) {
        out->running += cpu->running[class];
        out->busy_ps[class] = cpu->busy_ps[class];
        out->spin_ps[class] = cpu->spin_ps[class];
        out->class_utilisation[class] = (double)cpu->busy_ps[class] / all;
        out->wait_ps[class] = &cpu->wait_ps[class];
        busy += cpu->busy_ps[class];
    }
    out->utilisation = (double)busy / all;
}

/* --- running --------------------------------------------------------------------------------- */

static void run(struct pl_cpu *cpu, pl_time_ps now_ps, uint32_t number, uint32_t index)
{
    struct processor *processor = &cpu->processor[number];
    struct entry *entry = &cpu->entry[index];
    pl_time_ps work_ps = entry->job.work_ps;
    entry->processor = number;
    processor->entry = index;
    processor->started_ps = now_ps + cpu->params.switch_ps;
    processor->end_ps = work_ps == PL_CPU_UNTIL_STOPPED ? PL_CPU_IDLE_PS : processor->started_ps + work_ps;
    processor->quantum_end_ps = now_ps + cpu->params.quantum_ps;
    cpu->running[entry->job.class]++;
    cpu->spinning[entry->job.class] += entry->job.spins;
    cpu->switches++;
}

/* Takes the job off its processor and books what it has done. */
static uint32_t halt(struct pl_cpu *cpu, pl_time_ps now_ps, uint32_t number)
{
    struct processor *processor = &cpu->processor[number];
    uint32_t index = processor->entry;
    struct pl_cpu_job *job = &cpu->entry[index].job;
    pl_time_ps ran_ps = now_ps > processor->started_ps ? now_ps - processor->started_ps : 0;
    job->ran_ps += ran_ps;
    if (job->work_ps != PL_CPU_UNTIL_STOPPED)
        job->work_ps -= ran_ps;
    cpu->running[job->class]--;
    cpu->spinning[job->class] -= job->spins;
    cpu->entry[index].processor = NOBODY;
    processor->entry = NOBODY;
    return index;
}

/* An idle processor takes the first job of the highest class. */
static void dispatch(struct pl_cpu *cpu, pl_time_ps now_ps, uint32_t number)
{
    for (int class = PL_CPU_CLASSES - 1; class >= 0; class--) {
        uint32_t index = cpu->waiting[class].first;
        if (index == NOBODY)
            continue;
        take_out(cpu, index);
        run(cpu, now_ps, number, index);
        return;
    }
}

/* An idle processor, or else one that runs a job of the lowest class below `class`; NOBODY when there is none. */
static uint32_t find_processor(const struct pl_cpu *cpu, enum pl_cpu_class class)
{
    uint32_t best = NOBODY;
    int lowest = (int)class;
    for (uint32_t i = 0; i < cpu->params.processors; i++) {
        uint32_t index = cpu->processor[i].entry;
        int other = index == NOBODY ? -1 : (int)cpu->entry[index].job.class;
        if (other < lowest) {
            lowest = other;
            best = i;
        }
    }
    return best;
}

/* When the processor's job is done or has to make room. */
static pl_time_ps processor_next_ps(const struct pl_cpu *cpu, const struct processor *processor)
{
    if (processor->entry == NOBODY)
        return PL_CPU_IDLE_PS;
    bool contested = cpu->waiting[cpu->entry[processor->entry].job.class].count > 0;
    return contested && processor->quantum_end_ps < processor->end_ps ? processor->quantum_end_ps : processor->end_ps;
}

static void look_ahead(struct pl_cpu *cpu)
{
    cpu->next_ps = PL_CPU_IDLE_PS;
    for (uint32_t i = 0; i < cpu->params.processors; i++) {
        pl_time_ps next_ps = processor_next_ps(cpu, &cpu->processor[i]);
        if (next_ps < cpu->next_ps) {
            cpu->next_ps = next_ps;
            cpu->next_processor = i;
        }
    }
}

/* Somebody waits where nobody did: quanta that ran out unseen have been renewed since. */
static void renew_quanta(struct pl_cpu *cpu, pl_time_ps now_ps, enum pl_cpu_class class)
{
    for (uint32_t i = 0; i < cpu->params.processors; i++) {
        struct processor *processor = &cpu->processor[i];
        if (processor->entry == NOBODY || cpu->entry[processor->entry].job.class != class ||
            processor->quantum_end_ps > now_ps)
            continue;
        pl_time_ps quantum_ps = cpu->params.quantum_ps;
        processor->quantum_end_ps += ((now_ps - processor->quantum_end_ps) / quantum_ps + 1) * quantum_ps;
    }
}

/* Puts a job on the list of those that wait. */
static void let_wait(struct pl_cpu *cpu, pl_time_ps now_ps, uint32_t index, bool at_front)
{
    enum pl_cpu_class class = cpu->entry[index].job.class;
    if (cpu->waiting[class].count == 0)
        renew_quanta(cpu, now_ps, class);
    insert(cpu, index, at_front);
}

/* --- the interface ------------------------------------------------------------------------------ */

static enum pl_err take_entry(struct pl_cpu *cpu, uint32_t *out, struct pl_error *err)
{
    if (cpu->free_entry != NOBODY) {
        *out = cpu->free_entry;
        cpu->free_entry = cpu->entry[*out].after;
        return PL_OK;
    }
    void *entry = cpu->entry;
    enum pl_err rc = pl_grow(&entry, &cpu->capacity, cpu->entries + 1, sizeof *cpu->entry, "a run queue", err);
    cpu->entry = entry;
    if (rc == PL_OK)
        *out = (uint32_t)cpu->entries++;
    return rc;
}

static void give_back(struct pl_cpu *cpu, uint32_t index)
{
    cpu->entry[index].after = cpu->free_entry;
    cpu->free_entry = index;
}

enum pl_err pl_cpu_submit(struct pl_cpu *cpu, pl_time_ps now_ps, const struct pl_cpu_job *job, uint32_t *id,
                          struct pl_error *err)
{
    assert(job->work_ps >= 0 && (unsigned)job->class < PL_CPU_CLASSES);
    uint32_t index, number;
    enum pl_err rc = take_entry(cpu, &index, err);
    if (rc)
        return rc;
    account(cpu, now_ps);
    cpu->submitted++;
    cpu->entry[index] = (struct entry){.job = *job, .processor = NOBODY};
    cpu->entry[index].job.submitted_ps = now_ps;
    number = find_processor(cpu, job->class);
    if (number == NOBODY) {
        let_wait(cpu, now_ps, index, false);
    } else {
        if (cpu->processor[number].entry != NOBODY) {
            cpu->preemptions++;
            let_wait(cpu, now_ps, halt(cpu, now_ps, number), true);
        }
        run(cpu, now_ps, number, index);
    }
    look_ahead(cpu);
    if (id)
        *id = index;
    return PL_OK;
}

void pl_cpu_stop(struct pl_cpu *cpu, pl_time_ps now_ps, uint32_t id, struct pl_cpu_job *out)
{
    account(cpu, now_ps);
    uint32_t number = cpu->entry[id].processor;
    if (number == NOBODY) {
        take_out(cpu, id);
    } else {
        halt(cpu, now_ps, number);
        dispatch(cpu, now_ps, number);
    }
    cpu->stopped++;
    *out = cpu->entry[id].job;
    out->done_ps = now_ps;
    give_back(cpu, id);
    look_ahead(cpu);
}

pl_time_ps pl_cpu_next_ps(const struct pl_cpu *cpu)
{
    return cpu->next_ps;
}

bool pl_cpu_complete(struct pl_cpu *cpu, pl_time_ps now_ps, struct pl_cpu_job *out)
{
    assert(now_ps == cpu->next_ps);
    account(cpu, now_ps);
    uint32_t number = cpu->next_processor;
    bool done = cpu->processor[number].end_ps == now_ps;
    uint32_t index = halt(cpu, now_ps, number);
    if (done) {
        struct pl_cpu_job *job = &cpu->entry[index].job;
        job->done_ps = now_ps;
        cpu->completed++;
        pl_histogram_add(&cpu->wait_ps[job->class], (uint64_t)(now_ps - job->submitted_ps - job->ran_ps));
        *out = *job;
        give_back(cpu, index);
    } else {
        cpu->quanta++;
        let_wait(cpu, now_ps, index, false);
    }
    dispatch(cpu, now_ps, number);
    look_ahead(cpu);
    return done;
}
