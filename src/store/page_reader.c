/* store/page_reader.c: extents of files in pages.
 *
 *   sources (descriptors) <- extents (runs of bytes) <- page numbers, counted through all extents
 *
 * A sample of N pages of T takes the pages number (2 k + 1) T / 2 N, which are in the middle of N equal parts. */
#include "base/arena.h"
#include "store/page_reader_private.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AHEAD_PAGES = 64 };

enum pl_err pl_page_reader_new(uint32_t page_size, uint64_t sample, struct pl_page_reader **out, struct pl_error *err)
{
    struct pl_page_reader *reader = calloc(1, sizeof(*reader));
    if (!reader)
        return pl_fail_memory(err, sizeof(*reader), "a page reader");
    reader->page_size = page_size;
    reader->sample = sample;
    reader->ahead = malloc((size_t)AHEAD_PAGES * page_size);
    if (!reader->ahead) {
        free(reader);
        return pl_fail_memory(err, (size_t)AHEAD_PAGES * page_size, "pages read ahead");
    }
    *out = reader;
    return PL_OK;
}

void pl_page_reader_close(struct pl_page_reader *reader)
{
    if (!reader)
        return;
    for (size_t i = 0; i < reader->sources; i++)
        if (reader->source[i].descriptor != STDIN_FILENO)
            close(reader->source[i].descriptor);
    free(reader->source);
    free(reader->extent);
    free(reader->own_name);
    free(reader->ahead);
    free(reader);
}

enum pl_err pl_page_reader_add_source(struct pl_page_reader *reader, struct pl_page_source source, struct pl_error *err)
{
    enum pl_err rc = pl_grow((void **)&reader->source, &reader->source_capacity, reader->sources + 1,
                             sizeof(reader->source[0]), "the files to read", err);
    if (rc) {
        if (source.descriptor != STDIN_FILENO)
            close(source.descriptor);
        return rc;
    }
    reader->source[reader->sources++] = source;
    return PL_OK;
}

enum pl_err pl_page_reader_add_extent(struct pl_page_reader *reader, struct pl_page_extent extent, struct pl_error *err)
{
    enum pl_err rc = pl_grow((void **)&reader->extent, &reader->extent_capacity, reader->extents + 1,
                             sizeof(reader->extent[0]), "the parts to read", err);
    if (rc == PL_OK)
        reader->extent[reader->extents++] = extent;
    return rc;
}

static uint64_t pages_of(const struct pl_page_reader *reader, const struct pl_page_extent *extent)
{
    return (extent->bytes + reader->page_size - 1) / reader->page_size;
}

static bool is_stream(const struct pl_page_reader *reader, const struct pl_page_extent *extent)
{
    return reader->source[extent->source].is_stream;
}

enum pl_err pl_page_reader_ready(struct pl_page_reader *reader, struct pl_error *err)
{
    bool streams = false;
    uint64_t total = 0;
    for (size_t i = 0; i < reader->extents; i++) {
        const struct pl_page_extent *extent = &reader->extent[i];
        if (is_stream(reader, extent) && reader->sample)
            return pl_fail(err, PL_ERR_USAGE, "%s is a stream, whose length is not known: it cannot be sampled",
                           reader->source[extent->source].name);
        streams |= is_stream(reader, extent);
        total += pages_of(reader, extent);
    }
    if (!reader->sample || reader->sample > total)
        reader->sample = 0; /* all */
    if (!streams) {
        reader->info.pages_total = total;
        reader->info.pages_chosen = reader->sample ? reader->sample : total;
    }
    return PL_OK;
}

/* --- files --------------------------------------------------------------------- */

/* Opens one file and makes it an extent. */
static enum pl_err add_file(struct pl_page_reader *reader, const char *path, struct pl_error *err)
{
    struct pl_page_source source = {.name = path, .descriptor = STDIN_FILENO};
    if (!strcmp(path, "-"))
        source.name = "standard input";
    else if ((source.descriptor = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        return pl_fail_errno(err, errno, "%s", path);
    struct stat facts;
    int failed = fstat(source.descriptor, &facts);
    off_t end = failed ? 0 : lseek(source.descriptor, 0, SEEK_END); /* of block devices too, where st_size is 0 */
    if (failed || S_ISDIR(facts.st_mode)) {
        int why = failed ? errno : EISDIR;
        if (source.descriptor != STDIN_FILENO)
            close(source.descriptor);
        return pl_fail_errno(err, why, "%s", path);
    }
    source.is_stream = end < 0 || (!S_ISREG(facts.st_mode) && !S_ISBLK(facts.st_mode));
    enum pl_err rc = pl_page_reader_add_source(reader, source, err);
    if (rc)
        return rc;
    struct pl_page_extent extent = {(uint32_t)(reader->sources - 1), 0, source.is_stream ? 0 : (uint64_t)end};
    return pl_page_reader_add_extent(reader, extent, err);
}

enum pl_err pl_page_reader_open_files(const char *const *paths, size_t count, uint32_t page_size, uint64_t sample,
                                      struct pl_page_reader **out, struct pl_error *err)
{
    struct pl_page_reader *reader = NULL;
    enum pl_err rc = pl_page_reader_new(page_size, sample, &reader, err);
    for (size_t i = 0; i < count && rc == PL_OK; i++)
        rc = add_file(reader, paths[i], err);
    if (rc == PL_OK)
        rc = pl_page_reader_ready(reader, err);
    if (rc) {
        pl_page_reader_close(reader);
        return rc;
    }
    *out = reader;
    return PL_OK;
}

/* --- reading -------------------------------------------------------------------- */

/* Moves to the extent that page `number` lies in, and returns the page's offset in its source. */
static uint64_t seek_page(struct pl_page_reader *reader, uint64_t number)
{
    while (number - reader->pages_before >= pages_of(reader, &reader->extent[reader->at_extent]))
        reader->pages_before += pages_of(reader, &reader->extent[reader->at_extent++]);
    return reader->extent[reader->at_extent].offset + (number - reader->pages_before) * reader->page_size;
}

/* Reads up to `wanted` bytes from where the file stands, or at `offset` when it is not a stream. */
static enum pl_err read_fully(const struct pl_page_source *source, uint64_t offset, uint8_t *out, uint64_t wanted,
                              uint64_t *got, struct pl_error *err)
{
    uint64_t have = 0;
    while (have < wanted) {
        ssize_t n = source->is_stream
                        ? read(source->descriptor, out + have, (size_t)(wanted - have))
                        : pread(source->descriptor, out + have, (size_t)(wanted - have), (off_t)(offset + have));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && have == 0)
            return pl_fail_errno(err, errno, "%s: at byte %llu", source->name, (unsigned long long)offset);
        if (n <= 0)
            break; /* a failure behind good bytes comes back at the next read */
        have += (uint64_t)n;
    }
    *got = have;
    return PL_OK;
}

/* Makes sure that the page at `offset` of the present extent is in the buffer; whole runs when there is no sample. */
static enum pl_err read_ahead(struct pl_page_reader *reader, uint64_t offset, struct pl_error *err)
{
    const struct pl_page_extent *extent = &reader->extent[reader->at_extent];
    if (reader->ahead_source == extent->source && offset >= reader->ahead_offset &&
        offset < reader->ahead_offset + reader->ahead_bytes)
        return PL_OK;
    uint64_t wanted = extent->offset + extent->bytes - offset;
    uint64_t most = (uint64_t)(reader->sample ? 1 : AHEAD_PAGES) * reader->page_size;
    if (wanted > most)
        wanted = most;
    reader->ahead_bytes = 0;
    uint64_t got = 0;
    enum pl_err rc = read_fully(&reader->source[extent->source], offset, reader->ahead, wanted, &got, err);
    if (rc)
        return rc;
    if (got == 0)
        return pl_fail_at_byte(err, reader->source[extent->source].name, offset,
                               "the file became shorter while it was read");
    reader->ahead_source = extent->source;
    reader->ahead_offset = offset;
    reader->ahead_bytes = got;
    return PL_OK;
}

static void pad(struct pl_page_reader *reader, uint8_t *page, uint64_t have)
{
    if (have == reader->page_size)
        return;
    memset(page + have, 0, reader->page_size - have);
    reader->info.padded_pages++;
    reader->info.padded_bytes += reader->page_size - have;
}

static enum pl_err page_at(struct pl_page_reader *reader, uint64_t number, uint8_t *page, struct pl_error *err)
{
    uint64_t offset = seek_page(reader, number);
    reader->last_source = reader->extent[reader->at_extent].source;
    reader->last_offset = offset;
    enum pl_err rc = read_ahead(reader, offset, err);
    if (rc)
        return rc;
    uint64_t have = reader->ahead_offset + reader->ahead_bytes - offset;
    if (have > reader->page_size)
        have = reader->page_size;
    memcpy(page, reader->ahead + (offset - reader->ahead_offset), have);
    pad(reader, page, have);
    return PL_OK;
}

/* Files and streams mixed: extents one after the other. The length of streams shows as they end. */
static enum pl_err next_of_stream(struct pl_page_reader *reader, uint8_t *page, struct pl_error *err)
{
    struct pl_page_extent *extent = &reader->extent[reader->at_extent];
    uint64_t got = 0;
    enum pl_err rc = read_fully(&reader->source[extent->source], extent->bytes, page, reader->page_size, &got, err);
    if (rc)
        return rc;
    if (got == 0)
        return PL_END;
    reader->last_source = extent->source;
    reader->last_offset = extent->bytes;
    extent->bytes += got;
    pad(reader, page, got);
    return PL_OK;
}

/* The page after the last one; PL_END when there is none. */
static enum pl_err next_page(struct pl_page_reader *reader, uint8_t *page, struct pl_error *err)
{
    if (reader->sample) {
        if (reader->chosen == reader->sample)
            return PL_END;
        unsigned __int128 twice = (unsigned __int128)(2 * reader->chosen++ + 1) * reader->info.pages_total;
        return page_at(reader, (uint64_t)(twice / (2 * reader->sample)), page, err);
    }
    while (reader->at_extent < reader->extents) {
        const struct pl_page_extent *extent = &reader->extent[reader->at_extent];
        if (is_stream(reader, extent)) {
            enum pl_err rc = next_of_stream(reader, page, err);
            if (rc != PL_END)
                return rc;
        } else if (reader->chosen - reader->pages_before < pages_of(reader, extent)) {
            return page_at(reader, reader->chosen++, page, err);
        } else {
            reader->pages_before += pages_of(reader, extent);
        }
        reader->at_extent++;
    }
    return PL_END;
}

enum pl_err pl_page_reader_next(struct pl_page_reader *reader, uint8_t *page, struct pl_error *err)
{
    for (;;) {
        enum pl_err rc = next_page(reader, page, err);
        if (rc == PL_OK)
            reader->info.pages_read++;
        if (rc == PL_END && !reader->info.pages_total)
            reader->info.pages_total = reader->info.pages_chosen = reader->info.pages_read;
        if (rc <= PL_END || !reader->source[reader->last_source].may_fail)
            return rc;
        reader->info.unreadable_pages++;
    }
}

const struct pl_page_reader_info *pl_page_reader_info(const struct pl_page_reader *reader)
{
    return &reader->info;
}

char *pl_page_reader_place(const struct pl_page_reader *reader, char *out, size_t size)
{
    assert(reader->sources);
    snprintf(out, size, reader->own_name ? "%s: address 0x%llx" : "%s: byte %llu",
             reader->source[reader->last_source].name, (unsigned long long)reader->last_offset);
    return out;
}
