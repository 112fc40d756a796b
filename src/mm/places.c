/* mm/places.c: a working-set list with places. */
#include "mm/places.h"
#include "mm/replacement_list.h"

#include <assert.h>
#include <stdlib.h>

void pl_places_init(struct pl_places *places)
{
    *places = (struct pl_places){.vacant = PL_PLACE_LAST};
}

void pl_places_close(struct pl_places *places)
{
    free(places->page);
    pl_places_init(places);
}

enum pl_err pl_places_reserve(struct pl_places *places, uint32_t pages, struct pl_error *err)
{
    return pl_replacement_grow(&places->page, &places->capacity, pages, sizeof(places->page[0]), err);
}

uint32_t pl_places_add(struct pl_places *places, uint32_t *position, pl_page page)
{
    uint32_t place = places->vacant;
    if (place != PL_PLACE_LAST)
        places->vacant = places->page[place] & ~PL_PLACE_HOLE;
    else
        place = places->used++;
    assert(place < places->capacity && !pl_is_hole(page));
    places->page[place] = page;
    position[page] = place;
    return place;
}

uint32_t pl_places_remove(struct pl_places *places, const uint32_t *position, pl_page page)
{
    uint32_t place = position[page];
    assert(place < places->used && places->page[place] == page);
    places->page[place] = PL_PLACE_HOLE | places->vacant;
    places->vacant = place;
    return place;
}

bool pl_places_check(const struct pl_places *places, const uint32_t *position, uint32_t members)
{
    uint32_t found = 0, holes = 0;
    for (uint32_t i = 0; i < places->used; i++) {
        if (pl_is_hole(places->page[i]))
            continue;
        if (position[places->page[i]] != i)
            return false;
        found++;
    }
    for (uint32_t hole = places->vacant; hole != PL_PLACE_LAST; holes++) {
        if (hole >= places->used || !pl_is_hole(places->page[hole]) || holes > places->used)
            return false;
        hole = places->page[hole] & ~PL_PLACE_HOLE;
    }
    return found == members && found + holes == places->used;
}
