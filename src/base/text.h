/* base/text.h: growable strings, words that were meant, numbers for people. */
#ifndef PL_BASE_TEXT_H
#define PL_BASE_TEXT_H

#include "base/error.h"
#include <stdarg.h>

/* A growable string. Start with `{0}`; `data` is NULL or NUL-terminated; free with pl_text_free. After a failed append
 * `failed` is set and further appends do nothing, so that a run of appends can be checked once at its end. */
struct pl_text {
    char *data;
    size_t length, capacity;
    bool failed;
};
void pl_text_free(struct pl_text *text);
void pl_text_clear(struct pl_text *text);
void pl_text_add(struct pl_text *text, const char *words);
void pl_text_add_bytes(struct pl_text *text, const char *bytes, size_t length);
void pl_text_addf(struct pl_text *text, const char *format, ...) PL_PRINTF(2, 3);

/* The entry of `words` that `word` most likely meant (Damerau-Levenshtein distance of at most a third of its length, at
 * least 1; a unique prefix also counts), or NULL. `words` holds `count` strings, `stride` bytes apart. */
const char *pl_nearest(const char *word, const char *const *words, size_t count, size_t stride);

/* Writes "; did you mean 'NEAREST'?" or "" into `out`. Returns out. */
char *pl_did_you_mean(char *out, size_t size, const char *word, const char *const *words, size_t count, size_t stride);

/* Strict numbers: the whole text must be one, in the C locale. */
bool pl_parse_u64(const char *text, uint64_t *out);
bool pl_parse_double(const char *text, double *out); /* finite only */

/* The shortest decimal that reads back as the same double ("0.1", "1e+300"; never a comma). At least 32 bytes. */
char *pl_format_double(char *out, size_t size, double value);

/* The bytes of the valid UTF-8 sequence at the start of `bytes` (1 to 4), or 0 when there is none. */
size_t pl_utf8_sequence(const char *bytes, size_t length);
/* How many columns a text takes on a terminal: its code points (wide and combining ones are not told apart). */
size_t pl_text_columns(const char *text);

/* Appends words, broken into lines of at most `width` columns. The first line begins at `column` (which the caller has
 * written), the others after `indent` blanks. A newline counts as a blank, an empty line parts paragraphs, a line that
 * begins with blanks is kept as it is. No newline follows the last line. */
void pl_text_wrap(struct pl_text *out, const char *words, size_t column, size_t indent, size_t width);

/* Appends a string made safe to show, as pl_printable does, but all of it. */
void pl_text_add_printable(struct pl_text *text, const char *bytes, size_t length);

/* A string made safe to show: control characters and invalid UTF-8 become "?", long ones end in "...". Returns out. */
char *pl_printable(char *out, size_t size, const char *bytes, size_t length);

#endif
