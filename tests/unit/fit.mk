# Tests of the fits in src/model.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_fit tests/unit/test_fit_runs
TESTS += tests/unit/test_fit tests/unit/test_fit_runs
tests_unit_test_fit_SOURCES = tests/unit/test_fit.c tests/unit/winstone.h
tests_unit_test_fit_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_unit_test_fit_LDADD = $(TEST_LIBS)
tests_unit_test_fit_runs_SOURCES = tests/unit/test_fit_runs.c tests/unit/winstone.h
tests_unit_test_fit_runs_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_unit_test_fit_runs_LDADD = $(TEST_LIBS)
endif
