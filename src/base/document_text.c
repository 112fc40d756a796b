/* base/document_text.c: a document for people: sections, aligned tables, rounded numbers.
 *
 *   Title
 *   =====
 *
 *   Parameters
 *     memory  8,388,608 bytes (8.00 MiB)
 *
 *   Table title
 *     memory     reads        a column is as wide as its widest cell; longer labels are broken into lines
 *      (MiB)
 *     ------  --------
 *       1.00   123,456
 *
 * Cells are formatted twice, once to measure and once to print, so that a long table takes no memory. */
#include "base/document_parts.h"

#include "base/text.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 80,
    WIDE = 120,
    SECTION_INDENT = 2,
    SIGNIFICANT_DIGITS = 6,
    LABEL_WIDTH = 10,
    NARROWEST = 20, CUT_WORD = 14,
    LONG_WORD = 32
};

/* Where the text goes, and the strings that it is put together in; a string that ran out of memory is remembered. */
struct page {
    struct pl_sink *sink;
    struct pl_text line, cell, words;
    bool failed;
};

/* Ends the line that was put together, without blanks at its end. */
static void end_line(struct page *page)
{
    struct pl_text *line = &page->line;
    page->failed |= line->failed || page->cell.failed || page->words.failed;
    while (line->length && line->data[line->length - 1] == ' ')
        line->length--;
    pl_sink_write(page->sink, line->data, line->length);
    pl_sink_puts(page->sink, "\n");
    pl_text_clear(line);
}

static void add_blanks(struct pl_text *out, size_t count)
{
    for (; count > 0; count--)
        pl_text_add_bytes(out, " ", 1);
}

/* Text of others' making: no byte of it may command the terminal. */
static void add_safe(struct pl_text *out, const char *text)
{
    pl_text_add_printable(out, text, strlen(text));
}

/* --- numbers -------------------------------------------------------------------------- */

/* Digits with the thousands of the whole part set off: "-1,234,567.50". */
static void add_grouped(struct pl_text *out, const char *digits)
{
    if (*digits == '-')
        pl_text_add_bytes(out, digits++, 1);
    size_t whole = strspn(digits, "0123456789");
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0)
            pl_text_add(out, ",");
        pl_text_add_bytes(out, digits + i, 1);
    }
    pl_text_add(out, digits + whole);
}

/* With `decimals` digits after the point; negative: six significant digits, without final zeros. What would round to
 * nothing is shown by its first digits instead, and what is beyond all counting by its exponent. */
static void add_real(struct pl_text *out, double value, int decimals)
{
    char digits[64];
    double magnitude = fabs(value);
    if (!isfinite(value)) {
        pl_text_add(out, value > 0 ? "infinite" : "-infinite");
        return;
    }
    if (magnitude >= 1e15 || (magnitude > 0 && decimals < 0 && magnitude < 1e-4) ||
        (magnitude > 0 && decimals >= 0 && magnitude < 0.5 * pow(10, -decimals))) {
        snprintf(digits, sizeof digits, "%.3g", value);
        pl_text_add(out, digits);
        return;
    }
    int places = decimals;
    if (decimals < 0) {
        int whole = magnitude > 0 ? (int)floor(log10(magnitude)) + 1 : 1; /* below 0.1 none, or fewer */
        places = whole < SIGNIFICANT_DIGITS ? SIGNIFICANT_DIGITS - whole : 0;
    }
    snprintf(digits, sizeof digits, "%.*f", places > 20 ? 20 : places, value);
    if (decimals < 0 && strchr(digits, '.')) {
        char *end = digits + strlen(digits);
        while (end[-1] == '0')
            end--;
        end[-(end[-1] == '.')] = '\0';
    }
    add_grouped(out, digits);
}

static void add_value(struct pl_text *out, struct pl_value value, int decimals)
{
    char count[32];
    switch (value.kind) {
    case PL_VALUE_NONE:
        pl_text_add(out, "-");
        break;
    case PL_VALUE_TEXT:
        add_safe(out, value.as.text);
        break;
    case PL_VALUE_REAL:
        add_real(out, value.as.real, decimals);
        break;
    case PL_VALUE_COUNT:
        pl_text_add(out, pl_format_count(count, sizeof count, value.as.count));
        break;
    case PL_VALUE_BOOL:
        pl_text_add(out, value.as.truth ? "yes" : "no");
        break;
    }
}

/* --- sections of single values ---------------------------------------------------------- */

/* "8,388,608 bytes (8.00 MiB)": exact, and readable. */
static void add_entry_value(struct pl_text *out, const struct document_entry *entry)
{
    add_value(out, entry->value, -1);
    if (*entry->unit && entry->value.kind != PL_VALUE_NONE) {
        pl_text_add(out, " ");
        add_safe(out, entry->unit);
    }
    bool is_count = entry->value.kind == PL_VALUE_COUNT;
    bool is_real = entry->value.kind == PL_VALUE_REAL;
    double value = is_count ? (double)entry->value.as.count : is_real ? entry->value.as.real : 0;
    char rounded[32];
    if (value >= 1024 && isfinite(value) && (!strcmp(entry->unit, "bytes") || !strcmp(entry->unit, "B")))
        pl_text_addf(out, " (%s)", pl_format_bytes(rounded, sizeof rounded, value));
    if (value >= 1024 && isfinite(value) && (!strcmp(entry->unit, "bytes/s") || !strcmp(entry->unit, "B/s")))
        pl_text_addf(out, " (%s)", pl_format_rate(rounded, sizeof rounded, value));
}

static const char *cell_text(const struct page *page)
{
    return page->cell.data ? page->cell.data : "";
}

/* The column of the values. A label of more than half a line does not push the others' values away. */
static size_t widest_label(const struct document_entry *entry)
{
    size_t widest = 0;
    for (; entry; entry = entry->next) {
        size_t columns = pl_text_columns(entry->label);
        if (columns > widest && columns <= WIDTH / 2)
            widest = columns;
    }
    return widest;
}

static bool is_zero(const struct pl_value *value)
{
    return (value->kind == PL_VALUE_COUNT && value->as.count == 0) ||
           (value->kind == PL_VALUE_REAL && value->as.real == 0);
}

static void write_entries(struct page *page, const char *heading, const struct document_entry *entry, bool zeros)
{
    size_t left_out = 0;
    if (!entry)
        return;
    size_t widest = widest_label(entry), indent = SECTION_INDENT + widest + 2;
    pl_sink_printf(page->sink, "\n%s\n", heading);
    for (; entry; entry = entry->next) {
        if (!zeros && is_zero(&entry->value)) {
            left_out++;
            continue;
        }
        size_t columns = pl_text_columns(entry->label);
        size_t gap = (columns < widest ? widest - columns : 0) + 2;
        add_blanks(&page->line, SECTION_INDENT);
        add_safe(&page->line, entry->label);
        add_blanks(&page->line, gap);
        pl_text_clear(&page->cell);
        add_entry_value(&page->cell, entry);
        pl_text_wrap(&page->line, cell_text(page), SECTION_INDENT + columns + gap, indent, WIDTH);
        end_line(page);
    }
    if (left_out)
        pl_sink_printf(page->sink, "  (%zu more that are 0, left out; JSON holds them all)\n", left_out);
}

/* --- tables ------------------------------------------------------------------------------- */

/* What is known of a table before it is printed. No page is as wide as COLUMNS_MAX columns. */
enum { COLUMNS_MAX = 64 };
struct layout {
    const struct pl_document_table *table;
    size_t columns;         /* shown */
    size_t at[COLUMNS_MAX]; /* which columns of the table they are */
    size_t empty;           /* left out because nothing but zeros stands in them */
    size_t width[COLUMNS_MAX];
    size_t least[COLUMNS_MAX]; /* of words: below this width they would be cut, and not only broken into lines */
    bool has_units;
    size_t rows; /* shown; all when it equals the table's */
};

static const struct pl_column *column_of(const struct layout *layout, size_t index)
{
    return &layout->table->columns[layout->at[index]];
}

static bool is_left(const struct pl_column *column)
{
    return column->kind == PL_VALUE_TEXT;
}

/* Is this row among the `shown` evenly chosen ones? Row k of them is the one at k * (rows - 1) / (shown - 1), so that
 * the first and the last row are always there. */
static bool is_shown(size_t row, size_t rows, size_t shown)
{
    if (shown >= rows)
        return true;
    if (shown == 1)
        return row == 0;
    size_t k = (row * (shown - 1) + rows - 2) / (rows - 1); /* the only candidate */
    return k < shown && k * (rows - 1) / (shown - 1) == row;
}

/* The least width at which a label can be broken between words only. */
static size_t longest_word(const char *text)
{
    size_t longest = 0;
    for (size_t length; *text; text += length + strspn(text + length, " ")) {
        length = strcspn(text, " ");
        size_t columns = 0;
        for (size_t i = 0; i < length; i++)
            columns += ((unsigned char)text[i] & 0xC0) != 0x80;
        longest = columns > longest ? columns : longest;
    }
    return longest;
}

static void widen(size_t *width, size_t columns)
{
    if (columns > *width)
        *width = columns;
}

/* The width that labels and units ask for; a label may be broken between words. */
static void measure_header(struct layout *layout)
{
    for (size_t i = 0; i < layout->columns; i++) {
        const struct pl_column *column = column_of(layout, i);
        size_t whole = pl_text_columns(column->label);
        layout->width[i] = longest_word(column->label);
        widen(&layout->width[i], whole < LABEL_WIDTH ? whole : LABEL_WIDTH);
        layout->has_units |= *column->unit != '\0';
        if (*column->unit)
            widen(&layout->width[i], pl_text_columns(column->unit) + 2);
    }
}

/* Only rows that are shown count, so that a value in the middle of a long table does not widen it. */
static void measure_rows(struct layout *layout, struct page *page)
{
    const struct pl_document_table *table = layout->table;
    struct document_cursor cursor = {.table = table};
    for (const struct pl_value *row; (row = document_next_row(&cursor));)
        for (size_t i = 0; is_shown(cursor.row - 1, table->row_count, layout->rows) && i < layout->columns; i++) {
            pl_text_clear(&page->cell);
            add_value(&page->cell, row[layout->at[i]], column_of(layout, i)->decimals);
            widen(&layout->width[i], pl_text_columns(cell_text(page)));
            const size_t word = is_left(column_of(layout, i)) ? longest_word(cell_text(page)) : 0;
            widen(&layout->least[i], word < LONG_WORD ? word : LONG_WORD);
        }
}

static void measure(struct layout *layout, struct page *page)
{
    memset(layout->width, 0, sizeof layout->width);
    for (size_t i = 0; i < layout->columns; i++)
        layout->least[i] = NARROWEST;
    measure_header(layout);
    measure_rows(layout, page);
}

static bool says_nothing(struct pl_value value)
{
    return value.kind == PL_VALUE_NONE || (value.kind == PL_VALUE_COUNT && value.as.count == 0) ||
           (value.kind == PL_VALUE_REAL && value.as.real == 0);
}

static size_t table_width(const struct layout *layout)
{
    size_t width = 0;
    for (size_t i = 0; i < layout->columns; i++)
        width += SECTION_INDENT + layout->width[i];
    return width;
}

/* A table wider than people's screens goes without the columns that hold nothing but zeros. */
static void leave_out_zeros(struct layout *layout, struct page *page)
{
    size_t kept = 0;
    if (table_width(layout) <= WIDE || layout->table->row_count == 0)
        return;
    bool says[COLUMNS_MAX] = {false};
    struct document_cursor cursor = {.table = layout->table};
    for (const struct pl_value *row; (row = document_next_row(&cursor));)
        for (size_t i = 0; i < layout->columns; i++)
            says[i] |= !says_nothing(row[i]);
    for (size_t i = 0; i < layout->columns; i++)
        if (says[i])
            layout->at[kept++] = i;
    layout->empty = layout->columns - kept;
    layout->columns = kept;
    measure(layout, page);
}

/* Takes from the widest columns of words until the table fits, or each has its least: what its
 * words need, or with cut_words `least` for all. */
static void narrow_to(struct layout *layout, size_t least, bool cut_words)
{
    for (size_t excess = table_width(layout); excess > WIDE; excess--) {
        size_t widest = layout->columns;
        for (size_t i = 0; i < layout->columns; i++)
            if (is_left(column_of(layout, i)) && layout->width[i] > (cut_words ? least : layout->least[i]) &&
                (widest == layout->columns || layout->width[i] > layout->width[widest]))
                widest = i;
        if (widest == layout->columns)
            return;
        layout->width[widest]--;
    }
}

/* Where a table is still too wide, its words are broken into lines, and if that is not enough, long words are cut. */
static void narrow(struct layout *layout)
{
    narrow_to(layout, NARROWEST, false);
    narrow_to(layout, CUT_WORD, true);
}

/* Adds a cell in its column; blanks behind the last one are left out. */
static void add_cell(struct pl_text *line, const struct layout *layout, size_t index, const char *text)
{
    size_t columns = pl_text_columns(text);
    size_t gap = columns < layout->width[index] ? layout->width[index] - columns : 0;
    bool left = is_left(column_of(layout, index));
    add_blanks(line, SECTION_INDENT + (left ? 0 : gap));
    pl_text_add(line, text);
    if (left && index + 1 < layout->columns)
        add_blanks(line, gap);
}

/* Line `number` of words that are broken to fit a column; "" when there are fewer. */
static const char *line_of(struct pl_text *broken, const char *words, size_t width, size_t number)
{
    pl_text_clear(broken);
    pl_text_wrap(broken, words, 0, 0, width);
    char *line = broken->data;
    for (; line && number > 0; number--) {
        line = strchr(line, '\n');
        line += line != NULL;
    }
    if (!line)
        return "";
    line[strcspn(line, "\n")] = '\0';
    return line;
}

/* Into how many lines words break. */
static size_t height_of(struct pl_text *broken, const char *words, size_t width)
{
    size_t lines = 1;
    while (*line_of(broken, words, width, lines))
        lines++;
    return lines;
}

/* The labels; short ones stand at the bottom of the header. */
static void write_labels(struct page *page, const struct layout *layout)
{
    size_t height[COLUMNS_MAX], lines = 1;
    for (size_t i = 0; i < layout->columns; i++) {
        height[i] = height_of(&page->cell, column_of(layout, i)->label, layout->width[i]);
        lines = height[i] > lines ? height[i] : lines;
    }
    for (size_t number = 0; number < lines; number++) {
        for (size_t i = 0; i < layout->columns; i++) {
            size_t above = lines - height[i];
            add_cell(&page->line, layout, i,
                     number < above
                         ? ""
                         : line_of(&page->cell, column_of(layout, i)->label, layout->width[i], number - above));
        }
        end_line(page);
    }
}

/* Units stand once above the numbers, not behind each of them. */
static void write_units(struct page *page, const struct layout *layout)
{
    for (size_t i = 0; i < layout->columns; i++) {
        const char *unit = column_of(layout, i)->unit;
        pl_text_clear(&page->cell);
        if (*unit)
            pl_text_addf(&page->cell, "(%s)", unit);
        add_cell(&page->line, layout, i, cell_text(page));
    }
    end_line(page);
}

static void write_rule(struct page *page, const struct layout *layout)
{
    for (size_t i = 0; i < layout->columns; i++) {
        add_blanks(&page->line, SECTION_INDENT);
        for (size_t dash = 0; dash < layout->width[i]; dash++)
            pl_text_add(&page->line, "-");
    }
    end_line(page);
}

/* Words longer than the column (paths) are cut where they must be, behind a slash if there is one. */
static void break_words(struct pl_text *out, const char *text, size_t width)
{
    while (*text) {
        size_t word = strcspn(text, " "), cut = word;
        if (pl_text_columns(text) > width && word > width) {
            for (cut = width; cut > width / 2 && !strchr("/,_.-", text[cut - 1]); cut--)
                ;
            cut = cut > width / 2 ? cut : width;
            while (cut < word && ((unsigned char)text[cut] & 0xC0) == 0x80) /* not inside a character */
                cut++;
        }
        pl_text_add_bytes(out, text, cut);
        text += cut;
        if (cut < word)
            pl_text_add(out, " ");
        const size_t blanks = cut < word ? 0 : strspn(text, " ");
        pl_text_add_bytes(out, text, blanks);
        text += blanks;
    }
}

/* Line `number` of a cell. Returns the lines of the row as far as they are known. */
static size_t add_row_cell(struct page *page, const struct layout *layout, size_t i, struct pl_value value,
                           size_t number, size_t lines)
{
    const size_t width = layout->width[i];
    pl_text_clear(&page->cell);
    add_value(&page->cell, value, column_of(layout, i)->decimals);
    if (pl_text_columns(cell_text(page)) <= width) {
        add_cell(&page->line, layout, i, number ? "" : cell_text(page));
        return lines;
    }
    pl_text_clear(&page->words);
    break_words(&page->words, cell_text(page), width);
    const char *words = page->words.data ? page->words.data : "";
    const size_t height = height_of(&page->cell, words, width);
    add_cell(&page->line, layout, i, line_of(&page->cell, words, width, number));
    return height > lines ? height : lines;
}

static void write_rows(struct page *page, const struct layout *layout)
{
    const struct pl_document_table *table = layout->table;
    struct document_cursor cursor = {.table = table};
    for (const struct pl_value *row; (row = document_next_row(&cursor));) {
        if (!is_shown(cursor.row - 1, table->row_count, layout->rows))
            continue;
        size_t lines = 1;
        for (size_t number = 0; number < lines; number++) {
            for (size_t i = 0; i < layout->columns; i++)
                lines = add_row_cell(page, layout, i, row[layout->at[i]], number, lines);
            end_line(page);
        }
    }
}

/* Says what was left out. */
static void write_remarks(struct page *page, const struct layout *layout)
{
    const struct pl_document_table *table = layout->table;
    char shown[32], all[32];
    if (table->row_count == 0)
        pl_sink_puts(page->sink, "  (no rows)\n");
    if (layout->rows < table->row_count)
        pl_sink_printf(page->sink, "  (%s of %s rows; CSV and JSON hold them all)\n",
                       pl_format_count(shown, sizeof shown, layout->rows),
                       pl_format_count(all, sizeof all, table->row_count));
    if (layout->empty)
        pl_sink_printf(page->sink, "  (columns of zeros: %zu, left out; CSV and JSON hold them all)\n", layout->empty);
    else if (layout->columns < table->column_count)
        pl_sink_printf(page->sink, "  (%zu of %zu columns; CSV and JSON hold them all)\n", layout->columns,
                       table->column_count);
}

static void write_table(struct page *page, const struct pl_document_table *table)
{
    if (table->instead) {
        if (!*table->instead)
            return;
        pl_sink_printf(page->sink, "\n%s\n  %s\n", table->title, table->instead);
        return;
    }
    struct layout layout = {.table = table};
    layout.columns = table->column_count < COLUMNS_MAX ? table->column_count : COLUMNS_MAX;
    layout.rows =
        table->show_at_most && table->show_at_most < table->row_count ? table->show_at_most : table->row_count;
    for (size_t i = 0; i < layout.columns; i++)
        layout.at[i] = i;
    measure(&layout, page);
    leave_out_zeros(&layout, page);
    narrow(&layout);
    pl_sink_printf(page->sink, "\n%s\n", table->title);
    write_labels(page, &layout);
    if (layout.has_units)
        write_units(page, &layout);
    write_rule(page, &layout);
    write_rows(page, &layout);
    write_remarks(page, &layout);
}

/* --- the whole ------------------------------------------------------------------------------ */

/* The title, underlined to its length. */
static void write_title(struct page *page, const char *title)
{
    add_safe(&page->line, title);
    end_line(page);
    for (size_t columns = pl_text_columns(title); columns > 0; columns--)
        pl_text_add(&page->line, "=");
    end_line(page);
}

static void write_notes(struct page *page, const struct document_note *note)
{
    if (note)
        pl_sink_puts(page->sink, "\n");
    for (; note; note = note->next) {
        pl_text_clear(&page->cell);
        add_safe(&page->cell, note->words);
        pl_text_add(&page->line, "Note: ");
        pl_text_wrap(&page->line, cell_text(page), 6, 6, WIDTH);
        end_line(page);
    }
}

enum pl_err pl_document_write_text(const struct pl_document *document, struct pl_sink *sink, struct pl_error *err)
{
    enum pl_err rc = document_check(document, err);
    if (rc)
        return rc;
    struct page page = {.sink = sink};
    write_title(&page, document->title);
    if (document->answer) {
        pl_text_clear(&page.cell);
        add_safe(&page.cell, document->answer);
        pl_text_wrap(&page.line, cell_text(&page), 0, 0, WIDTH);
        end_line(&page);
    }
    write_entries(&page, "Parameters", document->parameters, true);
    write_entries(&page, "Results", document->results, !document->leaves_out_zeros);
    for (const struct pl_document_table *table = document->tables; table; table = table->next)
        write_table(&page, table);
    write_notes(&page, document->notes);
    pl_text_free(&page.line);
    pl_text_free(&page.cell);
    pl_text_free(&page.words);
    return page.failed ? pl_fail(err, PL_ERR_RESOURCE, "out of memory for the text of '%s'", document->kind) : PL_OK;
}
