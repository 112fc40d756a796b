/* cmd/cmd_sweep.h: what the parts of `pagelab sweep` share (private to cmd_sweep*.c). */
#ifndef PL_CMD_CMD_SWEEP_H
#define PL_CMD_CMD_SWEEP_H

#include "cmd/cmd.h"
#include "study/study.h"

/* `sweep STUDY`. */
struct sweep_options {
    const char *output, *shard;
    uint64_t threads, check_shared, evaluations;
    bool optimize;
    int search; /* enum pl_search */
    double tolerance;
    struct cmd_common common;
};

/* The verbs that read results. */
struct sweep_view_options {
    const char *output; /* of merge */
    const char *minimise, *maximise;
    struct pl_strings subject_to;
    uint64_t count;
    struct cmd_common common;
};

extern const struct pl_command_spec cmd_sweep_export_spec, cmd_sweep_show_spec, cmd_sweep_best_spec,
    cmd_sweep_merge_spec;
enum pl_err cmd_sweep_export(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_sweep_show(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_sweep_best(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_sweep_merge(int argc, char **argv, struct pl_error *err);

/* --- cmd_sweep_document.c ---------------------------------------------------------------- */
/* Results, opened, with the objective that is to be used. */
struct sweep_view {
    struct pl_arena *arena;
    struct pl_results *results;
    struct pl_results_facts facts;
    struct pl_objective objective;
};
enum pl_err sweep_view_open(const char *path, const struct sweep_view_options *options, struct pl_arena *arena,
                            struct sweep_view *out, struct pl_error *err);
void sweep_view_close(struct sweep_view *view);

/* All points (export), the best `count` of them, or what the results are and the best few (show). */
enum pl_err sweep_points_document(struct sweep_view *view, struct pl_document **out, struct pl_error *err);
enum pl_err sweep_best_document(struct sweep_view *view, size_t count, struct pl_document **out, struct pl_error *err);
enum pl_err sweep_show_document(struct sweep_view *view, struct pl_document **out, struct pl_error *err);

/* For cmd_sweep_profile.c: whether a point ran, lies inside the data and meets the constraints; a table of points, with
 * `extra` columns behind (NULL without memory), and the cells of its rows, whose number is returned. */
bool sweep_is_allowed(const struct sweep_view *view, const struct pl_results_row *row);
struct pl_document_table *sweep_make_table(const struct sweep_view *view, struct pl_document *document, const char *key,
                                           const char *title, const struct pl_column *extra, size_t extra_count);
size_t sweep_fill_row(const struct sweep_view *view, uint64_t point, const double *value, struct pl_value *out);

/* --- cmd_sweep_profile.c ------------------------------------------------------------------ */
/* Tables best_by_PARAMETER; none without an objective, or when only one parameter varies. */
enum pl_err sweep_put_profiles(struct sweep_view *view, struct pl_document *document, struct pl_error *err);

#endif
