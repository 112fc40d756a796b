/* base/base.h: the ground floor, table of contents. Knows nothing of paging; depends on the C library alone, but for
 * reading JSON (cJSON), which the Windows core leaves out. */
#ifndef PL_BASE_BASE_H
#define PL_BASE_BASE_H

#include "base/arena.h"    /* memory that lives as long as a run; large tables on huge pages */
#include "base/csv.h"      /* small tables by header name */
#include "base/document.h" /* results written as a table, JSON and CSV from one description */
#include "base/error.h"    /* error codes and messages with input locations */
#include "base/hash.h"     /* checksums */
#include "base/json.h"     /* JSON, written as a stream and read with paths */
#include "base/option.h"   /* command-line options as data */
#include "base/parameter.h" /* machines and other profiles, described by tables */
#include "base/progress.h" /* how far a long run is */
#include "base/random.h"   /* reproducible random streams */
#include "base/sink.h"     /* where documents go */
#include "base/text.h"     /* growable strings, nearest words */
#include "base/types.h"    /* pages, picoseconds */
#include "base/units.h"    /* "8MiB", "2ms", "320MiB/s", "128p" */

#endif
