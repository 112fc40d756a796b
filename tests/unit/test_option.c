/* Options: every kind, every spelling, what is missing or unknown, and the help page. */
#include "base_check.h"

#include <math.h>

struct shared {
    bool verbose;
    const char *name;
};

struct values {
    uint64_t before; /* nothing of ours: must stay */
    bool quiet, force, memory_given;
    const char *output;
    uint64_t count, memory, page_size;
    double ratio, rate;
    pl_time_ps delay;
    int policy;
    struct pl_strings sets, paths;
    struct shared shared;
};

static const char *const policies[] = {"lru", "fifo", "clock", "opt", NULL};

static const struct pl_option own_options[] = {
    {"quiet", 'q', PL_OPT_FLAG, offsetof(struct values, quiet), NULL, NULL, "Print no table."},
    {"force", 'f', PL_OPT_FLAG, offsetof(struct values, force), NULL, NULL, "Overwrite."},
    {"output", 'o', PL_OPT_TEXT, offsetof(struct values, output), "FILE", NULL, "Where the result goes."},
    {"count", 'n', PL_OPT_COUNT, offsetof(struct values, count), "N", "10k", "How many touches."},
    {"memory", 'm', PL_OPT_BYTES, offsetof(struct values, memory), "SIZE", "2p",
     "The machine's memory, in bytes with a unit or in pages of the trace's own page size, as it says in the manual.",
     NULL, offsetof(struct values, memory_given)},
    {"ratio", 'r', PL_OPT_REAL, offsetof(struct values, ratio), "R", NULL, "The ratio."},
    {"rate", 0, PL_OPT_RATE, offsetof(struct values, rate), "RATE", "1MiB/s", "The rate."},
    {"delay", 0, PL_OPT_TIME, offsetof(struct values, delay), "TIME", "2ms", "The delay."},
    {"policy", 'p', PL_OPT_CHOICE, offsetof(struct values, policy), "NAME", "fifo", "Which page leaves.",
     policies},
    {"set-a-parameter-by-path", 0, PL_OPT_LIST, offsetof(struct values, sets), "KEY=VALUE", NULL, "Sets it."},
    {"path", 'P', PL_OPT_LIST, offsetof(struct values, paths), "DIR", "/default", "Where to look."},
    {"page-size", 0, PL_OPT_BYTES, offsetof(struct values, page_size), "SIZE", "4KiB", "The page size."},
    {0},
};
static const struct pl_option shared_options[] = {
    {"verbose", 'v', PL_OPT_FLAG, offsetof(struct shared, verbose), NULL, NULL, "Say more."},
    {"name", 0, PL_OPT_TEXT, offsetof(struct shared, name), "NAME", "nobody", "A name."},
    {0},
};
static const struct pl_option_group groups[] = {
    {"Options", own_options, 0}, {"Shared options", shared_options, offsetof(struct values, shared)}, {0}};
static const struct pl_example examples[] = {{"pagelab curve traces/x.trace --csv out.csv", "A fault table as CSV."}, {0}};
static const struct pl_command_spec spec = {
    "curve", "TRACE [TRACE...]", "Computes reads and writes for every memory size.",
    "The first paragraph goes on for longer than a line of eighty columns, so that it has to be wrapped.\n\nThe second "
    "one does not:\n  kept as is",
    groups, examples};

struct run {
    struct pl_arena *arena;
    struct values values;
    struct pl_strings operands;
    struct pl_error err;
    enum pl_err rc;
};

/* Parses a line of words parted by '|'. Texts point into `words`, which lives in the arena. */
static struct run parse(const char *line)
{
    struct run run = {.arena = pl_arena_create()};
    memset(&run.values, 0xAA, sizeof run.values);
    char *words = pl_arena_strdup(run.arena, line);
    char command[] = "curve", *argv[64] = {command};
    int argc = 1;
    for (char *word = words; word && *line; argc++) {
        char *end = strchr(word, '|');
        if (end)
            *end++ = '\0';
        argv[argc] = word;
        word = end;
    }
    run.rc = pl_options_parse(&spec, argc, argv, &run.values, &run.operands, run.arena, &run.err);
    return run;
}

static struct run good(const char *line)
{
    struct run run = parse(line);
    if (run.rc)
        fail_msg("'%s': %s", line, run.err.message);
    return run;
}

static void defaults_fill_every_field(void **state)
{
    struct run run = good("");
    struct values *v = &run.values;
    assert_int_equal(v->before, UINT64_C(0xAAAAAAAAAAAAAAAA));
    assert_false(v->quiet || v->force || v->memory_given || v->shared.verbose);
    assert_null(v->output);
    assert_int_equal(v->count, 10000);
    assert_int_equal(v->memory, 8192);
    assert_int_equal(v->page_size, 4096);
    assert_true(v->ratio == 0 && v->rate == 1 << 20);
    assert_int_equal(v->delay, 2 * PL_PS_PER_MS);
    assert_int_equal(v->policy, 1);
    assert_int_equal(v->sets.count, 0);
    assert_int_equal(v->paths.count, 1);
    check_text(v->paths.item[0], "/default");
    check_text(v->shared.name, "nobody");
    assert_int_equal(run.operands.count, 0);
    pl_arena_destroy(run.arena);
}

static void every_kind_and_spelling(void **state)
{
    struct run run = good("a|--quiet|-o|out|--count=5k|b|-m1MiB|-r|-1.5|--rate|2 MB/s|--delay=3us|-p|clock|--verbose|"
                          "--set-a-parameter-by-path|x=1|--set-a-parameter-by-path=y=2|--name=|-P/one|-P|/two");
    struct values *v = &run.values;
    assert_true(v->quiet && v->memory_given && v->shared.verbose && !v->force);
    check_text(v->output, "out");
    assert_int_equal(v->count, 5000);
    assert_int_equal(v->memory, 1 << 20);
    assert_true(v->ratio == -1.5 && v->rate == 2 << 20);
    assert_int_equal(v->delay, 3 * PL_PS_PER_US);
    assert_int_equal(v->policy, 2);
    assert_int_equal(v->sets.count, 2);
    check_text(v->sets.item[0], "x=1");
    check_text(v->sets.item[1], "y=2");
    assert_int_equal(v->paths.count, 2); /* instead of the default */
    check_text(v->paths.item[0], "/one");
    check_text(v->paths.item[1], "/two");
    check_text(v->shared.name, "");
    assert_int_equal(run.operands.count, 2);
    check_text(run.operands.item[0], "a");
    check_text(run.operands.item[1], "b");
    pl_arena_destroy(run.arena);

    run = good("-qfv|-|-fo-|--output|-|--|--quiet|-x|--");
    assert_true(run.values.quiet && run.values.force && run.values.shared.verbose);
    check_text(run.values.output, "-");
    assert_int_equal(run.operands.count, 4);
    check_text(run.operands.item[0], "-");
    check_text(run.operands.item[1], "--quiet");
    check_text(run.operands.item[2], "-x");
    check_text(run.operands.item[3], "--");
    pl_arena_destroy(run.arena);

    run = good("--count|1|--count|2|--output=--quiet|");
    assert_int_equal(run.values.count, 2); /* the last one counts */
    check_text(run.values.output, "--quiet");
    assert_int_equal(run.operands.count, 1);
    check_text(run.operands.item[0], "");
    pl_arena_destroy(run.arena);
}

static void pages_take_the_size_given_anywhere(void **state)
{
    static const struct {
        const char *line;
        uint64_t memory;
    } rows[] = {{"-m|3p", 3 * 4096},
                {"-m|3p|--page-size|16KiB", 3 * 16384},
                {"--page-size=16KiB|-m|3p", 3 * 16384},
                {"--page-size=16KiB", 2 * 16384}, /* the default is in pages, too */
                {"--page-size|8k|-m|3p|--page-size|64k", 3 * 65536},
                {"--page-size=0|-m3p", 3 * 4096}};
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct run run = good(rows[i].line);
        assert_int_equal(run.values.memory, rows[i].memory);
        pl_arena_destroy(run.arena);
    }
}

static void wrong_lines(void **state)
{
    static const struct {
        const char *line, *says;
    } rows[] = {
        {"--quite", "curve: there is no option '--quite'; did you mean '--quiet'?"},
        {"--mem|1MiB", "there is no option '--mem'; did you mean '--memory'?"}, /* no prefixes */
        {"--banana", "there is no option '--banana'"},
        {"--qui=1", "there is no option '--qui'; did you mean '--quiet'?"},
        {"--=x", "there is no option '--'"},
        {"-x", "there is no option '-x'"},
        {"-qx", "there is no option '-x'"},
        {"-\xC3\xA9", "there is no option '-\xC3\xA9'"},
        {"--quiet=yes", "--quiet takes no value"},
        {"--memory", "curve: --memory needs SIZE after it"},
        {"-m", "--memory needs SIZE after it"},
        {"-qm", "--memory needs SIZE after it"},
        {"--output|--quiet", "--output needs FILE after it"},
        {"--memory|8", "curve: --memory: '8' has no unit; write 8MiB, 8KiB or 8p (pages)"},
        {"--memory=", "--memory: '' is not a size"},
        {"--page-size|2p", "--page-size: '2p': a size in pages has no meaning here"},
        {"--page-size|4GiB", "--page-size: a page cannot have 4 GiB or more"},
        {"--count|-1", "--count: '-1': a count cannot be negative"},
        {"--ratio|nan", "--ratio: 'nan' is not a number"},
        {"--ratio|1,5", "'1,5' is not a number"},
        {"--rate|5MiB", "--rate: '5MiB' is not in a unit of rate"},
        {"--delay|5", "--delay: '5' has no unit"},
        {"--policy|clok", "--policy: 'clok' is not one of lru, fifo, clock, opt; did you mean 'clock'?"},
        {"--policy|", "--policy: '' is not one of lru"},
        {"-p|LRU", "'LRU' is not one of lru, fifo, clock, opt; did you mean 'lru'?"},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct run run = parse(rows[i].line);
        if (run.rc != PL_ERR_USAGE)
            fail_msg("'%s' passed", rows[i].line);
        check_says(&run.err, rows[i].says);
        assert_int_equal(run.operands.count, 0);
        pl_arena_destroy(run.arena);
    }
}

static void a_command_without_options(void **state)
{
    const struct pl_command_spec bare = {.name = "bare", .operands = "", .summary = "Does nothing."};
    struct pl_arena *arena = pl_arena_create();
    struct pl_strings operands;
    struct pl_error err;
    char words[3][5] = {"bare", "x", "-y"}, *argv[] = {words[0], words[1], words[2], NULL}, nothing;
    assert_int_equal(pl_options_parse(&bare, 2, argv, &nothing, &operands, arena, &err), PL_OK);
    assert_int_equal(operands.count, 1);
    assert_int_equal(pl_options_parse(&bare, 3, argv, &nothing, &operands, arena, &err), PL_ERR_USAGE);
    assert_int_equal(pl_options_parse(&bare, 3, argv, &nothing, &operands, arena, NULL), PL_ERR_USAGE);
    pl_arena_destroy(arena);
}

static void the_help_page(void **state)
{
    static const char expected[] =
        "Usage: pagelab curve [OPTIONS] TRACE [TRACE...]\n"
        "\n"
        "Computes reads and writes for every memory size.\n"
        "\n"
        "The first paragraph goes on for longer than a line of eighty columns, so that it\n"
        "has to be wrapped.\n"
        "\n"
        "The second one does not:\n"
        "  kept as is\n"
        "\n"
        "Options:\n"
        "  -q, --quiet              Print no table.\n"
        "  -f, --force              Overwrite.\n"
        "  -o, --output FILE        Where the result goes.\n"
        "  -n, --count N            How many touches. (default: 10k)\n"
        "  -m, --memory SIZE        The machine's memory, in bytes with a unit or in\n"
        "                           pages of the trace's own page size, as it says in the\n"
        "                           manual. (default: 2p)\n"
        "  -r, --ratio R            The ratio.\n"
        "      --rate RATE          The rate. (default: 1MiB/s)\n"
        "      --delay TIME         The delay. (default: 2ms)\n"
        "  -p, --policy NAME        Which page leaves. One of: lru, fifo, clock, opt.\n"
        "                           (default: fifo)\n"
        "      --set-a-parameter-by-path KEY=VALUE\n"
        "                           Sets it. May be repeated.\n"
        "  -P, --path DIR           Where to look. May be repeated. (default: /default)\n"
        "      --page-size SIZE     The page size. (default: 4KiB)\n"
        "\n"
        "Shared options:\n"
        "  -v, --verbose            Say more.\n"
        "      --name NAME          A name. (default: nobody)\n"
        "\n"
        "Examples:\n"
        "  A fault table as CSV.\n"
        "    pagelab curve traces/x.trace --csv out.csv\n";
    struct pl_sink *sink;
    assert_int_equal(pl_sink_open_memory(&sink, NULL), PL_OK);
    pl_options_help(&spec, "pagelab", sink);
    const char *page = pl_sink_memory(sink, NULL);
    check_text(page, expected);
    for (const char *line = page; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
    assert_int_equal(pl_sink_close(sink, NULL), PL_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fill_every_field),
        cmocka_unit_test(every_kind_and_spelling),
        cmocka_unit_test(pages_take_the_size_given_anywhere),
        cmocka_unit_test(wrong_lines),
        cmocka_unit_test(a_command_without_options),
        cmocka_unit_test(the_help_page),
    };
    return cmocka_run_group_tests_name("option", tests, NULL, NULL);
}
