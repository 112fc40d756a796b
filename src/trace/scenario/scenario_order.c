/* trace/scenario/scenario_order.c: a random order of n things, each once, that can be asked for place by place.
 *
 * A Feistel network of four rounds over the next even number of bits is a permutation of at most 4 n numbers; those that
 * are not below n are sent through again until they are (cycle walking, Black and Rogaway 2002), which keeps it one. */
#include "trace/scenario/scenario.h"

uint64_t scenario_order(uint64_t key, uint64_t n, uint64_t i)
{
    unsigned half = 1;
    while (half < 31 && UINT64_C(1) << (2 * half) < n)
        half++;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = i >> half, right = i & mask;
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t next = left ^ (pl_mix64(key + round * UINT64_C(0x9e3779b97f4a7c15) + right) & mask);
            left = right;
            right = next;
        }
        i = left << half | right;
    } while (i >= n);
    return i;
}
