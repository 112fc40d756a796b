# Tests of src/device.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_histogram tests/unit/test_device
TESTS += tests/unit/test_histogram tests/unit/test_device
tests_unit_test_histogram_SOURCES = tests/unit/test_histogram.c
tests_unit_test_histogram_LDADD = $(TEST_LIBS)
tests_unit_test_device_SOURCES = tests/unit/test_device.c
tests_unit_test_device_LDADD = $(TEST_LIBS)
endif
