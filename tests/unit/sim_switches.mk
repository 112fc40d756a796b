# Whether every parameter, list and actor of a machine matters.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_sim_switches
TESTS += tests/unit/test_sim_switches
tests_unit_test_sim_switches_SOURCES = tests/unit/test_sim_switches.c tests/unit/sim_variations.c tests/unit/sim_variations.h \
	tests/unit/sim_machine.c tests/unit/sim_machine.h
tests_unit_test_sim_switches_LDADD = $(TEST_LIBS)
endif
