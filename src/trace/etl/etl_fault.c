/* trace/etl/etl_fault.c: page faults among the events of a log, for who wants them without a trace reader (`pagecap`). The
 * same faults, processes and kinds as format_etl.c gives. */
#include "trace/etl/etl.h"

enum { SYSTEM_PROCESS = 4, READ = 0, WRITE = 1, EXECUTE = 2 };

static bool soft_fault(const struct pl_etl_event *event, struct pl_etl_fault *out)
{
    struct pl_etl_fields fields;
    if (!pl_etl_read(event, &fields))
        return false;
    uint64_t address = fields.value[0].number, counter = fields.value[1].number;
    *out = (struct pl_etl_fault){
        .address = address,
        .process = event->process,
        .thread = event->thread,
        .kind = event->hook == PL_ETL_COPY_ON_WRITE ? WRITE : address == counter ? EXECUTE : READ,
    };
    return true;
}

/* The event names the thread that faulted, the header at most who logged the end of the read. */
static bool hard_fault(const struct pl_etl_event *event, struct pl_etl_fault *out)
{
    struct pl_etl_fields fields;
    if (!pl_etl_read(event, &fields))
        return false;
    *out = (struct pl_etl_fault){
        .address = fields.value[2].number,
        .process = PL_ETL_NOBODY,
        .thread = (uint32_t)fields.value[4].number,
        .kind = READ,
    };
    return true;
}

bool pl_etl_fault(const struct pl_etl *etl, const struct pl_etl_event *event, struct pl_etl_fault *out)
{
    const bool soft = event->hook >= PL_ETL_TRANSITION_FAULT && event->hook < PL_ETL_ACCESS_VIOLATION;
    const bool read = event->hook == PL_ETL_HARD_FAULT && !pl_etl_info(etl)->soft_faults;
    if (soft ? !soft_fault(event, out) : !read || !hard_fault(event, out))
        return false;
    if (out->address >> (event->pointer_size == 4 ? 31 : 63))
        out->process = SYSTEM_PROCESS;
    else if (out->process == PL_ETL_NOBODY && out->thread != PL_ETL_NOBODY)
        out->process = pl_etl_process_of(etl, out->thread, event->ticks);
    return true;
}
