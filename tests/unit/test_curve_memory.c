/* tests/unit/test_curve_memory.c: how much memory the one-pass curve takes for each distinct page: at most 40 bytes at the
 * peak beside a fixed part, however long the trace.
 *
 * Each run is a process of its own, whose peak of resident memory is compared with that of a run on a thousand pages. */
#include "curve/curve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

enum { BATCH = 65536 };

/* Every page in order, again and again: everything that can be at the peak is. */
static enum pl_err feed_rounds(struct pl_curve *curve, pl_page pages, unsigned rounds)
{
    static pl_page page[BATCH];
    static uint8_t kind[BATCH];
    size_t count = 0;
    struct pl_random random = pl_random_named(1, "kinds");
    for (unsigned round = 0; round < rounds; round++)
        for (pl_page i = 0; i < pages; i++) {
            page[count] = round % 2 ? i : (pl_page)pl_random_below(&random, pages);
            kind[count++] = i % 3 == 0;
            if (count < BATCH && (i + 1 < pages || round + 1 < rounds))
                continue;
            enum pl_err rc = pl_curve_feed(curve, page, kind, count, NULL);
            count = 0;
            if (rc)
                return rc;
        }
    return PL_OK;
}

static int run_here(pl_page pages, unsigned rounds, int threads)
{
    struct pl_curve_params params = {.threads = threads, .part_touches = threads > 1 ? 100000 : 0};
    struct pl_curve *curve;
    struct pl_curve_result result;
    if (pl_curve_create(&params, &curve, NULL) || feed_rounds(curve, pages, rounds) ||
        pl_curve_finish(curve, &result, NULL))
        return 1;
    return result.depth > pages;
}

static double peak_of(pl_page pages, unsigned rounds, int threads)
{
    struct rusage usage;
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(run_here(pages, rounds, threads));
    assert_int_equal(wait4(pid, &status, 0, &usage), pid);
    assert_int_equal(status, 0);
    return (double)usage.ru_maxrss * 1024;
}

static void at_most_40_bytes_a_page(void **state)
{
    static const pl_page numbers[] = {600000, 1000000, 1500000, 2100000};
    (void)state;
    if (SANITIZED)
        skip();
    double fixed = peak_of(1000, 2, 1);
    for (size_t i = 0; i < PL_COUNT_OF(numbers); i++) {
        double bytes = (peak_of(numbers[i], 4, 1) - fixed) / numbers[i];
        print_message("%u pages: %.1f bytes a page\n", numbers[i], bytes);
        assert_true(bytes <= 40);
    }
}

static void length_costs_nothing(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    double few = peak_of(300000, 4, 1), many = peak_of(300000, 16, 1);
    print_message("300000 pages: %.1f bytes a page after 4 rounds, %.1f after 16\n", few / 300000, many / 300000);
    assert_true(many <= few * 1.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_most_40_bytes_a_page),
        cmocka_unit_test(length_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
