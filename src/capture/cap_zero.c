/* capture/cap_zero.c: `pagecap zero`: processes that allocate, touch and free as fast as they can.
 *
 * Every freed page must be zeroed before another process gets it. Windows zeroes in the background where it can, in
 * threads of the System process; Linux zeroes in the faulting thread. So the CPU time of those who zero is shown
 * beside. */
#include "capture/measurement.h"
#include "capture/pagecap.h"
#include "capture/team.h"

#include <math.h>

struct zero_line {
    struct cap_common common;
    uint64_t size, processes;
    pl_time_ps time;
    const char *output;
};

static const struct pl_option zero_options[] = {
    {"size", 's', PL_OPT_BYTES, offsetof(struct zero_line, size), "SIZE", "64MiB",
     "What each process allocates at a time."},
    {"processes", 0, PL_OPT_COUNT, offsetof(struct zero_line, processes), "N", "2", "Processes."},
    {"time", 0, PL_OPT_TIME, offsetof(struct zero_line, time), "TIME", "3s", "How long."},
    {"output", 'o', PL_OPT_TEXT, offsetof(struct zero_line, output), "FILE", NULL, "Write a measurement file."},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"The stress", zero_options, 0},
    {NULL, cap_common_options, offsetof(struct zero_line, common)},
    {NULL},
};

const struct pl_command_spec cap_zero_spec = {
    .name = "zero",
    .operands = "",
    .summary = "Allocate, touch and free in N processes: what zeroing costs.",
    .groups = groups,
    .examples = (const struct pl_example[]){{"pagecap zero --processes 4 --time 10s", "four processes"}, {NULL}},
};

static const struct pl_column columns[] = {
    {"round", "round", "", PL_VALUE_COUNT, 0},
    {"touch_ms", "first touch", "ms", PL_VALUE_REAL, 2},
    {"free_ms", "free", "ms", PL_VALUE_REAL, 2},
    {"cpu_ms", "CPU of the processes", "ms", PL_VALUE_REAL, 2},
    {"zeroing_cpu_ms", "CPU of zeroing threads", "ms", PL_VALUE_REAL, 2},
    {"faults", "faults", "", PL_VALUE_COUNT, 0},
};

struct round {
    struct team_sample touched;
    double free_ms, zeroing_ms;
};

static enum pl_err one_round(struct team *team, struct round *out, struct pl_error *err)
{
    struct team_sample allocated;
    uint64_t before = 0, after = 0;
    const char *name;
    bool known = pl_os_zeroing_ns(&before, &name);
    enum pl_err rc = team_run(team, PL_PHASE_ALLOCATE, &allocated, err);
    if (rc == PL_OK)
        rc = team_run(team, PL_PHASE_FIRST_TOUCH, &out->touched, err);
    pl_time_ps start = pl_os_now();
    if (rc == PL_OK)
        rc = team_forget(team, err);
    out->free_ms = (double)(pl_os_now() - start) / (double)PL_PS_PER_MS;
    out->zeroing_ms = known && pl_os_zeroing_ns(&after, &name) ? (double)(after - before) / 1e6 : NAN;
    return rc;
}

static void keep_fact(void *user, const char *key, const char *unit, struct pl_value value)
{
    pl_measurement_fact(user, key, value);
}

static void keep_round(struct pl_measurement *measurement, struct pl_document_table *table, uint64_t number,
                       const struct round *round)
{
    double cpu_s = (double)round->touched.cpu_ns / 1e9;
    const struct pl_value row[] = {
        pl_value_count(number),
        pl_value_real(round->touched.time_ms),
        pl_value_real(round->free_ms),
        pl_value_real(cpu_s * 1000),
        pl_value_real(round->zeroing_ms),
        pl_value_count(round->touched.minor_faults == UINT64_MAX ? 0 : round->touched.minor_faults),
    };
    pl_document_row(table, row);
    pl_measurement_sample(measurement, "first page touch", "time", "ms", round->touched.time_ms);
    pl_measurement_sample(measurement, "first page touch", "cpu_seconds", "s", cpu_s);
    pl_measurement_sample(measurement, "first page touch", "zeroing_cpu_seconds", "s", round->zeroing_ms / 1000);
    pl_measurement_sample(measurement, "free", "time", "ms", round->free_ms);
}

static enum pl_err stress(const struct zero_line *values, struct team *team, struct pl_arena *arena,
                          struct pl_error *err)
{
    struct pl_document *document = pl_document_create(arena, "zero", "Allocate, touch and free");
    struct pl_measurement *measurement =
        pl_measurement_create(arena, "zero", "zero", "processes that allocate, touch and free");
    if (!document || !measurement)
        return pl_fail_memory(err, 0, "the result");
    pl_document_parameter(document, "size_bytes", "each process allocates", "bytes", pl_value_count(values->size));
    pl_document_parameter(document, "processes", "processes", "", pl_value_count(values->processes));
    pl_measurement_parameter(measurement, "size_bytes", pl_value_count(values->size));
    pl_measurement_parameter(measurement, "processes", pl_value_count(values->processes));
    pl_measurement_fact(measurement, "page_bytes", pl_value_count(pl_os_page_size()));
    pl_os_facts(keep_fact, measurement);
    struct pl_document_table *table = pl_document_table(document, "rounds", "Rounds", columns, PL_COUNT_OF(columns));
    pl_document_show_at_most(table, 20);
    pl_time_ps end = pl_os_now() + values->time;
    uint64_t rounds = 0;
    do {
        struct round round;
        enum pl_err rc = one_round(team, &round, err);
        if (rc)
            return rc;
        keep_round(measurement, table, rounds++, &round);
    } while (pl_os_now() < end && !pl_os_interrupted());
    uint64_t ns;
    const char *name;
    pl_document_result(document, "rounds", "rounds", "", pl_value_count(rounds));
    pl_document_note(document, "Zeroing threads: %s",
                     pl_os_zeroing_ns(&ns, &name) ? name : "this system does not show them");
    enum pl_err rc = PL_OK;
    if (values->output) {
        struct pl_sink *sink;
        rc = pl_sink_open_path(values->output, &sink, err);
        if (rc == PL_OK)
            rc = pl_measurement_write(measurement, sink, err);
        if (rc == PL_OK)
            rc = pl_sink_close(sink, err);
    }
    return rc ? rc : cap_emit(document, &values->common, err);
}

enum pl_err cap_zero(int argc, char **argv, struct pl_error *err)
{
    struct zero_line values;
    struct cap_line line;
    enum pl_err rc = cap_begin(&cap_zero_spec, argc, argv, &values, &line, err);
    if (rc == PL_OK && !line.done) {
        const struct pl_workload_options options = {.size = values.size, .seed = 1, .threads = 1};
        const char *arguments[] = {pl_arena_printf(line.arena, "--size=%lluB", (unsigned long long)values.size),
                                   "--fill=zeros", "--trim=none", NULL};
        struct team *team;
        pl_os_catch_interrupts();
        rc = team_create(&options, values.processes > 1000 ? 1000 : (unsigned)values.processes, false, arguments, &team,
                         err);
        if (rc == PL_OK) {
            rc = stress(&values, team, line.arena, err);
            team_destroy(team);
        }
    }
    cap_end(&line);
    return rc;
}
