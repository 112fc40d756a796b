/* tests/unit/winstone.h: the Winstone table of 1996 as the tests of the model use it. */
#ifndef PL_TEST_WINSTONE_H
#define PL_TEST_WINSTONE_H

#include "model/fault_table.h"

#include <math.h>

static const double winstone_mb[] = {6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const double winstone_reads[] = {229089, 97257, 55594, 37678, 26633, 19379, 14815, 11193, 8297, 7065, 5044};
static const double winstone_writes[] = {84533, 51069, 37106, 30592, 24964, 20732, 17599, 14533, 11700, 10454, 8479};

static inline struct pl_fault_table winstone_table(void)
{
    return (struct pl_fault_table){
        .name = "winstone",
        .page_size = 4096,
        .count = PL_COUNT_OF(winstone_mb),
        .memory_mb = winstone_mb,
        .reads = winstone_reads,
        .writes = winstone_writes,
        .cold = NAN,
    };
}

#endif
