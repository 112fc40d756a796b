# Tests of src/codec.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_xpress
TESTS += tests/unit/test_xpress
tests_unit_test_xpress_SOURCES = tests/unit/test_xpress.c
tests_unit_test_xpress_CPPFLAGS = $(AM_CPPFLAGS) $(FWNT_CFLAGS)
tests_unit_test_xpress_LDADD = $(TEST_LIBS) $(FWNT_LIBS)
endif
