/* CSV: line ends, quotes, separators, comments, thousands, and errors with their lines. */
#include "base_check.h"

#include <math.h>

static struct pl_csv *open_text(const char *text)
{
    struct pl_csv *csv = NULL;
    struct pl_error err = {0};
    if (pl_csv_open_text(text, strlen(text), "t.csv", &csv, &err))
        fail_msg("<<%s>>: %s", text, err.message);
    return csv;
}

/* All rows as "a|b/c|d/", an error's message at its end. */
static void check_rows(const char *text, const char *expected)
{
    struct pl_csv *csv = open_text(text);
    struct pl_text rows = {0};
    struct pl_error err = {0};
    enum pl_err rc;
    pl_text_add(&rows, "");
    while ((rc = pl_csv_next(csv, &err)) == PL_OK)
        for (size_t i = 0; i < pl_csv_columns(csv); i++)
            pl_text_addf(&rows, "%s%s", pl_csv_field(csv, i), i + 1 < pl_csv_columns(csv) ? "|" : "/");
    if (rc != PL_END)
        pl_text_add(&rows, err.message);
    if (strcmp(rows.data, expected))
        fail_msg("<<%s>> gave <<%s>> instead of <<%s>>", text, rows.data, expected);
    pl_text_free(&rows);
    pl_csv_close(csv);
}

static void rows(void **state)
{
    static const struct {
        const char *text, *rows;
    } rows[] = {
        {"a,b\n1,2\n3,4\n", "1|2/3|4/"},
        {"a,b\n1,2\n3,4", "1|2/3|4/"},
        {"a,b\r\n1,2\r\n3,4\r\n", "1|2/3|4/"},
        {"a,b\r1,2\r3,4", "1|2/3|4/"},
        {"\xEF\xBB\xBF" "a,b\n1,2\n", "1|2/"},
        {"a,b", ""},
        {"a,b\n", ""},
        {"\n\n  \na,b\n\n1,2\n\n\n3,4\n\n", "1|2/3|4/"},
        {"# c\na,b\n# d\n1,2\n  # e\n3,4\n#", "1|2/3|4/"},
        {"a , b\n 1 ,\t2 \n", "1|2/"},
        {"a;b\n1;2,5\n", "1|2,5/"},
        {"a\tb\tc\n1\t\t3\n\t\t\n", "1||3/||/"},
        {"a,b\n,\n", "|/"},
        {"a\n1\n2\n", "1/2/"},
        {"\"a\",\"b,c\"\n\"1\",\"x,y\"\n", "1|x,y/"},
        {"a,b\n\"say \"\"hi\"\"\",\"\"\n", "say \"hi\"|/"},
        {"a,b\n\"two\nlines\",2\n", "two\nlines|2/"},
        {"a,b\n\"two\r\nlines\" , 2\n", "two\r\nlines|2/"},
        {"a,b\n\"# no comment\",2\n", "# no comment|2/"},
        {"a,b\n1,\"2\"", "1|2/"},
        {"a,b\nx\"y,2\n", "x\"y|2/"},
        /* errors, with lines that count quoted newlines */
        {"a,b\n1,2\n3\n", "1|2/t.csv:3: has 1 field, but the header names 2 columns"},
        {"a,b\n1,2,3\n", "t.csv:2: has 3 fields, but the header names 2 columns"},
        {"a\n1,2\n", "t.csv:2: has 2 fields, but the header names 1 column"},
        {"a,b\n\"x\ny\",2\n\n3\n", "x\ny|2/t.csv:5: has 1 field, but the header names 2 columns"},
        {"a,b\n1,\"2\n3,4\n", "t.csv:2: a quoted field begins here and never ends"},
        {"a,b\n\"1\"x,2\n", "t.csv:2: something stands between a closing quote and the next ','"},
        {"a,b\n\"", "t.csv:2: a quoted field begins here and never ends"},
        {"a,b\n1,2\n\xFF\xFE\n", "1|2/t.csv:3: has 1 field, but the header names 2 columns"},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++)
        check_rows(rows[i].text, rows[i].rows);
}

static void columns_are_found_by_name(void **state)
{
    struct pl_csv *csv = open_text("memory_mb, Memory Pages ,READS,\"cold, first\",reads\n1,2,3,4,5\n");
    assert_int_equal(pl_csv_columns(csv), 5);
    check_text(pl_csv_column_name(csv, 1), "Memory Pages");
    assert_int_equal(pl_csv_find(csv, "memory_mb"), 0);
    assert_int_equal(pl_csv_find(csv, "Memory-MB"), 0);
    assert_int_equal(pl_csv_find(csv, "memory_pages"), 1);
    assert_int_equal(pl_csv_find(csv, "reads"), 2);
    assert_int_equal(pl_csv_find(csv, "cold, first"), 3);
    assert_int_equal(pl_csv_find(csv, "memory"), -1);
    assert_int_equal(pl_csv_find(csv, ""), -1);
    check_text(pl_csv_name(csv), "t.csv");
    assert_int_equal(pl_csv_next(csv, NULL), PL_OK);
    assert_int_equal(pl_csv_line(csv), 2);
    check_text(pl_csv_field(csv, 4), "5");
    assert_int_equal(pl_csv_next(csv, NULL), PL_END);
    assert_int_equal(pl_csv_next(csv, NULL), PL_END);
    pl_csv_close(csv);
    pl_csv_close(NULL);
}

static void comments_are_kept(void **state)
{
    struct pl_csv *csv = open_text("# rule: demand-zero\r\n#page size:4096 \n## Source : http://x/y\n# no pair\na\n1\n# late: yes");
    check_text(pl_csv_comment(csv, "rule"), "demand-zero");
    check_text(pl_csv_comment(csv, "page_size"), "4096");
    check_text(pl_csv_comment(csv, "source"), "http://x/y");
    assert_null(pl_csv_comment(csv, "no pair"));
    assert_null(pl_csv_comment(csv, "late"));
    assert_int_equal(pl_csv_next(csv, NULL), PL_OK);
    assert_int_equal(pl_csv_next(csv, NULL), PL_END);
    check_text(pl_csv_comment(csv, "late"), "yes");
    pl_csv_close(csv);
}

static void numbers(void **state)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"a,b\n1.5,x\n", 1.5},         {"a,b\n\"1,234\",x\n", 1234},   {"a,b\n\"-1,234,567.25\",x\n", -1234567.25},
        {"a;b\n1,234,567;x\n", 1234567}, {"a\tb\n1'234\tx\n", 1234},
        {"a,b\n1 234 567,x\n", 1234567}, {"a,b\n,x\n", NAN},           {"a,b\n\"\",x\n", NAN},
        {"a,b\n\" 7 \",x\n", 7},       {"a;b\n1 234;x\n", 1234},       {"a,b\n1e6,x\n", 1e6},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_csv *csv = open_text(rows[i].text);
        struct pl_error err = {0};
        double value = 77;
        assert_int_equal(pl_csv_next(csv, NULL), PL_OK);
        if (pl_csv_real(csv, 0, &value, &err) || !(value == rows[i].value || (isnan(value) && isnan(rows[i].value))))
            fail_msg("<<%s>> gave %g: %s", rows[i].text, value, err.message);
        pl_csv_close(csv);
    }
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"a b,b\nx,1\n", "t.csv:2: column a b: 'x' is not a number"},
        {"a,b\n\"1,23\",1\n", "'1,23' is not a number (write 1234.5, without commas)"},
        {"a,b\n\"1234,567\",1\n", "is not a number"},
        {"a,b\n\"1,234,56\",1\n", "is not a number"},
        {"a,b\n\",234\",1\n", "is not a number"},
        {"a;b\n1,234;1\n", "is not a number (write 1234.5"}, /* thousands, or a decimal comma? */
        {"a,b\n12 34,1\n", "is not a number"},
        {"a,b\nnan,1\n", "'nan' is not a number"},
        {"a,b\n1e999,1\n", "is not a number"},
        {"a,b\n0x10,1\n", "is not a number"},
        {"a,b\n1.234 567,1\n", "is not a number"},
    };
    for (size_t i = 0; i < PL_COUNT_OF(wrong); i++) {
        struct pl_csv *csv = open_text(wrong[i].text);
        struct pl_error err = {0};
        double value = 77;
        assert_int_equal(pl_csv_next(csv, NULL), PL_OK);
        assert_int_equal(pl_csv_real(csv, 0, &value, &err), PL_ERR_INPUT);
        check_says(&err, wrong[i].says);
        assert_true(value == 77);
        pl_csv_close(csv);
    }
}

static void no_tables(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        const char *says;
    } rows[] = {
        {"", 0, "t.csv: is empty; a line with column names was expected"},
        {"\xEF\xBB\xBF", 3, "is empty"},
        {"\n \n# only: comments\n", 20, "is empty"},
        {"a,b\n1,\0\n", 8, "t.csv:2: holds a NUL byte"},
        {"\xFF\xFE" "a\0,\0", 6, "t.csv:1: holds a NUL byte; it is binary, or text in UTF-16"},
        {"\"a,b\n", 5, "t.csv:1: a quoted field begins here"},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_csv *csv = NULL;
        struct pl_error err = {0};
        assert_int_equal(pl_csv_open_text(rows[i].text, rows[i].length, "t.csv", &csv, &err), PL_ERR_INPUT);
        check_says(&err, rows[i].says);
        assert_null(csv);
    }
    struct pl_csv *csv = NULL;
    struct pl_error err = {0};
    assert_int_equal(pl_csv_open_path("/no/such.csv", &csv, &err), PL_ERR_INPUT);
    check_text(err.message, "/no/such.csv: No such file or directory");
    assert_int_equal(pl_csv_open_path("/", &csv, &err), PL_ERR_INPUT);
    check_says(&err, "Is a directory");
    assert_int_equal(pl_csv_open_path("/dev/null", &csv, &err), PL_ERR_INPUT);
    check_says(&err, "/dev/null: is empty");
}

static void many_columns_and_rows(void **state)
{
    struct pl_text text = {0};
    for (int i = 0; i < 1000; i++)
        pl_text_addf(&text, "%sc%d", i ? "," : "", i);
    for (int row = 0; row < 100; row++)
        for (int i = 0; i < 1000; i++)
            pl_text_addf(&text, "%s%d", i ? "," : "\n", row * i);
    struct pl_csv *csv = open_text(text.data);
    assert_int_equal(pl_csv_columns(csv), 1000);
    assert_int_equal(pl_csv_find(csv, "c999"), 999);
    for (int row = 0; row < 100; row++) {
        double value;
        assert_int_equal(pl_csv_next(csv, NULL), PL_OK);
        assert_int_equal(pl_csv_real(csv, 999, &value, NULL), PL_OK);
        assert_true(value == row * 999);
    }
    assert_int_equal(pl_csv_next(csv, NULL), PL_END);
    pl_csv_close(csv);
    pl_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),    cmocka_unit_test(columns_are_found_by_name), cmocka_unit_test(comments_are_kept),
        cmocka_unit_test(numbers), cmocka_unit_test(no_tables),                 cmocka_unit_test(many_columns_and_rows),
    };
    return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
