/* tests/unit/sim_machine.c: machines and runs for the tests of src/sim. */
#include "sim_machine.h"

#include <stdio.h>
#include <stdlib.h>

static void must(enum pl_err rc, const struct pl_error *err)
{
    if (rc != PL_OK && rc != PL_END)
        fail_msg("%s", err->message);
}

struct pl_machine machine_of(struct pl_arena *arena, const char *name, const char *const *changes)
{
    struct pl_parameters *parameters;
    struct pl_machine machine;
    struct pl_error err = {PL_OK, ""};
    must(pl_machine_parameters(arena, &parameters, &err), &err);
    if (name)
        must(pl_parameters_read(parameters, pl_arena_printf(arena, "%s/models/%s.json", PL_SOURCE_DIR, name), &err), &err);
    for (; changes && *changes; changes++)
        must(pl_parameters_override(parameters, *changes, &err), &err);
    must(pl_machine_finish(parameters, &machine, &err), &err);
    return machine;
}

struct pl_sim *run_touches(const struct pl_machine *machine, const struct pl_sim_options *options, const pl_page *page,
                           const uint8_t *kind, size_t count)
{
    struct pl_sim_options none = {0};
    struct pl_sim *sim;
    struct pl_error err = {PL_OK, ""};
    uint64_t distinct = 0;
    must(pl_sim_create(machine, options ? options : &none, &sim, &err), &err);
    for (size_t at = 0; at < count;) {
        size_t size = count - at < 5000 ? count - at : 5000;
        for (size_t i = at; i < at + size; i++)
            distinct = page[i] >= distinct ? (uint64_t)page[i] + 1 : distinct;
        struct pl_batch batch = {.count = size, .page = page + at, .kind = kind ? kind + at : NULL, .distinct = distinct};
        must(pl_sim_feed(sim, &batch, &err), &err);
        at += size;
    }
    must(pl_sim_finish(sim, &err), &err);
    return sim;
}

static void grow(void **data, size_t *capacity, size_t need, size_t size)
{
    struct pl_error err = {PL_OK, ""};
    must(pl_grow(data, capacity, need, size, "a script", &err), &err);
}

void script_touch(struct script *script, pl_page page, enum pl_kind kind)
{
    grow((void **)&script->page, &script->page_capacity, script->count + 1, sizeof *script->page);
    grow((void **)&script->kind, &script->kind_capacity, script->count + 1, sizeof *script->kind);
    script->page[script->count] = page;
    script->kind[script->count++] = (uint8_t)kind;
    if (page >= script->distinct)
        script->distinct = (uint64_t)page + 1;
}

void script_control(struct script *script, enum pl_op op, unsigned flags, uint64_t a, uint64_t b, uint64_t c,
                    const char *text)
{
    grow((void **)&script->control, &script->control_capacity, script->control_count + 1, sizeof *script->control);
    script->control[script->control_count++] = (struct pl_control){
        .at = (uint32_t)script->count, .op = (uint16_t)op, .flags = (uint8_t)flags, .a = a, .b = b, .c = c, .text = text};
    bool pages = op == PL_OP_ALLOCATE || op == PL_OP_CONTENT || op == PL_OP_PREFETCH || op == PL_OP_FREE;
    if (pages && a + b > script->distinct)
        script->distinct = a + b;
}

void script_range(struct script *script, pl_page first, uint64_t count, uint64_t step, enum pl_kind kind)
{
    script_control(script, PL_OP_RANGE, 0, first, count, step, NULL);
    script->control[script->control_count - 1].kind = (uint8_t)kind;
    uint64_t last = first + (count - 1) * step;
    uint64_t end = (last > first ? last : first) + 1;
    script->distinct = end > script->distinct ? end : script->distinct;
}

struct pl_sim *script_run(const struct script *script, const struct pl_machine *machine,
                          const struct pl_sim_options *options, size_t batch_size)
{
    struct pl_sim_options none = {0};
    struct pl_sim *sim;
    struct pl_error err = {PL_OK, ""};
    must(pl_sim_create(machine, options ? options : &none, &sim, &err), &err);
    size_t c = 0;
    struct pl_control *moved = calloc(script->control_count + 1, sizeof *moved);
    assert_non_null(moved);
    for (size_t at = 0; at < script->count || c < script->control_count;) {
        size_t size = script->count - at < batch_size ? script->count - at : batch_size, first = c, n = 0;
        bool last = at + size == script->count;
        for (; c < script->control_count && (script->control[c].at < at + size || last); c++, n++) {
            moved[n] = script->control[first + n];
            moved[n].at -= (uint32_t)at;
        }
        struct pl_batch batch = {.count = size, .page = script->page + at, .kind = script->kind + at,
                                 .control = moved, .control_count = n, .distinct = script->distinct};
        must(pl_sim_feed(sim, &batch, &err), &err);
        at += size;
    }
    free(moved);
    must(pl_sim_finish(sim, &err), &err);
    return sim;
}

void script_free(struct script *script)
{
    free(script->page);
    free(script->kind);
    free(script->control);
    *script = (struct script){0};
}
