/* trace/etl/etl_reference.h: the reference set of an event trace: which pages were touched since the working sets were emptied, by
 * what they belong to.
 *
 * A session with the reference set on empties all working sets at its marks and then logs the first access to every page. Feed
 * it all events in order. Private pages are told apart by what the trace says of their address: allocated in the trace
 * or before it, on a user stack, in an image (a private copy of its page). Heaps are not told from other private pages: the
 * fields of their events are not public. */
#ifndef PL_TRACE_ETL_REFERENCE_H
#define PL_TRACE_ETL_REFERENCE_H

#include "trace/etl/etl.h"

enum pl_etl_category { /* behind those of enum pl_etl_use */
    PL_ETL_COPY_ON_WRITE_IMAGE = PL_ETL_USES,
    PL_ETL_ALLOCATED,
    PL_ETL_ALLOCATED_BEFORE, /* the trace */
    PL_ETL_USER_STACK,
    PL_ETL_IMAGE,
    PL_ETL_CATEGORIES,
};

struct pl_etl_reference_row {
    uint64_t accesses, pages, released; /* events; pages that they cover; pages given back */
};

struct pl_etl_reference;

enum pl_err pl_etl_reference_create(const struct pl_etl *etl, struct pl_etl_reference **out, struct pl_error *err);
void pl_etl_reference_destroy(struct pl_etl_reference *reference); /* NULL is allowed */
enum pl_err pl_etl_reference_take(struct pl_etl_reference *reference, const struct pl_etl_event *event,
                                  struct pl_error *err);
/* By enum pl_etl_category. */
const struct pl_etl_reference_row *pl_etl_reference_rows(const struct pl_etl_reference *reference);
const char *pl_etl_category_name(unsigned category); /* "VirtualAlloc_PreTrace" */

#endif
