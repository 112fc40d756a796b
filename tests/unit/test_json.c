/* JSON: what is written, what is read back, and errors with lines and paths. */
#include "base_check.h"

#include <math.h>

/* --- writing --------------------------------------------------------------------- */

static void the_writer_lays_out(void **state)
{
    struct pl_sink *sink;
    struct pl_json_writer json;
    assert_int_equal(pl_sink_open_memory(&sink, NULL), PL_OK);
    pl_json_start(&json, sink);
    pl_json_object(&json);
    pl_json_key(&json, "a");
    pl_json_u64(&json, UINT64_MAX);
    pl_json_key(&json, "b");
    pl_json_array(&json, true);
    pl_json_i64(&json, INT64_MIN);
    pl_json_real(&json, 0.1);
    pl_json_real(&json, NAN);
    pl_json_real(&json, INFINITY);
    pl_json_object(&json);
    pl_json_key(&json, "flat");
    pl_json_bool(&json, true);
    pl_json_close(&json, '}');
    pl_json_close(&json, ']');
    pl_json_key(&json, "c");
    pl_json_array(&json, false);
    pl_json_array(&json, false);
    pl_json_close(&json, ']');
    pl_json_object_on_one_line(&json);
    pl_json_key(&json, "x");
    pl_json_null(&json);
    pl_json_key(&json, "y");
    pl_json_bool(&json, false);
    pl_json_close(&json, '}');
    pl_json_close(&json, ']');
    pl_json_close(&json, '}');
    check_text(pl_sink_memory(sink, NULL), "{\n"
                                           "  \"a\": 18446744073709551615,\n"
                                           "  \"b\": [-9223372036854775808, 0.1, null, null, {\"flat\": true}],\n"
                                           "  \"c\": [\n"
                                           "    [],\n"
                                           "    {\"x\": null, \"y\": false}\n"
                                           "  ]\n"
                                           "}\n");
    assert_int_equal(pl_sink_close(sink, NULL), PL_OK);
}

static void strings_are_escaped(void **state)
{
    static const struct {
        const char *text, *written;
    } rows[] = {{"", "[\"\"]\n"},
                {"a\"b\\c/", "[\"a\\\"b\\\\c/\"]\n"},
                {"\n\t\r\x01\x7F", "[\"\\n\\t\\u000d\\u0001\\u007f\"]\n"},
                {"\xC3\xA9\xF0\x9F\x98\x80", "[\"\xC3\xA9\xF0\x9F\x98\x80\"]\n"},
                {"x\xFFy\xC3", "[\"x\xEF\xBF\xBDy\xEF\xBF\xBD\"]\n"},
                {"\xED\xA0\x80", "[\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"]\n"}};
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_sink *sink;
        struct pl_json_writer json;
        assert_int_equal(pl_sink_open_memory(&sink, NULL), PL_OK);
        pl_json_start(&json, sink);
        pl_json_array(&json, true);
        pl_json_text(&json, rows[i].text);
        pl_json_close(&json, ']');
        check_text(pl_sink_memory(sink, NULL), rows[i].written);
        assert_int_equal(pl_sink_close(sink, NULL), PL_OK);
    }
}

/* --- reading ----------------------------------------------------------------------- */

static struct pl_json *parse(const char *text)
{
    struct pl_json *json = NULL;
    struct pl_error err = {0};
    if (pl_json_read(text, strlen(text), "m.json", &json, &err))
        fail_msg("<<%s>>: %s", text, err.message);
    return json;
}

static void values_are_read(void **state)
{
    struct pl_json *json = parse("\xEF\xBB\xBF{\"text\": \"a\\u00e9\\n\", \"n\": -1.5e3, \"yes\": true, \"no\": false,\n"
                                 " \"none\": null, \"list\": [1, [2, {\"deep\": \"x\"}], []], \"empty\": {}}");
    const struct pl_json_node *root = pl_json_root(json);
    const char *text;
    double real;
    uint64_t count;
    bool truth;
    assert_true(pl_json_is_object(root));
    assert_int_equal(pl_json_size(root), 7);
    assert_null(pl_json_key_of(root));
    check_text(pl_json_key_of(pl_json_at(root, 1)), "n");
    assert_null(pl_json_at(root, 7));
    assert_null(pl_json_get(root, "absent"));
    assert_int_equal(pl_json_as_text(pl_json_get(root, "text"), &text, NULL), PL_OK);
    check_text(text, "a\xC3\xA9\n");
    assert_int_equal(pl_json_as_real(pl_json_get(root, "n"), &real, NULL), PL_OK);
    assert_true(real == -1500);
    assert_int_equal(pl_json_as_bool(pl_json_get(root, "yes"), &truth, NULL), PL_OK);
    assert_true(truth);
    assert_int_equal(pl_json_as_bool(pl_json_get(root, "no"), &truth, NULL), PL_OK);
    assert_false(truth);
    assert_true(pl_json_is_null(pl_json_get(root, "none")));
    const struct pl_json_node *list = pl_json_get(root, "list");
    assert_true(pl_json_is_array(list));
    assert_int_equal(pl_json_size(list), 3);
    assert_null(pl_json_get(list, "x"));
    assert_null(pl_json_key_of(pl_json_at(list, 0)));
    assert_int_equal(pl_json_as_u64(pl_json_at(list, 0), &count, NULL), PL_OK);
    assert_int_equal(count, 1);
    assert_true(pl_json_is_number(pl_json_at(pl_json_at(list, 1), 0)));
    assert_true(pl_json_is_text(pl_json_get(pl_json_at(pl_json_at(list, 1), 1), "deep")));
    assert_int_equal(pl_json_size(pl_json_get(root, "empty")), 0);
    pl_json_free(json);
    pl_json_free(NULL);
}

static void whole_numbers_are_exact(void **state)
{
    static const struct {
        const char *json;
        uint64_t value;
        const char *says; /* NULL: it is read */
    } rows[] = {
        {"0", 0, NULL},
        {"18446744073709551615", UINT64_MAX, NULL},
        {"9007199254740993", UINT64_C(9007199254740993), NULL}, /* no double holds this one */
        {"\"18446744073709551615\"", UINT64_MAX, NULL},
        {"1e6", 1000000, NULL},
        {"5.0", 5, NULL},
        {"-0", 0, NULL},
        {"18446744073709551616", 0, "m.json:1: the number is too large"},
        {"1e300", 0, "too large"},
        {"1e999", 0, "too large"},
        {"1.5", 0, "1.5 is not a whole number"},
        {"-3", 0, "-3 is negative"},
        {"\"12x\"", 0, "'12x' is not a whole number below 2^64"},
        {"\"\"", 0, "'' is not a whole number"},
        {"true", 0, "a whole number was expected, not true or false"},
        {"null", 0, "a whole number was expected, not null"},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_json *json = parse(rows[i].json);
        struct pl_error err = {0};
        uint64_t value = 77;
        enum pl_err rc = pl_json_as_u64(pl_json_root(json), &value, &err);
        if (rows[i].says) {
            assert_int_equal(rc, PL_ERR_INPUT);
            check_says(&err, rows[i].says);
            assert_int_equal(value, 77);
        } else if (rc || value != rows[i].value) {
            fail_msg("%s gave %llu: %s", rows[i].json, (unsigned long long)value, err.message);
        }
        pl_json_free(json);
    }
    /* A number of more digits than any buffer, in range and out of it. */
    struct pl_text text = {0};
    pl_text_add(&text, "0.");
    for (int i = 0; i < 2000; i++)
        pl_text_add(&text, "5");
    struct pl_json *json = parse(text.data);
    double real;
    assert_int_equal(pl_json_as_real(pl_json_root(json), &real, NULL), PL_OK);
    assert_true(fabs(real - 0.5555555555555556) < 1e-15);
    pl_json_free(json);
    pl_text_free(&text);
    json = parse("1e999");
    assert_int_equal(pl_json_as_real(pl_json_root(json), &real, NULL), PL_ERR_INPUT);
    pl_json_free(json);
}

static void errors_name_the_path(void **state)
{
    static const char *const keys[] = {"codec", "max_bytes", "regions"};
    struct pl_json *json = parse("{\n \"store\": {\n  \"codek\": 1,\n  \"regions\": [0, {\"size\": \"x\"}]\n }\n}");
    const struct pl_json_node *store = pl_json_get(pl_json_root(json), "store");
    struct pl_error err;
    assert_int_equal(pl_json_only_keys(store, keys, PL_COUNT_OF(keys), &err), PL_ERR_INPUT);
    check_text(err.message, "m.json:3: store.codek: there is no such key; did you mean 'codec'?");
    const struct pl_json_node *size = pl_json_get(pl_json_at(pl_json_get(store, "regions"), 1), "size");
    double real;
    assert_int_equal(pl_json_as_real(size, &real, &err), PL_ERR_INPUT);
    check_text(err.message, "m.json:4: store.regions[1].size: a number was expected, not a text");
    assert_int_equal(pl_json_fail(pl_json_root(json), &err, "has no %s", "machine"), PL_ERR_INPUT);
    check_text(err.message, "m.json:1: has no machine");
    assert_int_equal(pl_json_only_keys(size, keys, PL_COUNT_OF(keys), &err), PL_ERR_INPUT);
    check_says(&err, "an object was expected");
    assert_int_equal(pl_json_only_keys(pl_json_root(json), (const char *const[]){"store"}, 1, &err), PL_OK);
    assert_int_equal(pl_json_fail(size, NULL, "x"), PL_ERR_INPUT);
    pl_json_free(json);
}

static void wrong_texts(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "m.json: is empty"},
        {" \n ", "m.json: is empty"},
        {"{\"a\": 1,\n}", "m.json:2: there is a comma before '}'"},
        {"[1, 2,]", "a comma before ']'"},
        {"[1 2]", "a comma is missing before this"},
        {"{\"a\": 1\n \"b\": 2}", "m.json:2: a comma is missing"},
        {"{\"a\" 1}", "a colon is missing behind the key"},
        {"{\"a\": }", "a value is missing before '}'"},
        {"{\"a\"}", "a value is missing before '}'"},
        {"{a: 1}", "a key in double quotes was expected"},
        {"{1: 1}", "a key in double quotes was expected"},
        {"{\"a\": 1", "m.json:1: the text ends before '}'"},
        {"[[1]", "the text ends before ']'"},
        {"[1}", "'}' closes nothing that is open"},
        {"]", "']' closes nothing"},
        {"[,1]", "',' was not expected here"},
        {"[1,,2]", "',' was not expected here"},
        {"[1:2]", "':' was not expected here"},
        {"{} {}", "something stands behind the end of the JSON value"},
        {"1 2", "something stands behind the end"},
        {"NaN", "'NaN' is no JSON value"},
        {"[Infinity]", "is no JSON value"},
        {"[-Infinity]", "is no JSON value"},
        {"[01]", "'01' is no JSON value"},
        {"[1.]", "is no JSON value"},
        {"[.5]", "is no JSON value"},
        {"[1e]", "is no JSON value"},
        {"[+1]", "is no JSON value"},
        {"[0x10]", "is no JSON value"},
        {"[1_000]", "is no JSON value"},
        {"[tru]", "'tru' is no JSON value"},
        {"['a']", "strings stand in double quotes, not in single ones"},
        {"// c\n{}", "JSON has no comments"},
        {"{\n# c\n}", "m.json:2: JSON has no comments"},
        {"{/* c */}", "JSON has no comments"},
        {"[\"a\nb\"]", "m.json:1: a string begins here and does not end on its line"},
        {"[\"a", "a string begins here"},
        {"[\"a\\", "a string begins here"},
        {"[\"a\tb\"]", "control character 0x09; write \\u0009"},
        {"[\"\xFF\"]", "bytes that are not UTF-8"},
        {"[\"\\u0000\"]", "holds the character NUL"},
        {"[\"\\x\"]", "m.json:1: is not JSON from here on"},
        {"[\n\"\\ud800\"]", "m.json:2: is not JSON from here on"},
        {"{\"a\": {\"b\": 1,\n\"b\": 2}}", "m.json:1: a: the key 'b' stands here twice"},
        {"{\"a\": 1, \"\\u0061\": 2}", "the key 'a' stands here twice"},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_json *json = NULL;
        struct pl_error err = {0};
        if (pl_json_read(rows[i].text, strlen(rows[i].text), "m.json", &json, &err) != PL_ERR_INPUT)
            fail_msg("<<%s>> passed as JSON", rows[i].text);
        if (!strstr(err.message, rows[i].says))
            fail_msg("<<%s>> gave '%s'", rows[i].text, err.message);
        assert_null(json);
        assert_int_equal(pl_json_read(rows[i].text, strlen(rows[i].text), "m.json", &json, NULL), PL_ERR_INPUT);
    }
    struct pl_json *json = NULL;
    struct pl_error err = {0};
    assert_int_equal(pl_json_read("[1,\0 2]", 7, "m.json", &json, &err), PL_ERR_INPUT);
    check_says(&err, "NUL byte");
    assert_int_equal(pl_json_read("[1]\0", 4, "m.json", &json, &err), PL_ERR_INPUT);
    assert_int_equal(pl_json_read("[\"a\0\"]", 6, "m.json", &json, &err), PL_ERR_INPUT);
    assert_int_equal(pl_json_read_path("/no/such.json", &json, &err), PL_ERR_INPUT);
    check_says(&err, "/no/such.json: No such file");
}

static void bombs_are_refused(void **state)
{
    struct pl_text text = {0};
    struct pl_json *json = NULL;
    struct pl_error err = {0};
    for (int i = 0; i < 1000000; i++)
        pl_text_add(&text, "[");
    assert_int_equal(pl_json_read(text.data, text.length, "m.json", &json, &err), PL_ERR_INPUT);
    check_says(&err, "more than 128 levels");
    pl_text_clear(&text);
    for (int i = 0; i < 100000; i++)
        pl_text_add(&text, "{\"a\":");
    assert_int_equal(pl_json_read(text.data, text.length, "m.json", &json, &err), PL_ERR_INPUT);

    /* 128 levels are fine, and many keys are quick. */
    pl_text_clear(&text);
    for (int i = 0; i < 128; i++)
        pl_text_add(&text, "[");
    for (int i = 0; i < 128; i++)
        pl_text_add(&text, "]");
    assert_int_equal(pl_json_read(text.data, text.length, "m.json", &json, &err), PL_OK);
    pl_json_free(json);
    pl_text_clear(&text);
    for (int i = 0; i < 100000; i++)
        pl_text_addf(&text, "%c\"k%d\": %d", i ? ',' : '{', i, i);
    pl_text_add(&text, "}");
    assert_int_equal(pl_json_read(text.data, text.length, "m.json", &json, &err), PL_OK);
    assert_int_equal(pl_json_size(pl_json_root(json)), 100000);
    pl_json_free(json);
    pl_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_writer_lays_out),     cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(values_are_read),         cmocka_unit_test(whole_numbers_are_exact),
        cmocka_unit_test(errors_name_the_path),    cmocka_unit_test(wrong_texts),
        cmocka_unit_test(bombs_are_refused),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
