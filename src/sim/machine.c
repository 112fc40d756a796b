/* sim/machine.c: from parameters to a machine whose parts fit together. */
#include "sim/machine.h"

#include "codec/page_content.h"
#include "sim/machine_table.h"

#include <math.h>

enum pl_err pl_machine_parameters(struct pl_arena *arena, struct pl_parameters **out, struct pl_error *err)
{
    const struct pl_parameter_group *groups = pl_machine_groups(arena);
    if (!groups)
        return pl_fail_memory(err, 0, "a machine");
    return pl_parameters_create(groups, sizeof(struct pl_machine), "memory.page_size", arena, out, err);
}

/* --- names -------------------------------------------------------------------------- */

/* Puts the place of the value that named something before a message that does not know it. */
static enum pl_err at(const struct pl_parameters *parameters, const char *path, enum pl_err rc, struct pl_error *err)
{
    if (rc == PL_OK || !err)
        return rc;
    struct pl_error inner = *err;
    return pl_parameters_fail(parameters, path, err, "%s", inner.message);
}

static enum pl_err look_up(const struct pl_parameters *parameters, struct pl_machine *machine, struct pl_error *err)
{
    enum pl_content_kind kind;
    enum pl_err rc = at(parameters, "working_set.policy", pl_replacement_find(machine->policy_name, &machine->policy, err), err);
    if (rc == PL_OK)
        rc = at(parameters, "store.codec", pl_codec_find(machine->codec_name, &machine->codec, err), err);
    if (rc == PL_OK)
        rc = at(parameters, "store.space", pl_space_find(machine->space_name, &machine->space, err), err);
    if (rc == PL_OK)
        rc = at(parameters, "store.content", pl_content_find(machine->content_name, &kind, err), err);
    if (rc == PL_OK)
        machine->content = (int)kind;
    return rc;
}

/* --- what must fit together ---------------------------------------------------------- */

static enum pl_err check_1996(const struct pl_parameters *parameters, const struct pl_machine *machine,
                              struct pl_error *err)
{
    if (machine->lists)
        return pl_parameters_fail(parameters, "store.accounting", err,
                                  "the accounting of 1996 knows no page lists: set memory.lists to false");
    if (machine->store_max_bytes == PL_UNLIMITED)
        return pl_parameters_fail(parameters, "store.max_bytes", err,
                                  "the accounting of 1996 needs it: the memory d taken for the cache");
    if (machine->store_max_bytes > machine->total_bytes)
        return pl_parameters_fail(parameters, "store.max_bytes", err, "more than memory.total");
    return PL_OK;
}

static enum pl_err check(const struct pl_parameters *parameters, const struct pl_machine *machine, struct pl_error *err)
{
    if (machine->page_bytes & (machine->page_bytes - 1))
        return pl_parameters_fail(parameters, "memory.page_size", err, "%llu bytes are no power of two",
                                  (unsigned long long)machine->page_bytes);
    if (machine->lists && machine->bad_pages + machine->kernel_pages >= machine->total_pages &&
        machine->kernel_pages < machine->total_pages)
        return pl_parameters_fail(parameters, "memory.bad", err, "with memory.kernel nothing of memory.total is left");
    if (machine->kernel_pages >= machine->total_pages)
        return pl_parameters_fail(parameters, "memory.kernel", err, "%llu pages of memory.total's %llu: nothing is left; --memory SIZE scales a whole machine down, the kernel too",
                                  (unsigned long long)machine->kernel_pages, (unsigned long long)machine->total_pages);
    if (machine->total_pages > UINT32_MAX / 2)
        return pl_parameters_fail(parameters, "memory.total", err, "more than 2^31 pages");
    if (machine->target_pages < machine->low_pages)
        return pl_parameters_fail(parameters, "working_set.trim_until", err, "less than working_set.trim_below");
    if (machine->file_hold && machine->file_hold < PL_PS_PER_US)
        return pl_parameters_fail(parameters, "writer.file_hold", err, "less than 1us; 0: pages do not wait");
    if (machine->write_to > machine->write_above)
        return pl_parameters_fail(parameters, "store.write_to", err, "more than store.write_above");
    if (!machine->exclusive && machine->lists && machine->accounting == PL_CHARGE_1996)
        return pl_parameters_fail(parameters, "store.exclusive", err, "the accounting of 1996 needs an exclusive store");
    if (machine->has_store && machine->accounting == PL_CHARGE_1996) {
        enum pl_err rc = check_1996(parameters, machine, err);
        if (rc)
            return rc;
    }
    if (!machine->lists && !pl_machine_resident(machine))
        return pl_parameters_fail(parameters, "memory.resident", err, "the store leaves no page for working sets");
    return PL_OK;
}

enum pl_err pl_machine_finish(struct pl_parameters *parameters, struct pl_machine *out, struct pl_error *err)
{
    struct pl_machine machine = {0};
    enum pl_err rc = pl_parameters_finish(parameters, &machine, err);
    if (rc == PL_OK)
        machine.total_pages = machine.total_bytes / machine.page_bytes;
    if (rc == PL_OK)
        rc = look_up(parameters, &machine, err);
    if (rc == PL_OK)
        rc = check(parameters, &machine, err);
    if (rc == PL_OK)
        *out = machine;
    return rc;
}

/* --- sizes ----------------------------------------------------------------------------- */

/* Whole pages in a number of bytes that may not be whole. The grain of 1e-9 is that of the model on exact tables. */
static uint64_t whole_pages(const struct pl_machine *machine, double bytes)
{
    return (uint64_t)floor(bytes / (double)machine->page_bytes + 1e-9);
}

static bool takes_memory(const struct pl_machine *machine)
{
    return machine->has_store && machine->in_memory && machine->store_max_bytes != PL_UNLIMITED;
}

uint64_t pl_machine_resident(const struct pl_machine *machine)
{
    if (machine->resident_pages != PL_UNLIMITED)
        return machine->resident_pages;
    uint64_t bytes = machine->total_bytes - machine->kernel_pages * machine->page_bytes;
    if (!takes_memory(machine))
        return bytes / machine->page_bytes;
    return machine->store_max_bytes > bytes ? 0 : whole_pages(machine, (double)(bytes - machine->store_max_bytes));
}

uint64_t pl_machine_store_pages(const struct pl_machine *machine)
{
    if (machine->accounting != PL_CHARGE_1996 || machine->store_max_pages != PL_UNLIMITED)
        return machine->store_max_pages;
    return whole_pages(machine, (double)machine->store_max_bytes * machine->ratio);
}

struct pl_machine pl_machine_without_store(const struct pl_machine *machine)
{
    struct pl_machine without = *machine;
    without.has_store = false;
    /* The model of 1996 gives the store's memory back to programs; elsewhere the frames are what the machine file says. */
    if (machine->accounting == PL_CHARGE_1996)
        without.resident_pages = PL_UNLIMITED;
    return without;
}
