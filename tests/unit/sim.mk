# Tests of src/sim.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_event_queue
TESTS += tests/unit/test_event_queue
tests_unit_test_event_queue_SOURCES = tests/unit/test_event_queue.c
tests_unit_test_event_queue_LDADD = $(TEST_LIBS)

check_PROGRAMS += tests/unit/test_sim_limits
TESTS += tests/unit/test_sim_limits
tests_unit_test_sim_limits_SOURCES = tests/unit/test_sim_limits.c tests/unit/sim_machine.c tests/unit/sim_machine.h \
	tests/unit/curve_traces.c tests/unit/curve_traces.h
tests_unit_test_sim_limits_LDADD = $(TEST_LIBS)

check_PROGRAMS += tests/unit/test_sim_random
TESTS += tests/unit/test_sim_random
tests_unit_test_sim_random_SOURCES = tests/unit/test_sim_random.c tests/unit/sim_machine.c tests/unit/sim_machine.h
tests_unit_test_sim_random_LDADD = $(TEST_LIBS)

check_PROGRAMS += tests/unit/test_sim_windows
TESTS += tests/unit/test_sim_windows
tests_unit_test_sim_windows_SOURCES = tests/unit/test_sim_windows.c tests/unit/sim_machine.c tests/unit/sim_machine.h
tests_unit_test_sim_windows_LDADD = $(TEST_LIBS)
endif
