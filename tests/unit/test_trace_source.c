/* tests/unit/test_trace_source.c: bytes from files, pipes and memory, plain and packed, whole and cut off. */
#include "base/random.h"
#include "trace_reading.h"
#include "trace/gzip_check.h"
#include "trace/source.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LENGTH = 300000 };

static char folder[] = "/tmp/pl-source-XXXXXX";
static char *plain; /* lines of numbers */

static int set_up(void **state)
{
    (void)state;
    struct pl_random random = pl_random_named(1, "source");
    plain = malloc(LENGTH + 32);
    for (size_t length = 0; length < LENGTH;)
        length += (size_t)sprintf(plain + length, "%u\n", (unsigned)pl_random_below(&random, 1000000));
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[100];
    free(plain);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

/* Packs `length` bytes of `plain`; returns the packed length. */
static size_t pack(const char *compression, size_t length, uint8_t *out, size_t room)
{
    struct archive *archive = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    size_t used = 0;
    if (!strcmp(compression, "zip")) {
        assert_int_equal(archive_write_set_format_zip(archive), ARCHIVE_OK);
    } else {
        assert_int_equal(archive_write_set_format_raw(archive), ARCHIVE_OK);
        assert_true(archive_write_add_filter_by_name(archive, compression) >= ARCHIVE_WARN);
    }
    archive_write_set_bytes_in_last_block(archive, 1);
    assert_int_equal(archive_write_open_memory(archive, out, room, &used), ARCHIVE_OK);
    archive_entry_set_pathname(entry, "trace.txt");
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, (la_int64_t)length);
    assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
    assert_int_equal(archive_write_data(archive, plain, length), length);
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
    archive_entry_free(entry);
    return used;
}

/* Reads all with windows of different sizes and compares. Returns how it ended. */
static enum pl_err read_all(struct pl_source *source, const char *expected, size_t length, struct pl_error *err)
{
    struct pl_random random = pl_random_named(2, "peeks");
    size_t at = 0;
    for (;;) {
        const uint8_t *window;
        size_t have, need = 1 + pl_random_below(&random, 5000);
        enum pl_err rc = pl_source_peek(source, need, &window, &have, err);
        if (rc)
            return rc;
        if (!have)
            break;
        assert_true(have >= need || at + have == length);
        if (have > need)
            have = need;
        assert_true(at + have <= length);
        assert_memory_equal(window, expected + at, have);
        pl_source_skip(source, have);
        at += have;
        assert_int_equal(pl_source_offset(source), at);
    }
    assert_int_equal(at, length);
    return PL_OK;
}

static const char *const compressions[] = {"gzip", "xz", "zstd", "bzip2", "lz4", "zip"};

static void packed_is_unpacked(void **state)
{
    (void)state;
    uint8_t *packed = malloc(LENGTH + 100000);
    for (size_t i = 0; i < PL_COUNT_OF(compressions); i++) {
        struct pl_error err = {PL_OK, ""};
        struct pl_source *source;
        size_t length = pack(compressions[i], LENGTH, packed, LENGTH + 100000);
        if (pl_source_open_memory(packed, length, "m", &source, &err))
            fail_msg("%s", err.message);
        assert_string_equal(pl_source_compression(source), compressions[i]);
        if (read_all(source, plain, LENGTH, &err))
            fail_msg("%s: %s", compressions[i], err.message);
        pl_source_close(source);
        write_file(path_of("packed"), packed, length);
        assert_int_equal(pl_source_open(path_of("packed"), &source, &err), PL_OK);
        assert_int_equal(read_all(source, plain, LENGTH, &err), PL_OK);
        uint64_t done, total;
        pl_source_progress(source, &done, &total);
        assert_int_equal(total, length);
        assert_int_equal(done, length);
        pl_source_close(source);
    }
    free(packed);
}

/* Cut off anywhere, it must fail and name the file, never end early without a word. */
static void cut_off_is_an_error(void **state)
{
    (void)state;
    uint8_t *packed = malloc(LENGTH + 100000);
    for (size_t i = 0; i < PL_COUNT_OF(compressions); i++) {
        size_t length = pack(compressions[i], LENGTH, packed, LENGTH + 100000);
        size_t cuts[] = {8, 30, length / 3, length / 2, length - 9, length - 4, length - 1};
        for (size_t c = 0; c < PL_COUNT_OF(cuts); c++) {
            struct pl_error err = {PL_OK, ""};
            struct pl_source *source;
            /* A zip's central directory, at its end, is not needed to read it whole. */
            if (!strcmp(compressions[i], "zip") && cuts[c] > length / 2)
                continue;
            enum pl_err rc = pl_source_open_memory(packed, cuts[c], "cut.gz", &source, &err);
            if (rc == PL_OK) {
                const uint8_t *window;
                size_t have = 1;
                while (rc == PL_OK && have) {
                    rc = pl_source_peek(source, 4096, &window, &have, &err);
                    if (rc == PL_OK)
                        pl_source_skip(source, have);
                }
                pl_source_close(source);
            }
            if (rc != PL_ERR_INPUT)
                fail_msg("%s cut to %zu of %zu bytes was taken for whole", compressions[i], cuts[c], length);
            assert_non_null(strstr(err.message, "cut.gz: damaged or cut-off"));
        }
    }
    free(packed);
}

static void damaged_gzip_is_seen(void **state)
{
    (void)state;
    /* Stored blocks: a changed byte decodes without complaint, only the checksum tells. */
    static const uint8_t stored[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 5, 0, 0xfa, 0xff, '1', '\n', '2', '\n', '4',
                                     0xaa, 0xbb, 0xcc, 0xdd, 5, 0, 0, 0};
    struct reading reading = read_bytes(stored, sizeof stored, NULL);
    assert_int_equal(reading.rc, PL_ERR_INPUT);
    assert_non_null(strstr(reading.err.message, "checksum"));
    reading_free(&reading);
}

/* The check of `copies` members one after the other, in pieces of all lengths. */
static bool members_hold(const uint8_t *packed, size_t length, size_t copies, struct pl_random *random)
{
    struct gzip_check check = {0};
    for (size_t at = 0; at < length;) {
        size_t piece = 1 + pl_random_below(random, pl_random_below(random, 2) ? 30 : 5000);
        piece = piece < length - at ? piece : length - at;
        gzip_check_packed(&check, packed + at, piece);
        at += piece;
    }
    for (size_t i = 0; i < copies; i++)
        gzip_check_unpacked(&check, (const uint8_t *)plain, LENGTH);
    return gzip_check_holds(&check);
}

/* Every member's checksum and length count, whatever way the bytes come. */
static void gzip_members_are_checked(void **state)
{
    (void)state;
    struct pl_random random = pl_random_named(3, "members");
    uint8_t *packed = malloc(3 * (LENGTH + 100000));
    size_t one = pack("gzip", LENGTH, packed, LENGTH + 100000);
    for (size_t copies = 1; copies <= 3; copies++) {
        memcpy(packed + (copies - 1) * one, packed, one);
        for (int i = 0; i < 20; i++)
            assert_true(members_hold(packed, copies * one, copies, &random));
        assert_false(members_hold(packed, copies * one, copies - 1, &random));
        assert_false(members_hold(packed, copies * one, copies + 1, &random));
        for (size_t byte = copies * one - GZIP_TRAILER; byte < copies * one; byte++) {
            packed[byte] ^= 4;
            assert_false(members_hold(packed, copies * one, copies, &random));
            packed[byte] ^= 4;
        }
    }
    for (size_t byte = one - GZIP_TRAILER; byte < one; byte++) {
        packed[byte] ^= 64;
        assert_false(members_hold(packed, 3 * one, 3, &random));
        packed[byte] ^= 64;
    }
    free(packed);
}

static void damage_can_end_the_input(void **state)
{
    (void)state;
    uint8_t *packed = malloc(LENGTH + 100000);
    size_t length = pack("gzip", LENGTH, packed, LENGTH + 100000);
    struct reading whole = read_bytes(packed, length, NULL);
    struct pl_trace_options options = {.skip_damaged = true};
    struct reading half = read_bytes(packed, length / 2, &options);
    assert_int_equal(half.rc, PL_END);
    assert_true(half.count > whole.count / 3 && half.count < whole.count);
    /* The last number may be cut. */
    assert_memory_equal(half.number, whole.number, (half.count - 1) * sizeof *half.number);
    assert_int_equal(half.info.skip_count, 1);
    assert_true(half.skips[0].damage);
    reading_free(&half);
    reading_free(&whole);
    free(packed);
}

static void *feed_pipe(void *user)
{
    const char *path = user;
    FILE *pipe = fopen(path, "wb");
    for (size_t at = 0; at < LENGTH; at += 1000) /* in pieces that fit no window */
        fwrite(plain + at, 1, LENGTH - at < 1000 ? LENGTH - at : 1000, pipe);
    fclose(pipe);
    return NULL;
}

static void pipes_stream(void **state)
{
    (void)state;
    pthread_t feeder;
    struct pl_error err = {PL_OK, ""};
    struct pl_source *source;
    char path[128];
    strcpy(path, path_of("pipe"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(pthread_create(&feeder, NULL, feed_pipe, path), 0);
    assert_int_equal(pl_source_open(path, &source, &err), PL_OK);
    assert_int_equal(read_all(source, plain, LENGTH, &err), PL_OK);
    pl_source_close(source);
    pthread_join(feeder, NULL);
}

static void what_cannot_be_opened(void **state)
{
    (void)state;
    struct pl_error err;
    struct pl_source *source;
    assert_int_equal(pl_source_open("/nonexistent/t", &source, &err), PL_ERR_INPUT);
    assert_non_null(strstr(err.message, "/nonexistent/t"));
    assert_int_equal(pl_source_open(folder, &source, &err), PL_ERR_INPUT);
    assert_non_null(strstr(err.message, "folder"));
    write_file(path_of("empty"), "", 0);
    struct reading reading = read_path(path_of("empty"), NULL);
    assert_int_equal(reading.rc, PL_ERR_INPUT);
    assert_non_null(strstr(reading.err.message, "is empty"));
}

static void name_ending_decides(void **state)
{
    (void)state;
    write_file(path_of("t.hex"), "10\n20\n", 6);
    struct reading reading = read_path(path_of("t.hex"), NULL);
    assert_string_equal(reading.format, "hex");
    assert_int_equal(reading.number[0], 0x10);
    reading_free(&reading);
    write_file(path_of("t.txt"), "10\n20\n", 6);
    reading = read_path(path_of("t.txt"), NULL);
    assert_string_equal(reading.format, "numbers");
    assert_int_equal(reading.number[0], 10);
    reading_free(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_is_unpacked),   cmocka_unit_test(cut_off_is_an_error),
        cmocka_unit_test(damaged_gzip_is_seen), cmocka_unit_test(pipes_stream),
        cmocka_unit_test(damage_can_end_the_input), cmocka_unit_test(gzip_members_are_checked),
        cmocka_unit_test(what_cannot_be_opened), cmocka_unit_test(name_ending_decides),
    };
    return cmocka_run_group_tests_name("trace source", tests, set_up, tear_down);
}
