/* mm/usage.c: whose the frames are, and what the pages of a process are.
 *
 * Assumes that everything adds up (check.c): what has a frame says so, and frames name their pages. */
#include "mm/usage.h"

#include "mm/memory_private.h"

#include <string.h>

const char *const pl_use_names[PL_USES] = {
    "Process Private", "Mapped File", "Shareable", "Page Table", "Working-Set List", "Large Page", "Kernel", "Unused"};
const char *const pl_region_names[PL_REGIONS] = {"Private Data", "Mapped File", "Shareable",
                                                 "Large Pages",  "Page Table",  "Working-Set List"};

/* --- frames --------------------------------------------------------------------------------- */

static enum pl_use use_of(const struct page_record *r)
{
    if (r->flags & F_TABLE)
        return PL_USE_PAGE_TABLE;
    if (r->flags & F_LARGE)
        return PL_USE_LARGE;
    if (r->flags & F_FILE)
        return PL_USE_MAPPED_FILE;
    return r->flags & F_SHARED ? PL_USE_SHAREABLE : PL_USE_PRIVATE;
}

void pl_memory_frame_use(const struct pl_memory *m, struct pl_frame_use *out)
{
    uint32_t lists = 0;
    memset(out, 0, sizeof *out);
    for (pl_frame i = 0; i < m->frames.total; i++) {
        const struct pl_frame_entry *e = entry_of(m, i);
        enum pl_use use = e->page == PL_NO_PAGE ? PL_USE_UNUSED : use_of(record_of(m, e->page));
        out->frames[use][e->list]++;
    }
    for (size_t i = 0; i < m->processes; i++)
        lists += m->process[i].state.ws_list_pages;
    /* Frames of the kernel and of working-set lists name no page, and are active. */
    out->frames[PL_USE_UNUSED][PL_LIST_ACTIVE] -= m->kernel_count + lists;
    out->frames[PL_USE_KERNEL][PL_LIST_ACTIVE] += m->kernel_count;
    out->frames[PL_USE_WS_LIST][PL_LIST_ACTIVE] += lists;
}

/* --- address spaces --------------------------------------------------------------------------- */

static enum pl_region region_of(const struct pl_memory *m, const struct page_record *r)
{
    if (r->flags & F_LARGE)
        return PL_REGION_LARGE;
    if (r->flags & F_VIEW && !(r->flags & F_COW))
        return record_of(m, r->slot)->flags & F_FILE ? PL_REGION_MAPPED_FILE : PL_REGION_SHAREABLE;
    return r->flags & F_FILE ? PL_REGION_MAPPED_FILE : PL_REGION_PRIVATE;
}

static void add_resident(const struct pl_memory *m, const struct page_record *r, struct pl_region_use *use)
{
    const struct page_record *object = r->flags & F_VIEW ? record_of(m, r->slot) : r;
    bool shareable = r->flags & F_VIEW || r->flags & F_FILE;
    use->locked += (r->flags & F_LOCKED) != 0;
    if (r->flags & F_LARGE)
        return;
    use->working_set++;
    use->ws_private += !shareable;
    use->ws_shareable += shareable;
    use->ws_shared += shareable && entry_of(m, object->frame)->share > 1;
}

/* Where a page of the process's own is that is in no working set. */
static void add_absent(const struct pl_memory *m, const struct page_record *r, struct pl_region_use *use)
{
    if (r->frame != PL_NO_FRAME) {
        uint8_t list = entry_of(m, r->frame)->list;
        use->standby += list >= PL_LIST_STANDBY && list < PL_LIST_STANDBY + PL_PRIORITIES;
        use->modified += list >= PL_LIST_MODIFIED && list < PL_LIST_CHAINED;
        use->transition += list == PL_LIST_TRANSITION;
    }
    use->in_store += r->place == PL_PLACE_STORE;
    use->in_file += r->place == PL_PLACE_FILE && r->slot != PL_NO_SLOT;
}

static void add_page(const struct pl_memory *m, pl_page page, struct pl_region_use out[PL_REGIONS])
{
    const struct page_record *r = record_of(m, page);
    struct pl_region_use *use = &out[region_of(m, r)];
    use->size++;
    use->charged += (r->flags & F_CHARGED) != 0;
    if (m->hot.word[page])
        add_resident(m, r, use);
    else if (!(r->flags & F_VIEW))
        add_absent(m, r, use);
}

static void add_table(const struct pl_memory *m, pl_page table, struct pl_region_use *use)
{
    const struct internal_page *t = internal_of(m, table);
    use->size++;
    use->charged++;
    if (t->in_ws) {
        use->working_set++;
        use->ws_private++;
    } else
        add_absent(m, &t->record, use);
}

void pl_memory_region_use(const struct pl_memory *m, pl_process process, struct pl_region_use out[PL_REGIONS])
{
    const struct process *p = &m->process[process];
    memset(out, 0, PL_REGIONS * sizeof *out);
    for (size_t i = 0; i < p->extents; i++)
        for (uint32_t k = 0; k < p->extent[i].count; k++) {
            const struct page_record *r = record_of(m, p->extent[i].first + k);
            if (r->process == process && r->place != PL_PLACE_UNMAPPED)
                add_page(m, p->extent[i].first + k, out);
        }
    for (size_t i = 0; i < p->tables; i++)
        add_table(m, p->table[i], &out[PL_REGION_PAGE_TABLE]);
    uint32_t entries = p->state.ws_list_pages;
    out[PL_REGION_WS_LIST] = (struct pl_region_use){.size = entries, .working_set = entries, .ws_private = entries};
}

/* Not modelled: heaps, stacks, images and kernel pools, which are private, shareable or the kernel's here; pages that a
 * process may share without having mapped them (standby pages of a file count once, for the process that maps them). */
