# Tests of src/store.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_space tests/unit/test_store
TESTS += tests/unit/test_space tests/unit/test_store
tests_unit_test_space_SOURCES = tests/unit/test_space.c
tests_unit_test_space_LDADD = $(TEST_LIBS)
tests_unit_test_store_SOURCES = tests/unit/test_store.c
tests_unit_test_store_LDADD = $(TEST_LIBS)
endif
