/* mm/fifo.c: the page that came in first leaves first. What this does not model: touches. */
#include "mm/page_queue.h"
#include "mm/replacement_list.h"

#include <stdlib.h>

struct fifo {
    struct pl_replacement base;
    struct pl_page_queue queue;
};

static enum pl_err create(const struct pl_replacement_params *params, struct pl_replacement_shared *shared,
                          struct pl_replacement **out, struct pl_error *err)
{
    struct fifo *fifo = calloc(1, sizeof(*fifo));
    if (!fifo)
        return pl_fail_memory(err, sizeof(*fifo), "a working set");
    fifo->base = (struct pl_replacement){&pl_replacement_fifo, shared, 0};
    *out = &fifo->base;
    return PL_OK;
}

static void destroy(struct pl_replacement *policy)
{
    struct fifo *fifo = (struct fifo *)policy;
    pl_page_queue_close(&fifo->queue);
    free(fifo);
}

static enum pl_err reserve(struct pl_replacement *policy, uint32_t members, struct pl_error *err)
{
    return pl_page_queue_reserve(&((struct fifo *)policy)->queue, members, err);
}

static void came_in(struct pl_replacement *policy, pl_page page)
{
    pl_page_queue_add(&((struct fifo *)policy)->queue, policy->shared->position, page);
    policy->members++;
}

static void left(struct pl_replacement *policy, pl_page page)
{
    pl_page_queue_remove(&((struct fifo *)policy)->queue, policy->shared->position, page);
    policy->members--;
}

static pl_page victim(struct pl_replacement *policy)
{
    return pl_page_queue_first(&((struct fifo *)policy)->queue);
}

static const char *check(const struct pl_replacement *policy)
{
    const struct fifo *fifo = (const struct fifo *)policy;
    if (fifo->queue.count != policy->members)
        return "fifo: the queue is not as long as the working set";
    return pl_page_queue_check(&fifo->queue, policy->shared->position) ? NULL : "fifo: the queue is out of order";
}

const struct pl_replacement_ops pl_replacement_fifo = {
    .name = "fifo",
    .about = "first in, first out",
    .create = create,
    .destroy = destroy,
    .reserve = reserve,
    .came_in = came_in,
    .left = left,
    .victim = victim,
    .check = check,
};
