/* base/error.c: finished sentences about what went wrong.
 *
 * Every function tolerates err == NULL: the code still comes back, only the words are lost. Messages are formatted into
 * the caller's struct, so that an error path allocates nothing and cannot itself run out of memory. */
#include "base/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Takes back a UTF-8 sequence that the end of the buffer has cut in two. */
static void trim_cut_sequence(char *message, size_t length)
{
    size_t start = length;
    while (start > 0 && ((unsigned char)message[start - 1] & 0xC0) == 0x80)
        start--;
    if (start == 0)
        return;
    unsigned char lead = (unsigned char)message[start - 1];
    size_t need = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (length - (start - 1) < need)
        message[start - 1] = '\0';
}

/* Input finds its way into messages; what would command a terminal does not get through. */
static void disarm(char *message)
{
    for (; *message; message++)
        if ((unsigned char)*message < 0x20 || *message == 0x7F)
            *message = *message == '\n' || *message == '\t' ? ' ' : '?';
}

/* Appends to the message; what does not fit is cut. */
static void append(struct pl_error *err, const char *format, va_list args)
{
    size_t length = strlen(err->message);
    size_t room = sizeof err->message - length;
    int wanted = vsnprintf(err->message + length, room, format, args);
    if (wanted < 0)
        err->message[length] = '\0';
    else if ((size_t)wanted >= room)
        trim_cut_sequence(err->message, sizeof err->message - 1);
    disarm(err->message + length);
}

static void appendf(struct pl_error *err, const char *format, ...) PL_PRINTF(2, 3);
static void appendf(struct pl_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append(err, format, args);
    va_end(args);
}

/* Every message but a prefixed one starts afresh: what an earlier failure left is of no interest. */
static void begin(struct pl_error *err, enum pl_err code)
{
    err->code = code;
    err->message[0] = '\0';
}

enum pl_err pl_fail(struct pl_error *err, enum pl_err code, const char *format, ...)
{
    if (!err)
        return code;
    begin(err, code);
    va_list args;
    va_start(args, format);
    append(err, format, args);
    va_end(args);
    return code;
}

enum pl_err pl_fail_at(struct pl_error *err, const char *file, uint64_t line, const char *format, ...)
{
    if (!err)
        return PL_ERR_INPUT;
    begin(err, PL_ERR_INPUT);
    if (line)
        appendf(err, "%s:%" PRIu64 ": ", file, line);
    else
        appendf(err, "%s: ", file);
    va_list args;
    va_start(args, format);
    append(err, format, args);
    va_end(args);
    return PL_ERR_INPUT;
}

enum pl_err pl_fail_at_byte(struct pl_error *err, const char *file, uint64_t offset, const char *format, ...)
{
    if (!err)
        return PL_ERR_INPUT;
    begin(err, PL_ERR_INPUT);
    appendf(err, "%s: at byte %" PRIu64 ": ", file, offset);
    va_list args;
    va_start(args, format);
    append(err, format, args);
    va_end(args);
    return PL_ERR_INPUT;
}

enum pl_err pl_fail_errno(struct pl_error *err, int error_number, const char *format, ...)
{
    /* A file that was named wrongly is the user's to mend, like bad input; the rest is the machine's. */
    bool is_input = error_number == ENOENT || error_number == EACCES || error_number == EISDIR ||
                    error_number == ENOTDIR || error_number == ENAMETOOLONG;
    enum pl_err code = is_input ? PL_ERR_INPUT : error_number == EPIPE ? PL_ERR_CLOSED : PL_ERR_RESOURCE;
    if (!err)
        return code;
    begin(err, code);
    va_list args;
    va_start(args, format);
    append(err, format, args);
    va_end(args);
    appendf(err, ": %s", strerror(error_number));
    return code;
}

enum pl_err pl_fail_memory(struct pl_error *err, size_t size, const char *what)
{
    return pl_fail(err, PL_ERR_RESOURCE, "out of memory (%zu bytes for %s)", size, what);
}

enum pl_err pl_fail_prefix(struct pl_error *err, const char *format, ...)
{
    if (!err)
        return PL_ERR_INPUT; /* the code is the caller's to keep when it keeps no error */
    /* vsnprintf must not read from where it writes, so the old words step aside. When both do not fit, the end of the
     * old message is lost: the prefix says where to look. */
    char old[PL_ERROR_MESSAGE_MAX];
    memcpy(old, err->message, sizeof old);
    err->message[0] = '\0';
    va_list args;
    va_start(args, format);
    append(err, format, args);
    va_end(args);
    appendf(err, ": %s", old);
    return err->code;
}
