/* model/table_header.c: a column's name is taken apart into a word and a unit.
 *
 * A unit stands in parentheses or brackets behind the word, or is part of it (memory_mb). Letter case, blanks, '_' and '-'
 * do not matter. "memory" alone, of which nobody says what it is counted in, is no column of ours. */
#include "model/table_header.h"

#include <ctype.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64 };

static const struct word {
    const char *name;
    enum pl_table_column column;
    bool has_unit; /* the word says it */
} words[] = {
    {"memorymb", PL_TABLE_MEMORY_MB, true},      {"memorymib", PL_TABLE_MEMORY_MB, true},
    {"mb", PL_TABLE_MEMORY_MB, true},            {"mib", PL_TABLE_MEMORY_MB, true},
    {"memorypages", PL_TABLE_MEMORY_PAGES, true}, {"pages", PL_TABLE_MEMORY_PAGES, true},
    {"memory", PL_TABLE_MEMORY_MB, false},       {"memorysize", PL_TABLE_MEMORY_MB, false},
    {"size", PL_TABLE_MEMORY_MB, false},
    {"reads", PL_TABLE_READS, false},            {"pagefilereads", PL_TABLE_READS, false},
    {"pagefileread", PL_TABLE_READS, false},     {"faults", PL_TABLE_READS, false},
    {"writes", PL_TABLE_WRITES, false},          {"pagefilewrites", PL_TABLE_WRITES, false},
    {"pagefilewrite", PL_TABLE_WRITES, false},
    {"cold", PL_TABLE_COLD, false},              {"firsttouches", PL_TABLE_COLD, false},
};

static const struct unit {
    const char *name;
    double scale;
    bool of_memory;
} units[] = {
    {"b", 1.0 / 1048576, true}, {"bytes", 1.0 / 1048576, true}, {"kb", 1.0 / 1024, true}, {"kib", 1.0 / 1024, true},
    {"mb", 1, true},            {"mib", 1, true},               {"gb", 1024, true},       {"gib", 1024, true},
    {"tb", 1048576, true},      {"tib", 1048576, true},
    {"pages", 1, false},        {"faults", 1, false},           {"count", 1, false},      {"counts", 1, false},
    {"k", 1e3, false},          {"thousand", 1e3, false},       {"thousands", 1e3, false}, {"1000", 1e3, false},
    {"x1000", 1e3, false},      {"thousandpages", 1e3, false},  {"kpages", 1e3, false},
    {"m", 1e6, false},          {"million", 1e6, false},        {"millions", 1e6, false},
};

/* Letters and digits, in lower case, up to `end`. False when there are too many. */
static bool plain(const char *from, const char *end, char out[NAME_MAX_BYTES])
{
    size_t length = 0;
    for (; from < end; from++) {
        if (strchr(" \t_-,.", *from))
            continue;
        if (length + 1 == NAME_MAX_BYTES)
            return false;
        out[length++] = (char)tolower((unsigned char)*from);
    }
    out[length] = '\0';
    return true;
}

static const struct word *find_word(const char *name)
{
    for (size_t i = 0; i < PL_COUNT_OF(words); i++)
        if (!strcmp(words[i].name, name))
            return &words[i];
    return NULL;
}

static const struct unit *find_unit(const char *name, bool of_memory)
{
    for (size_t i = 0; i < PL_COUNT_OF(units); i++)
        if (!strcmp(units[i].name, name) && (units[i].of_memory == of_memory || !strcmp(name, "pages")))
            return &units[i];
    return NULL;
}

/* What one column is; *column stays PL_TABLE_COLUMNS where it is none of ours. */
static enum pl_err read_name(const struct pl_csv *csv, const char *header, enum pl_table_column *column, double *scale,
                             struct pl_error *err)
{
    char name[NAME_MAX_BYTES], unit[NAME_MAX_BYTES];
    const char *open = strpbrk(header, "([");
    const char *behind = open ? open + 1 + strcspn(open + 1, ")]") : header + strlen(header);
    *column = PL_TABLE_COLUMNS;
    *scale = 1;
    if (!plain(header, open ? open : behind, name) || !plain(open ? open + 1 : behind, behind, unit))
        return PL_OK;
    const struct word *word = find_word(name);
    if (!word)
        return PL_OK;
    const bool memory = word->column == PL_TABLE_MEMORY_MB;
    if (memory && !word->has_unit && !unit[0])
        return PL_OK;
    *column = word->column;
    if (!unit[0] || word->has_unit)
        return PL_OK;
    const struct unit *found = find_unit(unit, memory);
    if (!found)
        return pl_fail_at(err, pl_csv_name(csv), 0, "column %s: its unit is none of %s", header,
                          memory ? "B, KiB, MiB, GiB, TiB, pages" : "pages, thousands, millions");
    if (memory && !found->of_memory)
        *column = PL_TABLE_MEMORY_PAGES;
    *scale = found->scale;
    return PL_OK;
}

enum pl_err pl_table_header_read(const struct pl_csv *csv, struct pl_table_header *out, struct pl_error *err)
{
    for (int c = 0; c < PL_TABLE_COLUMNS; c++) {
        out->column[c] = -1;
        out->scale[c] = 1;
    }
    for (size_t i = 0; i < pl_csv_columns(csv); i++) {
        enum pl_table_column column;
        double scale;
        enum pl_err rc = read_name(csv, pl_csv_column_name(csv, i), &column, &scale, err);
        if (rc)
            return rc;
        if (column == PL_TABLE_COLUMNS || out->column[column] >= 0)
            continue; /* the first of two */
        out->column[column] = (int)i;
        out->scale[column] = scale;
    }
    return PL_OK;
}
