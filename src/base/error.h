/* base/error.h: how a function says that it failed.
 *
 * A function that can fail returns an enum pl_err, writes its outputs only on success, and puts one finished sentence
 * (with the place in the input, when there is one) into a struct the caller owns. Nothing below src/cmd prints or
 * exits. `err` may be NULL where the caller does not want the message. */
#ifndef PL_BASE_ERROR_H
#define PL_BASE_ERROR_H

#include "base/types.h"

enum pl_err {
    PL_OK = 0,
    PL_END,          /* no error: a stream has no more items */
    PL_ERR_CHECK,    /* a check that the user asked for did not hold: exit status 1 */
    PL_ERR_USAGE,    /* options that make no sense: exit status 2 */
    PL_ERR_INPUT,    /* bad input: exit status 2 */
    PL_ERR_RESOURCE, /* memory, disk, a missing program: exit status 3 */
    PL_ERR_CLOSED,   /* whoever read our output went away (`| head`): no message, ends as after SIGPIPE */
};

enum { PL_ERROR_MESSAGE_MAX = 1024 };

struct pl_error {
    enum pl_err code;
    char message[PL_ERROR_MESSAGE_MAX]; /* one line, no control characters; cut at a UTF-8 boundary when longer */
};

#if defined(__GNUC__)
#define PL_PRINTF(format_index, first) __attribute__((format(gnu_printf, format_index, first)))
#else
#define PL_PRINTF(format_index, first)
#endif

/* Fills `err` and returns `code`, so that a failing function can end with `return pl_fail(...)`. */
enum pl_err pl_fail(struct pl_error *err, enum pl_err code, const char *format, ...) PL_PRINTF(3, 4);

/* The same for bad input at a place: "gcc.trace:1042: address has 21 hex digits". `line` 0 leaves the line out.
 * The code is PL_ERR_INPUT. */
enum pl_err pl_fail_at(struct pl_error *err, const char *file, uint64_t line, const char *format, ...) PL_PRINTF(4, 5);

/* The same for binary input: "t.etl: at byte 4096: the buffer is cut short". */
enum pl_err pl_fail_at_byte(struct pl_error *err, const char *file, uint64_t offset, const char *format, ...)
    PL_PRINTF(4, 5);

/* The same with ": " and the meaning of errno `error_number` behind it. The code is PL_ERR_RESOURCE, or PL_ERR_INPUT
 * for a file that is not there or may not be read (ENOENT, EACCES, EISDIR, ENOTDIR, ENAMETOOLONG), or PL_ERR_CLOSED
 * for EPIPE. */
enum pl_err pl_fail_errno(struct pl_error *err, int error_number, const char *format, ...) PL_PRINTF(3, 4);

/* "out of memory (N bytes for WHAT)", PL_ERR_RESOURCE. */
enum pl_err pl_fail_memory(struct pl_error *err, size_t size, const char *what);

/* Puts "PREFIX: " before the message that is there. Returns err's code. */
enum pl_err pl_fail_prefix(struct pl_error *err, const char *format, ...) PL_PRINTF(2, 3);

#endif
