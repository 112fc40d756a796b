# Tests of src/sim.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_event_queue
TESTS += tests/unit/test_event_queue
tests_unit_test_event_queue_SOURCES = tests/unit/test_event_queue.c
tests_unit_test_event_queue_LDADD = $(TEST_LIBS)
endif

# make tests/bench/bench_event_queue
EXTRA_PROGRAMS += tests/bench/bench_event_queue
tests_bench_bench_event_queue_SOURCES = tests/bench/bench_event_queue.c
tests_bench_bench_event_queue_LDADD = $(PL_LIBS)
