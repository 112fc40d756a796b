# Tests of the native trace file, of generated traces and of traces made from traces.
EXTRA_DIST += tests/unit/native_help.h tests/unit/native-v1-plain.trace tests/unit/native-v1-packed.trace
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_native tests/unit/test_native_damage tests/unit/test_generate \
	tests/unit/test_transform
TESTS += tests/unit/test_native tests/unit/test_native_damage tests/unit/test_generate tests/unit/test_transform
tests_unit_test_native_SOURCES = tests/unit/test_native.c tests/unit/native_help.h
tests_unit_test_native_LDADD = $(TEST_LIBS)
tests_unit_test_native_damage_SOURCES = tests/unit/test_native_damage.c tests/unit/native_help.h
tests_unit_test_native_damage_LDADD = $(TEST_LIBS)
tests_unit_test_generate_SOURCES = tests/unit/test_generate.c tests/unit/native_help.h
tests_unit_test_generate_LDADD = $(TEST_LIBS)
tests_unit_test_transform_SOURCES = tests/unit/test_transform.c tests/unit/native_help.h
tests_unit_test_transform_LDADD = $(TEST_LIBS)
endif

# make tests/bench/bench_native && tests/bench/bench_native
BENCHES += tests/bench/bench_native
EXTRA_PROGRAMS += tests/bench/bench_native
tests_bench_bench_native_SOURCES = tests/bench/bench_native.c
tests_bench_bench_native_LDADD = $(PL_LIBS)
