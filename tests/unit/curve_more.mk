# Tests of the further curves of src/curve.
if HAVE_CMOCKA
curve_more_tests = tests/unit/test_opt_curve tests/unit/test_curve_snapshot tests/unit/test_intervals \
	tests/unit/test_byte_curve tests/unit/test_mini tests/unit/test_simulate
check_PROGRAMS += $(curve_more_tests)
TESTS += $(curve_more_tests)
tests_unit_test_opt_curve_SOURCES = tests/unit/test_opt_curve.c tests/unit/curve_traces.c tests/unit/curve_traces.h
tests_unit_test_opt_curve_LDADD = $(TEST_LIBS)
tests_unit_test_curve_snapshot_SOURCES = tests/unit/test_curve_snapshot.c tests/unit/curve_traces.c \
	tests/unit/curve_traces.h
tests_unit_test_curve_snapshot_LDADD = $(TEST_LIBS)
tests_unit_test_intervals_SOURCES = tests/unit/test_intervals.c tests/unit/curve_traces.c tests/unit/curve_traces.h
tests_unit_test_intervals_LDADD = $(TEST_LIBS)
tests_unit_test_byte_curve_SOURCES = tests/unit/test_byte_curve.c tests/unit/curve_traces.c tests/unit/curve_traces.h
tests_unit_test_byte_curve_LDADD = $(TEST_LIBS)
tests_unit_test_simulate_SOURCES = tests/unit/test_simulate.c
tests_unit_test_simulate_LDADD = $(TEST_LIBS)
tests_unit_test_mini_SOURCES = tests/unit/test_mini.c
tests_unit_test_mini_LDADD = $(TEST_LIBS)
endif
