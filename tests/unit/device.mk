# Tests of src/device.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_histogram tests/unit/test_device tests/unit/test_page_file tests/unit/test_cpu
TESTS += tests/unit/test_histogram tests/unit/test_device tests/unit/test_page_file tests/unit/test_cpu
tests_unit_test_histogram_SOURCES = tests/unit/test_histogram.c
tests_unit_test_histogram_LDADD = $(TEST_LIBS)
tests_unit_test_device_SOURCES = tests/unit/test_device.c
tests_unit_test_device_LDADD = $(TEST_LIBS)
tests_unit_test_page_file_SOURCES = tests/unit/test_page_file.c
tests_unit_test_page_file_LDADD = $(TEST_LIBS)
tests_unit_test_cpu_SOURCES = tests/unit/test_cpu.c
tests_unit_test_cpu_LDADD = $(TEST_LIBS)
endif
