/* How long one event takes: the "hold" model, in which each event taken out puts one in, a random time later. Prints one
 * line per queue length. Usage: bench_event_queue */
#define _GNU_SOURCE
#include "base/random.h"
#include "sim/sim.h"

#include <stdio.h>
#include <time.h>

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int hold(size_t pending, size_t rounds)
{
    struct pl_event_queue queue;
    struct pl_random random = pl_random_named(1, "hold");
    struct pl_event event = {0};
    if (pl_event_queue_open(&queue, pending, NULL))
        return 3;
    for (size_t i = 0; i < pending; i++)
        if (pl_event_queue_push(&queue, (pl_time_ps)pl_random_below(&random, PL_PS_PER_S), 0, 0, 0, NULL))
            return 3;
    double start = now_s();
    for (size_t i = 0; i < rounds && pl_event_queue_pop(&queue, &event); i++) {
        pl_time_ps later = event.time_ps + (pl_time_ps)(pl_random_next(&random) >> 24);
        if (pl_event_queue_push(&queue, later, 0, event.target, 0, NULL))
            return 3;
    }
    printf("event_queue: %zu pending, one pop and one push: %.1f ns\n", pending, (now_s() - start) * 1e9 / (double)rounds);
    pl_event_queue_close(&queue);
    return 0;
}

int main(void)
{
    static const size_t pending[] = {10, 1000, 100000, 1000000};
    for (size_t i = 0; i < PL_COUNT_OF(pending); i++)
        if (hold(pending[i], 3000000))
            return 3;
    return 0;
}
