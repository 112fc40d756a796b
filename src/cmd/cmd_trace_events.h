/* cmd/cmd_trace_events.h: the tables of `pagelab trace events`. */
#ifndef PL_CMD_CMD_TRACE_EVENTS_H
#define PL_CMD_CMD_TRACE_EVENTS_H

#include "cmd/cmd.h"
#include "trace/etl/etl.h"

/* Collects rows while the events pass; one of the tables below. */
struct events_view {
    const struct pl_etl *log;
    struct pl_document *document;
    struct pl_document_table *table;
    struct pl_arena *arena;
    const struct pl_etl_schema *schema; /* of the one event that is listed */
    uint64_t rows, unreadable;
    struct pl_etl_reference *reference;
    enum pl_err failed; /* what taking an event said */
    struct pl_error failure;
};

/* Every table starts with `begin`, takes each event, and ends. */
struct events_table {
    enum pl_err (*begin)(struct events_view *view, struct pl_error *err);
    void (*take)(struct events_view *view, const struct pl_etl_event *event);
    void (*end)(struct events_view *view);
};
extern const struct events_table events_hard_faults, events_listing, events_reference_set;

/* What the file is, by its log header, and every kind of event in it. */
void events_describe(struct pl_document *document, const struct pl_etl *log, struct pl_arena *arena);
void events_summary(struct pl_document *document, const struct pl_etl *log, struct pl_arena *arena);
/* What was left out. */
void events_losses(struct pl_document *document, const struct pl_etl *log);

/* The schema of an event by its name ("HardFault", "PageFault/HardFault") or its id ("0x0220"), as it occurs in the file. */
enum pl_err events_find(const struct pl_etl *log, const char *name, uint16_t *hook, struct pl_error *err);

#endif
