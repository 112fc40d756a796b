/* capture/touch_list.c: text into dense pages. The whole list lies in memory, so that nothing but the touches themselves
 * happens while they are measured. */
#include "capture/touch_list.h"

#include "capture/os.h"
#include "base/whole_file.h"
#include "trace/densify.h"

#include <stdlib.h>
#include <string.h>

/* One line: the number of its page, and whether it writes. */
static bool parse_line(const char *at, const char *end, uint32_t page_size, uint64_t *number, bool *writes)
{
    char *rest;
    if (end > at && end[-1] == '\r')
        end--;
    uint64_t address = strtoull(at, &rest, 16);
    if (rest == at || rest + 2 != end || rest[0] != ' ' || !strchr("RWrw", rest[1]))
        return false;
    *number = address / page_size;
    *writes = (rest[1] & ~0x20) == 'W';
    return true;
}

static enum pl_err add_line(struct touch_list *list, size_t *capacity, struct pl_densify *densify, uint64_t number,
                            bool writes, struct pl_error *err)
{
    pl_page page;
    enum pl_err rc = pl_grow((void **)&list->touch, capacity, list->count + 1, sizeof *list->touch, "touches", err);
    if (rc == PL_OK)
        rc = pl_densify_batch(densify, 0, &number, 1, &page, err);
    if (rc)
        return rc;
    list->touch[list->count++] = page << 1 | writes;
    list->writes += writes;
    return PL_OK;
}

static enum pl_err read_lines(const char *path, const char *text, struct pl_densify *densify, struct touch_list *list,
                              struct pl_error *err)
{
    const uint32_t page_size = pl_os_page_size();
    size_t capacity = 0;
    enum pl_err rc = PL_OK;
    uint64_t line = 1;
    for (const char *at = text; *at && rc == PL_OK; line++) {
        const char *end = at + strcspn(at, "\n");
        uint64_t number;
        bool writes;
        if (end == at || *at == '#')
            rc = PL_OK;
        else if (!parse_line(at, end, page_size, &number, &writes))
            rc = pl_fail_at(err, path, line, "no 'hexaddress R' or 'hexaddress W' (pagelab trace convert --to memsim writes them)");
        else
            rc = add_line(list, &capacity, densify, number, writes, err);
        at = end + (*end == '\n');
    }
    if (rc == PL_OK && !list->count)
        rc = pl_fail(err, PL_ERR_INPUT, "%s: touches nothing", path);
    list->pages = (uint32_t)pl_densify_count(densify);
    return rc;
}

enum pl_err touch_list_read(const char *path, struct touch_list *out, struct pl_error *err)
{
    struct touch_list list = {0};
    struct pl_densify *densify = NULL;
    char *text = NULL;
    size_t length;
    enum pl_err rc = pl_whole_file_read(path, &text, &length, err);
    if (rc == PL_OK)
        rc = pl_densify_create(UINT32_MAX / 2, &densify, err);
    if (rc == PL_OK)
        rc = read_lines(pl_whole_file_name(path), text, densify, &list, err);
    pl_densify_destroy(densify);
    free(text);
    if (rc)
        touch_list_free(&list);
    else
        *out = list;
    return rc;
}

void touch_list_free(struct touch_list *list)
{
    free(list->touch);
    *list = (struct touch_list){0};
}
