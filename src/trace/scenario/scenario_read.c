/* trace/scenario/scenario_read.c: a scenario's file, checked before anything runs: keys, words, values, depth.
 *
 * What only a run can tell (was that region allocated?) is told by the run, with the same places. */
#include "trace/scenario/scenario.h"

#include <stdlib.h>
#include <string.h>

enum { PROCESSES_MAX = 4096, THREADS_MAX = 1024 };

const char *const scenario_verb_names[SCENARIO_VERBS] = {
    "phase", "allocate", "touch", "free", "prefetch", "lock", "trim", "minimise", "list", "timer", "sleep", "compute",
    "exit", "repeat",
};

/* --- steps ------------------------------------------------------------------------------ */

enum kind_of_value { BYTES, TIME, COUNT, SHARE, WORDS, FLAG, FILL, ANY };

static const char *const kinds[] = {"commit", "reserve", "file", "section", "large", "guard", NULL};
static const char *const modes[] = {"read", "write", "execute", NULL};
static const char *const orders[] = {"forward", "backward", "random", "uniform", NULL};
static const char *const lists[] = {"purge-standby", "flush-modified", "empty-working-sets", "purge-standby0", "combine",
                                    NULL};

/* Keys of steps: in which verbs (bits), and what they hold. */
#define IN(verb) (1u << STEP_##verb)
static const struct key {
    const char *name;
    unsigned verbs;
    enum kind_of_value value;
    const char *const *choice; /* of WORDS, or NULL: any */
} keys[] = {
    {"phase", IN(PHASE), WORDS, NULL},
    {"allocate", IN(ALLOCATE), WORDS, NULL},
    {"touch", IN(TOUCH), WORDS, NULL},
    {"free", IN(FREE), WORDS, NULL},
    {"prefetch", IN(PREFETCH), WORDS, NULL},
    {"lock", IN(LOCK), WORDS, NULL},
    {"trim", IN(TRIM), WORDS, NULL},
    {"minimise", IN(MINIMISE), WORDS, NULL},
    {"list", IN(LIST) | IN(TIMER), WORDS, lists},
    {"timer", IN(TIMER), WORDS, NULL},
    {"sleep", IN(SLEEP), TIME, NULL},
    {"compute", IN(COMPUTE), TIME, NULL},
    {"exit", IN(EXIT), WORDS, NULL},
    {"repeat", IN(REPEAT), COUNT, NULL},
    {"do", IN(REPEAT), ANY, NULL},
    {"size", IN(ALLOCATE) | IN(TOUCH), BYTES, NULL},
    {"kind", IN(ALLOCATE), WORDS, kinds},
    {"prefault", IN(ALLOCATE), FLAG, NULL},
    {"fill", IN(ALLOCATE) | IN(TOUCH), FILL, NULL},
    {"seed", IN(ALLOCATE) | IN(TOUCH), COUNT, NULL},
    {"from", IN(TOUCH), BYTES, NULL},
    {"part", IN(TOUCH), SHARE, NULL},
    {"stride", IN(TOUCH), BYTES, NULL},
    {"mode", IN(TOUCH), WORDS, modes},
    {"order", IN(TOUCH), WORDS, orders},
    {"count", IN(TOUCH), COUNT, NULL},
    {"accesses", IN(TOUCH), ANY, NULL},
    {"every", IN(TIMER), TIME, NULL},
    {"standby_above", IN(TIMER), BYTES, NULL},
    {"available_below", IN(TIMER), BYTES, NULL},
    {"free_below", IN(TIMER), BYTES, NULL},
    {"note", ~0u, ANY, NULL},
};

/* The verb of a step: the first of its keys that is one ("list" in a timer is a key of the timer). */
static enum pl_err find_verb(const struct pl_json_node *step, enum scenario_verb *out, struct pl_error *err)
{
    char hint[160];
    if (!pl_json_is_object(step) || pl_json_size(step) == 0)
        return pl_json_fail(step, err, "a step is an object such as {\"sleep\": \"0.5s\"}");
    if (pl_json_get(step, "timer")) {
        *out = STEP_TIMER;
        return PL_OK;
    }
    for (int verb = 0; verb < SCENARIO_VERBS; verb++)
        if (pl_json_get(step, scenario_verb_names[verb])) {
            *out = (enum scenario_verb)verb;
            return PL_OK;
        }
    const char *first = pl_json_key_of(pl_json_at(step, 0));
    pl_did_you_mean(hint, sizeof hint, first, scenario_verb_names, SCENARIO_VERBS, sizeof *scenario_verb_names);
    return pl_json_fail(step, err, "'%.60s' is no step%s", first, hint);
}

static enum pl_err check_value(struct scenario *scenario, const struct key *key, const struct pl_json_node *node,
                               struct pl_error *err)
{
    uint64_t number;
    pl_time_ps time;
    double share;
    const char *words;
    bool truth;
    int choice;
    switch (key->value) {
    case BYTES:
        return scenario_bytes(scenario, node, 0, &number, err);
    case TIME:
        return scenario_time(scenario, node, 0, &time, err);
    case COUNT:
        return scenario_count(scenario, node, 0, &number, err);
    case SHARE:
        return scenario_share(scenario, node, 0, &share, err);
    case FLAG:
        return pl_json_as_bool(node, &truth, err);
    case WORDS:
        return key->choice ? scenario_choice(scenario, node, key->choice, &choice, err)
                           : scenario_words(scenario, node, &words, err);
    case FILL:
        return scenario_fill_words(scenario, node, &words, err);
    case ANY:
        break;
    }
    return PL_OK;
}

static enum pl_err check_keys(struct scenario *scenario, const struct pl_json_node *step, enum scenario_verb verb,
                              struct pl_error *err)
{
    const char *known[PL_COUNT_OF(keys)];
    size_t count = 0;
    for (size_t i = 0; i < PL_COUNT_OF(keys); i++)
        if (keys[i].verbs & (1u << verb))
            known[count++] = keys[i].name;
    enum pl_err rc = pl_json_only_keys(step, known, count, err);
    for (size_t i = 0; i < PL_COUNT_OF(keys) && rc == PL_OK; i++) {
        const struct pl_json_node *node = pl_json_get(step, keys[i].name);
        if (node)
            rc = check_value(scenario, &keys[i], node, err);
    }
    if (rc == PL_OK && verb == STEP_ALLOCATE && !pl_json_get(step, "size"))
        rc = pl_json_fail(step, err, "an allocation needs a size");
    return rc;
}

static enum pl_err check_steps(struct scenario *scenario, const struct pl_json_node *steps, size_t depth,
                               struct pl_error *err)
{
    if (!pl_json_is_array(steps))
        return pl_json_fail(steps, err, "steps are an array");
    if (depth == SCENARIO_DEPTH)
        return pl_json_fail(steps, err, "loops within loops, more than %d", SCENARIO_DEPTH);
    enum pl_err rc = PL_OK;
    for (size_t i = 0; i < pl_json_size(steps) && rc == PL_OK; i++) {
        const struct pl_json_node *step = pl_json_at(steps, i), *inner;
        enum scenario_verb verb = STEP_PHASE;
        rc = find_verb(step, &verb, err);
        if (rc == PL_OK)
            rc = check_keys(scenario, step, verb, err);
        if (rc || verb != STEP_REPEAT)
            continue;
        inner = pl_json_get(step, "do");
        rc = inner ? check_steps(scenario, inner, depth + 1, err) : pl_json_fail(step, err, "a repeat needs \"do\": steps");
    }
    return rc;
}

/* --- parameters --------------------------------------------------------------------------- */

/* Numbers are kept as their text, so that an override is read like what stands in the file. */
static const char *parameter_text(const struct scenario *scenario, const struct pl_json_node *node)
{
    const char *text;
    double number;
    char digits[40];
    if (pl_json_is_text(node))
        return pl_json_as_text(node, &text, NULL) == PL_OK ? text : NULL;
    if (!pl_json_is_number(node) || pl_json_as_real(node, &number, NULL))
        return NULL;
    return pl_arena_strdup(scenario->arena, pl_format_double(digits, sizeof digits, number));
}

static enum pl_err read_parameters(struct scenario *scenario, const struct pl_json_node *object, struct pl_error *err)
{
    if (!object)
        return PL_OK;
    if (!pl_json_is_object(object))
        return pl_json_fail(object, err, "parameters are an object of names and values");
    scenario->parameter = pl_arena_alloc(scenario->arena, pl_json_size(object) + 1, sizeof *scenario->parameter);
    if (!scenario->parameter)
        return pl_fail_memory(err, 0, "parameters");
    for (size_t i = 0; i < pl_json_size(object); i++) {
        const struct pl_json_node *node = pl_json_at(object, i);
        const char *text = parameter_text(scenario, node);
        if (!text)
            return pl_json_fail(node, err, "a parameter is a number or a text");
        scenario->parameter[scenario->parameter_count++] =
            (struct scenario_parameter){.name = pl_json_key_of(node), .text = text, .node = node};
    }
    return PL_OK;
}

/* "size=512MiB" in the place of what the file says. */
static enum pl_err override(struct scenario *scenario, const char *word, struct pl_error *err)
{
    char name[64], hint[160];
    size_t length = strcspn(word, "=");
    if (!word[length] || length >= sizeof name)
        return pl_fail(err, PL_ERR_USAGE, "parameter '%s': write NAME=VALUE", word);
    memcpy(name, word, length);
    name[length] = '\0';
    for (size_t i = 0; i < scenario->parameter_count; i++)
        if (!strcmp(scenario->parameter[i].name, name)) {
            scenario->parameter[i].text = pl_arena_strdup(scenario->arena, word + length + 1);
            scenario->parameter[i].overridden = true;
            return scenario->parameter[i].text ? PL_OK : pl_fail_memory(err, 0, "a parameter");
        }
    pl_did_you_mean(hint, sizeof hint, name, scenario->parameter ? &scenario->parameter[0].name : NULL,
                    scenario->parameter_count, sizeof *scenario->parameter);
    return pl_fail(err, PL_ERR_USAGE, "%s: has no parameter '%s'%s", scenario->name, name, hint);
}

/* --- processes ------------------------------------------------------------------------------ */

static enum pl_err add_actor(struct scenario *scenario, uint64_t thread, const struct pl_json_node *steps,
                             struct pl_error *err)
{
    static size_t const grow = 16;
    if (scenario->actor_count % grow == 0) {
        void *more = realloc(scenario->actor, (scenario->actor_count + grow) * sizeof *scenario->actor);
        if (!more)
            return pl_fail_memory(err, 0, "threads");
        scenario->actor = more;
    }
    struct scenario_actor *actor = &scenario->actor[scenario->actor_count];
    *actor = (struct scenario_actor){.index = (uint32_t)scenario->actor_count++, .process = scenario->process_count - 1,
                                     .thread = thread, .accesses = 1, .depth = 1};
    actor->frame[0] = (struct scenario_frame){steps, 0, 0, 0};
    return PL_OK;
}

static enum pl_err read_threads(struct scenario *scenario, const struct pl_json_node *process, uint64_t id,
                                struct pl_error *err)
{
    static const char *const known[] = {"steps", "note"};
    const struct pl_json_node *steps = pl_json_get(process, "steps"), *threads = pl_json_get(process, "threads");
    if (!steps == !threads)
        return pl_json_fail(process, err, "a process has either steps or threads");
    if (steps)
        return add_actor(scenario, id, steps, err);
    if (!pl_json_is_array(threads) || pl_json_size(threads) == 0 || pl_json_size(threads) > THREADS_MAX)
        return pl_json_fail(threads, err, "threads are an array of 1 to %d objects with steps", THREADS_MAX);
    enum pl_err rc = PL_OK;
    for (size_t i = 0; i < pl_json_size(threads) && rc == PL_OK; i++) {
        const struct pl_json_node *thread = pl_json_at(threads, i);
        rc = pl_json_is_object(thread) ? pl_json_only_keys(thread, known, PL_COUNT_OF(known), err)
                                       : pl_json_fail(thread, err, "a thread is an object with steps");
        steps = pl_json_get(thread, "steps");
        if (rc == PL_OK && !steps)
            rc = pl_json_fail(thread, err, "a thread has steps");
        if (rc == PL_OK)
            rc = add_actor(scenario, id + i, steps, err);
    }
    return rc;
}

static enum pl_err check_process(struct scenario *scenario, const struct pl_json_node *process, uint64_t *copies,
                                 struct pl_error *err)
{
    static const char *const known[] = {"name", "copies", "steps", "threads", "note"};
    const struct pl_json_node *node, *threads;
    enum pl_err rc = pl_json_is_object(process) ? pl_json_only_keys(process, known, PL_COUNT_OF(known), err)
                                                : pl_json_fail(process, err, "a process is an object with steps");
    *copies = 1;
    if (rc == PL_OK && (node = pl_json_get(process, "copies")))
        rc = scenario_count(scenario, node, 0, copies, err);
    if (rc == PL_OK && *copies > PROCESSES_MAX)
        rc = pl_json_fail(pl_json_get(process, "copies"), err, "at most %d copies", PROCESSES_MAX);
    if (rc == PL_OK && (node = pl_json_get(process, "steps")))
        rc = check_steps(scenario, node, 0, err);
    threads = pl_json_get(process, "threads");
    for (size_t i = 0; threads && i < pl_json_size(threads) && rc == PL_OK; i++)
        if ((node = pl_json_get(pl_json_at(threads, i), "steps")))
            rc = check_steps(scenario, node, 0, err);
    return rc;
}

static enum pl_err read_processes(struct scenario *scenario, const struct pl_json_node *processes, struct pl_error *err)
{
    const size_t kinds_of = processes ? pl_json_size(processes) : 0;
    if (!processes || !pl_json_is_array(processes) || !kinds_of || kinds_of > PROCESSES_MAX)
        return pl_json_fail(processes ? processes : pl_json_root(scenario->json), err,
                            "\"processes\" is an array of 1 to %d objects with steps", PROCESSES_MAX);
    scenario->process = calloc(PROCESSES_MAX + 1, sizeof *scenario->process);
    if (!scenario->process)
        return pl_fail_memory(err, PROCESSES_MAX * sizeof *scenario->process, "processes");
    for (size_t i = 0; i < kinds_of; i++) {
        const struct pl_json_node *process = pl_json_at(processes, i), *name = pl_json_get(process, "name");
        const char *words = "process";
        uint64_t copies;
        enum pl_err rc = check_process(scenario, process, &copies, err);
        if (rc == PL_OK && name)
            rc = scenario_words(scenario, name, &words, err);
        for (uint64_t copy = 0; copy < copies && rc == PL_OK; copy++) {
            if (scenario->process_count == PROCESSES_MAX)
                return pl_json_fail(process, err, "more than %d processes", PROCESSES_MAX);
            /* Ids as Windows has them: multiples of 4, room between them for the threads' own. */
            const uint64_t id = 4096 + (uint64_t)THREADS_MAX * 4 * scenario->process_count;
            scenario->process[scenario->process_count++] =
                (struct scenario_process){.id = id, .copy = copy, .name = words, .next_number = 0x10000};
            rc = read_threads(scenario, process, id, err);
        }
        if (rc)
            return rc;
    }
    return PL_OK;
}

/* --- the whole ---------------------------------------------------------------------------------- */

static enum pl_err check_root(const struct pl_json_node *root, struct pl_error *err)
{
    static const char *const known[] = {"format", "version", "title", "about", "source", "parameters", "processes", "note"};
    const struct pl_json_node *version = pl_json_get(root, "version");
    uint64_t number = 0;
    enum pl_err rc = pl_json_only_keys(root, known, PL_COUNT_OF(known), err);
    if (rc == PL_OK && version)
        rc = pl_json_as_u64(version, &number, err);
    if (rc == PL_OK && number != 1)
        rc = pl_json_fail(version ? version : root, err, "\"version\": 1 is the one that is known");
    return rc;
}

enum pl_err scenario_read(const char *text, size_t length, const struct pl_reader *reader, struct scenario **out,
                          struct pl_error *err)
{
    struct scenario *scenario = calloc(1, sizeof *scenario);
    if (!scenario)
        return pl_fail_memory(err, sizeof *scenario, "a scenario");
    scenario->name = reader->info.path;
    scenario->arena = reader->arena;
    scenario->page_size = reader->options.page_size ? reader->options.page_size : 4096;
    enum pl_err rc = pl_json_read(text, length, scenario->name, &scenario->json, err);
    const struct pl_json_node *root = rc == PL_OK ? pl_json_root(scenario->json) : NULL;
    if (rc == PL_OK)
        rc = check_root(root, err);
    if (rc == PL_OK)
        rc = read_parameters(scenario, pl_json_get(root, "parameters"), err);
    for (size_t i = 0; i < reader->options.parameter_count && rc == PL_OK; i++)
        rc = override(scenario, reader->options.parameter[i], err);
    if (rc == PL_OK)
        rc = read_processes(scenario, pl_json_get(root, "processes"), err);
    if (rc) {
        scenario_free(scenario);
        return rc;
    }
    *out = scenario;
    return PL_OK;
}

void scenario_free(struct scenario *scenario)
{
    if (!scenario)
        return;
    for (size_t i = 0; scenario->process && i < scenario->process_count; i++)
        free(scenario->process[i].region);
    free(scenario->process);
    free(scenario->actor);
    pl_json_free(scenario->json);
    free(scenario);
}
