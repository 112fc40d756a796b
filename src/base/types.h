/* base/types.h: the numbers everything is counted in. */
#ifndef PL_BASE_TYPES_H
#define PL_BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A page as the inside of the program knows it: dense, in the order of first use. Outside, pages have 64-bit numbers
 * and belong to a process; a trace's dictionary leads from one to the other. */
typedef uint32_t pl_page;
#define PL_NO_PAGE UINT32_MAX /* so at most 2^32 - 1 distinct pages */

/* Virtual time. Picoseconds, so that a resident write of 0.6 ns is an integer; 2^63 ps are 106 days. */
typedef int64_t pl_time_ps;
#define PL_PS_PER_NS INT64_C(1000)
#define PL_PS_PER_US INT64_C(1000000)
#define PL_PS_PER_MS INT64_C(1000000000)
#define PL_PS_PER_S INT64_C(1000000000000)

#define PL_KIB UINT64_C(1024)
#define PL_MIB (UINT64_C(1024) * PL_KIB)
#define PL_GIB (UINT64_C(1024) * PL_MIB)

#define PL_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
