/* curve/stack_slots.c: memory of the time slots, and filling it. */
#include "curve/stack.h"

#include <string.h>

static uint32_t divide_up(uint64_t number, uint32_t by)
{
    return (uint32_t)((number + by - 1) / by);
}

/* One block for all levels, each at a cache line. */
enum pl_err pl_slots_create(struct slots *slots, uint64_t at_least, struct pl_error *err)
{
    struct slots new = {0};
    pl_slots_use(&new, at_least);
    size_t line_bytes = (size_t)new.lines * LINE_WORDS * sizeof *new.line;
    size_t before_bytes = (size_t)new.lines * sizeof *new.line_before;
    size_t node_bytes = (size_t)new.groups * GROUP_NODES * sizeof *new.node_before;
    size_t group_bytes = ((size_t)new.groups * sizeof *new.top + 63) / 64 * 64;
    new.bytes = line_bytes + before_bytes + node_bytes + 2 * group_bytes;
    char *memory = pl_table_alloc(new.bytes);
    if (!memory)
        return pl_fail_memory(err, new.bytes, "the time slots of a curve");
    new.memory = memory;
    new.line = (uint64_t *)memory;
    new.line_before = (uint16_t *)(memory += line_bytes);
    new.node_before = (uint32_t *)(memory += before_bytes);
    new.top = (uint32_t *)(memory += node_bytes);
    new.killed = (uint32_t *)(memory + group_bytes);
    *slots = new;
    return PL_OK;
}

void pl_slots_destroy(struct slots *slots)
{
    if (slots->memory)
        pl_table_free(slots->memory, slots->bytes);
    memset(slots, 0, sizeof *slots);
}

void pl_slots_fill(struct slots *slots, uint32_t live)
{
    uint64_t header = 0;
    for (unsigned word = 1; word < LINE_WORDS; word++)
        header |= (uint64_t)(WORD_SLOTS * (word - 1)) << (9 * (word - 1));
    memset(slots->line, 0xff, (size_t)slots->lines * LINE_WORDS * sizeof *slots->line);
    for (uint32_t i = 0; i < slots->lines; i++) {
        slots->line[(size_t)i * LINE_WORDS] = header;
        slots->line_before[i] = (uint16_t)(i % NODE_LINES * LINE_SLOTS);
    }
    for (uint32_t i = 0; i < slots->groups * GROUP_NODES; i++)
        slots->node_before[i] = i % GROUP_NODES * NODE_SLOTS;
    for (uint32_t i = 0; i < slots->groups; i++) {
        slots->top[i] = i * GROUP_NODES * NODE_SLOTS;
        slots->killed[i] = 0;
    }
    slots->now = pl_slot_at(live);
}

void pl_slots_use(struct slots *slots, uint64_t at_least)
{
    uint64_t with_last_line = at_least + LINE_SLOTS;
    slots->lines = NODE_LINES;
    slots->groups = 1;
    if (with_last_line > NODE_SLOTS) {
        slots->groups = divide_up(with_last_line, GROUP_NODES * NODE_SLOTS);
        slots->lines = slots->groups * GROUP_LINES;
    }
}
