# Tests of the fits in src/model.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_fit
TESTS += tests/unit/test_fit
tests_unit_test_fit_SOURCES = tests/unit/test_fit.c tests/unit/winstone.h
tests_unit_test_fit_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_unit_test_fit_LDADD = $(TEST_LIBS)
endif
