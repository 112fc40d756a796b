/* tests/unit/test_trace_cases.c: real traces from outside, where $PAGELAB_CASES says they are: counts that others
 * published or that plain text tools give. */
#include "trace_reading.h"

struct expected {
    const char *file, *format;
    uint64_t touches, writes, executes, distinct; /* UINT64_MAX: not held against anything */
};

static const struct expected cases[] = {
    {"memsim/gcc.trace.gz", "memsim", 1000000, 107184, 0, 2852},
    {"memsim/bzip.trace.gz", "memsim", 1000000, UINT64_MAX, 0, UINT64_MAX},
    {"simpleloop/tr-simpleloop.ref", "pages", 10320, 3669, 2471, UINT64_MAX},
    {"etch/netscape.bz2", "hex", 22077106, 0, 0, 1037},
    {"etch/powerpoint.bz2", "hex", 37384786, 0, 0, 1000},
    {"lirs/cs.trace.gz", "numbers", 6781, 0, 0, 1409},
    {"lirs/loop.trace.gz", "numbers", 505500, 0, 0, 1011},
    {"address/gcc.trace.gz", "address", 515683, 197486, 0, UINT64_MAX},
    {"libcachesim/cloudPhysicsIO.vscsi", "vscsi", 113872, UINT64_MAX, 0, 48974},
    {"cachelab/yi.trace", "lackey", 9, 3, 0, UINT64_MAX},
    {"cachelab/yi2.trace", "lackey", 17, 7, 0, UINT64_MAX},
    {"cachelab/dave.trace", "lackey", 5, 3, 0, UINT64_MAX},
    {"cachelab/trans.trace", "lackey", 616, 62, 378, UINT64_MAX},
};

static void check_case(const char *root, const struct expected *expected)
{
    char path[512];
    struct pl_error err = {PL_OK, ""};
    struct pl_trace *trace;
    struct pl_batch batch;
    enum pl_err rc;
    snprintf(path, sizeof path, "%s/%s", root, expected->file);
    if (pl_trace_open(path, NULL, &trace, &err))
        fail_msg("%s", err.message);
    while ((rc = pl_trace_next(trace, &batch, &err)) == PL_OK)
        ;
    if (rc != PL_END)
        fail_msg("%s", err.message);
    const struct pl_trace_info *info = pl_trace_info(trace);
    print_message("# %s: %llu touches, %llu pages\n", expected->file, (unsigned long long)info->touches,
                  (unsigned long long)info->distinct);
    assert_string_equal(info->format, expected->format);
    assert_int_equal(info->touches, expected->touches);
    assert_int_equal(info->executes, expected->executes);
    if (expected->writes != UINT64_MAX)
        assert_int_equal(info->writes, expected->writes);
    if (expected->distinct != UINT64_MAX)
        assert_int_equal(info->distinct, expected->distinct);
    pl_trace_close(trace);
}

static void counts(void **state)
{
    (void)state;
    const char *root = getenv("PAGELAB_CASES");
    if (!root) {
        print_message("# $PAGELAB_CASES is not set\n");
        skip();
    }
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++)
        check_case(root, &cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts)};
    return cmocka_run_group_tests_name("trace cases", tests, NULL, NULL);
}
