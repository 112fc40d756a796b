# Tests of src/mm.
if HAVE_CMOCKA
MM_TESTS = tests/unit/test_replacement tests/unit/test_memory tests/unit/test_memory_shared \
	tests/unit/test_memory_random
check_PROGRAMS += $(MM_TESTS)
TESTS += $(MM_TESTS)
tests_unit_test_replacement_SOURCES = tests/unit/test_replacement.c tests/unit/mm_driver.h
tests_unit_test_replacement_LDADD = $(TEST_LIBS)
tests_unit_test_memory_random_SOURCES = tests/unit/test_memory_random.c tests/unit/mm_world.c tests/unit/mm_world.h
tests_unit_test_memory_random_LDADD = $(TEST_LIBS)
tests_unit_test_memory_SOURCES = tests/unit/test_memory.c tests/unit/mm_driver.h
tests_unit_test_memory_LDADD = $(TEST_LIBS)
tests_unit_test_memory_shared_SOURCES = tests/unit/test_memory_shared.c tests/unit/mm_driver.h
tests_unit_test_memory_shared_LDADD = $(TEST_LIBS)
endif

# make tests/bench/bench_mm
BENCHES += tests/bench/bench_mm
EXTRA_PROGRAMS += tests/bench/bench_mm
tests_bench_bench_mm_SOURCES = tests/bench/bench_mm.c
tests_bench_bench_mm_LDADD = $(PL_LIBS)
