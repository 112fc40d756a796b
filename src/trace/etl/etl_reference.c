/* trace/etl/etl_reference.c: page accesses by category.
 *
 * What a private address belongs to is kept as ranges, sorted by process and base. Ranges of one kind that lie in each other
 * (pages committed in a reservation) are one; those of several kinds do not overlap in a sane trace, and where they do
 * the one with the higher base wins. */
#include "trace/etl/etl_reference.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOOK_BACK = 4,        /* ranges before an address that are tried */
    MEM_RELEASE = 0x8000, /* of VirtualFree; a decommit leaves the reservation */
    MEM_RESERVE_OR_COMMIT = 0x3000,
};

struct range {
    uint64_t process, base, end;
    unsigned category;
};

struct pl_etl_reference {
    const struct pl_etl *etl;
    struct range *range;
    size_t count, capacity;
    struct pl_etl_reference_row row[PL_ETL_CATEGORIES];
};

enum pl_err pl_etl_reference_create(const struct pl_etl *etl, struct pl_etl_reference **out, struct pl_error *err)
{
    struct pl_etl_reference *reference = calloc(1, sizeof *reference);
    if (!reference)
        return pl_fail_memory(err, sizeof *reference, "a reference set");
    reference->etl = etl;
    *out = reference;
    return PL_OK;
}

void pl_etl_reference_destroy(struct pl_etl_reference *reference)
{
    if (!reference)
        return;
    free(reference->range);
    free(reference);
}

/* --- ranges ------------------------------------------------------------------------- */

/* The first range behind (process, address). */
static size_t behind(const struct pl_etl_reference *reference, uint64_t process, uint64_t address)
{
    size_t from = 0, to = reference->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const struct range *range = &reference->range[middle];
        if (range->process < process || (range->process == process && range->base <= address))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static struct range *containing(const struct pl_etl_reference *reference, uint64_t process, uint64_t address)
{
    size_t at = behind(reference, process, address);
    for (size_t i = 0; i < LOOK_BACK && at > 0 && reference->range[at - 1].process == process; i++, at--)
        if (address < reference->range[at - 1].end)
            return &reference->range[at - 1];
    return NULL;
}

static enum pl_err add_range(struct pl_etl_reference *reference, uint64_t process, uint64_t base, uint64_t end,
                             unsigned category, struct pl_error *err)
{
    struct range *around = containing(reference, process, base);
    if (end <= base)
        return PL_OK;
    if (around && around->category == category && end <= around->end)
        return PL_OK;
    void *ranges = reference->range;
    enum pl_err rc =
        pl_grow(&ranges, &reference->capacity, reference->count + 1, sizeof *reference->range, "ranges", err);
    reference->range = ranges;
    if (rc)
        return rc;
    size_t at = behind(reference, process, base);
    memmove(reference->range + at + 1, reference->range + at, (reference->count - at) * sizeof *reference->range);
    reference->range[at] = (struct range){process, base, end, category};
    reference->count++;
    return PL_OK;
}

/* Ranges that begin in base .. end - 1 go; a release names whole reservations. */
static void remove_ranges(struct pl_etl_reference *reference, uint64_t process, uint64_t base, uint64_t end)
{
    size_t from = behind(reference, process, base), to;
    while (from > 0 && reference->range[from - 1].process == process && reference->range[from - 1].base == base)
        from--;
    to = from;
    while (to < reference->count && reference->range[to].process == process && reference->range[to].base < end)
        to++;
    memmove(reference->range + from, reference->range + to, (reference->count - to) * sizeof *reference->range);
    reference->count -= to - from;
}

/* --- events ------------------------------------------------------------------------- */

static enum pl_err take_allocation(struct pl_etl_reference *reference, const struct pl_etl_event *event,
                                   const struct pl_etl_fields *fields, struct pl_error *err)
{
    uint64_t base = fields->value[0].number, size = fields->value[1].number, process = fields->value[2].number;
    uint64_t flags = fields->value[3].number, end = base + size < base ? UINT64_MAX : base + size;
    switch (event->hook) {
    case PL_ETL_VIRTUAL_FREE:
        if (flags & MEM_RELEASE)
            remove_ranges(reference, process, base, end);
        return PL_OK;
    case PL_ETL_VIRTUAL_ALLOC:
        if (!(flags & MEM_RESERVE_OR_COMMIT))
            return PL_OK;
        /* Pages committed in what was reserved before the trace stay what they were. */
        if (containing(reference, process, base))
            return PL_OK;
        return add_range(reference, process, base, end, PL_ETL_ALLOCATED, err);
    default:
        return add_range(reference, process, base, end, PL_ETL_ALLOCATED_BEFORE, err);
    }
}

static unsigned category_of(const struct pl_etl_reference *reference, const struct pl_etl_event *event,
                            const struct pl_etl_page *page)
{
    if (page->use == PL_ETL_USE_FILE)
        return page->image ? PL_ETL_IMAGE : PL_ETL_USE_FILE;
    if (page->use != PL_ETL_USE_PRIVATE)
        return page->use;
    /* The key has the low 48 bits of the process's address. */
    uint64_t key = event->pointer_size == 8 && page->key >> 47 ? page->key | UINT64_C(0xffff) << 48 : page->key;
    uint32_t process = pl_etl_process_by_key(reference->etl, key, event->ticks);
    if (process == PL_ETL_NOBODY)
        process = event->process;
    const struct range *range = containing(reference, process, page->address);
    return range ? range->category : PL_ETL_USE_PRIVATE;
}

static void take_pages(struct pl_etl_reference *reference, const struct pl_etl_event *event, uint64_t pages, bool release)
{
    struct pl_etl_page page;
    if (!pl_etl_page_identity(event, &page))
        return;
    struct pl_etl_reference_row *row = &reference->row[category_of(reference, event, &page)];
    row->accesses += !release;
    *(release ? &row->released : &row->pages) += pages;
}

enum pl_err pl_etl_reference_take(struct pl_etl_reference *reference, const struct pl_etl_event *event,
                                  struct pl_error *err)
{
    enum { IMAGE_LOAD_IN_PROCESS = 0x030a, IMAGE_RUNDOWN = 0x1403, IMAGE_LOAD = 0x140a, IMAGE_UNLOAD = 0x1402 };
    struct pl_etl_fields fields;
    switch (event->hook) {
    case PL_ETL_PAGE_ACCESS: case PL_ETL_PAGE_ACCESS_EX:
        take_pages(reference, event, 1, false);
        return PL_OK;
    case PL_ETL_PAGE_RELEASE:
        take_pages(reference, event, 1, true);
        return PL_OK;
    case PL_ETL_RANGE_ACCESS: case PL_ETL_RANGE_RELEASE:
        if (pl_etl_read(event, &fields))
            take_pages(reference, event, fields.value[2].number, event->hook == PL_ETL_RANGE_RELEASE);
        return PL_OK;
    case PL_ETL_VIRTUAL_ALLOC: case PL_ETL_VIRTUAL_FREE: case PL_ETL_ALLOC_START:
        return pl_etl_read(event, &fields) ? take_allocation(reference, event, &fields, err) : PL_OK;
    case PL_ETL_THREAD_START: case PL_ETL_THREAD_DC_START: /* from the limit up to the base */
        if (!pl_etl_read(event, &fields))
            return PL_OK;
        return add_range(reference, fields.value[0].number, fields.value[5].number, fields.value[4].number,
                         PL_ETL_USER_STACK, err);
    case IMAGE_LOAD_IN_PROCESS: case IMAGE_RUNDOWN: case IMAGE_LOAD:
        if (!pl_etl_read(event, &fields))
            return PL_OK;
        return add_range(reference, fields.value[2].number, fields.value[0].number,
                         fields.value[0].number + fields.value[1].number, PL_ETL_COPY_ON_WRITE_IMAGE, err);
    case IMAGE_UNLOAD:
        if (pl_etl_read(event, &fields))
            remove_ranges(reference, fields.value[2].number, fields.value[0].number,
                          fields.value[0].number + fields.value[1].number);
        return PL_OK;
    default:
        return PL_OK;
    }
}

const struct pl_etl_reference_row *pl_etl_reference_rows(const struct pl_etl_reference *reference)
{
    return reference->row;
}

const char *pl_etl_category_name(unsigned category)
{
    static const char *const names[] = {"CopyOnWriteImage", "VirtualAlloc", "VirtualAlloc_PreTrace", "UserStack", "Image"};
    if (category < PL_ETL_USES)
        return pl_etl_use_name(category);
    return category < PL_ETL_CATEGORIES ? names[category - PL_ETL_USES] : "unknown";
}
