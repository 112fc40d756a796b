# Tests of studies and their parts.
if HAVE_CMOCKA
SWEEP_TESTS = tests/unit/test_expression tests/unit/test_sweep_study
check_PROGRAMS += $(SWEEP_TESTS)
TESTS += $(SWEEP_TESTS)
tests_unit_test_expression_SOURCES = tests/unit/test_expression.c
tests_unit_test_expression_LDADD = $(TEST_LIBS)
tests_unit_test_sweep_study_SOURCES = tests/unit/test_sweep_study.c
tests_unit_test_sweep_study_LDADD = $(TEST_LIBS)
endif
