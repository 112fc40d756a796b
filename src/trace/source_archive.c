/* trace/source_archive.c: gzip, xz, zstd, bzip2, lz4 and zip, by libarchive.
 *
 * A compression is switched on only when the magic number at the start announces it, because libarchive's raw format
 * takes anything and would hand plain bytes through without a word. A zip must hold exactly one file, except that a first
 * one named .etl is the trace whatever follows: collectors pack their own log and symbols behind it. libarchive does not
 * look at gzip's own checksums; gzip_check.c does. */
#include "trace/source_archive.h"

#include "trace/gzip_check.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct pl_unpack {
    struct archive *archive;
    const char *name, *compression;
    pl_unpack_feed *feed;
    void *user;
    struct pl_error feed_error; /* why the feed failed, since libarchive cannot carry it */
    bool ended;
    bool more_allowed; /* files behind the first one of a zip */
    const uint8_t *block; /* unpacked, and not yet handed out */
    size_t block_left;
    bool is_gzip;
    struct gzip_check gzip;
};

static const struct magic {
    const char *compression;
    uint8_t bytes[6];
    size_t length;
    int (*enable)(struct archive *);
} magics[] = {
    {"gzip", {0x1f, 0x8b}, 2, archive_read_support_filter_gzip},
    {"xz", {0xfd, '7', 'z', 'X', 'Z', 0}, 6, archive_read_support_filter_xz},
    {"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4, archive_read_support_filter_zstd},
    {"bzip2", {'B', 'Z', 'h'}, 3, archive_read_support_filter_bzip2},
    {"lz4", {0x04, 0x22, 0x4d, 0x18}, 4, archive_read_support_filter_lz4},
    {"zip", {'P', 'K', 3, 4}, 4, archive_read_support_format_zip},
};

static const struct magic *find_magic(const uint8_t *head, size_t length)
{
    for (size_t i = 0; i < PL_COUNT_OF(magics); i++)
        if (length >= magics[i].length && !memcmp(head, magics[i].bytes, magics[i].length))
            return &magics[i];
    return NULL;
}

const char *pl_unpack_detect(const uint8_t *head, size_t length)
{
    const struct magic *magic = find_magic(head, length);
    return magic ? magic->compression : NULL;
}

/* --- libarchive --------------------------------------------------------------- */

static la_ssize_t feed_archive(struct archive *archive, void *user, const void **bytes)
{
    struct pl_unpack *unpack = user;
    const uint8_t *chunk;
    size_t length;
    if (unpack->feed(unpack->user, &chunk, &length, &unpack->feed_error)) {
        archive_set_error(archive, EIO, "%s", "cannot read");
        return -1;
    }
    if (unpack->is_gzip)
        gzip_check_packed(&unpack->gzip, chunk, length);
    *bytes = chunk;
    return (la_ssize_t)length;
}

static enum pl_err archive_failed(struct pl_unpack *unpack, struct pl_error *err)
{
    if (unpack->feed_error.code) {
        if (err)
            *err = unpack->feed_error;
        return unpack->feed_error.code;
    }
    if (archive_errno(unpack->archive) == ENOMEM)
        return pl_fail(err, PL_ERR_RESOURCE, "%s: out of memory while unpacking %s", unpack->name, unpack->compression);
    const char *why = archive_error_string(unpack->archive);
    return pl_fail(err, PL_ERR_INPUT, "%s: damaged or cut-off %s data: %s", unpack->name, unpack->compression,
                   why ? why : "no reason given");
}

static bool is_event_trace(const char *name)
{
    size_t length = name ? strlen(name) : 0;
    return length > 4 && !strcasecmp(name + length - 4, ".etl");
}

/* A zip must have one regular file; the raw format has one entry by nature. */
static enum pl_err first_entry(struct pl_unpack *unpack, struct pl_error *err)
{
    struct archive_entry *entry;
    int status;
    do {
        status = archive_read_next_header(unpack->archive, &entry);
    } while (status == ARCHIVE_OK && archive_entry_filetype(entry) == AE_IFDIR);
    if (status == ARCHIVE_EOF)
        return pl_fail(err, PL_ERR_INPUT, "%s: the %s data hold nothing", unpack->name, unpack->compression);
    if (status < ARCHIVE_WARN)
        return archive_failed(unpack, err);
    /* A header that the filter did not take for one would go through as it is. */
    if (strcmp(unpack->compression, "zip") && archive_filter_code(unpack->archive, 0) == ARCHIVE_FILTER_NONE)
        return pl_fail(err, PL_ERR_INPUT, "%s: damaged or cut-off %s data: the header is no good", unpack->name,
                       unpack->compression);
    unpack->more_allowed = !strcmp(unpack->compression, "zip") && is_event_trace(archive_entry_pathname(entry));
    return PL_OK;
}

/* Fails when something follows the only member of a zip. */
static enum pl_err no_more_entries(struct pl_unpack *unpack, struct pl_error *err)
{
    struct archive_entry *entry;
    if (unpack->more_allowed)
        return PL_OK;
    int status = archive_read_next_header(unpack->archive, &entry);
    if (status == ARCHIVE_EOF)
        return PL_OK;
    if (status < ARCHIVE_WARN)
        return archive_failed(unpack, err);
    return pl_fail(err, PL_ERR_INPUT, "%s: the zip holds several files; extract the one that is the trace",
                   unpack->name);
}

static struct archive *make_archive(const char *compression)
{
    struct archive *archive = archive_read_new();
    if (!archive)
        return NULL;
    for (size_t i = 0; i < PL_COUNT_OF(magics); i++)
        if (!strcmp(magics[i].compression, compression))
            magics[i].enable(archive);
    if (strcmp(compression, "zip")) {
        archive_read_support_format_raw(archive);
        archive_read_support_format_empty(archive); /* the raw format takes no bytes at all for damage */
    }
    return archive;
}

enum pl_err pl_unpack_open(const char *name, const char *compression, pl_unpack_feed *feed, void *user,
                           struct pl_unpack **out, struct pl_error *err)
{
    struct pl_unpack *unpack = calloc(1, sizeof *unpack);
    if (!unpack)
        return pl_fail_memory(err, sizeof *unpack, "a decompressor");
    *unpack = (struct pl_unpack){.name = name, .compression = compression, .feed = feed, .user = user};
    unpack->is_gzip = !strcmp(compression, "gzip");
    enum pl_err rc = PL_OK;
    unpack->archive = make_archive(compression);
    if (!unpack->archive)
        rc = pl_fail_memory(err, 0, "a decompressor");
    else if (archive_read_open(unpack->archive, unpack, NULL, feed_archive, NULL) < ARCHIVE_WARN)
        rc = archive_failed(unpack, err);
    else
        rc = first_entry(unpack, err);
    if (rc) {
        pl_unpack_close(unpack);
        return rc;
    }
    *out = unpack;
    return PL_OK;
}

void pl_unpack_close(struct pl_unpack *unpack)
{
    if (!unpack)
        return;
    if (unpack->archive)
        archive_read_free(unpack->archive);
    free(unpack);
}

static enum pl_err finish(struct pl_unpack *unpack, struct pl_error *err)
{
    unpack->ended = true;
    if (!strcmp(unpack->compression, "zip"))
        return no_more_entries(unpack, err);
    if (unpack->is_gzip && !gzip_check_holds(&unpack->gzip))
        return pl_fail(err, PL_ERR_INPUT, "%s: damaged gzip data: its checksum does not match", unpack->name);
    return PL_OK;
}

/* The next block of libarchive's. archive_read_data would be simpler, but drops what it has when damage follows. */
static enum pl_err next_block(struct pl_unpack *unpack, struct pl_error *err)
{
    const void *bytes;
    size_t length;
    la_int64_t offset;
    int status = archive_read_data_block(unpack->archive, &bytes, &length, &offset);
    if (status == ARCHIVE_EOF)
        return finish(unpack, err);
    if (status < ARCHIVE_WARN)
        return archive_failed(unpack, err);
    unpack->block = bytes;
    unpack->block_left = length;
    if (unpack->is_gzip)
        gzip_check_unpacked(&unpack->gzip, bytes, length);
    return PL_OK;
}

enum pl_err pl_unpack_read(struct pl_unpack *unpack, uint8_t *to, size_t room, size_t *got, struct pl_error *err)
{
    *got = 0;
    while (!unpack->block_left && !unpack->ended) {
        enum pl_err rc = next_block(unpack, err);
        if (rc)
            return rc;
    }
    size_t n = unpack->block_left < room ? unpack->block_left : room;
    if (n) {
        memcpy(to, unpack->block, n);
        unpack->block += n;
        unpack->block_left -= n;
    }
    *got = n;
    return PL_OK;
}
