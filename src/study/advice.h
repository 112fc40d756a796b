/* study/advice.h: would a compressed tier help this workload on this machine, how large should it be, what else is
 * there?
 *
 * The cost model answers on the workload's fault curve, with the costs that the machine file states; arrangements that
 * people can choose from are replayed side by side where there is a trace. Beyond the curve nothing is said. */
#ifndef PL_STUDY_ADVICE_H
#define PL_STUDY_ADVICE_H

#include "model/optimum.h"
#include "sim/machine.h"

enum pl_verdict { PL_PAYS, PL_MAY_PAY, PL_PAYS_NOT };
extern const char *const pl_verdict_names[];

struct pl_advice_input {
    const char *workload; /* a trace, or a fault table (CSV) */
    struct pl_parameters *parameters; /* of the machine; finished */
    const struct pl_machine *machine;
    double r, cd_s, ch_s; /* NaN: from the machine */
    const struct pl_progress *progress;
    const struct pl_progress *replays; /* counts arrangements; may be NULL */
};

/* One of the arrangements that are set side by side. */
struct pl_arrangement {
    const char *name, *about;
    bool ran;
    char error[256]; /* when it did not */
    double elapsed_s, mean_s, p50_s, p99_s, p999_s, hard_faults, store_faults, written_bytes_a_day, store_peak_bytes;
};
enum { PL_ARRANGEMENTS = 5, PL_ARRANGE_DISK_ONLY = 4 };

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
    enum pl_verdict verdict;
    struct pl_arrangement arrangement[PL_ARRANGEMENTS]; /* with a trace */
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
/* The time that the machine's disk takes for one page at a random place, served alone. */
enum pl_err pl_advice_disk_time(const struct pl_machine *machine, double *out_s, struct pl_error *err);

#endif
