# Tests of src/codec.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_xpress tests/unit/test_codec tests/unit/test_page_content
TESTS += tests/unit/test_xpress tests/unit/test_codec tests/unit/test_page_content
tests_unit_test_xpress_SOURCES = tests/unit/test_xpress.c
tests_unit_test_xpress_CPPFLAGS = $(AM_CPPFLAGS) $(FWNT_CFLAGS)
tests_unit_test_xpress_LDADD = $(TEST_LIBS) $(FWNT_LIBS)
tests_unit_test_codec_SOURCES = tests/unit/test_codec.c
tests_unit_test_codec_LDADD = $(TEST_LIBS)
tests_unit_test_page_content_SOURCES = tests/unit/test_page_content.c
if HAVE_XXHASH
XXHASH_DEFINE = -DHAVE_XXHASH
endif
tests_unit_test_page_content_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS) $(XXHASH_DEFINE)
tests_unit_test_page_content_LDADD = $(TEST_LIBS) $(XXHASH_LIBS)
endif

# The fuzz target, replayed with random damage.
check_PROGRAMS += tests/fuzz/fuzz_xpress
TESTS += tests/fuzz/fuzz_xpress
tests_fuzz_fuzz_xpress_SOURCES = tests/fuzz/fuzz_xpress.c
tests_fuzz_fuzz_xpress_LDADD = $(PL_LIBS)

# make tests/bench/bench_codec
BENCHES += tests/bench/bench_codec
EXTRA_PROGRAMS += tests/bench/bench_codec
tests_bench_bench_codec_SOURCES = tests/bench/bench_codec.c
tests_bench_bench_codec_LDADD = $(PL_LIBS)
