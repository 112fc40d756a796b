/* Texts: nearest words, strict numbers, shortest decimals, safe strings, wrapped paragraphs. */
#include "base_check.h"

#include <float.h>
#include <locale.h>
#include <math.h>

static void texts_grow(void **state)
{
    struct pl_text text = {0};
    pl_text_add(&text, "");
    check_text(text.data, "");
    for (int i = 0; i < 1000; i++)
        pl_text_addf(&text, "%d,", i);
    assert_int_equal(text.length, 10 + 180 + 2700 + 1000);
    assert_int_equal(strlen(text.data), text.length);
    assert_memory_equal(text.data, "0,1,2,3,", 8);
    pl_text_clear(&text);
    check_text(text.data, "");
    pl_text_add_bytes(&text, "a\0b", 3);
    assert_int_equal(text.length, 3);
    text.failed = true;
    pl_text_add(&text, "more");
    assert_int_equal(text.length, 3);
    pl_text_free(&text);
    assert_null(text.data);
}

static void nearest_words(void **state)
{
    static const char *const words[] = {"memory", "page-size", "policy", "json", "csv", "quiet", "m", "d", "codec"};
    static const struct {
        const char *word, *nearest;
    } rows[] = {
        {"memroy", "memory"}, /* two letters swapped are one edit */
        {"memor", "memory"},      {"Memory", "memory"}, {"MEMORY", "memory"}, {"mem", "memory"},
        {"page", "page-size"},    {"pagesize", "page-size"}, {"page_size", "page-size"}, {"polcy", "policy"},
        {"jsno", "json"},         {"cvs", "csv"},       {"quite", "quiet"},   {"codecs", "codec"},
        {"x", NULL},              {"banana", NULL},     {"", NULL},           {"jjjj", NULL},
        {"c", NULL}, /* csv or codec */
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        const char *nearest = pl_nearest(rows[i].word, words, PL_COUNT_OF(words), sizeof *words);
        if (!nearest != !rows[i].nearest || (nearest && strcmp(nearest, rows[i].nearest)))
            fail_msg("'%s' is nearest to '%s'", rows[i].word, nearest ? nearest : "nothing");
    }
    /* Names inside larger structs, and words too long for any name. */
    static const struct {
        int number;
        const char *name;
    } table[] = {{1, "zstd"}, {2, NULL}, {3, "xpress"}};
    check_text(pl_nearest("xpres", &table[0].name, 3, sizeof table[0]), "xpress");
    char huge[5000];
    memset(huge, 'z', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    assert_null(pl_nearest(huge, &table[0].name, 3, sizeof table[0]));

    char hint[64], small[8];
    check_text(pl_did_you_mean(hint, sizeof hint, "jsonn", words, PL_COUNT_OF(words), sizeof *words),
               "; did you mean 'json'?");
    check_text(pl_did_you_mean(hint, sizeof hint, "banana", words, PL_COUNT_OF(words), sizeof *words), "");
    assert_int_equal(strlen(pl_did_you_mean(small, sizeof small, "jsonn", words, PL_COUNT_OF(words), sizeof *words)), 7);
}

static void whole_numbers(void **state)
{
    uint64_t value = 77;
    assert_true(pl_parse_u64("0", &value) && value == 0);
    assert_true(pl_parse_u64("18446744073709551615", &value) && value == UINT64_MAX);
    assert_true(pl_parse_u64("00012", &value) && value == 12);
    static const char *const wrong[] = {"", " 1", "1 ", "-1", "+1", "18446744073709551616", "99999999999999999999999",
                                        "0x10", "1.0", "1e3", "\xD9\xA1"};
    value = 77;
    for (size_t i = 0; i < PL_COUNT_OF(wrong); i++)
        if (pl_parse_u64(wrong[i], &value) || value != 77)
            fail_msg("'%s' passed as a whole number", wrong[i]);
}

static void real_numbers(void **state)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {{"0", 0},        {"1.5", 1.5},   {"-2e3", -2000}, {"+.5", 0.5}, {"5.", 5},
                {"1E-3", 0.001}, {"1e308", 1e308}, {"5e-324", 5e-324}, {"1e-999", 0}};
    double value;
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++)
        if (!pl_parse_double(rows[i].text, &value) || value != rows[i].value)
            fail_msg("'%s' was not read as %g", rows[i].text, rows[i].value);
    static const char *const wrong[] = {"",    ".",   "e5",  "1e",    "1e+", "nan", "inf",  "-inf", "1e999", "0x1p3",
                                        "1,5", "1 5", " 1", "1 ",    "--1", "1.2.3", "1f", "infinity"};
    value = 77;
    for (size_t i = 0; i < PL_COUNT_OF(wrong); i++)
        if (pl_parse_double(wrong[i], &value) || value != 77)
            fail_msg("'%s' passed as a number", wrong[i]);
}

/* The short way and strtod's must agree to the bit. */
static void real_numbers_round_correctly(void **state)
{
    struct pl_random random = pl_random_seeded(4);
    for (int i = 0; i < 100000; i++) {
        char text[40];
        size_t length = 0, digits = 1 + pl_random_below(&random, 18), point = pl_random_below(&random, 20);
        if (pl_random_below(&random, 4) == 0)
            text[length++] = '-';
        for (size_t digit = 0; digit < digits; digit++) {
            if (digit == point)
                text[length++] = '.';
            text[length++] = (char)('0' + pl_random_below(&random, 10));
        }
        text[length] = '\0';
        double value, expected = strtod(text, NULL);
        if (!pl_parse_double(text, &value) || memcmp(&value, &expected, sizeof value))
            fail_msg("'%s' was read as %a instead of %a", text, value, expected);
    }
}

static void decimals_are_short_and_exact(void **state)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0, "0"},       {-0.0, "-0"},   {1, "1"},         {0.1, "0.1"},   {1e300, "1e+300"}, {5e-324, "5e-324"},
                {52.352, "52.352"}, {1e15, "1e+15"}, {-123456789, "-123456789"}, {1.0 / 3, "0.3333333333333333"},
                {0.1 + 0.2, "0.30000000000000004"}, {DBL_MAX, "1.7976931348623157e+308"}};
    char text[32];
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++)
        check_text(pl_format_double(text, sizeof text, rows[i].value), rows[i].text);
    check_text(pl_format_double(text, sizeof text, NAN), "nan");
    check_text(pl_format_double(text, sizeof text, -INFINITY), "-inf");

    /* Any bits of a finite number come back. */
    struct pl_random random = pl_random_seeded(3);
    for (int i = 0; i < 100000; i++) {
        union {
            uint64_t bits;
            double value;
        } number = {.bits = pl_random_next(&random)};
        double back;
        if (!isfinite(number.value))
            continue;
        pl_format_double(text, sizeof text, number.value);
        if (!pl_parse_double(text, &back) || memcmp(&back, &number.value, sizeof back))
            fail_msg("%a came back as %s", number.value, text);
    }
}

static void numbers_do_not_follow_the_locale(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "de_AT.UTF-8", "ru_RU.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < PL_COUNT_OF(names) && !found; i++)
        found = setlocale(LC_NUMERIC, names[i]) && !strcmp(localeconv()->decimal_point, ",");
    if (!found)
        skip(); /* no locale with a decimal comma is installed */
    char text[32];
    double value;
    bool right = pl_parse_double("-1.5e1", &value) && value == -15 && !pl_parse_double("1,5", &value);
    pl_format_double(text, sizeof text, 0.1);
    setlocale(LC_NUMERIC, "C");
    assert_true(right);
    check_text(text, "0.1");
}

static void utf8_sequences(void **state)
{
    static const struct {
        const char *bytes;
        size_t length, expected;
    } rows[] = {
        {"a", 1, 1},          {"\xC3\xA9", 2, 2},         {"\xE2\x82\xAC", 3, 3},     {"\xF0\x9F\x98\x80", 4, 4},
        {"", 0, 0},           {"\x80", 1, 0},             {"\xC3", 1, 0},             {"\xC0\x80", 2, 0},
        {"\xC1\xBF", 2, 0},   {"\xE0\x80\x80", 3, 0},     {"\xED\xA0\x80", 3, 0},     {"\xF4\x90\x80\x80", 4, 0},
        {"\xF0\x80\x80\x80", 4, 0}, {"\xF5\x80\x80\x80", 4, 0}, {"\xE2\x82", 2, 0},   {"\xE2\x82\x41", 3, 0},
        {"\xEE\x80\x80", 3, 3}, {"\xFF", 1, 0},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++)
        if (pl_utf8_sequence(rows[i].bytes, rows[i].length) != rows[i].expected)
            fail_msg("row %zu", i);
    assert_int_equal(pl_text_columns("a\xC3\xA9\xE2\x82\xAC"), 3);
}

static void strings_are_made_safe(void **state)
{
    char out[16], tiny[4];
    check_text(pl_printable(out, sizeof out, "plain", 5), "plain");
    check_text(pl_printable(out, sizeof out, "a\033[31m\n", 7), "a?[31m?");
    check_text(pl_printable(out, sizeof out, "a\0b", 3), "a?b");
    check_text(pl_printable(out, sizeof out, "\xFF\xC3\xA9\xC2\x9B", 5), "?\xC3\xA9?");
    check_text(pl_printable(out, sizeof out, "123456789012345", 15), "123456789012345");
    check_text(pl_printable(out, sizeof out, "1234567890123456", 16), "123456789012...");
    check_text(pl_printable(tiny, sizeof tiny, "12345", 5), "...");
    /* The dots never split a character: 11 bytes of it fit, and the next would not leave room for them. */
    check_text(pl_printable(out, sizeof out, "12345678901\xE2\x82\xAC" "xxxx", 18), "12345678901...");
    struct pl_text text = {0};
    pl_text_add_printable(&text, "x\ty\xFEz", 5);
    check_text(text.data, "x?y?z");
    pl_text_free(&text);
}

static void paragraphs_are_wrapped(void **state)
{
    static const struct {
        const char *words;
        size_t column, indent, width;
        const char *expected;
    } rows[] = {
        {"one two three four", 0, 0, 9, "one two\nthree\nfour"},
        {"one two three", 4, 4, 11, "one two\n    three"},
        {"a\nb", 0, 0, 80, "a b"},
        {"a\n\nb", 0, 2, 80, "a\n\n  b"},
        {"a\n  kept  as is\n  too\nb c", 0, 0, 6, "a\n  kept  as is\n  too\nb c"},
        {"averyveryverylongword x", 0, 0, 5, "averyveryverylongword\nx"},
        {"  ", 0, 0, 5, ""},
        {"a  b ", 0, 0, 5, "a b"},
        {"\xC3\xA9\xC3\xA9 \xC3\xA9\xC3\xA9", 0, 0, 5, "\xC3\xA9\xC3\xA9 \xC3\xA9\xC3\xA9"},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_text text = {0};
        pl_text_add(&text, "");
        pl_text_wrap(&text, rows[i].words, rows[i].column, rows[i].indent, rows[i].width);
        check_text(text.data, rows[i].expected);
        pl_text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_grow),
        cmocka_unit_test(nearest_words),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(real_numbers),
        cmocka_unit_test(real_numbers_round_correctly),
        cmocka_unit_test(decimals_are_short_and_exact),
        cmocka_unit_test(numbers_do_not_follow_the_locale),
        cmocka_unit_test(utf8_sequences),
        cmocka_unit_test(strings_are_made_safe),
        cmocka_unit_test(paragraphs_are_wrapped),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
