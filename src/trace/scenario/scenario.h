/* trace/scenario/scenario.h: workloads written in JSON, as one more format of traces. Table of contents.
 *
 *   format_scenario.c    the format: a reader that asks the program below for batches
 *   scenario_read.c      the file as checked JSON: keys, regions, names, parameters
 *   scenario_value.c     "$size / 8": numbers with units over parameters
 *   scenario_run.c       the actors and their steps, one after the other, into records
 *   scenario_touch.c     what a touch step becomes: ranges, or pages in random order
 *   scenario_fill.c      what pages are filled with: generators, and files
 *   scenario_order.c     a random order of n pages without a table
 *
 * The language is described in models/scenarios/README.md. A scenario holds workload alone: what it costs is the
 * machine's. It is never expanded: each actor walks its steps, and a pass over 2 GB is one range record. Actors run until
 * their next phase mark, one after the other; then the mark is put down, at which all of them wait for each other.
 *
 * Assumes pages of one size (options.page_size, else 4 KiB). Does not model: memory that two processes share. */
#ifndef PL_TRACE_SCENARIO_H
#define PL_TRACE_SCENARIO_H

#include "base/json.h"
#include "trace/format.h"

/* --- values ------------------------------------------------------------------------- */

enum scenario_unit { SCENARIO_NUMBER, SCENARIO_BYTES, SCENARIO_TIME }; /* bytes; picoseconds */

struct scenario_value {
    double number;
    enum scenario_unit unit;
};

/* A parameter: a value or words. */
struct scenario_parameter {
    const char *name, *text; /* text: as written, or as overridden */
    const struct pl_json_node *node;
    bool overridden;
};

struct scenario {
    const char *name; /* of the file */
    struct pl_json *json;
    uint32_t page_size;
    uint64_t round; /* of the repeat that the step at hand stands in; values may ask for it */
    struct pl_arena *arena;
    struct scenario_parameter *parameter;
    size_t parameter_count;
    struct scenario_actor *actor;
    size_t actor_count;
    struct scenario_process *process;
    size_t process_count;
    struct scenario_file *file; /* that fills name */
};

/* Reads "$size / 8 + 4KiB": numbers, units, $parameters, `copy` (0, 1, ... of a process with copies), `round`
 * (0, 1, ... of the innermost repeat), + - * / and parentheses. Fails with PL_ERR_INPUT and the node's place. */
enum pl_err scenario_value(const struct scenario *scenario, const struct pl_json_node *node, uint64_t copy,
                           struct scenario_value *out, struct pl_error *err);
/* The same where bytes (or pages, "4p"), a time, or a count are wanted; not negative. */
enum pl_err scenario_bytes(const struct scenario *scenario, const struct pl_json_node *node, uint64_t copy, uint64_t *out,
                           struct pl_error *err);
enum pl_err scenario_time(const struct scenario *scenario, const struct pl_json_node *node, uint64_t copy,
                          pl_time_ps *out, struct pl_error *err);
enum pl_err scenario_count(const struct scenario *scenario, const struct pl_json_node *node, uint64_t copy, uint64_t *out,
                           struct pl_error *err);
enum pl_err scenario_share(const struct scenario *scenario, const struct pl_json_node *node, uint64_t copy, double *out,
                           struct pl_error *err);
/* Words; "$fill" is the parameter's. */
enum pl_err scenario_words(const struct scenario *scenario, const struct pl_json_node *node, const char **out,
                           struct pl_error *err);
/* What pages are filled with, as a content record says it: a generator's name, or "file:PATH". Such a path is seen from
 * the scenario's folder; from where the program runs when it was given as a parameter. Fails, with the node's place,
 * where no such file can be read or it is empty. The words live as long as the scenario. */
enum pl_err scenario_fill_words(struct scenario *scenario, const struct pl_json_node *node, const char **out,
                                struct pl_error *err);
/* The index of such words in a NULL-terminated list; fails with the nearest one. */
enum pl_err scenario_choice(const struct scenario *scenario, const struct pl_json_node *node, const char *const *words,
                            int *out, struct pl_error *err);

/* --- the program -------------------------------------------------------------------------- */

/* What a step is, by the key that names it. */
enum scenario_verb {
    STEP_PHASE, STEP_ALLOCATE, STEP_TOUCH, STEP_FREE, STEP_PREFETCH, STEP_LOCK, STEP_TRIM, STEP_MINIMISE, STEP_LIST,
    STEP_TIMER, STEP_SLEEP, STEP_COMPUTE, STEP_EXIT, STEP_REPEAT, SCENARIO_VERBS,
};
extern const char *const scenario_verb_names[SCENARIO_VERBS];

/* Memory that a process has allocated. Dense pages first .. first + pages - 1. */
struct scenario_region {
    const char *name;
    pl_page first;
    uint64_t pages;
    uint64_t number; /* of its first page in the process's address space */
    bool filled;     /* some pass wrote all of it: a pass over first ints does not change what it holds */
};

struct scenario_process {
    uint64_t id, copy;
    const char *name;
    struct scenario_region *region;
    size_t region_count, region_capacity;
    uint64_t next_number;
    bool started, exited;
};

enum { SCENARIO_DEPTH = 16, SCENARIO_TEXT = 4096 };

/* A list of steps that an actor is in. */
struct scenario_frame {
    const struct pl_json_node *steps;
    size_t at;
    uint64_t left;  /* further rounds */
    uint64_t round; /* of the repeat: 0, 1, ... */
};

/* A touch that is not done yet. */
struct scenario_pass {
    bool active;
    enum pl_kind kind;
    pl_page base;
    uint64_t pages, step; /* the pass goes over base, base + step, ... : `pages` of them */
    uint64_t done;
    bool with_replacement;
    struct pl_random random;
    uint64_t key; /* of the order */
};

struct scenario_actor {
    uint32_t index;
    size_t process;
    uint64_t thread;
    struct scenario_frame frame[SCENARIO_DEPTH];
    size_t depth;
    struct scenario_pass pass;
    uint64_t accesses;       /* as last told */
    const char *mark;        /* waits at this phase mark, or NULL */
    const struct pl_json_node *mark_node;
    bool done;
};

/* Checks everything that can be checked without running, and sets the actors up. */
enum pl_err scenario_read(const char *text, size_t length, const struct pl_reader *reader, struct scenario **out,
                          struct pl_error *err);
void scenario_free(struct scenario *scenario);

/* --- running ----------------------------------------------------------------------------------- */

enum { SCENARIO_BATCH_TOUCHES = 16384, SCENARIO_BATCH_CONTROLS = 4096 };

struct scenario_run {
    struct scenario *scenario;
    struct pl_control *control;
    size_t control_count;
    pl_page *page;
    uint8_t *kind;
    size_t count;
    uint64_t distinct;
    size_t turn;           /* the actor whose turn it is */
    int64_t present;       /* the actor that the records so far are of, -1: none */
    struct scenario_origin {
        pl_page first;
        uint64_t process, number;
    } *origin;
    size_t origin_count, origin_capacity;
};

enum pl_err scenario_run_create(struct scenario *scenario, struct scenario_run **out, struct pl_error *err);
void scenario_run_free(struct scenario_run *run);
/* The next batch; PL_END when every actor is done. */
enum pl_err scenario_run_next(struct scenario_run *run, struct pl_batch *out, struct pl_error *err);

/* For scenario_touch.c: room for more, and a record of the present actor. */
bool scenario_has_room(const struct scenario_run *run);
struct pl_control *scenario_record(struct scenario_run *run, enum pl_op op);
struct scenario_region *scenario_find_region(struct scenario_process *process, const char *name);
/* The same, or an error at the node that names the nearest one. */
enum pl_err scenario_need_region(struct scenario_process *process, const struct pl_json_node *node, const char *name,
                                 struct scenario_region **out, struct pl_error *err);
enum pl_err scenario_begin_touch(struct scenario_run *run, struct scenario_actor *actor, const struct pl_json_node *step,
                                 struct pl_error *err);
/* Puts down as much of an active pass as there is room for. */
void scenario_go_on(struct scenario_run *run, struct scenario_actor *actor);
/* What the pages of a region hold from here on. */
void scenario_fill(struct scenario_run *run, const struct scenario_region *region, uint64_t from, uint64_t pages,
                   const char *fill, uint64_t seed);

/* Place `i` of a random order of 0 .. n - 1. */
uint64_t scenario_order(uint64_t key, uint64_t n, uint64_t i);

#endif
