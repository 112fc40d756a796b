/* capture/windows/agent_exact.c: every access to the traced regions, in order.
 *
 * All pages of the regions forbid access. An access faults; it is recorded, the page opened as far as this access needs
 * it, and the instruction runs again with the trap flag set, so that the very next thing is an exception after it: the
 * page is closed. From the fault to that exception the thread holds the lock and the others stand still. So
 *
 *     a page is opened for reading first and a write in the same instruction faults once more (a copy within a page
 *     shows both);
 *     an access across two pages faults twice (two touches);
 *     a repeated string instruction stops after each repetition (one read and one write each);
 *     a locked or other read-modify-write operation is one write, as the processor asks for;
 *     with threads, the order is the order in which they get the lock.
 *
 * Does not see: what the kernel touches on behalf of the program, but for files read and written (agent_hooks.c). */
#include "capture/windows/agent_parts.h"

enum { OPEN_MAX = 16, TRAP_FLAG = 0x100 };

struct open_page {
    uint64_t page;
    bool writable;
};
static struct open_page open_page[OPEN_MAX];
static unsigned open_count; /* > 0: the lock's owner is in the middle of a step */

static void close_pages(CONTEXT *context)
{
    for (unsigned i = 0; i < open_count; i++) {
        const struct agent_region *region = agent_region_at(open_page[i].page);
        if (region)
            agent_trap(region, open_page[i].page, open_page[i].page + AGENT_PAGE);
    }
    open_count = 0;
    context->EFlags &= ~(DWORD)TRAP_FLAG;
    if (agent_share->stop_threads)
        agent_threads_go();
    agent_unlock();
}

static void open_for(const struct agent_region *region, uint64_t page, bool write)
{
    unsigned i = 0;
    while (i < open_count && open_page[i].page != page)
        i++;
    open_page[i] = (struct open_page){.page = page, .writable = write};
    if (i == open_count)
        open_count++;
    agent_protect(page, page + AGENT_PAGE, write ? region->protection : agent_read_only(region->protection));
}

/* Was it opened so far already? Then the fault is the program's own. */
static bool is_open_for(uint64_t page, bool write)
{
    for (unsigned i = 0; i < open_count; i++)
        if (open_page[i].page == page)
            return open_page[i].writable || !write;
    return false;
}

static bool take_fault(const EXCEPTION_RECORD *record, CONTEXT *context)
{
    enum { KIND_WRITE = 1, KIND_EXECUTE = 8 };
    uint64_t address = record->ExceptionInformation[1], page = address & ~(uint64_t)(AGENT_PAGE - 1);
    bool write = record->ExceptionInformation[0] == KIND_WRITE;
    const bool first = !(agent_lock_is_mine() && open_count);
    if (first)
        agent_lock();
    const struct agent_region *region = agent_region_at(address);
    if (!region || !agent_active || open_count == OPEN_MAX || is_open_for(page, write)) {
        bool given_back = region && !agent_active; /* opened between the fault and now: just go on */
        if (first)
            agent_unlock();
        else
            close_pages(context);
        return given_back;
    }
    agent_emit(AGENT_TOUCH, record->ExceptionInformation[0] == KIND_EXECUTE ? 2 : write, address, 0);
    if (first && agent_share->stop_threads)
        agent_threads_stop();
    open_for(region, page, write);
    context->EFlags |= TRAP_FLAG;
    return true;
}

static LONG CALLBACK on_exception(EXCEPTION_POINTERS *exception)
{
    const EXCEPTION_RECORD *record = exception->ExceptionRecord;
    const bool stepping = open_count && agent_lock_is_mine();
    if (record->ExceptionCode == (DWORD)EXCEPTION_ACCESS_VIOLATION)
        return take_fault(record, exception->ContextRecord) ? EXCEPTION_CONTINUE_EXECUTION : EXCEPTION_CONTINUE_SEARCH;
    if (!stepping)
        return EXCEPTION_CONTINUE_SEARCH;
    close_pages(exception->ContextRecord);
    return record->ExceptionCode == (DWORD)EXCEPTION_SINGLE_STEP ? EXCEPTION_CONTINUE_EXECUTION
                                                                 : EXCEPTION_CONTINUE_SEARCH;
}

bool agent_exact_start(void)
{
    return AddVectoredExceptionHandler(1, on_exception) != NULL;
}
