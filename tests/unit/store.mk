# Tests of src/store.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_space tests/unit/test_store tests/unit/test_page_survey
TESTS += tests/unit/test_space tests/unit/test_store tests/unit/test_page_survey
tests_unit_test_space_SOURCES = tests/unit/test_space.c
tests_unit_test_space_LDADD = $(TEST_LIBS)
tests_unit_test_store_SOURCES = tests/unit/test_store.c
tests_unit_test_store_LDADD = $(TEST_LIBS)
tests_unit_test_page_survey_SOURCES = tests/unit/test_page_survey.c
tests_unit_test_page_survey_LDADD = $(TEST_LIBS)
endif

