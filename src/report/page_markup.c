/* report/page_markup.c: what can be read without scripts: the answer, facts, tables, notes of a result.
 *
 * Keys of a document end with their unit (base/document.h); the page shows "optimum d" and "0.794 MB" for
 * "optimum_d_mb": 0.794. */
#include "report/page_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void page_text(struct pl_sink *sink, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': pl_sink_puts(sink, "&amp;"); break;
        case '<': pl_sink_puts(sink, "&lt;"); break;
        case '>': pl_sink_puts(sink, "&gt;"); break;
        case '"': pl_sink_puts(sink, "&quot;"); break;
        case '\'': pl_sink_puts(sink, "&#39;"); break;
        default:
            if ((unsigned char)*text >= ' ' || *text == '\n' || *text == '\t')
                pl_sink_write(sink, text, 1);
            else
                pl_sink_puts(sink, "?");
        }
    }
}

const char *page_member(const struct pl_json_node *object, const char *key)
{
    const struct pl_json_node *node = pl_json_get(object, key);
    const char *text = "";
    if (node && pl_json_is_text(node) && pl_json_as_text(node, &text, NULL))
        return "";
    return text;
}

/* --- values ------------------------------------------------------------------------------ */

/* 1234567 -> "1,234,567"; small ones as they are. */
static void write_count(struct pl_sink *sink, double number)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", fabs(number));
    if (number < 0)
        pl_sink_puts(sink, "-");
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            pl_sink_puts(sink, ",");
        pl_sink_write(sink, &digits[i], 1);
    }
}

static void write_value(struct pl_sink *sink, const struct pl_json_node *node)
{
    const char *text;
    double number;
    bool truth;
    if (pl_json_is_text(node) && pl_json_as_text(node, &text, NULL) == PL_OK)
        page_text(sink, text);
    else if (pl_json_is_number(node) && pl_json_as_real(node, &number, NULL) == PL_OK) {
        if (number == floor(number) && fabs(number) < 1e15)
            write_count(sink, number);
        else
            pl_sink_printf(sink, "%.6g", number);
    } else if (!pl_json_is_null(node) && pl_json_as_bool(node, &truth, NULL) == PL_OK)
        pl_sink_puts(sink, truth ? "yes" : "no");
    else
        pl_sink_puts(sink, "&ndash;");
}

/* The unit that a key ends with, and how much of the key is left for its name. */
static const char *unit_of(const char *key, size_t *name)
{
    static const struct {
        const char *ending, *unit;
    } units[] = {
        {"_s", "s"}, {"_ms", "ms"}, {"_us", "us"}, {"_ns", "ns"}, {"_mb", "MB"}, {"_bytes", "bytes"},
        {"_pages", "pages"}, {"_percent", "%"},
    };
    size_t length = strlen(key);
    for (size_t i = 0; i < PL_COUNT_OF(units); i++) {
        size_t ending = strlen(units[i].ending);
        if (length > ending && !strcmp(key + length - ending, units[i].ending)) {
            *name = length - ending;
            return units[i].unit;
        }
    }
    *name = length;
    return "";
}

static void write_name(struct pl_sink *sink, const char *key, size_t length)
{
    char name[2] = "";
    for (size_t i = 0; i < length; i++) {
        name[0] = key[i] == '_' ? ' ' : key[i];
        page_text(sink, name);
    }
}

/* --- facts ---------------------------------------------------------------------------------- */

/* The answer in words, which stands before everything else and not among the numbers. */
static bool is_answer(const struct pl_json_node *node)
{
    return !strcmp(pl_json_key_of(node), "answer") && pl_json_is_text(node);
}

static void write_answer(struct pl_sink *sink, const struct pl_json_node *results)
{
    const char *words;
    const struct pl_json_node *node = results && pl_json_is_object(results) ? pl_json_get(results, "answer") : NULL;
    if (!node || !is_answer(node) || pl_json_as_text(node, &words, NULL) != PL_OK)
        return;
    pl_sink_puts(sink, "<p class=\"answer\">");
    page_text(sink, words);
    pl_sink_puts(sink, "</p>\n");
}

static void write_facts(struct pl_sink *sink, const struct pl_json_node *object, const char *heading, const char *kind)
{
    if (!object || !pl_json_is_object(object) || pl_json_size(object) == 0)
        return;
    pl_sink_printf(sink, "<details class=\"facts %s\"%s>\n<summary>%s</summary>\n<dl>\n", kind,
                   strcmp(kind, "asked") ? " open" : "", heading);
    for (size_t i = 0; i < pl_json_size(object); i++) {
        const struct pl_json_node *node = pl_json_at(object, i);
        size_t name;
        const char *unit = pl_json_is_number(node) ? unit_of(pl_json_key_of(node), &name)
                                                   : (name = strlen(pl_json_key_of(node)), "");
        if (pl_json_is_object(node) || pl_json_is_array(node) || is_answer(node))
            continue;
        pl_sink_puts(sink, "<div><dt>");
        write_name(sink, pl_json_key_of(node), name);
        pl_sink_puts(sink, "</dt><dd>");
        write_value(sink, node);
        pl_sink_printf(sink, "%s%s</dd></div>\n", *unit ? "&nbsp;" : "", unit);
    }
    pl_sink_puts(sink, "</dl>\n</details>\n");
}

/* As it would be typed again. */
static void write_command(struct pl_sink *sink, const struct pl_json_node *command)
{
    static const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,%@";
    if (!command || !pl_json_is_array(command) || pl_json_size(command) == 0)
        return;
    pl_sink_puts(sink, "<pre class=\"command\" tabindex=\"0\" aria-label=\"command line\">");
    for (size_t i = 0; i < pl_json_size(command); i++) {
        const char *word = "";
        if (pl_json_as_text(pl_json_at(command, i), &word, NULL))
            continue;
        const char *base = i == 0 && strrchr(word, '/') ? strrchr(word, '/') + 1 : word;
        bool quoted = !*base || strspn(base, plain) != strlen(base);
        pl_sink_puts(sink, i ? " " : "");
        pl_sink_puts(sink, quoted ? "&#39;" : "");
        for (; *base; base++) {
            const char one[2] = {*base, '\0'};
            if (*base == '\'')
                pl_sink_puts(sink, "&#39;\\&#39;&#39;");
            else
                page_text(sink, one);
        }
        pl_sink_puts(sink, quoted ? "&#39;" : "");
    }
    pl_sink_puts(sink, "</pre>\n");
}

/* --- tables ------------------------------------------------------------------------------------ */

static void write_columns(struct pl_sink *sink, const struct pl_json_node *columns)
{
    pl_sink_puts(sink, "<thead><tr>");
    for (size_t i = 0; i < pl_json_size(columns); i++) {
        const struct pl_json_node *column = pl_json_at(columns, i);
        const char *label = page_member(column, "label"), *unit = page_member(column, "unit");
        pl_sink_puts(sink, "<th scope=\"col\">");
        page_text(sink, *label ? label : page_member(column, "name"));
        if (*unit) {
            pl_sink_puts(sink, " <small>");
            page_text(sink, unit);
            pl_sink_puts(sink, "</small>");
        }
        pl_sink_puts(sink, "</th>");
    }
    pl_sink_puts(sink, "</tr></thead>\n");
}

static void write_row(struct pl_sink *sink, const struct pl_json_node *row)
{
    pl_sink_puts(sink, "<tr>");
    for (size_t i = 0; i < pl_json_size(row); i++) {
        const struct pl_json_node *cell = pl_json_at(row, i);
        pl_sink_puts(sink, pl_json_is_text(cell) ? "<td class=\"t\">" : "<td>");
        write_value(sink, cell);
        pl_sink_puts(sink, "</td>");
    }
    pl_sink_puts(sink, "</tr>\n");
}

static void write_table(struct pl_sink *sink, const struct pl_json_node *table)
{
    const struct pl_json_node *rows = pl_json_get(table, "rows");
    const char *title = page_member(table, "title"), *key = pl_json_key_of(table);
    size_t count = pl_json_size(rows), shown = count > PAGE_ROWS_SHOWN ? PAGE_ROWS_SHOWN : count;
    pl_sink_puts(sink, "<details class=\"table\" data-table=\"");
    page_text(sink, key);
    pl_sink_printf(sink, "\"%s>\n<summary>", count <= PAGE_ROWS_SHOWN ? " open" : "");
    page_text(sink, *title ? title : key);
    pl_sink_printf(sink, " <small>(%zu row%s)</small></summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                         "aria-label=\"table\"><table>\n", count, count == 1 ? "" : "s");
    write_columns(sink, pl_json_get(table, "columns"));
    pl_sink_puts(sink, "<tbody>\n");
    for (size_t i = 0; i < shown; i++)
        write_row(sink, pl_json_at(rows, page_row(i, shown, count)));
    pl_sink_puts(sink, "</tbody></table></div>\n");
    if (shown < count)
        pl_sink_printf(sink, "<p class=\"rest\">%zu of %zu rows, evenly chosen.</p>\n", shown, count);
    pl_sink_puts(sink, "</details>\n");
}

static void write_notes(struct pl_sink *sink, const struct pl_json_node *notes)
{
    const char *text;
    if (!notes || !pl_json_is_array(notes) || pl_json_size(notes) == 0)
        return;
    pl_sink_puts(sink, "<h3>Assumptions and notes</h3>\n<ul class=\"notes\">\n");
    for (size_t i = 0; i < pl_json_size(notes); i++)
        if (pl_json_as_text(pl_json_at(notes, i), &text, NULL) == PL_OK) {
            pl_sink_puts(sink, "<li>");
            page_text(sink, text);
            pl_sink_puts(sink, "</li>\n");
        }
    pl_sink_puts(sink, "</ul>\n");
}

/* --- a result ------------------------------------------------------------------------------------ */

/* An svg of gnuplot's, as an image: what stands in it cannot run. */
static void write_picture(struct pl_sink *sink, const struct page_result *result)
{
    static const char digits[] = "0123456789ABCDEF";
    if (!result->picture)
        return;
    pl_sink_puts(sink, "<figure><img alt=\"");
    page_text(sink, result->title);
    pl_sink_puts(sink, "\" src=\"data:image/svg+xml,");
    for (size_t i = 0; i < result->picture_length; i++) {
        unsigned char byte = (unsigned char)result->picture[i];
        if ((byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z'))
            pl_sink_write(sink, &result->picture[i], 1);
        else {
            const char escape[3] = {'%', digits[byte >> 4], digits[byte & 15]};
            pl_sink_write(sink, escape, sizeof escape);
        }
    }
    pl_sink_puts(sink, "\"></figure>\n");
}

void page_section(struct pl_sink *sink, const struct page_result *result, size_t index, bool alone)
{
    const struct pl_json_node *tables = pl_json_get(result->root, "tables");
    pl_sink_printf(sink, "<section id=\"result-%zu\" data-index=\"%zu\">\n<p class=\"kind\">", index + 1, index);
    page_text(sink, result->kind);
    pl_sink_puts(sink, "</p>\n");
    if (!alone) { /* the heading of the page says it already */
        pl_sink_puts(sink, "<h2>");
        page_text(sink, result->title);
        pl_sink_puts(sink, "</h2>\n");
    }
    write_answer(sink, pl_json_get(result->root, "results"));
    write_command(sink, pl_json_get(result->root, "command"));
    pl_sink_puts(sink, "<div class=\"charts\"></div>\n");
    write_picture(sink, result);
    write_facts(sink, pl_json_get(result->root, "results"), "Results", "found");
    write_facts(sink, pl_json_get(result->root, "parameters"), "What was asked: parameters", "asked");
    for (size_t i = 0; i < pl_json_size(tables); i++)
        write_table(sink, pl_json_at(tables, i));
    write_notes(sink, pl_json_get(result->root, "notes"));
    pl_sink_puts(sink, "</section>\n");
}
