# Costs by the page before, by who else runs, by content.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_sim_costs
TESTS += tests/unit/test_sim_costs
tests_unit_test_sim_costs_SOURCES = tests/unit/test_sim_costs.c tests/unit/sim_machine.c tests/unit/sim_machine.h
tests_unit_test_sim_costs_LDADD = $(TEST_LIBS)
endif

# Parameters that count for nothing on a machine.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_machine_scope
TESTS += tests/unit/test_machine_scope
tests_unit_test_machine_scope_SOURCES = tests/unit/test_machine_scope.c tests/unit/sim_machine.c tests/unit/sim_machine.h
tests_unit_test_machine_scope_LDADD = $(TEST_LIBS)
endif
