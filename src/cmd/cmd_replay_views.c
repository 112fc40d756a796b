/* cmd/cmd_replay_views.c: what the tools of Windows would show at the end of phases: Task Manager, Process Explorer,
 * VMMap and RAMMap, a table each, and one that sets them side by side.
 *
 * Columns carry the tools' own names. What a column counts is said where the tools differ:
 *
 *   In use           memory that is neither available nor modified: working sets, large pages, the kernel and the store
 *   Compressed       of that, what the store takes
 *   Cached           standby and modified
 *   Private Bytes    commit that is charged to the process: Task Manager's Commit size
 *   WS Shareable     pages of files and sections; WS Shared: those that another process has in its working set now
 *   Locked WS        large pages and locked ones; large pages are in no working set
 *
 * Not modelled: images, heaps and stacks apart (they are private data here), addresses that are only reserved, the
 * kernel's pools, and the tools' own memory. */
#include "cmd/cmd_replay.h"

#include <math.h>
#include <string.h>

const char *const replay_view_tables[] = {"views_memory",     "views_processes", "views_types", "views_uses",
                                          "views_priorities", "views_holders",   "views_tools", NULL};

/* What the tables are made from. */
struct views {
    struct pl_document *document;
    const struct replay_report *report;
    double page_bytes;
};

static double mib(const struct views *views, uint64_t pages)
{
    return (double)pages * views->page_bytes / (double)PL_MIB;
}

static double kib(const struct views *views, uint64_t pages)
{
    return (double)pages * views->page_bytes / 1024;
}

const char *replay_phase_name(const struct pl_sim_phase *phase)
{
    return *phase->name ? phase->name : "(start)";
}

static bool is_wanted(const struct replay_options *options, const struct pl_sim_phase *phase)
{
    if (!phase->view)
        return false;
    for (size_t i = 0; i < options->views_at.count; i++)
        if (!strcmp(options->views_at.item[i], replay_phase_name(phase)))
            return true;
    return options->views_at.count == 0;
}

/* Calls `put` for each phase that is to be shown. */
static void each_phase(const struct views *views, struct pl_document_table *table,
                       void (*put)(const struct views *, struct pl_document_table *, const struct pl_sim_phase *))
{
    const struct pl_sim_result *result = views->report->result;
    for (size_t i = 0; i < result->phase_count; i++)
        if (is_wanted(views->report->options, &result->phase[i]))
            put(views, table, &result->phase[i]);
}

static const char *process_name(const struct views *views, uint32_t index)
{
    const char *name = views->report->result->process[index].name;
    return name ? name : "";
}

static bool has_exited(const struct pl_sim_phase *phase, uint32_t index)
{
    return phase->state[index].exited;
}

static uint64_t standby_of(const uint32_t *list)
{
    uint64_t sum = 0;
    for (int priority = 0; priority < PL_PRIORITIES; priority++)
        sum += list[PL_LIST_STANDBY + priority];
    return sum;
}

static uint64_t modified_of(const uint32_t *list)
{
    return (uint64_t)list[PL_LIST_MODIFIED] + list[PL_LIST_MODIFIED_FILE] + list[PL_LIST_MODIFIED_NO_WRITE];
}

/* --- Task Manager: the machine ------------------------------------------------------------- */

static void put_memory(const struct views *views, struct pl_document_table *table, const struct pl_sim_phase *phase)
{
    const struct pl_sim_sample *sample = &phase->sample;
    const struct pl_machine *machine = views->report->machine;
    const uint32_t *list = sample->list;
    uint64_t standby = standby_of(list), modified = modified_of(list), all = 0;
    uint64_t free = (uint64_t)list[PL_LIST_ZERO] + list[PL_LIST_FREE];
    for (int i = 0; i < PL_LIST_BAD; i++)
        all += list[i];
    bool in_memory = machine->has_store && machine->lists;
    double limit = machine->commit_limit_pages ? mib(views, machine->commit_limit_pages)
                                               : mib(views, all + machine->file_pages);
    const struct pl_value row[] = {
        pl_value_text(replay_phase_name(phase)),
        pl_value_real((double)sample->time_ps / (double)PL_PS_PER_S),
        pl_value_real(mib(views, all - free - standby - modified)),
        pl_value_real(in_memory ? (double)sample->store_bytes / (double)PL_MIB : NAN),
        pl_value_real(mib(views, modified)),
        pl_value_real(mib(views, standby)),
        pl_value_real(mib(views, free)),
        pl_value_real(mib(views, free + standby)),
        pl_value_real(mib(views, standby + modified)),
        pl_value_real(mib(views, sample->commit_pages)),
        pl_value_real(machine->lists ? limit : NAN),
        pl_value_real(mib(views, sample->store_pages)),
        pl_value_real(mib(views, sample->file_pages)),
    };
    pl_document_row(table, row);
}

static struct pl_document_table *memory_table(const struct views *views)
{
    static const struct pl_column columns[] = {
        {"phase", "at the end of", "", PL_VALUE_TEXT, 0},      {"time_s", "time", "s", PL_VALUE_REAL, 3},
        {"in_use_mib", "In use", "MiB", PL_VALUE_REAL, 1},     {"compressed_mib", "Compressed", "MiB", PL_VALUE_REAL, 1},
        {"modified_mib", "Modified", "MiB", PL_VALUE_REAL, 1}, {"standby_mib", "Standby", "MiB", PL_VALUE_REAL, 1},
        {"free_mib", "Free", "MiB", PL_VALUE_REAL, 1},         {"available_mib", "Available", "MiB", PL_VALUE_REAL, 1},
        {"cached_mib", "Cached", "MiB", PL_VALUE_REAL, 1},     {"committed_mib", "Committed", "MiB", PL_VALUE_REAL, 1},
        {"commit_limit_mib", "of", "MiB", PL_VALUE_REAL, 1},   {"stored_mib", "stored", "MiB", PL_VALUE_REAL, 1},
        {"page_file_mib", "page file", "MiB", PL_VALUE_REAL, 1},
    };
    struct pl_document_table *table = pl_document_table(
        views->document, "views_memory", "Task Manager: memory", columns, PL_COUNT_OF(columns));
    each_phase(views, table, put_memory);
    return table;
}

/* --- Process Explorer: processes --------------------------------------------------------------- */

static uint64_t sum_region(const struct pl_region_use *region, size_t offset)
{
    uint64_t sum = 0;
    for (int i = 0; i < PL_REGIONS; i++)
        sum += *(const uint64_t *)((const char *)&region[i] + offset);
    return sum;
}
#define SUM(region, field) sum_region(region, offsetof(struct pl_region_use, field))

static uint64_t all_faults(const struct pl_sim_cell *cell)
{
    uint64_t sum = 0;
    for (int kind = 0; kind < PL_FAULT_KINDS; kind++)
        sum += cell->faults[kind];
    return sum;
}

static void put_processes(const struct views *views, struct pl_document_table *table, const struct pl_sim_phase *phase)
{
    for (uint32_t i = 0; i < phase->processes; i++) {
        const struct pl_process_state *state = &phase->state[i];
        const struct pl_region_use *region = phase->view->region[i];
        const uint64_t *faults = phase->cell[i].faults;
        if (has_exited(phase, i))
            continue;
        const struct pl_value row[] = {
            pl_value_text(replay_phase_name(phase)),
            pl_value_count(views->report->result->process[i].id),
            pl_value_text(process_name(views, i)),
            pl_value_count(all_faults(&phase->so_far[i])),
            pl_value_count(all_faults(&phase->cell[i])),
            pl_value_count(faults[PL_FAULT_STORE]),
            pl_value_count(faults[PL_FAULT_HARD]),
            pl_value_real(kib(views, state->commit_pages)),
            pl_value_real(kib(views, state->virtual_pages)),
            pl_value_real(kib(views, state->working_set)),
            pl_value_real(kib(views, state->peak_working_set)),
            pl_value_real(kib(views, SUM(region, ws_private))),
            pl_value_real(kib(views, SUM(region, ws_shareable))),
            pl_value_real(kib(views, SUM(region, ws_shared))),
            pl_value_count(state->params.priority),
        };
        pl_document_row(table, row);
    }
}

static struct pl_document_table *process_table(const struct views *views)
{
    static const struct pl_column columns[] = {
        {"phase", "at the end of", "", PL_VALUE_TEXT, 0},
        {"process", "PID", "", PL_VALUE_COUNT, 0},
        {"name", "Process", "", PL_VALUE_TEXT, 0},
        {"page_faults", "Page Faults", "", PL_VALUE_COUNT, 0},
        {"page_fault_delta", "PF Delta", "", PL_VALUE_COUNT, 0},
        {"store_fault_delta", "store", "", PL_VALUE_COUNT, 0},
        {"hard_fault_delta", "hard", "", PL_VALUE_COUNT, 0},
        {"private_kib", "Private Bytes", "KiB", PL_VALUE_REAL, 0},
        {"virtual_kib", "Virtual Size", "KiB", PL_VALUE_REAL, 0},
        {"working_set_kib", "Working Set", "KiB", PL_VALUE_REAL, 0},
        {"peak_working_set_kib", "Peak WS", "KiB", PL_VALUE_REAL, 0},
        {"ws_private_kib", "WS Private", "KiB", PL_VALUE_REAL, 0},
        {"ws_shareable_kib", "WS Share- able", "KiB", PL_VALUE_REAL, 0},
        {"ws_shared_kib", "WS Shared", "KiB", PL_VALUE_REAL, 0},
        {"memory_priority", "Memory Priority", "", PL_VALUE_COUNT, 0},
    };
    struct pl_document_table *table =
        pl_document_table(views->document, "views_processes",
                          "Process Explorer: processes (deltas are of the phase: all page faults, and of them those that the "
                          "store and the disk served)",
                          columns, PL_COUNT_OF(columns));
    each_phase(views, table, put_processes);
    pl_document_show_at_most(table, 40);
    return table;
}

/* --- VMMap: each process by type ------------------------------------------------------------------ */

/* A section is committed, though no process is charged for it. */
static uint64_t committed_of(enum pl_region type, const struct pl_region_use *use)
{
    return type == PL_REGION_MAPPED_FILE || type == PL_REGION_SHAREABLE ? use->size : use->charged;
}

static void put_type(const struct views *views, struct pl_document_table *table, const struct pl_sim_phase *phase,
                     uint32_t process, const char *type, const struct pl_region_use *use, uint64_t committed)
{
    const struct pl_value row[] = {
        pl_value_text(replay_phase_name(phase)),
        pl_value_count(views->report->result->process[process].id),
        pl_value_text(process_name(views, process)),
        pl_value_text(type),
        pl_value_real(kib(views, use->size)),
        pl_value_real(kib(views, committed)),
        pl_value_real(kib(views, use->charged)),
        pl_value_real(kib(views, use->working_set)),
        pl_value_real(kib(views, use->ws_private)),
        pl_value_real(kib(views, use->ws_shareable)),
        pl_value_real(kib(views, use->ws_shared)),
        pl_value_real(kib(views, use->locked)),
        pl_value_real(kib(views, use->standby + use->modified + use->transition)),
        pl_value_real(kib(views, use->in_store)),
        pl_value_real(kib(views, use->in_file)),
    };
    pl_document_row(table, row);
}

static void add_use(struct pl_region_use *into, const struct pl_region_use *from)
{
    into->size += from->size;
    into->charged += from->charged;
    into->working_set += from->working_set;
    into->ws_private += from->ws_private;
    into->ws_shareable += from->ws_shareable;
    into->ws_shared += from->ws_shared;
    into->locked += from->locked;
    into->standby += from->standby;
    into->modified += from->modified;
    into->transition += from->transition;
    into->in_store += from->in_store;
    into->in_file += from->in_file;
}

static void put_types(const struct views *views, struct pl_document_table *table, const struct pl_sim_phase *phase)
{
    for (uint32_t i = 0; i < phase->processes; i++) {
        struct pl_region_use sum = {0};
        uint64_t committed = 0;
        if (has_exited(phase, i))
            continue;
        for (int type = 0; type < PL_REGIONS; type++) {
            const struct pl_region_use *use = &phase->view->region[i][type];
            add_use(&sum, use);
            committed += committed_of((enum pl_region)type, use);
        }
        put_type(views, table, phase, i, "Total", &sum, committed);
        for (int type = 0; type < PL_REGIONS; type++) {
            const struct pl_region_use *use = &phase->view->region[i][type];
            if (use->size)
                put_type(views, table, phase, i, pl_region_names[type], use, committed_of((enum pl_region)type, use));
        }
    }
}

static struct pl_document_table *type_table(const struct views *views)
{
    static const struct pl_column columns[] = {
        {"phase", "at the end of", "", PL_VALUE_TEXT, 0},
        {"process", "PID", "", PL_VALUE_COUNT, 0},
        {"name", "Process", "", PL_VALUE_TEXT, 0},
        {"type", "Type", "", PL_VALUE_TEXT, 0},
        {"size_kib", "Size", "KiB", PL_VALUE_REAL, 0},
        {"committed_kib", "Committed", "KiB", PL_VALUE_REAL, 0},
        {"private_kib", "Private", "KiB", PL_VALUE_REAL, 0},
        {"total_ws_kib", "Total WS", "KiB", PL_VALUE_REAL, 0},
        {"private_ws_kib", "Private WS", "KiB", PL_VALUE_REAL, 0},
        {"shareable_ws_kib", "Shareable WS", "KiB", PL_VALUE_REAL, 0},
        {"shared_ws_kib", "Shared WS", "KiB", PL_VALUE_REAL, 0},
        {"locked_ws_kib", "Locked WS", "KiB", PL_VALUE_REAL, 0},
        {"listed_kib", "on lists", "KiB", PL_VALUE_REAL, 0},
        {"in_store_kib", "in the store", "KiB", PL_VALUE_REAL, 0},
        {"in_page_file_kib", "in the page file", "KiB", PL_VALUE_REAL, 0},
    };
    struct pl_document_table *table = pl_document_table(
        views->document, "views_types",
        "VMMap: each process by type (the last three columns are not VMMap's: where private pages are that left the working set)",
        columns, PL_COUNT_OF(columns));
    each_phase(views, table, put_types);
    pl_document_show_at_most(table, 60);
    return table;
}

/* --- RAMMap: use counts, priorities, processes ------------------------------------------------------ */

static void put_use(const struct views *views, struct pl_document_table *table, const struct pl_sim_phase *phase,
                    const char *use, const uint32_t *list)
{
    uint64_t total = 0;
    for (int i = 0; i < PL_LISTS; i++)
        total += list[i];
    const struct pl_value row[] = {
        pl_value_text(replay_phase_name(phase)),
        pl_value_text(use),
        pl_value_real(kib(views, total)),
        pl_value_real(kib(views, list[PL_LIST_ACTIVE])),
        pl_value_real(kib(views, standby_of(list))),
        pl_value_real(kib(views, (uint64_t)list[PL_LIST_MODIFIED] + list[PL_LIST_MODIFIED_FILE])),
        pl_value_real(kib(views, list[PL_LIST_MODIFIED_NO_WRITE])),
        pl_value_real(kib(views, list[PL_LIST_TRANSITION])),
        pl_value_real(kib(views, list[PL_LIST_ZERO])),
        pl_value_real(kib(views, list[PL_LIST_FREE])),
        pl_value_real(kib(views, list[PL_LIST_BAD])),
    };
    pl_document_row(table, row);
}

/* The store is a process of its own in Windows 10; its frames are the kernel's here, and shown apart. */
static void put_uses(const struct views *views, struct pl_document_table *table, const struct pl_sim_phase *phase)
{
    uint32_t all[PL_LISTS] = {0}, store[PL_LISTS] = {0};
    store[PL_LIST_ACTIVE] = phase->view->store_frames;
    for (int use = 0; use < PL_USES; use++) {
        uint32_t list[PL_LISTS];
        uint64_t total = 0;
        memcpy(list, phase->view->use.frames[use], sizeof list);
        for (int i = 0; i < PL_LISTS; i++) {
            all[i] += list[i];
            total += list[i];
        }
        if (use == PL_USE_KERNEL) {
            list[PL_LIST_ACTIVE] -= phase->view->store_frames;
            total -= phase->view->store_frames;
            if (phase->view->store_frames)
                put_use(views, table, phase, "Compressed Store", store);
        }
        if (total)
            put_use(views, table, phase, pl_use_names[use], list);
    }
    put_use(views, table, phase, "Total", all);
}

static struct pl_document_table *use_table(const struct views *views)
{
    static const struct pl_column columns[] = {
        {"phase", "at the end of", "", PL_VALUE_TEXT, 0},
        {"usage", "Usage", "", PL_VALUE_TEXT, 0},
        {"total_kib", "Total", "KiB", PL_VALUE_REAL, 0},
        {"active_kib", "Active", "KiB", PL_VALUE_REAL, 0},
        {"standby_kib", "Standby", "KiB", PL_VALUE_REAL, 0},
        {"modified_kib", "Modified", "KiB", PL_VALUE_REAL, 0},
        {"modified_no_write_kib", "Modified No-Write", "KiB", PL_VALUE_REAL, 0},
        {"transition_kib", "Transition", "KiB", PL_VALUE_REAL, 0},
        {"zeroed_kib", "Zeroed", "KiB", PL_VALUE_REAL, 0},
        {"free_kib", "Free", "KiB", PL_VALUE_REAL, 0},
        {"bad_kib", "Bad", "KiB", PL_VALUE_REAL, 0},
    };
    struct pl_document_table *table =
        pl_document_table(views->document, "views_uses", "RAMMap: use counts", columns, PL_COUNT_OF(columns));
    each_phase(views, table, put_uses);
    pl_document_show_at_most(table, 80);
    return table;
}

static void put_priorities(const struct views *views, struct pl_document_table *table, const struct pl_sim_phase *phase)
{
    for (int priority = 0; priority < PL_PRIORITIES; priority++) {
        uint32_t standby = phase->sample.list[PL_LIST_STANDBY + priority];
        uint64_t repurposed = phase->view->repurposed[priority];
        const struct pl_value row[] = {pl_value_text(replay_phase_name(phase)), pl_value_count((uint64_t)priority),
                                       pl_value_real(kib(views, standby)), pl_value_real(kib(views, repurposed))};
        if (standby || repurposed)
            pl_document_row(table, row);
    }
}

static struct pl_document_table *priority_table(const struct views *views)
{
    static const struct pl_column columns[] = {
        {"phase", "at the end of", "", PL_VALUE_TEXT, 0},
        {"priority", "Priority", "", PL_VALUE_COUNT, 0},
        {"standby_kib", "Standby", "KiB", PL_VALUE_REAL, 0},
        {"repurposed_kib", "Repurposed", "KiB", PL_VALUE_REAL, 0},
    };
    struct pl_document_table *table = pl_document_table(
        views->document, "views_priorities", "RAMMap: priority summary (priorities that were ever used)", columns,
        PL_COUNT_OF(columns));
    each_phase(views, table, put_priorities);
    return table;
}

static void put_holders(const struct views *views, struct pl_document_table *table, const struct pl_sim_phase *phase)
{
    for (uint32_t i = 0; i < phase->processes; i++) {
        const struct pl_region_use *region = phase->view->region[i];
        const struct pl_region_use *own = &region[PL_REGION_PRIVATE];
        uint64_t active = own->working_set, tables = region[PL_REGION_PAGE_TABLE].working_set +
                                                     region[PL_REGION_PAGE_TABLE].standby +
                                                     region[PL_REGION_PAGE_TABLE].modified;
        if (has_exited(phase, i))
            continue;
        const struct pl_value row[] = {
            pl_value_text(replay_phase_name(phase)),
            pl_value_count(views->report->result->process[i].id),
            pl_value_text(process_name(views, i)),
            pl_value_real(kib(views, active)),
            pl_value_real(kib(views, own->standby)),
            pl_value_real(kib(views, own->modified)),
            pl_value_real(kib(views, tables)),
            pl_value_real(kib(views, active + own->standby + own->modified + tables)),
        };
        pl_document_row(table, row);
    }
}

static struct pl_document_table *holder_table(const struct views *views)
{
    static const struct pl_column columns[] = {
        {"phase", "at the end of", "", PL_VALUE_TEXT, 0},      {"process", "PID", "", PL_VALUE_COUNT, 0},
        {"name", "Process", "", PL_VALUE_TEXT, 0},             {"private_kib", "Private", "KiB", PL_VALUE_REAL, 0},
        {"standby_kib", "Standby", "KiB", PL_VALUE_REAL, 0},   {"modified_kib", "Modified", "KiB", PL_VALUE_REAL, 0},
        {"page_table_kib", "Page Table", "KiB", PL_VALUE_REAL, 0}, {"total_kib", "Total", "KiB", PL_VALUE_REAL, 0},
    };
    struct pl_document_table *table =
        pl_document_table(views->document, "views_holders", "RAMMap: processes", columns, PL_COUNT_OF(columns));
    each_phase(views, table, put_holders);
    pl_document_show_at_most(table, 40);
    return table;
}

/* --- side by side ---------------------------------------------------------------------------------------- */

/* What each tool says of a process, so that memory shows that some of them do not count. */
static void put_tools(const struct views *views, struct pl_document_table *table, const struct pl_sim_phase *phase)
{
    for (uint32_t i = 0; i < phase->processes; i++) {
        const struct pl_process_state *state = &phase->state[i];
        const struct pl_region_use *region = phase->view->region[i];
        uint64_t committed = 0, size = 0;
        if (has_exited(phase, i))
            continue;
        for (int type = 0; type < PL_REGIONS; type++) {
            size += region[type].size;
            committed += committed_of((enum pl_region)type, &region[type]);
        }
        const struct pl_value row[] = {
            pl_value_text(replay_phase_name(phase)),
            pl_value_count(views->report->result->process[i].id),
            pl_value_text(process_name(views, i)),
            pl_value_real(kib(views, state->working_set)),
            pl_value_real(kib(views, SUM(region, ws_private))),
            pl_value_real(kib(views, state->commit_pages)),
            pl_value_real(kib(views, state->virtual_pages)),
            pl_value_real(kib(views, SUM(region, ws_shareable))),
            pl_value_real(kib(views, size)),
            pl_value_real(kib(views, committed)),
            pl_value_real(kib(views, SUM(region, locked))),
            pl_value_real(kib(views, region[PL_REGION_PRIVATE].working_set)),
            pl_value_real(kib(views, region[PL_REGION_MAPPED_FILE].working_set)),
            pl_value_real(kib(views, region[PL_REGION_SHAREABLE].working_set)),
            pl_value_real(kib(views, region[PL_REGION_LARGE].locked)),
        };
        pl_document_row(table, row);
    }
}

static struct pl_document_table *tool_table(const struct views *views)
{
    static const struct pl_column columns[] = {
        {"phase", "at the end of", "", PL_VALUE_TEXT, 0},
        {"process", "PID", "", PL_VALUE_COUNT, 0},
        {"name", "Process", "", PL_VALUE_TEXT, 0},
        {"working_set_kib", "Task Mgr Working Set", "KiB", PL_VALUE_REAL, 0},
        {"private_working_set_kib", "Private WS", "KiB", PL_VALUE_REAL, 0},
        {"commit_kib", "Commit Size", "KiB", PL_VALUE_REAL, 0},
        {"virtual_kib", "ProcExp Virtual Size", "KiB", PL_VALUE_REAL, 0},
        {"ws_shareable_kib", "WS Share- able", "KiB", PL_VALUE_REAL, 0},
        {"vmmap_size_kib", "VMMap Size", "KiB", PL_VALUE_REAL, 0},
        {"vmmap_committed_kib", "VMMap Committed", "KiB", PL_VALUE_REAL, 0},
        {"vmmap_locked_kib", "VMMap Locked WS", "KiB", PL_VALUE_REAL, 0},
        {"rammap_private_kib", "RAMMap Private", "KiB", PL_VALUE_REAL, 0},
        {"rammap_mapped_file_kib", "RAMMap Mapped File", "KiB", PL_VALUE_REAL, 0},
        {"rammap_shareable_kib", "RAMMap Shareable", "KiB", PL_VALUE_REAL, 0},
        {"rammap_large_kib", "RAMMap Large Page", "KiB", PL_VALUE_REAL, 0},
    };
    struct pl_document_table *table =
        pl_document_table(views->document, "views_tools", "The tools side by side: what each shows of a process", columns,
                          PL_COUNT_OF(columns));
    each_phase(views, table, put_tools);
    pl_document_show_at_most(table, 40);
    return table;
}

void replay_put_views(struct pl_document *document, const struct replay_report *report)
{
    const struct views views = {document, report, (double)report->machine->page_bytes};
    static struct pl_document_table *(*const tables[])(const struct views *) = {
        memory_table, process_table, type_table, use_table, priority_table, holder_table, tool_table};
    for (size_t i = 0; i < PL_COUNT_OF(tables); i++) {
        struct pl_document_table *table = tables[i](&views);
        if ((int)i == report->options->csv_table)
            pl_document_csv_table(document, table);
    }
}
