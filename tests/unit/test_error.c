/* Error messages: places, codes, cuts at UTF-8 boundaries, and callers who want no message. */
#include "base_check.h"

#include <errno.h>

static void messages_name_the_place(void **state)
{
    struct pl_error err;
    assert_int_equal(pl_fail(&err, PL_ERR_CHECK, "%d is not %s", 3, "four"), PL_ERR_CHECK);
    assert_int_equal(err.code, PL_ERR_CHECK);
    check_text(err.message, "3 is not four");
    assert_int_equal(pl_fail_at(&err, "gcc.trace", 1042, "address has %d hex digits", 21), PL_ERR_INPUT);
    check_text(err.message, "gcc.trace:1042: address has 21 hex digits");
    pl_fail_at(&err, "gcc.trace", 0, "is empty");
    check_text(err.message, "gcc.trace: is empty");
    assert_int_equal(pl_fail_at_byte(&err, "t.etl", UINT64_C(1) << 40, "cut short"), PL_ERR_INPUT);
    check_text(err.message, "t.etl: at byte 1099511627776: cut short");
    assert_int_equal(pl_fail_memory(&err, 77, "rows"), PL_ERR_RESOURCE);
    check_text(err.message, "out of memory (77 bytes for rows)");
}

static void errno_tells_input_from_resources(void **state)
{
    static const struct {
        int number;
        enum pl_err code;
    } rows[] = {{ENOENT, PL_ERR_INPUT},   {EACCES, PL_ERR_INPUT},    {EISDIR, PL_ERR_INPUT}, {ENOTDIR, PL_ERR_INPUT},
                {ENOSPC, PL_ERR_RESOURCE}, {ENOMEM, PL_ERR_RESOURCE}, {EIO, PL_ERR_RESOURCE}, {EPIPE, PL_ERR_CLOSED}};
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_error err;
        assert_int_equal(pl_fail_errno(&err, rows[i].number, "x.csv"), rows[i].code);
        assert_int_equal(err.code, rows[i].code);
        assert_int_equal(pl_fail_errno(NULL, rows[i].number, "x.csv"), rows[i].code);
        check_says(&err, "x.csv: ");
        check_says(&err, strerror(rows[i].number));
    }
}

static void a_prefix_stands_in_front(void **state)
{
    struct pl_error err;
    pl_fail(&err, PL_ERR_USAGE, "'8' has no unit");
    assert_int_equal(pl_fail_prefix(&err, "--%s", "memory"), PL_ERR_USAGE);
    check_text(err.message, "--memory: '8' has no unit");
}

static void long_messages_are_cut_between_characters(void **state)
{
    /* The cut falls into each byte of the two-, three- and four-byte sequences in turn. */
    static const char *const sequences[] = {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    for (size_t kind = 0; kind < PL_COUNT_OF(sequences); kind++)
        for (size_t lead = 0; lead < 5; lead++) {
            char text[2 * PL_ERROR_MESSAGE_MAX] = "";
            memset(text, 'x', lead);
            while (strlen(text) + 8 < sizeof text)
                strcat(text, sequences[kind]);
            struct pl_error err;
            pl_fail(&err, PL_ERR_INPUT, "%s", text);
            size_t length = strlen(err.message), width = strlen(sequences[kind]);
            assert_true(length < sizeof err.message && length + width >= sizeof err.message);
            assert_int_equal((length - lead) % width, 0);
            assert_memory_equal(err.message, text, length);
            pl_fail_prefix(&err, "p");
            assert_true(strlen(err.message) < sizeof err.message);
            assert_int_equal((strlen(err.message) - lead - 3) % width, 0);
        }
}

static void terminals_are_safe(void **state)
{
    struct pl_error err;
    pl_fail_at(&err, "a\033[2J.csv", 1, "column '%s' and \x7F", "x\ty\r\nz");
    check_text(err.message, "a?[2J.csv:1: column 'x y? z' and ?");
    pl_fail_prefix(&err, "\x07");
    check_text(err.message, "?: a?[2J.csv:1: column 'x y? z' and ?");
}

static void nobody_needs_the_message(void **state)
{
    assert_int_equal(pl_fail(NULL, PL_ERR_CHECK, "x"), PL_ERR_CHECK);
    assert_int_equal(pl_fail_at(NULL, "f", 1, "x"), PL_ERR_INPUT);
    assert_int_equal(pl_fail_at_byte(NULL, "f", 1, "x"), PL_ERR_INPUT);
    assert_int_equal(pl_fail_memory(NULL, 1, "x"), PL_ERR_RESOURCE);
    assert_int_equal(pl_fail_prefix(NULL, "x"), PL_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_name_the_place),
        cmocka_unit_test(errno_tells_input_from_resources),
        cmocka_unit_test(a_prefix_stands_in_front),
        cmocka_unit_test(long_messages_are_cut_between_characters),
        cmocka_unit_test(terminals_are_safe),
        cmocka_unit_test(nobody_needs_the_message),
    };
    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
