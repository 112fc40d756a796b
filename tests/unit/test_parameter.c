/* Parameters: what profiles and the command line say arrives in the struct, and every mistake names its place. */
#include "base/base.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct store {
    uint64_t max_bytes, max_pages;
    double ratio;
    bool dedup;
    int codec;
};

struct machine {
    uint64_t page_bytes, total_bytes;
    struct store store;
    pl_time_ps period_ps;
    double rate;
    uint64_t workers;
    const char *comment;
};

static const char *const codecs[] = {"xpress", "wkdm", "lz4", NULL};

static const struct pl_parameter store_rows[] = {
    {"max_bytes", PL_PARAM_BYTES, offsetof(struct store, max_bytes), "MiB", "1MiB", NULL, "1TiB", "Compressed bytes.", NULL,
     "unlimited"},
    {"max_pages", PL_PARAM_PAGES, offsetof(struct store, max_pages), "pages", "unlimited", "1p", NULL, "Pages.", NULL,
     "unlimited"},
    {"ratio", PL_PARAM_REAL, offsetof(struct store, ratio), NULL, "2", "1", "64", "The model's r."},
    {"dedup", PL_PARAM_FLAG, offsetof(struct store, dedup), NULL, "true", NULL, NULL, "Equal pages once."},
    {"codec", PL_PARAM_CHOICE, offsetof(struct store, codec), NULL, "xpress", NULL, NULL, "The codec.", codecs},
    {NULL},
};

static const struct pl_parameter machine_rows[] = {
    {"memory.page_size", PL_PARAM_BYTES, offsetof(struct machine, page_bytes), "B", "4KiB", "512B", "64KiB", "A page."},
    {"memory.total", PL_PARAM_BYTES, offsetof(struct machine, total_bytes), "MiB", NULL, "64KiB", NULL, "All memory (m)."},
    {"manager.period", PL_PARAM_TIME, offsetof(struct machine, period_ps), "ms", "1s", "1us", "1min", "How often."},
    {"manager.workers", PL_PARAM_COUNT, offsetof(struct machine, workers), NULL, "1", NULL, "1k", "Threads."},
    {"bus.rate", PL_PARAM_RATE, offsetof(struct machine, rate), "MiB/s", "320MiB/s", "1B/s", NULL, "The bus.", NULL,
     "unlimited"},
    {"comment", PL_PARAM_TEXT, offsetof(struct machine, comment), NULL, "", NULL, NULL, "Anything."},
    {NULL},
};

static const struct pl_parameter_group groups[] = {
    {"", machine_rows, 0},
    {"store", store_rows, offsetof(struct machine, store)},
    {NULL},
};

/* --- a folder of profiles ------------------------------------------------------------ */

struct fixture {
    struct pl_arena *arena;
    char folder[64];
    struct pl_parameters *parameters;
    struct pl_error err;
};

static struct pl_parameters *fresh(struct fixture *f)
{
    struct pl_parameters *parameters = NULL;
    assert_int_equal(
        pl_parameters_create(groups, sizeof(struct machine), "memory.page_size", f->arena, &parameters, &f->err), PL_OK);
    return parameters;
}

static int set_up(void **state)
{
    static struct fixture fixture;
    fixture.arena = pl_arena_create();
    snprintf(fixture.folder, sizeof fixture.folder, "parameter-test-XXXXXX");
    if (!mkdtemp(fixture.folder))
        return -1;
    fixture.parameters = fresh(&fixture);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    pl_arena_destroy(f->arena);
    return system(command);
}

static const char *file(struct fixture *f, const char *name, const char *text)
{
    char *path = pl_arena_printf(f->arena, "%s/%s", f->folder, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
    return path;
}

static struct machine finish(struct fixture *f)
{
    struct machine machine;
    enum pl_err rc = pl_parameters_finish(f->parameters, &machine, &f->err);
    if (rc)
        fail_msg("%s", f->err.message);
    return machine;
}

/* Reading (or, when that goes well, finishing) a profile of this text fails with these words in the message. */
static void fails(struct fixture *f, const char *text, const char *words)
{
    struct machine machine = {.workers = 12345};
    const char *path = file(f, "bad.json", text);
    struct pl_parameters *parameters = fresh(f);
    enum pl_err rc = pl_parameters_read(parameters, path, &f->err);
    if (rc == PL_OK)
        rc = pl_parameters_finish(parameters, &machine, &f->err);
    if (rc != PL_ERR_INPUT || f->err.code != PL_ERR_INPUT)
        fail_msg("%s gives %d, not bad input", text, rc);
    if (!strstr(f->err.message, words) || !strstr(f->err.message, "bad.json"))
        fail_msg("%s says '%s', not '%s'", text, f->err.message, words);
    assert_int_equal(machine.workers, 12345); /* outputs untouched */
}

/* --- tests ------------------------------------------------------------------------------ */

static void test_values_arrive(void **state)
{
    struct fixture *f = *state;
    const char *path = file(f, "m.json",
                            "{ \"title\": \"T\", \"about\": \"A\",\n"
                            "  \"memory\": { \"total\": \"8MiB\", \"page_size\": \"8KiB\" },\n"
                            "  \"store\": { \"max_pages\": {\"value\": \"100p\", \"source\": \"document\", \"note\": \"p. 12\"},\n"
                            "    \"max_bytes\": \"10p\", \"ratio\": 2.5, \"dedup\": {\"value\": false}, \"codec\": \"lz4\" },\n"
                            "  \"manager\": { \"workers\": 7, \"period\": \"2ms\" },\n"
                            "  \"bus\": { \"rate\": \"unlimited\" }, \"comment\": \"words\" }");
    assert_int_equal(pl_parameters_read(f->parameters, path, &f->err), PL_OK);
    struct machine m = finish(f);
    assert_int_equal(m.total_bytes, 8 * PL_MIB);
    assert_int_equal(m.page_bytes, 8192);
    assert_int_equal(m.store.max_pages, 100);
    assert_int_equal(m.store.max_bytes, 10 * 8192); /* the page size stands elsewhere in the file */
    assert_true(m.store.ratio == 2.5);
    assert_false(m.store.dedup);
    assert_int_equal(m.store.codec, 2);
    assert_int_equal(m.workers, 7);
    assert_int_equal(m.period_ps, 2 * PL_PS_PER_MS);
    assert_true(isinf(m.rate));
    assert_string_equal(m.comment, "words");
    assert_string_equal(pl_parameters_title(f->parameters), "T");
    assert_string_equal(pl_parameters_about(f->parameters), "A");

    const struct pl_parameter_value *value = pl_parameters_find(f->parameters, "store.max_pages");
    assert_int_equal(value->source, PL_FROM_DOCUMENT);
    assert_string_equal(value->note, "p. 12");
    assert_string_equal(value->text, "100p");
    assert_non_null(strstr(value->place, "m.json:3"));
    assert_true(pl_parameter_shown(pl_parameters_find(f->parameters, "manager.period"), &m) == 2);
    assert_true(pl_parameter_shown(pl_parameters_find(f->parameters, "memory.total"), &m) == 8);
    assert_true(isinf(pl_parameter_number(pl_parameters_find(f->parameters, "bus.rate"), &m)));
}

static void test_defaults_and_overrides(void **state)
{
    struct fixture *f = *state;
    struct machine m;
    assert_int_equal(pl_parameters_finish(f->parameters, &m, &f->err), PL_ERR_INPUT);
    assert_string_equal(f->err.message, "memory.total is missing and has no default");

    assert_int_equal(pl_parameters_override(f->parameters, "memory.total=128p", &f->err), PL_OK);
    assert_int_equal(pl_parameters_override(f->parameters, "store.max_pages=1MiB", &f->err), PL_OK);
    assert_int_equal(pl_parameters_override(f->parameters, "store.max_pages=9KiB", &f->err), PL_OK); /* the last one */
    assert_int_equal(pl_parameters_override(f->parameters, "comment=a=b", &f->err), PL_OK);
    m = finish(f);
    assert_int_equal(m.total_bytes, 128 * 4096);
    assert_int_equal(m.store.max_pages, 2); /* whole pages */
    assert_int_equal(m.store.max_bytes, PL_MIB);
    assert_true(m.rate == 320.0 * (double)PL_MIB);
    assert_string_equal(m.comment, "a=b");
    assert_int_equal(pl_parameters_find(f->parameters, "memory.total")->source, PL_FROM_COMMAND_LINE);
    assert_int_equal(pl_parameters_find(f->parameters, "bus.rate")->source, PL_FROM_DEFAULT);

    static const struct {
        const char *text, *words;
    } wrong[] = {
        {"memory.total", "--set memory.total: write --set NAME=VALUE"},
        {"=5", "write --set NAME=VALUE"},
        {"memory.totl=1MiB", "--set: memory.totl: there is no such parameter; did you mean 'memory.total'?"},
        {"codec=lz4", "did you mean 'store.codec'?"},
        {"store.codec=lz5", "--set: store.codec: 'lz5' is not one of xpress, wkdm, lz4; did you mean 'lz4'?"},
        {"store.max_bytes=8", "--set: store.max_bytes: '8' has no unit; write 8MiB, 8KiB or 8p (pages)"},
        {"store.dedup=yes", "--set: store.dedup: 'yes' is neither true nor false"},
        {"store.ratio=", "--set: store.ratio: '' is not a number"},
        {"manager.period=5", "has no unit"},
        {"manager.workers=unlimited", "not a whole number"},
    };
    for (size_t i = 0; i < PL_COUNT_OF(wrong); i++) {
        assert_int_equal(pl_parameters_override(f->parameters, wrong[i].text, &f->err), PL_ERR_USAGE);
        if (!strstr(f->err.message, wrong[i].words))
            fail_msg("%s says '%s'", wrong[i].text, f->err.message);
    }
    struct machine again = finish(f);
    assert_memory_equal(&m, &again, sizeof m); /* nothing has changed */

    assert_int_equal(pl_parameters_override(f->parameters, "store.ratio=0.5", &f->err), PL_OK);
    assert_int_equal(pl_parameters_finish(f->parameters, &m, &f->err), PL_ERR_USAGE);
    assert_string_equal(f->err.message, "--set: store.ratio: '0.5' is not in the range from 1 to 64");
    assert_int_equal(pl_parameters_fail(f->parameters, "memory.total", &f->err, "less than %d", 3), PL_ERR_USAGE);
    assert_string_equal(f->err.message, "--set: memory.total: less than 3");
}

static void test_profiles_extend_others(void **state)
{
    struct fixture *f = *state;
    file(f, "old.json", "{\"memory\": {\"total\": \"1MiB\"}, \"manager\": {\"workers\": {\"value\": 3, \"source\": \"measured\"}}}");
    file(f, "base.json", "{\"extends\": \"old\", \"title\": \"base\", \"store\": {\"ratio\": 3}}");
    const char *path = file(f, "top.json", "{\"extends\": \"base.json\", \"memory\": {\"total\": \"2MiB\"}}");
    assert_int_equal(pl_parameters_read(f->parameters, path, &f->err), PL_OK);
    struct machine m = finish(f);
    assert_int_equal(m.total_bytes, 2 * PL_MIB);
    assert_int_equal(m.workers, 3);
    assert_true(m.store.ratio == 3);
    assert_true(pl_parameters_find(f->parameters, "manager.workers")->inherited);
    assert_true(pl_parameters_find(f->parameters, "store.ratio")->inherited);
    assert_false(pl_parameters_find(f->parameters, "memory.total")->inherited);
    assert_non_null(strstr(pl_parameters_find(f->parameters, "manager.workers")->place, "old.json:1"));
    assert_string_equal(pl_parameters_title(f->parameters), "");

    file(f, "a.json", "{\"extends\": \"bad\"}");
    fails(f, "{\"extends\": \"a\"}", "bad.json is being read already: a profile cannot extend itself");
    fails(f, "{\"extends\": \"bad\"}", "bad.json is being read already");
    fails(f, "{\"extends\": \"../etc/passwd\"}", "is not the name of a profile beside this one");
    fails(f, "{\"extends\": \"\"}", "is not the name");
    fails(f, "{\"extends\": 3}", "extends: a text was expected");
    file(f, "wrong.json", "{\"store\": {\"ratio\": true}}");
    struct pl_parameters *parameters = fresh(f);
    path = file(f, "top.json", "{\"extends\": \"wrong\", \"store\": {\"ratio\": 2}}");
    assert_int_equal(pl_parameters_read(parameters, path, &f->err), PL_ERR_INPUT); /* also in what is replaced */
    assert_non_null(strstr(f->err.message, "wrong.json:1: store.ratio: a text was expected"));
    path = file(f, "top.json", "{\"extends\": \"nowhere\"}");
    assert_int_equal(pl_parameters_read(parameters, path, &f->err), PL_ERR_INPUT);
    assert_non_null(strstr(f->err.message, "nowhere.json"));
}

static void test_hostile_profiles(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "bad.json"},
        {"[]", "an object was expected"},
        {"{\"store\": 3}", "store: an object was expected"},
        {"{\"store\": {\"codek\": \"lz4\"}}", ":1: store.codek: there is no such key; did you mean 'store.codec'?"},
        {"{\n\n\"codec\": \"lz4\"}", "bad.json:3: codec: there is no such key; did you mean 'store.codec'?"},
        {"{\"extend\": \"x\"}", "did you mean 'extends'?"},
        {"{\"zzzzzzzz\": {\"codec\": 1}}", "zzzzzzzz: there is no such key"},
        {"{\"store.codec\": \"lz4\"}", "there is no such key"},
        {"{\"\": 1}", "there is no such key"},
        {"{\"store\": {\"\": 1}}", "there is no such key"},
        {"{\"store\": {\"codec\": {\"x\": {\"value\": 1}}}}", "codec.x: there is no such key"},
        {"{\"store\": {\"codec\": {}}}", "there is no \"value\" in it"},
        {"{\"store\": {\"codec\": null}}", "a text was expected, not null"},
        {"{\"store\": {\"codec\": [\"lz4\"]}}", "a text was expected"},
        {"{\"store\": {\"codec\": 2}}", "a text was expected, not a number"},
        {"{\"store\": {\"dedup\": \"true\"}}", "true or false was expected"},
        {"{\"store\": {\"dedup\": 1}}", "true or false was expected"},
        {"{\"store\": {\"ratio\": {\"value\": 2, \"sorce\": \"measured\"}}}", "sorce: there is no such key; did you mean 'source'?"},
        {"{\"store\": {\"ratio\": {\"value\": 2, \"source\": \"guess\"}}}", "'guess' is no source"},
        {"{\"store\": {\"ratio\": {\"value\": 2, \"source\": 4}}}", "source: a text was expected"},
        {"{\"store\": {\"ratio\": {\"value\": 2, \"note\": 4}}}", "note: a text was expected"},
        {"{\"store\": {\"ratio\": {\"value\": {\"value\": 2}}}}", "a text was expected, not an object"},
        {"{\"store\": {\"ratio\": 2, \"ratio\": 3}}", "bad.json"},
        {"{\"store\": {\"max_bytes\": 8}}", ":1: store.max_bytes: '8' has no unit"},
        {"{\"store\": {\"max_bytes\": \"8 parsecs\"}}", "there is no unit 'parsecs'"},
        {"{\"store\": {\"max_bytes\": \"2TiB\"}}", "store.max_bytes: '2TiB' is too large; 1TiB is the most"},
        {"{\"store\": {\"max_bytes\": \"99999999999TiB\"}}", "too large"},
        {"{\"store\": {\"max_pages\": \"100B\"}}", "store.max_pages: '100B' is too small; 1p is the least"},
        {"{\"store\": {\"ratio\": 1e400}}", "too large"},
        {"{\"store\": {\"ratio\": 64.5}}", "not in the range from 1 to 64"},
        {"{\"manager\": {\"workers\": -1}}", "cannot be negative"},
        {"{\"manager\": {\"workers\": 2.5}}", "not a whole number"},
        {"{\"manager\": {\"workers\": \"2k\"}}", "'2k' is too large; 1k is the most"},
        {"{\"manager\": {\"period\": \"-1s\"}}", "not in the range from 1us to 1min"},
        {"{\"memory\": {\"page_size\": \"2p\", \"total\": \"1MiB\"}}", "memory.page_size: '2p': a size in pages has no meaning"},
        {"{\"memory\": {\"page_size\": \"1B\", \"total\": \"1MiB\"}}", "not in the range from 512B to 64KiB"},
        {"{}", "memory.total is missing and has no default"},
        {"{\"title\": 3}", "title: a text was expected"},
    };
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++)
        fails(f, cases[i].text, cases[i].words);

    /* Keys and nesting beyond all measure. */
    struct pl_text text = {0};
    pl_text_add(&text, "{\"");
    for (int i = 0; i < 3000; i++)
        pl_text_add(&text, "k");
    pl_text_add(&text, "\": 1}");
    fails(f, text.data, "bad.json:1: kkkk"); /* the message is cut */
    pl_text_clear(&text);
    for (int i = 0; i < 400; i++)
        pl_text_add(&text, "{\"store\":");
    fails(f, text.data, "bad.json");
    pl_text_free(&text);
}

/* Every cut of a good profile is an error that names the file. */
static void test_cut_profiles(void **state)
{
    struct fixture *f = *state;
    static const char good[] = "{\"memory\": {\"total\": {\"value\": \"8MiB\", \"source\": \"fitted\"}}, \"store\": {\"ratio\": 2}}";
    for (size_t length = 0; length < sizeof good - 1; length++)
        fails(f, pl_arena_printf(f->arena, "%.*s", (int)length, good), "bad.json");
}

static void write_to(struct fixture *f, const struct pl_profile_head *head, const char *name, const char **path)
{
    struct pl_sink *sink;
    *path = pl_arena_printf(f->arena, "%s/%s", f->folder, name);
    assert_int_equal(pl_sink_open_path(*path, &sink, &f->err), PL_OK);
    pl_parameters_write(f->parameters, head, sink);
    assert_int_equal(pl_sink_close(sink, &f->err), PL_OK);
}

static void assert_same_values(const struct pl_parameters *a, const struct pl_parameters *b)
{
    for (size_t i = 0; i < pl_parameters_count(a); i++) {
        const struct pl_parameter_value *x = pl_parameters_at(a, i), *y = pl_parameters_at(b, i);
        assert_string_equal(x->text, y->text);
        assert_int_equal(x->source, y->source);
        assert_int_equal(!x->note, !y->note);
        if (x->note)
            assert_string_equal(x->note, y->note);
    }
}

static void test_written_profiles_read_back(void **state)
{
    struct fixture *f = *state;
    struct pl_parameters *first = f->parameters;
    file(f, "base.json", "{\"memory\": {\"total\": \"1MiB\"}, \"store\": {\"dedup\": false, \"ratio\": 3}}");
    const char *path = file(f, "top.json", "{\"extends\": \"base\", \"comment\": \"\\\"quoted\\\" \\u00e9\", \"manager\": "
                                           "{\"workers\": {\"value\": 5, \"source\": \"assumed\", \"note\": \"n\"}}}");
    assert_int_equal(pl_parameters_read(first, path, &f->err), PL_OK);
    assert_int_equal(pl_parameters_override(first, "bus.rate=5MiB/s", &f->err), PL_OK);
    assert_int_equal(pl_parameters_put_number(first, "manager.period", 2.5e9, PL_FROM_FITTED, "from x", "the fit", &f->err), PL_OK);
    assert_int_equal(pl_parameters_put_number(first, "store.max_pages", INFINITY, PL_FROM_FITTED, NULL, "the fit", &f->err), PL_OK);
    struct machine m = finish(f);
    assert_int_equal(m.period_ps, 2500 * PL_PS_PER_US);
    assert_string_equal(pl_parameters_find(first, "manager.period")->text, "2.5ms");

    struct pl_profile_head head = {.title = "t"};
    write_to(f, &head, "all.json", &path);
    f->parameters = fresh(f);
    assert_int_equal(pl_parameters_read(f->parameters, path, &f->err), PL_OK);
    assert_same_values(first, f->parameters);
    struct machine back = finish(f);
    back.comment = m.comment;
    assert_memory_equal(&m, &back, sizeof m);

    f->parameters = first;
    head = (struct pl_profile_head){.extends = "base", .own_only = true};
    write_to(f, &head, "own.json", &path);
    f->parameters = fresh(f);
    assert_int_equal(pl_parameters_read(f->parameters, path, &f->err), PL_OK);
    assert_same_values(first, f->parameters);
    assert_true(pl_parameters_find(f->parameters, "store.ratio")->inherited);
}

static void test_numbers_survive(void **state)
{
    struct fixture *f = *state;
    struct pl_random random = pl_random_named(7, "numbers");
    pl_parameters_override(f->parameters, "memory.total=1MiB", &f->err);
    for (int i = 0; i < 3000; i++) {
        uint64_t bytes = (pl_random_next(&random) >> (11 + pl_random_below(&random, 52))) + 1;
        pl_time_ps time_ps = PL_PS_PER_US + (pl_time_ps)pl_random_below(&random, 59 * (uint64_t)PL_PS_PER_S);
        time_ps -= time_ps % (i % 2 ? 1 : PL_PS_PER_NS * 10);
        double rate = 1 + pl_random_unit(&random) * 1e12;
        if (bytes > UINT64_C(1) << 40)
            bytes = UINT64_C(1) << 40;
        assert_int_equal(pl_parameters_put_number(f->parameters, "store.max_bytes", (double)bytes, PL_FROM_FITTED, NULL, "x", NULL), PL_OK);
        assert_int_equal(pl_parameters_put_number(f->parameters, "manager.period", (double)time_ps, PL_FROM_FITTED, NULL, "x", NULL), PL_OK);
        assert_int_equal(pl_parameters_put_number(f->parameters, "bus.rate", rate, PL_FROM_FITTED, NULL, "x", NULL), PL_OK);
        struct machine m = finish(f);
        assert_int_equal(m.store.max_bytes, bytes);
        assert_int_equal(m.period_ps, time_ps);
        assert_true(m.rate == rate);
    }
}

static void test_copies_go_their_own_way(void **state)
{
    struct fixture *f = *state;
    struct pl_arena *arena = pl_arena_create();
    struct pl_parameters *copy = NULL;
    struct machine m, other;
    pl_parameters_override(f->parameters, "memory.total=1MiB", &f->err);
    assert_int_equal(pl_parameters_copy(f->parameters, arena, &copy, &f->err), PL_OK);
    assert_int_equal(pl_parameters_override(copy, "store.ratio=5", &f->err), PL_OK);
    m = finish(f);
    assert_int_equal(pl_parameters_finish(copy, &other, &f->err), PL_OK);
    assert_true(m.store.ratio == 2 && other.store.ratio == 5);
    assert_int_equal(other.total_bytes, PL_MIB);
    pl_arena_destroy(arena);
}

static void test_documents_and_help(void **state)
{
    struct fixture *f = *state;
    struct pl_sink *sink;
    struct pl_text help = {0};
    pl_parameters_override(f->parameters, "memory.total=3MiB", &f->err);
    struct machine m = finish(f);
    struct pl_document *document = pl_document_create(f->arena, "test", "test");
    pl_parameters_document(f->parameters, &m, document);
    assert_int_equal(pl_sink_open_memory(&sink, &f->err), PL_OK);
    assert_int_equal(pl_document_write_csv(document, sink, &f->err), PL_OK);
    const char *csv = pl_sink_memory(sink, NULL);
    assert_non_null(strstr(csv, "\nmemory.total,3MiB,3,MiB,command line,--set,"));
    assert_non_null(strstr(csv, "\nstore.max_pages,unlimited,,pages,default,,"));
    assert_non_null(strstr(csv, "\nstore.codec,xpress,,"));
    pl_sink_abandon(sink);

    pl_parameters_help(f->parameters, 80, &help);
    assert_false(help.failed);
    assert_non_null(strstr(help.data, "  store.codec\n        The codec. One of xpress, wkdm, lz4. Default: xpress.\n"));
    assert_non_null(strstr(help.data, "All memory (m). At least 64KiB. Must be given."));
    assert_non_null(strstr(help.data, "At most 1TiB, or unlimited. Default: 1MiB."));
    pl_text_free(&help);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_values_arrive, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_defaults_and_overrides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_profiles_extend_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hostile_profiles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cut_profiles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_written_profiles_read_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers_survive, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_copies_go_their_own_way, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_documents_and_help, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
