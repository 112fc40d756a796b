# Zeroing threads and their lock.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_sim_zero
TESTS += tests/unit/test_sim_zero
tests_unit_test_sim_zero_SOURCES = tests/unit/test_sim_zero.c tests/unit/sim_machine.c tests/unit/sim_machine.h
tests_unit_test_sim_zero_LDADD = $(TEST_LIBS)
endif
