# Tests of the parameters in src/base.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_parameter
TESTS += tests/unit/test_parameter
tests_unit_test_parameter_SOURCES = tests/unit/test_parameter.c
tests_unit_test_parameter_LDADD = $(TEST_LIBS)
endif
