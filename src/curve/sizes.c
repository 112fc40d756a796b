/* curve/sizes.c: choosing and parsing the memory sizes of a curve. */
#include "curve/sizes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t MOST_SIZES = UINT64_C(1) << 26; /* in a list that somebody typed */

/* A list under construction, malloc'd. */
struct list {
    uint64_t *pages;
    size_t count, capacity;
};

static enum pl_err add(struct list *list, uint64_t pages, struct pl_error *err)
{
    void *data = list->pages;
    enum pl_err rc = pl_grow(&data, &list->capacity, list->count + 1, sizeof *list->pages, "memory sizes", err);
    list->pages = data;
    if (rc == PL_OK)
        list->pages[list->count++] = pages;
    return rc;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts, drops what is there twice, moves into the arena. Frees the list in any case. */
static enum pl_err finish(struct list *list, enum pl_err rc, struct pl_arena *arena, struct pl_sizes *out,
                          struct pl_error *err)
{
    uint64_t *pages = NULL;
    size_t count = 0;
    if (rc == PL_OK && list->count)
        qsort(list->pages, list->count, sizeof *list->pages, ascending);
    if (rc == PL_OK && !(pages = pl_arena_alloc(arena, list->count + 1, sizeof *pages)))
        rc = pl_fail_memory(err, list->count * sizeof *pages, "memory sizes");
    for (size_t i = 0; rc == PL_OK && i < list->count; i++)
        if (count == 0 || pages[count - 1] != list->pages[i])
            pages[count++] = list->pages[i];
    free(list->pages);
    if (rc == PL_OK)
        *out = (struct pl_sizes){pages, count};
    return rc;
}

enum pl_err pl_sizes_default(uint64_t depth, bool all, struct pl_arena *arena, struct pl_sizes *out, struct pl_error *err)
{
    struct list list = {0};
    enum pl_err rc = add(&list, depth > 1 ? depth : 1, err);
    for (uint64_t m = 1; rc == PL_OK && m < depth && (all || m <= PL_SIZES_EVERY); m++)
        rc = add(&list, m, err);
    double size = PL_SIZES_EVERY;
    for (unsigned step = 1; rc == PL_OK && !all && size < (double)depth; step++) {
        size = PL_SIZES_EVERY * exp2((double)step / PL_SIZES_PER_DOUBLING);
        if (size < (double)depth)
            rc = add(&list, (uint64_t)size, err);
    }
    return finish(&list, rc, arena, out, err);
}

enum pl_err pl_sizes_powers(uint64_t depth, struct pl_arena *arena, struct pl_sizes *out, struct pl_error *err)
{
    struct list list = {0};
    enum pl_err rc = add(&list, depth > 1 ? depth : 1, err);
    for (uint64_t m = 1; rc == PL_OK && m < depth; m *= 2)
        rc = add(&list, m, err);
    return finish(&list, rc, arena, out, err);
}

/* --- parsing ---------------------------------------------------------------------------------------------------------- */

static enum pl_err parse_size(const char *text, uint32_t page_size, uint64_t depth, double *pages, struct pl_error *err)
{
    size_t length = strlen(text);
    char number[64];
    double percent;
    uint64_t bytes;
    if (length && length < sizeof number && text[length - 1] == '%') {
        memcpy(number, text, length - 1);
        number[length - 1] = '\0';
        if (!pl_parse_double(number, &percent) || percent < 0 || percent > 1e6)
            return pl_fail(err, PL_ERR_USAGE, "--sizes: '%s' is no share of the footprint", text);
        *pages = floor(percent / 100 * (double)depth);
    } else {
        enum pl_err rc = pl_parse_bytes(text, page_size, &bytes, err);
        if (rc) {
            pl_fail_prefix(err, "--sizes");
            return rc;
        }
        *pages = (double)(bytes / page_size);
    }
    if (*pages < 1)
        return pl_fail(err, PL_ERR_USAGE, "--sizes: '%s' is less than a page of %u bytes", text, (unsigned)page_size);
    return PL_OK;
}

/* `range`: "FROM", "TO" and "STEP" or "xFACTOR". */
static enum pl_err add_range(struct list *list, char *const range[3], uint32_t page_size, uint64_t depth,
                             struct pl_error *err)
{
    double from, to, step = 0, factor = 1;
    enum pl_err rc = parse_size(range[0], page_size, depth, &from, err);
    if (rc == PL_OK)
        rc = parse_size(range[1], page_size, depth, &to, err);
    bool times = range[2][0] == 'x';
    if (rc == PL_OK && !times)
        rc = parse_size(range[2], page_size, depth, &step, err);
    if (rc)
        return rc;
    if (times && (!pl_parse_double(range[2] + 1, &factor) || factor <= 1))
        return pl_fail(err, PL_ERR_USAGE, "--sizes: '%s' is no factor above 1 (write x2)", range[2]);
    if (from > to)
        return pl_fail(err, PL_ERR_USAGE, "--sizes: %s:%s goes downwards", range[0], range[1]);
    if (!times && (to - from) / step > (double)MOST_SIZES)
        return pl_fail(err, PL_ERR_USAGE, "--sizes: %s:%s:%s are more than %llu sizes", range[0], range[1], range[2],
                       (unsigned long long)MOST_SIZES);
    for (double size = from; rc == PL_OK && size <= to; size = times ? size * factor : size + step)
        rc = add(list, (uint64_t)size, err);
    return rc;
}

static enum pl_err add_item(struct list *list, char *item, uint32_t page_size, uint64_t depth, struct pl_error *err)
{
    char *part[4] = {item};
    size_t parts = 1;
    for (char *at = item; *at && parts < PL_COUNT_OF(part); at++) {
        if (*at == ':') {
            *at = '\0';
            part[parts++] = at + 1;
        }
    }
    double pages;
    if (parts == 3)
        return add_range(list, part, page_size, depth, err);
    if (parts != 1)
        return pl_fail(err, PL_ERR_USAGE, "--sizes: a range is FROM:TO:STEP or FROM:TO:xFACTOR");
    enum pl_err rc = parse_size(item, page_size, depth, &pages, err);
    return rc ? rc : add(list, (uint64_t)pages, err);
}

enum pl_err pl_sizes_parse(const char *text, uint32_t page_size, uint64_t depth, struct pl_arena *arena,
                           struct pl_sizes *out, struct pl_error *err)
{
    struct list list = {0};
    char *copy = pl_arena_strdup(arena, text);
    enum pl_err rc = copy ? PL_OK : pl_fail_memory(err, strlen(text), "memory sizes");
    for (char *item = copy; rc == PL_OK && item;) {
        char *comma = strchr(item, ',');
        if (comma)
            *comma = '\0';
        rc = add_item(&list, item, page_size, depth, err);
        item = comma ? comma + 1 : NULL;
    }
    return finish(&list, rc, arena, out, err);
}
