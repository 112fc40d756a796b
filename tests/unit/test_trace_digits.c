/* tests/unit/test_trace_digits.c: the number kernels against a plain reading, on random lines. */
#include "base/random.h"
#include "trace/formats/digits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINES = 3000, TEXT = LINES * 24 };

struct shape {
    const char *name;
    int most_digits; /* of a usual line */
    int odd;         /* one line in so many is no plain number; 0: none */
    bool crlf, mixed_ends;
};
static const struct shape shapes[] = {
    {"short", 4, 0, false, false},          {"up to 8", 8, 0, false, false},    {"up to 16", 16, 0, false, false},
    {"CRLF", 6, 0, true, false},            {"CRLF, long", 16, 0, true, false}, {"ends mixed", 7, 0, false, true},
    {"odd lines", 6, 20, false, false},     {"odd lines, CRLF", 9, 10, true, false},
    {"odd everywhere", 5, 2, false, false},
};

static const char *const oddities[] = {"", " 12", "12 ", "0x12", "#", "*", "12g4", "-1", "12\r3", "zz", "123456789012345678",
                                       "a:b", "12@", "4`4", "\xff", "12/", "1G"};

static char *make_text(struct pl_random *random, const struct shape *shape, bool decimal, size_t *length)
{
    char *text = malloc(TEXT), *at = text;
    for (int i = 0; i < LINES; i++) {
        if (shape->odd && pl_random_below(random, (uint64_t)shape->odd) == 0) {
            at = stpcpy(at, oddities[pl_random_below(random, PL_COUNT_OF(oddities))]);
        } else {
            uint64_t digits = 1 + pl_random_below(random, (uint64_t)shape->most_digits);
            for (uint64_t d = 0; d < digits; d++)
                *at++ = (decimal ? "0123456789" : "0123456789abcdefABCDEF")[pl_random_below(random, decimal ? 10 : 22)];
        }
        if (shape->crlf || (shape->mixed_ends && pl_random_below(random, 2)))
            *at++ = '\r';
        *at++ = '\n';
    }
    *length = (size_t)(at - text);
    return text;
}

/* One line the slow way: true when it is 1 to 16 digits. */
static bool plain_line(const char *at, const char *end, bool decimal, uint64_t *value)
{
    if (end > at && end[-1] == '\r')
        end--;
    if (end == at || end - at > 16)
        return false;
    *value = 0;
    for (; at < end; at++) {
        const char *digits = "0123456789abcdef", *found = *at ? strchr(digits, *at | (*at >= 'A' ? 0x20 : 0)) : NULL;
        if (!found || found - digits >= (decimal ? 10 : 16))
            return false;
        *value = *value * (decimal ? 10 : 16) + (uint64_t)(found - digits);
    }
    return true;
}

/* Runs the kernel over the text as its caller would, one line by hand whenever it stops, and compares every value. The
 * copy ends where malloc's memory ends, so that a sanitizer sees a read beyond it. Returns how many lines it took. */
static size_t compare(pl_digits_kernel *kernel, const char *whole, size_t length, size_t room, bool decimal,
                      const char *name)
{
    char *text = malloc(length);
    memcpy(text, whole, length);
    const char *at = text, *end = text + length, *check = text;
    uint64_t *out = malloc(room * sizeof *out), value;
    size_t taken = 0;
    while (at < end) {
        const char *before = at;
        size_t n = kernel(&at, end, out, room);
        taken += n;
        assert_true(n <= room && at >= before && at <= end);
        for (size_t i = 0; i < n; i++) {
            const char *newline = memchr(check, '\n', (size_t)(end - check));
            if (!newline || !plain_line(check, newline, decimal, &value) || value != out[i])
                fail_msg("%s: '%.*s' became %llx", name, (int)(newline ? newline - check : 20), check,
                         (unsigned long long)out[i]);
            check = newline + 1;
        }
        assert_ptr_equal(check, at);
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = check = newline ? newline + 1 : end;
    }
    free(out);
    free(text);
    return taken;
}

static void all_shapes(pl_digits_kernel *kernel, bool decimal)
{
    for (size_t s = 0; s < PL_COUNT_OF(shapes); s++)
        for (uint64_t round = 0; round < 6; round++) {
            struct pl_random random = pl_random_named(round, shapes[s].name);
            size_t length;
            char *text = make_text(&random, &shapes[s], decimal, &length);
            size_t taken = compare(kernel, text, length, 1 + pl_random_below(&random, 2000), decimal, shapes[s].name);
            /* Plain lines must not fall to the caller. */
            if (!shapes[s].odd)
                assert_true(taken > LINES * 9 / 10 || round % 6);
            compare(kernel, text, pl_random_below(&random, 200), 64, decimal, shapes[s].name);
            free(text);
        }
}

static void hexadecimal(void **state)
{
    (void)state;
    all_shapes(pl_digits_hex_portable, false);
    all_shapes(pl_digits_hex(), false);
}

static void decimal(void **state)
{
    (void)state;
    all_shapes(pl_digits_decimal_portable, true);
    all_shapes(pl_digits_decimal(), true);
}

/* Every byte in every place of a line is either a digit for both or for neither. */
static void every_byte(void **state)
{
    (void)state;
    for (int is_decimal = 0; is_decimal < 2; is_decimal++)
        for (int byte = 0; byte < 256; byte++)
            for (int place = 0; place < 12; place++) {
                char text[400];
                size_t length = 0;
                while (length < 380)
                    length += (size_t)sprintf(text + length, "%s\n", "1234567");
                text[120 + place] = (char)byte;
                compare(is_decimal ? pl_digits_decimal() : pl_digits_hex(), text, length, 300, is_decimal, "bytes");
                compare(is_decimal ? pl_digits_decimal_portable : pl_digits_hex_portable, text, length, 300, is_decimal,
                        "bytes");
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hexadecimal),
        cmocka_unit_test(decimal),
        cmocka_unit_test(every_byte),
    };
    return cmocka_run_group_tests_name("trace digits", tests, NULL, NULL);
}
