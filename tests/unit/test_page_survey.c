/* Pages of files and processes, and what a survey finds in them. */
#include "config.h"

#include "codec/page_content.h"
#include "store/page_reader.h"
#include "store/page_survey.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/pagelab-survey-XXXXXX";
static char path[2][64];

/* Files whose every page says which file and page it is. */
static void write_file(int which, size_t bytes)
{
    FILE *file = fopen(path[which], "wb");
    assert_non_null(file);
    for (size_t at = 0; at < bytes; at += 4) {
        uint32_t value = (uint32_t)which << 24 | (uint32_t)(at / 4096);
        assert_int_equal(fwrite(&value, 1, bytes - at < 4 ? bytes - at : 4, file), bytes - at < 4 ? bytes - at : 4);
    }
    assert_int_equal(fclose(file), 0);
}

static uint32_t first_word(const uint8_t *page)
{
    uint32_t value;
    memcpy(&value, page, 4);
    return value;
}

static void test_files(void **state)
{
    uint8_t page[4096];
    const char *paths[] = {path[0], path[1]};
    struct pl_page_reader *reader = NULL;
    write_file(0, 200 * 4096);
    write_file(1, 3 * 4096 + 10);
    assert_int_equal(pl_page_reader_open_files(paths, 2, 4096, 0, &reader, NULL), PL_OK);
    const struct pl_page_reader_info *info = pl_page_reader_info(reader);
    assert_int_equal(info->pages_total, 204);
    for (uint32_t i = 0; i < 204; i++) {
        assert_int_equal(pl_page_reader_next(reader, page, NULL), PL_OK);
        assert_int_equal(first_word(page), i < 200 ? i : 1u << 24 | (i - 200));
    }
    for (size_t i = 12; i < 4096; i++) /* ten bytes of the file, the last word cut in two */
        assert_int_equal(page[i], 0);
    char place[128];
    assert_non_null(strstr(pl_page_reader_place(reader, place, sizeof(place)), "byte 12288"));
    assert_int_equal(pl_page_reader_next(reader, page, NULL), PL_END);
    assert_int_equal(pl_page_reader_next(reader, page, NULL), PL_END);
    assert_int_equal(info->pages_read, 204);
    assert_int_equal(info->padded_pages, 1);
    assert_int_equal(info->padded_bytes, 4096 - 10);
    pl_page_reader_close(reader);
}

/* The middles of equal parts, over both files. */
static void test_sample(void **state)
{
    uint8_t page[4096];
    const char *paths[] = {path[0], path[1]};
    struct pl_page_reader *reader = NULL;
    write_file(0, 100 * 4096);
    write_file(1, 20 * 4096);
    assert_int_equal(pl_page_reader_open_files(paths, 2, 4096, 12, &reader, NULL), PL_OK);
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t number = 10 * i + 5;
        assert_int_equal(pl_page_reader_next(reader, page, NULL), PL_OK);
        assert_int_equal(first_word(page), number < 100 ? number : 1u << 24 | (number - 100));
    }
    assert_int_equal(pl_page_reader_next(reader, page, NULL), PL_END);
    assert_int_equal(pl_page_reader_info(reader)->pages_total, 120);
    pl_page_reader_close(reader);
    /* More than there are: all. */
    assert_int_equal(pl_page_reader_open_files(paths, 2, 4096, 5000, &reader, NULL), PL_OK);
    uint32_t count = 0;
    while (pl_page_reader_next(reader, page, NULL) == PL_OK)
        count++;
    assert_int_equal(count, 120);
    pl_page_reader_close(reader);
}

static void test_stream(void **state)
{
    char command[128], name[32];
    uint8_t page[4096];
    struct pl_page_reader *reader = NULL;
    write_file(0, 5 * 4096 + 1);
    snprintf(command, sizeof(command), "cat %s", path[0]);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    snprintf(name, sizeof(name), "/dev/fd/%d", fileno(pipe));
    const char *paths[] = {name};
    assert_int_equal(pl_page_reader_open_files(paths, 1, 4096, 3, &reader, NULL), PL_ERR_USAGE);
    assert_int_equal(pl_page_reader_open_files(paths, 1, 4096, 0, &reader, NULL), PL_OK);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(pl_page_reader_next(reader, page, NULL), PL_OK);
        assert_int_equal(first_word(page), i);
    }
    assert_int_equal(pl_page_reader_next(reader, page, NULL), PL_END);
    assert_int_equal(pl_page_reader_info(reader)->pages_total, 6);
    assert_int_equal(pl_page_reader_info(reader)->padded_bytes, 4095);
    pl_page_reader_close(reader);
    pclose(pipe);
}

static void test_bad_files(void **state)
{
    struct pl_page_reader *reader = NULL;
    struct pl_error err;
    const char *missing[] = {"/nowhere/at/all"}, *directory[] = {folder};
    assert_int_equal(pl_page_reader_open_files(missing, 1, 4096, 0, &reader, &err), PL_ERR_INPUT);
    assert_non_null(strstr(err.message, "/nowhere/at/all"));
    assert_int_equal(pl_page_reader_open_files(directory, 1, 4096, 0, &reader, &err), PL_ERR_INPUT);
    assert_null(reader);
    /* A file that is cut while it is read is an error, not a crash or a page of nothing. */
    uint8_t page[4096];
    const char *paths[] = {path[0]};
    write_file(0, 200 * 4096);
    assert_int_equal(pl_page_reader_open_files(paths, 1, 4096, 0, &reader, NULL), PL_OK);
    assert_int_equal(pl_page_reader_next(reader, page, NULL), PL_OK);
    assert_int_equal(truncate(path[0], 4096), 0);
    enum pl_err rc;
    while ((rc = pl_page_reader_next(reader, page, &err)) == PL_OK)
        ;
    assert_int_equal(rc, PL_ERR_INPUT);
    pl_page_reader_close(reader);
}

#if defined(__linux__)
/* This very process: pages with a mark are found as often as they were touched, and untouched ones are not. A sanitizer's
 * shadow of 16 TiB would take minutes to look through. */
static void test_process(void **state)
{
#if defined(PL_SANITIZED)
    skip();
#endif
    long page_size = sysconf(_SC_PAGESIZE);
    struct pl_page_reader *reader = NULL;
    struct pl_error err;
    uint8_t *area = mmap(NULL, (size_t)page_size * 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(area != MAP_FAILED);
    for (int i = 0; i < 64; i += 2)
        memcpy(area + i * page_size, "mark of this test", 17);
    if (pl_page_reader_open_process((uint64_t)getpid(), false, (uint32_t)page_size, 0, &reader, &err)) {
        munmap(area, (size_t)page_size * 64);
        print_message("# %s\n", err.message);
        skip();
    }
    uint8_t *page = malloc((size_t)page_size);
    assert_non_null(page);
    int marked = 0;
    while (pl_page_reader_next(reader, page, NULL) == PL_OK)
        marked += !memcmp(page, "mark of this test", 17);
    assert_int_equal(marked, 32);
    pl_page_reader_close(reader);
    munmap(area, (size_t)page_size * 64);
    free(page);
    assert_int_equal(pl_page_reader_open_process(1, false, 512, 0, &reader, &err), PL_ERR_USAGE);
    assert_int_equal(pl_page_reader_open_process(UINT64_C(999999999), false, (uint32_t)page_size, 0, &reader, &err),
                     PL_ERR_INPUT);
    assert_non_null(strstr(err.message, "no process"));
}
#endif

/* --- surveys --------------------------------------------------------------------------- */

static const struct pl_codec_ops *codec_named(const char *name)
{
    const struct pl_codec_ops *ops = NULL;
    assert_int_equal(pl_codec_find(name, &ops, NULL), PL_OK);
    return ops;
}

static void add(struct pl_page_survey *survey, enum pl_content_kind kind, uint64_t seed, uint64_t index)
{
    uint8_t page[4096];
    struct pl_content content = {kind, seed};
    pl_content_page(&content, index, page, sizeof(page));
    assert_int_equal(pl_page_survey_add(survey, page, NULL), PL_OK);
}

static struct pl_page_survey_store_result fill(const struct pl_page_survey *survey, size_t codec, const char *system)
{
    const struct pl_store_system *found = NULL;
    struct pl_space_params params = {.page_size = 4096, .chain_pages = 4};
    struct pl_page_survey_store_result result;
    assert_int_equal(pl_store_system_find(system, &found, NULL), PL_OK);
    assert_int_equal(pl_page_survey_store(survey, codec, found, &params, 1, &result, NULL), PL_OK);
    return result;
}

/* 10 zero pages, 20 of one word (two words), 200 of consecutive ints, of which 50 come twice, 30 of noise. */
static struct pl_page_survey *known_survey(void)
{
    const struct pl_page_survey_codec codecs[] = {{.ops = codec_named("xpress"), .label = "xpress"},
                                                  {.ops = codec_named("lz4"), .label = "lz4"},
                                                  {.ops = codec_named("constant"), .ratio = 2, .label = "constant:2"}};
    struct pl_page_survey *survey = NULL;
    assert_int_equal(pl_page_survey_create(4096, codecs, PL_COUNT_OF(codecs), true, &survey, NULL), PL_OK);
    for (uint64_t i = 0; i < 200; i++) {
        if (i < 10)
            add(survey, PL_CONTENT_ZEROS, 0, 0);
        if (i < 20)
            add(survey, PL_CONTENT_SAME, 1 + i % 2, 0);
        if (i < 30)
            add(survey, PL_CONTENT_HASH, 1, i);
        add(survey, PL_CONTENT_INDEX, 0, i);
        if (i < 50)
            add(survey, PL_CONTENT_INDEX, 0, i);
    }
    assert_int_equal(pl_page_survey_finish(survey, NULL), PL_OK);
    return survey;
}

static void test_survey(void **state)
{
    struct pl_page_survey *survey = known_survey();
    struct pl_page_survey_counts counts = pl_page_survey_counts(survey);
    assert_int_equal(counts.pages, 310);
    assert_int_equal(counts.zero, 10);
    assert_int_equal(counts.same_filled, 20);
    assert_int_equal(counts.duplicates, 50 + 18);

    struct pl_page_survey_codec_result xpress = pl_page_survey_codec_result(survey, 0);
    assert_int_equal(xpress.pages, 280);
    assert_int_equal(xpress.raw, 30);
    assert_in_range(xpress.bytes, 30 * 4096 + 250 * 3328, 30 * 4096 + 250 * 3340);
    assert_int_equal(xpress.decompressed, 250);
    assert_true(xpress.compress_s > 0 && xpress.decompress_s > 0);
    assert_in_range(pl_page_survey_percentile(survey, 0, 0.5), 3328, 3340);
    assert_int_equal(pl_page_survey_percentile(survey, 0, 0.95), 4096);
    uint64_t sum = 0;
    for (size_t size = 0; size <= 4096; size++)
        sum += xpress.histogram[size];
    assert_int_equal(sum, 280);
    assert_int_equal(pl_page_survey_codec_result(survey, 2).bytes, 280 * 2048);
    assert_int_equal(pl_page_survey_codec_result(survey, 2).decompressed, 0);
    pl_page_survey_destroy(survey);
}

static void test_survey_stores(void **state)
{
    struct pl_page_survey *survey = known_survey();
    struct pl_page_survey_store_result r = fill(survey, 0, "windows");
    assert_int_equal(r.pages, 310);
    assert_int_equal(r.same_filled, 10);
    assert_int_equal(r.duplicates, 68);
    assert_int_equal(r.raw, 30);
    assert_int_equal(r.space.objects, 200 + 30 + 2);
    assert_int_equal(r.record_bytes, 310 * 36);

    r = fill(survey, 0, "zram"); /* chains of 4: consecutive ints lie above the last shared class even with XPRESS */
    assert_int_equal(r.same_filled, 30);
    assert_int_equal(r.duplicates, 0);
    assert_int_equal(r.raw, 280);
    assert_int_equal(r.space.used_bytes, 280 * 4096);

    r = fill(survey, 1, "zswap");
    assert_int_equal(r.same_filled, 30);
    assert_int_equal(r.rejected + r.pages, 310);
    assert_true(r.rejected >= 30);

    r = fill(survey, 2, "zbud");
    assert_int_equal(r.rejected, 0);
    assert_int_equal(r.space.used_bytes, 280 * 4096); /* 2048 bytes are 32 chunks: two need one more than there is */
    r = fill(survey, 2, "ideal");
    assert_int_equal(r.space.used_bytes, 230 * 2048);

    const struct pl_store_system *ideal = NULL;
    struct pl_space_params params = {.page_size = 4096};
    assert_int_equal(pl_store_system_find("ideal", &ideal, NULL), PL_OK);
    assert_int_equal(pl_page_survey_store(survey, 2, ideal, &params, 3, &r, NULL), PL_OK);
    assert_int_equal(r.space.used_bytes, 3 * 230 * 2048);
    assert_int_equal(r.pages, 3 * 310);
    pl_page_survey_destroy(survey);
}

/* A codec that loses a bit is found out. */
static size_t bad_compress(struct pl_codec *codec, const uint8_t *page, uint8_t *out, size_t room)
{
    memcpy(out, page, 100);
    return 100;
}

static bool bad_decompress(struct pl_codec *codec, const uint8_t *in, size_t size, uint8_t *page)
{
    memset(page, 7, codec->params.page_size);
    memcpy(page, in, size);
    return true;
}

static void test_bad_codec(void **state)
{
    static const struct pl_codec_ops bad = {.name = "bad", .compress = bad_compress, .decompress = bad_decompress};
    const struct pl_page_survey_codec codec = {.ops = &bad, .label = "bad"};
    struct pl_page_survey *survey = NULL;
    struct pl_error err;
    assert_int_equal(pl_page_survey_create(4096, &codec, 1, false, &survey, NULL), PL_OK);
    add(survey, PL_CONTENT_ZEROS, 0, 0);
    add(survey, PL_CONTENT_TEXT, 0, 0);
    assert_int_equal(pl_page_survey_finish(survey, &err), PL_ERR_CHECK);
    assert_string_equal(err.message, "codec bad does not give page 1 back");
    pl_page_survey_destroy(survey);
}

static int make_folder(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    for (int i = 0; i < 2; i++)
        snprintf(path[i], sizeof(path[i]), "%s/%d", folder, i);
    return 0;
}

static int remove_folder(void **state)
{
    for (int i = 0; i < 2; i++)
        unlink(path[i]);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),     cmocka_unit_test(test_sample), cmocka_unit_test(test_stream),
        cmocka_unit_test(test_bad_files),
#if defined(__linux__)
        cmocka_unit_test(test_process),
#endif
        cmocka_unit_test(test_survey),    cmocka_unit_test(test_survey_stores), cmocka_unit_test(test_bad_codec),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
