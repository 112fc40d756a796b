/* tests/unit/test_sim_conservation.c: conservation at ten million events.
 *
 * The worlds are tiny, so that reading all of a machine after each event is cheap: a dozen to a few dozen frames, three
 * processes of a few pages each, every policy, store, device and control record. The program is built several times with
 * another SHARE each, so that they can run beside each other: each checks SHARE_EVENTS events of worlds of its own.
 * $PL_SIM_SEED runs one world again; $PL_SIM_EVENTS is another number of events. */
#include "sim_worlds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
enum { SHARE_EVENTS = 250000 }; /* everything is several times slower there */
#else
enum { SHARE_EVENTS = 2500000 };
#endif
enum { SEEDS_APART = 10000000 };

static int report_seed(void **state)
{
    print_message("# the last world had the seed %llu\n", (unsigned long long)worlds_seed);
    return 0;
}

static void every_event_of_tiny_worlds(void **state)
{
    const struct world_size size = {.pages = 8, .frames = 24, .touches = 4000, .once_again = 50};
    worlds_run((SHARE + 1) * (uint64_t)SEEDS_APART, SHARE_EVENTS, &size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(every_event_of_tiny_worlds, report_seed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
