/* Quantities with units: every unit, both spellings, and messages that show what would have been right. */
#include "base_check.h"

#include <math.h>

static void sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } rows[] = {
        {"4096B", 4096},      {"1 byte", 1},           {"7 bytes", 7},       {"64k", 65536},       {"64K", 65536},
        {"64KB", 65536},      {"64KiB", 65536},        {"64kb", 65536},      {"8M", 8 << 20},      {"8MB", 8 << 20},
        {"8MiB", 8 << 20},    {"8mib", 8 << 20},       {"0.75 MB", 786432},  {"1G", 1 << 30},      {"1GB", 1 << 30},
        {"1GiB", 1 << 30},    {"2T", UINT64_C(2) << 40}, {"2TB", UINT64_C(2) << 40}, {"2TiB", UINT64_C(2) << 40},
        {"128p", 128 * 4096}, {"1 page", 4096},        {"128 pages", 128 * 4096}, {"0", 0},        {"0.0", 0},
        {"0MiB", 0},          {"-0MiB", 0},            {"1_000 KiB", 1024000}, {"1e3KiB", 1024000}, {"+5k", 5120},
        {" 5k ", 5120},       {"1.5p", 6144},          {"0.3B", 0},          {"0.1KiB", 102},
        {"9223372036854775807B", INT64_MAX}, /* beyond a double's 53 bits, still exact */
        {"9007199254740993B", UINT64_C(9007199254740993)},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_error err = {0};
        uint64_t bytes = 77;
        if (pl_parse_bytes(rows[i].text, 4096, &bytes, &err) || bytes != rows[i].bytes)
            fail_msg("'%s' gave %llu: %s", rows[i].text, (unsigned long long)bytes, err.message);
    }
}

static void wrong_sizes(void **state)
{
    static const struct {
        const char *text;
        uint32_t page_size;
        const char *says;
    } rows[] = {
        {"8", 4096, "'8' has no unit; write 8MiB, 8KiB or 8p (pages)"},
        {"8", 0, "'8' has no unit; write 8MiB, 8KiB or 8B"},
        {"1.5", 0, "write 1.5MiB"},
        {"-1MiB", 0, "cannot be negative"},
        {"-8", 0, "has no unit"},
        {"9223372036854775808B", 0, "too large"},
        {"8796093022208MiB", 0, "too large"},
        {"99999999999999999999999999B", 0, "too large"},
        {"1e30k", 0, "too large"},
        {"1e999k", 0, "too large"},
        {"8 PB", 0, "there is no unit 'PB' of memory"},
        {"128p", 0, "a size in pages has no meaning here"},
        {"8 furlongs", 4096, "there is no unit 'furlongs' of memory; use B, KiB, MiB, GiB, TiB or p (pages)"},
        {"8MiB/s", 0, "there is no unit 'MiB/s'"},
        {"8 M B", 0, "there is no unit"},
        {"", 0, "is not a size"},
        {"MiB", 0, "is not a size; write for example 8MiB"},
        {"1.2.3k", 0, "is not a number"},
        {".k", 0, "is not a number"},
        {"1__0k", 0, "is not a size"},
        {"_1k", 0, "is not a size"},
        {"0x10k", 0, "there is no unit"},
        {"nan", 0, "is not a size"},
        {"inf", 0, "is not a size"},
        {"1\033[2Jk", 0, "?[2Jk"},
        {"1111111111111111111111111111111111111111111111111111111111111111111111k", 0, "is not a size"},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_error err = {0};
        uint64_t bytes = 77;
        if (pl_parse_bytes(rows[i].text, rows[i].page_size, &bytes, &err) != PL_ERR_USAGE || bytes != 77)
            fail_msg("'%s' passed as a size", rows[i].text);
        check_says(&err, rows[i].says);
        assert_int_equal(pl_parse_bytes(rows[i].text, rows[i].page_size, &bytes, NULL), PL_ERR_USAGE);
    }
}

static void times(void **state)
{
    static const struct {
        const char *text;
        pl_time_ps time;
    } rows[] = {
        {"250ps", 250},     {"10ns", 10000},         {"0.6ns", 600},       {"1.5 us", 1500000},   {"1.5 \xC2\xB5s", 1500000},
        {"2 \xCE\xBCs", 2000000}, {"2ms", 2000000000}, {"3s", 3 * PL_PS_PER_S}, {"3 sec", 3 * PL_PS_PER_S},
        {"5min", 300 * PL_PS_PER_S}, {"2h", 7200 * PL_PS_PER_S}, {"-3ms", -3 * PL_PS_PER_MS}, {"0", 0}, {"-0", 0},
        {"9223372036854775807ps", INT64_MAX}, {"9223372s", INT64_C(9223372) * PL_PS_PER_S}, {"0.0004ps", 0},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_error err = {0};
        pl_time_ps time = 77;
        if (pl_parse_time(rows[i].text, &time, &err) || time != rows[i].time)
            fail_msg("'%s' gave %lld: %s", rows[i].text, (long long)time, err.message);
    }
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"2", "'2' has no unit; write 2ms, 2us or 2s"},
        {"5m", "use ps, ns, us, ms, s, min or h"}, /* minutes or milliseconds? */
        {"5 Ms", "is not in a unit of time"},
        {"9223373s", "too large"},
        {"-9223373s", "too large"},
        {"1e20s", "too large"},
        {"ms", "is not a time; write for example 2ms"},
        {"", "is not a time"},
        {"1-2ms", "is not in a unit of time"},
    };
    for (size_t i = 0; i < PL_COUNT_OF(wrong); i++) {
        struct pl_error err = {0};
        pl_time_ps time = 77;
        if (pl_parse_time(wrong[i].text, &time, &err) != PL_ERR_USAGE || time != 77)
            fail_msg("'%s' passed as a time", wrong[i].text);
        check_says(&err, wrong[i].says);
    }
}

static void rates(void **state)
{
    static const struct {
        const char *text;
        double rate;
    } rows[] = {{"320MiB/s", 320.0 * (1 << 20)}, {"7.2 MB/s", 7.2 * (1 << 20)}, {"1GB/s", 1 << 30}, {"100 B/s", 100},
                {"64k/s", 65536},                {"5 MiB/sec", 5 << 20},        {"0", 0},           {"0.5KiB/s", 512}};
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_error err = {0};
        double rate = 77;
        if (pl_parse_rate(rows[i].text, &rate, &err) || rate != rows[i].rate)
            fail_msg("'%s' gave %g: %s", rows[i].text, rate, err.message);
    }
    static const struct {
        const char *text, *says;
    } wrong[] = {{"320", "'320' has no unit; write 320MiB/s or 320KiB/s"}, {"320MiB", "is not in a unit of rate"},
                 {"320MiB/h", "is not in a unit of rate"}, {"-1MiB/s", "cannot be negative"}, {"", "is not a rate"},
                 {"MiB/s", "is not a rate"}, {"1e308GiB/s", "too large"}, {"1e999B/s", "is not a rate"},
                 {"8p/s", "is not in a unit of rate"}};
    for (size_t i = 0; i < PL_COUNT_OF(wrong); i++) {
        struct pl_error err = {0};
        double rate = 77;
        if (pl_parse_rate(wrong[i].text, &rate, &err) != PL_ERR_USAGE || rate != 77)
            fail_msg("'%s' passed as a rate", wrong[i].text);
        check_says(&err, wrong[i].says);
    }
}

static void counts(void **state)
{
    static const struct {
        const char *text;
        uint64_t count;
    } rows[] = {{"0", 0},     {"50000000", 50000000}, {"50M", 50000000},  {"50 k", 50000}, {"50K", 50000},
                {"2G", UINT64_C(2000000000)},         {"1T", UINT64_C(1000000000000)},     {"1_000_000", 1000000},
                {"1.5M", 1500000},                    {"1e6", 1000000},   {"0.001k", 1},
                {"18446744073709551615", UINT64_MAX}, {"0.3M", 300000},   {"1.1k", 1100}};
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_error err = {0};
        uint64_t count = 77;
        if (pl_parse_count(rows[i].text, &count, &err) || count != rows[i].count)
            fail_msg("'%s' gave %llu: %s", rows[i].text, (unsigned long long)count, err.message);
    }
    static const struct {
        const char *text, *says;
    } wrong[] = {{"-1", "cannot be negative"}, {"1.5", "is not a whole number"}, {"1.0001k", "is not a whole number"},
                 {"18446744073709551616", "too large"}, {"18446744073709551615k", "too large"},
                 {"1e40", "too large"}, {"50m", "k, M, G, T"}, {"1,000", "write digits (1_000_000)"},
                 {"0x10", "is not a whole number"}, {"", "is not a whole number"}, {"+1", "is not a whole number"},
                 {"1e-9", "is not a whole number"}, {"5MiB", "is not a whole number"}};
    for (size_t i = 0; i < PL_COUNT_OF(wrong); i++) {
        struct pl_error err = {0};
        uint64_t count = 77;
        if (pl_parse_count(wrong[i].text, &count, &err) != PL_ERR_USAGE || count != 77)
            fail_msg("'%s' passed as a count", wrong[i].text);
        check_says(&err, wrong[i].says);
    }
}

typedef char *real_format_fn(char *out, size_t size, double value);

static void for_people(void **state)
{
    static const struct {
        real_format_fn *format;
        double value;
        const char *text;
    } rows[] = {
        {pl_format_bytes, 0, "0 B"},            {pl_format_bytes, 512, "512 B"},          {pl_format_bytes, 0.5, "0.5 B"},
        {pl_format_bytes, 1023, "1023 B"},      {pl_format_bytes, 1024, "1.00 KiB"},      {pl_format_bytes, 1572864, "1.50 MiB"},
        {pl_format_bytes, 15.04 * 1048576, "15.0 MiB"}, {pl_format_bytes, 9.999 * 1048576, "10.0 MiB"},
        {pl_format_bytes, 1023.6 * 1048576, "1.00 GiB"}, {pl_format_bytes, -2048, "-2.00 KiB"},
        {pl_format_bytes, 8388608, "8.00 MiB"}, {pl_format_bytes, 0x1p63, "8.00 EiB"},    {pl_format_bytes, NAN, "-"},
        {pl_format_time, 0, "0 s"},             {pl_format_time, 0.366, "366 ms"},        {pl_format_time, 0.002, "2.00 ms"},
        {pl_format_time, 6e-10, "600 ps"},      {pl_format_time, 1.5e-6, "1.50 us"},      {pl_format_time, 145, "145 s"},
        {pl_format_time, 1200, "20.0 min"},     {pl_format_time, 3 * 3600, "3.00 h"},     {pl_format_time, 864000, "10.0 d"},
        {pl_format_time, 0.99999, "1.00 s"},    {pl_format_time, -0.25, "-250 ms"},       {pl_format_time, INFINITY, "-"},
        {pl_format_rate, 335544320, "320 MiB/s"}, {pl_format_rate, NAN, "-"},
    };
    char text[64];
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++)
        check_text(rows[i].format(text, sizeof text, rows[i].value), rows[i].text);
    check_text(pl_format_count(text, sizeof text, 0), "0");
    check_text(pl_format_count(text, sizeof text, 999), "999");
    check_text(pl_format_count(text, sizeof text, 1000), "1,000");
    check_text(pl_format_count(text, sizeof text, 22077106), "22,077,106");
    check_text(pl_format_count(text, sizeof text, UINT64_MAX), "18,446,744,073,709,551,615");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),  cmocka_unit_test(wrong_sizes), cmocka_unit_test(times),
        cmocka_unit_test(rates),  cmocka_unit_test(counts),      cmocka_unit_test(for_people),
    };
    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
