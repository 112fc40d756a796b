/* capture/cap_content.c: `pagecap content PID`: what a process's pages hold, and what a store would need for them. */
#include "capture/page_tally.h"
#include "capture/pagecap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct content_line {
    struct cap_common common;
    bool every;
    const char *pages;
};

static const struct pl_option options[] = {
    {"every-page", 0, PL_OPT_FLAG, offsetof(struct content_line, every), NULL, NULL,
     "File mappings and shared memory as well, not only the private pages that a store would be given."},
    {"pages", 0, PL_OPT_TEXT, offsetof(struct content_line, pages), "FILE", NULL,
     "Write a line for each page as CSV: address, hash, xpress_bytes, lz4_bytes, zero, duplicate."},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"What is read", options, 0},
    {NULL, cap_common_options, offsetof(struct content_line, common)},
    {NULL},
};

const struct pl_command_spec cap_content_spec = {
    .name = "content",
    .operands = "PID",
    .summary = "A process's pages: compressibility, duplicates, zero pages.",
    .details =
        "Reads the memory of a running process, page by page, while it goes on: the picture is not of one moment. "
        "Reading brings pages back that were swapped out.",
    .groups = groups,
    .examples = (const struct pl_example[]){{"pagecap content 1234", "would a compressed store help it?"}, {NULL}},
};

static void page_line(struct pl_sink *sink, uint64_t address, const struct page_tally_sizes *sizes)
{
    pl_sink_printf(sink, "0x%" PRIx64 ",%016" PRIx64 ",%" PRIu32 ",%" PRIu32 ",%d,%d\n", address, sizes->hash,
                   sizes->xpress, sizes->lz4, sizes->zero, sizes->seen);
}

static enum pl_err read_all(struct pl_os_pages *pages, struct page_tally *tally, struct pl_sink *sink,
                            struct pl_error *err)
{
    uint8_t *page = malloc(pl_os_page_size());
    uint64_t address;
    enum pl_err rc = page ? PL_OK : pl_fail_memory(err, pl_os_page_size(), "a page");
    while (rc == PL_OK && !pl_os_interrupted()) {
        struct page_tally_sizes sizes;
        rc = pl_os_pages_next(pages, page, &address, err);
        if (rc == PL_OK)
            rc = page_tally_add(tally, page, &sizes, err);
        if (rc == PL_OK && sink)
            page_line(sink, address, &sizes);
    }
    free(page);
    return rc == PL_END ? PL_OK : rc;
}

static void result(struct pl_document *document, const char *key, const char *label, const char *unit, uint64_t count)
{
    pl_document_result(document, key, label, unit, pl_value_count(count));
}

static enum pl_err show(const struct content_line *values, uint64_t pid, struct page_tally_counts counts,
                        uint64_t unreadable, struct pl_arena *arena, struct pl_error *err)
{
    struct pl_document *document = pl_document_create(arena, "content", "What the pages of a process hold");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    double bytes = (double)counts.pages * pl_os_page_size();
    pl_document_parameter(document, "pid", "process", "", pl_value_count(pid));
    result(document, "pages", "pages", "pages", counts.pages);
    result(document, "zero_pages", "zero pages", "pages", counts.zero);
    result(document, "same_filled_pages", "pages of one repeated word, zero pages among them", "pages", counts.same);
    result(document, "duplicate_pages", "equal to an earlier page, not zero", "pages", counts.duplicates);
    result(document, "unreadable_pages", "gone before they were read", "pages", unreadable);
    result(document, "xpress_bytes", "under XPRESS, without zero pages", "bytes", counts.xpress_bytes);
    result(document, "xpress_raw_pages", "pages that do not shrink under XPRESS", "pages", counts.xpress_raw);
    result(document, "lz4_bytes", "under LZ4, without zero pages", "bytes", counts.lz4_bytes);
    result(document, "lz4_raw_pages", "pages that do not shrink under LZ4", "pages", counts.lz4_raw);
    if (counts.own_bytes)
        result(document, "system_bytes", "under the system's own compressor", "bytes", counts.own_bytes);
    result(document, "windows_store_bytes", "Windows's store would need", "bytes", counts.store_bytes);
    result(document, "zram_bytes", "zram with lz4 would hold", "bytes", counts.zram_bytes);
    if (counts.store_bytes)
        pl_document_result(document, "windows_ratio", "pages to the store's bytes", "",
                           pl_value_real(bytes / (double)counts.store_bytes));
    if (counts.zram_bytes)
        pl_document_result(document, "zram_ratio", "pages to zram's bytes", "",
                           pl_value_real(bytes / (double)counts.zram_bytes));
    pl_document_note(document,
                     "Stores without their index and without partly filled units; 'pagelab compress' models those.");
    return cap_emit(document, &values->common, err);
}

static enum pl_err look(const struct content_line *values, uint64_t pid, struct pl_sink *sink, struct pl_arena *arena,
                        struct pl_error *err)
{
    struct pl_os_pages *pages = NULL;
    struct page_tally *tally = NULL;
    enum pl_err rc = page_tally_create(pl_os_page_size(), &tally, err);
    if (rc == PL_OK)
        rc = pl_os_pages_open(pid, values->every, &pages, err);
    if (rc == PL_OK)
        rc = read_all(pages, tally, sink, err);
    if (rc == PL_OK && page_tally_counts(tally).pages == 0)
        rc = pl_fail(err, PL_ERR_RESOURCE, "process %" PRIu64 " shows no page that could be read", pid);
    if (rc == PL_OK)
        rc = show(values, pid, page_tally_counts(tally), pl_os_pages_unreadable(pages), arena, err);
    pl_os_pages_close(pages);
    page_tally_destroy(tally);
    return rc;
}

enum pl_err cap_content(int argc, char **argv, struct pl_error *err)
{
    struct content_line values;
    struct cap_line line;
    struct pl_sink *sink = NULL;
    uint64_t pid = 0;
    enum pl_err rc = cap_begin(&cap_content_spec, argc, argv, &values, &line, err);
    if (rc || line.done) {
        cap_end(&line);
        return rc;
    }
    rc = cap_pid(&line, &pid, err);
    if (rc == PL_OK && values.pages)
        rc = pl_sink_open_path(values.pages, &sink, err);
    if (sink)
        pl_sink_puts(sink, "address,hash,xpress_bytes,lz4_bytes,zero,duplicate\n");
    pl_os_catch_interrupts();
    if (rc == PL_OK)
        rc = look(&values, pid, sink, line.arena, err);
    if (rc == PL_OK)
        rc = pl_sink_close(sink, err);
    else
        pl_sink_abandon(sink);
    cap_end(&line);
    return rc;
}
