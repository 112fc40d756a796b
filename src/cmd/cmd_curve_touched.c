/* cmd/cmd_curve_touched.c: how many pages of a trace were touched. A trace knows others too, which its control records
 * allocated and nobody touched; only traces that have such records take a byte a page to tell them apart. */
#include "cmd/cmd_curve.h"

#include <stdlib.h>
#include <string.h>

static bool introduces_pages(const struct pl_batch *batch)
{
    for (size_t i = 0; i < batch->control_count; i++)
        if (batch->control[i].op != PL_OP_SWITCH && batch->control[i].op != PL_OP_PHASE)
            return true;
    return false;
}

/* So far all pages of the trace had been touched: from here on each is looked at. */
static enum pl_err make_room(struct curve_touched *touched, uint64_t pages, struct pl_error *err)
{
    void *seen = touched->seen;
    const size_t before = touched->room;
    enum pl_err rc = pl_grow(&seen, &touched->room, pages + 1, 1, "touched pages", err);
    touched->seen = seen;
    if (rc == PL_OK && touched->room > before)
        memset(touched->seen + before, 0, touched->room - before);
    if (rc == PL_OK && before == 0)
        memset(touched->seen, 1, touched->pages);
    return rc;
}

enum pl_err curve_touched_note(struct curve_touched *touched, const struct pl_batch *batch, struct pl_error *err)
{
    if (!touched->seen && !introduces_pages(batch)) {
        touched->pages = batch->distinct;
        return PL_OK;
    }
    enum pl_err rc = make_room(touched, batch->distinct, err);
    for (size_t i = 0; rc == PL_OK && i < batch->count; i++) {
        touched->pages += !touched->seen[batch->page[i]];
        touched->seen[batch->page[i]] = 1;
    }
    return rc;
}

void curve_touched_free(struct curve_touched *touched)
{
    free(touched->seen);
    *touched = (struct curve_touched){0};
}
