/* Studies: designs give the points that they should, in their order; every mistake names its place. */
#include "study/sweep_study.h"

#include "base_check.h"

#include <math.h>
#include <unistd.h>

static char folder[] = "/tmp/pl-study-XXXXXX", path[64], table[64];

static int make_folder(void **state)
{
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/s.json", folder);
    snprintf(table, sizeof table, "%s/t.csv", folder);
    FILE *file = fopen(table, "w");
    fputs("# m: 8MB\nmemory_mb,reads,writes\n6,1000,500\n8,300,200\n10,100,80\n", file);
    return fclose(file);
}

static int remove_folder(void **state)
{
    unlink(path);
    unlink(table);
    return rmdir(folder);
}

static void write_study(const char *text)
{
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

#define HEAD "{\"format\": \"pagelab-study\", \"version\": 1,\n\"base\": {\"model\": \"t.csv\"},\n"

static struct pl_study *read_study(const char *text, struct pl_arena *arena)
{
    struct pl_study *study;
    struct pl_error err;
    write_study(text);
    if (pl_study_read(path, arena, &study, &err))
        fail_msg("%s", err.message);
    return study;
}

static void test_grid(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_study *study = read_study(
        HEAD "\"parameters\": {\"d\": {\"from\": \"0\", \"to\": \"0.15MB\", \"step\": \"0.05MB\"},"
             " \"r\": [1.5, 2], \"cd\": {\"from\": \"1us\", \"to\": \"100us\", \"count\": 3, \"scale\": \"log\"}},"
             "\"when\": \"not (d == 0 and r > 1.5)\"}",
        arena);
    assert_int_equal(24, study->drawn);
    assert_int_equal(21, study->point_count);
    /* The last parameter runs fastest. */
    assert_true(fabs(pl_study_point(study, 1)[2] - 10e-6) < 1e-18);
    assert_true(pl_study_point(study, 2)[2] == 100e-6);
    assert_true(pl_study_point(study, 3)[0] == 0.05 * (double)PL_MIB);
    assert_true(pl_study_point(study, 20)[0] == 0.15 * (double)PL_MIB);
    assert_true(pl_study_point(study, 20)[1] == 2);
    pl_study_close(study);
    pl_arena_destroy(arena);
}

/* Drawn points lie inside, on whole pages; the same seed gives the same, another gives others; a parameter more leaves
 * the random values of the rest as they are. */
static void test_drawn(void **state)
{
    static const char *const kinds[] = {"sobol", "random"};
    struct pl_arena *arena = pl_arena_create();
    char text[512];
    for (size_t k = 0; k < PL_COUNT_OF(kinds); k++) {
        struct pl_study *study[3];
        for (int i = 0; i < 3; i++) {
            snprintf(text, sizeof text,
                     HEAD "\"parameters\": {\"d\": {\"from\": \"1MB\", \"to\": \"2MB\"}, \"r\": [1.5, 2]%s},"
                          "\"design\": {\"kind\": \"%s\", \"points\": 200, \"seed\": %d}}",
                     i == 2 && k == 1 ? ", \"cd\": {\"from\": \"1us\", \"to\": \"2us\"}" : "", kinds[k],
                     i == 1 ? 8 : 7);
            study[i] = read_study(text, arena);
        }
        size_t low = 0, first = 0, other = 0;
        for (size_t i = 0; i < 200; i++) {
            const double d = pl_study_point(study[0], i)[0];
            assert_true(d >= (double)PL_MIB && d <= 2 * (double)PL_MIB && fmod(d, 4096) == 0);
            low += d < 1.5 * (double)PL_MIB;
            first += pl_study_point(study[0], i)[1] == 1.5;
            other += d != pl_study_point(study[1], i)[0];
            assert_true(d == pl_study_point(study[2], i)[0]);
        }
        assert_in_range(low, 80, 120);
        assert_in_range(first, 80, 120);
        assert_in_range(other, 150, 200);
        assert_string_not_equal(study[0]->hash, study[1]->hash);
        for (int i = 0; i < 3; i++)
            pl_study_close(study[i]);
    }
    pl_arena_destroy(arena);
}

static void test_errors(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"[]", "s.json:1"},
        {"{\"format\": \"pagelab-studies\"}", "is not pagelab-study"},
        {"{\"format\": \"pagelab-study\", \"version\": 2}", "reads version 1"},
        {HEAD "\"parametres\": {}}", "s.json:3: parametres"},
        {HEAD "\"parametres\": {}}", "did you mean 'parameters'?"},
        {HEAD "\"parameters\": {\n\"dd\": 3}}", "s.json:4: parameters.dd"},
        {HEAD "\"parameters\": {\"d\": 3}}", "has no unit"},
        {HEAD "\"parameters\": {\"d\": {\"from\": \"2MB\", \"to\": \"1MB\", \"count\": 2}}}", "ends before it begins"},
        {HEAD "\"parameters\": {\"d\": {\"from\": \"0\", \"to\": \"1MB\", \"count\": 3, \"scale\": \"log\"}}}",
         "begins above 0"},
        {HEAD "\"parameters\": {\"d\": {\"from\": \"0\", \"to\": \"1MB\", \"cuont\": 3}}}", "did you mean 'count'?"},
        {HEAD "\"parameters\": {\"r\": []}}", "without values"},
        {HEAD "\"parameters\": {\"r\": 2},\n\"when\": \"rr > 1\"}", "s.json:4: when: at the beginning of the formula"},
        {HEAD "\"parameters\": {\"r\": 2},\n\"when\": \"total_s > 1\"}", "there is no quantity 'total_s'"},
        {HEAD "\"parameters\": {\"r\": 2},\n\"when\": \"r > 3\"}", "leaves no point"},
        {HEAD "\"parameters\": {\"r\": 2},\n\"outputs\": [\"total\"]}", "did you mean 'total_s'?"},
        {HEAD "\"parameters\": {\"r\": 2},\n\"objective\": {\"minimise\": \"total_s\", \"maximise\": \"read_s\"}}",
         "give one of them"},
        {HEAD "\"parameters\": {\"r\": 2},\n\"design\": \"sobel\"}", "did you mean 'sobol'?"},
        {HEAD "\"parameters\": {\"r\": 2},\n\"design\": {\"kind\": \"random\"}}", "how many"},
        {HEAD "\"parameters\": {\"r\": 2},\n\"design\": {\"kind\": \"random\", \"points\": 3}}", "nothing to draw"},
        {"{\"format\": \"pagelab-study\", \"base\": {\"model\": \"no.csv\"}, \"parameters\": {\"r\": 2}}", "no.csv"},
        {"{\"format\": \"pagelab-study\", \"base\": {\"modle\": \"t.csv\"}, \"parameters\": {\"r\": 2}}", "names no"},
        {"{\"format\": \"pagelab-study\", \"base\": {\"model\": \"t.csv\", \"rule\": 1}, \"parameters\": {}}", "rule"},
        {"{\"format\": \"pagelab-study\", \"base\": {\"replay\": \"t.csv\", \"machine\": \"rc96\"}, \"parameters\":\n"
         "{\"memory.totl\": \"8MiB\"}}",
         "did you mean 'memory.total'?"},
    };
    struct pl_arena *arena = pl_arena_create();
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        struct pl_study *study = NULL;
        struct pl_error err = {PL_OK, ""};
        write_study(cases[i].text);
        if (pl_study_read(path, arena, &study, &err) != PL_ERR_INPUT)
            fail_msg("case %zu is no PL_ERR_INPUT: %s", i, err.message);
        assert_null(study);
        check_says(&err, cases[i].says);
    }
    pl_arena_destroy(arena);
}

/* A range without steps can be searched, and not be run as a grid. */
static void test_open_range(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_study *study =
        read_study(HEAD "\"parameters\": {\"r\": 2, \"d\": {\"from\": \"0\", \"to\": \"1MB\"}}}", arena);
    struct pl_error err;
    assert_int_equal(PL_ERR_INPUT, pl_study_check_grid(study, &err));
    check_says(&err, "d: a grid needs");
    pl_study_close(study);
    pl_arena_destroy(arena);
}

/* What results depend on is in the hash; what they do not depend on is not. */
static void test_identity(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    static const char *const same[] = {
        HEAD "\"parameters\": {\"r\": [2, 3]}, \"outputs\": [\"total_s\", \"extrapolated\"]}",
        HEAD "\"title\": \"x\",\n\n \"parameters\": {\"r\": [2.0, 3]}, \"outputs\": [\"total_s\"],"
             "\"objective\": {\"minimise\": \"total_s\"}}",
    };
    static const char *const other[] = {
        HEAD "\"parameters\": {\"r\": [2, 4]}, \"outputs\": [\"total_s\"]}",
        HEAD "\"parameters\": {\"r\": [2, 3]}, \"outputs\": [\"read_s\"]}",
        HEAD "\"parameters\": {\"r\": [2, 3], \"cd\": \"1ms\"}, \"outputs\": [\"total_s\"]}",
        HEAD "\"parameters\": {\"r\": [2, 3]}, \"when\": \"r > 1\", \"outputs\": [\"total_s\"]}",
    };
    struct pl_study *first = read_study(same[0], arena), *second = read_study(same[1], arena);
    assert_string_equal(first->hash, second->hash);
    for (size_t i = 0; i < PL_COUNT_OF(other); i++) {
        struct pl_study *study = read_study(other[i], arena);
        assert_string_not_equal(first->hash, study->hash);
        pl_study_close(study);
    }
    pl_study_close(first);
    pl_study_close(second);
    pl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_open_range),
        cmocka_unit_test(test_identity),
    };
    return cmocka_run_group_tests_name("study", tests, make_folder, remove_folder);
}
