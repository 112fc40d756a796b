/* mm/page_queue.c: a queue of pages with removal from within. */
#include "mm/page_queue.h"
#include "mm/replacement_list.h"

#include <assert.h>
#include <stdlib.h>

enum pl_err pl_page_queue_reserve(struct pl_page_queue *queue, uint32_t pages, struct pl_error *err)
{
    uint64_t places = 2 * (uint64_t)pages + 16;
    return pl_replacement_grow(&queue->page, &queue->capacity, places > UINT32_MAX ? UINT32_MAX : (uint32_t)places,
                               sizeof(queue->page[0]), err);
}

void pl_page_queue_close(struct pl_page_queue *queue)
{
    free(queue->page);
    *queue = (struct pl_page_queue){NULL, 0, 0, 0, 0};
}

static void close_holes(struct pl_page_queue *queue, uint32_t *position)
{
    uint32_t to = 0;
    for (uint32_t from = queue->head; from < queue->tail; from++) {
        pl_page page = queue->page[from];
        if (page == PL_NO_PAGE)
            continue;
        queue->page[to] = page;
        position[page] = to++;
    }
    queue->head = 0;
    queue->tail = to;
}

void pl_page_queue_add(struct pl_page_queue *queue, uint32_t *position, pl_page page)
{
    if (queue->tail == queue->capacity)
        close_holes(queue, position);
    assert(queue->tail < queue->capacity);
    position[page] = queue->tail;
    queue->page[queue->tail++] = page;
    queue->count++;
}

void pl_page_queue_remove(struct pl_page_queue *queue, const uint32_t *position, pl_page page)
{
    assert(queue->count > 0 && queue->page[position[page]] == page);
    queue->page[position[page]] = PL_NO_PAGE;
    queue->count--;
}

pl_page pl_page_queue_first(struct pl_page_queue *queue)
{
    if (!queue->count)
        return PL_NO_PAGE;
    while (queue->page[queue->head] == PL_NO_PAGE)
        queue->head++;
    return queue->page[queue->head];
}

bool pl_page_queue_check(const struct pl_page_queue *queue, const uint32_t *position)
{
    uint32_t found = 0;
    for (uint32_t i = queue->head; i < queue->tail; i++) {
        if (queue->page[i] == PL_NO_PAGE)
            continue;
        if (position[queue->page[i]] != i)
            return false;
        found++;
    }
    return found == queue->count;
}
