/* capture/team.c: several processes in step, over pipes of lines.
 *
 *   "phase N"  ->  "ok MS MINOR MAJOR CPU_NS RESIDENT"        "forget"  ->  "ok"        "verify"  ->  "ok" or "error
 * ..."
 *
 * A line says what to do, each process answers when it is done. They begin within some tens of microseconds, the time
 * that a pipe takes; a phase takes as long as its slowest process, by that process's own clock: what it does before its
 * answer (counting its resident pages takes milliseconds) is not part of it. */
#include "capture/team.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 512, PROCESSES_MAX = 64, ARGUMENTS_MAX = 40 };

struct team {
    struct pl_workload *own; /* NULL when there are children */
    struct pl_os_child *child[PROCESSES_MAX];
    unsigned count;
};

static uint64_t difference(uint64_t before, uint64_t after)
{
    return before == UINT64_MAX || after == UINT64_MAX ? UINT64_MAX : after - before;
}

static enum pl_err run_own(struct pl_workload *workload, enum pl_workload_phase phase, struct team_sample *out,
                           struct pl_error *err)
{
    struct pl_workload_sample sample;
    enum pl_err rc = pl_workload_run(workload, phase, &sample, err);
    if (rc)
        return rc;
    *out = (struct team_sample){
        .time_ms = sample.time_ms,
        .minor_faults = difference(sample.before.minor_faults, sample.after.minor_faults),
        .major_faults = difference(sample.before.major_faults, sample.after.major_faults),
        .cpu_ns = sample.after.user_ns - sample.before.user_ns + (sample.after.system_ns - sample.before.system_ns),
        .resident_bytes = pl_workload_resident(workload),
    };
    return PL_OK;
}

/* --- the leader ----------------------------------------------------------------------------- */
static enum pl_err start_children(struct team *team, const struct pl_workload_options *options, unsigned processes,
                                  bool own_seeds, const char *const *arguments, struct pl_error *err)
{
    const char *line[ARGUMENTS_MAX + 4] = {"worker"};
    char seed[24];
    size_t count = 1;
    for (; arguments[count - 1] && count <= ARGUMENTS_MAX; count++)
        line[count] = arguments[count - 1];
    line[count] = "--seed";
    line[count + 1] = seed;
    for (unsigned i = 0; i < processes; i++) {
        snprintf(seed, sizeof seed, "%" PRIu64, options->seed + (own_seeds ? i : 0));
        enum pl_err rc = pl_os_child_start(line, &team->child[team->count], err);
        if (rc)
            return rc;
        team->count++;
    }
    return PL_OK;
}

enum pl_err team_create(const struct pl_workload_options *options, unsigned processes, bool own_seeds,
                        const char *const *arguments, struct team **out, struct pl_error *err)
{
    if (processes == 0 || processes > PROCESSES_MAX)
        return pl_fail(err, PL_ERR_USAGE, "--processes must be 1 to %d", PROCESSES_MAX);
    struct team *team = calloc(1, sizeof *team);
    if (!team)
        return pl_fail_memory(err, sizeof *team, "the processes");
    enum pl_err rc = processes == 1 ? pl_workload_create(options, &team->own, err)
                                    : start_children(team, options, processes, own_seeds, arguments, err);
    if (rc) {
        team_destroy(team);
        return rc;
    }
    *out = team;
    return PL_OK;
}

void team_destroy(struct team *team)
{
    if (!team)
        return;
    pl_workload_destroy(team->own);
    for (unsigned i = 0; i < team->count; i++)
        pl_os_child_end(team->child[i]);
    free(team);
}

static enum pl_err hear(struct pl_os_child *child, char line[LINE], struct pl_error *err)
{
    if (!pl_os_child_hear(child, line, LINE))
        return pl_fail(err, PL_ERR_RESOURCE, "process %" PRIu64 " of the workload ended early", pl_os_child_pid(child));
    if (!strncmp(line, "ok", 2))
        return PL_OK;
    return pl_fail(err, !strncmp(line, "check", 5) ? PL_ERR_CHECK : PL_ERR_RESOURCE, "process %" PRIu64 ": %s",
                   pl_os_child_pid(child), strchr(line, ' ') ? strchr(line, ' ') + 1 : line);
}

static enum pl_err say_to_all(struct team *team, const char *line, struct pl_error *err)
{
    for (unsigned i = 0; i < team->count; i++)
        if (!pl_os_child_say(team->child[i], line))
            return pl_fail(err, PL_ERR_RESOURCE, "process %" PRIu64 " of the workload ended early",
                           pl_os_child_pid(team->child[i]));
    return PL_OK;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a == UINT64_MAX || b == UINT64_MAX ? UINT64_MAX : a + b;
}

static enum pl_err add_answer(struct pl_os_child *child, struct team_sample *total, struct pl_error *err)
{
    char line[LINE];
    double ms;
    uint64_t minor, major, cpu, resident;
    enum pl_err rc = hear(child, line, err);
    if (rc)
        return rc;
    if (sscanf(line, "ok %lf %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &ms, &minor, &major, &cpu, &resident) != 5)
        return pl_fail(err, PL_ERR_RESOURCE, "a process of the workload answered '%.80s'", line);
    total->time_ms = ms > total->time_ms ? ms : total->time_ms;
    total->minor_faults = sum(total->minor_faults, minor);
    total->major_faults = sum(total->major_faults, major);
    total->cpu_ns += cpu;
    total->resident_bytes = sum(total->resident_bytes, resident);
    return PL_OK;
}

enum pl_err team_run(struct team *team, enum pl_workload_phase phase, struct team_sample *out, struct pl_error *err)
{
    if (team->own)
        return run_own(team->own, phase, out, err);
    char line[32];
    struct team_sample total = {0};
    snprintf(line, sizeof line, "phase %d", (int)phase);
    enum pl_err rc = say_to_all(team, line, err);
    for (unsigned i = 0; i < team->count && rc == PL_OK; i++)
        rc = add_answer(team->child[i], &total, err);
    if (rc == PL_OK)
        *out = total;
    return rc;
}

/* Says a line that is answered by "ok" alone. */
static enum pl_err command_all(struct team *team, const char *word, struct pl_error *err)
{
    char line[LINE];
    enum pl_err rc = say_to_all(team, word, err);
    for (unsigned i = 0; i < team->count && rc == PL_OK; i++)
        rc = hear(team->child[i], line, err);
    return rc;
}

enum pl_err team_forget(struct team *team, struct pl_error *err)
{
    return team->own ? pl_workload_forget(team->own, err) : command_all(team, "forget", err);
}

static enum pl_err verify_own(const struct pl_workload *workload, struct pl_error *err)
{
    return pl_workload_holds(workload) ? PL_OK
                                       : pl_fail(err, PL_ERR_CHECK, "a page does not hold what it was filled with");
}

enum pl_err team_verify(struct team *team, struct pl_error *err)
{
    return team->own ? verify_own(team->own, err) : command_all(team, "verify", err);
}

/* --- the worker ---------------------------------------------------------------------------------- */
static void answer_phase(struct pl_workload *workload, int phase)
{
    struct pl_error err = {PL_OK, ""};
    struct team_sample sample;
    if (phase < 0 || phase >= PL_PHASES)
        printf("error there is no phase %d\n", phase);
    else if (run_own(workload, (enum pl_workload_phase)phase, &sample, &err))
        printf("error %s\n", err.message);
    else
        printf("ok %.6f %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", sample.time_ms, sample.minor_faults,
               sample.major_faults, sample.cpu_ns, sample.resident_bytes);
}

static void obey(struct pl_workload *workload, const char *line)
{
    struct pl_error err = {PL_OK, ""};
    int phase;
    if (sscanf(line, "phase %d", &phase) == 1) {
        answer_phase(workload, phase);
        return;
    }
    enum pl_err rc = !strncmp(line, "forget", 6)   ? pl_workload_forget(workload, &err)
                     : !strncmp(line, "verify", 6) ? verify_own(workload, &err)
                                                   : pl_fail(&err, PL_ERR_INPUT, "unknown line");
    if (rc)
        printf("%s %s\n", rc == PL_ERR_CHECK ? "check" : "error", err.message);
    else
        puts("ok");
}

enum pl_err team_work(const struct pl_workload_options *options, struct pl_error *err)
{
    struct pl_workload *workload;
    char line[LINE];
    enum pl_err rc = pl_workload_create(options, &workload, err);
    if (rc) {
        printf("error %s\n", err->message); /* the leader reads it as the first answer */
        return rc;
    }
    while (fgets(line, sizeof line, stdin)) {
        obey(workload, line);
        if (fflush(stdout) != 0)
            break;
    }
    pl_workload_destroy(workload);
    return PL_OK;
}
