# Golden command lines: run-cases.sh says how they work.
TESTS += tests/cli/run-cases.sh tests/cli/examples.sh
EXTRA_DIST += tests/cli
check_PROGRAMS += tests/support/etl_sample
tests_support_etl_sample_SOURCES = tests/support/etl_sample.c tests/support/etl_writer.c tests/support/etl_writer.h
tests_support_etl_sample_LDADD = $(PL_LIBS)
