/* study/advice.h: would a compressed tier help this workload on this machine, how large should it be, what else is
 * there?
 *
 * The cost model answers on the workload's fault curve, with the costs that the machine file states. Where there is a
 * trace, the store that it finds best is also replayed, beside arrangements that people can choose from; where the two
 * disagree about gain or loss the replay decides, and both are told. Beyond the curve nothing is said. */
#ifndef PL_STUDY_ADVICE_H
#define PL_STUDY_ADVICE_H

#include "model/optimum.h"
#include "sim/machine.h"

enum pl_verdict { PL_PAYS, PL_MAY_PAY, PL_PAYS_NOT, PL_NOT_NEEDED };
extern const char *const pl_verdict_names[];

struct pl_advice_input {
    const char *workload; /* a trace, or a fault table (CSV) */
    struct pl_parameters *parameters; /* of the machine; finished */
    const struct pl_machine *machine;
    double r, cd_s, ch_s; /* NaN: from the machine */
    double most_share;    /* of programs' memory that a store may take, above 0 and at most 1 */
    const struct pl_progress *progress;
    const struct pl_progress *replays; /* counts arrangements; may be NULL */
};

/* What is set side by side. Each but the disks alone has a disk alone that it is to be held against. */
enum pl_arrangement_kind {
    PL_ARRANGE_NONE,
    PL_ARRANGE_ZRAM,
    PL_ARRANGE_ZSWAP,
    PL_ARRANGE_SSD,     /* what zswap stands on, without it: the gain of a faster disk is not that of a store */
    PL_ARRANGE_WINDOWS,
    PL_ARRANGE_BEST,    /* this machine with the store that the model finds best; only where it finds one */
    PL_ARRANGE_DISK,
    PL_ARRANGEMENTS
};
struct pl_arrangement {
    const char *name, *about;
    bool wanted, ran;
    char error[256]; /* when it was wanted and did not run */
    double elapsed_s, mean_s, p50_s, p99_s, p999_s, hard_faults, store_faults, written_bytes_a_day, store_peak_bytes;
    double gain_s; /* elapsed less that of the disk under it alone; NaN when one of them did not run */
};

struct pl_advice {
    struct pl_fault_table *table;
    struct pl_fault_curves curves;
    bool of_trace;
    struct pl_cost_params params; /* d: the best */
    struct pl_optimum optimum;
    struct pl_break_evens even;
    struct pl_sensitivity sensitivity[PL_SENSITIVITY_ROWS];
    double flat_s;
    double table_error; /* relative, of counts between the rows; 0 for the curve of a trace */
    double low_s, high_s; /* bounds of the effect: costs and ratio off by a tenth, counts by table_error */
    bool fits;   /* more memory would save nothing */
    bool capped; /* the best size is the largest that is allowed */
    double footprint_mb; /* from which memory on no page has to leave; NaN when a table does not say */
    double reserve_mb;   /* of programs' memory: what trimming keeps available */
    enum pl_verdict verdict;
    bool replayed;   /* the arrangements were */
    double replay_s; /* what the best store does by replays; NaN when none ran */
    bool differ;     /* one of model and replay gains, the other loses */
    struct pl_arrangement arrangement[PL_ARRANGEMENTS];
};

/* Fails with PL_ERR_INPUT when the machine lies outside the data, or its records cannot tell. Lives in `arena`. */
enum pl_err pl_advise(const struct pl_advice_input *input, struct pl_arena *arena, struct pl_advice *out,
                      struct pl_error *err);
/* The effect with another codec time, the size chosen anew; NaN outside the data. */
double pl_advice_with_cd(const struct pl_advice *advice, double cd_s);

/* --- advice_machines.c -------------------------------------------------------------------------- */
/* Replays the arrangements. */
enum pl_err pl_advice_arrange(const struct pl_advice_input *input, struct pl_arena *arena, struct pl_advice *advice,
                              struct pl_error *err);
/* Gives fixed frames (memory.resident) back to memory.total, so that a store takes its part of the same memory, and
 * finishes the machine. */
enum pl_err pl_advice_machine(struct pl_parameters *parameters, struct pl_machine *out, struct pl_error *err);
/* The memory that a zram without swap behind it must take to hold what does not fit, with a twentieth for what its pages
 * waste; NaN where the data cannot tell. */
double pl_advice_zram_mb(const struct pl_advice *advice);
/* The time that the machine's disk takes for one page at a random place, served alone. */
enum pl_err pl_advice_disk_time(const struct pl_machine *machine, double *out_s, struct pl_error *err);

#endif
