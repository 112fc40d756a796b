/* cmd/cmd_advise_document.c: advice in words and numbers: the answer first, then what it rests on, what else there is,
 * and the knobs. */
#include "cmd/cmd_advise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_real(struct pl_document *document, const char *key, const char *label, const char *unit, double value)
{
    pl_document_result(document, key, label, unit, pl_value_real(value));
}

char *advise_show_effect(char *out, size_t size, double effect_s)
{
    char time[40];
    if (effect_s == 0)
        return strcpy(out, "nothing gained or lost");
    snprintf(out, size, "%s %s", pl_format_time(time, sizeof time, fabs(effect_s)), effect_s < 0 ? "gained" : "lost");
    return out;
}

/* --- the answer --------------------------------------------------------------------------------------- */

static const char *size_of(const struct pl_advice *advice, struct pl_arena *arena)
{
    char size[40];
    return pl_arena_strdup(arena, pl_format_bytes(size, sizeof size, advice->optimum.d_mb * (double)PL_MIB));
}

static const char *effect_of(double effect_s, struct pl_arena *arena)
{
    char effect[80];
    return pl_arena_strdup(arena, advise_show_effect(effect, sizeof effect, effect_s));
}

static const char *not_needed(const struct pl_advice *advice, struct pl_arena *arena)
{
    char all[40], memory[40];
    pl_format_bytes(all, sizeof all, advice->footprint_mb * (double)PL_MIB);
    pl_format_bytes(memory, sizeof memory, advice->params.m_mb * (double)PL_MIB);
    return pl_arena_printf(
        arena,
        "No store is needed: what the workload uses (%s) fits into the %s that programs have, and no "
        "page has to leave.",
        all, memory);
}

/* What the replay adds to the model's word, or "". */
static const char *replay_says(const struct pl_advice *advice, struct pl_arena *arena)
{
    const struct pl_arrangement *best = &advice->arrangement[PL_ARRANGE_BEST];
    if (!advice->replayed || !best->wanted)
        return "";
    if (isnan(advice->replay_s))
        return pl_arena_printf(arena, " A replay of the trace cannot confirm it: %s.",
                               best->ran ? "without a store it does not run" : best->error);
    return pl_arena_printf(arena, " A replay of the trace on this machine says the same: %s.",
                           effect_of(advice->replay_s, arena));
}

static const char *differing(const struct pl_advice *advice, struct pl_arena *arena)
{
    return pl_arena_printf(
        arena,
        "%s: a replay of the trace on this machine, with a compressed store of %s, says %s, although "
        "the cost model says %s. Trust the replay: it has what the model leaves out (requests that "
        "wait or go together, page lists, work of the store beside the program's).",
        advice->replay_s < 0 ? "Perhaps" : "No", size_of(advice, arena), effect_of(advice->replay_s, arena),
        effect_of(advice->optimum.cost.total_s, arena));
}

static const char *answer_of(const struct pl_advice *advice, struct pl_arena *arena)
{
    char disk[40];
    const char *effect = effect_of(advice->optimum.cost.total_s, arena), *size = size_of(advice, arena);
    pl_format_time(disk, sizeof disk, advice->optimum.cost.disk_without_s);
    if (advice->verdict == PL_NOT_NEEDED)
        return not_needed(advice, arena);
    if (advice->differ)
        return differing(advice, arena);
    if (advice->verdict == PL_PAYS)
        return pl_arena_printf(
            arena, "Yes: a compressed store of %s helps this workload: %s of %s that the disk takes without it.%s",
            size, effect, disk, replay_says(advice, arena));
    if (advice->verdict == PL_MAY_PAY)
        return pl_arena_printf(
            arena,
            "Perhaps: with a compressed store of %s it would be %s of %s that the disk takes without "
            "it%s%s",
            size, effect, disk, advice->low_s < 0 && advice->high_s < 0 ? "." : ", but the bounds reach beyond zero.",
            replay_says(advice, arena));
    if (!(advice->optimum.d_mb > 0))
        return pl_arena_printf(
            arena,
            "No: a compressed store of any size costs more time on this machine than the disk that it saves (%s).",
            disk);
    return pl_arena_printf(
        arena,
        "No: on this machine a compressed store only costs time; at the best size (%s) %s, and the disk "
        "takes %s without it.%s",
        size, effect, disk, replay_says(advice, arena));
}

static void say_answer(struct pl_document *document, const struct pl_advice *advice, struct pl_arena *arena)
{
    pl_document_result(document, "answer", "answer", "", pl_value_text(answer_of(advice, arena)));
    pl_document_result(document, "verdict", "verdict", "", pl_value_text(pl_verdict_names[advice->verdict]));
}

static const char *fastest(const struct pl_advice *advice)
{
    const struct pl_arrangement *least = NULL;
    for (int i = 0; i < PL_ARRANGEMENTS; i++)
        if (advice->arrangement[i].ran && (!least || advice->arrangement[i].elapsed_s < least->elapsed_s))
            least = &advice->arrangement[i];
    return least ? least->name : "none ran";
}

static void put_numbers(struct pl_document *document, const struct pl_advice *advice)
{
    const struct pl_optimum *optimum = &advice->optimum;
    if (!isnan(advice->footprint_mb))
        put_real(document, "footprint_mb", "what the workload uses", "MB", advice->footprint_mb);
    if (advice->fits)
        return;
    put_real(document, "effect_s", "effect at the best size, by the model (- gained)", "s", optimum->cost.total_s);
    put_real(document, "effect_low_s", "between", "s", advice->low_s);
    put_real(document, "effect_high_s", "and", "s", advice->high_s);
    if (advice->replayed)
        put_real(document, "replay_effect_s", "and by replays", "s", advice->replay_s);
    if (advice->replayed)
        pl_document_result(document, "fastest", "fastest arrangement", "", pl_value_text(fastest(advice)));
    put_real(document, "disk_without_s", "disk time without a store", "s", optimum->cost.disk_without_s);
    put_real(document, "best_d_mb", "best size of the store", "MB", optimum->d_mb);
    put_real(document, "flat_from_mb", "as good within the flat range from", "MB", optimum->flat_from_mb);
    put_real(document, "flat_to_mb", "to", "MB", optimum->flat_to_mb);
    put_real(document, "break_even_cd_s", "pays below a codec time of", "s",
             advice->even.cd.found ? advice->even.cd.value : NAN);
    put_real(document, "break_even_ch_s", "pays above a disk time of", "s",
             advice->even.ch.found ? advice->even.ch.value : NAN);
    put_real(document, "break_even_r", "pays above a ratio of", "", advice->even.r.found ? advice->even.r.value : NAN);
    if (advice->table_error > 0)
        put_real(document, "table_error", "counts between the table's rows are off by about", "", advice->table_error);
}

/* --- what would change it -------------------------------------------------------------------------------- */

/* What would turn the answer around: "A codec time above 858 us (here 8.5 us) would cost more than it saves". */
static void say_break_even(struct pl_document *document, const struct pl_break_even *even, const char *what, double now,
                           bool pays_below, bool time)
{
    char limit[40], present[40];
    if (!even->found)
        return;
    if (time) {
        pl_format_time(limit, sizeof limit, even->value);
        pl_format_time(present, sizeof present, now);
    } else {
        snprintf(limit, sizeof limit, "%.4g", even->value);
        snprintf(present, sizeof present, "%.4g", now);
    }
    const bool pays = pays_below ? now < even->value : now > even->value;
    pl_document_note(document, "By the model, a store %s with %s %s %s (here %s), its size chosen anew.",
                     pays ? "would no longer pay" : "would pay", what, pays == pays_below ? "above" : "below", limit,
                     present);
}

static void say_edge(struct pl_document *document, const struct pl_advice *advice)
{
    if (advice->capped)
        pl_document_note(
            document,
            "The best size is the largest that was allowed, %.4g of programs' memory (--most); without that "
            "limit the model would take more.",
            advice->params.most_d_mb / advice->params.m_mb);
    else if (advice->optimum.at_edge)
        pl_document_note(
            document,
            "The best size is the largest that the data can tell about (%.4g MB); a larger one may be better.",
            advice->optimum.reach_d_mb);
}

/* Gains of the same sign that are far apart are worth a word too. */
static void say_how_far_apart(struct pl_document *document, const struct pl_advice *advice)
{
    const double times = advice->replay_s / advice->optimum.cost.total_s;
    if (advice->differ || !(times > 0) || (times > 0.5 && times < 2))
        return;
    pl_document_note(
        document,
        "The replay's effect is %.2g times the model's. The model lets a program wait for each disk access "
        "by itself; on the replayed machine requests go in clusters, in order of place and while the program "
        "runs. For times trust the replay, for the shape over sizes the model.",
        times);
}

static void say_changes(struct pl_document *document, const struct pl_advice *advice)
{
    say_break_even(document, &advice->even.cd, "a codec time", advice->params.cd_s, true, true);
    say_break_even(document, &advice->even.ch, "a disk time", advice->params.ch_s, false, true);
    say_break_even(document, &advice->even.r, "a ratio", advice->params.r, false, false);
    if (!advice->even.cd.found && !advice->even.ch.found)
        pl_document_note(
            document, "No codec time and no disk time in the range looked at changes the sign of the model's answer.");
    say_edge(document, advice);
    say_how_far_apart(document, advice);
}

static void put_changes(struct pl_document *document, const struct pl_advice *advice)
{
    static const struct pl_column columns[] = {
        {"parameter", "parameter", "", PL_VALUE_TEXT, 0},
        {"change_percent", "change", "%", PL_VALUE_REAL, 0},
        {"value", "is then", "", PL_VALUE_REAL, -1},
        {"effect_s", "effect at this size", "s", PL_VALUE_REAL, -1},
        {"best_d_mb", "best size then", "MB", PL_VALUE_REAL, -1},
        {"best_effect_s", "effect there", "s", PL_VALUE_REAL, -1},
    };
    struct pl_document_table *table =
        pl_document_table(document, "changes", "What other ratios and costs would do", columns, PL_COUNT_OF(columns));
    for (int i = 0; i < PL_SENSITIVITY_ROWS; i++) {
        const struct pl_sensitivity *row = &advice->sensitivity[i];
        if (!row->possible)
            continue;
        const struct pl_value cells[] = {pl_value_text(pl_cost_parameter_names[row->parameter]),
                                         pl_value_real(100 * row->change),
                                         pl_value_real(row->value),
                                         pl_value_real(row->total_s),
                                         pl_value_real(row->best_d_mb),
                                         pl_value_real(row->best_total_s)};
        pl_document_row(table, cells);
    }
}

/* --- side by side --------------------------------------------------------------------------------------------- */

static void put_side_by_side(struct pl_document *document, const struct pl_advice *advice)
{
    static const struct pl_column columns[] = {
        {"arrangement", "arrangement", "", PL_VALUE_TEXT, 0},
        {"elapsed_s", "elapsed", "s", PL_VALUE_REAL, 5},
        {"against_disk_percent", "against its disk", "%", PL_VALUE_REAL, 1},
        {"fault_p50_us", "half of the faults", "us", PL_VALUE_REAL, 1},
        {"fault_p99_us", "99 %", "us", PL_VALUE_REAL, 1},
        {"fault_p999_us", "99.9 %", "us", PL_VALUE_REAL, 1},
        {"faults_hard", "hard", "", PL_VALUE_COUNT, 0},
        {"faults_store", "from store", "", PL_VALUE_COUNT, 0},
        {"written_mb_per_day", "written a day", "MB", PL_VALUE_REAL, 1},
        {"store_peak_mb", "store", "MB", PL_VALUE_REAL, 3},
        {"error", "error", "", PL_VALUE_TEXT, 0},
    };
    if (!advice->replayed)
        return;
    struct pl_document_table *table =
        pl_document_table(document, "side_by_side", "Side by side, by replays of the trace on this machine", columns,
                          PL_COUNT_OF(columns));
    for (int i = 0; i < PL_ARRANGEMENTS; i++) {
        const struct pl_arrangement *a = &advice->arrangement[i];
        struct pl_value cells[PL_COUNT_OF(columns)] = {pl_value_text(a->name)};
        for (size_t c = 1; c < PL_COUNT_OF(columns); c++)
            cells[c] = pl_value_real(NAN);
        cells[PL_COUNT_OF(columns) - 1] = pl_value_text(a->ran ? NULL : a->error);
        if (a->ran) {
            const struct pl_value numbers[] = {pl_value_real(a->elapsed_s),
                                               pl_value_real(100 * a->gain_s / (a->elapsed_s - a->gain_s)),
                                               pl_value_real(a->p50_s * 1e6),
                                               pl_value_real(a->p99_s * 1e6),
                                               pl_value_real(a->p999_s * 1e6),
                                               pl_value_count((uint64_t)a->hard_faults),
                                               pl_value_count((uint64_t)a->store_faults),
                                               pl_value_real(a->written_bytes_a_day / (double)PL_MIB),
                                               pl_value_real(a->store_peak_bytes / (double)PL_MIB)};
            memcpy(cells + 1, numbers, sizeof numbers);
        }
        if (a->wanted)
            pl_document_row(table, cells);
    }
    pl_document_csv_table(document, table);
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static void put_assumptions(struct pl_document *document, const struct pl_advice *advice,
                            const struct pl_advice_input *input, const struct advise_options *options)
{
    pl_document_parameter(document, "workload", "workload", "", pl_value_text(input->workload));
    pl_document_parameter(document, "machine", "machine", "",
                          pl_value_text(*pl_parameters_title(input->parameters) ? pl_parameters_title(input->parameters)
                                                                                : options->machine));
    pl_document_parameter(document, "m_mb", "memory for programs (m)", "MB", pl_value_real(advice->params.m_mb));
    pl_document_parameter(document, "r", "ratio", "", pl_value_real(advice->params.r));
    pl_document_parameter(document, "cd_s", "a page through the store (cd)", "s", pl_value_real(advice->params.cd_s));
    pl_document_parameter(document, "ch_s", "a disk access (ch)", "s", pl_value_real(advice->params.ch_s));
    pl_document_parameter(document, "accounting", "accounting", "",
                          pl_value_text(pl_accounting_names[advice->params.accounting]));
}

static const char *title_of(const struct pl_advice *advice, const char *workload, struct pl_arena *arena)
{
    const char *last = strrchr(workload, '/');
    const char *title = pl_arena_printf(arena, "A compressed store for %s: %s", last ? last + 1 : workload,
                                        pl_verdict_names[advice->verdict]);
    return title ? title : "Advice";
}

struct pl_document *advise_document(const struct pl_advice *advice, const struct pl_advice_input *input,
                                    const struct advise_options *options, struct pl_arena *arena)
{
    struct pl_document *document = pl_document_create(arena, "advice", title_of(advice, input->workload, arena));
    if (!document)
        return NULL;
    int argc;
    char **argv;
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    put_assumptions(document, advice, input, options);
    say_answer(document, advice, arena);
    put_numbers(document, advice);
    if (!advice->fits) {
        put_side_by_side(document, advice);
        advise_put_knobs(document, advice, arena);
        put_changes(document, advice);
        say_changes(document, advice);
    }
    if (!options->r_given && !advice->fits)
        pl_document_note(
            document,
            "The ratio is the machine file's, not this workload's: pagelab compress measures one; --r takes it.");
    if (advice->replayed) {
        pl_document_note(
            document,
            "Replays take one ratio for all pages, and no equal or filled ones: a store with both does better.");
        const char *names = "";
        for (int i = 0; i < PL_ARRANGEMENTS && names; i++)
            if (advice->arrangement[i].wanted)
                names = pl_arena_printf(arena, "%s%s%s: %s", names, *names ? "; " : "", advice->arrangement[i].name,
                                        advice->arrangement[i].about);
        pl_document_note(document, "%s.", names ? names : "");
        pl_document_note(document, "'Against its disk': zswap is held against the SSD that it stands on, the others "
                                   "against the machine's disk, each without a store.");
    }
    if (advice->replayed && !input->machine->file_pages)
        pl_document_note(document,
                         "The machine has no page file. Model and 'disk only' stand for one on its disk (%s).",
                         pl_device_kind_name(&input->machine->disk));
    return document;
}
