/* base/json_scan.c: a look at the tokens of a JSON text before cJSON builds the tree.
 *
 * cJSON keeps neither lines nor the digits of numbers, recurses as deep as a text tells it to, and takes some texts that
 * are no JSON. This scan walks the tokens once. It does not check the whole grammar, which cJSON does right after it. */
#include "base/json_scan.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct scan {
    const char *text, *name;
    size_t at, length;
    char before; /* the kind of the last token: '{' '[' '}' ']' ',' ':' or 'v' for a scalar, 'k' for a key; 0: none */
    char open[PL_JSON_DEPTH_MAX];
    size_t depth;
    struct json_places *places;
    struct pl_error *err;
};

uint64_t json_line_of(const char *text, size_t offset)
{
    uint64_t line = 1;
    for (size_t i = 0; i < offset; i++)
        line += text[i] == '\n';
    return line;
}

static enum pl_err fail(const struct scan *scan, const char *format, ...) PL_PRINTF(2, 3);
static enum pl_err fail(const struct scan *scan, const char *format, ...)
{
    char words[256];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    return pl_fail_at(scan->err, scan->name, json_line_of(scan->text, scan->at), "%s", words);
}

/* The byte that far ahead, or NUL behind the end, which no token holds: callers need no bounds of their own. */
static char peek(const struct scan *scan, size_t ahead)
{
    return scan->at + ahead < scan->length ? scan->text[scan->at + ahead] : '\0';
}

/* Could the last token have been the end of a value, so that only a comma or a bracket may follow? */
static bool ends_value(char token)
{
    return token == 'v' || token == '}' || token == ']';
}

/* A value or key begins here: is one due, and if it is a value, note its place. */
static enum pl_err begin_item(struct scan *scan, bool is_string)
{
    char inside = scan->depth ? scan->open[scan->depth - 1] : 0;
    bool is_key = is_string && inside == '{' && scan->before != ':';
    /* The cases in which people leave something out, in the words of what they left out. */
    if (ends_value(scan->before))
        return scan->depth ? fail(scan, "a comma is missing before this")
                           : fail(scan, "something stands behind the end of the JSON value");
    if (scan->before == 'k')
        return fail(scan, "a colon is missing behind the key");
    if (inside == '{' && !is_key && scan->before != ':')
        return fail(scan, "a key in double quotes was expected");
    if (is_key)
        return PL_OK;
    enum pl_err rc = pl_grow((void **)&scan->places->offset, &scan->places->capacity, scan->places->count + 1,
                             sizeof *scan->places->offset, "JSON values", scan->err);
    if (rc == PL_OK)
        scan->places->offset[scan->places->count++] = scan->at;
    return rc;
}

/* A string, from its quote on. cJSON checks what follows a backslash. */
static enum pl_err scan_string(struct scan *scan)
{
    bool is_key = scan->depth && scan->open[scan->depth - 1] == '{' && scan->before != ':';
    enum pl_err rc = begin_item(scan, true);
    if (rc)
        return rc;
    size_t start = scan->at++;
    /* A newline is the usual sign of a forgotten quote, so the message names the line on which the string began. */
    for (;;) {
        unsigned char c = (unsigned char)peek(scan, 0);
        size_t width = pl_utf8_sequence(scan->text + scan->at, scan->length - scan->at);
        if (scan->at >= scan->length || c == '\n') {
            scan->at = start;
            return fail(scan, "a string begins here and does not end on its line");
        }
        if (c == '"')
            break;
        if (c < 0x20)
            return fail(scan, "a string holds the control character 0x%02x; write \\u%04x", c, c);
        if (width == 0)
            return fail(scan, "a string holds bytes that are not UTF-8");
        if (c == '\\' && scan->length - scan->at >= 6 && !memcmp(scan->text + scan->at, "\\u0000", 6))
            return fail(scan, "a string holds the character NUL");
        /* Behind a backslash any character is skipped, above all a quote. */
        scan->at += c == '\\' && scan->at + 1 < scan->length && peek(scan, 1) != '\n' ? 2 : width;
    }
    scan->at++;
    scan->before = is_key ? 'k' : 'v';
    return PL_OK;
}

/* How many decimal digits stand that far ahead. */
static size_t digits_at(const struct scan *scan, size_t ahead)
{
    size_t count = 0;
    while (peek(scan, ahead + count) >= '0' && peek(scan, ahead + count) <= '9')
        count++;
    return count;
}

/* The length of the number here by the letter of RFC 8259, or 0. */
static size_t number_length(const struct scan *scan)
{
    size_t length = peek(scan, 0) == '-';
    size_t whole = digits_at(scan, length);
    if (whole == 0 || (whole > 1 && peek(scan, length) == '0'))
        return 0;
    length += whole;
    if (peek(scan, length) == '.') {
        size_t fraction = digits_at(scan, length + 1);
        if (fraction == 0)
            return 0;
        length += 1 + fraction;
    }
    if (peek(scan, length) == 'e' || peek(scan, length) == 'E') {
        size_t sign = peek(scan, length + 1) == '+' || peek(scan, length + 1) == '-';
        size_t exponent = digits_at(scan, length + 1 + sign);
        if (exponent == 0)
            return 0;
        length += 1 + sign + exponent;
    }
    return length;
}

/* true, false, null or a number: anything up to the next punctuation must be exactly one of them. */
static enum pl_err scan_scalar(struct scan *scan)
{
    const char *token = scan->text + scan->at;
    size_t length = 0;
    while (scan->at + length < scan->length && !strchr(" \t\r\n,:{}[]\"", token[length]))
        length++;
    if (length == 0) /* a NUL byte, which strchr finds everywhere */
        return fail(scan, "holds a NUL byte; it is no JSON text");
    if (*token == '#' || (*token == '/' && length > 1 && (token[1] == '/' || token[1] == '*')))
        return fail(scan, "JSON has no comments");
    enum pl_err rc = begin_item(scan, false);
    if (rc)
        return rc;
    bool is_word = (length == 4 && (!memcmp(token, "true", 4) || !memcmp(token, "null", 4))) ||
                   (length == 5 && !memcmp(token, "false", 5));
    if (!is_word && number_length(scan) != length) {
        char shown[40];
        pl_printable(shown, sizeof shown, token, length);
        return *token == '\'' ? fail(scan, "strings stand in double quotes, not in single ones")
                              : fail(scan, "'%s' is no JSON value (a string needs double quotes)", shown);
    }
    scan->at += length;
    scan->before = 'v';
    return PL_OK;
}

/* An opening bracket: the place where the nesting is bounded, for this scan and for all that recurses after it. */
static enum pl_err scan_open(struct scan *scan, char bracket)
{
    enum pl_err rc = begin_item(scan, false);
    if (rc)
        return rc;
    if (scan->depth == PL_JSON_DEPTH_MAX)
        return fail(scan, "more than %d levels of brackets", PL_JSON_DEPTH_MAX);
    scan->open[scan->depth++] = bracket;
    scan->before = bracket;
    scan->at++;
    return PL_OK;
}

/* A closing bracket must fit the one that is open, and follow a value or the opening bracket itself. */
static enum pl_err scan_close(struct scan *scan, char bracket)
{
    if (scan->depth == 0 || scan->open[scan->depth - 1] != (bracket == '}' ? '{' : '['))
        return fail(scan, "'%c' closes nothing that is open", bracket);
    if (scan->before == ',')
        return fail(scan, "there is a comma before '%c'", bracket);
    if (scan->before == ':' || scan->before == 'k')
        return fail(scan, "a value is missing before '%c'", bracket);
    scan->depth--;
    scan->before = bracket;
    scan->at++;
    return PL_OK;
}

/* A comma stands between values, a colon behind a key, and neither at the top. */
static enum pl_err scan_mark(struct scan *scan, char mark)
{
    bool fits = mark == ':' ? scan->before == 'k' : scan->depth && ends_value(scan->before);
    if (!fits)
        return fail(scan, "'%c' was not expected here", mark);
    scan->before = mark;
    scan->at++;
    return PL_OK;
}

enum pl_err json_scan(const char *text, size_t start, size_t length, const char *name, struct json_places *places,
                      struct pl_error *err)
{
    struct scan scan = {.text = text, .name = name, .at = start, .length = length, .places = places, .err = err};
    enum pl_err rc = PL_OK;
    while (rc == PL_OK && scan.at < length) {
        char c = text[scan.at];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
            scan.at++;
        else if (c == '"')
            rc = scan_string(&scan);
        else if (c == '{' || c == '[')
            rc = scan_open(&scan, c);
        else if (c == '}' || c == ']')
            rc = scan_close(&scan, c);
        else if (c == ',' || c == ':')
            rc = scan_mark(&scan, c);
        else
            rc = scan_scalar(&scan);
    }
    /* What is left is a text that stops too early. */
    if (rc == PL_OK && scan.before == 0)
        return pl_fail_at(err, name, 0, "is empty; a JSON value was expected");
    if (rc == PL_OK && scan.depth)
        return fail(&scan, "the text ends before '%c'", scan.open[scan.depth - 1] == '{' ? '}' : ']');
    return rc;
}
