# Tests of the reader of Windows event traces (src/trace/etl/).
if HAVE_CMOCKA
etl_tests = tests/unit/test_etl tests/unit/test_etl_fields tests/unit/test_etl_damage tests/unit/test_etl_trace \
	tests/unit/test_etl_reference tests/unit/test_etl_cases
etl_writer = tests/support/etl_writer.c tests/support/etl_writer.h
check_PROGRAMS += $(etl_tests)
TESTS += $(etl_tests)
tests_unit_test_etl_SOURCES = tests/unit/test_etl.c tests/unit/etl_help.h $(etl_writer)
tests_unit_test_etl_LDADD = $(TEST_LIBS)
tests_unit_test_etl_fields_SOURCES = tests/unit/test_etl_fields.c tests/unit/etl_help.h $(etl_writer)
tests_unit_test_etl_fields_LDADD = $(TEST_LIBS)
tests_unit_test_etl_damage_SOURCES = tests/unit/test_etl_damage.c tests/unit/etl_help.h $(etl_writer)
tests_unit_test_etl_damage_LDADD = $(TEST_LIBS)
tests_unit_test_etl_trace_SOURCES = tests/unit/test_etl_trace.c tests/unit/etl_help.h tests/unit/trace_reading.h $(etl_writer)
tests_unit_test_etl_trace_LDADD = $(TEST_LIBS)
tests_unit_test_etl_reference_SOURCES = tests/unit/test_etl_reference.c tests/unit/etl_help.h $(etl_writer)
tests_unit_test_etl_reference_LDADD = $(TEST_LIBS)
tests_unit_test_etl_cases_SOURCES = tests/unit/test_etl_cases.c
tests_unit_test_etl_cases_LDADD = $(TEST_LIBS)
endif
