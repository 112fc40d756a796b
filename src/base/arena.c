/* base/arena.c: pieces of growing blocks.
 *
 *   arena -> [block | used ... | free] -> [older block] -> ...
 *
 * Blocks double from 16 KiB to 1 MiB, so that a small run stays small and a large one makes few calls. A piece of more
 * than a quarter of a block gets a block of its own behind the current one, whose rest stays in use. Blocks come zeroed
 * from calloc, which costs nothing for fresh pages. */
#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, FIRST_BLOCK = 16 * 1024, LAST_BLOCK = 1024 * 1024 };

struct block {
    struct block *older;
    size_t used, size; /* of the bytes behind the header */
};
/* Keeps the bytes behind the header aligned as the header itself is. */
enum { HEADER = (sizeof(struct block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT };

struct pl_arena {
    struct block *newest;
    size_t next_size, bytes;
};

struct pl_arena *pl_arena_create(void)
{
    struct pl_arena *arena = calloc(1, sizeof *arena);
    if (arena)
        arena->next_size = FIRST_BLOCK;
    return arena;
}

void pl_arena_destroy(struct pl_arena *arena)
{
    if (!arena)
        return;
    for (struct block *block = arena->newest, *older; block; block = older) {
        older = block->older;
        free(block);
    }
    free(arena);
}

/* A new block of `size` bytes, linked behind the current one when it is filled by one piece at once. */
static struct block *add_block(struct pl_arena *arena, size_t size, bool for_one_piece)
{
    if (size > SIZE_MAX - HEADER)
        return NULL;
    struct block *block = calloc(1, HEADER + size);
    if (!block)
        return NULL;
    block->size = size;
    if (for_one_piece && arena->newest) {
        block->older = arena->newest->older;
        arena->newest->older = block;
    } else {
        block->older = arena->newest;
        arena->newest = block;
    }
    arena->bytes += HEADER + size;
    return block;
}

/* The next piece of a block that has room for it. */
static void *take(struct block *block, size_t bytes)
{
    char *piece = (char *)block + HEADER + block->used;
    block->used += bytes;
    assert(block->used <= block->size);
    return piece;
}

void *pl_arena_alloc(struct pl_arena *arena, size_t count, size_t size)
{
    /* The product is checked before it is made; the alignment leaves room for rounding up. */
    if (size && count > (SIZE_MAX - ALIGNMENT) / size)
        return NULL;
    size_t bytes = count * size;
    bytes = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT; /* empty pieces differ, too */

    struct block *block = arena->newest;
    if (block && block->size - block->used >= bytes)
        return take(block, bytes);
    /* At most a quarter of a block is given up when the next one is begun. */
    if (bytes > arena->next_size / 4) {
        block = add_block(arena, bytes, true);
    } else {
        block = add_block(arena, arena->next_size, false);
        if (arena->next_size < LAST_BLOCK)
            arena->next_size *= 2;
    }
    return block ? take(block, bytes) : NULL;
}

char *pl_arena_strdup(struct pl_arena *arena, const char *text)
{
    size_t length = strlen(text);
    char *copy = pl_arena_alloc(arena, length + 1, 1);
    return copy ? memcpy(copy, text, length + 1) : NULL;
}

/* Formats twice: once for the length, once for good. */
char *pl_arena_printf(struct pl_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : pl_arena_alloc(arena, (size_t)length + 1, 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

size_t pl_arena_bytes(const struct pl_arena *arena)
{
    return arena->bytes;
}

enum pl_err pl_grow(void **data, size_t *capacity, size_t need, size_t size, const char *what, struct pl_error *err)
{
    assert(size > 0);
    if (need <= *capacity)
        return PL_OK;
    size_t larger = *capacity > SIZE_MAX / 3 * 2 ? SIZE_MAX : *capacity + *capacity / 2;
    if (larger < need)
        larger = need;
    if (larger < 8)
        larger = 8;
    /* Near the limit of what can be addressed, exactly enough may still fit where half as much again does not. */
    if (larger > PTRDIFF_MAX / size)
        larger = need;
    if (larger > PTRDIFF_MAX / size)
        return pl_fail_memory(err, SIZE_MAX, what);

    /* `data` is really the address of some other pointer type; copying its bytes keeps within the aliasing rules. */
    void *old;
    memcpy(&old, data, sizeof old);
    void *grown = realloc(old, larger * size);
    if (!grown)
        return pl_fail_memory(err, larger * size, what);
    memcpy(data, &grown, sizeof grown);
    *capacity = larger;
    return PL_OK;
}
