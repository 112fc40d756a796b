/* base/arena.h: memory that lives as long as one run and is freed at once.
 *
 * An arena hands out pieces of growing blocks; nothing is freed alone. What comes out of pl_arena_new is zeroed. Large
 * tables that a hot loop strides through come from pl_table_memory instead, which asks for huge pages. Not thread-safe:
 * one arena belongs to one thread. */
#ifndef PL_BASE_ARENA_H
#define PL_BASE_ARENA_H

#include "base/error.h"

struct pl_arena;

/* NULL when there is no memory. */
struct pl_arena *pl_arena_create(void);
void pl_arena_destroy(struct pl_arena *arena); /* NULL is allowed */

/* Zeroed memory, aligned to 16 bytes; NULL when there is no memory or `count * size` overflows. */
void *pl_arena_alloc(struct pl_arena *arena, size_t count, size_t size);
char *pl_arena_strdup(struct pl_arena *arena, const char *text);
char *pl_arena_printf(struct pl_arena *arena, const char *format, ...) PL_PRINTF(2, 3);
size_t pl_arena_bytes(const struct pl_arena *arena); /* handed out so far, block overhead included */

/* Makes room for `need` items in a malloc'd array: `*data` has room for `*capacity` items of `size` bytes. Grows by
 * half as much again. On failure nothing changes. */
enum pl_err pl_grow(void **data, size_t *capacity, size_t need, size_t size, const char *what, struct pl_error *err);

/* Zeroed, page-aligned address space of `bytes` (rounded up to 2 MiB when larger than that), backed by huge pages where
 * the system has them; memory is used only as it is touched. NULL when there is none. */
void *pl_table_alloc(size_t bytes);
void pl_table_free(void *table, size_t bytes);
/* Grows such a table, keeping its content; new bytes are zero. NULL, and the old one untouched, when there is none. */
void *pl_table_grow(void *table, size_t old_bytes, size_t new_bytes);

#endif
