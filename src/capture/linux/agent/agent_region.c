/* capture/linux/agent/agent_region.c: traced memory as a sorted table of regions; what calls hold open; the ring. */
#include "config.h"

#include "capture/linux/agent/agent.h"

#include <sys/mman.h>
#include <sys/syscall.h>

enum { REGIONS_MAX = 16384, HOLDS_MAX = 256 };

static struct agent_region regions[REGIONS_MAX];
static size_t region_count;
static struct {
    uint64_t start, end;
} holds[HOLDS_MAX];
static size_t hold_count;
static volatile int lock_word;

/* --- the lock ------------------------------------------------------------------------- */
void agent_lock(void)
{
    for (unsigned i = 0; __atomic_exchange_n(&lock_word, 1, __ATOMIC_ACQUIRE); i++)
        if (i > 100)
            agent_raw(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

void agent_unlock(void)
{
    __atomic_store_n(&lock_word, 0, __ATOMIC_RELEASE);
}

/* --- the table -------------------------------------------------------------------------- */
/* The first region that ends behind `address`. */
static size_t first_behind(uint64_t address)
{
    size_t low = 0, high = region_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (regions[middle].end > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const struct agent_region *agent_region_of(uint64_t address)
{
    size_t i = first_behind(address);
    return i < region_count && regions[i].start <= address && regions[i].prot ? &regions[i] : NULL;
}

const struct agent_region *agent_any_region_of(uint64_t address)
{
    size_t i = first_behind(address);
    return i < region_count && regions[i].start <= address ? &regions[i] : NULL;
}

bool agent_region_touches(uint64_t start, uint64_t end)
{
    for (size_t i = first_behind(start); i < region_count && regions[i].start < end; i++)
        if (regions[i].prot)
            return true;
    return false;
}

static bool insert(size_t at, struct agent_region region)
{
    if (region_count == REGIONS_MAX)
        return false;
    for (size_t i = region_count; i > at; i--)
        regions[i] = regions[i - 1];
    regions[at] = region;
    region_count++;
    return true;
}

static void erase(size_t at)
{
    region_count--;
    for (size_t i = at; i < region_count; i++)
        regions[i] = regions[i + 1];
}

void agent_region_remove(uint64_t start, uint64_t end)
{
    for (size_t i = first_behind(start); i < region_count && regions[i].start < end;) {
        struct agent_region *region = &regions[i];
        if (region->start < start && region->end > end) { /* cut out of the middle */
            struct agent_region upper = *region;
            upper.start = end;
            region->end = start;
            insert(i + 1, upper);
            return;
        }
        if (region->start >= start && region->end <= end) {
            erase(i);
            continue;
        }
        if (region->start < start)
            region->end = start;
        else
            region->start = end;
        i++;
    }
}

bool agent_region_wanted(uint64_t start, uint64_t end)
{
    const struct agent_ring *ring = agent.ring;
    if (end - start < ring->min_region_bytes)
        return false;
    for (uint32_t i = 0; i < ring->range_count; i++)
        if (start < ring->range[i][1] && ring->range[i][0] < end)
            return true;
    return ring->range_count == 0;
}

bool agent_region_set(uint64_t start, uint64_t end, int prot, bool is_file)
{
    agent_region_remove(start, end);
    size_t at = first_behind(start);
    struct agent_region *before = at > 0 ? &regions[at - 1] : NULL;
    if (!before || before->end != start || before->prot != prot || before->is_file != is_file)
        return insert(at, (struct agent_region){start, end, prot, is_file});
    before->end = end; /* a heap that grows stays one region */
    return true;
}

void agent_region_add(uint64_t start, uint64_t end, int prot, bool is_file)
{
    if (!agent_region_set(start, end, prot, is_file) || !prot)
        return;
    agent.ring->regions++;
    agent.ring->traced_bytes += end - start;
    agent_record(is_file ? AGENT_MAP_FILE : AGENT_ALLOCATE, start, end - start);
    agent_guard(start, end);
}

/* --- guarding ------------------------------------------------------------------------------ */
static void protect(uint64_t start, uint64_t end, int prot)
{
    if (start < end)
        agent_raw(SYS_mprotect, (long)start, (long)(end - start), prot, 0, 0, 0);
}

/* Takes the rights of [start, end), but for what is held. */
static void guard_unheld(uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < hold_count; i++) {
        uint64_t from = holds[i].start > start ? holds[i].start : start, to = holds[i].end < end ? holds[i].end : end;
        if (from >= to)
            continue;
        if (start < from)
            guard_unheld(start, from);
        if (to < end)
            guard_unheld(to, end);
        return;
    }
    protect(start, end, PROT_NONE);
}

static void apply(uint64_t start, uint64_t end, bool open)
{
    for (size_t i = first_behind(start); i < region_count && regions[i].start < end; i++) {
        uint64_t from = regions[i].start > start ? regions[i].start : start;
        uint64_t to = regions[i].end < end ? regions[i].end : end;
        if (!regions[i].prot)
            continue;
        if (open)
            protect(from, to, regions[i].prot);
        else
            guard_unheld(from, to);
    }
}

void agent_open(uint64_t start, uint64_t end)
{
    apply(start, end, true);
}

void agent_guard(uint64_t start, uint64_t end)
{
    apply(start, end, false);
}

void agent_open_all(void)
{
    apply(0, UINT64_MAX, true);
}

void agent_guard_all(void)
{
    apply(0, UINT64_MAX, false);
}

bool agent_hold(uint64_t start, uint64_t end)
{
    if (hold_count == HOLDS_MAX)
        return false;
    holds[hold_count].start = start;
    holds[hold_count++].end = end;
    return true;
}

void agent_release(uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < hold_count; i++)
        if (holds[i].start == start && holds[i].end == end) {
            holds[i] = holds[--hold_count];
            return;
        }
}

void agent_give_up(void)
{
    if (agent.active)
        agent_open_all();
    agent.active = false;
}

/* --- the ring --------------------------------------------------------------------------------- */
static uint64_t ticks(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* Waits until there is room; false when the tool is gone. */
static bool wait_for_room(struct agent_ring *ring, uint64_t head)
{
    static const long pause[2] = {0, 200000}; /* 0.2 ms */
    while (head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) >= ring->records) {
        if (agent_raw(SYS_kill, (long)ring->tool, 0, 0, 0, 0, 0) != 0)
            return false;
        agent_raw(SYS_nanosleep, (long)pause, 0, 0, 0, 0, 0);
    }
    return true;
}

void agent_record(enum agent_op op, uint64_t address, uint64_t size)
{
    struct agent_ring *ring = agent.ring;
    uint64_t head = ring->head;
    if (!agent.active)
        return;
    if (!wait_for_room(ring, head)) {
        agent_give_up();
        return;
    }
    agent.records[head & (ring->records - 1)] = (struct agent_record){
        .address = address,
        .size = size,
        .ticks = ticks(),
        .thread = agent_self()->tid,
        .op = (uint32_t)op,
    };
    __atomic_store_n(&ring->head, head + 1, __ATOMIC_RELEASE);
}
