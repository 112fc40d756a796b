# How fast a codec is here, as costs of a machine.
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_codec_speed
TESTS += tests/unit/test_codec_speed
tests_unit_test_codec_speed_SOURCES = tests/unit/test_codec_speed.c
tests_unit_test_codec_speed_LDADD = $(TEST_LIBS)
endif
