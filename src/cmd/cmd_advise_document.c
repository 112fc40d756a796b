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

/* "366 ms gained", "1.2 s lost". */
static char *show_effect(char *out, size_t size, double effect_s)
{
    char time[40];
    snprintf(out, size, "%s %s", pl_format_time(time, sizeof time, fabs(effect_s)), effect_s < 0 ? "gained" : "lost");
    return out;
}

/* --- the answer --------------------------------------------------------------------------------------- */

static const char *answer_of(const struct pl_advice *advice, struct pl_arena *arena)
{
    char size[40], effect[80], disk[40];
    pl_format_bytes(size, sizeof size, advice->optimum.d_mb * (double)PL_MIB);
    show_effect(effect, sizeof effect, advice->optimum.cost.total_s);
    pl_format_time(disk, sizeof disk, advice->optimum.cost.disk_without_s);
    if (advice->verdict == PL_PAYS)
        return pl_arena_printf(
            arena, "Yes: a compressed store of %s helps this workload: %s of %s that the disk takes without it.", size,
            effect, disk);
    if (advice->verdict == PL_MAY_PAY)
        return pl_arena_printf(
            arena,
            "Perhaps: with a compressed store of %s it would be %s of %s that the disk takes without it, "
            "but the bounds reach beyond zero.",
            size, effect, disk);
    if (!(advice->optimum.cost.disk_without_s > 0))
        return pl_arena_printf(arena, "No: everything fits in memory; the disk is not used.");
    return pl_arena_printf(
        arena,
        "No: on this machine a compressed store only costs time; at the best size (%s) %s, and the disk "
        "takes %s without it.",
        size, effect, disk);
}

static void say_answer(struct pl_document *document, const struct pl_advice *advice, struct pl_arena *arena)
{
    pl_document_result(document, "answer", "answer", "", pl_value_text(answer_of(advice, arena)));
    pl_document_result(document, "verdict", "verdict", "", pl_value_text(pl_verdict_names[advice->verdict]));
}

static void put_numbers(struct pl_document *document, const struct pl_advice *advice)
{
    const struct pl_optimum *optimum = &advice->optimum;
    put_real(document, "effect_s", "effect at the best size (- gained)", "s", optimum->cost.total_s);
    put_real(document, "effect_low_s", "between", "s", advice->low_s);
    put_real(document, "effect_high_s", "and", "s", advice->high_s);
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

static void say_break_even(struct pl_document *document, const struct pl_break_even *even, const char *what, double now,
                           bool below, bool time)
{
    char limit[40], present[40];
    if (!even->found)
        return;
    if (time) {
        pl_format_time(limit, sizeof limit, even->value);
        pl_format_time(present, sizeof present, now);
    } else {
        snprintf(limit, sizeof limit, "%.3g", even->value);
        snprintf(present, sizeof present, "%.3g", now);
    }
    pl_document_note(document, "It would change with %s %s %s (here %s): a store pays %s it.", what,
                     (below ? now < even->value : now > even->value) ? "on the other side of" : "beyond", limit,
                     present, below ? "below" : "above");
}

static void say_changes(struct pl_document *document, const struct pl_advice *advice)
{
    say_break_even(document, &advice->even.cd, "a codec time", advice->params.cd_s, true, true);
    say_break_even(document, &advice->even.ch, "a disk time", advice->params.ch_s, false, true);
    say_break_even(document, &advice->even.r, "a ratio", advice->params.r, false, false);
    if (!advice->even.cd.found && !advice->even.ch.found)
        pl_document_note(document,
                         "No codec time and no disk time in the range looked at changes the sign of the answer.");
    if (advice->optimum.at_edge)
        pl_document_note(
            document,
            "The best size is the largest that the data can tell about (%.4g MB); a larger one may be better.",
            advice->optimum.reach_d_mb);
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
        {"elapsed_s", "elapsed", "s", PL_VALUE_REAL, -1},
        {"against_disk_percent", "against disk only", "%", PL_VALUE_REAL, 1},
        {"fault_p50_s", "half of the faults", "s", PL_VALUE_REAL, -1},
        {"fault_p99_s", "99 %", "s", PL_VALUE_REAL, -1},
        {"fault_p999_s", "99.9 %", "s", PL_VALUE_REAL, -1},
        {"faults_hard", "hard", "", PL_VALUE_COUNT, 0},
        {"faults_store", "from store", "", PL_VALUE_COUNT, 0},
        {"written_mb_per_day", "written a day", "MB", PL_VALUE_REAL, -1},
        {"store_peak_mb", "store", "MB", PL_VALUE_REAL, -1},
        {"note", "", "", PL_VALUE_TEXT, 0},
    };
    if (!advice->of_trace)
        return;
    const struct pl_arrangement *disk = &advice->arrangement[PL_ARRANGE_DISK_ONLY];
    struct pl_document_table *table =
        pl_document_table(document, "side_by_side", "Side by side, by replays of the trace on this machine", columns,
                          PL_COUNT_OF(columns));
    for (int i = 0; i < PL_ARRANGEMENTS; i++) {
        const struct pl_arrangement *a = &advice->arrangement[i];
        const double against = a->ran && disk->ran ? 100 * (a->elapsed_s / disk->elapsed_s - 1) : NAN;
        struct pl_value cells[PL_COUNT_OF(columns)] = {pl_value_text(a->name)};
        for (size_t c = 1; c < PL_COUNT_OF(columns); c++)
            cells[c] = pl_value_real(NAN);
        cells[PL_COUNT_OF(columns) - 1] = pl_value_text(a->ran ? a->about : a->error);
        if (a->ran) {
            const struct pl_value numbers[] = {pl_value_real(a->elapsed_s),
                                               pl_value_real(against),
                                               pl_value_real(a->p50_s),
                                               pl_value_real(a->p99_s),
                                               pl_value_real(a->p999_s),
                                               pl_value_count((uint64_t)a->hard_faults),
                                               pl_value_count((uint64_t)a->store_faults),
                                               pl_value_real(a->written_bytes_a_day / (double)PL_MIB),
                                               pl_value_real(a->store_peak_bytes / (double)PL_MIB)};
            memcpy(cells + 1, numbers, sizeof numbers);
        }
        pl_document_row(table, cells);
    }
    pl_document_csv_table(document, table);
}

/* --- knobs ---------------------------------------------------------------------------------------------------- */

struct knobs {
    struct pl_document_table *table;
    struct pl_arena *arena;
};

static void put_knob(const struct knobs *knobs, const char *system, const char *knob, const char *setting,
                     const char *effect)
{
    const struct pl_value cells[] = {pl_value_text(system), pl_value_text(knob), pl_value_text(setting),
                                     pl_value_text(effect)};
    pl_document_row(knobs->table, cells);
}

static const char *effect_with(const struct knobs *knobs, const struct pl_advice *advice, double cd_s)
{
    char effect[80];
    const double effect_s = pl_advice_with_cd(advice, cd_s);
    return isnan(effect_s) ? "outside the data"
                           : pl_arena_strdup(knobs->arena, show_effect(effect, sizeof effect, effect_s));
}

/* Time for a page through the store, as the machine files of these systems have it. */
#define LZ4_S ((3e-6 + 1.2e-6) / 2 + 1e-6)
#define ZSTD_S ((12e-6 + 5e-6) / 2 + 1e-6)
#define XPRESS_S ((12.305e-6 + 8.148e-6) / 2 + 0.664e-6)

static void put_zram(const struct knobs *knobs, const struct pl_advice *advice, bool wanted)
{
    char size[40], wide[40];
    const double best = advice->optimum.d_mb * (double)PL_MIB;
    pl_format_bytes(size, sizeof size, best);
    pl_format_bytes(wide, sizeof wide, best * advice->params.r);
    if (!wanted) {
        put_knob(knobs, "zram", "disksize", "leave it off", "a store does not pay here");
        return;
    }
    put_knob(knobs, "zram", "disksize (uncompressed)", pl_arena_strdup(knobs->arena, wide),
             "what the best size holds at this ratio");
    put_knob(knobs, "zram", "mem_limit (compressed)", pl_arena_strdup(knobs->arena, size),
             pl_arena_printf(knobs->arena, "with this machine's codec: %s",
                             effect_with(knobs, advice, advice->params.cd_s)));
    put_knob(knobs, "zram", "comp_algorithm = lz4", "sizes chosen anew", effect_with(knobs, advice, LZ4_S));
    put_knob(knobs, "zram", "comp_algorithm = zstd", "sizes anew, same ratio; zstd's is higher",
             effect_with(knobs, advice, ZSTD_S));
    put_knob(knobs, "zram", "vm.page-cluster", "0",
             pl_arena_printf(knobs->arena, "at 3, a fault decompresses up to 7 pages more: up to %.3g us", 7 * 1.2));
}

static void put_zswap(const struct knobs *knobs, const struct pl_advice *advice, bool wanted)
{
    if (!wanted) {
        put_knob(knobs, "zswap", "enabled", "N", "a store does not pay here");
        return;
    }
    const double percent = fmin(fmax(ceil(100 * advice->optimum.d_mb / advice->params.m_mb), 1), 100);
    const double share = advice->params.ch_s / (advice->params.ch_s + advice->params.cd_s);
    put_knob(knobs, "zswap", "max_pool_percent", pl_arena_printf(knobs->arena, "%.0f", percent),
             effect_with(knobs, advice, ZSTD_S));
    put_knob(knobs, "zswap", "accept_threshold_percent", "90 (its default)",
             pl_arena_printf(knobs->arena, "a full pool takes pages again after %.3g MB are free",
                             advice->optimum.d_mb / 10));
    put_knob(knobs, "zswap", "vm.swappiness", pl_arena_printf(knobs->arena, "%.0f", 200 * share),
             "anonymous pages from the store against file pages from this disk, by their cost");
}

static void put_knobs(struct pl_document *document, const struct pl_advice *advice, struct pl_arena *arena)
{
    static const struct pl_column columns[] = {{"system", "system", "", PL_VALUE_TEXT, 0},
                                               {"knob", "knob", "", PL_VALUE_TEXT, 0},
                                               {"setting", "setting", "", PL_VALUE_TEXT, 0},
                                               {"effect", "predicted effect", "", PL_VALUE_TEXT, 0}};
    const struct knobs knobs = {pl_document_table(document, "knobs", "Knobs", columns, PL_COUNT_OF(columns)), arena};
    const bool wanted = advice->verdict != PL_PAYS_NOT;
    const double windows_s = pl_advice_with_cd(advice, XPRESS_S);
    put_knob(&knobs, "Windows",
             windows_s < 0 ? "Enable-MMAgent -MemoryCompression" : "Disable-MMAgent -MemoryCompression",
             windows_s < 0 ? "on" : "off", effect_with(&knobs, advice, XPRESS_S));
    put_zram(&knobs, advice, wanted || pl_advice_with_cd(advice, LZ4_S) < 0);
    put_zswap(&knobs, advice, wanted || pl_advice_with_cd(advice, ZSTD_S) < 0);
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static void put_assumptions(struct pl_document *document, const struct pl_advice *advice,
                            const struct pl_advice_input *input, const struct advise_options *options)
{
    pl_document_parameter(document, "workload", "workload", "", pl_value_text(input->workload));
    pl_document_parameter(document, "machine", "machine", "", pl_value_text(*pl_parameters_title(input->parameters)
                                                                                ? pl_parameters_title(input->parameters)
                                                                                : options->machine));
    pl_document_parameter(document, "m_mb", "memory for programs (m)", "MB", pl_value_real(advice->params.m_mb));
    pl_document_parameter(document, "r", "ratio", "", pl_value_real(advice->params.r));
    pl_document_parameter(document, "cd_s", "a page through the store (cd)", "s", pl_value_real(advice->params.cd_s));
    pl_document_parameter(document, "ch_s", "a disk access (ch)", "s", pl_value_real(advice->params.ch_s));
    pl_document_parameter(document, "accounting", "accounting", "",
                          pl_value_text(pl_accounting_names[advice->params.accounting]));
}

struct pl_document *advise_document(const struct pl_advice *advice, const struct pl_advice_input *input,
                                    const struct advise_options *options, struct pl_arena *arena)
{
    struct pl_document *document = pl_document_create(arena, "advice", "Advice");
    if (!document)
        return NULL;
    int argc;
    char **argv;
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    put_assumptions(document, advice, input, options);
    say_answer(document, advice, arena);
    put_numbers(document, advice);
    put_side_by_side(document, advice);
    put_knobs(document, advice, arena);
    put_changes(document, advice);
    say_changes(document, advice);
    if (!options->r_given)
        pl_document_note(
            document,
            "The ratio is the machine file's, not this workload's: pagelab compress measures one; --r takes it.");
    if (advice->of_trace)
        pl_document_note(
            document,
            "Replays take one ratio for all pages, and no equal or filled ones: a store with both does better.");
    return document;
}
