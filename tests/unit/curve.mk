# Tests of src/curve.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_curve
TESTS += tests/unit/test_curve
tests_unit_test_curve_SOURCES = tests/unit/test_curve.c tests/unit/curve_traces.c tests/unit/curve_traces.h
tests_unit_test_curve_LDADD = $(TEST_LIBS)
endif
