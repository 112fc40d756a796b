/* tests/unit/mm_driver.h: plain machines around src/mm, for its tests: no clock, every transfer done at once. */
#ifndef PL_TESTS_MM_DRIVER_H
#define PL_TESTS_MM_DRIVER_H

#include "curve/simulate.h"
#include "mm/mm.h"

#include <stdlib.h>
#include <string.h>

enum { DIRECT_CHECKS = 1, DIRECT_RENUMBERS = 2 }; /* after every touch; every few touches */

/* A machine without lists, whose disk takes everything: what a policy does at one size. */
struct direct_result {
    uint64_t hits, cold, reads, writes, clean;
};

static inline void direct_settle(struct pl_memory *m, const struct pl_evicted *evicted, struct direct_result *out)
{
    if (evicted->object == PL_NO_PAGE)
        return;
    out->writes += evicted->dirty_disk;
    out->clean += !evicted->dirty_disk;
    if (!pl_memory_settle_file(m, evicted->object, evicted->object))
        abort();
}

/* One touch, to its end. False when it cannot be served. */
static inline bool direct_touch(struct pl_memory *m, pl_process process, pl_page page, bool is_write,
                                struct direct_result *out)
{
    if (pl_touch(pl_memory_hot(m), page, is_write)) {
        out->hits++;
        return true;
    }
    struct pl_fault fault;
    do {
        pl_memory_fault(m, process, page, is_write, &fault);
        direct_settle(m, &fault.evicted, out);
        if (fault.state != PL_FAULT_READY)
            return false;
        out->cold += fault.kind == PL_FAULT_DEMAND_ZERO && !fault.page_table;
        out->reads += fault.kind == PL_FAULT_HARD;
    } while (pl_memory_fault_end(m, &fault, is_write) == PL_TOUCH_AGAIN);
    return true;
}

/* next_use of every touch; UINT32_MAX: never. The caller frees it. */
static inline uint32_t *next_uses(const pl_page *pages, uint32_t count, pl_page distinct)
{
    uint32_t *next = malloc((count + 1) * sizeof(*next)), *last = malloc((distinct + 1) * sizeof(*last));
    for (pl_page p = 0; p < distinct; p++)
        last[p] = UINT32_MAX;
    for (uint32_t i = count; i-- > 0;) {
        next[i] = last[pages[i]];
        last[pages[i]] = i;
    }
    free(last);
    return next;
}

static inline enum pl_err direct_run(const char *policy, enum pl_rule rule, uint32_t frames, const pl_page *pages,
                                     const uint8_t *kinds, uint32_t count, pl_page distinct, unsigned flags,
                                     struct direct_result *out, struct pl_error *err)
{
    struct pl_memory_params params = {.frames = frames};
    struct pl_process_params own = {.priority = 5};
    struct pl_memory *m = NULL;
    pl_process process;
    uint32_t *next = next_uses(pages, count, distinct);
    memset(out, 0, sizeof(*out));
    params.policy_params.future = (struct pl_future){pages, next, count};
    enum pl_err rc = pl_replacement_find(policy, &params.policy, err);
    if (rc == PL_OK)
        rc = pl_memory_create(&params, &m, err);
    if (rc == PL_OK)
        rc = pl_memory_add_process(m, &own, &process, err);
    if (rc == PL_OK)
        rc = pl_memory_map(m, process, 0, distinct, 0, rule == PL_RULE_MEMSIM ? PL_MAP_ON_DISK : PL_MAP_ZERO, 0, err);
    for (uint32_t i = 0; rc == PL_OK && i < count; i++) {
        if (!direct_touch(m, process, pages[i], kinds && kinds[i] == 1, out))
            rc = pl_fail(err, PL_ERR_CHECK, "touch %u was not served", i);
        if (flags & DIRECT_RENUMBERS && i % 37 == 0)
            pl_memory_hot(m)->next = PL_STAMP_LAST - 36 * PL_HOT_ONE;
        if (rc == PL_OK && flags & DIRECT_RENUMBERS)
            rc = pl_memory_reserve_stamps(m, 40, err);
        if (rc == PL_OK && flags & DIRECT_CHECKS)
            rc = pl_memory_check(m, err);
    }
    pl_memory_destroy(m);
    free(next);
    return rc;
}

#endif
