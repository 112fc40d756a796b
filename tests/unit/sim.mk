# Tests of src/sim.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_event_queue
TESTS += tests/unit/test_event_queue
tests_unit_test_event_queue_SOURCES = tests/unit/test_event_queue.c
tests_unit_test_event_queue_LDADD = $(TEST_LIBS)
endif
