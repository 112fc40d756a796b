/* codec/content_file.c: pages of a file at any place, by pread. */
#include "codec/content_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct pl_content_file {
    char *path;
    int descriptor;
    uint32_t page_size;
    uint64_t pages;
};

/* Its descriptor, and how many bytes it has. */
static enum pl_err open_regular(const char *path, int *descriptor, uint64_t *bytes, struct pl_error *err)
{
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer would wait for one */
    if (fd < 0)
        return pl_fail_errno(err, errno, "%s", path);
    const char *why = NULL;
    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode))
        why = "is not a file that has pages";
    else if (facts.st_size == 0)
        why = "is empty: it has nothing to fill pages with";
    if (why) {
        close(fd);
        return pl_fail(err, PL_ERR_INPUT, "%s: %s", path, why);
    }
    *descriptor = fd;
    *bytes = (uint64_t)facts.st_size;
    return PL_OK;
}

enum pl_err pl_content_file_open(const char *path, uint32_t page_size, struct pl_content_file **out, struct pl_error *err)
{
    uint64_t bytes = 0;
    struct pl_content_file *file = calloc(1, sizeof *file);
    if (!file || !(file->path = strdup(path))) {
        free(file);
        return pl_fail_memory(err, sizeof *file, "a file that fills pages");
    }
    enum pl_err rc = open_regular(path, &file->descriptor, &bytes, err);
    if (rc) {
        free(file->path);
        free(file);
        return rc;
    }
    file->page_size = page_size;
    file->pages = (bytes + page_size - 1) / page_size;
    *out = file;
    return PL_OK;
}

void pl_content_file_close(struct pl_content_file *file)
{
    if (!file)
        return;
    close(file->descriptor);
    free(file->path);
    free(file);
}

const char *pl_content_file_path(const struct pl_content_file *file)
{
    return file->path;
}

enum pl_err pl_content_file_page(const struct pl_content_file *file, uint64_t index, uint8_t *page, struct pl_error *err)
{
    const uint64_t offset = index % file->pages * file->page_size;
    uint32_t have = 0;
    while (have < file->page_size) {
        ssize_t got = pread(file->descriptor, page + have, file->page_size - have, (off_t)(offset + have));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return pl_fail_errno(err, errno, "%s", file->path);
        if (got == 0)
            break;
        have += (uint32_t)got;
    }
    memset(page + have, 0, file->page_size - have);
    return PL_OK;
}
