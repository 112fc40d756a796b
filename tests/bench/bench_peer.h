/* tests/bench/bench_peer.h: `pagelab curve` beside libCacheSim, as whole processes that take turns.
 *
 * $PAGELAB_LIBCACHESIM is its `cachesim`; without it a line says that this was skipped. $PAGELAB is the program measured,
 * ./pagelab when not set. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "bench_touches.h"
#include "curve/curve.h"

/* Prints how many times as fast our whole curve is, by the clock and by processor time: against its LRU at a tenth of the
 * pages, from our native file and from the requests that both read; and against its run of 16 sizes, from the native file.
 * Its miss ratio must be ours. */
void bench_peer(const char *name, const struct touches *touches, pl_page pages, int runs);

#endif
