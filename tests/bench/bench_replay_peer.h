/* tests/bench/bench_replay_peer.h: libCacheSim's LRU on the touches that a replay was measured with.
 *
 * $PAGELAB_LIBCACHESIM is its `cachesim`; without it a line says that this was skipped. */
#ifndef BENCH_REPLAY_PEER_H
#define BENCH_REPLAY_PEER_H

#include "base/types.h"

#include <stdint.h>

/* Prints requests a second of processor time, its whole process from start to end, median of `runs`: LRU of `size` pages on
 * the touches of a trace that has as many. It counts hits alone: no costs, no dirty pages. */
void bench_replay_peer(const char *trace, pl_page size, int runs);

#endif
