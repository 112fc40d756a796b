/* mm/places.h: a working-set list: pages in numbered places that they keep while they are members, as in a frame
 * table or the working-set list of Windows. The place vacated last is filled first, so a page that replaces another
 * takes its place. */
#ifndef PL_MM_PLACES_H
#define PL_MM_PLACES_H

#include "base/error.h"

/* A vacant place holds this plus the number of the next vacant one, or plus PL_PLACE_LAST; pages are below it. */
#define PL_PLACE_HOLE UINT32_C(0x80000000)
#define PL_PLACE_LAST UINT32_C(0x7fffffff)

struct pl_places {
    pl_page *page;
    uint32_t used; /* places, holes included */
    uint32_t vacant; /* the first hole, or PL_PLACE_LAST */
    uint32_t capacity;
};

static inline bool pl_is_hole(pl_page page)
{
    return page >= PL_PLACE_HOLE;
}

void pl_places_init(struct pl_places *places);
void pl_places_close(struct pl_places *places);
enum pl_err pl_places_reserve(struct pl_places *places, uint32_t pages, struct pl_error *err);
uint32_t pl_places_add(struct pl_places *places, uint32_t *position, pl_page page); /* the place it got */
uint32_t pl_places_remove(struct pl_places *places, const uint32_t *position, pl_page page); /* the place it had */
bool pl_places_check(const struct pl_places *places, const uint32_t *position, uint32_t members);

#endif
