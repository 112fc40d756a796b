/* capture/touch_list.h: which pages a trace touches, in order, read from text into memory. */
#ifndef PL_CAPTURE_TOUCH_LIST_H
#define PL_CAPTURE_TOUCH_LIST_H

#include "base/base.h"

/* A touch is page * 2, + 1 for a write. Pages are dense numbers in the order of first use, as in every trace. */
struct touch_list {
    uint32_t *touch;
    uint64_t count, writes;
    uint32_t pages; /* distinct */
};

/* Lines "HEXADDRESS R" or "HEXADDRESS W" (memsim's, which `pagelab trace convert --to memsim` writes); "-" is standard
 * input. What is no such line fails with its number. */
enum pl_err touch_list_read(const char *path, struct touch_list *out, struct pl_error *err);
void touch_list_free(struct touch_list *list); /* a zeroed one is allowed */

#endif
