# Fuzz targets. `make check` replays their seeds, mutated in reproducible ways; `tests/fuzz/fuzz_trace FILE` runs one input.
# With clang they link against libFuzzer (in build/):
#
#   clang -w -g -O1 -fsanitize=fuzzer,address,undefined -DHAVE_CONFIG_H -I../src -I. ../tests/fuzz/fuzz_trace.c \
#       $(find ../src/base ../src/codec ../src/trace -name '*.c') -larchive -lcjson -llz4 -lzstd -llzo2 -lm
check_PROGRAMS += tests/fuzz/fuzz_trace
TESTS += tests/fuzz/fuzz_trace
tests_fuzz_fuzz_trace_SOURCES = tests/fuzz/fuzz_trace.c tests/fuzz/fuzz_replay.c tests/fuzz/fuzz_replay.h
tests_fuzz_fuzz_trace_LDADD = $(PL_LIBS)

check_PROGRAMS += tests/fuzz/fuzz_native
TESTS += tests/fuzz/fuzz_native
tests_fuzz_fuzz_native_SOURCES = tests/fuzz/fuzz_native.c tests/fuzz/fuzz_native_seeds.h tests/fuzz/fuzz_replay.c \
	tests/fuzz/fuzz_replay.h
tests_fuzz_fuzz_native_LDADD = $(PL_LIBS)

check_PROGRAMS += tests/fuzz/fuzz_etl
TESTS += tests/fuzz/fuzz_etl
tests_fuzz_fuzz_etl_SOURCES = tests/fuzz/fuzz_etl.c tests/fuzz/fuzz_replay.c tests/fuzz/fuzz_replay.h
tests_fuzz_fuzz_etl_LDADD = $(PL_LIBS)
