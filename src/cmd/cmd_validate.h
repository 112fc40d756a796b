/* cmd/cmd_validate.h: between the halves of `pagelab validate`. */
#ifndef PL_CMD_VALIDATE_H
#define PL_CMD_VALIDATE_H

#include "cmd/cmd.h"
#include "study/validate.h"

struct validate_options {
    const char *machine;
    struct pl_strings measured, sets;
    pl_time_ps least;
    double time_tolerance, count_tolerance, size_tolerance;
    bool all, sensitivity;
    struct cmd_common common;
};

struct validate_job {
    const struct validate_options *given;
    struct pl_arena *arena;
    const char **path;
    size_t count, capacity;
    struct pl_measurement *measurement;
    struct pl_prediction **prediction;
    struct pl_validation validation;
    size_t failed; /* measurements that could not run, with --all; why the first one could not */
    struct pl_error why;
};

enum pl_err validate_read_machine(const struct validate_options *given, const struct pl_measurement *measurement,
                                  struct pl_arena *arena, struct pl_parameters **parameters, struct pl_machine *machine,
                                  struct pl_error *err);
/* After all measurements have been run once. */
enum pl_err validate_sensitivity(struct validate_job *job, struct pl_error *err);

#endif
