/* cmd/cmd_advise_knobs.c: what to set on Windows, zram and zswap, and what the model says that it does.
 *
 * Assumes the times of a page that the machine files of these systems have. What is not predicted: other programs on
 * the machine, and file pages that compete with anonymous ones. */
#include "cmd/cmd_advise.h"

#include <math.h>
#include <stdio.h>

struct knobs {
    struct pl_document_table *table;
    struct pl_arena *arena;
    const struct pl_advice *advice;
};

static void put_knob(const struct knobs *knobs, const char *system, const char *knob, const char *setting,
                     const char *effect)
{
    const struct pl_value cells[] = {pl_value_text(system), pl_value_text(knob), pl_value_text(setting),
                                     pl_value_text(effect)};
    pl_document_row(knobs->table, cells);
}

/* "15.6 s gained (model), 14.8 s gained (replay)" of a system whose pages take cd_s through the store. */
static const char *effects(const struct knobs *knobs, const struct pl_arrangement *replayed, double cd_s)
{
    char effect[80], replay[120] = "";
    const double effect_s = pl_advice_with_cd(knobs->advice, cd_s);
    if (replayed->ran && !isnan(replayed->gain_s))
        snprintf(replay, sizeof replay, ", %s (replay)", advise_show_effect(effect, sizeof effect, replayed->gain_s));
    if (isnan(effect_s))
        return pl_arena_printf(knobs->arena, "outside the data%s", replay);
    return pl_arena_printf(knobs->arena, "%s (model)%s", advise_show_effect(effect, sizeof effect, effect_s), replay);
}

/* Would the system gain? Its replay says so where there is one, else the model with its codec. */
static bool pays(const struct pl_advice *advice, const struct pl_arrangement *replayed, double cd_s)
{
    if (replayed->ran && !isnan(replayed->gain_s))
        return replayed->gain_s < 0;
    return pl_advice_with_cd(advice, cd_s) < 0;
}

/* Time for a page through the store, as the machine files of these systems have it. */
static const double LZ4_S = (3e-6 + 1.2e-6) / 2 + 1e-6, ZSTD_S = (12e-6 + 5e-6) / 2 + 1e-6,
                    XPRESS_S = (12.305e-6 + 8.148e-6) / 2 + 0.664e-6;

static void put_windows(const struct knobs *knobs)
{
    const struct pl_arrangement *replayed = &knobs->advice->arrangement[PL_ARRANGE_WINDOWS];
    const bool on = pays(knobs->advice, replayed, XPRESS_S);
    put_knob(knobs, "Windows", on ? "Enable-MMAgent -MemoryCompression" : "Disable-MMAgent -MemoryCompression",
             on ? "on" : "off", effects(knobs, replayed, XPRESS_S));
}

static const char *bytes_text(const struct knobs *knobs, double mb)
{
    char text[40];
    return pl_arena_strdup(knobs->arena, pl_format_bytes(text, sizeof text, mb * (double)PL_MIB));
}

/* Nothing lies behind a zram: it must hold all that does not fit, or the workload dies. */
static void put_zram(const struct knobs *knobs)
{
    const struct pl_advice *advice = knobs->advice;
    const struct pl_arrangement *replayed = &advice->arrangement[PL_ARRANGE_ZRAM];
    const double needed = pl_advice_zram_mb(advice), best = advice->optimum.d_mb;
    const double size = isnan(needed) ? best : fmax(best, needed);
    const char *effect = effects(knobs, replayed, LZ4_S);
    if (size > advice->params.most_d_mb || (advice->replayed && !replayed->ran)) {
        put_knob(knobs, "zram", "disksize", "not alone",
                 pl_arena_printf(knobs->arena,
                                 "to hold all that does not fit it would need %s of memory; put swap behind it",
                                 bytes_text(knobs, needed)));
        return;
    }
    if (!pays(advice, replayed, LZ4_S)) {
        put_knob(knobs, "zram", "disksize", "leave it off", effect);
        return;
    }
    put_knob(knobs, "zram", "disksize (uncompressed)", bytes_text(knobs, size * advice->params.r),
             isnan(needed) ? "what the best size holds at this ratio; more is needed if no swap lies behind it"
                           : "all that does not fit into memory, and no less than the best size holds");
    put_knob(knobs, "zram", "mem_limit (compressed)", bytes_text(knobs, size), "the same at this ratio");
    put_knob(knobs, "zram", "comp_algorithm", "lz4", effect);
    put_knob(knobs, "zram", "comp_algorithm", "zstd",
             pl_arena_printf(knobs->arena, "%s at the same ratio; zstd's is higher",
                             effects(knobs, &(struct pl_arrangement){.ran = false}, ZSTD_S)));
    put_knob(knobs, "zram", "vm.page-cluster", "0",
             pl_arena_printf(knobs->arena, "at 3, a fault decompresses up to 7 pages more: up to %.3g us", 7 * 1.2));
}

static void put_zswap(const struct knobs *knobs)
{
    const struct pl_advice *advice = knobs->advice;
    const struct pl_arrangement *replayed = &advice->arrangement[PL_ARRANGE_ZSWAP];
    if (!pays(advice, replayed, ZSTD_S)) {
        put_knob(knobs, "zswap", "enabled", "N", effects(knobs, replayed, ZSTD_S));
        return;
    }
    /* The kernel's own default where the model has no size to offer. */
    const double percent = fmin(fmax(ceil(100 * advice->optimum.d_mb / advice->params.m_mb), 1), 100);
    const double settled = advice->optimum.d_mb > 0 ? percent : 20;
    const double share = advice->params.ch_s / (advice->params.ch_s + advice->params.cd_s);
    put_knob(knobs, "zswap", "max_pool_percent", pl_arena_printf(knobs->arena, "%.0f", settled),
             effects(knobs, replayed, ZSTD_S));
    put_knob(knobs, "zswap", "accept_threshold_percent", "90 (its default)",
             pl_arena_printf(knobs->arena, "a full pool takes pages again after %s are free",
                             bytes_text(knobs, settled / 1000 * advice->params.m_mb)));
    put_knob(knobs, "zswap", "vm.swappiness", pl_arena_printf(knobs->arena, "%.0f", 200 * share),
             "anonymous pages from the store against file pages from this disk, by their cost");
}

void advise_put_knobs(struct pl_document *document, const struct pl_advice *advice, struct pl_arena *arena)
{
    static const struct pl_column columns[] = {{"system", "system", "", PL_VALUE_TEXT, 0},
                                               {"knob", "knob", "", PL_VALUE_TEXT, 0},
                                               {"setting", "setting", "", PL_VALUE_TEXT, 0},
                                               {"effect", "predicted effect", "", PL_VALUE_TEXT, 0}};
    const struct knobs knobs = {pl_document_table(document, "knobs", "Knobs", columns, PL_COUNT_OF(columns)), arena,
                                advice};
    put_windows(&knobs);
    put_zram(&knobs);
    put_zswap(&knobs);
}
