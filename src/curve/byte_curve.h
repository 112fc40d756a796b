/* curve/byte_curve.h: the LRU curve of a store whose pages have different sizes, as compressed pages do.
 *
 * A store of so many bytes keeps the most recently touched pages that fit, so a touch finds its page when the sizes of
 * all pages touched since its last touch, its own among them, come to no more than that: the stack distance in bytes.
 * When a page keeps its size this is exact: a store that evicts the least recent page until all fits holds, at any
 * time, exactly the longest run of most recent pages that fits (each step keeps it so). What is approximate is only the
 * knowledge of the sizes: a page that is compressed anew after every write has a new one each time, and here it has
 * one. */
#ifndef PL_CURVE_BYTE_CURVE_H
#define PL_CURVE_BYTE_CURVE_H

#include "curve/curve.h"

struct pl_byte_curve_params {
    enum pl_rule rule;
    uint32_t unit_bytes; /* stores are whole numbers of this, usually the page size */
    /* The size of a page, asked once, at its first touch; from 0 to UINT32_MAX. */
    uint32_t (*bytes_of)(void *user, pl_page page);
    void *user;
};

struct pl_byte_curve;

enum pl_err pl_byte_curve_create(const struct pl_byte_curve_params *params, struct pl_byte_curve **out,
                                 struct pl_error *err);
/* As pl_curve_feed. Memory: about 90 bytes for each page number up to the largest, and 18 for each unit of all pages
 * together. */
enum pl_err pl_byte_curve_feed(struct pl_byte_curve *curve, const pl_page *pages, const uint8_t *kinds, size_t count,
                               struct pl_error *err);
uint64_t pl_byte_curve_bytes(const struct pl_byte_curve *curve); /* of all pages together */
/* Ends the run and frees `curve` in any case. The result is as that of pl_curve_finish, but sizes are in units:
 * reads[m] and writes[m] are for a store of m units; from depth on every page fits. */
enum pl_err pl_byte_curve_finish(struct pl_byte_curve *curve, struct pl_curve_result *out, struct pl_error *err);
void pl_byte_curve_abandon(struct pl_byte_curve *curve); /* NULL is allowed */

#endif
