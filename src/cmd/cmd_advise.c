/* cmd/cmd_advise.c: `pagelab advise TRACE|TABLE --machine M`: options and machine; cmd_advise_document.c has the words.
 */
#include "cmd/cmd_advise.h"

#include "model/axis.h"

#include <math.h>
#include <string.h>

static const struct pl_option options_of_machine[] = {
    {"machine", 'm', PL_OPT_TEXT, offsetof(struct advise_options, machine), "FILE", NULL,
     "The machine: a JSON file, or the name of one that comes with the program.", NULL, 0},
    {"set", 's', PL_OPT_LIST, offsetof(struct advise_options, set), "PATH=VALUE", NULL,
     "Change a parameter of the machine (memory.total=2GiB).", NULL, 0},
    {"memory", 0, PL_OPT_TEXT, offsetof(struct advise_options, memory), "SIZE", NULL,
     "Another size of memory. What the machine file says of sizes (kernel, watermarks, store, page file) goes with it; "
     "--set comes after.",
     NULL, 0},
    {"most", 0, PL_OPT_REAL, offsetof(struct advise_options, most), "SHARE", "0.5",
     "The largest share of programs' memory that a store may take.", NULL, 0},
    {"r", 0, PL_OPT_REAL, offsetof(struct advise_options, r), "RATIO", NULL,
     "Compression ratio of the workload's pages; without it the machine's store.ratio. pagelab compress measures it.",
     NULL, offsetof(struct advise_options, r_given)},
    {"cd", 0, PL_OPT_TEXT, offsetof(struct advise_options, cd), "TIME", NULL,
     "Time for a page through the store; without it from the machine's costs.", NULL, 0},
    {"ch", 0, PL_OPT_TEXT, offsetof(struct advise_options, ch), "TIME", NULL,
     "Time of a disk access; without it what the machine's disk takes.", NULL, 0},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"The machine", options_of_machine, 0},
    {"Output", cmd_undrawn_options, offsetof(struct advise_options, common)},
    {NULL, NULL, 0},
};

static const struct pl_example examples[] = {
    {"pagelab advise models/winstone96.csv --machine rc96", "the question of 1996"},
    {"pagelab advise traces/example.trace --machine rc96 --memory 96p --set store.max_bytes=8p",
     "a trace: also side by side"},
    {"pagelab advise traces/example.trace --machine zram-lz4 --memory 96p", "a machine scaled down to a small trace"},
    {"pagelab advise models/winstone96.csv --machine rc96 --cd 30us --r 2.2 --json -", "a codec of today, as JSON"},
    {NULL, NULL},
};

const struct pl_command_spec cmd_advise_spec = {
    .name = "advise",
    .operands = "TRACE|TABLE",
    .summary = "does a compressed tier pay, how large, what else could be done, and the knobs to set",
    .details =
        "A fault table (a name that ends in .csv) is asked by the cost model; a trace is measured first, and then also "
        "replayed on the machine as it would be without swap, with zram, with zswap over an SSD, with the store of "
        "Windows, with the store that the model finds best, and with a disk only: time, latency of faults and bytes "
        "written. Where model and replay disagree about gain or loss, the answer is the replay's, and both are "
        "told.\n\n"
        "Bounds: ratio and costs off by a tenth each, and for a table what its rows leave open. A machine that lies "
        "outside the data gets no advice.\n\n"
        "Results (JSON): verdict, effect_s with effect_low_s and effect_high_s, replay_effect_s, best_d_mb, "
        "flat_from_mb, "
        "flat_to_mb, footprint_mb, "
        "break_even_cd_s, break_even_ch_s, break_even_r; tables side_by_side, knobs, changes.",
    .groups = groups,
    .examples = examples,
};

static enum pl_err read_machine(const struct advise_options *options, struct pl_arena *arena,
                                struct pl_parameters **parameters, struct pl_machine *machine, struct pl_error *err)
{
    if (!options->machine)
        return pl_fail(err, PL_ERR_USAGE,
                       "advise: --machine is needed (win10-1607-i7-4770k, zram-lz4, rc96, ... or a file)");
    enum pl_err rc = pl_machine_parameters(arena, parameters, err);
    if (rc == PL_OK)
        rc = pl_parameters_read(*parameters, pl_sweep_machine_path("", options->machine, arena), err);
    if (rc == PL_OK && options->memory)
        rc = pl_machine_scale_memory_to(*parameters, options->memory, err);
    for (size_t i = 0; rc == PL_OK && i < options->set.count; i++)
        rc = pl_parameters_override(*parameters, options->set.item[i], err);
    return rc == PL_OK ? pl_advice_machine(*parameters, machine, err) : rc;
}

static enum pl_err read_costs(const struct advise_options *options, struct pl_advice_input *input, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    if (!(options->most > 0 && options->most <= 1))
        return pl_fail(err, PL_ERR_USAGE, "--most %g: a share above 0 and at most 1", options->most);
    input->most_share = options->most;
    input->r = options->r_given ? options->r : NAN;
    input->cd_s = input->ch_s = NAN;
    if (options->cd)
        rc = pl_cost_parameter_parse(PL_PARAMETER_CD, options->cd, 4096, &input->cd_s, err);
    if (rc == PL_OK && options->ch)
        rc = pl_cost_parameter_parse(PL_PARAMETER_CH, options->ch, 4096, &input->ch_s, err);
    return rc;
}

static enum pl_err advise(const struct advise_options *options, const char *workload, struct pl_arena *arena,
                          struct pl_error *err)
{
    struct pl_machine machine;
    struct pl_advice_input input = {.workload = workload, .machine = &machine};
    struct pl_advice advice;
    enum pl_err rc = read_machine(options, arena, &input.parameters, &machine, err);
    if (rc == PL_OK)
        rc = read_costs(options, &input, err);
    if (rc)
        return rc;
    struct pl_progress line = cmd_progress_begin("advise", "bytes", options->common.quiet), replays = line;
    input.progress = &line;
    input.replays = &replays;
    rc = pl_advise(&input, arena, &advice, err);
    cmd_progress_end();
    if (rc)
        return rc;
    struct pl_document *document = advise_document(&advice, &input, options, arena);
    return document ? cmd_emit(document, &options->common, err) : pl_fail_memory(err, 0, "the result");
}

enum pl_err cmd_advise(int argc, char **argv, struct pl_error *err)
{
    struct advise_options options;
    struct pl_strings operands;
    bool done;
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "advice");
    enum pl_err rc = cmd_parse(&cmd_advise_spec, argc, argv, &options, &operands, arena, &done, err);
    if (rc == PL_OK && !done)
        rc = operands.count == 1
                 ? advise(&options, operands.item[0], arena, err)
                 : pl_fail(err, PL_ERR_USAGE, "advise takes one trace or table; see pagelab advise --help");
    pl_arena_destroy(arena);
    return rc;
}
