/* store/zsmalloc_classes.c: the class table, checked against the kernel documentation's thirteen rows and a running
 * kernel. */
#include "store/zsmalloc_classes.h"

#include <assert.h>

enum { SMALLEST = 32 };

/* How many pages to chain for objects of `size`: the fewest bytes left over; the shorter chain where they tie. */
static uint32_t least_waste(uint32_t page_size, uint32_t chain, uint32_t size)
{
    uint32_t best = 1, best_waste = page_size % size;
    for (uint32_t pages = 2; pages <= chain; pages++)
        if (pages * page_size % size < best_waste) {
            best_waste = pages * page_size % size;
            best = pages;
        }
    return best;
}

/* The same by the largest used percentage, in whole per cent. */
static uint32_t most_used(uint32_t page_size, uint32_t chain, uint32_t size)
{
    uint32_t best = 1, best_used = 0;
    for (uint32_t pages = 1; pages <= chain; pages++) {
        uint32_t bytes = pages * page_size;
        uint32_t used = (bytes - bytes % size) * 100 / bytes;
        if (used > best_used) {
            best_used = used;
            best = pages;
        }
    }
    return best;
}

void pl_zs_classes_make(uint32_t page_size, uint32_t chain, enum pl_zs_rule rule, struct pl_zs_classes *out)
{
    assert(chain >= 1 && chain <= 16);
    *out = (struct pl_zs_classes){.page_size = page_size, .step = page_size / 256, .smallest = SMALLEST};
    uint32_t steps = (page_size - SMALLEST + out->step - 1) / out->step;
    for (uint32_t i = steps + 1; i-- > 0;) { /* from the largest down: the first of a cluster gives it its size */
        uint32_t size = SMALLEST + i * out->step;
        if (size > page_size)
            size = page_size;
        uint32_t pages = (rule == PL_ZS_MOST_USED ? most_used : least_waste)(page_size, chain, size);
        uint32_t objects = pages * page_size / size;
        const struct pl_zs_class *last = out->count ? &out->cluster[out->count - 1] : NULL;
        if (!last || last->pages != pages || last->objects != objects) {
            out->cluster[out->count++] = (struct pl_zs_class){size, pages, objects};
            if (!out->watermark && !(pages == 1 && objects == 1))
                out->watermark = size;
        }
        out->cluster_of[i] = (uint16_t)(out->count - 1);
    }
}

uint32_t pl_zs_class_of(const struct pl_zs_classes *classes, uint32_t size)
{
    assert(size <= classes->page_size);
    uint32_t i = size > classes->smallest ? (size - classes->smallest + classes->step - 1) / classes->step : 0;
    return classes->cluster_of[i];
}
