# pagecap on Linux.
EXTRA_DIST += tests/capture/linux.sh tests/capture/lackey.sh tests/capture/eat.sh
if HOST_LINUX
check_PROGRAMS += tests/capture/victim tests/capture/compare_script tests/capture/compare_lackey
tests_capture_compare_lackey_SOURCES = tests/capture/compare_lackey.c
tests_capture_compare_lackey_LDADD = $(PL_LIBS)
tests_capture_victim_SOURCES = tests/capture/victim.c
# Without sanitizers, and touches as they are written.
tests_capture_victim_CFLAGS = -O1 -pthread
tests_capture_victim_LDFLAGS = -pthread
tests_capture_compare_script_SOURCES = tests/capture/compare_script.c
tests_capture_compare_script_LDADD = $(PL_LIBS)
TESTS += tests/capture/linux.sh tests/capture/eat.sh tests/capture/lackey.sh
endif
