/* A small world around src/mm: see mm_world.h. */
#include "mm_world.h"

#include "mm/usage.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool fail(struct world *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(w->wrong, sizeof(w->wrong), format, args);
    va_end(args);
    return false;
}

static uint32_t below(struct world *w, uint32_t bound)
{
    return (uint32_t)pl_random_below(&w->random, bound);
}

static size_t at(pl_page object)
{
    return object < PL_INTERNAL_PAGE ? object : WORLD_PAGES + (object - PL_INTERNAL_PAGE) % WORLD_INTERNAL;
}

static pl_process owner(const struct world *w, pl_page page)
{
    return w->process[page % 3];
}

/* --- the page file and the store ---------------------------------------------------- */

static uint32_t new_slot(struct world *w, uint64_t value)
{
    uint32_t slot = below(w, WORLD_SLOTS);
    while (w->slot_used[slot])
        slot = (slot + 1) % WORLD_SLOTS;
    w->slot_used[slot] = true;
    w->slot_value[slot] = value;
    w->used_slots++;
    return slot;
}

static bool free_slot(struct world *w, uint32_t slot)
{
    if (slot == PL_NO_SLOT)
        return true;
    if (!w->slot_used[slot])
        return fail(w, "slot %u is given back twice", slot);
    w->slot_used[slot] = false;
    w->used_slots--;
    return true;
}

static bool leave_store(struct world *w, pl_page object)
{
    if (!w->in_store[at(object)])
        return fail(w, "page %u is to leave the store, and is not there", object);
    w->in_store[at(object)] = 0;
    return true;
}

static bool release(struct world *w, const struct pl_released *r)
{
    return free_slot(w, r->slot) && (!r->in_store || leave_store(w, r->object));
}

/* --- writing ------------------------------------------------------------------------- */

/* A write was done through a page. Now and then it writes zeros, and the memory is told. */
static void wrote(struct world *w, pl_page page)
{
    pl_page object = pl_memory_page(w->memory, page).object;
    bool zeros = below(w, 6) == 0;
    w->value[at(object)] = zeros ? 0 : ++w->next_value;
    pl_memory_set_zero(w->memory, page, zeros);
}

/* --- faults ---------------------------------------------------------------------------- */

/* Where what is brought in comes from, and whether it is what it should be. */
static bool source_holds(struct world *w, struct world_fault *f)
{
    const struct pl_fault *fault = &f->fault;
    uint64_t want = w->value[at(fault->object)], got = want;
    if (fault->kind == PL_FAULT_DEMAND_ZERO)
        got = 0;
    else if (fault->kind == PL_FAULT_STORE)
        got = w->in_store[at(fault->object)] - 1;
    else if (fault->kind == PL_FAULT_HARD)
        got = fault->slot == PL_NO_SLOT ? w->on_file[at(fault->object)] : w->slot_value[fault->slot];
    f->serial = w->serial[at(fault->object)];
    if (got != want)
        return fail(w, "page %u comes in by fault kind %d with value %llu instead of %llu", fault->object, fault->kind,
                    (unsigned long long)got, (unsigned long long)want);
    return true;
}

static bool settle(struct world *w, const struct pl_evicted *e)
{
    size_t object = at(e->object);
    uint64_t value = w->value[object];
    if (e->stale_store && !leave_store(w, e->object))
        return false;
    if (e->in_store && w->in_store[object] != value + 1)
        return fail(w, "page %u is said to be in the store, in another version", e->object);
    if (!e->dirty_disk && (e->slot == PL_NO_SLOT ? w->on_file[object] : w->slot_value[e->slot]) != value)
        return fail(w, "page %u is said to be on disk, in another version", e->object);
    if (e->all_zero && !e->in_store && value == 0 && below(w, 2))
        return free_slot(w, e->slot) && pl_memory_settle_zero(w->memory, e->object);
    if (below(w, 2)) {
        if (!pl_memory_settle_store(w->memory, e->object))
            return fail(w, "page %u cannot go to the store", e->object);
        w->in_store[object] = value + 1;
        return true;
    }
    uint32_t slot = e->slot;
    if (e->mapped_file)
        w->on_file[object] = value;
    else if (e->dirty_disk) {
        slot = new_slot(w, value);
        if (!free_slot(w, e->slot))
            return false;
    }
    w->in_store[object] = 0;
    return pl_memory_settle_file(w->memory, e->object, slot) || fail(w, "page %u cannot go to disk", e->object);
}

static bool note_leaving(struct world *w, const struct pl_evicted *e)
{
    if (e->object == PL_NO_PAGE)
        return true;
    if (w->leavings < WORLD_PENDING && below(w, 4) == 0) {
        w->leaving[w->leavings++] = *e;
        return true;
    }
    return settle(w, e);
}

/* A page that came out of the store is to leave it, unless it was freed (and perhaps made anew) meanwhile. */
static bool came_out(struct world *w, const struct world_fault *f)
{
    pl_page object = f->fault.object;
    if (f->fault.kind != PL_FAULT_STORE || f->fault.keep_store_copy || f->serial != w->serial[at(object)] ||
        !w->in_store[at(object)])
        return true;
    return leave_store(w, object);
}

static bool end_read_ahead(struct world *w, const struct world_fault *f)
{
    pl_memory_read_ahead_end(w->memory, &f->fault);
    return came_out(w, f);
}

/* What page tables contain is not followed. */
static bool end_fault(struct world *w, struct world_fault *f, enum pl_touch_end *end)
{
    struct pl_fault *fault = &f->fault;
    fault->keep_store_copy =
        fault->kind == PL_FAULT_STORE && w->in_store[at(fault->object)] && below(w, 3) == 0;
    uint64_t original = w->value[at(fault->object)];
    *end = pl_memory_fault_end(w->memory, fault, f->is_write);
    if (!came_out(w, f))
        return false;
    if (fault->kind == PL_FAULT_COPY_ON_WRITE && *end == PL_TOUCH_DONE)
        w->value[at(fault->page)] = original;
    if (*end == PL_TOUCH_DONE && f->is_write)
        wrote(w, f->touched);
    return true;
}

static bool cancel(struct world *w, int i)
{
    pl_memory_fault_cancel(w->memory, &w->fault[i].fault);
    w->fault[i] = w->fault[--w->faults];
    return true;
}

static bool finish_fault(struct world *w, int i)
{
    struct world_fault f = w->fault[i];
    enum pl_touch_end end;
    w->fault[i] = w->fault[--w->faults];
    return f.read_ahead ? end_read_ahead(w, &f) : end_fault(w, &f, &end);
}

static bool begin_fault(struct world *w, pl_page page, bool is_write, struct world_fault *f)
{
    *f = (struct world_fault){.touched = page, .is_write = is_write};
    pl_memory_fault(w->memory, owner(w, page), page, is_write, &f->fault);
    if (!note_leaving(w, &f->fault.evicted))
        return false;
    return f->fault.state != PL_FAULT_READY || source_holds(w, f);
}

static bool map_again(struct world *w, pl_page page)
{
    static const enum pl_mapping mappings[] = {PL_MAP_ZERO, PL_MAP_ZERO, PL_MAP_ON_DISK, PL_MAP_FILE};
    enum pl_mapping mapping = mappings[below(w, 4)];
    unsigned flags = below(w, 5) == 0 ? PL_MAP_GUARD : 0;
    if (w->has_section && below(w, 3) == 0)
        return pl_memory_map_view(w->memory, owner(w, page), page, 1, page / 3, w->section, page % 16, below(w, 2),
                                  NULL) <= PL_ERR_CHECK;
    if (pl_memory_map(w->memory, owner(w, page), page, 1, page / 3, mapping, flags, NULL))
        return true; /* the commit limit */
    w->serial[page]++;
    w->on_file[page] = mapping == PL_MAP_ZERO ? 0 : ++w->next_value;
    w->value[page] = w->on_file[page];
    return true;
}

static bool touch(struct world *w)
{
    pl_page page = below(w, WORLD_PAGES) * below(w, WORLD_PAGES) / WORLD_PAGES;
    bool is_write = below(w, 2);
    for (int tries = 0; tries < 8; tries++) {
        struct world_fault f;
        enum pl_touch_end end;
        if (pl_touch(pl_memory_hot(w->memory), page, is_write)) {
            if (is_write)
                wrote(w, page);
            return true;
        }
        if (!begin_fault(w, page, is_write, &f))
            return false;
        if (f.fault.state == PL_FAULT_INVALID)
            return map_again(w, page);
        if (f.fault.state != PL_FAULT_READY)
            return true;
        if (w->faults < WORLD_PENDING && below(w, 4) == 0) {
            w->fault[w->faults++] = f;
            return true;
        }
        if (!end_fault(w, &f, &end))
            return false;
        if (end != PL_TOUCH_AGAIN)
            return true;
    }
    return true;
}

static bool read_ahead(struct world *w)
{
    struct world_fault f = {.read_ahead = true};
    if (w->faults == WORLD_PENDING)
        return true;
    pl_memory_read_ahead(w->memory, below(w, WORLD_PAGES), &f.fault);
    if (f.fault.state != PL_FAULT_READY)
        return true;
    w->fault[w->faults++] = f;
    return source_holds(w, &w->fault[w->faults - 1]);
}

/* --- writing out -------------------------------------------------------------------------- */

static bool take(struct world *w)
{
    struct pl_out out[3];
    bool compress = below(w, 2), mapped_file = !compress && below(w, 2);
    uint32_t room = (uint32_t)(WORLD_PENDING - w->outs);
    uint32_t taken = pl_memory_take_modified(w->memory, mapped_file ? PL_LIST_MODIFIED_FILE : PL_LIST_MODIFIED,
                                             compress ? PL_FLIGHT_COMPRESS : PL_FLIGHT_WRITE, room < 3 ? room : 3, out);
    for (uint32_t i = 0; i < taken; i++) {
        w->out[w->outs++] = (struct world_out){out[i], compress, mapped_file, w->value[at(out[i].object)]};
        if (!free_slot(w, out[i].slot) || (out[i].stale_store && !leave_store(w, out[i].object)))
            return false;
    }
    return true;
}

static bool end_write(struct world *w, const struct world_out *o)
{
    uint32_t slot = o->mapped_file ? PL_NO_SLOT : new_slot(w, o->value);
    if (!pl_memory_write_done(w->memory, &o->out, slot))
        return free_slot(w, slot);
    if (o->mapped_file)
        w->on_file[at(o->out.object)] = o->value;
    return true;
}

static bool end_compress(struct world *w, struct world_out *o)
{
    if (below(w, 4) == 0) {
        if (pl_memory_write_instead(w->memory, &o->out)) {
            o->compress = false;
            o->value = w->value[at(o->out.object)];
            w->out[w->outs++] = *o;
        }
        return true;
    }
    if (!pl_memory_compress_done(w->memory, &o->out, below(w, 3) == 0))
        return true;
    if (o->value != w->value[at(o->out.object)])
        return fail(w, "page %u was written while it was compressed, unnoticed", o->out.object);
    w->in_store[at(o->out.object)] = o->value + 1;
    return true;
}

static bool finish_out(struct world *w)
{
    if (!w->outs)
        return true;
    int i = (int)below(w, (uint32_t)w->outs);
    struct world_out o = w->out[i];
    w->out[i] = w->out[--w->outs];
    if (below(w, 8) == 0) {
        pl_memory_out_failed(w->memory, &o.out);
        return true;
    }
    return o.compress ? end_compress(w, &o) : end_write(w, &o);
}

/* The store writes one of its pages to the page file. */
static bool store_to_file(struct world *w)
{
    size_t i = below(w, WORLD_PAGES);
    pl_page object = (pl_page)i;
    struct pl_page_state state = pl_memory_page(w->memory, object);
    if (!w->in_store[i] || state.object != object || state.mapped_file || state.place == PL_PLACE_LEAVING)
        return true;
    uint32_t slot = state.on_disk ? state.slot : new_slot(w, w->in_store[i] - 1);
    w->in_store[i] = 0;
    if (!pl_memory_settle_file(w->memory, object, slot))
        return state.on_disk || free_slot(w, slot);
    return state.on_disk || free_slot(w, state.slot);
}

/* --- everything else ------------------------------------------------------------------------- */

static bool settle_one(struct world *w)
{
    if (!w->leavings)
        return true;
    struct pl_evicted e = w->leaving[--w->leavings];
    return settle(w, &e);
}

static bool evict(struct world *w)
{
    struct pl_evicted e;
    pl_process process = w->params.global && below(w, 2) ? PL_NO_PROCESS : w->process[below(w, 3)];
    return !pl_memory_evict(w->memory, process, &e) || note_leaving(w, &e);
}

static bool free_page(struct world *w)
{
    struct pl_released r;
    pl_page page = below(w, WORLD_PAGES);
    for (int i = 0; i < w->leavings; i++) /* whoever evicts settles first */
        if (w->leaving[i].object == page)
            return true;
    w->serial[page]++;
    if (pl_memory_free(w->memory, page, &r) && !release(w, &r))
        return false;
    while (pl_memory_next_released(w->memory, &r))
        if (!release(w, &r))
            return false;
    return true;
}

static bool exit_process(struct world *w, uint32_t i)
{
    struct pl_released r;
    while (w->leavings)
        if (!settle_one(w))
            return false;
    while (pl_memory_exit(w->memory, w->process[i], &r))
        if (!release(w, &r))
            return false;
    return true;
}

static bool add_process(struct world *w, uint32_t i)
{
    struct pl_process_params own = {below(w, 4), below(w, 2) ? 0 : 4 + below(w, 20), (uint8_t)below(w, PL_PRIORITIES)};
    return pl_memory_add_process(w->memory, &own, &w->process[i], NULL) == PL_OK;
}

static bool restart_process(struct world *w)
{
    uint32_t i = below(w, 3);
    return exit_process(w, i) && add_process(w, i);
}

static bool combine(struct world *w)
{
    pl_page equal[8];
    uint32_t count = 0, freed;
    uint64_t value = w->value[below(w, WORLD_PAGES)];
    for (pl_page page = 0; page < WORLD_PAGES && count < 8; page++)
        if (pl_memory_page(w->memory, page).object == page && w->value[page] == value)
            equal[count++] = page;
    if (pl_memory_combine(w->memory, equal, count, &freed, NULL))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (pl_memory_page(w->memory, equal[i]).object != equal[i])
            w->value[at(pl_memory_page(w->memory, equal[i]).object)] = value;
    return true;
}

static bool provision(struct world *w)
{
    uint32_t zeroed;
    pl_page page = below(w, WORLD_PAGES);
    struct pl_page_state state = pl_memory_page(w->memory, page);
    if (below(w, 20) || state.place != PL_PLACE_UNMAPPED ||
        pl_memory_map(w->memory, owner(w, page), page, 1, page / 3, PL_MAP_ZERO, 0, NULL))
        return true;
    w->value[page] = w->on_file[page] = 0;
    pl_memory_provision(w->memory, page, 1, below(w, 2), &zeroed);
    return true;
}

static bool lists(struct world *w)
{
    switch (below(w, 8)) {
    case 0:
        pl_memory_tick(w->memory);
        break;
    case 1:
        pl_memory_trim(w->memory, below(w, 10));
        break;
    case 2:
        pl_memory_empty_working_set(w->memory, below(w, 4) ? w->process[below(w, 3)] : PL_NO_PROCESS);
        break;
    case 3:
        pl_memory_purge_standby(w->memory, below(w, PL_PRIORITIES));
        break;
    case 4:
    case 5:
        pl_memory_hold_writes(w->memory, below(w, WORLD_PAGES), below(w, 4) == 0);
        break;
    case 6:
        return !w->params.sections || combine(w);
    default:
        return read_ahead(w);
    }
    return true;
}

static bool rest(struct world *w)
{
    switch (below(w, 6)) {
    case 0:
        pl_memory_zero_frames(w->memory, below(w, 5));
        break;
    case 1:
        pl_memory_take_frames(w->memory, below(w, 3));
        break;
    case 2:
        pl_memory_give_frames(w->memory, below(w, 1 + pl_memory_kernel_frames(w->memory)));
        break;
    case 3:
        if (pl_memory_charge(w->memory, 3, NULL) == PL_OK)
            pl_memory_uncharge(w->memory, 3);
        break;
    case 4: /* stamps near their end */
        if (below(w, 50) == 0 && !w->params.policy->counts_stamps)
            pl_memory_hot(w->memory)->next = PL_STAMP_LAST - 3 * PL_HOT_ONE;
        break;
    default:
        return provision(w);
    }
    return true;
}

static bool one_step(struct world *w)
{
    uint32_t what = below(w, 100);
    if (what < 62)
        return touch(w);
    if (what < 70)
        return !w->faults || finish_fault(w, (int)below(w, (uint32_t)w->faults));
    if (what < 72)
        return !w->faults || w->fault[w->faults - 1].read_ahead || cancel(w, w->faults - 1);
    if (what < 76)
        return free_page(w);
    if (what < 78)
        return store_to_file(w);
    if (what < 82)
        return rest(w);
    if (what < 83)
        return below(w, 20) || restart_process(w);
    if (!w->params.lists)
        return what < 92 ? settle_one(w) : what < 94 ? evict(w) : true;
    return what < 88 ? take(w) : what < 96 ? finish_out(w) : lists(w);
}

/* --- the walks for reports ------------------------------------------------------------- */

static bool frame_use_adds_up(struct world *w)
{
    struct pl_frame_use use;
    pl_memory_frame_use(w->memory, &use);
    for (int list = 0; list < PL_LISTS; list++) {
        uint32_t sum = 0;
        for (int i = 0; i < PL_USES; i++)
            sum += use.frames[i][list];
        if (sum != pl_memory_frames(w->memory)->count[list])
            return fail(w, "uses of frames on the %s list come to %u", pl_list_names[list], sum);
    }
    return use.frames[PL_USE_KERNEL][PL_LIST_ACTIVE] == pl_memory_kernel_frames(w->memory) ||
           fail(w, "frames of the kernel are miscounted");
}

static bool region_use_adds_up(struct world *w)
{
    for (uint32_t process = 0; process < pl_memory_process_count(w->memory); process++) {
        const struct pl_process_state *state = pl_memory_process(w->memory, process);
        struct pl_region_use use[PL_REGIONS];
        uint64_t size = 0, charged = 0, working_set = 0, split = 0;
        pl_memory_region_use(w->memory, process, use);
        for (int i = 0; i < PL_REGIONS; i++) {
            size += i < PL_REGION_PAGE_TABLE ? use[i].size : 0;
            charged += use[i].charged;
            working_set += use[i].working_set;
            split += use[i].ws_private + use[i].ws_shareable;
            if (use[i].ws_shared > use[i].ws_shareable)
                return fail(w, "process %u shares more than is shareable", process);
        }
        /* A page table that a fault held when its process exited is charged to it until the fault ends. */
        bool charge_fits = charged == state->commit_pages || (state->exited && charged < state->commit_pages);
        if (size != state->virtual_pages || !charge_fits || working_set != state->working_set || split != working_set)
            return fail(w, "process %u: regions say size %llu, charged %llu, working set %llu; it has %llu, %llu, %u", process,
                        (unsigned long long)size, (unsigned long long)charged, (unsigned long long)working_set,
                        (unsigned long long)state->virtual_pages, (unsigned long long)state->commit_pages,
                        state->working_set);
    }
    return true;
}

bool world_step(struct world *w)
{
    struct pl_error err;
    if (pl_memory_reserve_stamps(w->memory, 16, &err) || !one_step(w))
        return w->wrong[0] ? false : fail(w, "a step failed");
    if (pl_memory_check(w->memory, &err))
        return fail(w, "%.250s", err.message);
    return frame_use_adds_up(w) && region_use_adds_up(w);
}

bool world_create(struct world *w, const struct pl_memory_params *params, uint64_t seed)
{
    struct pl_error err;
    memset(w, 0, sizeof(*w));
    w->params = *params;
    w->random = pl_random_seeded(seed);
    if (pl_memory_create(params, &w->memory, &err) || pl_memory_reserve_pages(w->memory, WORLD_PAGES, &err))
        return fail(w, "%.250s", err.message);
    w->has_section = params->sections &&
                     pl_memory_add_section(w->memory, below(w, 2) ? PL_MAP_ZERO : PL_MAP_FILE, 16, &w->section,
                                           &err) == PL_OK;
    for (pl_page i = 0; w->has_section && i < 16; i++) { /* nothing else has internal pages yet */
        bool file = pl_memory_page(w->memory, PL_INTERNAL_PAGE + i).mapped_file;
        w->value[WORLD_PAGES + i] = w->on_file[WORLD_PAGES + i] = file ? ++w->next_value : 0;
    }
    return add_process(w, 0) && add_process(w, 1) && add_process(w, 2);
}

bool world_end(struct world *w)
{
    struct pl_released r;
    struct pl_error err;
    while (w->faults)
        if (!(w->fault[0].read_ahead ? finish_fault(w, 0) : cancel(w, 0)))
            return false;
    while (w->outs)
        if (!finish_out(w))
            return false;
    for (uint32_t i = 0; i < 3; i++)
        if (!exit_process(w, i))
            return false;
    if (w->has_section)
        pl_memory_free_section(w->memory, w->section);
    while (pl_memory_next_released(w->memory, &r))
        if (!release(w, &r))
            return false;
    if (pl_memory_check(w->memory, &err))
        return fail(w, "at the end: %.230s", err.message);
    const struct pl_frames *frames = pl_memory_frames(w->memory);
    if (frames->count[PL_LIST_ZERO] + frames->count[PL_LIST_FREE] + pl_memory_kernel_frames(w->memory) != frames->total)
        return fail(w, "at the end frames are still in use");
    if (w->used_slots || pl_memory_committed(w->memory))
        return fail(w, "at the end %u slots are in use, %llu pages committed", w->used_slots,
                    (unsigned long long)pl_memory_committed(w->memory));
    for (size_t i = 0; i < WORLD_OBJECTS; i++)
        if (w->in_store[i])
            return fail(w, "at the end the store still has page %zu", i);
    pl_memory_destroy(w->memory);
    w->memory = NULL;
    return true;
}
