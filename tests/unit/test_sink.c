/* Sinks: content lands only at a successful close, first failures are kept, special files work. */
#include "config.h"

#include "base_check.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **state)
{
    strcpy(folder, "/tmp/test_sink.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char pattern[96];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*", folder);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (remove(found.gl_pathv[i]))
                return -1;
        globfree(&found);
    }
    return rmdir(folder);
}

static const char *path_of(const char *name)
{
    static char path[2][128];
    static int turn;
    turn ^= 1;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void put(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

static void check_file(const char *path, const char *expected)
{
    char text[256] = "";
    FILE *stream = fopen(path, "r");
    if (!stream) {
        if (expected)
            fail_msg("%s is not there", path);
        return;
    }
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    if (!expected)
        fail_msg("%s is there", path);
    check_text(text, expected);
}

static size_t files_in_folder(void)
{
    char pattern[96];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*", folder);
    size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    if (count)
        globfree(&found);
    return count;
}

static void a_path_changes_at_the_close(void **state)
{
    struct pl_sink *sink;
    struct pl_error err;
    const char *path = path_of("out.csv");
    assert_int_equal(pl_sink_open_path(path, &sink, &err), PL_OK);
    pl_sink_puts(sink, "one\n");
    check_file(path, NULL);
    pl_sink_printf(sink, "%s %d\n", "two", 2);
    pl_sink_write(sink, "\0x", 2);
    assert_int_equal(pl_sink_bytes(sink), 12);
    assert_false(pl_sink_failed(sink));
    assert_int_equal(pl_sink_close(sink, &err), PL_OK);
    check_file(path, "one\ntwo 2\n");
    assert_int_equal(files_in_folder(), 1);
    remove(path);
}

static void the_old_file_stays_until_the_close(void **state)
{
    struct pl_sink *sink;
    const char *path = path_of("old.csv");
    put(path, "old");
    assert_int_equal(pl_sink_open_path(path, &sink, NULL), PL_OK);
    pl_sink_puts(sink, "new");
    check_file(path, "old");
    pl_sink_abandon(sink);
    check_file(path, "old");
    assert_int_equal(files_in_folder(), 1);
    pl_sink_abandon(NULL);
    assert_int_equal(pl_sink_close(NULL, NULL), PL_OK);
    remove(path);
}

static void permissions_and_links_stay(void **state)
{
    struct pl_sink *sink;
    struct stat status;
    char target[128], path[128];
    strcpy(target, path_of("target"));
    strcpy(path, path_of("link"));
    put(target, "old");
    chmod(target, 0640);
    assert_int_equal(symlink("target", path), 0);
    assert_int_equal(pl_sink_open_path(path, &sink, NULL), PL_OK);
    pl_sink_puts(sink, "new");
    assert_int_equal(pl_sink_close(sink, NULL), PL_OK);
    check_file(target, "new");
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(target, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    remove(path);
    remove(target);

    mode_t mask = umask(027);
    assert_int_equal(pl_sink_open_path(path_of("new"), &sink, NULL), PL_OK);
    assert_int_equal(pl_sink_close(sink, NULL), PL_OK);
    umask(mask);
    assert_int_equal(stat(path_of("new"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    remove(path_of("new"));
}

static void a_full_disk_is_told(void **state)
{
    struct pl_sink *sink;
    struct pl_error err;
    if (access("/dev/full", W_OK))
        skip();
    assert_int_equal(pl_sink_open_path("/dev/full", &sink, &err), PL_OK);
    pl_sink_puts(sink, "little");
    assert_int_equal(pl_sink_close(sink, &err), PL_ERR_RESOURCE);
    assert_int_equal(err.code, PL_ERR_RESOURCE);
    check_text(err.message, "/dev/full: No space left on device");

    /* More than the buffer: the failure shows before the close, and later successes do not hide it. */
    assert_int_equal(pl_sink_open_path("/dev/full", &sink, &err), PL_OK);
    for (int i = 0; i < 100000; i++)
        pl_sink_puts(sink, "much more than any buffer holds\n");
    assert_true(pl_sink_failed(sink));
    assert_int_equal(pl_sink_close(sink, NULL), PL_ERR_RESOURCE);

    FILE *stream = fopen("/dev/full", "w");
    assert_int_equal(pl_sink_open_stream(stream, "standard output", &sink, &err), PL_OK);
    pl_sink_puts(sink, "x");
    assert_int_equal(pl_sink_close(sink, &err), PL_ERR_RESOURCE);
    check_text(err.message, "standard output: No space left on device");
    fclose(stream);
}

static void places_that_cannot_be_written(void **state)
{
    struct pl_sink *sink = NULL;
    struct pl_error err;
    assert_int_equal(pl_sink_open_path("/no/such/folder/x", &sink, &err), PL_ERR_RESOURCE);
    check_text(err.message, "/no/such/folder/x: No such file or directory");
    assert_int_equal(pl_sink_open_path(folder, &sink, &err), PL_ERR_RESOURCE);
    check_says(&err, "Is a directory");
    assert_int_equal(pl_sink_open_path("", &sink, &err), PL_ERR_RESOURCE);
    assert_int_equal(pl_sink_open_path("/dev/null/x", &sink, &err), PL_ERR_RESOURCE);
    assert_null(sink);
}

/* What is open already is not replaced: a pipe, and a file by the name of its descriptor. */
static void special_files_are_written_directly(void **state)
{
    struct pl_sink *sink;
    char path[128], text[16] = "";
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    if (access(path, W_OK))
        skip();
    assert_int_equal(pl_sink_open_path(path, &sink, NULL), PL_OK);
    pl_sink_puts(sink, "piped");
    assert_int_equal(pl_sink_close(sink, NULL), PL_OK);
    assert_int_equal(read(ends[0], text, sizeof text), 5);
    check_text(text, "piped");
    close(ends[0]);
    close(ends[1]);

    int fd = open(path_of("by_number"), O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(fd, "before ", 7), 7);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    assert_int_equal(pl_sink_open_path(path, &sink, NULL), PL_OK);
    pl_sink_puts(sink, "after");
    assert_int_equal(pl_sink_close(sink, NULL), PL_OK);
    close(fd);
    check_file(path_of("by_number"), "before after");
    assert_int_equal(files_in_folder(), 1);
    remove(path_of("by_number"));

    strcpy(path, path_of("fifo"));
    assert_int_equal(mkfifo(path, 0600), 0);
    fd = open(path, O_RDWR); /* so that opening for writing does not wait */
    assert_int_equal(pl_sink_open_path(path, &sink, NULL), PL_OK);
    pl_sink_puts(sink, "queue");
    assert_int_equal(pl_sink_close(sink, NULL), PL_OK);
    assert_int_equal(read(fd, text, sizeof text), 5);
    check_text(text, "queue");
    close(fd);
    remove(path);
}

static void a_closed_pipe_is_told(void **state)
{
    struct pl_sink *sink;
    struct pl_error err;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    FILE *stream = fdopen(ends[1], "w");
    assert_int_equal(pl_sink_open_stream(stream, "standard output", &sink, &err), PL_OK);
    pl_sink_puts(sink, "x");
    assert_int_equal(pl_sink_close(sink, &err), PL_ERR_CLOSED);
    check_says(&err, strerror(EPIPE));
    fclose(stream);
}

static void memory_holds_all(void **state)
{
    struct pl_sink *sink;
    size_t length = 77;
    assert_int_equal(pl_sink_open_memory(&sink, NULL), PL_OK);
    check_text(pl_sink_memory(sink, &length), "");
    assert_int_equal(length, 0);
    pl_sink_write(sink, "a\0b", 3);
    assert_memory_equal(pl_sink_memory(sink, &length), "a\0b", 4);
    assert_int_equal(length, 3);
    pl_sink_printf(sink, "%5000d", 7); /* longer than the buffer of a printf */
    pl_sink_memory(sink, &length);
    assert_int_equal(length, 5003);
    assert_int_equal(pl_sink_bytes(sink), 5003);
    assert_int_equal(pl_sink_memory(sink, NULL)[5002], '7');
    assert_int_equal(pl_sink_close(sink, NULL), PL_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_changes_at_the_close),
        cmocka_unit_test(the_old_file_stays_until_the_close),
        cmocka_unit_test(permissions_and_links_stay),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(places_that_cannot_be_written),
        cmocka_unit_test(special_files_are_written_directly),
        cmocka_unit_test(a_closed_pipe_is_told),
        cmocka_unit_test(memory_holds_all),
    };
    signal(SIGPIPE, SIG_IGN);
    alarm(60); /* what was not written must not be waited for */
    return cmocka_run_group_tests_name("sink", tests, make_folder, remove_folder);
}
