/* sim/engine.h: the inside of a simulation. Private to src/sim.
 *
 *   simulation.c   create, feed, finish: from batches to actors' streams
 *   sim_actor.c    an actor runs: touches, ranges, until something else must happen
 *   sim_control.c  control records: map, free, trim, sleep, exit ...
 *   sim_fault.c    the way of a fault, from the touch to the page
 *   sim_evict.c    without lists: where evicted pages go
 *   sim_store.c    into the store and out of it; contents and sizes
 *   sim_disk.c     the disk, the page file, and who waits for them
 *   sim_timer.c    list commands by the clock
 *   sim_combine.c  equal pages become one
 *   sim_writer.c   with lists: the modified writer, store workers
 *   sim_store_write.c  with lists: the store's oldest pages go to the disk
 *   sim_zero.c     zeroing threads, and the lock that they take pages under
 *   sim_periodic.c the working-set manager, samples
 *   sim_cpu.c      processors
 *   sim_sum.c      statistics by phase and process
 *   sim_view.c     what tools would show
 *   sim_check.c    conservation
 *
 * The order of things at one moment: events in the order in which they were put into the queue. An actor's clock may run
 * ahead of the queue's, up to the next event (and run.lookahead beyond it, over resident touches only). Whatever is not a
 * resident touch begins in the order of time. A fault that needs no transfer is served in one go: its service time moves its
 * thread's clock, and others see the lists as they are after it from the moment at which it began. */
#ifndef PL_SIM_ENGINE_H
#define PL_SIM_ENGINE_H

#include "codec/content_file.h"
#include "codec/page_content.h"
#include "device/lock.h"
#include "device/page_file.h"
#include "sim/event_queue.h"
#include "sim/simulation.h"
#include "sim/stream.h"

#include <string.h>

#define SIM_NONE UINT32_MAX

enum sim_event {
    EVENT_ACTOR,    /* target: an actor goes on */
    EVENT_TASK,     /* target: a background task goes on */
    EVENT_DISK,     /* the disk has something */
    EVENT_SUBMIT,   /* target: a transfer goes to the disk */
    EVENT_LOCK,     /* a zeroing thread has got the lock */
    EVENT_PERIODIC, /* from here on: by the clock, whether there is work or not */
    EVENT_MANAGER = EVENT_PERIODIC, /* the working-set manager runs */
    EVENT_ZERO,     /* zeroing threads look */
    EVENT_AGE,      /* the modified writer writes all */
    EVENT_HOLD,      /* pages of mapped files that were held may be written */
    EVENT_COMBINE,   /* equal pages become one */
    EVENT_SAMPLE,
    EVENT_TIMER,    /* target: a cleaner's turn */
};

/* --- processors ---------------------------------------------------------------- */
/* Who may hold a processor: an actor (its index) or a background task (SIM_TASK + its index). */
#define SIM_TASK UINT32_C(0x80000000)

struct sim_run_queue {
    uint32_t *client;
    size_t head, count, capacity; /* a ring */
};

struct sim_cpus {
    uint64_t total; /* 0: one for everybody */
    uint64_t busy;
    struct sim_run_queue normal, low;
};

/* --- actors ---------------------------------------------------------------------- */
enum actor_state {
    ACTOR_IDLE,    /* no records */
    ACTOR_READY,   /* an event will make it go on */
    ACTOR_CPU,     /* waits for a processor */
    ACTOR_DISK,    /* waits for a transfer of its own */
    ACTOR_OBJECT,  /* waits for a transfer of `waits_for` */
    ACTOR_MEMORY,  /* waits for a frame */
    ACTOR_GONE,    /* its process has exited */
};

enum fault_step {
    STEP_NONE,  /* no fault has been begun */
    STEP_BRING, /* what left for it is on its way; now the page */
    STEP_END,   /* the page is here */
};

/* A whole pass over a range that found everything resident: while `stamp` is the next one to be given and nothing has
 * changed, another pass of the same kind would leave all as it is. */
struct range_pass {
    uint64_t first, count, step;
    uint8_t kind;
    uint32_t stamp;
    uint64_t changes;
};

/* A range record that is under way. */
struct actor_range {
    uint64_t left;
    pl_page page;  /* the next one */
    uint64_t step; /* modulo 2^64 */
    uint8_t kind;
    bool fresh;    /* nothing of it has been touched */
    struct range_pass pass; /* what it will have been, when it is done */
};

struct actor {
    uint32_t index;
    pl_process process;
    uint64_t thread_id;
    enum actor_state state;
    enum fault_step step;
    bool has_cpu;
    bool on_fault; /* a fault was begun for the touch at hand */
    bool slept;    /* the control record at hand is a sleep that is over */
    pl_time_ps clock, cpu_since, wait_since, fault_since;
    enum pl_component waits_as;
    pl_time_ps disk_waited; /* in all; what goes on is not in it */
    uint32_t waits_on;      /* whose fault brings `waits_for`, or SIM_NONE ... */
    pl_time_ps disk_before; /* ... and how long that one had waited for the disk when this wait began */
    pl_time_ps disk_from;   /* otherwise: when the transfer that brings it was, or will be, asked for */
    enum pl_fault_kind fault_kind; /* of the fault at hand, once it is known */
    pl_page waits_for;
    pl_time_ps decompress_ps; /* what a store fault finds takes so long */
    uint32_t pending;      /* transfers that the fault waits for */
    int64_t last_time;     /* in the trace's clock */
    pl_time_ps further_ps; /* what the further accesses cost that each touch stands for */
    pl_time_ps far_ps;     /* and what a page costs besides that does not lie beside `last_page` */
    pl_page last_page;     /* touched last; kept while far_ps is not 0 */
    struct pl_fault fault; /* between its begin and its end */
    struct actor_range range;
    struct pl_stream stream;
};

struct process {
    uint64_t id;
    pl_process memory_id;
    const char *name;
    bool exited;
    uint32_t actors;
    pl_time_ps before_ps;    /* clocks of its threads when the phase that they joined in began */
    struct pl_sim_cell cell; /* of the phase */
    struct pl_sim_cell all;  /* of the phases before */
};

/* --- background ------------------------------------------------------------------ */
enum task_kind { TASK_WORKER, TASK_ZERO };

/* What a zeroing thread does next. */
enum zero_step {
    ZERO_ASKS,       /* for the lock */
    ZERO_TAKES,      /* holds it: unlinks pages from the free list */
    ZERO_CLEARS,     /* lets it go, and zeroes them */
    ZERO_ASKS_AGAIN,
    ZERO_PUTS_BACK,  /* holds it: links them into the zero list */
    ZERO_ENDS,       /* lets it go */
};

struct task {
    enum task_kind kind;
    bool busy;
    struct pl_out out; /* a worker's page, and what it becomes */
    struct pl_store_page page;
    pl_time_ps since, takes;
    enum zero_step step;     /* a zeroing thread's */
    uint32_t pages;          /* that it has taken */
    pl_time_ps began, asked; /* its round; for the lock, or PL_NEVER_PS when that was free */
};

/* A transfer to or from the disk. `since` is when it was asked for. */
enum transfer_kind { TRANSFER_READ, TRANSFER_WRITE, TRANSFER_STORE_WRITE, TRANSFER_EVICT };
struct transfer {
    enum transfer_kind kind;
    bool used;
    uint32_t actor; /* who waits for it, or SIM_NONE */
    uint32_t count, ahead_count;
    pl_time_ps since;
    struct pl_out *out;     /* what is written: `count` pages to the slots of `run` */
    struct pl_slot_run run;
    struct pl_fault *ahead; /* what is read besides the page of a fault */
    struct pl_device_request request;
};

/* Where the machine's own spans stand in a timeline. */
enum { TIMELINE_MACHINE = 2000000000, TIMELINE_DISK = 1000000, TIMELINE_TASK = 1001000, TIMELINE_LANES = 32 };

/* --- the whole --------------------------------------------------------------------- */
/* Contents come in turns of at most four kinds of page (mixed): a sample has one of each. The last samples of some
 * contents are remembered, as processes take turns. */
enum { SAMPLE_TURNS = 4, SAMPLES = 64 };
struct content_sample {
    bool known;
    uint32_t content; /* as content_of says */
    uint64_t place;   /* of the page that was compressed */
    struct pl_store_page page;
};

struct content {
    struct pl_content made;
    struct pl_content_file *file; /* not NULL: pages of this file and no generator's */
    int64_t origin; /* the page of which it is page 0; below 0 where a trace was cut */
    uint32_t size; /* compressed, when the trace says; 0: not */
};

struct mapped_section {
    pl_section section;
    pl_process process; /* which made it, and alone maps it */
};

struct pl_sim {
    struct pl_machine machine;
    struct pl_sim_options options;
    struct pl_arena *arena;
    struct pl_memory *memory;
    struct pl_hot *hot;
    struct pl_memory_params memory_params;
    struct pl_event_queue queue;
    struct pl_error *err; /* of the call under way */
    enum pl_err failed;

    struct actor *actor;
    size_t actor_count, actor_capacity;
    struct process *process;
    size_t process_count, process_capacity;
    uint32_t present; /* actor of the trace's records */
    pl_time_ps reached_ps; /* an actor has done more than touch resident pages at this time: nobody begins before it */
    size_t memory_waiters;
    size_t live, idle; /* actors that are not gone; of them, without records */
    uint64_t queued;  /* touches in streams */
    uint64_t introduced; /* pages of the trace so far */
    bool ended;
    const char *stopped;

    struct pl_store *store;
    struct pl_store_params store_params;
    struct pl_codec *codec;
    uint32_t constant_size;
    uint8_t *page_room, *pack_room;
    struct content unsaid; /* of pages of which the trace says nothing */
    struct content_sample sampled[SAMPLES][SAMPLE_TURNS]; /* by the content's number, modulo SAMPLES */
    struct content *content;
    size_t content_count, content_capacity;
    uint32_t *content_of; /* by page, of those whose number has no room in the class of the page; or NULL */
    size_t content_of_capacity;
    struct pl_content_file **content_file; /* that contents name, each once */
    size_t content_file_count, content_file_capacity;
    uint32_t store_frames; /* taken for the store, a few of them ... */
    uint32_t store_spare;  /* ... so many, to spare: see sim_store_settle */
    struct mapped_section *section;
    size_t section_count, section_capacity;

    struct pl_device *disk;
    bool disk_is_free; /* nobody waits for anybody: a transfer's time is known at once */
    struct pl_page_file *file;
    pl_time_ps lane_end[TIMELINE_LANES]; /* requests that overlap have lines of their own in a timeline */
    pl_time_ps disk_event_ps; /* when the next disk event comes, or PL_NEVER_PS */
    struct transfer *transfer;
    size_t transfer_count, transfer_capacity;

    struct sim_cpus cpus;
    struct task *task;
    size_t task_count;
    struct pl_out *compress_queue; /* a ring */
    size_t compress_head, compress_count;
    struct pl_out *write_queue;
    size_t write_count, write_capacity;
    bool writer_all;    /* all modified pages are to be written, however few */
    bool writer_stuck;  /* the page file is full */
    bool writing;       /* a write of pages is under way */
    bool file_writing;  /* a write of pages of mapped files is, by a writer of its own */
    uint8_t *packed;    /* by slot of the page file: it was written compressed; made at the first such write */
    bool store_writing; /* a write of stored pages is: `leaving` */
    bool store_shrinks; /* between the upper mark and the lower */
    bool store_pressed; /* its own memory is what threads wait for: pages leave it until a cluster of frames is available */
    bool store_blocked; /* it refused a page, and nothing has left it since */
    uint32_t store_tried; /* pages in a row that it refused and that have nowhere else to go */
    bool store_short;   /* it did for want of frames, of which there were ... */
    uint32_t store_short_at; /* ... so many: more of them are another chance */
    pl_page leaving[64];
    uint32_t leaving_count;
    struct pl_lock *zero_lock; /* NULL: it takes no time */
    uint32_t zero_clearing;    /* threads that zero */
    uint32_t zero_taken;       /* free pages that they have */

    /* Statistics */
    struct pl_sim_totals totals;
    struct pl_histogram *latency; /* by fault kind */
    struct pl_sim_phase *phase;
    size_t phase_count, phase_capacity;
    const char *phase_name;
    pl_time_ps phase_start;
    struct pl_sim_sample *sample;
    size_t sample_count, sample_capacity;
    pl_time_ps interval_ps; /* between samples; 0: none are taken */
    struct sim_timer *timer;
    size_t timer_count, timer_capacity, timer_stopped; /* those before `stopped` are off */
    struct pl_sim_process *summary;
    struct pl_sim_result result;
    uint64_t events, checks;
    uint64_t unwalked; /* events since the last check of every frame and page */
    uint32_t asked; /* events, between questions whether to go on */
    size_t periodic; /* events of the clock among those that are pending */
    uint64_t steps, steps_at_relief; /* runs of touches made in all, and when frames were last looked for in need */
    size_t reliefs;  /* in a row that led to no touch */
    uint64_t steps_at_wait, waits_in_vain; /* the same for waits for frames */
    unsigned stuck;  /* events in a row after which nothing else was pending, although threads wait */
    uint64_t changes; /* anything but touches of resident pages */
    struct range_pass last_pass;
};

/* --- simulation.c ------------------------------------------------------------------- */
enum pl_err sim_fail(struct pl_sim *sim, enum pl_err rc); /* keeps the first failure; the message is in sim->err */
/* Ends the run here; the trace's rest is not run. */
void sim_stop(struct pl_sim *sim, const char *format, ...) PL_PRINTF(2, 3);
void sim_push(struct pl_sim *sim, pl_time_ps time, enum sim_event kind, uint32_t target);
struct process *sim_process(struct pl_sim *sim, uint64_t id); /* made when it is new; NULL: sim->failed */
struct process *sim_find_process(struct pl_sim *sim, uint64_t id);
static inline void sim_reach(struct pl_sim *sim, pl_time_ps time)
{
    if (time > sim->reached_ps)
        sim->reached_ps = time;
}
static inline bool sim_goes_on(const struct pl_sim *sim)
{
    return !sim->failed && !sim->stopped;
}

/* --- sim_actor.c -------------------------------------------------------------------- */
void sim_actor_run(struct pl_sim *sim, struct actor *actor);
void sim_actor_ready(struct pl_sim *sim, struct actor *actor); /* goes on at its clock */
/* Stops it until sim_actor_wake, which puts the time between down under `component`. */
void sim_actor_wait(struct pl_sim *sim, struct actor *actor, enum actor_state state, enum pl_component component);
void sim_actor_wake(struct pl_sim *sim, struct actor *actor, pl_time_ps now);
/* The time that it has waited until now, each part under what it was waited for. */
void sim_actor_charge_wait(struct pl_sim *sim, struct actor *actor, pl_time_ps now);
pl_time_ps sim_actor_disk_waited(const struct actor *actor, pl_time_ps now); /* what goes on is in it */
void sim_actor_touched(struct pl_sim *sim, struct actor *actor); /* the touch at hand is done */
pl_time_ps sim_crowded(const struct pl_sim *sim, pl_time_ps time); /* what takes so long alone, among all that run now */
static inline void sim_charge(struct pl_sim *sim, struct actor *actor, enum pl_component component, pl_time_ps time)
{
    if (sim->machine.crowding > 0 && component <= PL_TIME_DECOMPRESS && component != PL_TIME_SLEEP)
        time = sim_crowded(sim, time);
    actor->clock += time;
    sim->process[actor->process].cell.time_ps[component] += time;
}
/* Disk time of its own that takes no event. */
static inline void sim_charge_disk(struct pl_sim *sim, struct actor *actor, pl_time_ps time)
{
    sim_charge(sim, actor, PL_TIME_WAIT_DISK, time);
    actor->disk_waited += time;
}

/* --- sim_control.c ------------------------------------------------------------------ */
/* The control record at hand. True: it is done. False: the actor waits, or is gone. */
bool sim_control(struct pl_sim *sim, struct actor *actor);
/* Makes sure that a page is mapped before it is touched. */
bool sim_map_page(struct pl_sim *sim, struct actor *actor, pl_page page);
void sim_release(struct pl_sim *sim, const struct pl_released *released);
void sim_release_dead(struct pl_sim *sim); /* copies of shared pages that nobody maps any more */

/* --- sim_fault.c --------------------------------------------------------------------- */
/* True: the touch at hand is done. False: it waits, or the run ends. */
bool sim_fault(struct pl_sim *sim, struct actor *actor, pl_page page, bool is_write);
void sim_fault_continue(struct pl_sim *sim, struct actor *actor); /* its transfers have ended */
/* The same for an actor that is gone. */
void sim_fault_abandon(struct pl_sim *sim, struct actor *actor, pl_time_ps now);
void sim_wake_object(struct pl_sim *sim, pl_page object, pl_time_ps now);
/* Threads wait for frames, and perhaps nothing is under way that will free some: working sets shrink, then the store. */
void sim_need_memory(struct pl_sim *sim, pl_time_ps now);
void sim_wake_memory(struct pl_sim *sim, pl_time_ps now); /* frames may be available */
bool sim_relieve(struct pl_sim *sim, pl_time_ps now); /* finds frames for those who wait; false: there are none */

/* --- sim_evict.c --------------------------------------------------------------------- */
bool sim_settle(struct pl_sim *sim, struct actor *actor, const struct pl_evicted *evicted);

/* --- sim_store.c --------------------------------------------------------------------- */
enum pl_err sim_store_open(struct pl_sim *sim, struct pl_error *err);
void sim_store_close(struct pl_sim *sim);
void sim_store_describe(struct pl_sim *sim, pl_page object, struct pl_store_page *out);
/* `coming`: frames that will be there for the store when the page is in it. */
enum pl_store_outcome sim_store_put(struct pl_sim *sim, pl_page object, const struct pl_store_page *page, uint32_t coming);
/* Moves what the store keeps together, where that is of use. True: it takes less now; *takes is the time of it. */
bool sim_store_compact(struct pl_sim *sim, pl_time_ps *takes);
/* What compressing it takes: codecs give up early on what does not shrink, and a filled page is only looked at. */
pl_time_ps sim_compression_time(const struct pl_sim *sim, const struct pl_store_page *page);
pl_time_ps sim_decompression_time(struct pl_sim *sim, pl_page object); /* of a stored page */
void sim_store_remove(struct pl_sim *sim, pl_page object);
void sim_store_settle(struct pl_sim *sim); /* with lists: frames for what the store takes now */
uint32_t sim_store_need(const struct pl_sim *sim); /* frames that what it keeps takes */
pl_page sim_store_oldest(const struct pl_sim *sim); /* an object, or PL_NO_PAGE */
void sim_content(struct pl_sim *sim, const struct pl_control *control);
/* The number in sim->content, plus one, of what the trace says of a page; 0: nothing. */
/* Which page of its content a page holds. */
static inline uint64_t sim_content_place(const struct content *content, pl_page page)
{
    return (uint64_t)((int64_t)page - content->origin);
}
/* Page `place` of a content; zeros when its file cannot be read, which ends the run. */
void sim_content_page(struct pl_sim *sim, const struct content *content, uint64_t place, uint8_t *out);
/* The file that a content record names, opened once; NULL: the run fails. */
struct pl_content_file *sim_content_file(struct pl_sim *sim, const char *path);
void sim_content_files_close(struct pl_sim *sim);
uint32_t sim_content_number(const struct pl_sim *sim, pl_page object);

/* A command to the page lists, as the records have it; `actor` NULL: a timer gives it. */
void sim_list_command(struct pl_sim *sim, struct actor *actor, unsigned command, pl_time_ps now);

/* --- sim_combine.c ------------------------------------------------------------------- */
void sim_combine(struct pl_sim *sim, pl_time_ps now); /* equal pages become one, copy-on-write */

/* --- sim_disk.c ---------------------------------------------------------------------- */
enum pl_err sim_disk_open(struct pl_sim *sim, struct pl_error *err);
void sim_disk_close(struct pl_sim *sim);
/* Reads the page of the actor's fault; counts in actor->pending when it takes events. */
bool sim_disk_read(struct pl_sim *sim, struct actor *actor);
/* When the transfer that reads `object` besides another page was asked for; PL_NEVER_PS: there is none. */
pl_time_ps sim_disk_ahead_since(const struct pl_sim *sim, pl_page object);
/* Begins to bring a page in that nobody waits for. False: the run ends. */
bool sim_prefetch(struct pl_sim *sim, struct actor *actor, pl_page page);
/* Writes an evicted page; *slot is its place. False: there is no room, or a failure. */
bool sim_disk_write(struct pl_sim *sim, struct actor *actor, pl_page object, uint32_t old_slot, uint32_t *slot);
void sim_disk_event(struct pl_sim *sim, pl_time_ps now);
void sim_disk_submit(struct pl_sim *sim, uint32_t transfer, pl_time_ps now);
/* Writes up to a cluster of pages to the slots of `run`, in a request of `request_pages`; their end is told to
 * sim_writer_written or sim_store_written. */
bool sim_disk_write_cluster(struct pl_sim *sim, enum transfer_kind kind, const struct pl_out *out, uint32_t count,
                            struct pl_slot_run run, uint32_t request_pages, pl_time_ps now);
/* Whether the page in a slot is to be decompressed when it is read. */
bool sim_slot_is_packed(const struct pl_sim *sim, uint32_t slot);
void sim_slot_pack(struct pl_sim *sim, uint32_t slot);
void sim_slot_free(struct pl_sim *sim, uint32_t slot);
/* Frees slots that hold what their pages no longer are; how many. */
uint32_t sim_slots_reclaim(struct pl_sim *sim);
/* Slots for up to `count` pages, reclaimed ones when the page file is full. False: there are none. */
bool sim_slots_allocate(struct pl_sim *sim, const uint32_t *owner, uint32_t count, struct pl_slot_run *out);

/* --- sim_writer.c --------------------------------------------------------------------- */
enum pl_err sim_writer_open(struct pl_sim *sim, struct pl_error *err);
void sim_writer_close(struct pl_sim *sim);
void sim_release_held(struct pl_sim *sim); /* held pages of mapped files may be written from now on */
void sim_writer_look(struct pl_sim *sim, pl_time_ps now); /* is there anything to write out? */
void sim_writer_written(struct pl_sim *sim, struct transfer *transfer, pl_time_ps now);
void sim_store_written(struct pl_sim *sim, struct transfer *transfer, pl_time_ps now);
void sim_task_event(struct pl_sim *sim, uint32_t task, pl_time_ps now);
void sim_task_granted(struct pl_sim *sim, uint32_t task, pl_time_ps now); /* it has a processor */

/* --- sim_store_write.c ---------------------------------------------------------------- */
void sim_store_write_out(struct pl_sim *sim, pl_time_ps now); /* if there is need */

/* --- sim_zero.c ----------------------------------------------------------------------- */
enum pl_err sim_zero_open(struct pl_sim *sim, struct pl_error *err);
void sim_zero_close(struct pl_sim *sim);
void sim_zero_look(struct pl_sim *sim, pl_time_ps now); /* wakes those that sleep, if there is work */
void sim_zero_go_on(struct pl_sim *sim, uint32_t task, pl_time_ps now); /* it has a processor, and time has come */
void sim_zero_locked(struct pl_sim *sim, pl_time_ps now);               /* somebody has the lock */
bool sim_zero_adds_up(const struct pl_sim *sim);

/* --- sim_periodic.c ------------------------------------------------------------------- */
void sim_periodic_start(struct pl_sim *sim);
void sim_periodic_event(struct pl_sim *sim, const struct pl_event *event);

/* --- sim_timer.c --------------------------------------------------------------------- */
/* A standby cleaner: a list command every so often, if its conditions (pages) hold. */
struct sim_timer {
    pl_time_ps period;
    uint8_t command;
    uint64_t standby_above, free_below, available_below;
};
void sim_timer_set(struct pl_sim *sim, const struct pl_control *control, pl_time_ps now);
void sim_timer_event(struct pl_sim *sim, uint32_t index, pl_time_ps now);

/* --- sim_cpu.c ------------------------------------------------------------------------- */
/* True: the client has a processor now. False: it will be told (sim_actor_run or sim_task_event) when it has. */
bool sim_cpu_take(struct pl_sim *sim, uint32_t client, bool low);
void sim_cpu_give(struct pl_sim *sim, pl_time_ps now);
bool sim_cpu_wanted(const struct pl_sim *sim); /* somebody of normal priority waits */
void sim_cpu_close(struct pl_sim *sim);

/* --- sim_sum.c ------------------------------------------------------------------------- */
enum pl_err sim_sum_phase(struct pl_sim *sim, const char *name, pl_time_ps now, struct pl_error *err);
enum pl_err sim_sum_finish(struct pl_sim *sim, pl_time_ps now, struct pl_error *err);
void sim_sum_name_lines(struct pl_sim *sim); /* of the timeline */
struct pl_sim_sample sim_sum_sample(struct pl_sim *sim, pl_time_ps now);

/* --- sim_check.c ----------------------------------------------------------------------- */
void sim_check_event(struct pl_sim *sim); /* counts at every event, everything every so often */
enum pl_err sim_check_walk(struct pl_sim *sim); /* everything, now */

/* --- sim_view.c ------------------------------------------------------------------------ */
struct pl_sim_view *sim_view_take(const struct pl_sim *sim); /* NULL: no memory */
void sim_view_free(struct pl_sim_view *view); /* NULL is allowed */

#endif
