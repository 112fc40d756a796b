/* mm/lru_order.h: the exact least recently used page of a set, from stamps that touches leave behind.
 *
 * A touch moves nothing here. When a victim is wanted and none is at hand, the stamps of all members are read, about
 * the oldest eighth is put in order, and victims are taken from it. A page touched since has another stamp than the
 * one noted, and is passed over: any page not noted was touched later than all that were, so the first noted page
 * whose stamp still holds is the least recently used of all.
 *
 * Each reading serves as many victims and touches of old pages as it noted pages, so a victim costs about eight
 * stamps read. Memory: 8 bytes a member, of them 4 in the table of places. */
#ifndef PL_MM_LRU_ORDER_H
#define PL_MM_LRU_ORDER_H

#include "mm/replacement.h"

struct pl_lru_noted {
    uint32_t stamp;
    pl_page page;
};

struct pl_lru_order {
    pl_page *member; /* in no order; the table of places says where each is */
    uint32_t members, capacity;
    struct pl_lru_noted *noted; /* ascending stamps; those before `next` are done with */
    uint32_t next, end, noted_capacity;
    uint32_t draw; /* state of the sampling */
};

enum pl_err pl_lru_order_reserve(struct pl_lru_order *order, struct pl_replacement_shared *shared, uint32_t members,
                                 struct pl_error *err);
void pl_lru_order_close(struct pl_lru_order *order);
void pl_lru_order_add(struct pl_lru_order *order, struct pl_replacement_shared *shared, pl_page page);
void pl_lru_order_remove(struct pl_lru_order *order, struct pl_replacement_shared *shared, pl_page page);
pl_page pl_lru_order_first(struct pl_lru_order *order, struct pl_replacement_shared *shared); /* there is a member */
void pl_lru_order_forget(struct pl_lru_order *order); /* stamps have changed */
bool pl_lru_order_check(const struct pl_lru_order *order, const struct pl_replacement_shared *shared);

#endif
