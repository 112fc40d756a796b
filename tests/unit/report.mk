# Tests of src/report.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_result tests/unit/test_plot
TESTS += tests/unit/test_result tests/unit/test_plot
tests_unit_test_result_SOURCES = tests/unit/test_result.c
tests_unit_test_result_LDADD = $(TEST_LIBS)
tests_unit_test_plot_SOURCES = tests/unit/test_plot.c
tests_unit_test_plot_LDADD = $(TEST_LIBS)
endif
