/* trace/format.c: the registry of formats, and finding the one that a file is in. To add a format, write format_NAME.c,
 * declare it in format.h and add its row here. */
#include "trace/format_find.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* In the order of the help; where two are equally sure and the file name does not decide, the first wins. */
static const struct pl_format *const formats[] = {
    &pl_format_native, &pl_format_lackey,    &pl_format_memsim, &pl_format_pages,
    &pl_format_hex,    &pl_format_numbers,   &pl_format_csv,    &pl_format_vscsi,
    &pl_format_oracle, &pl_format_address,   &pl_format_pinatrace, &pl_format_perf,
    &pl_format_etl,    &pl_format_scenario,
};

const struct pl_format_row *pl_formats(void)
{
    static struct pl_format_row rows[PL_COUNT_OF(formats) + 1];
    for (size_t i = 0; i < PL_COUNT_OF(formats); i++)
        rows[i] = (struct pl_format_row){.name = formats[i]->name, .about = formats[i]->about,
                                         .reads = formats[i]->open != NULL, .writes = formats[i]->write_open != NULL};
    return rows;
}

/* "lackey, memsim, pages, ..." of those that can be read, or written. */
static void list_names(char *out, size_t size, bool writes)
{
    size_t length = 0;
    out[0] = 0;
    for (size_t i = 0; i < PL_COUNT_OF(formats); i++) {
        if (writes ? !formats[i]->write_open : !formats[i]->open)
            continue;
        int n = snprintf(out + length, size - length, "%s%s", length ? ", " : "", formats[i]->name);
        if (n < 0 || (size_t)n >= size - length)
            return;
        length += (size_t)n;
    }
}

static bool is_known(const char *name)
{
    for (size_t i = 0; i < PL_COUNT_OF(formats); i++)
        if (!strcasecmp(formats[i]->name, name))
            return true;
    return false;
}

enum pl_err pl_format_by_name(const char *name, bool for_writing, const struct pl_format **out, struct pl_error *err)
{
    char hint[64], names[256];
    const char *known[PL_COUNT_OF(formats)];
    for (size_t i = 0; i < PL_COUNT_OF(formats); i++) {
        known[i] = formats[i]->name;
        if (strcasecmp(known[i], name) || (for_writing ? !formats[i]->write_open : !formats[i]->open))
            continue;
        *out = formats[i];
        return PL_OK;
    }
    list_names(names, sizeof names, for_writing);
    hint[0] = 0;
    if (!is_known(name))
        pl_did_you_mean(hint, sizeof hint, name, known, PL_COUNT_OF(formats), sizeof *known);
    return pl_fail(err, PL_ERR_USAGE, "there is no trace format '%s' that can be %s%s (there are: %s)", name,
                   for_writing ? "written" : "read", hint, names);
}

/* --- by file name -------------------------------------------------------------------- */

/* The ending of a file's name without that of its compression: "t.hex.bz2" gives "hex". */
static void file_ending(const char *path, char *out, size_t size)
{
    static const char *const packed[] = {"gz", "xz", "zst", "bz2", "lz4", "zip"};
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path, *end = name + strlen(name), *dot;
    out[0] = 0;
    for (int tries = 0; tries < 2; tries++) {
        for (dot = end; dot > name && *dot != '.';)
            dot--;
        size_t length = (size_t)(end - dot);
        if (*dot != '.' || length < 2 || length - 1 >= size)
            return;
        memcpy(out, dot + 1, length - 1);
        out[length - 1] = 0;
        bool is_packed = false;
        for (size_t i = 0; i < PL_COUNT_OF(packed); i++)
            is_packed |= !strcasecmp(out, packed[i]);
        if (!is_packed)
            return;
        out[0] = 0;
        end = dot;
    }
}

static bool has_ending(const struct pl_format *format, const char *ending)
{
    size_t length = strlen(ending);
    if (!length || !format->suffixes)
        return false;
    for (const char *at = format->suffixes; *at;) {
        size_t n = strcspn(at, ",");
        if (n == length && !strncasecmp(at, ending, n))
            return true;
        at += n + (at[n] == ',');
    }
    return false;
}

const struct pl_format *pl_format_for_writing(const char *path)
{
    char ending[16];
    file_ending(path, ending, sizeof ending);
    for (size_t i = 0; i < PL_COUNT_OF(formats); i++)
        if (formats[i]->write_open && has_ending(formats[i], ending))
            return formats[i];
    return NULL;
}

/* --- by content ------------------------------------------------------------------------- */

static bool looks_binary(const uint8_t *head, size_t length, size_t *where)
{
    for (size_t i = 0; i < length; i++)
        if (head[i] < 0x20 && head[i] != '\n' && head[i] != '\r' && head[i] != '\t' && head[i] != '\f') {
            *where = i;
            return true;
        }
    return false;
}

/* Says what there is instead of a trace. */
static enum pl_err unknown(const char *path, const uint8_t *head, size_t length, struct pl_error *err)
{
    char names[256], shown[64];
    size_t where;
    list_names(names, sizeof names, false);
    if (looks_binary(head, length, &where))
        return pl_fail(err, PL_ERR_INPUT,
                       "%s: binary data (byte 0x%02x at %zu) in no trace format that is known; tried: %s; --format NAME "
                       "says which it is",
                       path, head[where], where, names);
    const uint8_t *newline = length ? memchr(head, '\n', length) : NULL;
    pl_printable(shown, sizeof shown, (const char *)head, newline ? (size_t)(newline - head) : length);
    return pl_fail(err, PL_ERR_INPUT,
                   "%s: in no trace format that is known; it starts with '%s'; tried: %s; --format NAME says which it is",
                   path, shown, names);
}

/* What every format would stumble over, and what a user can do about it. */
static enum pl_err check_container(const char *path, const uint8_t *head, size_t length, struct pl_error *err)
{
    if (length >= 262 && !memcmp(head + 257, "ustar", 5))
        return pl_fail(err, PL_ERR_INPUT, "%s: is a tar archive; extract the trace first", path);
    if (length >= 4 && (!memcmp(head, "\xff\xfe", 2) || !memcmp(head, "\xfe\xff", 2)) && (!head[2] || !head[3]))
        return pl_fail(err, PL_ERR_INPUT, "%s: is text in UTF-16; make it UTF-8 first (iconv -f UTF-16 -t UTF-8)", path);
    return PL_OK;
}

enum pl_err pl_format_by_content(const char *path, const uint8_t *head, size_t length, bool whole,
                                 const struct pl_format **out, struct pl_error *err)
{
    char ending[16];
    int best = 0;
    const struct pl_format *found = NULL;
    enum pl_err rc = check_container(path, head, length, err);
    if (rc)
        return rc;
    file_ending(path, ending, sizeof ending);
    for (size_t i = 0; i < PL_COUNT_OF(formats); i++) {
        if (!formats[i]->probe)
            continue;
        int sure = formats[i]->probe(head, length, whole);
        /* A name can tip the balance between formats that a file fits nearly equally; it cannot make one fit. */
        if (sure > 0 && sure < 100 && has_ending(formats[i], ending))
            sure += 35;
        if (sure > best) {
            best = sure;
            found = formats[i];
        }
    }
    if (!found)
        return unknown(path, head, length, err);
    *out = found;
    return PL_OK;
}
