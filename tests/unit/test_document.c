/* Documents: the three forms of the same content, to the letter, and that JSON and CSV read back what went in. */
#include "config.h"

#include "base_check.h"

#include <math.h>

typedef enum pl_err write_fn(const struct pl_document *document, struct pl_sink *sink, struct pl_error *err);

/* What a writer writes; in the arena. */
static const char *written(struct pl_arena *arena, const struct pl_document *document, write_fn *write)
{
    struct pl_sink *sink;
    struct pl_error err = {0};
    assert_int_equal(pl_sink_open_memory(&sink, NULL), PL_OK);
    if (write(document, sink, &err))
        fail_msg("%s", err.message);
    const char *text = pl_arena_strdup(arena, pl_sink_memory(sink, NULL));
    assert_int_equal(pl_sink_close(sink, NULL), PL_OK);
    return text;
}

static const struct pl_column columns[] = {
    {"memory_pages", "memory", "pages", PL_VALUE_COUNT, 0},
    {"reads", "page reads from the disk", "", PL_VALUE_COUNT, 0},
    {"cost_s", "cost", "s", PL_VALUE_REAL, 2},
    {"mark", NULL, NULL, PL_VALUE_TEXT, 0},
    {"ok", "ok", NULL, PL_VALUE_BOOL, 0},
};

static struct pl_document *sample(struct pl_arena *arena)
{
    struct pl_document *document = pl_document_create(arena, "model", "A compressed tier");
    char words[3][8] = {"pagelab", "model", "a b.csv"};
    char *argv[] = {words[0], words[1], words[2]};
    char reused[32] = "winstone96.csv";
    pl_document_command(document, 3, argv);
    pl_document_parameter(document, "m_bytes", "memory (m)", "bytes", pl_value_count(1));
    pl_document_parameter(document, "table", "table", NULL, pl_value_text(reused));
    pl_document_parameter(document, "m_bytes", "memory (m)", "bytes", pl_value_count(8388608)); /* replaces */
    pl_document_parameter(document, "note", NULL, NULL, pl_value_text(NULL));
    strcpy(reused, "overwritten");
    pl_document_result(document, "total_s", "total", "s", pl_value_real(52.352));
    pl_document_result(document, "touches", "touches", "", pl_value_count(UINT64_C(9007199254740993)));
    pl_document_result(document, "exact", NULL, NULL, pl_value_bool(true));
    pl_document_result(document, "break_even_s", NULL, "s", pl_value_real(NAN));
    pl_document_note(document, "%s is wrapped when it is longer than the eighty columns of a terminal, line by %s.",
                     "A note", "line");
    struct pl_document_table *table = pl_document_table(document, "curve", "The curve", columns, 5);
    const struct pl_value rows[][5] = {
        {pl_value_count(0), pl_value_count(22077106), pl_value_real(0.1), pl_value_text("a,\"b\""), pl_value_bool(true)},
        {pl_value_count(1000), pl_value_count(UINT64_MAX), pl_value_real(NAN), pl_value_text(""), pl_value_bool(false)},
        {pl_value_count(2), pl_value_real(NAN), pl_value_real(-1234567.875), pl_value_text("two\nlines"), pl_value_bool(true)},
        {pl_value_count(3), pl_value_count(3), pl_value_real(INFINITY), pl_value_text(NULL), pl_value_text(NULL)},
        {pl_value_count(4), pl_value_count(4), pl_value_real(0.0004), pl_value_text(" padded"), pl_value_bool(true)},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++)
        pl_document_row(table, rows[i]);
    return document;
}

static void for_people(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    check_text(written(arena, sample(arena), pl_document_write_text),
               "A compressed tier\n"
               "=================\n"
               "\n"
               "Parameters\n"
               "  memory (m)  8,388,608 bytes (8.00 MiB)\n"
               "  table       winstone96.csv\n"
               "  note        -\n"
               "\n"
               "Results\n"
               "  total         52.352 s\n"
               "  touches       9,007,199,254,740,993\n"
               "  exact         yes\n"
               "  break_even_s  -\n"
               "\n"
               "The curve\n"
               "   memory    page reads from the disk           cost  mark        ok\n"
               "  (pages)                                        (s)\n"
               "  -------  --------------------------  -------------  ---------  ---\n"
               "        0                  22,077,106           0.10  a,\"b\"      yes\n"
               "    1,000  18,446,744,073,709,551,615              -              no\n"
               "        2                           -  -1,234,567.88  two?lines  yes\n"
               "        3                           3       infinite  -            -\n"
               "        4                           4         0.0004   padded    yes\n"
               "\n"
               "Note: A note is wrapped when it is longer than the eighty columns of a terminal,\n"
               "      line by line.\n");
    pl_arena_destroy(arena);
}

static void as_json(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    check_text(written(arena, sample(arena), pl_document_write_json),
               "{\n"
               "  \"pagelab\": \"" PACKAGE_VERSION "\",\n"
               "  \"kind\": \"model\",\n"
               "  \"title\": \"A compressed tier\",\n"
               "  \"command\": [\"pagelab\", \"model\", \"a b.csv\"],\n"
               "  \"parameters\": {\n"
               "    \"m_bytes\": 8388608,\n"
               "    \"table\": \"winstone96.csv\",\n"
               "    \"note\": null\n"
               "  },\n"
               "  \"results\": {\n"
               "    \"total_s\": 52.352,\n"
               "    \"touches\": 9007199254740993,\n"
               "    \"exact\": true,\n"
               "    \"break_even_s\": null\n"
               "  },\n"
               "  \"tables\": {\n"
               "    \"curve\": {\n"
               "      \"title\": \"The curve\",\n"
               "      \"columns\": [\n"
               "        {\"name\": \"memory_pages\", \"unit\": \"pages\", \"label\": \"memory\"},\n"
               "        {\"name\": \"reads\", \"unit\": \"\", \"label\": \"page reads from the disk\"},\n"
               "        {\"name\": \"cost_s\", \"unit\": \"s\", \"label\": \"cost\"},\n"
               "        {\"name\": \"mark\", \"unit\": \"\", \"label\": \"mark\"},\n"
               "        {\"name\": \"ok\", \"unit\": \"\", \"label\": \"ok\"}\n"
               "      ],\n"
               "      \"rows\": [\n"
               "        [0, 22077106, 0.1, \"a,\\\"b\\\"\", true],\n"
               "        [1000, 18446744073709551615, null, \"\", false],\n"
               "        [2, null, -1234567.875, \"two\\nlines\", true],\n"
               "        [3, 3, null, null, null],\n"
               "        [4, 4, 0.0004, \" padded\", true]\n"
               "      ]\n"
               "    }\n"
               "  },\n"
               "  \"notes\": [\n"
               "    \"A note is wrapped when it is longer than the eighty columns of a terminal, line by line.\"\n"
               "  ]\n"
               "}\n");
    pl_arena_destroy(arena);
}

static void as_csv(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    check_text(written(arena, sample(arena), pl_document_write_csv), "# kind: model\n"
                                                                     "# m_bytes: 8388608\n"
                                                                     "# table: winstone96.csv\n"
                                                                     "# note: \n"
                                                                     "# total_s: 52.352\n"
                                                                     "# touches: 9007199254740993\n"
                                                                     "# exact: true\n"
                                                                     "# break_even_s: \n"
                                                                     "memory_pages,reads,cost_s,mark,ok\n"
                                                                     "0,22077106,0.1,\"a,\"\"b\"\"\",true\n"
                                                                     "1000,18446744073709551615,,,false\n"
                                                                     "2,,-1234567.875,\"two\nlines\",true\n"
                                                                     "3,3,,,\n"
                                                                     "4,4,0.0004,\" padded\",true\n");
    pl_arena_destroy(arena);
}

/* Random numbers and texts go through both machine forms unharmed. */
static void forms_read_back(void **state)
{
    enum { ROWS = 2000 };
    struct pl_arena *arena = pl_arena_create();
    struct pl_random random = pl_random_seeded(5);
    struct pl_document *document = pl_document_create(arena, "x", NULL);
    struct pl_document_table *table = pl_document_table(document, "t", NULL, columns + 1, 3);
    struct pl_value (*rows)[3] = pl_arena_alloc(arena, ROWS, sizeof *rows);
    for (size_t i = 0; i < ROWS; i++) {
        static const char letters[] = "ab,;\"\n #\t\xC3\xA9'|x";
        char text[9] = "";
        for (size_t j = 0; j < 6; j++) {
            size_t at = pl_random_below(&random, sizeof letters - 2);
            text[j] = letters[at] & 0x80 ? 'e' : letters[at];
        }
        rows[i][0] = pl_value_count(pl_random_next(&random) >> pl_random_below(&random, 64));
        rows[i][1] = pl_value_real(ldexp(pl_random_unit(&random), (int)pl_random_below(&random, 200) - 100));
        rows[i][2] = pl_value_text(pl_arena_strdup(arena, text));
        pl_document_row(table, rows[i]);
    }
    const char *text = written(arena, document, pl_document_write_json);
    struct pl_json *json;
    assert_int_equal(pl_json_read(text, strlen(text), "t", &json, NULL), PL_OK);
    const struct pl_json_node *list = pl_json_get(pl_json_get(pl_json_get(pl_json_root(json), "tables"), "t"), "rows");
    assert_int_equal(pl_json_size(list), ROWS);
    text = written(arena, document, pl_document_write_csv);
    struct pl_csv *csv;
    assert_int_equal(pl_csv_open_text(text, strlen(text), "t", &csv, NULL), PL_OK);
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t count;
        double real;
        const char *word;
        const struct pl_json_node *row = pl_json_at(list, i);
        assert_int_equal(pl_json_as_u64(pl_json_at(row, 0), &count, NULL), PL_OK);
        assert_int_equal(count, rows[i][0].as.count);
        assert_int_equal(pl_json_as_real(pl_json_at(row, 1), &real, NULL), PL_OK);
        assert_true(real == rows[i][1].as.real);
        assert_int_equal(pl_json_as_text(pl_json_at(row, 2), &word, NULL), PL_OK);
        check_text(word, rows[i][2].as.text);

        assert_int_equal(pl_csv_next(csv, NULL), PL_OK);
        assert_true(pl_parse_u64(pl_csv_field(csv, 0), &count) && count == rows[i][0].as.count);
        assert_int_equal(pl_csv_real(csv, 1, &real, NULL), PL_OK);
        assert_true(real == rows[i][1].as.real);
        /* CSV fields are trimmed when they are read. */
        const char *start = word + strspn(word, " \t");
        size_t length = strlen(start);
        while (length && strchr(" \t", start[length - 1]))
            length--;
        assert_int_equal(strlen(pl_csv_field(csv, 2)), length);
        assert_memory_equal(pl_csv_field(csv, 2), start, length);
    }
    assert_int_equal(pl_csv_next(csv, NULL), PL_END);
    pl_csv_close(csv);
    pl_json_free(json);
    pl_arena_destroy(arena);
}

static void labels_are_broken_into_lines(void **state)
{
    static const struct pl_column broken[] = {{"a", "a", "", PL_VALUE_COUNT, 0},
                                              {"b", "a label of several words", "s", PL_VALUE_COUNT, 0},
                                              {"c", "\xC3\xA9t\xC3\xA9 long", "", PL_VALUE_TEXT, 0}};
    struct pl_arena *arena = pl_arena_create();
    struct pl_document *document = pl_document_create(arena, "x", "x");
    struct pl_document_table *table = pl_document_table(document, "t", "T", broken, 3);
    pl_document_row(table, (const struct pl_value[]){pl_value_count(1), pl_value_count(2), pl_value_text("\xC3\xA9")});
    check_text(written(arena, document, pl_document_write_text), "x\n=\n\nT\n"
                                                                 "     a label of\n"
                                                                 "        several\n"
                                                                 "  a       words  \xC3\xA9t\xC3\xA9 long\n"
                                                                 "            (s)\n"
                                                                 "  -  ----------  --------\n"
                                                                 "  1           2  \xC3\xA9\n");
    pl_arena_destroy(arena);
}

static void long_tables_are_thinned(void **state)
{
    static const struct pl_column one[] = {{"n", "n", "", PL_VALUE_COUNT, 0}};
    for (size_t rows = 0; rows < 40; rows++)
        for (size_t most = 0; most < 45; most++) {
            struct pl_arena *arena = pl_arena_create();
            struct pl_document *document = pl_document_create(arena, "x", "x");
            struct pl_document_table *table = pl_document_table(document, "t", "t", one, 1);
            for (size_t i = 0; i < rows; i++)
                pl_document_row(table, &(struct pl_value){PL_VALUE_COUNT, {.count = i}});
            pl_document_show_at_most(table, most);
            const char *text = written(arena, document, pl_document_write_text);
            const char *line = strstr(text, "--\n");
            size_t shown = 0, last = 0;
            for (line = line ? line + 3 : strstr(text, "  -\n") + 4; *line == ' ' && line[2] != '('; shown++) {
                size_t value = strtoul(line, NULL, 10);
                assert_true(shown == 0 ? value == 0 : value > last);
                last = value;
                line = strchr(line, '\n') + 1;
            }
            size_t expected = most && most < rows ? most : rows;
            assert_int_equal(shown, expected);
            if (shown > 1)
                assert_int_equal(last, rows - 1);
            char remark[64];
            snprintf(remark, sizeof remark, "  (%zu of %zu rows; CSV and JSON hold them all)\n", most, rows);
            assert_int_equal(strstr(text, remark) != NULL, expected < rows);
            assert_int_equal(strstr(text, "(no rows)") != NULL, rows == 0);
            pl_arena_destroy(arena);
        }
}

static void numbers_for_people(void **state)
{
    static const struct {
        double value;
        const char *unit, *shown;
    } rows[] = {{0, "s", "0 s"},           {52.352, "s", "52.352 s"},        {1234567.891, "", "1,234,568"},
                {0.0001234567, "s", "0.000123457 s"}, {0.00001234, "s", "1.23e-05 s"}, {1e20, "", "1e+20"},
                {-1234.5, "", "-1,234.5"}, {2.0 / 3, "", "0.666667"},         {INFINITY, "s", "infinite s"},
                {335544320, "bytes/s", "335,544,320 bytes/s (320 MiB/s)"},   {100, "", "100"},
                {1023, "bytes", "1,023 bytes"}, {NAN, "s", "-"}};
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_arena *arena = pl_arena_create();
        struct pl_document *document = pl_document_create(arena, "x", "x");
        char expected[96];
        pl_document_result(document, "v", "v", rows[i].unit, pl_value_real(rows[i].value));
        snprintf(expected, sizeof expected, "x\n=\n\nResults\n  v  %s\n", rows[i].shown);
        check_text(written(arena, document, pl_document_write_text), expected);
        pl_arena_destroy(arena);
    }
}

static void csv_chooses_its_table(void **state)
{
    static const struct pl_column one[] = {{"n", "n", "", PL_VALUE_COUNT, 0}};
    struct pl_arena *arena = pl_arena_create();
    struct pl_document *document = pl_document_create(arena, "x", "x");
    pl_document_result(document, "a", "a", "s", pl_value_real(1.5));
    pl_document_result(document, "b", "b", "", pl_value_text("x,y\nz"));
    check_text(written(arena, document, pl_document_write_csv),
               "# kind: x\nkey,value,unit\na,1.5,s\nb,\"x,y\nz\",\n");
    struct pl_document_table *first = pl_document_table(document, "t", "t", one, 1);
    struct pl_document_table *second = pl_document_table(document, "u", "u", one, 1);
    pl_document_row(first, &(struct pl_value){PL_VALUE_COUNT, {.count = 1}});
    pl_document_row(second, &(struct pl_value){PL_VALUE_COUNT, {.count = 2}});
    pl_document_row(second, &(struct pl_value){PL_VALUE_NONE, {.count = 0}});
    check_text(written(arena, document, pl_document_write_csv), "# kind: x\n# a: 1.5\n# b: x,y z\nn\n1\n");
    pl_document_csv_table(document, second);
    check_text(written(arena, document, pl_document_write_csv), "# kind: x\n# a: 1.5\n# b: x,y z\nn\n2\n\"\"\n");
    assert_false(pl_document_failed(document));
    pl_arena_destroy(arena);
}

static void terminals_are_safe(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_document *document = pl_document_create(arena, "x", "t\033[2J");
    pl_document_result(document, "a", "l\x07", "u\x08", pl_value_text("v\033]0;title\x07"));
    pl_document_note(document, "n\033c");
    const char *text = written(arena, document, pl_document_write_text);
    for (; *text; text++)
        assert_true((unsigned char)*text >= 0x20 || *text == '\n');
    pl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(for_people),              cmocka_unit_test(as_json),
        cmocka_unit_test(as_csv),                  cmocka_unit_test(forms_read_back),
        cmocka_unit_test(labels_are_broken_into_lines), cmocka_unit_test(long_tables_are_thinned), cmocka_unit_test(numbers_for_people),
        cmocka_unit_test(csv_chooses_its_table),   cmocka_unit_test(terminals_are_safe),
    };
    return cmocka_run_group_tests_name("document", tests, NULL, NULL);
}
