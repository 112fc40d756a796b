/* tests/unit/test_sim_random.c: conservation in random worlds of a few hundred pages.
 *
 * $PL_SIM_SEED runs one world again, $PL_SIM_EVENTS is the number of events to check (default 150,000). Tiny worlds, many
 * more of them, are those of test_sim_conservation.c. */
#include "sim_worlds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static int report_seed(void **state)
{
    print_message("# the last world had the seed %llu\n", (unsigned long long)worlds_seed);
    return 0;
}

static void random_worlds(void **state)
{
    const struct world_size size = {.pages = 60, .frames = 80, .touches = 2000, .once_again = 4};
    worlds_run(1, 150000, &size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(random_worlds, report_seed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
