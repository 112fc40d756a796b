/* Result files as figures read them: CSV and JSON, what a document writes comes back, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report.h"

#include <math.h>
#include <string.h>

struct state {
    struct pl_arena *arena;
    struct pl_result result;
    struct pl_error err;
};

static int set_up(void **state)
{
    static struct state fresh;
    fresh = (struct state){.arena = pl_arena_create()};
    *state = &fresh;
    return fresh.arena ? 0 : -1;
}

static int tear_down(void **state)
{
    struct state *test = *state;
    pl_result_close(&test->result);
    pl_arena_destroy(test->arena);
    return 0;
}

static enum pl_err read_text(struct state *test, const char *text)
{
    return pl_result_read_text(text, strlen(text), "t.csv", test->arena, &test->result, &test->err);
}

static void csv_has_names_numbers_and_facts(void **state)
{
    struct state *test = *state;
    assert_int_equal(read_text(test, "\xef\xbb\xbf# rule: demand-zero\r\n# page_size: 8192\r\n"
                                     "Memory MB;Reads;extrapolated\r\n1;1000;true\r\n2;;no"),
                     PL_OK);
    const struct pl_result_table *table = &test->result.table[0];
    assert_int_equal(test->result.tables, 1);
    assert_int_equal(table->rows, 2);
    assert_int_equal(pl_result_find(table, "memory_mb"), 0);
    assert_int_equal(pl_result_find(table, "reads"), 1);
    assert_int_equal(pl_result_find(table, "writes"), -1);
    assert_true(pl_result_cell(table, 0, 1) == 1000);
    assert_true(isnan(pl_result_cell(table, 1, 1))); /* empty is missing, not bad */
    assert_int_equal(table->column[1].bad_row, 0);
    assert_true(pl_result_cell(table, 0, 2) == 1 && pl_result_cell(table, 1, 2) == 0);
    assert_string_equal(pl_result_fact(&test->result, "rule"), "demand-zero");
    assert_true(pl_result_number(&test->result, "page_size") == 8192);
    assert_true(isnan(pl_result_number(&test->result, "rule")));
    assert_null(pl_result_fact(&test->result, "seed"));
}

static void text_in_a_column_is_remembered_with_its_line(void **state)
{
    struct state *test = *state;
    assert_int_equal(read_text(test, "name,reads\n\nfirst,1\n# between\nsecond,many\n"), PL_OK);
    assert_int_equal(test->result.table[0].column[0].bad_row, 1);
    assert_int_equal(test->result.table[0].column[0].bad_line, 3);
    assert_int_equal(test->result.table[0].column[1].bad_line, 5);
}

static void what_a_document_writes_comes_back(void **state)
{
    struct state *test = *state;
    const struct pl_column columns[] = {{"memory_mb", "memory", "MB", PL_VALUE_REAL, 3},
                                        {"reads", "reads", "pages", PL_VALUE_COUNT, 0},
                                        {"extrapolated", "outside", "", PL_VALUE_BOOL, 0},
                                        {"about", "about", "", PL_VALUE_TEXT, 0}};
    const struct pl_value row[] = {pl_value_real(0.1), pl_value_count(UINT64_C(1) << 60), pl_value_bool(true),
                                   pl_value_text("it's \"quoted\"\n")};
    struct pl_document *document = pl_document_create(test->arena, "curve", "A curve");
    pl_document_parameter(document, "rule", "rule", "", pl_value_text("memsim"));
    pl_document_result(document, "optimum_d_mb", "best", "MB", pl_value_real(0.794));
    pl_document_result(document, "pays", "pays", "", pl_value_bool(false));
    struct pl_document_table *table = pl_document_table(document, "curve", "Faults", columns, PL_COUNT_OF(columns));
    pl_document_row(table, row);
    assert_false(pl_document_failed(document));

    struct pl_sink *sink;
    size_t length;
    assert_int_equal(pl_sink_open_memory(&sink, &test->err), PL_OK);
    assert_int_equal(pl_document_write_json(document, sink, &test->err), PL_OK);
    const char *json = pl_sink_memory(sink, &length);
    assert_int_equal(pl_result_read_text(json, length, "d.json", test->arena, &test->result, &test->err), PL_OK);
    pl_sink_abandon(sink);

    const struct pl_result_table *back = &test->result.table[0];
    assert_string_equal(test->result.kind, "curve");
    assert_string_equal(back->key, "curve");
    assert_string_equal(back->title, "Faults");
    assert_int_equal(back->rows, 1);
    assert_string_equal(back->column[0].unit, "MB");
    assert_true(pl_result_cell(back, 0, 0) == 0.1);
    assert_true(pl_result_cell(back, 0, 1) == 1152921504606846976.0);
    assert_true(pl_result_cell(back, 0, 2) == 1);
    assert_int_equal(back->column[3].bad_row, 1);
    assert_string_equal(pl_result_fact(&test->result, "rule"), "memsim");
    assert_true(pl_result_number(&test->result, "optimum_d_mb") == 0.794);
    assert_true(pl_result_number(&test->result, "pays") == 0);
}

static void refused(void **state)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "is empty"},
        {" \n\n", "is empty"},
        {"{\"kind\": \"curve\"}", "tables"},
        {"{\"tables\": {\"curve\": []}}", "tables.curve"},
        {"{\"tables\": {\"curve\": {\"columns\": [{\"name\": \"a\"}], \"rows\": [[1, 2]]}}}", "each of the 1 columns"},
        {"{\"tables\": {\"curve\": {\"columns\": [3], \"rows\": []}}}", "a column is an object"},
        {"{\"tables\":", "t.csv"},
        {"a,b\n1\n", "t.csv:2"},
    };
    struct state *test = *state;
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        assert_int_equal(read_text(test, cases[i].text), PL_ERR_INPUT);
        if (!strstr(test->err.message, cases[i].part))
            fail_msg("'%s' lacks '%s'", test->err.message, cases[i].part);
    }
    assert_int_equal(pl_result_read_text("a\0b\n", 4, "t.csv", test->arena, &test->result, &test->err), PL_ERR_INPUT);
    assert_non_null(strstr(test->err.message, "is binary"));
    assert_int_equal(pl_result_read("/nowhere/t.csv", test->arena, &test->result, &test->err), PL_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(csv_has_names_numbers_and_facts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(text_in_a_column_is_remembered_with_its_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_a_document_writes_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
