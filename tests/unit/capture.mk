# Tests of src/capture: what does not need another program.
if HAVE_CMOCKA
if HOST_LINUX
check_PROGRAMS += tests/unit/test_capture
TESTS += tests/unit/test_capture
tests_unit_test_capture_SOURCES = tests/unit/test_capture.c src/capture/recorder.c src/capture/lz4_size.c \
	src/capture/page_tally.c src/capture/measurement.c src/capture/linux/os_pages.c src/capture/linux/os_memory.c
tests_unit_test_capture_LDADD = $(TEST_LIBS)
endif
endif
