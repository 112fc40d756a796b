# Tests of src/model.
if HAVE_CMOCKA
model_tests = tests/unit/test_cost1996 tests/unit/test_fault_table tests/unit/test_interpolate \
	tests/unit/test_two_level
check_PROGRAMS += $(model_tests)
TESTS += $(model_tests)
tests_unit_test_cost1996_SOURCES = tests/unit/test_cost1996.c tests/unit/winstone.h
tests_unit_test_cost1996_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_unit_test_cost1996_LDADD = $(TEST_LIBS)
tests_unit_test_fault_table_SOURCES = tests/unit/test_fault_table.c
tests_unit_test_fault_table_LDADD = $(TEST_LIBS)
tests_unit_test_interpolate_SOURCES = tests/unit/test_interpolate.c tests/unit/winstone.h
tests_unit_test_interpolate_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_unit_test_interpolate_LDADD = $(TEST_LIBS)
tests_unit_test_two_level_SOURCES = tests/unit/test_two_level.c
tests_unit_test_two_level_LDADD = $(TEST_LIBS)
endif
