/* base_check.h: what the tests of src/base share. */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"

/* The message must hold `words`; both are shown when it does not. */
static inline void check_says(const struct pl_error *err, const char *words)
{
    if (!strstr(err->message, words))
        fail_msg("the message '%s' does not say '%s'", err->message, words);
}

static inline void check_text(const char *got, const char *expected)
{
    if (strcmp(got, expected) != 0)
        fail_msg("got <<%s>> instead of <<%s>>", got, expected);
}

#endif
