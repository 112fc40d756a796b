/* base/csv.c: a table taken apart in place.
 *
 * The whole text is in memory and ours to change: fields are unquoted, trimmed and NUL-terminated where they stand, one
 * record at a time. A record may span lines (a quoted field holds newlines), so lines are counted while reading. */
#include "base/csv.h"

#include "base/text.h"
#include "base/whole_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct comment {
    const char *key, *value;
};

struct pl_csv {
    char *name, *text;
    char *at, *end;        /* what is not read yet */
    uint64_t next_line;    /* of `at` */
    uint64_t line;         /* of the present record */
    char separator;
    const char **names;    /* of the columns */
    size_t columns;
    const char **fields;   /* of the present record */
    bool *quoted;          /* fields that stood in quotes */
    size_t field_capacity, quoted_capacity;
    struct comment *comments;
    size_t comment_count, comment_capacity;
};

/* --- lines and comments ------------------------------------------------------------ */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Cuts blanks off both ends of [start, end), and puts a NUL behind: *end must be ours to overwrite. */
static char *trim(char *start, char *end)
{
    while (start < end && is_blank(*start))
        start++;
    while (end > start && is_blank(end[-1]))
        end--;
    *end = '\0';
    return start;
}

/* Where the line that begins at `at` ends. */
static char *line_end(const struct pl_csv *csv, char *at)
{
    while (at < csv->end && *at != '\n' && *at != '\r')
        at++;
    return at;
}

/* Behind a line's end: LF, CRLF, or the lone CR of old. */
static char *skip_newline(struct pl_csv *csv, char *at)
{
    if (at >= csv->end)
        return at;
    csv->next_line++;
    return at + (*at == '\r' && at + 1 < csv->end && at[1] == '\n' ? 2 : 1);
}

/* Keeps "# key: value"; other comments are only skipped. */
static enum pl_err keep_comment(struct pl_csv *csv, char *start, char *end, struct pl_error *err)
{
    char *colon = memchr(start, ':', (size_t)(end - start));
    if (!colon)
        return PL_OK;
    enum pl_err rc = pl_grow((void **)&csv->comments, &csv->comment_capacity, csv->comment_count + 1,
                             sizeof *csv->comments, "comments", err);
    if (rc)
        return rc;
    struct comment *comment = &csv->comments[csv->comment_count++];
    comment->value = trim(colon + 1, end);
    while (start < colon && (*start == '#' || is_blank(*start)))
        start++;
    comment->key = trim(start, colon);
    return PL_OK;
}

/* Moves to the next line that is neither blank nor a comment; PL_END at the end. */
static enum pl_err skip_to_record(struct pl_csv *csv, struct pl_error *err)
{
    while (csv->at < csv->end) {
        char *start = csv->at, *end = line_end(csv, start);
        while (start < end && is_blank(*start))
            start++;
        bool is_comment = start < end && *start == '#';
        /* Where tabs part the fields, a line of tabs is a record of empty fields. */
        bool is_empty = start == end && !(csv->separator == '\t' && csv->columns > 1 && end > csv->at);
        if (!is_comment && !is_empty)
            return PL_OK;
        csv->at = skip_newline(csv, end); /* before the comment is cut up: *end becomes a NUL */
        enum pl_err rc = is_comment ? keep_comment(csv, start, end, err) : PL_OK;
        if (rc)
            return rc;
    }
    return PL_END;
}

/* --- records ------------------------------------------------------------------------- */

/* Is the plain or closed field over here? */
static bool ends_field(const struct pl_csv *csv, const char *at)
{
    return at >= csv->end || *at == csv->separator || *at == '\n' || *at == '\r';
}

/* A field in quotes, from behind the first one; doubled quotes become one. */
static enum pl_err take_quoted(struct pl_csv *csv, char **at, char **field, struct pl_error *err)
{
    char *from = *at, *to = from, *start = from;
    uint64_t first_line = csv->next_line;
    for (;; from++) {
        if (from >= csv->end)
            return pl_fail_at(err, csv->name, first_line, "a quoted field begins here and never ends");
        if (*from == '"' && (from + 1 >= csv->end || *++from != '"'))
            break;
        csv->next_line += *from == '\n';
        *to++ = *from;
    }
    /* `from` stands behind the closing quote, but at the very end of the text on it. */
    if (from < csv->end && *from == '"')
        from++;
    while (from < csv->end && is_blank(*from) && *from != csv->separator)
        from++;
    if (!ends_field(csv, from))
        return pl_fail_at(err, csv->name, csv->next_line, "something stands between a closing quote and the next '%s'",
                          csv->separator == '\t' ? "\\t" : (char[]){csv->separator, '\0'});
    *at = from;
    *field = trim(start, to);
    return PL_OK;
}

/* A field without quotes. A quote inside it is a character like any other. */
static char *take_plain(const struct pl_csv *csv, char **at)
{
    char *start = *at, *end = start;
    while (!ends_field(csv, end))
        end++;
    *at = end;
    return start;
}

/* Puts a field at its index; the arrays grow with the widest record. */
static enum pl_err add_field(struct pl_csv *csv, size_t count, const char *field, bool quoted, struct pl_error *err)
{
    enum pl_err rc =
        pl_grow((void **)&csv->fields, &csv->field_capacity, count + 1, sizeof *csv->fields, csv->name, err);
    if (rc == PL_OK)
        rc = pl_grow((void **)&csv->quoted, &csv->quoted_capacity, count + 1, sizeof *csv->quoted, csv->name, err);
    if (rc)
        return rc;
    csv->fields[count] = field;
    csv->quoted[count] = quoted;
    return PL_OK;
}

/* Takes the record at csv->at apart into csv->fields. */
static enum pl_err take_record(struct pl_csv *csv, size_t *count, struct pl_error *err)
{
    char *at = csv->at;
    csv->line = csv->next_line;
    for (*count = 0;; ++*count) {
        while (at < csv->end && is_blank(*at) && *at != csv->separator)
            at++;
        bool quoted = at < csv->end && *at == '"';
        char *field = at;
        enum pl_err rc = PL_OK;
        if (quoted) {
            at++;
            rc = take_quoted(csv, &at, &field, err);
        } else {
            field = take_plain(csv, &at);
        }
        if (rc == PL_OK)
            rc = add_field(csv, *count, field, quoted, err);
        if (rc)
            return rc;
        bool is_last = at >= csv->end || *at != csv->separator;
        char *field_end = at;
        at = is_last ? skip_newline(csv, at) : at + 1;
        if (!quoted)
            csv->fields[*count] = trim(field, field_end); /* overwrites the separator that was just passed */
        if (is_last)
            break;
    }
    ++*count;
    csv->at = at;
    return PL_OK;
}

/* --- opening ------------------------------------------------------------------------- */

/* The most frequent of the three separators in the header line, outside quotes. */
static char find_separator(const struct pl_csv *csv)
{
    static const char separators[] = {',', ';', '\t'};
    size_t counts[PL_COUNT_OF(separators)] = {0}, best = 0;
    bool quoted = false;
    for (const char *at = csv->at; at < csv->end && (quoted || (*at != '\n' && *at != '\r')); at++) {
        quoted ^= *at == '"';
        for (size_t i = 0; i < PL_COUNT_OF(separators) && !quoted; i++)
            counts[i] += *at == separators[i];
    }
    for (size_t i = 1; i < PL_COUNT_OF(separators); i++)
        if (counts[i] > counts[best])
            best = i;
    return separators[best];
}

static enum pl_err check_is_text(const struct pl_csv *csv, struct pl_error *err)
{
    /* With a NUL in it a field would silently end early. */
    const char *nul = memchr(csv->at, '\0', (size_t)(csv->end - csv->at));
    if (!nul)
        return PL_OK;
    uint64_t line = 1;
    for (const char *at = csv->at; at < nul; at++)
        line += *at == '\n';
    return pl_fail_at(err, csv->name, line, "holds a NUL byte; it is binary, or text in UTF-16, and no CSV table");
}

/* The separator is guessed from the header alone: data rows may hold decimal commas, names do not. */
static enum pl_err read_header(struct pl_csv *csv, struct pl_error *err)
{
    if (csv->end - csv->at >= 3 && memcmp(csv->at, "\xEF\xBB\xBF", 3) == 0)
        csv->at += 3;
    enum pl_err rc = check_is_text(csv, err);
    if (rc == PL_OK)
        rc = skip_to_record(csv, err);
    if (rc == PL_END)
        return pl_fail_at(err, csv->name, 0, "is empty; a line with column names was expected");
    if (rc)
        return rc;
    csv->separator = find_separator(csv);
    rc = take_record(csv, &csv->columns, err);
    if (rc)
        return rc;
    csv->names = csv->fields; /* the first record stays; the others get an array of their own */
    csv->fields = NULL;
    csv->field_capacity = 0;
    for (size_t i = 0; i < csv->columns && rc == PL_OK; i++)
        rc = add_field(csv, i, "", false, err);
    return rc;
}

/* Takes over `text`, which is malloc'd and has a NUL behind its `length` bytes. */
static enum pl_err open_owned(char *text, size_t length, const char *name, struct pl_csv **out, struct pl_error *err)
{
    struct pl_csv *csv = calloc(1, sizeof *csv);
    char *copy = strdup(name);
    if (!csv || !copy) {
        free(csv);
        free(copy);
        free(text);
        return pl_fail_memory(err, sizeof *csv, "a table");
    }
    *csv = (struct pl_csv){.name = copy, .text = text, .at = text, .end = text + length, .next_line = 1};
    enum pl_err rc = read_header(csv, err);
    if (rc) {
        pl_csv_close(csv);
        return rc;
    }
    *out = csv;
    return PL_OK;
}

enum pl_err pl_csv_open_path(const char *path, struct pl_csv **out, struct pl_error *err)
{
    char *text;
    size_t length;
    enum pl_err rc = pl_whole_file_read(path, &text, &length, err);
    return rc ? rc : open_owned(text, length, pl_whole_file_name(path), out, err);
}

enum pl_err pl_csv_open_text(const char *text, size_t length, const char *name, struct pl_csv **out,
                             struct pl_error *err)
{
    char *copy = length < SIZE_MAX ? malloc(length + 1) : NULL;
    if (!copy)
        return pl_fail_memory(err, length, name);
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return open_owned(copy, length, name, out, err);
}

void pl_csv_close(struct pl_csv *csv)
{
    if (!csv)
        return;
    free(csv->names);
    free(csv->fields);
    free(csv->quoted);
    free(csv->comments);
    free(csv->text);
    free(csv->name);
    free(csv);
}

/* --- asking -------------------------------------------------------------------------- */

/* The next letter of a name that counts, in lower case. */
static char next_letter(const char **at)
{
    while (**at == ' ' || **at == '_' || **at == '-' || **at == '\t')
        ++*at;
    char c = **at;
    if (c)
        ++*at;
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* "Memory (MB)" is still another name than "memory_mb", but "Memory MB" and "memory-mb" are the same. */
static bool same_name(const char *a, const char *b)
{
    for (;;) {
        char x = next_letter(&a), y = next_letter(&b);
        if (x != y)
            return false;
        if (!x)
            return true;
    }
}

const char *pl_csv_name(const struct pl_csv *csv)
{
    return csv->name;
}

const char *pl_csv_comment(const struct pl_csv *csv, const char *key)
{
    for (size_t i = 0; i < csv->comment_count; i++)
        if (same_name(csv->comments[i].key, key))
            return csv->comments[i].value;
    return NULL;
}

size_t pl_csv_columns(const struct pl_csv *csv)
{
    return csv->columns;
}

const char *pl_csv_column_name(const struct pl_csv *csv, size_t column)
{
    return csv->names[column];
}

int pl_csv_find(const struct pl_csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->columns; i++)
        if (same_name(csv->names[i], name))
            return (int)i;
    return -1;
}

enum pl_err pl_csv_next(struct pl_csv *csv, struct pl_error *err)
{
    enum pl_err rc = skip_to_record(csv, err);
    if (rc)
        return rc;
    size_t count;
    rc = take_record(csv, &count, err);
    if (rc)
        return rc;
    if (count != csv->columns)
        return pl_fail_at(err, csv->name, csv->line, "has %zu field%s, but the header names %zu column%s", count,
                          count == 1 ? "" : "s", csv->columns, csv->columns == 1 ? "" : "s");
    return PL_OK;
}

uint64_t pl_csv_line(const struct pl_csv *csv)
{
    return csv->line;
}

const char *pl_csv_field(const struct pl_csv *csv, size_t column)
{
    return csv->fields[column];
}

/* Copies a number without its thousands separators ("1,234,567.5", "1 234" or "1'234"). Returns how many there are; 0 when the
 * groups are not of three digits, or it is too long to be a number. */
static size_t without_thousands(const char *field, char separator, char *out, size_t size)
{
    size_t length = strlen(field), whole = strcspn(field, ".eE"), digits = 0;
    size_t marks = 0;
    if (length >= size)
        return 0;
    for (size_t i = 0; i < length; i++) {
        char c = field[i];
        if (i < whole && c == separator) {
            if (digits == 0 || digits > 3 || (marks && digits != 3))
                return 0;
            marks++;
            digits = 0;
            continue;
        }
        if (i < whole && c >= '0' && c <= '9')
            digits++;
        *out++ = c;
    }
    *out = '\0';
    return digits == 3 ? marks : 0;
}

enum pl_err pl_csv_real(const struct pl_csv *csv, size_t column, double *out, struct pl_error *err)
{
    const char *field = csv->fields[column];
    char plain[64], shown[48];
    if (*field == '\0') {
        *out = NAN;
        return PL_OK;
    }
    if (pl_parse_double(field, out))
        return PL_OK;
    /* A comma inside a number is a thousands separator only where the file's own separator is the comma, too; in files
     * parted by semicolons it is as likely a decimal comma, which must not be guessed at. */
    const size_t least = csv->separator == ',' && csv->quoted[column] ? 1 : 2; /* 1,234,567 is nothing else anywhere */
    if ((without_thousands(field, ',', plain, sizeof plain) >= least && pl_parse_double(plain, out)) ||
        (without_thousands(field, ' ', plain, sizeof plain) && pl_parse_double(plain, out)) ||
        (without_thousands(field, '\'', plain, sizeof plain) && pl_parse_double(plain, out)))
        return PL_OK;
    pl_printable(shown, sizeof shown, field, strlen(field));
    return pl_fail_at(err, csv->name, csv->line, "column %s: '%s' is not a number%s", csv->names[column], shown,
                      strchr(field, ',') ? " (write 1234.5, without commas)" : "");
}
