/* cmd/cmd_compress_document.c: the answer of `pagelab compress`, as a document. */
#include "cmd/cmd_compress.h"

#include <math.h>
#include <string.h>

enum { BUCKETS = 16 }; /* of the distribution of sizes */

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

/* The answer in one line. */
static const char *title_of(const struct compress_run *run)
{
    size_t best = 0;
    double best_ratio = 0;
    for (size_t i = 0; i < run->codecs; i++) {
        struct pl_page_survey_codec_result r = pl_page_survey_codec_result(run->survey, i);
        double ratio = share(r.pages * run->options->page_size, r.bytes);
        if (ratio > best_ratio) {
            best_ratio = ratio;
            best = i;
        }
    }
    if (best_ratio == 0)
        return "Compressed page sizes: every page repeats one word";
    const char *title = pl_arena_printf(run->arena, "Compressed page sizes: %s %s, ratio %.3g",
                                        run->codecs > 1 ? "best with" : "with", run->codec[best].label, best_ratio);
    return title ? title : "Compressed page sizes";
}

/* --- what the pages are ------------------------------------------------------------------ */

static void describe_counts(const struct compress_run *run, struct pl_document *document)
{
    struct pl_page_survey_counts counts = pl_page_survey_counts(run->survey);
    const struct pl_page_reader_info *read = run->read;
    const struct {
        const char *key, *label;
        uint64_t count;
        bool always;
    } rows[] = {
        {"pages", "pages measured", counts.pages, true},
        {"pages_total", "pages in all", read->pages_total, true},
        {"zero_pages", "zero pages", counts.zero, true},
        {"same_filled_pages", "pages of one other 64-bit word", counts.same_filled, true},
        {"duplicate_pages", "duplicates of earlier pages", counts.duplicates, true},
        {"padded_bytes", "zeros put behind the ends of files", read->padded_bytes, read->padded_bytes > 0},
        {"unreadable_pages", "pages that could not be read", read->unreadable_pages, read->unreadable_pages > 0},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++)
        if (rows[i].always)
            pl_document_result(document, rows[i].key, rows[i].label, strstr(rows[i].key, "bytes") ? "B" : "",
                               pl_value_count(rows[i].count));
}

static void describe_parameters(const struct compress_run *run, struct pl_document *document)
{
    const struct compress_options *o = run->options;
    pl_document_parameter(document, "page_size_bytes", "page size", "B", pl_value_count(o->page_size));
    if (o->sample)
        pl_document_parameter(document, "sample_pages", "sample of at most", "pages", pl_value_count(o->sample));
    if (o->pid_given)
        pl_document_parameter(document, "pid", "process", "", pl_value_count(o->pid));
    pl_document_parameter(document, "chain_pages", "zsmalloc's longest chain", "pages", pl_value_count(o->chain_pages));
}

/* --- codecs --------------------------------------------------------------------------------- */

static struct pl_value speed(const struct compress_run *run, uint64_t pages, double seconds)
{
    bool known = !run->options->no_timing && seconds > 0 && pages;
    return pl_value_real(known ? (double)(pages * run->options->page_size) / seconds / (double)PL_MIB : NAN);
}

static void describe_codecs(const struct compress_run *run, struct pl_document *document)
{
    static const struct pl_column columns[] = {
        {"codec", "codec", "", PL_VALUE_TEXT, 0},
        {"ratio", "ratio", "", PL_VALUE_REAL, 3},
        {"mean_bytes", "mean size", "B", PL_VALUE_REAL, 0},
        {"p10_bytes", "10 %", "B", PL_VALUE_COUNT, 0},
        {"median_bytes", "median", "B", PL_VALUE_COUNT, 0},
        {"p90_bytes", "90 %", "B", PL_VALUE_COUNT, 0},
        {"p99_bytes", "99 %", "B", PL_VALUE_COUNT, 0},
        {"raw_pages", "not smaller", "pages", PL_VALUE_COUNT, 0},
        {"compress_mib_s", "compress", "MiB/s", PL_VALUE_REAL, 0},
        {"decompress_mib_s", "decompress", "MiB/s", PL_VALUE_REAL, 0},
    };
    struct pl_document_table *table = pl_document_table(document, "codecs", "Pages that are not same-filled, by codec",
                                                        columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < run->codecs; i++) {
        struct pl_page_survey_codec_result r = pl_page_survey_codec_result(run->survey, i);
        const struct pl_value values[] = {
            pl_value_text(run->codec[i].label),
            pl_value_real(share(r.pages * run->options->page_size, r.bytes)),
            pl_value_real(share(r.bytes, r.pages)),
            pl_value_count(pl_page_survey_percentile(run->survey, i, 0.10)),
            pl_value_count(pl_page_survey_percentile(run->survey, i, 0.50)),
            pl_value_count(pl_page_survey_percentile(run->survey, i, 0.90)),
            pl_value_count(pl_page_survey_percentile(run->survey, i, 0.99)),
            pl_value_count(r.raw),
            speed(run, r.pages, r.compress_s),
            speed(run, r.decompressed, r.decompress_s),
        };
        pl_document_row(table, values);
    }
    pl_document_csv_table(document, table);
}

/* --- the distribution of sizes --------------------------------------------------------------- */

static uint64_t in_bucket(const struct pl_page_survey_codec_result *r, uint64_t above, uint64_t up_to)
{
    uint64_t pages = 0;
    for (uint64_t size = above + 1; size <= up_to; size++)
        pages += r->histogram[size];
    return pages;
}

/* Pages by sixteenths of the page size; the last sixteenth holds the pages that did not shrink. */
static void describe_distribution(const struct compress_run *run, struct pl_document *document)
{
    size_t count = run->codecs + 1;
    struct pl_column *columns = pl_arena_alloc(run->arena, count, sizeof(*columns));
    struct pl_value *values = pl_arena_alloc(run->arena, count, sizeof(*values));
    if (!columns || !values)
        return;
    columns[0] = (struct pl_column){"up_to_bytes", "up to", "B", PL_VALUE_COUNT, 0};
    for (size_t i = 0; i < run->codecs; i++)
        columns[i + 1] = (struct pl_column){run->codec[i].label, run->codec[i].label, "pages", PL_VALUE_COUNT, 0};
    struct pl_document_table *table =
        pl_document_table(document, "distribution", "Pages by compressed size", columns, count);
    uint64_t step = run->options->page_size / BUCKETS;
    for (uint64_t bucket = 0; bucket < BUCKETS; bucket++) {
        values[0] = pl_value_count((bucket + 1) * step);
        for (size_t i = 0; i < run->codecs; i++) {
            struct pl_page_survey_codec_result r = pl_page_survey_codec_result(run->survey, i);
            values[i + 1] = pl_value_count(in_bucket(&r, bucket * step, (bucket + 1) * step));
        }
        pl_document_row(table, values);
    }
}

/* --- stores ------------------------------------------------------------------------------------ */

/* How often a sample goes into a whole. */
static uint64_t sample_times(const struct compress_run *run)
{
    const struct pl_page_reader_info *read = run->read;
    if (!run->options->sample || run->interrupted || read->pages_read >= read->pages_total)
        return 1;
    return (read->pages_total + read->pages_read / 2) / read->pages_read;
}

static enum pl_err describe_store(const struct compress_run *run, struct pl_document_table *table, size_t codec,
                                  const struct pl_store_system *system, struct pl_error *err)
{
    struct pl_space_params params = {.page_size = (uint32_t)run->options->page_size,
                                     .chain_pages = (uint32_t)run->options->chain_pages};
    struct pl_page_survey_store_result r;
    enum pl_err rc = pl_page_survey_store(run->survey, codec, system, &params, sample_times(run), &r,
                                          err);
    if (rc)
        return rc;
    uint64_t total = r.space.used_bytes + r.record_bytes, page_bytes = r.pages * run->options->page_size;
    const struct pl_value values[] = {
        pl_value_text(system->name),
        pl_value_text(run->codec[codec].label),
        pl_value_count(r.pages),
        pl_value_count(r.rejected),
        pl_value_count(r.same_filled),
        pl_value_count(r.duplicates),
        pl_value_count(r.raw),
        pl_value_count(r.object_bytes),
        pl_value_count(r.space.used_bytes),
        pl_value_count(r.record_bytes),
        pl_value_real(share(total, page_bytes)),
        pl_value_real(share(r.space.used_bytes - r.object_bytes, r.space.used_bytes) * 100),
    };
    pl_document_row(table, values);
    return PL_OK;
}

static enum pl_err describe_stores(const struct compress_run *run, struct pl_document *document, struct pl_error *err)
{
    static const struct pl_column columns[] = {
        {"store", "store", "", PL_VALUE_TEXT, 0},
        {"codec", "codec", "", PL_VALUE_TEXT, 0},
        {"stored_pages", "stored", "pages", PL_VALUE_COUNT, 0},
        {"rejected_pages", "rejected", "pages", PL_VALUE_COUNT, 0},
        {"same_filled_pages", "same-filled", "pages", PL_VALUE_COUNT, 0},
        {"duplicate_pages", "duplicate", "pages", PL_VALUE_COUNT, 0},
        {"raw_pages", "raw", "pages", PL_VALUE_COUNT, 0},
        {"object_bytes", "objects", "B", PL_VALUE_COUNT, 0},
        {"space_bytes", "space", "B", PL_VALUE_COUNT, 0},
        {"record_bytes", "records", "B", PL_VALUE_COUNT, 0},
        {"share", "per stored byte", "", PL_VALUE_REAL, 3},
        {"waste_percent", "waste in space", "%", PL_VALUE_REAL, 1},
    };
    struct pl_document_table *table =
        pl_document_table(document, "stores", "The store these pages would need", columns, PL_COUNT_OF(columns));
    for (size_t s = 0; s < run->stores; s++)
        for (size_t c = 0; c < run->codecs; c++) {
            enum pl_err rc = describe_store(run, table, c, run->store[s], err);
            if (rc)
                return rc;
        }
    return PL_OK;
}

static void describe_notes(const struct compress_run *run, struct pl_document *document)
{
    const struct pl_page_reader_info *read = run->read;
    char count[32], total[32];
    pl_format_count(count, sizeof(count), read->pages_read);
    pl_format_count(total, sizeof(total), read->pages_total);
    bool codes = true;
    for (size_t i = 0; i < run->codecs; i++)
        codes &= !run->codec[i].ops->sizes_only;
    pl_document_note(document, codes ? "Every page came back from every codec as it was."
                                     : "Every page came back as it was from every codec that produces bytes.");
    if (run->interrupted)
        pl_document_note(document, "Interrupted: only the first %s pages were measured.", count);
    if (run->options->sample && read->pages_chosen < read->pages_total && !run->interrupted)
        pl_document_note(document,
                         "A sample of %s pages of %s, evenly spread; duplicates are those within the sample. Stores are "
                         "filled with it %llu times over, as an estimate for all pages.",
                         count, total, (unsigned long long)sample_times(run));
    if (read->padded_pages)
        pl_document_note(document, "Last pages that were not full (%llu) are padded with zeros.",
                         (unsigned long long)read->padded_pages);
    if (run->options->pid_given)
        pl_document_note(document, "The process ran on while it was read: this is not its memory of one moment.");
    if (!run->options->no_timing)
        pl_document_note(document, "Speeds are processor time of one thread on this machine, in batches of 64 pages.");
}

enum pl_err compress_describe(const struct compress_run *run, struct pl_document **out, struct pl_error *err)
{
    struct pl_document *document = pl_document_create(run->arena, "compress", title_of(run));
    if (!document)
        return pl_fail_memory(err, 1, "the result");
    describe_parameters(run, document);
    describe_counts(run, document);
    describe_codecs(run, document);
    describe_distribution(run, document);
    enum pl_err rc = describe_stores(run, document, err);
    if (rc)
        return rc;
    describe_notes(run, document);
    *out = document;
    return PL_OK;
}
