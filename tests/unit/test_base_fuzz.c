/* Readers of base on mutated and random bytes: no crash, no read outside (under the sanitizers), outputs untouched on
 * failure, and messages that are safe to print. The seed is fixed and stands in a failure's message. */
#include "base_check.h"

#include <cjson/cJSON.h>
#include <math.h>

enum { ROUNDS = 20000, LONGEST = 96 };

/* A text made of pieces that the grammar knows, so that many get deep into the reader; then a few bytes are damaged. */
static size_t make_text(struct pl_random *random, const char *const *pieces, size_t count, char *out)
{
    size_t length = 0;
    for (uint64_t left = pl_random_below(random, 24); left > 0; left--) {
        const char *piece = pieces[pl_random_below(random, count)];
        size_t more = strlen(piece);
        if (length + more > LONGEST)
            break;
        memcpy(out + length, piece, more);
        length += more;
    }
    for (uint64_t damage = pl_random_below(random, 4); length && damage > 2; damage--)
        out[pl_random_below(random, length)] = (char)pl_random_next(random);
    return length;
}

/* Exactly as many bytes as there are, so that a sanitizer sees a read behind them. */
static char *exact_copy(const char *bytes, size_t length)
{
    char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    return copy;
}

static void check_message(const struct pl_error *err, int round)
{
    if (err->message[0] == '\0')
        fail_msg("round %d failed without a message", round);
    for (const char *at = err->message; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            fail_msg("round %d: the message holds a control character: %s", round, err->message);
}

static void csv_survives(void **state)
{
    static const char *const pieces[] = {"a", ",", ",", "\n", "\n", "\r\n", "\r", "\"", "\"\"", "# k: v", "#", ";", "\t",
                                         " ",  "1", "2.5", "\"1,234\"", "\xEF\xBB\xBF", "x\xC3\xA9", "1 234", "-"};
    struct pl_random random = pl_random_seeded(11);
    char text[LONGEST + 2];
    int opened = 0, rows = 0;
    for (int round = 0; round < ROUNDS; round++) {
        size_t length = make_text(&random, pieces, PL_COUNT_OF(pieces), text);
        char *copy = exact_copy(text, length);
        struct pl_csv *csv = NULL;
        struct pl_error err = {0};
        if (pl_csv_open_text(copy, length, "t", &csv, &err)) {
            check_message(&err, round);
            assert_null(csv);
        } else {
            enum pl_err rc;
            opened++;
            while ((rc = pl_csv_next(csv, &err)) == PL_OK) {
                for (size_t i = 0; i < pl_csv_columns(csv); i++) {
                    double value = 77;
                    assert_true(strlen(pl_csv_field(csv, i)) <= length);
                    if (pl_csv_real(csv, i, &value, &err)) {
                        check_message(&err, round);
                        assert_true(value == 77);
                    }
                }
                rows++;
                assert_true(pl_csv_line(csv) <= length + 1);
            }
            if (rc != PL_END)
                check_message(&err, round);
            pl_csv_find(csv, "a");
            pl_csv_comment(csv, "k");
            pl_csv_close(csv);
        }
        free(copy);
    }
    assert_true(opened > ROUNDS / 10 && rows > ROUNDS / 10); /* the texts are not all nonsense */
}

/* Asks everything of a tree. */
static size_t visit(const struct pl_json_node *node)
{
    struct pl_error err = {0};
    const char *text;
    double real;
    uint64_t count;
    bool truth;
    size_t nodes = 1;
    if (pl_json_as_text(node, &text, &err))
        assert_true(err.message[0]);
    pl_json_as_real(node, &real, &err);
    pl_json_as_u64(node, &count, &err);
    pl_json_as_bool(node, &truth, &err);
    for (size_t i = 0; i < pl_json_size(node); i++) {
        const struct pl_json_node *child = pl_json_at(node, i);
        nodes += visit(child);
        if (pl_json_is_object(node))
            assert_ptr_equal(pl_json_get(node, pl_json_key_of(child)), child);
    }
    return nodes;
}

/* What is read must be what cJSON itself sees in the text; what it refuses must be refused. */
static void json_survives(void **state)
{
    static const char *const pieces[] = {"{", "}", "[", "]", "[", "]", ",", ":", "\"a\":", "\"b\":", "\"x\"", "1", "-2.5e3",
                                         "true", "null", " ", "\n", "\"\\u00e9\"", "\"\\\"\"", "0", "18446744073709551615",
                                         "[1,2]", "{\"c\":[]}", "1e999"};
    struct pl_random random = pl_random_seeded(12);
    char text[LONGEST + 2];
    int read = 0;
    for (int round = 0; round < ROUNDS; round++) {
        size_t length = make_text(&random, pieces, PL_COUNT_OF(pieces), text);
        if (round % 2) { /* half of them begin and end well */
            text[0] = '[';
            length = length ? length : 1;
            text[length++] = ']';
        }
        char *copy = exact_copy(text, length);
        struct pl_json *json = NULL;
        struct pl_error err = {0};
        enum pl_err rc = pl_json_read(copy, length, "t", &json, &err);
        text[length] = '\0';
        cJSON *tree = cJSON_ParseWithLengthOpts(text, length + 1, NULL, true);
        if (rc) {
            check_message(&err, round);
        } else {
            read++;
            if (!tree)
                fail_msg("round %d: '%s' was read though it is no JSON", round, text);
            visit(pl_json_root(json));
            pl_json_free(json);
        }
        cJSON_Delete(tree);
        free(copy);
    }
    assert_true(read > ROUNDS / 50);
}

static void quantities_survive(void **state)
{
    static const char *const pieces[] = {"1", "9", "0", ".", "e", "E", "+", "-", "_", " ", "k", "M", "iB", "B", "p", "s",
                                         "ms", "/s", "min", "\xC2\xB5s", "9223372036854775807", "1e308", "99999999"};
    struct pl_random random = pl_random_seeded(13);
    char text[LONGEST + 2];
    int good = 0;
    for (int round = 0; round < 10 * ROUNDS; round++) {
        size_t length = make_text(&random, pieces, round % 3 ? 6 + (size_t)round % 17 : PL_COUNT_OF(pieces), text);
        if (round % 2 && length > 6)
            length = 6; /* short ones are right more often */
        text[length] = '\0';
        char *copy = exact_copy(text, length + 1);
        struct pl_error err = {0};
        uint64_t bytes = 77, count = 77;
        pl_time_ps time = 77;
        double rate = 77;
        enum pl_err rc[] = {pl_parse_bytes(copy, 4096, &bytes, &err), pl_parse_time(copy, &time, NULL),
                            pl_parse_rate(copy, &rate, NULL), pl_parse_count(copy, &count, NULL)};
        if (rc[0])
            check_message(&err, round);
        assert_true(rc[0] ? bytes == 77 : bytes <= INT64_MAX);
        assert_true(rc[1] ? time == 77 : true);
        assert_true(rc[2] ? rate == 77 : isfinite(rate) && rate >= 0);
        assert_true(rc[3] ? count == 77 : true);
        good += !rc[0] + !rc[1] + !rc[2] + !rc[3];
        free(copy);
    }
    assert_true(good > ROUNDS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_survives),
        cmocka_unit_test(json_survives),
        cmocka_unit_test(quantities_survive),
    };
    return cmocka_run_group_tests_name("base_fuzz", tests, NULL, NULL);
}
