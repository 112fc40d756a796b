/* cmd/cmd_advise.h: between the halves of `pagelab advise`. */
#ifndef PL_CMD_CMD_ADVISE_H
#define PL_CMD_CMD_ADVISE_H

#include "cmd/cmd.h"
#include "study/study.h"

struct advise_options {
    const char *machine, *cd, *ch, *memory;
    double r, most;
    bool r_given;
    struct pl_strings set;
    struct cmd_common common;
};

struct pl_document *advise_document(const struct pl_advice *advice, const struct pl_advice_input *input,
                                    const struct advise_options *options, struct pl_arena *arena);

/* --- for cmd_advise_document.c and cmd_advise_knobs.c -------------------------------------- */
/* "366 ms gained", "1.2 s lost". */
char *advise_show_effect(char *out, size_t size, double effect_s);
void advise_put_knobs(struct pl_document *document, const struct pl_advice *advice, struct pl_arena *arena);

#endif
