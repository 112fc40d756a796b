/* base/sink_file.c: writing beside a file, and renaming over it.
 *
 * A link is followed first, so that it stays a link to the new content. A file that is replaced keeps its permissions; a
 * new one gets what the umask leaves. A hard link to the old file keeps the old content. Nothing is forced to disk: the
 * promise is about interrupted programs, not about power cuts. */
#include "base/sink_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(_WIN32)

/* Windows renames over an existing file only by another call, and has neither umask nor links worth following here. */
#include <windows.h>

enum pl_err sink_file_open(const char *path, struct sink_file *out, struct pl_error *err)
{
    static const char suffix[] = ".part";
    struct sink_file file = {0};
    struct stat status;
    bool direct = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    if (!direct) {
        file.target = strdup(path);
        file.beside = malloc(strlen(path) + sizeof suffix);
        if (!file.target || !file.beside) {
            free(file.target);
            free(file.beside);
            return pl_fail_memory(err, strlen(path), "a file name");
        }
        strcat(strcpy(file.beside, path), suffix);
    }
    file.stream = fopen(direct ? path : file.beside, "wb");
    if (!file.stream) {
        enum pl_err rc = pl_fail_errno(err, errno, "%s", path);
        free(file.target);
        free(file.beside);
        return rc;
    }
    *out = file;
    return PL_OK;
}

static int put_in_place(const char *from, const char *to)
{
    return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) ? 0 : EACCES;
}

#else

/* Names of our own open streams: opening them anew must neither truncate nor replace what they lead to. */
static bool is_own_stream(const char *path)
{
    return !strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/stderr") || !strncmp(path, "/dev/fd/", 8) ||
           !strncmp(path, "/proc/self/fd/", 14);
}

/* Opens a place that takes bytes as they come. Such a place is never made, emptied or removed. */
static enum pl_err open_directly(const char *path, int flags, struct sink_file *out, struct pl_error *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | flags);
    if (fd < 0)
        return pl_fail_errno(err, errno, "%s", path);
    FILE *stream = fdopen(fd, "w");
    if (!stream) {
        enum pl_err rc = pl_fail_errno(err, errno, "%s", path);
        close(fd);
        return rc;
    }
    *out = (struct sink_file){.stream = stream};
    return PL_OK;
}

/* Permissions for the new file. Reading the umask means setting it; the short moment is harmless, since the value only
 * becomes stricter. */
static mode_t new_mode(const struct stat *old)
{
    if (old)
        return old->st_mode & 07777;
    mode_t mask = umask(077);
    umask(mask);
    return 0666 & ~mask;
}

/* The file that `path` leads to: a link's end, or the path itself. A link to nothing is an error. */
static char *resolve(const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0 || !S_ISLNK(status.st_mode))
        return strdup(path);
    return realpath(path, NULL);
}

/* "target.XXXXXX", or "XXXXXX" in the same folder where that would make the name too long. NULL without memory. */
static char *name_beside(const char *target)
{
    static const char suffix[] = ".XXXXXX";
    enum { SAFE_NAME = 255 - (sizeof suffix - 1) };
    const char *slash = strrchr(target, '/');
    const char *last = slash ? slash + 1 : target;
    size_t length = strlen(target);
    char *name = malloc(length + sizeof suffix);
    if (!name)
        return NULL;
    strcpy(name, target);
    if (strlen(last) > SAFE_NAME)
        strcpy(name + (last - target), suffix + 1);
    else
        strcpy(name + length, suffix);
    return name;
}

/* Makes and opens a file beside the target. On failure returns NULL, errno set, and nothing is left behind. */
static FILE *open_beside(const char *target, const struct stat *old, char **beside)
{
    char *name = name_beside(target);
    if (!name)
        return NULL;
    int fd = mkstemp(name);
    if (fd < 0) {
        free(name);
        return NULL;
    }
    FILE *stream = fchmod(fd, new_mode(old)) == 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 ? fdopen(fd, "w") : NULL;
    if (!stream) {
        int saved = errno;
        close(fd);
        unlink(name);
        free(name);
        errno = saved;
        return NULL;
    }
    *beside = name;
    return stream;
}

enum pl_err sink_file_open(const char *path, struct sink_file *out, struct pl_error *err)
{
    struct stat status;
    if (is_own_stream(path))
        return open_directly(path, O_APPEND, out, err);
    /* stat follows links: a link to a device is a device. */
    bool exists = stat(path, &status) == 0;
    if (*path == '\0')
        return pl_fail_errno(err, ENOENT, "'%s'", path);
    if (exists && S_ISDIR(status.st_mode))
        return pl_fail_errno(err, EISDIR, "%s", path);
    if (exists && !S_ISREG(status.st_mode))
        return open_directly(path, 0, out, err);
    if (exists && access(path, W_OK) != 0) /* a rename would get around a file that is write-protected on purpose */
        return pl_fail_errno(err, errno, "%s", path);

    char *target = resolve(path);
    if (!target)
        return pl_fail_errno(err, errno, "%s", path);
    char *beside;
    FILE *stream = open_beside(target, exists ? &status : NULL, &beside);
    if (!stream) {
        enum pl_err rc = pl_fail_errno(err, errno, "%s", path);
        free(target);
        return rc;
    }
    *out = (struct sink_file){.stream = stream, .target = target, .beside = beside};
    return PL_OK;
}

static int put_in_place(const char *from, const char *to)
{
    return rename(from, to) == 0 ? 0 : errno;
}

#endif

/* Frees the names; the file itself is no longer ours. */
static void forget(struct sink_file *file)
{
    free(file->target);
    free(file->beside);
    *file = (struct sink_file){0};
}

/* fclose comes first: on a network file system it is where a full disk shows. */
int sink_file_commit(struct sink_file *file)
{
    int failure = fclose(file->stream) == 0 ? 0 : errno;
    if (file->target) {
        if (!failure)
            failure = put_in_place(file->beside, file->target);
        if (failure)
            remove(file->beside);
    }
    forget(file);
    return failure;
}

void sink_file_abandon(struct sink_file *file)
{
    fclose(file->stream);
    if (file->beside)
        remove(file->beside);
    forget(file);
}
