# Tests of src/curve.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_curve tests/unit/test_curve_cases tests/unit/test_curve_sizes \
	tests/unit/test_curve_sample tests/unit/test_curve_memory
TESTS += tests/unit/test_curve tests/unit/test_curve_cases tests/unit/test_curve_sizes \
	tests/unit/test_curve_sample tests/unit/test_curve_memory
tests_unit_test_curve_SOURCES = tests/unit/test_curve.c tests/unit/curve_traces.c tests/unit/curve_traces.h
tests_unit_test_curve_LDADD = $(TEST_LIBS)
tests_unit_test_curve_cases_SOURCES = tests/unit/test_curve_cases.c
tests_unit_test_curve_cases_LDADD = $(TEST_LIBS)
tests_unit_test_curve_sizes_SOURCES = tests/unit/test_curve_sizes.c
tests_unit_test_curve_sizes_LDADD = $(TEST_LIBS)
tests_unit_test_curve_sample_SOURCES = tests/unit/test_curve_sample.c tests/unit/curve_traces.c tests/unit/curve_traces.h
tests_unit_test_curve_sample_LDADD = $(TEST_LIBS)
tests_unit_test_curve_memory_SOURCES = tests/unit/test_curve_memory.c
tests_unit_test_curve_memory_LDADD = $(TEST_LIBS)
endif

# Ten thousand random traces of up to 5,000 touches.
.PHONY: soak-curve
.PHONY: soak
soak: soak-curve

soak-curve: tests/unit/test_curve
	PAGELAB_SOAK=10000 ./tests/unit/test_curve
