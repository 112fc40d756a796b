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
tests_unit_test_sim_random_SOURCES = tests/unit/test_sim_random.c tests/unit/sim_machine.c tests/unit/sim_machine.h \
	tests/unit/sim_worlds.c tests/unit/sim_worlds.h
tests_unit_test_sim_random_LDADD = $(TEST_LIBS)

check_PROGRAMS += tests/unit/test_sim_scarce
TESTS += tests/unit/test_sim_scarce
tests_unit_test_sim_scarce_SOURCES = tests/unit/test_sim_scarce.c tests/unit/sim_machine.c tests/unit/sim_machine.h
tests_unit_test_sim_scarce_LDADD = $(TEST_LIBS)

check_PROGRAMS += tests/unit/test_sim_memory
TESTS += tests/unit/test_sim_memory
tests_unit_test_sim_memory_SOURCES = tests/unit/test_sim_memory.c tests/unit/sim_machine.c tests/unit/sim_machine.h
tests_unit_test_sim_memory_LDADD = $(TEST_LIBS)

check_PROGRAMS += tests/unit/test_sim_time
TESTS += tests/unit/test_sim_time
tests_unit_test_sim_time_SOURCES = tests/unit/test_sim_time.c tests/unit/sim_machine.c tests/unit/sim_machine.h
tests_unit_test_sim_time_LDADD = $(TEST_LIBS)

check_PROGRAMS += tests/unit/test_sim_edges
TESTS += tests/unit/test_sim_edges
tests_unit_test_sim_edges_SOURCES = tests/unit/test_sim_edges.c tests/unit/sim_machine.c tests/unit/sim_machine.h
tests_unit_test_sim_edges_LDADD = $(TEST_LIBS)

# One test in four programs, which run beside each other.
check_PROGRAMS += tests/unit/test_sim_conservation_0
TESTS += tests/unit/test_sim_conservation_0
tests_unit_test_sim_conservation_0_SOURCES = tests/unit/test_sim_conservation.c tests/unit/sim_machine.c \
	tests/unit/sim_machine.h tests/unit/sim_worlds.c tests/unit/sim_worlds.h
tests_unit_test_sim_conservation_0_CPPFLAGS = $(AM_CPPFLAGS) -DSHARE=0
tests_unit_test_sim_conservation_0_LDADD = $(TEST_LIBS)
check_PROGRAMS += tests/unit/test_sim_conservation_1
TESTS += tests/unit/test_sim_conservation_1
tests_unit_test_sim_conservation_1_SOURCES = tests/unit/test_sim_conservation.c tests/unit/sim_machine.c \
	tests/unit/sim_machine.h tests/unit/sim_worlds.c tests/unit/sim_worlds.h
tests_unit_test_sim_conservation_1_CPPFLAGS = $(AM_CPPFLAGS) -DSHARE=1
tests_unit_test_sim_conservation_1_LDADD = $(TEST_LIBS)
check_PROGRAMS += tests/unit/test_sim_conservation_2
TESTS += tests/unit/test_sim_conservation_2
tests_unit_test_sim_conservation_2_SOURCES = tests/unit/test_sim_conservation.c tests/unit/sim_machine.c \
	tests/unit/sim_machine.h tests/unit/sim_worlds.c tests/unit/sim_worlds.h
tests_unit_test_sim_conservation_2_CPPFLAGS = $(AM_CPPFLAGS) -DSHARE=2
tests_unit_test_sim_conservation_2_LDADD = $(TEST_LIBS)
check_PROGRAMS += tests/unit/test_sim_conservation_3
TESTS += tests/unit/test_sim_conservation_3
tests_unit_test_sim_conservation_3_SOURCES = tests/unit/test_sim_conservation.c tests/unit/sim_machine.c \
	tests/unit/sim_machine.h tests/unit/sim_worlds.c tests/unit/sim_worlds.h
tests_unit_test_sim_conservation_3_CPPFLAGS = $(AM_CPPFLAGS) -DSHARE=3
tests_unit_test_sim_conservation_3_LDADD = $(TEST_LIBS)

check_PROGRAMS += tests/unit/test_sim_windows
TESTS += tests/unit/test_sim_windows
tests_unit_test_sim_windows_SOURCES = tests/unit/test_sim_windows.c tests/unit/sim_machine.c tests/unit/sim_machine.h
tests_unit_test_sim_windows_LDADD = $(TEST_LIBS)
endif

# 200 random (m, d, r) on each whole recorded trace of $PAGELAB_CASES: a quarter of an hour.
.PHONY: soak-limits
soak: soak-limits

soak-limits: tests/unit/test_sim_limits
	PAGELAB_SOAK=200 ./tests/unit/test_sim_limits
