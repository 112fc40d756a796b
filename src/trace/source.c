/* trace/source.c: a file, standard input or memory as a window of bytes.
 *
 *   plain regular file    mapped; the window is all that is unread
 *   memory                the same, without the mapping
 *   pipe, device          read into a buffer; the window is what lies in it
 *   compressed            unpacked into the buffer; the packed bytes come from a mapping or a second buffer
 *
 * Mapped pages that were read are given back in steps, so that the resident size does not grow with the file. */
#include "trace/source.h"

#include "trace/source_archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUFFER_START = 1 << 20,     /* grows when a caller peeks further */
    FEED_SIZE = 1 << 18,        /* packed bytes handed to the decompressor at once */
    PEEK_MAX = 16 << 20,
    RELEASE_STEP = 32 << 20,    /* mapped bytes kept behind the reader */
};

struct pl_source {
    char *name;
    const char *compression;
    const uint8_t *window; /* unread bytes */
    size_t length;
    uint64_t offset; /* of window[0] in the uncompressed input */
    bool ended;      /* nothing comes after the window */

    uint8_t *map; /* of a regular file */
    size_t map_length, released;

    int fd; /* -1: mapped or memory */
    bool own_fd;
    uint8_t *buffer;
    size_t capacity;

    struct pl_unpack *unpack;
    const uint8_t *packed; /* what the decompressor has not seen yet, of a mapping, memory or the sniffed head */
    size_t packed_length;
    uint8_t *feed; /* for packed bytes from `fd` */
    uint64_t done, total; /* packed bytes */
    bool end_at_damage;
    struct pl_error damage;
};

/* --- getting bytes -------------------------------------------------------------- */

static enum pl_err read_some(struct pl_source *source, uint8_t *to, size_t room, size_t *got, struct pl_error *err)
{
    ssize_t n;
    do {
        n = read(source->fd, to, room);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return pl_fail_errno(err, errno, "%s: cannot read", source->name);
    *got = (size_t)n;
    source->done += (size_t)n;
    return PL_OK;
}

static enum pl_err feed_packed(void *user, const uint8_t **bytes, size_t *length, struct pl_error *err)
{
    struct pl_source *source = user;
    if (source->packed_length) {
        size_t n = source->packed_length < FEED_SIZE ? source->packed_length : FEED_SIZE;
        *bytes = source->packed;
        *length = n;
        source->packed += n;
        source->packed_length -= n;
        if (source->fd < 0)
            source->done += n;
        return PL_OK;
    }
    *bytes = source->feed;
    *length = 0;
    return source->fd < 0 ? PL_OK : read_some(source, source->feed, FEED_SIZE, length, err);
}

/* Room for `need` bytes behind what is unread, which moves to the front. */
static enum pl_err make_room(struct pl_source *source, size_t need, struct pl_error *err)
{
    if (need <= source->capacity) {
        if (source->window != source->buffer && source->length)
            memmove(source->buffer, source->window, source->length);
        source->window = source->buffer;
        return PL_OK;
    }
    size_t capacity = source->capacity ? source->capacity : BUFFER_START;
    while (capacity < need)
        capacity *= 2;
    uint8_t *buffer = malloc(capacity);
    if (!buffer)
        return pl_fail_memory(err, capacity, "an input buffer");
    if (source->length)
        memcpy(buffer, source->window, source->length);
    free(source->buffer);
    source->buffer = buffer;
    source->capacity = capacity;
    source->window = buffer;
    return PL_OK;
}

static enum pl_err fill(struct pl_source *source, size_t need, struct pl_error *err)
{
    enum pl_err rc = make_room(source, need, err);
    while (rc == PL_OK && source->length < need) {
        uint8_t *to = source->buffer + source->length;
        size_t room = source->capacity - source->length, got = 0;
        rc = source->unpack ? pl_unpack_read(source->unpack, to, room, &got, err)
                            : read_some(source, to, room, &got, err);
        if (rc == PL_ERR_INPUT && source->unpack && source->end_at_damage) {
            if (err)
                source->damage = *err;
            source->damage.code = rc;
            rc = PL_OK;
        }
        if (rc == PL_OK && got == 0) {
            source->ended = true;
            break;
        }
        source->length += got;
    }
    return rc;
}

/* --- mapped files ----------------------------------------------------------------- */

static void release_behind(struct pl_source *source)
{
    size_t at = (size_t)(source->window - source->map);
    if (!source->map || at < source->released + 2 * (size_t)RELEASE_STEP)
        return;
    (void)madvise(source->map + source->released, RELEASE_STEP, MADV_DONTNEED);
    source->released += RELEASE_STEP;
}

/* Maps a regular file that is read from its start. Not mapping is no failure: it is read instead. */
static bool try_map(struct pl_source *source)
{
    struct stat st;
    if (fstat(source->fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 || lseek(source->fd, 0, SEEK_CUR) != 0 ||
        (uint64_t)st.st_size > SIZE_MAX)
        return false;
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, source->fd, 0);
    if (map == MAP_FAILED)
        return false;
    (void)madvise(map, (size_t)st.st_size, MADV_SEQUENTIAL); /* a hint: read ahead */
    source->map = map;
    source->map_length = (size_t)st.st_size;
    source->window = map;
    source->length = source->map_length;
    source->total = source->map_length;
    source->ended = true;
    if (source->own_fd)
        close(source->fd);
    source->fd = -1;
    return true;
}

/* --- opening ------------------------------------------------------------------------ */

static enum pl_err start_unpacking(struct pl_source *source, const char *compression, struct pl_error *err)
{
    source->compression = compression;
    source->packed = source->window;
    source->packed_length = source->length;
    if (source->fd >= 0) {
        source->feed = malloc(FEED_SIZE);
        if (!source->feed)
            return pl_fail_memory(err, FEED_SIZE, "an input buffer");
        /* The sniffed head lies in `buffer`, which the unpacked bytes will need. */
        memcpy(source->feed, source->window, source->length);
        source->packed = source->feed;
    }
    source->window = source->buffer;
    source->length = 0;
    source->ended = false;
    return pl_unpack_open(source->name, compression, feed_packed, source, &source->unpack, err);
}

/* Looks at the first bytes, and puts a decompressor in between when they call for one. */
static enum pl_err sniff(struct pl_source *source, struct pl_error *err)
{
    if (source->fd >= 0) {
        /* Small reads, so that the head fits the feed buffer. */
        enum pl_err rc = make_room(source, BUFFER_START, err);
        while (rc == PL_OK && source->length < 8 && !source->ended) {
            size_t got = 0;
            rc = read_some(source, source->buffer + source->length, 4096 - source->length, &got, err);
            source->length += got;
            source->ended = rc == PL_OK && got == 0;
        }
        if (rc)
            return rc;
    }
    const char *compression = pl_unpack_detect(source->window, source->length);
    return compression ? start_unpacking(source, compression, err) : PL_OK;
}

static struct pl_source *new_source(const char *name)
{
    struct pl_source *source = calloc(1, sizeof *source);
    if (!source)
        return NULL;
    source->name = strdup(name);
    source->compression = "none";
    source->fd = -1;
    if (!source->name) {
        free(source);
        return NULL;
    }
    return source;
}

static enum pl_err open_file(struct pl_source *source, const char *path, struct pl_error *err)
{
    struct stat st;
    if (!strcmp(path, "-")) {
        source->fd = STDIN_FILENO;
    } else {
        source->fd = open(path, O_RDONLY | O_CLOEXEC);
        source->own_fd = true;
        if (source->fd < 0)
            return pl_fail_errno(err, errno, "%s: cannot open", path);
    }
    if (fstat(source->fd, &st) == 0 && S_ISDIR(st.st_mode))
        return pl_fail(err, PL_ERR_INPUT, "%s: is a folder, not a file", source->name);
    (void)try_map(source);
    return sniff(source, err);
}

enum pl_err pl_source_open(const char *path, struct pl_source **out, struct pl_error *err)
{
    struct pl_source *source = new_source(strcmp(path, "-") ? path : "standard input");
    if (!source)
        return pl_fail_memory(err, sizeof *source, "a source");
    enum pl_err rc = open_file(source, path, err);
    if (rc) {
        pl_source_close(source);
        return rc;
    }
    *out = source;
    return PL_OK;
}

enum pl_err pl_source_open_memory(const void *bytes, size_t length, const char *name, struct pl_source **out,
                                  struct pl_error *err)
{
    struct pl_source *source = new_source(name);
    if (!source)
        return pl_fail_memory(err, sizeof *source, "a source");
    source->window = bytes;
    source->length = length;
    source->total = length;
    source->ended = true;
    enum pl_err rc = sniff(source, err);
    if (rc) {
        pl_source_close(source);
        return rc;
    }
    *out = source;
    return PL_OK;
}

void pl_source_close(struct pl_source *source)
{
    if (!source)
        return;
    pl_unpack_close(source->unpack);
    if (source->map)
        munmap(source->map, source->map_length);
    if (source->own_fd && source->fd >= 0)
        close(source->fd);
    free(source->buffer);
    free(source->feed);
    free(source->name);
    free(source);
}

/* --- the window ----------------------------------------------------------------------- */

enum pl_err pl_source_peek(struct pl_source *source, size_t need, const uint8_t **window, size_t *length,
                           struct pl_error *err)
{
    if (need > PEEK_MAX)
        need = PEEK_MAX;
    if (source->length < need && !source->ended) {
        enum pl_err rc = fill(source, need, err);
        if (rc)
            return rc;
    }
    *window = source->window;
    *length = source->length;
    return PL_OK;
}

void pl_source_skip(struct pl_source *source, size_t bytes)
{
    if (bytes > source->length)
        bytes = source->length;
    if (!bytes)
        return;
    source->window += bytes;
    source->length -= bytes;
    source->offset += bytes;
    if (source->map && !source->unpack)
        release_behind(source);
}

void pl_source_end_at_damage(struct pl_source *source)
{
    source->end_at_damage = true;
}

const char *pl_source_damage(const struct pl_source *source)
{
    return source->damage.code ? source->damage.message : NULL;
}

uint64_t pl_source_offset(const struct pl_source *source)
{
    return source->offset;
}

const char *pl_source_name(const struct pl_source *source)
{
    return source->name;
}

const char *pl_source_compression(const struct pl_source *source)
{
    return source->compression;
}

void pl_source_progress(const struct pl_source *source, uint64_t *done, uint64_t *total)
{
    *done = source->unpack || source->fd >= 0 ? source->done : source->offset;
    *total = source->total;
}

bool pl_source_mapped(const struct pl_source *source, const uint8_t **bytes, uint64_t *length)
{
    if (!source->map || source->unpack)
        return false;
    *bytes = source->map;
    *length = source->map_length;
    return true;
}
