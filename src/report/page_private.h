/* report/page_private.h: what the files of the page share. */
#ifndef PL_REPORT_PAGE_PRIVATE_H
#define PL_REPORT_PAGE_PRIVATE_H

#include "report/page.h"

enum {
    PAGE_ROWS_SHOWN = 24,      /* of a table, in plain HTML */
    PAGE_ROWS_EMBEDDED = 5000, /* of a table, in the data of the page */
    PAGE_CELLS_EMBEDDED = 30000,
};

/* One result: its document, as the commands write it. */
struct page_result {
    const char *path;
    struct pl_json *json;
    const struct pl_json_node *root;
    const char *kind, *title;
    char *text;    /* as it was read; malloc'd */
    size_t length;
    char *picture; /* an svg, or NULL; malloc'd */
    size_t picture_length;
};

/* Rows of a table of so many columns that the page's data may hold. */
static inline size_t page_rows_embedded(size_t columns)
{
    const size_t rows = PAGE_CELLS_EMBEDDED / (columns ? columns : 1);
    return rows < 2 ? 2 : rows < PAGE_ROWS_EMBEDDED ? rows : PAGE_ROWS_EMBEDDED;
}

/* Which row of `rows` stands at place `i` of `shown`: evenly chosen, the first and the last among them. */
static inline size_t page_row(size_t i, size_t shown, size_t rows)
{
    return shown < 2 || shown >= rows ? i : (size_t)((uint64_t)i * (rows - 1) / (shown - 1));
}

/* page_markup.c */
void page_text(struct pl_sink *sink, const char *text);    /* escaped for markup and attributes */
/* `alone`: the page has its title already. */
void page_section(struct pl_sink *sink, const struct page_result *result, size_t index, bool alone);
const char *page_member(const struct pl_json_node *object, const char *key); /* a text, "" when there is none */

/* page_data.c: the documents as one JSON array that may stand inside a script element. */
enum pl_err page_data(struct pl_sink *sink, const struct page_result *results, size_t count, uint64_t *left_out,
                      struct pl_error *err);

/* page_result.c */
enum pl_err page_result_read(const struct pl_page_source *source, struct page_result *out, struct pl_error *err);
bool page_result_is_map(const struct page_result *result); /* charts cannot show it: it needs a picture */
void page_result_draw(struct page_result *result, struct pl_error *err); /* best effort: result->picture stays NULL */
void page_result_free(struct page_result *result);

#endif
