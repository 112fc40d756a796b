/* tests/unit/test_fault_table.c: fault tables as people write them, and parameters in words. */
#include "model/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int set_up(void **state)
{
    *state = pl_arena_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    pl_arena_destroy(*state);
    return 0;
}

static struct pl_fault_table *parse(const char *text, struct pl_arena *arena)
{
    struct pl_fault_table *table = NULL;
    struct pl_error err = {PL_OK, ""};
    if (pl_fault_table_parse(text, strlen(text), "t.csv", 0, arena, &table, &err))
        fail_msg("%s", err.message);
    return table;
}

static void all_columns(void **state)
{
    struct pl_fault_table *table = parse("# rule: memsim\n# page_size: 8192\n# m: 8MB\n# source: a friend\n"
                                         "memory_mb,memory_pages,reads,writes,cold\n1,128,50,7,5\n2,256,5,3,5\n",
                                         *state);
    assert_int_equal(table->count, 2);
    assert_int_equal(table->page_size, 8192);
    assert_string_equal(table->rule, "memsim");
    assert_string_equal(table->machine, "8MB");
    assert_string_equal(table->source, "a friend");
    assert_true(table->memory_mb[1] == 2 && table->reads[0] == 50 && table->writes[1] == 3 && table->cold == 5);
    assert_true(table->reads_settled); /* under memsim, first touches are all that is left */
    assert_false(table->writes_settled);
    assert_int_equal(table->warning_count, 0);
}

static void either_memory_column_and_no_writes(void **state)
{
    struct pl_fault_table *pages = parse("memory_pages;reads\n256;10\n512;0\n", *state);
    assert_true(pages->memory_mb[0] == 1 && pages->memory_mb[1] == 2);
    assert_null(pages->writes);
    assert_true(isnan(pages->cold));
    assert_true(pages->reads_settled);
    assert_int_equal(pages->page_size, 4096);
    struct pl_fault_table *document = parse("Memory (MB)\tPagefile Reads\r\n6\t229089\r\n7\t97257", *state);
    assert_true(document->count == 2 && document->reads[1] == 97257);
}

static void unsorted_and_repeated_rows(void **state)
{
    struct pl_fault_table *table =
        parse("memory_mb,reads,writes\n8,10,5\n6,40,9\n8,14,3\n7,20,6\n8,12,4\n", *state);
    assert_int_equal(table->count, 3);
    assert_true(table->memory_mb[0] == 6 && table->memory_mb[2] == 8);
    assert_true(table->reads[2] == 12 && table->writes[2] == 4);
    assert_int_equal(table->warning_count, 1);
    assert_non_null(strstr(table->warnings[0], "t.csv:4: 3 rows of 8 MB (the first in line 2) were averaged"));
}

static void rising_counts_are_warned_about(void **state)
{
    struct pl_fault_table *table = parse("memory_mb,reads,writes\n6,40,9\n7,50,9\n8,1,10\n", *state);
    assert_int_equal(table->warning_count, 2);
    assert_non_null(strstr(table->warnings[0], "t.csv:3: reads rise from 40 to 50"));
    assert_non_null(strstr(table->warnings[1], "t.csv:4: writes rise from 9 to 10"));

    char many[2000] = "memory_mb,reads\n";
    for (int i = 1; i <= 50; i++)
        sprintf(many + strlen(many), "%d,%d\n", i, i);
    table = parse(many, *state);
    assert_int_equal(table->warning_count, 9);
    assert_non_null(strstr(table->warnings[8], "41 more"));
}

static void what_is_wrong_is_named_with_its_line(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"memory_mb,reads\n6,-1\n", "t.csv:2: reads is -1"},
        {"memory_mb,reads\n6,1\n-7,1\n", "t.csv:3: memory_mb is -7"},
        {"memory_mb,reads\n6,nan\n", "t.csv:2"},
        {"memory_mb,reads\n6,inf\n", "t.csv:2"},
        {"memory_mb,reads\n6,\n", "t.csv:2: no value in column reads"},
        {"memory_mb,reads,writes\n6,1,2\n7,1,\n", "t.csv:3: no value in column writes"},
        {"memory_mb,reads\n6,1,2\n", "t.csv:2"},
        {"memory_mb,reads\n6,many\n", "t.csv:2"},
        {"memory_mb,reads\n", "no rows"},
        {"memory_mb,hits\n6,1\n", "no column reads"},
        {"size,reads\n6,1\n", "no column memory_mb or memory_pages"},
        {"{\"pagelab\": \"0.1.0\"}\n", "JSON"},
        {"# page_size: 1000\nmemory_mb,reads\n6,1\n", "page_size 1000 is not a power of two"},
        {"# page_size: large\nmemory_mb,reads\n6,1\n", "page_size 'large'"},
        {"memory_mb,memory_pages,reads\n8,1024,1\n", "t.csv:2: 8 MB and 1024 pages disagree"},
        {"", "t.csv"},
    };
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        struct pl_fault_table *table = NULL;
        struct pl_error err = {PL_OK, ""};
        enum pl_err rc =
            pl_fault_table_parse(cases[i].text, strlen(cases[i].text), "t.csv", 0, *state, &table, &err);
        if (rc != PL_ERR_INPUT || !strstr(err.message, cases[i].says))
            fail_msg("case %zu: code %d, '%s'", i, rc, err.message);
        assert_null(table);
    }
}

static void page_sizes_must_agree(void **state)
{
    static const char text[] = "# page_size: 4096\nmemory_pages,reads\n256,1\n";
    struct pl_fault_table *table = NULL;
    struct pl_error err = {PL_OK, ""};
    assert_int_equal(pl_fault_table_parse(text, strlen(text), "t.csv", 8192, *state, &table, &err), PL_ERR_USAGE);
    assert_int_equal(pl_fault_table_parse(text, strlen(text), "t.csv", 4096, *state, &table, &err), PL_OK);
    const char *bare = strchr(text, '\n') + 1;
    assert_int_equal(pl_fault_table_parse(bare, strlen(bare), "t.csv", 8192, *state, &table, &err), PL_OK);
    assert_true(table->memory_mb[0] == 2);
}

static void from_a_curve(void **state)
{
    uint64_t reads[] = {100, 40, 10, 4, 0}, writes[] = {50, 20, 5, 2, 0}, sizes[] = {1, 3, 9};
    struct pl_curve_result curve = {.rule = PL_RULE_DEMAND_ZERO, .cold = 4, .depth = 4, .reads = reads, .writes = writes};
    struct pl_fault_table *table = NULL;
    assert_int_equal(pl_fault_table_from_curve(&curve, 4096, NULL, 0, "all", *state, &table, NULL), PL_OK);
    assert_true(table->count == 5 && table->reads[3] == 4 && table->memory_mb[4] == 4 / 256.0);
    assert_true(table->reads_settled && table->writes_settled && table->cold == 4);
    assert_int_equal(pl_fault_table_from_curve(&curve, 4096, sizes, 2, "some", *state, &table, NULL), PL_OK);
    assert_true(table->count == 2 && table->reads[0] == 40 && table->reads[1] == 4);
    assert_false(table->reads_settled);
    assert_int_equal(pl_fault_table_from_curve(&curve, 4096, sizes, 3, "beyond", *state, &table, NULL), PL_OK);
    assert_true(table->reads[2] == 0 && table->reads_settled);
}

static void the_shipped_table(void **state)
{
    static const double reads[] = {229089, 97257, 55594, 37678, 26633, 19379, 14815, 11193, 8297, 7065, 5044};
    const char *source = getenv("srcdir");
    if (!source)
        skip();
    char path[4096];
    snprintf(path, sizeof(path), "%s/models/winstone96.csv", source);
    struct pl_fault_table *table = NULL;
    struct pl_error err = {PL_OK, ""};
    if (pl_fault_table_read(path, 0, *state, &table, &err))
        fail_msg("%s", err.message);
    assert_int_equal(table->count, PL_COUNT_OF(reads));
    for (size_t i = 0; i < table->count; i++)
        assert_true(table->memory_mb[i] == 6.0 + (double)i && table->reads[i] == reads[i]);
    assert_true(table->writes[0] == 84533 && table->writes[10] == 8479);
    assert_int_equal(table->warning_count, 0);
    assert_non_null(table->source);
}

static void axes(void **state)
{
    static const struct {
        const char *text;
        enum pl_cost_parameter parameter;
        size_t count;
        double first, second, last;
    } cases[] = {
        {"d=0:2MB:0.05MB", PL_PARAMETER_D, 41, 0, 0.05, 2},
        {"r=1.2:3:0.2", PL_PARAMETER_R, 10, 1.2, 1.4, 3},
        {"cd=0.5ms,1ms,20us", PL_PARAMETER_CD, 3, 0.0005, 0.001, 0.00002},
        {"m=256p:1024p:256p", PL_PARAMETER_M, 4, 1, 2, 4},
        {"frac=0,0.5", PL_PARAMETER_FRAC, 2, 0, 0.5, 0.5},
        {"ch=1ms:9.5ms:2ms", PL_PARAMETER_CH, 5, 0.001, 0.003, 0.009},
    };
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        struct pl_axis axis;
        struct pl_error err = {PL_OK, ""};
        if (pl_axis_parse(cases[i].text, 4096, *state, &axis, &err))
            fail_msg("%s", err.message);
        assert_int_equal(axis.parameter, cases[i].parameter);
        assert_int_equal(axis.count, cases[i].count);
        assert_true(fabs(axis.values[0] - cases[i].first) < 1e-12);
        assert_true(fabs(axis.values[1] - cases[i].second) < 1e-12);
        assert_true(fabs(axis.values[axis.count - 1] - cases[i].last) < 1e-12);
    }
}

static void senseless_axes(void **state)
{
    static const char *const cases[] = {"d",          "d=",        "d=0:2MB",      "d=0:2:1",           "d=2MB:0:1MB", "d=0:2MB:0",
                                        "x=1,2",      "r=1:2:-1",  "r=1,,2",       "r=0:1e9:1e-9",      "cd=1:2:3",    "=1,2",
                                        "d=-1MB,2MB", "r=1:2:3:4", "m=1MB:2MB:1s", "frac=0.1:nan:0.1"};
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        struct pl_axis axis;
        struct pl_error err = {PL_OK, ""};
        if (pl_axis_parse(cases[i], 4096, *state, &axis, &err) != PL_ERR_USAGE || !err.message[0])
            fail_msg("'%s' was taken", cases[i]);
    }
}

static void sizes_are_not_rounded_to_bytes(void **state)
{
    static const struct {
        const char *text;
        double mb;
    } cases[] = {{"0.74MB", 0.74}, {"0.1 MiB", 0.1}, {"128p", 0.5}, {"512KiB", 0.5}, {"0", 0}, {"4096B", 1 / 256.0}};
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        double mb;
        struct pl_error err = {PL_OK, ""};
        if (pl_cost_parameter_parse(PL_PARAMETER_D, cases[i].text, 4096, &mb, &err))
            fail_msg("%s", err.message);
        if (mb != cases[i].mb)
            fail_msg("%s: %.17g", cases[i].text, mb);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_columns),
        cmocka_unit_test(either_memory_column_and_no_writes),
        cmocka_unit_test(unsorted_and_repeated_rows),
        cmocka_unit_test(rising_counts_are_warned_about),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
        cmocka_unit_test(page_sizes_must_agree),
        cmocka_unit_test(from_a_curve),
        cmocka_unit_test(the_shipped_table),
        cmocka_unit_test(axes),
        cmocka_unit_test(senseless_axes),
        cmocka_unit_test(sizes_are_not_rounded_to_bytes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
