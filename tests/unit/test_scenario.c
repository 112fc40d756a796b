/* Scenarios: every kind of step becomes the records that it should, values and parameters are what they say, and what is
 * wrong is told with its place. Random programs are compared with a plain expansion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "trace/trace.h"

/* --- reading a scenario whole ------------------------------------------------------------- */

struct record {
    enum pl_op op;
    uint64_t a, b;
    uint8_t flags;
    char text[64];
};

struct run {
    enum pl_err rc;
    struct pl_error err;
    pl_page *page;
    uint8_t *kind;
    size_t touches, room;
    struct record record[2000];
    size_t records;
    struct pl_trace_info info;
};

static void keep(struct run *run, const struct pl_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (run->touches == run->room) {
            run->room = run->room ? 2 * run->room : 1024;
            run->page = realloc(run->page, run->room * sizeof *run->page);
            run->kind = realloc(run->kind, run->room);
        }
        run->page[run->touches] = batch->page[i];
        run->kind[run->touches++] = batch->kind ? batch->kind[i] : PL_READ;
    }
    for (size_t i = 0; i < batch->control_count && run->records < PL_COUNT_OF(run->record); i++) {
        const struct pl_control *control = &batch->control[i];
        struct record *record = &run->record[run->records++];
        *record = (struct record){.op = (enum pl_op)control->op, .a = control->a, .b = control->b, .flags = control->flags};
        snprintf(record->text, sizeof record->text, "%s", control->text ? control->text : "");
    }
}

static struct run *run_text(const char *text, const char *const *parameter, size_t parameters, bool expand)
{
    struct run *run = calloc(1, sizeof *run);
    struct pl_trace *trace;
    struct pl_batch batch;
    const struct pl_trace_options options = {.expand_ranges = expand, .parameter = parameter, .parameter_count = parameters};
    run->rc = pl_trace_open_memory(text, strlen(text), "s.json", &options, &trace, &run->err);
    if (run->rc)
        return run;
    while ((run->rc = pl_trace_next(trace, &batch, &run->err)) == PL_OK)
        keep(run, &batch);
    run->info = *pl_trace_info(trace);
    pl_trace_close(trace);
    return run;
}

static void run_free(struct run *run)
{
    free(run->page);
    free(run->kind);
    free(run);
}

/* One process with these steps; parameters a, b and fill. */
static struct run *run_steps(const char *steps, bool expand)
{
    char *text = malloc(strlen(steps) + 400);
    sprintf(text, "{\"format\": \"pagelab-scenario\", \"version\": 1, \"parameters\": {\"a\": \"8p\", \"b\": 3, \"fill\": \"rand\"},\n"
                  "\"processes\": [{\"name\": \"p\", \"steps\": [\n%s\n]}]}", steps);
    struct run *run = run_text(text, NULL, 0, expand);
    free(text);
    return run;
}

/* --- touches -------------------------------------------------------------------------------- */

static void expect_pages(const char *steps, const char *pages)
{
    struct run *run = run_steps(steps, true);
    char seen[4096] = "";
    size_t length = 0;
    if (run->rc != PL_END)
        fail_msg("%s: %s", steps, run->err.message);
    for (size_t i = 0; i < run->touches && length < 4000; i++)
        length += (size_t)sprintf(seen + length, "%s%u%s", i ? " " : "", run->page[i], run->kind[i] == PL_WRITE ? "w" : "");
    assert_string_equal(seen, pages);
    run_free(run);
}

static void passes_go_over_the_pages_that_they_say(void **state)
{
    (void)state;
    expect_pages("{\"allocate\": \"m\", \"size\": \"4p\"}, {\"touch\": \"m\"}", "0 1 2 3");
    expect_pages("{\"allocate\": \"m\", \"size\": \"4p\"}, {\"touch\": \"m\", \"mode\": \"write\", \"order\": \"backward\"}", "3w 2w 1w 0w");
    expect_pages("{\"allocate\": \"m\", \"size\": \"$a\"}, {\"touch\": \"m\", \"stride\": \"3p\"}", "0 3 6");
    expect_pages("{\"allocate\": \"m\", \"size\": \"$a\"}, {\"touch\": \"m\", \"stride\": \"3p\", \"order\": \"backward\"}", "6 3 0");
    expect_pages("{\"allocate\": \"m\", \"size\": \"$a\"}, {\"touch\": \"m\", \"part\": 0.5}", "0 1 2 3");
    expect_pages("{\"allocate\": \"m\", \"size\": \"$a\"}, {\"touch\": \"m\", \"from\": \"$a / 2\", \"size\": \"2p\"}", "4 5");
    expect_pages("{\"allocate\": \"m\", \"size\": \"16385B\"}, {\"touch\": \"m\"}", "0 1 2 3 4");
    expect_pages("{\"allocate\": \"m\", \"size\": \"2p\"}, {\"repeat\": 2, \"do\": [{\"touch\": \"m\"}, {\"repeat\": \"$b - 1\", \"do\": "
                 "[{\"touch\": \"m\", \"size\": \"1p\"}]}]}", "0 1 0 0 0 1 0 0");
    expect_pages("{\"allocate\": \"m\", \"size\": \"2p\"}, {\"free\": \"m\"}, {\"allocate\": \"m\", \"size\": \"1p\"}, {\"touch\": \"m\"}", "2");
}

static void a_random_order_takes_every_page_once(void **state)
{
    (void)state;
    static const unsigned sizes[] = {1, 2, 3, 17, 1000, 40000};
    for (size_t k = 0; k < PL_COUNT_OF(sizes); k++) {
        char steps[256];
        sprintf(steps, "{\"allocate\": \"m\", \"size\": \"%up\"}, {\"touch\": \"m\", \"order\": \"random\", \"seed\": 5}", sizes[k]);
        struct run *run = run_steps(steps, true);
        assert_int_equal(run->touches, sizes[k]);
        uint8_t *seen = calloc(sizes[k], 1);
        size_t in_place = 0;
        for (size_t i = 0; i < run->touches; i++) {
            assert_int_equal(seen[run->page[i]]++, 0);
            in_place += run->page[i] == i;
        }
        assert_true(sizes[k] < 1000 || in_place < sizes[k] / 50);
        free(seen);
        run_free(run);
    }
    struct run *run = run_steps("{\"allocate\": \"m\", \"size\": \"64p\"}, {\"touch\": \"m\", \"order\": \"uniform\", \"count\": 10000}", true);
    unsigned often[64] = {0};
    assert_int_equal(run->touches, 10000);
    for (size_t i = 0; i < run->touches; i++)
        often[run->page[i]]++;
    for (size_t i = 0; i < 64; i++)
        assert_in_range(often[i], 90, 230);
    run_free(run);
}

/* --- records ----------------------------------------------------------------------------------- */

static const struct record *find(const struct run *run, enum pl_op op, size_t which)
{
    for (size_t i = 0; i < run->records; i++)
        if (run->record[i].op == op && which-- == 0)
            return &run->record[i];
    return NULL;
}

static void every_step_has_its_record(void **state)
{
    (void)state;
    static const struct {
        const char *step;
        enum pl_op op;
        uint64_t a, b;
        unsigned flags;
        const char *text;
    } rows[] = {
        {"{\"phase\": \"one\"}", PL_OP_PHASE, 0, 0, 0, "one"},
        {"{\"allocate\": \"x\", \"size\": \"2p\"}", PL_OP_ALLOCATE, 4, 2, PL_ALLOCATE_COMMIT, ""},
        {"{\"allocate\": \"x\", \"size\": \"2p\", \"kind\": \"reserve\"}", PL_OP_ALLOCATE, 4, 2, PL_ALLOCATE_RESERVE, ""},
        {"{\"allocate\": \"x\", \"size\": \"2p\", \"kind\": \"file\"}", PL_OP_ALLOCATE, 4, 2, PL_ALLOCATE_FILE, ""},
        {"{\"allocate\": \"x\", \"size\": \"2p\", \"kind\": \"section\"}", PL_OP_ALLOCATE, 4, 2, PL_ALLOCATE_SECTION, ""},
        {"{\"allocate\": \"x\", \"size\": \"2p\", \"kind\": \"large\"}", PL_OP_ALLOCATE, 4, 2, PL_ALLOCATE_LARGE, ""},
        {"{\"allocate\": \"x\", \"size\": \"2p\", \"kind\": \"guard\"}", PL_OP_ALLOCATE, 4, 2, PL_ALLOCATE_GUARD, ""},
        {"{\"allocate\": \"x\", \"size\": \"2p\", \"prefault\": true}", PL_OP_ALLOCATE, 4, 2, PL_ALLOCATE_PREFAULT, ""},
        {"{\"free\": \"m\"}", PL_OP_FREE, 0, 4, 0, ""},
        {"{\"prefetch\": \"m\"}", PL_OP_PREFETCH, 0, 4, 0, ""},
        {"{\"lock\": \"m\"}", PL_OP_LOCK, 0, 4, 0, ""},
        {"{\"trim\": \"self\"}", PL_OP_TRIM, 4096, 0, 0, ""},
        {"{\"trim\": \"p\"}", PL_OP_TRIM, 4096, 0, 0, ""},
        {"{\"trim\": \"all\"}", PL_OP_TRIM, UINT64_MAX, 0, 0, ""},
        {"{\"minimise\": \"self\"}", PL_OP_MINIMISE, 4096, 0, 0, ""},
        {"{\"exit\": \"self\"}", PL_OP_EXIT, 4096, 0, 0, ""},
        {"{\"sleep\": \"0.5s\"}", PL_OP_SLEEP, PL_PS_PER_S / 2, 0, 0, ""},
        {"{\"compute\": \"2 * 3ms\"}", PL_OP_COMPUTE, 6 * PL_PS_PER_MS, 0, 0, ""},
        {"{\"list\": \"purge-standby\"}", PL_OP_LIST, 0, 0, 0, ""},
        {"{\"list\": \"flush-modified\"}", PL_OP_LIST, 0, 0, 1, ""},
        {"{\"list\": \"empty-working-sets\"}", PL_OP_LIST, 0, 0, 2, ""},
        {"{\"list\": \"purge-standby0\"}", PL_OP_LIST, 0, 0, 3, ""},
        {"{\"timer\": \"cleaner\", \"every\": \"1s\", \"list\": \"purge-standby\", \"standby_above\": \"1MiB\", \"free_below\": \"8p\"}",
         PL_OP_TIMER, PL_PS_PER_S, 0, 0, "standby>256 free<8"},
        {"{\"timer\": \"stop\"}", PL_OP_TIMER, 0, 0, 0, ""},
        {"{\"touch\": \"m\", \"accesses\": \"all\"}", PL_OP_ACCESSES, 1024, 0, 0, ""},
        {"{\"touch\": \"m\", \"accesses\": 7}", PL_OP_ACCESSES, 7, 0, 0, ""},
        {"{\"touch\": \"m\", \"mode\": \"write\", \"accesses\": \"all\", \"fill\": \"$fill\"}", PL_OP_CONTENT, 0, 4, 0, "rand"},
        {"{\"touch\": \"m\", \"mode\": \"write\", \"fill\": \"index\"}", PL_OP_CONTENT, 0, 4, 0, "same"},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        char steps[512];
        sprintf(steps, "{\"allocate\": \"m\", \"size\": \"4p\"},\n%s, {\"compute\": \"1ns\"}", rows[i].step);
        /* A freed or unwatched process still needs a touch, without which a trace is no trace. */
        if (rows[i].op != PL_OP_FREE && rows[i].op != PL_OP_EXIT)
            strcat(steps, ", {\"touch\": \"m\"}");
        struct run *run = run_steps(steps, false);
        if (run->rc != PL_END && !(run->rc == PL_ERR_INPUT && strstr(run->err.message, "no accesses")))
            fail_msg("%s: %s", rows[i].step, run->err.message);
        size_t which = rows[i].op == PL_OP_ALLOCATE || rows[i].op == PL_OP_COMPUTE ? rows[i].op == PL_OP_ALLOCATE : 0;
        const struct record *record = find(run, rows[i].op, which);
        if (!record)
            fail_msg("%s: no record", rows[i].step);
        assert_int_equal(record->a, rows[i].a);
        assert_int_equal(record->b, rows[i].b);
        assert_int_equal(record->flags, rows[i].flags);
        assert_string_equal(record->text, rows[i].text);
        run_free(run);
    }
}

/* Two copies and another process: each goes on to its mark before the mark is put down. */
static void a_phase_waits_for_everybody(void **state)
{
    (void)state;
    const char *text =
        "{\"format\": \"pagelab-scenario\", \"version\": 1, \"processes\": ["
        "{\"name\": \"two\", \"copies\": 2, \"steps\": [{\"allocate\": \"m\", \"size\": \"(1 + copy) * 4096B\"},"
        " {\"phase\": \"go\"}, {\"touch\": \"m\"}, {\"phase\": \"again\"}, {\"touch\": \"m\"}]},"
        "{\"name\": \"other\", \"threads\": [{\"steps\": [{\"allocate\": \"o\", \"size\": \"1p\"}, {\"phase\": \"go\"}, {\"touch\": \"o\"}]},"
        " {\"steps\": [{\"compute\": \"1us\"}]}]}]}";
    struct run *run = run_text(text, NULL, 0, false);
    char seen[1024] = "";
    assert_int_equal(run->rc, PL_END);
    assert_int_equal(run->info.processes, 3);
    assert_int_equal(run->info.threads, 4);
    for (size_t i = 0; i < run->records; i++)
        switch (run->record[i].op) {
        case PL_OP_ALLOCATE: sprintf(seen + strlen(seen), "A%u ", (unsigned)run->record[i].b); break;
        case PL_OP_PHASE: sprintf(seen + strlen(seen), "%s ", run->record[i].text); break;
        case PL_OP_RANGE: sprintf(seen + strlen(seen), "T%u ", (unsigned)run->record[i].a); break;
        case PL_OP_COMPUTE: strcat(seen, "C "); break;
        default: break;
        }
    assert_string_equal(seen, "A1 A2 A1 C go T0 T1 T3 again T0 T1 ");
    run_free(run);
}

/* --- values ---------------------------------------------------------------------------------------- */

static void values_are_what_they_say(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        unsigned pages;
    } rows[] = {{"8p", 8},          {"32KiB", 8},       {"$a", 8},          {"$a * $b", 24},     {"$a + 2p", 10},
                {"$a - 4KiB", 7},   {"($a + $a) / 4", 4}, {"1MiB / 64", 4}, {"$a / 1p * 2p", 16}, {"- -8p", 8},
                {" 2 * ( 1 + 1 ) * 1p ", 4}, {"0.5 MiB", 128}};
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        char steps[256];
        sprintf(steps, "{\"allocate\": \"m\", \"size\": \"%s\"}, {\"touch\": \"m\", \"size\": \"1p\"}", rows[i].value);
        struct run *run = run_steps(steps, false);
        if (run->rc != PL_END)
            fail_msg("%s: %s", rows[i].value, run->err.message);
        assert_int_equal(find(run, PL_OP_ALLOCATE, 0)->b, rows[i].pages);
        run_free(run);
    }
}

static void parameters_can_be_overridden(void **state)
{
    (void)state;
    const char *text = "{\"format\": \"pagelab-scenario\", \"version\": 1, \"parameters\": {\"size\": \"1p\", \"twice\": \"2 * $size\"},"
                       "\"processes\": [{\"steps\": [{\"allocate\": \"m\", \"size\": \"$twice\"}, {\"touch\": \"m\"}]}]}";
    const char *const good[] = {"size=5p"}, *const bad[] = {"sice=5p"};
    struct run *run = run_text(text, good, 1, false);
    assert_int_equal(find(run, PL_OP_ALLOCATE, 0)->b, 10);
    run_free(run);
    run = run_text(text, bad, 1, false);
    assert_int_equal(run->rc, PL_ERR_USAGE);
    assert_non_null(strstr(run->err.message, "did you mean 'size'"));
    run_free(run);
    run = run_text("R 0\n", good, 1, false);
    assert_int_not_equal(run->rc, PL_OK);
    run_free(run);
}

/* --- what is wrong ------------------------------------------------------------------------------------- */

static void errors_name_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *steps, *says;
    } rows[] = {
        {"{\"tuoch\": \"m\"}", "s.json:3: processes[0].steps[0]: 'tuoch' is no step; did you mean 'touch'"},
        {"{\"sleep\": \"1s\"},\n{\"allocate\": \"m\"}", "s.json:4: processes[0].steps[1]: an allocation needs a size"},
        {"{\"touch\": \"m\"}", "'m' was not allocated before"},
        {"{\"allocate\": \"m\", \"size\": \"4\"}", "a size such as"},
        {"{\"allocate\": \"m\", \"size\": \"4p\", \"kidn\": \"file\"}", "kidn"},
        {"{\"allocate\": \"m\", \"size\": \"4p\", \"kind\": \"fiel\"}", "did you mean 'file'"},
        {"{\"allocate\": \"m\", \"size\": \"$c\"}", "there is no parameter 'c'"},
        {"{\"allocate\": \"m\", \"size\": \"4p *\"}", "'4p *'"},
        {"{\"allocate\": \"m\", \"size\": \"4p + 1s\"}", "different units"},
        {"{\"allocate\": \"m\", \"size\": \"4p * 4p\"}", "two quantities with units"},
        {"{\"allocate\": \"m\", \"size\": \"4p / 0\"}", "divides by zero"},
        {"{\"allocate\": \"m\", \"size\": \"4p - 8p\"}", "from 0"},
        {"{\"allocate\": \"m\", \"size\": \"((((((((((((((((((((((((((((((((((((((((4p\"}", "too deeply"},
        {"{\"allocate\": \"m\", \"size\": \"4p\"}, {\"allocate\": \"m\", \"size\": \"4p\"}", "allocated already"},
        {"{\"allocate\": \"m\", \"size\": \"32TiB\"}", "2^32 - 1 pages"},
        {"{\"allocate\": \"m\", \"size\": \"4p\"}, {\"touch\": \"m\", \"size\": \"5p\"}", "beyond the end of 'm' (4 pages)"},
        {"{\"allocate\": \"m\", \"size\": \"4p\"}, {\"touch\": \"m\", \"from\": \"4p\"}", "behind the end"},
        {"{\"allocate\": \"m\", \"size\": \"4p\"}, {\"touch\": \"m\", \"fill\": \"index\"}", "\"mode\": \"write\""},
        {"{\"allocate\": \"m\", \"size\": \"4p\"}, {\"touch\": \"m\", \"part\": 2}", "a share"},
        {"{\"allocate\": \"m\", \"size\": \"4p\"}, {\"touch\": \"m\", \"stride\": \"100B\"}", "whole number of pages"},
        {"{\"allocate\": \"block\", \"size\": \"4p\"}, {\"touch\": \"blokc\"}", "not allocated before; did you mean 'block'"},
        {"{\"allocate\": \"block\", \"size\": \"4p\"}, {\"free\": \"blck\"}", "not allocated before; did you mean 'block'"},
        {"{\"trim\": \"sefl\"}", "nor the name of a process"},
        {"{\"trim\": \"nobody\"}", "neither 'self', 'all' nor the name of a process"},
        {"{\"repeat\": 3}", "a repeat needs"},
        {"{\"repeat\": 1000000000, \"do\": []}", "a loop that does nothing"},
        {"{\"timer\": \"x\", \"every\": \"1s\"}", "a timer needs"},
        {"{\"sleep\": \"5MiB\"}", "a time such as"},
        {"{\"allocate\": \"m\", \"size\": \"4p\",\n\"fill\": \"file:no such\"}", "s.json:4: processes[0].steps[0].fill: no such: "},
        {"{\"allocate\": \"m\", \"size\": \"4p\", \"fill\": \"file:/dev/null\"}", "/dev/null: is not a file that has pages"},
        {"{\"allocate\": \"m\", \"size\": \"4p\", \"fill\": \"file:/\"}", "/: is not a file that has pages"},
        {"{\"allocate\": \"m\", \"size\": \"4p\", \"fill\": \"file:\"}", "'file:' has no name of a file behind it"},
        {"{\"allocate\": \"m\", \"size\": \"4p\", \"fill\": \"indx\"}", "file:PATH; did you mean 'index'"},
        {"7", "a step is an object"},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct run *run = run_steps(rows[i].steps, false);
        assert_int_equal(run->rc, PL_ERR_INPUT);
        if (!strstr(run->err.message, rows[i].says))
            fail_msg("%s\nsays: %s\nnot:  %s", rows[i].steps, run->err.message, rows[i].says);
        assert_true(!strncmp(run->err.message, "s.json:", 7));
        run_free(run);
    }
    static const char *const broken[] = {
        "{\"format\": \"pagelab-scenario\"}", "{\"format\": \"pagelab-scenario\", \"version\": 2, \"processes\": []}",
        "{\"format\": \"pagelab-scenario\", \"version\": 1, \"processes\": [{}]}",
        "{\"format\": \"pagelab-scenario\", \"version\": 1, \"processes\": [{\"copies\": 99999, \"steps\": []}]}",
        "{\"format\": \"pagelab-scenario\", \"version\": 1, \"processes\": [{\"steps\": [{\"phase\": \"x\"}]}, {\"steps\": [{\"phase\": \"y\"}]}]}",
        "{\"format\": \"pagelab-scenario\", \"version\": 1, \"parameters\": {\"a\": \"$b\", \"b\": \"$a\"}, \"processes\": [{\"steps\": [{\"sleep\": \"$a\"}]}]}",
    };
    for (size_t i = 0; i < PL_COUNT_OF(broken); i++) {
        struct run *run = run_text(broken[i], NULL, 0, false);
        assert_int_equal(run->rc, PL_ERR_INPUT);
        assert_true(run->err.message[0]);
        run_free(run);
    }
}

/* --- random programs ------------------------------------------------------------------------------------- */

struct naive {
    char text[1 << 16];
    size_t length;
    pl_page page[1 << 16];
    uint8_t kind[1 << 16];
    size_t touches;
};

static void random_touch(struct naive *naive, struct pl_random *random, unsigned first, unsigned pages, bool emit)
{
    unsigned from = (unsigned)pl_random_below(random, pages), size = 1 + (unsigned)pl_random_below(random, pages - from);
    unsigned stride = 1 + (unsigned)pl_random_below(random, 4);
    bool back = pl_random_below(random, 2), write = pl_random_below(random, 2);
    if (emit)
        naive->length += (size_t)sprintf(naive->text + naive->length,
            "{\"touch\": \"r%u\", \"from\": \"%up\", \"size\": \"%up\", \"stride\": \"%up\", \"order\": \"%s\", \"mode\": \"%s\"},\n", first,
            from, size, stride, back ? "backward" : "forward", write ? "write" : "read");
    unsigned count = (size + stride - 1) / stride;
    for (unsigned i = 0; i < count && naive->touches < PL_COUNT_OF(naive->page); i++) {
        naive->page[naive->touches] = first + from + stride * (back ? count - 1 - i : i);
        naive->kind[naive->touches++] = write ? PL_WRITE : PL_READ;
    }
}

static void random_programs_are_as_expanded_by_hand(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct naive *naive = calloc(1, sizeof *naive);
        struct pl_random random = pl_random_seeded(seed);
        unsigned next = 0, first[8], pages[8];
        unsigned regions = 1 + (unsigned)pl_random_below(&random, 8);
        for (unsigned i = 0; i < regions; i++) {
            first[i] = next;
            pages[i] = 1 + (unsigned)pl_random_below(&random, 60);
            naive->length += (size_t)sprintf(naive->text + naive->length, "{\"allocate\": \"r%u\", \"size\": \"%up\"},\n", next, pages[i]);
            next += pages[i];
        }
        for (unsigned step = 0; step < 20; step++) {
            unsigned r = (unsigned)pl_random_below(&random, regions), rounds = (unsigned)pl_random_below(&random, 4);
            naive->length += (size_t)sprintf(naive->text + naive->length, "{\"repeat\": %u, \"do\": [", rounds);
            struct pl_random again = random;
            size_t before = naive->touches;
            random_touch(naive, &random, first[r], pages[r], true);
            naive->length -= 2; /* the comma and the new line */
            naive->length += (size_t)sprintf(naive->text + naive->length, "]},\n");
            naive->touches = before;
            for (unsigned round = 0; round < rounds; round++) {
                struct pl_random same = again;
                random_touch(naive, &same, first[r], pages[r], false);
            }
        }
        naive->length += (size_t)sprintf(naive->text + naive->length, "{\"touch\": \"r0\", \"size\": \"1p\"}");
        naive->page[naive->touches] = 0;
        naive->kind[naive->touches++] = PL_READ;
        struct run *run = run_steps(naive->text, true);
        if (run->rc != PL_END)
            fail_msg("seed %u: %s", (unsigned)seed, run->err.message);
        assert_int_equal(run->touches, naive->touches);
        assert_memory_equal(run->page, naive->page, naive->touches * sizeof *naive->page);
        assert_memory_equal(run->kind, naive->kind, naive->touches);
        run_free(run);
        free(naive);
    }
}

/* --- hostile ---------------------------------------------------------------------------------------------- */

/* Bytes of a good file changed at random: an error or a run, never more. */
static void damaged_files_are_refused_or_run(void **state)
{
    (void)state;
    static const char good[] =
        "{\"format\": \"pagelab-scenario\", \"version\": 1, \"parameters\": {\"s\": \"64p\"}, \"processes\": [{\"copies\": 2, \"steps\": ["
        "{\"allocate\": \"m\", \"size\": \"$s\"}, {\"repeat\": 3, \"do\": [{\"touch\": \"m\", \"order\": \"random\", \"mode\": \"write\"}]},"
        "{\"phase\": \"p\"}, {\"trim\": \"self\"}, {\"touch\": \"m\", \"part\": 0.25}, {\"free\": \"m\"}]}]}";
    struct pl_random random = pl_random_seeded(11);
    for (unsigned round = 0; round < 3000; round++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        for (unsigned i = 0; i < 1 + round % 3; i++)
            text[60 + pl_random_below(&random, sizeof good - 62)] = (char)(32 + pl_random_below(&random, 95));
        struct pl_trace *trace;
        struct pl_batch batch;
        struct pl_error err = {PL_OK, ""};
        const struct pl_trace_options options = {.format = "scenario"};
        enum pl_err rc = pl_trace_open_memory(text, strlen(text), "x", &options, &trace, &err);
        if (rc) {
            assert_true(err.message[0]);
            continue;
        }
        for (unsigned i = 0; i < 50 && (rc = pl_trace_next(trace, &batch, &err)) == PL_OK; i++)
            ;
        pl_trace_close(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_go_over_the_pages_that_they_say), cmocka_unit_test(a_random_order_takes_every_page_once),
        cmocka_unit_test(every_step_has_its_record),              cmocka_unit_test(a_phase_waits_for_everybody),
        cmocka_unit_test(values_are_what_they_say),               cmocka_unit_test(parameters_can_be_overridden),
        cmocka_unit_test(errors_name_their_place),                cmocka_unit_test(random_programs_are_as_expanded_by_hand),
        cmocka_unit_test(damaged_files_are_refused_or_run),
    };
    return cmocka_run_group_tests_name("scenario", tests, NULL, NULL);
}
