# Tests of src/base, and what all unit tests run under.
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/unit/run-unit.sh
EXTRA_DIST += tests/unit/run-unit.sh

if HAVE_CMOCKA
BASE_TESTS = tests/unit/test_error tests/unit/test_arena tests/unit/test_text tests/unit/test_units \
	tests/unit/test_random tests/unit/test_hash tests/unit/test_sink tests/unit/test_csv tests/unit/test_json \
	tests/unit/test_option tests/unit/test_document tests/unit/test_base_fuzz
check_PROGRAMS += $(BASE_TESTS)
TESTS += $(BASE_TESTS)
EXTRA_DIST += tests/unit/base_check.h
if HAVE_XXHASH
BASE_XXHASH_DEFINE = -DHAVE_XXHASH
endif
tests_unit_test_error_SOURCES = tests/unit/test_error.c
tests_unit_test_error_LDADD = $(TEST_LIBS)
tests_unit_test_arena_SOURCES = tests/unit/test_arena.c
tests_unit_test_arena_LDADD = $(TEST_LIBS)
tests_unit_test_text_SOURCES = tests/unit/test_text.c
tests_unit_test_text_LDADD = $(TEST_LIBS)
tests_unit_test_units_SOURCES = tests/unit/test_units.c
tests_unit_test_units_LDADD = $(TEST_LIBS)
tests_unit_test_random_SOURCES = tests/unit/test_random.c
tests_unit_test_random_LDADD = $(TEST_LIBS)
tests_unit_test_hash_SOURCES = tests/unit/test_hash.c
tests_unit_test_hash_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS) $(BASE_XXHASH_DEFINE)
tests_unit_test_hash_LDADD = $(TEST_LIBS) $(XXHASH_LIBS)
tests_unit_test_sink_SOURCES = tests/unit/test_sink.c
tests_unit_test_sink_LDADD = $(TEST_LIBS)
tests_unit_test_csv_SOURCES = tests/unit/test_csv.c
tests_unit_test_csv_LDADD = $(TEST_LIBS)
tests_unit_test_json_SOURCES = tests/unit/test_json.c
tests_unit_test_json_LDADD = $(TEST_LIBS)
tests_unit_test_option_SOURCES = tests/unit/test_option.c
tests_unit_test_option_LDADD = $(TEST_LIBS)
tests_unit_test_document_SOURCES = tests/unit/test_document.c
tests_unit_test_document_LDADD = $(TEST_LIBS)
tests_unit_test_base_fuzz_SOURCES = tests/unit/test_base_fuzz.c
tests_unit_test_base_fuzz_LDADD = $(TEST_LIBS)
endif
