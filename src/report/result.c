/* report/result.c: result files, by content: JSON begins with a brace, everything else is a table of text.
 *
 * The file is read whole (a result is small; 256 MiB at most), because standard input cannot be looked at twice. */
#include "base/whole_file.h"
#include "report/result.h"
#include "report/result_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum pl_err pl_result_read(const char *path, struct pl_arena *arena, struct pl_result *out, struct pl_error *err)
{
    char *text;
    size_t length;
    enum pl_err rc = pl_whole_file_read(path, &text, &length, err);
    if (rc)
        return rc;
    rc = pl_result_read_text(text, length, pl_whole_file_name(path), arena, out, err);
    free(text);
    return rc;
}

enum pl_err pl_result_look(const char *text, size_t length, const char *name, bool *json, struct pl_error *err)
{
    size_t first = 0;
    if (memchr(text, '\0', length < 4096 ? length : 4096))
        return pl_fail(err, PL_ERR_INPUT, "%s: is binary; a result is the JSON or CSV that a command wrote", name);
    while (first < length && strchr(" \t\r\n\xef\xbb\xbf", text[first]))
        first++;
    if (first == length)
        return pl_fail(err, PL_ERR_INPUT, "%s: is empty", name);
    if (text[first] == '[')
        return pl_fail(err, PL_ERR_INPUT, "%s: is an array in JSON; a result is the object that a command wrote with --json",
                       name);
    *json = text[first] == '{';
    return PL_OK;
}

enum pl_err pl_result_read_text(const char *text, size_t length, const char *name, struct pl_arena *arena,
                                struct pl_result *out, struct pl_error *err)
{
    struct pl_result result = {.path = pl_arena_strdup(arena, name), .kind = ""};
    if (!result.path)
        return pl_fail_memory(err, strlen(name), "a file name");
    bool json;
    enum pl_err rc = pl_result_look(text, length, name, &json, err);
    if (rc)
        return rc;
    rc = json ? result_from_json(text, length, arena, &result, err) : result_from_csv(text, length, arena, &result, err);
    if (rc)
        pl_result_close(&result);
    else
        *out = result;
    return rc;
}

void pl_result_close(struct pl_result *result)
{
    if (result->csv)
        pl_csv_close(result->csv);
    result->csv = NULL;
}

const char *pl_result_fact(const struct pl_result *result, const char *key)
{
    if (result->csv)
        return pl_csv_comment(result->csv, key);
    for (size_t i = 0; i < result->facts; i++)
        if (!strcmp(result->fact[i].key, key))
            return result->fact[i].text;
    return NULL;
}

double pl_result_number(const struct pl_result *result, const char *key)
{
    const char *text = pl_result_fact(result, key);
    double number;
    return text && pl_parse_double(text, &number) ? number : NAN;
}

int pl_result_find(const struct pl_result_table *table, const char *name)
{
    for (size_t i = 0; i < table->columns; i++)
        if (!strcmp(table->column[i].name, name))
            return (int)i;
    return -1;
}
