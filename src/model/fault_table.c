/* model/fault_table.c: fault tables from CSV and from curves.
 *
 * Assumes that counts are of whole runs of the same program. Rows are gathered, sorted by size (by line where equal),
 * rows of one size averaged, and the result laid out by columns. Does not model measurement noise: rising counts are
 * warned about and kept as they are. */
#include "model/fault_table.h"
#include "model/table_header.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MEMORY_MB = PL_TABLE_MEMORY_MB,
    MEMORY_PAGES = PL_TABLE_MEMORY_PAGES,
    READS = PL_TABLE_READS,
    WRITES = PL_TABLE_WRITES,
    COLD = PL_TABLE_COLD,
    COLUMN_COUNT = PL_TABLE_COLUMNS,
};

struct row {
    double value[COLUMN_COUNT];
    double deviation[COLUMN_COUNT]; /* of the rows that were averaged; NaN for one */
    double repeats;
    uint64_t line;
};

struct rows {
    struct row *row;
    size_t count, capacity;
};

struct reading {
    const struct pl_csv *csv;
    struct pl_table_header header;
    struct pl_fault_table *table;
    struct pl_arena *arena;
    const char **warnings;
    size_t warning_count, passed_over;
};

enum { WARNINGS_MAX = 8 };

static void warn(struct reading *reading, const char *warning)
{
    if (reading->warning_count == WARNINGS_MAX)
        reading->passed_over++;
    else if (warning)
        reading->warnings[reading->warning_count++] = warning;
}

/* --- the header ------------------------------------------------------------------ */

/* The header's name that is nearest to the one that is missed. */
static const char *nearest_column(const struct pl_csv *csv, const char *wanted, char *out, size_t size)
{
    const char *names[64];
    size_t count = pl_csv_columns(csv) < PL_COUNT_OF(names) ? pl_csv_columns(csv) : PL_COUNT_OF(names);
    char hint[160];
    for (size_t i = 0; i < count; i++)
        names[i] = pl_csv_column_name(csv, i);
    pl_did_you_mean(hint, sizeof hint, wanted, names, count, sizeof *names);
    const char *found = strchr(hint, '\'');
    snprintf(out, size, "%s%.*s%s", found ? " (is it " : "", found ? (int)strcspn(found + 1, "'") + 2 : 0, found ? found : "",
             found ? "?)" : "");
    return out;
}

static enum pl_err check_columns(const struct reading *reading, struct pl_error *err)
{
    char near[160];
    const char *name = pl_csv_name(reading->csv);
    const char *first = pl_csv_columns(reading->csv) ? pl_csv_column_name(reading->csv, 0) : "";
    if (first[0] == '{')
        return pl_fail_at(err, name, 0, "this looks like JSON; a fault table is CSV (write one with --csv)");
    if (reading->header.column[MEMORY_MB] < 0 && reading->header.column[MEMORY_PAGES] < 0)
        return pl_fail_at(err, name, 0, "no column memory_mb or memory_pages in the header line (its first is '%s')",
                          first);
    if (reading->header.column[READS] < 0)
        return pl_fail_at(err, name, 0, "no column reads in the header line%s",
                          nearest_column(reading->csv, "reads", near, sizeof near));
    return PL_OK;
}

/* The table's page size and the caller's must not contradict each other. */
static enum pl_err settle_page_size(struct reading *reading, uint32_t page_size, struct pl_error *err)
{
    const char *name = pl_csv_name(reading->csv), *text = pl_csv_comment(reading->csv, "page_size");
    uint64_t own = 0;
    if (!text)
        text = pl_csv_comment(reading->csv, "page_size_bytes");
    if (text && !pl_parse_u64(text, &own) && pl_parse_bytes(text, 0, &own, NULL))
        return pl_fail_at(err, name, 0, "page_size '%s' is no size in bytes", text);
    if (text && (own == 0 || own > PL_GIB || (own & (own - 1)) != 0))
        return pl_fail_at(err, name, 0, "page_size %s is not a power of two up to 1 GiB", text);
    if (text && page_size && own != page_size)
        return pl_fail(err, PL_ERR_USAGE, "%s is of pages of %u bytes, not of %u", name, (unsigned)own,
                       (unsigned)page_size);
    reading->table->page_size = text ? (uint32_t)own : page_size ? page_size : 4096;
    return PL_OK;
}

static const char *keep(struct reading *reading, const char *text)
{
    return text ? pl_arena_strdup(reading->arena, text) : NULL;
}

static void keep_comments(struct reading *reading)
{
    struct pl_fault_table *table = reading->table;
    table->name = keep(reading, pl_csv_name(reading->csv));
    table->rule = keep(reading, pl_csv_comment(reading->csv, "rule"));
    table->source = keep(reading, pl_csv_comment(reading->csv, "source"));
    table->machine = keep(reading, pl_csv_comment(reading->csv, "m"));
}

/* --- rows ----------------------------------------------------------------------------- */

/* A quintillion pages or MB: beyond all memory, and still far from where arithmetic ends. */
static const double LARGEST = 1e18;

static enum pl_err check_value(const struct pl_csv *csv, int column, double value, struct pl_error *err)
{
    const char *name = pl_csv_column_name(csv, (size_t)column);
    if (isnan(value))
        return pl_fail_at(err, pl_csv_name(csv), pl_csv_line(csv), "no value in column %s", name);
    if (value < 0)
        return pl_fail_at(err, pl_csv_name(csv), pl_csv_line(csv), "%s is %.10g: it cannot be negative", name, value);
    if (value > LARGEST)
        return pl_fail_at(err, pl_csv_name(csv), pl_csv_line(csv), "%s is %.3g: no machine has so much", name, value);
    return PL_OK;
}

/* One memory size in MB from whichever columns are there. */
static enum pl_err settle_memory(const struct reading *reading, struct row *row, struct pl_error *err)
{
    if (reading->header.column[MEMORY_PAGES] < 0)
        return PL_OK;
    double mb = pl_pages_to_mb(row->value[MEMORY_PAGES], reading->table->page_size);
    if (reading->header.column[MEMORY_MB] >= 0 && fabs(row->value[MEMORY_MB] - mb) > 0.01 * mb + 0.01)
        return pl_fail_at(err, pl_csv_name(reading->csv), row->line,
                          "%.10g MB and %.10g pages disagree at a page size of %u bytes", row->value[MEMORY_MB],
                          row->value[MEMORY_PAGES], (unsigned)reading->table->page_size);
    row->value[MEMORY_MB] = mb;
    return PL_OK;
}

static enum pl_err read_row(const struct reading *reading, struct row *row, struct pl_error *err)
{
    *row = (struct row){.line = pl_csv_line(reading->csv), .repeats = 1};
    for (int c = 0; c < COLUMN_COUNT; c++) {
        row->value[c] = row->deviation[c] = NAN;
        if (reading->header.column[c] < 0)
            continue;
        enum pl_err rc = pl_csv_real(reading->csv, (size_t)reading->header.column[c], &row->value[c], err);
        row->value[c] *= reading->header.scale[c];
        if (rc == PL_OK)
            rc = check_value(reading->csv, reading->header.column[c], row->value[c], err);
        if (rc)
            return rc;
    }
    return settle_memory(reading, row, err);
}

static enum pl_err read_rows(const struct reading *reading, struct pl_csv *csv, struct rows *rows,
                             struct pl_error *err)
{
    enum pl_err rc;
    while ((rc = pl_csv_next(csv, err)) == PL_OK) {
        void *data = rows->row;
        rc = pl_grow(&data, &rows->capacity, rows->count + 1, sizeof(*rows->row), "a fault table", err);
        rows->row = data;
        if (rc == PL_OK)
            rc = read_row(reading, &rows->row[rows->count], err);
        if (rc)
            return rc;
        rows->count++;
    }
    if (rc == PL_END && rows->count == 0)
        return pl_fail_at(err, pl_csv_name(csv), 0, "no rows after the header line");
    return rc == PL_END ? PL_OK : rc;
}

/* --- sorting, averaging, looking at the result --------------------------------------------- */

static int by_memory_then_line(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    double m = x->value[MEMORY_MB], n = y->value[MEMORY_MB];
    if (m != n)
        return m > n ? 1 : -1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Averages rows[first..end) into rows[to]. */
static void average(struct rows *rows, size_t first, size_t end, size_t to)
{
    struct row mean = rows->row[first];
    for (int c = 0; c < COLUMN_COUNT; c++) {
        double sum = 0;
        for (size_t i = first; i < end; i++)
            sum += rows->row[i].value[c];
        mean.value[c] = sum / (double)(end - first);
        double squares = 0;
        for (size_t i = first; i < end; i++)
            squares += pow(rows->row[i].value[c] - mean.value[c], 2);
        mean.deviation[c] = end - first > 1 ? sqrt(squares / (double)(end - first - 1)) : NAN;
    }
    mean.repeats = (double)(end - first);
    mean.value[MEMORY_MB] = rows->row[first].value[MEMORY_MB];
    rows->row[to] = mean;
}

static void merge_equal_sizes(struct reading *reading, struct rows *rows)
{
    size_t kept = 0;
    for (size_t first = 0, end; first < rows->count; first = end) {
        const struct row *row = &rows->row[first];
        for (end = first + 1; end < rows->count; end++) {
            if (rows->row[end].value[MEMORY_MB] != row->value[MEMORY_MB])
                break;
        }
        if (end - first > 1)
            warn(reading, pl_arena_printf(reading->arena, "%s:%llu: %zu rows of %.10g MB (the first in line %llu) "
                                          "were averaged", reading->table->name,
                                          (unsigned long long)rows->row[first + 1].line, end - first,
                                          row->value[MEMORY_MB], (unsigned long long)row->line));
        average(rows, first, end, kept++);
    }
    rows->count = kept;
}

static void warn_of_rises(struct reading *reading, const struct rows *rows, int column, const char *what)
{
    for (size_t i = 1; i < rows->count; i++) {
        const struct row *before = &rows->row[i - 1], *row = &rows->row[i];
        if (row->value[column] > before->value[column])
            warn(reading, pl_arena_printf(reading->arena, "%s:%llu: %s rise from %.10g to %.10g while memory grows "
                                          "from %.6g to %.6g MB: noise, or not one program's runs",
                                          reading->table->name, (unsigned long long)row->line, what,
                                          before->value[column], row->value[column], before->value[MEMORY_MB],
                                          row->value[MEMORY_MB]));
    }
}

static double *column_of(struct reading *reading, const struct rows *rows, int column)
{
    double *values = pl_arena_alloc(reading->arena, rows->count, sizeof(*values));
    for (size_t i = 0; values && i < rows->count; i++)
        values[i] = rows->row[i].value[column];
    return values;
}

/* The spread of sizes that came more than once. */
static enum pl_err lay_out_spread(struct reading *reading, const struct rows *rows, struct pl_error *err)
{
    bool repeated = false;
    for (size_t i = 0; i < rows->count; i++)
        repeated |= rows->row[i].repeats > 1;
    if (!repeated)
        return PL_OK;
    double *memory = pl_arena_alloc(reading->arena, 3 * rows->count, sizeof(*memory));
    if (!memory)
        return pl_fail_memory(err, 3 * rows->count * sizeof(*memory), "a fault table");
    double *reads = memory + rows->count, *writes = reads + rows->count;
    for (size_t i = 0; i < rows->count; i++) {
        memory[i] = rows->row[i].repeats;
        reads[i] = rows->row[i].deviation[READS];
        writes[i] = rows->row[i].deviation[WRITES];
    }
    reading->table->repeats = memory;
    reading->table->reads_deviation = reads;
    reading->table->writes_deviation = reading->header.column[WRITES] >= 0 ? writes : NULL;
    return PL_OK;
}

/* Where nothing more can be saved nothing changes any more. */
static void find_settled(struct pl_fault_table *table)
{
    double last = table->reads[table->count - 1];
    bool reads_hold_cold = table->rule && !strcmp(table->rule, "memsim");
    table->reads_settled = last == 0 || (reads_hold_cold && last == table->cold);
    table->writes_settled = table->writes && table->writes[table->count - 1] == 0;
}

static enum pl_err lay_out(struct reading *reading, const struct rows *rows, struct pl_error *err)
{
    struct pl_fault_table *table = reading->table;
    bool has_writes = reading->header.column[WRITES] >= 0;
    table->count = rows->count;
    table->memory_mb = column_of(reading, rows, MEMORY_MB);
    table->reads = column_of(reading, rows, READS);
    table->writes = has_writes ? column_of(reading, rows, WRITES) : NULL;
    if (!table->memory_mb || !table->reads || (has_writes && !table->writes))
        return pl_fail_memory(err, rows->count * sizeof(double), "a fault table");
    table->cold = rows->row[rows->count - 1].value[COLD];
    find_settled(table);
    if (reading->passed_over)
        reading->warnings[reading->warning_count++] = pl_arena_printf(
            reading->arena, "%s: %zu more warnings like these", table->name, reading->passed_over);
    table->warnings = reading->warnings;
    table->warning_count = reading->warning_count;
    return PL_OK;
}

static enum pl_err read_table(struct pl_csv *csv, uint32_t page_size, struct pl_arena *arena,
                              struct pl_fault_table **out, struct pl_error *err)
{
    struct reading reading = {.csv = csv, .arena = arena};
    struct rows rows = {NULL, 0, 0};
    reading.table = pl_arena_alloc(arena, 1, sizeof(*reading.table));
    reading.warnings = pl_arena_alloc(arena, WARNINGS_MAX + 1, sizeof(*reading.warnings));
    if (!reading.table || !reading.warnings)
        return pl_fail_memory(err, sizeof(*reading.table), "a fault table");
    keep_comments(&reading);
    enum pl_err rc = pl_table_header_read(csv, &reading.header, err);
    if (rc == PL_OK)
        rc = check_columns(&reading, err);
    if (rc == PL_OK)
        rc = settle_page_size(&reading, page_size, err);
    if (rc == PL_OK)
        rc = read_rows(&reading, csv, &rows, err);
    if (rc)
        goto done;

    qsort(rows.row, rows.count, sizeof(*rows.row), by_memory_then_line);
    merge_equal_sizes(&reading, &rows);
    warn_of_rises(&reading, &rows, READS, "reads");
    warn_of_rises(&reading, &rows, WRITES, "writes");
    rc = lay_out(&reading, &rows, err);
    if (rc == PL_OK)
        rc = lay_out_spread(&reading, &rows, err);
    if (rc == PL_OK)
        *out = reading.table;
done:
    free(rows.row);
    return rc;
}

enum pl_err pl_fault_table_read(const char *path, uint32_t page_size, struct pl_arena *arena,
                                struct pl_fault_table **out, struct pl_error *err)
{
    struct pl_csv *csv;
    enum pl_err rc = pl_csv_open_path(path, &csv, err);
    if (rc)
        return rc;
    rc = read_table(csv, page_size, arena, out, err);
    pl_csv_close(csv);
    return rc;
}

enum pl_err pl_fault_table_parse(const char *text, size_t length, const char *name, uint32_t page_size,
                                 struct pl_arena *arena, struct pl_fault_table **out, struct pl_error *err)
{
    struct pl_csv *csv;
    enum pl_err rc = pl_csv_open_text(text, length, name, &csv, err);
    if (rc)
        return rc;
    rc = read_table(csv, page_size, arena, out, err);
    pl_csv_close(csv);
    return rc;
}

/* --- from a curve ------------------------------------------------------------------------------ */

enum pl_err pl_fault_table_from_curve(const struct pl_curve_result *curve, uint32_t page_size,
                                      const uint64_t *sizes_pages, size_t count, const char *name,
                                      struct pl_arena *arena, struct pl_fault_table **out, struct pl_error *err)
{
    if (!sizes_pages)
        count = curve->depth + 1;
    assert(count > 0);
    struct pl_fault_table *table = pl_arena_alloc(arena, 1, sizeof(*table));
    double *memory = pl_arena_alloc(arena, count, sizeof(*memory));
    double *reads = pl_arena_alloc(arena, count, sizeof(*reads));
    double *writes = pl_arena_alloc(arena, count, sizeof(*writes));
    const char *own_name = pl_arena_strdup(arena, name);
    if (!table || !memory || !reads || !writes || !own_name)
        return pl_fail_memory(err, 3 * count * sizeof(*memory), "a fault table");

    uint64_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size = sizes_pages ? sizes_pages[i] : i;
        uint64_t at = size < curve->depth ? size : curve->depth;
        memory[i] = pl_pages_to_mb((double)size, page_size);
        reads[i] = (double)curve->reads[at];
        writes[i] = curve->writes ? (double)curve->writes[at] : 0;
    }
    *table = (struct pl_fault_table){
        .name = own_name,
        .rule = curve->rule == PL_RULE_MEMSIM ? "memsim" : "demand-zero",
        .page_size = page_size,
        .count = count,
        .memory_mb = memory,
        .reads = reads,
        .writes = curve->writes ? writes : NULL,
        .cold = (double)curve->cold,
        .reads_settled = size >= curve->depth,
        .writes_settled = size >= curve->depth,
    };
    *out = table;
    return PL_OK;
}
