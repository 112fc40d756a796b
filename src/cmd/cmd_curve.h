/* cmd/cmd_curve.h: what the two halves of `pagelab curve` share: reading and computing, and saying the answer. */
#ifndef PL_CMD_CMD_CURVE_H
#define PL_CMD_CMD_CURVE_H

#include "cmd/cmd.h"
#include "cmd/cmd_curve_more.h"
#include "curve/curve.h"
#include "curve/simulate.h"
#include "curve/sizes.h"

struct curve_options {
    int rule, policy; /* enum pl_rule, enum pl_simulated */
    const char *sizes;
    bool all_sizes, portable;
    uint64_t threads;
    double rate;
    bool rate_given;
    uint64_t samples, seed;
    struct curve_more_options more;
    struct cmd_trace_options trace;
    struct cmd_common common;
};

/* One row of the fault table. */
struct curve_row {
    uint64_t pages, reads, writes;
    uint64_t reads_error, writes_error; /* of a sampled curve */
};

/* An answer, however it was found. */
struct curve_answer {
    const char *policy;
    enum pl_rule rule;
    const struct pl_trace_info *info;
    uint64_t touches, write_touches, cold;
    bool sampled;
    bool without_errors; /* sampled, but by how much it may be off is not known */
    bool reads_only;
    double rate; /* when sampled: at the end */
    uint64_t sampled_touches, sampled_pages;
    size_t count;
    struct curve_row *rows; /* in the arena */
};

/* Writes the document where the options say. */
enum pl_err curve_report(const struct curve_options *options, const struct curve_answer *answer, struct pl_arena *arena,
                         struct pl_error *err);

/* LRU by one pass; by a sample of the pages (cmd_curve_sample.c); the other policies by a simulation for each size
 * (cmd_curve_simulate.c). */
enum pl_err curve_by_stack(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                           struct curve_answer *out, struct pl_error *err);
enum pl_err curve_by_sample(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                            struct curve_answer *out, struct pl_error *err);
enum pl_err curve_by_simulation(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                                struct curve_answer *out, struct pl_error *err);
/* Pages that were touched, among those that a trace knows (cmd_curve_touched.c). Begin with zeros, free at the end. */
struct curve_touched {
    uint64_t pages;
    uint8_t *seen; /* NULL while every page of the trace was touched */
    size_t room;
};
enum pl_err curve_touched_note(struct curve_touched *touched, const struct pl_batch *batch, struct pl_error *err);
void curve_touched_free(struct curve_touched *touched);

/* The fault table from a whole curve. */
enum pl_err curve_make_rows(const struct curve_options *options, const struct pl_curve_result *result,
                            struct pl_arena *arena, struct curve_answer *out, struct pl_error *err);
/* The sizes that --sizes, --all-sizes or nothing ask for. `powers`: nothing asks for powers of two. */
enum pl_err curve_choose_sizes(const struct curve_options *options, const struct pl_trace_info *info, uint64_t depth,
                               bool powers, struct pl_arena *arena, struct pl_sizes *out, struct pl_error *err);

#endif
