/* mm/memory.c: making and asking; stamps. */
#include "base/arena.h"
#include "mm/memory_private.h"
#include "mm/replacement_list.h"

#include <stdlib.h>
#include <string.h>

const char *const pl_fault_kind_names[PL_FAULT_KINDS] = {
    "demand-zero", "transition", "store", "hard", "copy-on-write", "guard",
};

static enum pl_err check_params(const struct pl_memory_params *p, struct pl_error *err)
{
    if (!p->policy)
        return pl_fail(err, PL_ERR_USAGE, "a memory needs a replacement policy");
    if (p->sections && !p->lists)
        return pl_fail(err, PL_ERR_USAGE, "sections need a memory with lists");
    if (!(p->aging_share >= 0 && p->aging_share <= 1))
        return pl_fail(err, PL_ERR_USAGE, "an aging share of %g: it must be 0 to 1", p->aging_share);
    if (p->section_priority >= PL_PRIORITIES)
        return pl_fail(err, PL_ERR_USAGE, "a page priority of %u: there are 0 to 7", p->section_priority);
    if (p->target_pages < p->low_pages)
        return pl_fail(err, PL_ERR_USAGE, "a trim target of %u pages below its trigger of %u", p->target_pages,
                       p->low_pages);
    return PL_OK;
}

enum pl_err pl_memory_create(const struct pl_memory_params *params, struct pl_memory **out, struct pl_error *err)
{
    enum pl_err rc = check_params(params, err);
    if (rc)
        return rc;
    struct pl_memory *m = calloc(1, sizeof(*m));
    if (!m)
        return pl_fail_memory(err, sizeof(*m), "a memory");
    m->params = *params;
    m->hot.next = PL_STAMP_FIRST;
    m->shared.hot = &m->hot;
    m->kernel_frames = PL_NO_FRAME;
    rc = pl_frames_open(&m->frames, params->frames, err);
    if (rc == PL_OK && params->global)
        rc = params->policy->create(&params->policy_params, &m->shared, &m->policy, err);
    if (rc) {
        pl_memory_destroy(m);
        return rc;
    }
    *out = m;
    return PL_OK;
}

void pl_memory_destroy(struct pl_memory *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->processes; i++) {
        struct process *p = &m->process[i];
        if (p->policy)
            p->policy->ops->destroy(p->policy);
        free(p->extent);
        free(p->table);
    }
    if (m->policy)
        m->policy->ops->destroy(m->policy);
    pl_table_free(m->hot.word, m->capacity * sizeof(m->hot.word[0]));
    pl_table_free(m->record, m->capacity * sizeof(m->record[0]));
    pl_table_free(m->shared.position, m->capacity * sizeof(m->shared.position[0]));
    pl_table_free(m->shared.state, m->capacity);
    pl_table_free(m->table_of, m->capacity * sizeof(m->table_of[0]));
    pl_frames_close(&m->frames);
    free(m->shared.scratch);
    free(m->process);
    free(m->internal);
    free(m->dead);
    free(m->reusable);
    free(m->section);
    free(m->table_key);
    free(m);
}

/* --- asking --------------------------------------------------------------------- */

struct pl_hot *pl_memory_hot(struct pl_memory *m)
{
    return &m->hot;
}

const struct pl_frames *pl_memory_frames(const struct pl_memory *m)
{
    return &m->frames;
}

const struct pl_memory_params *pl_memory_params(const struct pl_memory *m)
{
    return &m->params;
}

const struct pl_memory_counts *pl_memory_counts(const struct pl_memory *m)
{
    return &m->counts;
}

uint32_t pl_memory_kernel_frames(const struct pl_memory *m)
{
    return m->kernel_count;
}

uint64_t pl_memory_committed(const struct pl_memory *m)
{
    return m->committed;
}

/* Of a page: hot word, record, position, member entry and noted part of LRU; of a frame: its entry. */
uint64_t pl_memory_bytes(const struct pl_memory *m)
{
    uint64_t page = sizeof(m->hot.word[0]) + sizeof(m->record[0]) + sizeof(m->shared.position[0]) +
                    (m->table_of ? sizeof(m->table_of[0]) : 0);
    uint64_t frame = sizeof(m->frames.frame[0]) + sizeof(pl_page) + 2;
    return sizeof(*m) + m->pages * page + m->frames.total * frame + m->shared.scratch_bytes +
           m->process_capacity * sizeof(m->process[0]) + m->internal_capacity * sizeof(m->internal[0]) +
           m->table_key_capacity * sizeof(m->table_key[0]);
}

struct pl_page_state pl_memory_page(const struct pl_memory *m, pl_page page)
{
    struct pl_page_state out = {.process = PL_NO_PROCESS, .object = page, .frame = PL_NO_FRAME, .slot = PL_NO_SLOT};
    if (page < PL_INTERNAL_PAGE && page >= m->pages)
        return out;
    const struct page_record *r = record_of(m, page);
    out.place = r->place;
    if (r->place == PL_PLACE_UNMAPPED)
        return out;
    out.process = r->process;
    out.copy_on_write = r->flags & F_COW;
    out.locked = r->flags & F_LOCKED;
    out.page_table = r->flags & F_TABLE;
    out.object = object_of(m, page);
    const struct page_record *object = record_of(m, out.object);
    out.frame = object->frame;
    out.slot = object->slot;
    out.in_store = object->flags & F_IN_STORE;
    out.on_disk = is_on_disk(object) &&
                  (object->frame == PL_NO_FRAME || entry_of(m, object->frame)->flight != PL_FLIGHT_WRITE);
    out.mapped_file = object->flags & F_FILE;
    out.shared = object->flags & F_SHARED;
    return out;
}

void pl_memory_set_class(struct pl_memory *m, pl_page page, uint8_t content_class)
{
    record_of(m, page)->content_class = content_class;
}

uint8_t pl_memory_class(const struct pl_memory *m, pl_page page)
{
    return record_of(m, page)->content_class;
}

void pl_memory_set_zero(struct pl_memory *m, pl_page page, bool all_zero)
{
    struct page_record *r = record_of(m, object_of(m, page));
    r->flags = (uint16_t)(all_zero ? r->flags | F_ALL_ZERO : r->flags & ~F_ALL_ZERO);
}

/* --- processes --------------------------------------------------------------------- */

enum pl_err pl_memory_add_process(struct pl_memory *m, const struct pl_process_params *params, pl_process *out,
                                  struct pl_error *err)
{
    if (params->priority >= PL_PRIORITIES)
        return pl_fail(err, PL_ERR_USAGE, "a page priority of %u: there are 0 to 7", params->priority);
    enum pl_err rc = pl_grow((void **)&m->process, &m->process_capacity, m->processes + 1, sizeof(m->process[0]),
                             "the processes", err);
    if (rc)
        return rc;
    struct process *p = &m->process[m->processes];
    *p = (struct process){.last_table = PL_NO_PAGE, .list_frames = PL_NO_FRAME};
    p->state.params = *params;
    if (!m->policy)
        rc = m->params.policy->create(&m->params.policy_params, &m->shared, &p->policy, err);
    if (rc == PL_OK)
        *out = (pl_process)m->processes++;
    return rc;
}

uint32_t pl_memory_internal_pages(const struct pl_memory *m)
{
    return (uint32_t)m->internals;
}

uint32_t pl_memory_process_count(const struct pl_memory *m)
{
    return (uint32_t)m->processes;
}

const struct pl_process_state *pl_memory_process(const struct pl_memory *m, pl_process process)
{
    assert(process < m->processes);
    return &m->process[process].state;
}

void pl_memory_set_limits(struct pl_memory *m, pl_process process, const struct pl_process_params *params)
{
    assert(process < m->processes && params->priority < PL_PRIORITIES);
    m->process[process].state.params = *params;
}

/* --- stamps ---------------------------------------------------------------------------- */

struct stamped {
    uint32_t stamp;
    pl_page page;
};

static int by_stamp(const void *a, const void *b)
{
    const struct stamped *x = a, *y = b;
    return (x->stamp > y->stamp) - (x->stamp < y->stamp);
}

static uint32_t collect_stamps(const struct pl_memory *m, struct stamped *out)
{
    uint32_t count = 0;
    for (pl_page page = 0; page < m->pages; page++)
        if (m->hot.word[page]) {
            if (out)
                out[count] = (struct stamped){pl_hot_stamp(m->hot.word[page]), page};
            count++;
        }
    return count;
}

/* Gives the stamps in use the lowest numbers, in the same order; equal ones stay equal, and old ones old. */
static enum pl_err renumber(struct pl_memory *m, struct pl_error *err)
{
    uint32_t count = collect_stamps(m, NULL);
    struct stamped *stamped = malloc(((size_t)count + 1) * sizeof(*stamped));
    if (!stamped)
        return pl_fail_memory(err, ((size_t)count + 1) * sizeof(*stamped), "renumbering stamps");
    collect_stamps(m, stamped);
    qsort(stamped, count, sizeof(*stamped), by_stamp);
    uint32_t last = PL_STAMP_OLD, stamp = PL_STAMP_OLD;
    for (uint32_t i = 0; i < count; i++) {
        if (stamped[i].stamp != last)
            stamp += PL_HOT_ONE;
        last = stamped[i].stamp;
        uint32_t *word = &m->hot.word[stamped[i].page];
        *word = stamp | (*word & PL_HOT_FLAGS);
    }
    m->hot.next = stamp + PL_HOT_ONE;
    free(stamped);
    if (!m->params.policy->renumbered)
        return PL_OK;
    if (m->policy)
        m->params.policy->renumbered(m->policy);
    for (size_t i = 0; i < m->processes; i++)
        if (m->process[i].policy)
            m->params.policy->renumbered(m->process[i].policy);
    return PL_OK;
}

enum pl_err pl_memory_reserve_stamps(struct pl_memory *m, uint32_t count, struct pl_error *err)
{
    assert(count <= UINT32_C(1) << 29);
    if (m->params.policy->counts_stamps || (PL_STAMP_LAST - m->hot.next) / PL_HOT_ONE >= count)
        return PL_OK;
    enum pl_err rc = renumber(m, err);
    if (rc == PL_OK && (PL_STAMP_LAST - m->hot.next) / PL_HOT_ONE < count)
        rc = pl_fail(err, PL_ERR_RESOURCE, "too many pages are resident to tell the order of their touches");
    return rc;
}
