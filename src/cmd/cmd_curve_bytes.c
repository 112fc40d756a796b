/* cmd/cmd_curve_bytes.c: `pagelab curve --page-bytes FILE`: faults by the bytes of a store whose pages have sizes.
 *
 * The file names the size of each page, or how many pages are how large; then each page draws one of the sizes, the
 * same in every run with the same --seed. Pages that a file of single pages does not name count whole. */
#include "cmd/cmd_curve.h"
#include "curve/byte_curve.h"

#include <math.h>
#include <stdlib.h>

/* One row of the file: the size of a page, or a share of all pages. */
struct entry {
    struct pl_page_origin page;
    uint32_t bytes;
    double up_to; /* of a distribution: the sum of pages up to this row */
};

struct page_sizes {
    struct pl_trace *trace;
    struct entry *entry;
    size_t count, capacity;
    bool single, by_process;
    uint32_t page_size;
    uint64_t seed, unnamed;
};

/* --- reading the file --------------------------------------------------------------------------------------------- */

struct columns {
    int page, process, bytes, pages;
};

static enum pl_err whole_number(const struct pl_csv *csv, int column, double most, double *out, struct pl_error *err)
{
    enum pl_err rc = pl_csv_real(csv, (size_t)column, out, err);
    if (rc == PL_OK && !(*out >= 0 && *out <= most && *out == floor(*out)))
        rc = pl_fail_at(err, pl_csv_name(csv), pl_csv_line(csv), "column %s: a whole number from 0 to %.0f is needed",
                        pl_csv_column_name(csv, (size_t)column), most);
    return rc;
}

static enum pl_err read_row(struct page_sizes *sizes, const struct pl_csv *csv, const struct columns *at,
                            struct pl_error *err)
{
    const double most = 9007199254740992; /* 2^53 */
    double bytes, page = 0, process = 0, pages = 0;
    enum pl_err rc = whole_number(csv, at->bytes, UINT32_MAX, &bytes, err);
    if (rc == PL_OK && sizes->single)
        rc = whole_number(csv, at->page, most, &page, err);
    if (rc == PL_OK && sizes->by_process)
        rc = whole_number(csv, at->process, most, &process, err);
    if (rc == PL_OK && !sizes->single)
        rc = whole_number(csv, at->pages, most, &pages, err);
    void *entries = sizes->entry;
    if (rc == PL_OK)
        rc = pl_grow(&entries, &sizes->capacity, sizes->count + 1, sizeof *sizes->entry, "the sizes of pages", err);
    sizes->entry = entries;
    if (rc)
        return rc;
    double before = sizes->count ? sizes->entry[sizes->count - 1].up_to : 0;
    sizes->entry[sizes->count++] = (struct entry){{(uint64_t)process, (uint64_t)page}, (uint32_t)bytes, before + pages};
    return PL_OK;
}

static int compare_pages(const void *a, const void *b)
{
    const struct pl_page_origin *x = &((const struct entry *)a)->page, *y = &((const struct entry *)b)->page;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static enum pl_err check_rows(struct page_sizes *sizes, const char *name, struct pl_error *err)
{
    if (sizes->count == 0)
        return pl_fail(err, PL_ERR_INPUT, "%s: no rows after the header", name);
    if (!sizes->single && !(sizes->entry[sizes->count - 1].up_to > 0))
        return pl_fail(err, PL_ERR_INPUT, "%s: the pages of all rows come to nothing", name);
    if (!sizes->single)
        return PL_OK;
    qsort(sizes->entry, sizes->count, sizeof *sizes->entry, compare_pages);
    for (size_t i = 1; i < sizes->count; i++)
        if (compare_pages(&sizes->entry[i - 1], &sizes->entry[i]) == 0)
            return pl_fail(err, PL_ERR_INPUT, "%s: page %llu is there twice", name,
                           (unsigned long long)sizes->entry[i].page.number);
    return PL_OK;
}

static enum pl_err read_sizes(struct page_sizes *sizes, const char *path, struct pl_error *err)
{
    struct pl_csv *csv;
    enum pl_err rc = pl_csv_open_path(path, &csv, err);
    if (rc)
        return rc;
    struct columns at = {pl_csv_find(csv, "page"), pl_csv_find(csv, "process"), pl_csv_find(csv, "bytes"),
                         pl_csv_find(csv, "pages")};
    sizes->single = at.page >= 0;
    sizes->by_process = sizes->single && at.process >= 0;
    if (at.bytes < 0 || (at.page < 0 && at.pages < 0))
        rc = pl_fail(err, PL_ERR_INPUT, "%s: it needs the columns page and bytes, or bytes and pages", path);
    while (rc == PL_OK && (rc = pl_csv_next(csv, err)) == PL_OK)
        rc = read_row(sizes, csv, &at, err);
    if (rc == PL_END)
        rc = check_rows(sizes, pl_csv_name(csv), err);
    pl_csv_close(csv);
    return rc;
}

/* --- the size of a page ------------------------------------------------------------------------------------------- */

static uint32_t named_bytes(struct page_sizes *sizes, pl_page page)
{
    struct entry key = {.page = pl_trace_page_origin(sizes->trace, page)};
    if (!sizes->by_process)
        key.page.process = 0;
    const struct entry *found = bsearch(&key, sizes->entry, sizes->count, sizeof *sizes->entry, compare_pages);
    sizes->unnamed += !found;
    return found ? found->bytes : sizes->page_size;
}

static uint32_t drawn_bytes(const struct page_sizes *sizes, pl_page page)
{
    double unit = (double)(pl_mix64(page ^ pl_mix64(sizes->seed)) >> 11) * 0x1p-53;
    double draw = unit * sizes->entry[sizes->count - 1].up_to;
    size_t low = 0, high = sizes->count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sizes->entry[middle].up_to > draw)
            high = middle;
        else
            low = middle + 1;
    }
    return sizes->entry[low].bytes;
}

static uint32_t bytes_of(void *user, pl_page page)
{
    struct page_sizes *sizes = user;
    return sizes->single ? named_bytes(sizes, page) : drawn_bytes(sizes, page);
}

/* --- the answer --------------------------------------------------------------------------------------------------- */

static void add_facts(struct pl_document *document, const struct curve_options *options, const struct page_sizes *sizes,
                      const struct pl_curve_result *result, uint64_t bytes)
{
    double pages = (double)result->cold;
    pl_document_parameter(document, "rule", "rule", "", pl_value_text(pl_rule_names[options->rule]));
    pl_document_parameter(document, "page_bytes", "sizes of pages", "", pl_value_text(options->more.page_bytes));
    if (!sizes->single)
        pl_document_parameter(document, "seed", "seed of the draw", "", pl_value_count(options->seed));
    pl_document_result(document, "accesses", "accesses", "", pl_value_count(result->touches));
    pl_document_result(document, "pages", "distinct pages", "", pl_value_count(result->cold));
    pl_document_result(document, "bytes", "all pages together", "B", pl_value_count(bytes));
    pl_document_result(document, "mean_bytes", "mean size of a page", "B", pl_value_real((double)bytes / pages));
    pl_document_result(document, "ratio", "ratio", "", pl_value_real(pages * sizes->page_size / (double)bytes));
    if (sizes->single)
        pl_document_result(document, "unnamed_pages", "pages without a size, counted whole", "",
                           pl_value_count(sizes->unnamed));
    pl_document_note(document,
                     "memory is the store's: it holds the most recent pages whose sizes together fit; exact as "
                     "long as pages keep their sizes");
}

static enum pl_err report(const struct curve_options *options, const struct page_sizes *sizes,
                          const struct pl_curve_result *result, uint64_t bytes, struct pl_arena *arena,
                          struct pl_error *err)
{
    static const struct pl_column columns[] = {
        {"memory_mb", "store", "MB", PL_VALUE_REAL, 3},   {"memory_pages", "store", "pages' room", PL_VALUE_COUNT, 0},
        {"reads", "reads", "", PL_VALUE_COUNT, 0},        {"writes", "writes", "", PL_VALUE_COUNT, 0},
        {"cold", "first touches", "", PL_VALUE_COUNT, 0},
    };
    const struct pl_trace_info *info = pl_trace_info(sizes->trace);
    struct pl_sizes rooms;
    enum pl_err rc = curve_choose_sizes(options, info, result->depth, false, arena, &rooms, err);
    if (rc)
        return rc;
    struct pl_document *document =
        curve_more_document(info, "curve-bytes", "Reads and write-backs by the bytes of a store", arena);
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    add_facts(document, options, sizes, result, bytes);
    struct pl_document_table *table =
        pl_document_table(document, "faults", "Reads and write-backs by store size", columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < rooms.count; i++) {
        uint64_t at = rooms.pages[i] < result->depth ? rooms.pages[i] : result->depth;
        struct pl_value values[] = {pl_value_real(curve_mb(info, (double)rooms.pages[i])),
                                    pl_value_count(rooms.pages[i]), pl_value_count(result->reads[at]),
                                    pl_value_count(result->writes[at]), pl_value_count(result->cold)};
        pl_document_row(table, values);
    }
    return curve_more_emit(document, table, options, info, err);
}

static enum pl_err feed_trace(struct pl_byte_curve *curve, struct pl_trace *trace, struct pl_error *err)
{
    struct pl_batch batch;
    enum pl_err rc;
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK) {
        rc = pl_byte_curve_feed(curve, batch.page, batch.kind, batch.count, err);
        if (rc)
            return rc;
    }
    return rc == PL_END ? PL_OK : rc;
}

enum pl_err curve_by_bytes(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                           struct pl_error *err)
{
    struct page_sizes sizes = {.trace = trace, .seed = options->seed, .page_size = pl_trace_info(trace)->page_size};
    struct pl_byte_curve_params params = {
        .rule = (enum pl_rule)options->rule, .unit_bytes = sizes.page_size, .bytes_of = bytes_of, .user = &sizes};
    struct pl_byte_curve *curve = NULL;
    struct pl_curve_result result;
    enum pl_err rc = read_sizes(&sizes, options->more.page_bytes, err);
    if (rc == PL_OK)
        rc = pl_byte_curve_create(&params, &curve, err);
    if (rc == PL_OK)
        rc = feed_trace(curve, trace, err);
    if (rc == PL_OK) {
        uint64_t bytes = pl_byte_curve_bytes(curve);
        rc = pl_byte_curve_finish(curve, &result, err);
        curve = NULL;
        if (rc == PL_OK) {
            rc = report(options, &sizes, &result, bytes, arena, err);
            pl_curve_result_free(&result);
        }
    }
    pl_byte_curve_abandon(curve);
    free(sizes.entry);
    return rc;
}
