# Tests of src/trace.
if HAVE_CMOCKA
# Reading and the text formats.
trace_tests = tests/unit/test_trace_formats tests/unit/test_trace_digits tests/unit/test_trace_densify \
	tests/unit/test_trace_source tests/unit/test_trace_writers tests/unit/test_trace_cases \
	tests/unit/test_page_map tests/unit/test_scenario
check_PROGRAMS += $(trace_tests)
TESTS += $(trace_tests)
tests_unit_test_scenario_SOURCES = tests/unit/test_scenario.c
tests_unit_test_scenario_LDADD = $(TEST_LIBS)
tests_unit_test_page_map_SOURCES = tests/unit/test_page_map.c
tests_unit_test_page_map_LDADD = $(TEST_LIBS)
tests_unit_test_trace_formats_SOURCES = tests/unit/test_trace_formats.c tests/unit/trace_reading.h
tests_unit_test_trace_formats_LDADD = $(TEST_LIBS)
tests_unit_test_trace_digits_SOURCES = tests/unit/test_trace_digits.c
tests_unit_test_trace_digits_LDADD = $(TEST_LIBS)
tests_unit_test_trace_densify_SOURCES = tests/unit/test_trace_densify.c
tests_unit_test_trace_densify_LDADD = $(TEST_LIBS)
tests_unit_test_trace_source_SOURCES = tests/unit/test_trace_source.c
tests_unit_test_trace_source_LDADD = $(TEST_LIBS)
tests_unit_test_trace_writers_SOURCES = tests/unit/test_trace_writers.c
tests_unit_test_trace_writers_LDADD = $(TEST_LIBS)
tests_unit_test_trace_cases_SOURCES = tests/unit/test_trace_cases.c
tests_unit_test_trace_cases_LDADD = $(TEST_LIBS)
endif
