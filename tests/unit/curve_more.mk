# Tests of the further curves of src/curve.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_opt_curve
TESTS += tests/unit/test_opt_curve
tests_unit_test_opt_curve_SOURCES = tests/unit/test_opt_curve.c tests/unit/curve_traces.c tests/unit/curve_traces.h
tests_unit_test_opt_curve_LDADD = $(TEST_LIBS)
endif
