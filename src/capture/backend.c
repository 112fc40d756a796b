/* capture/backend.c: finds a back end by name. */
#include "capture/backend.h"

#include <string.h>

enum { NAMES_MAX = 16 };

enum pl_err pl_backend_find(const char *name, const struct pl_backend **out, struct pl_error *err)
{
    const char *names[NAMES_MAX] = {NULL};
    size_t count = 0;
    for (; pl_backends[count] && count < NAMES_MAX; count++) {
        names[count] = pl_backends[count]->name;
        if (!strcmp(names[count], name)) {
            *out = pl_backends[count];
            return PL_OK;
        }
    }
    char hint[64], shown[64];
    return pl_fail(err, PL_ERR_USAGE, "no back end is called '%s' here%s ('pagecap backends' lists them)",
                   pl_printable(shown, sizeof shown, name, strlen(name)),
                   pl_did_you_mean(hint, sizeof hint, name, names, count, sizeof names[0]));
}
