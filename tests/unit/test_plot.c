/* Pictures: every figure in every form, fallbacks with a gnuplot that lacks things, and names that mean harm.
 *
 * A gnuplot of our own stands first in PATH where a case needs a poorer one: a script that answers as told. Every test
 * works in an empty folder, so that a file which a hostile title made would be seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *usual_path;

/* One folder for the pictures and a bin/ for the fake gnuplot. */
struct state {
    struct pl_arena *arena;
    char folder[64], terminals[4096];
    struct pl_error err;
    struct pl_plot_outcome outcome;
};

static void write_file(const char *path, const char *text, int mode)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, (mode_t)mode), 0);
}

/* Reads a picture whole; NULL when it is not there. */
static char *read_file(struct state *test, const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    struct pl_text text = {0};
    char piece[4096];
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
        pl_text_add_bytes(&text, piece, got);
    fclose(file);
    char *copy = pl_arena_alloc(test->arena, text.length + 1, 1);
    assert_non_null(copy);
    if (text.length)
        memcpy(copy, text.data, text.length);
    *length = text.length;
    pl_text_free(&text);
    return copy;
}

static int set_up(void **state)
{
    static struct state fresh;
    fresh = (struct state){.arena = pl_arena_create(), .folder = "/tmp/pagelab-test-XXXXXX"};
    *state = &fresh;
    if (!fresh.arena || !mkdtemp(fresh.folder) || chdir(fresh.folder) || mkdir("bin", 0700))
        return -1;
    setenv("PATH", usual_path, 1);
    struct pl_gnuplot_folder folder = {""};
    struct pl_text terminals = {0};
    bool missing = false;
    if (pl_gnuplot_folder_make(&folder, NULL) == PL_OK)
        pl_gnuplot_terminals(&folder, &terminals, &missing, NULL);
    snprintf(fresh.terminals, sizeof fresh.terminals, "%s", terminals.data ? terminals.data : "");
    pl_gnuplot_folder_remove(&folder);
    pl_text_free(&terminals);
    return 0;
}

static int tear_down(void **state)
{
    struct state *test = *state;
    char command[160];
    setenv("PATH", usual_path, 1);
    pl_arena_destroy(test->arena);
    snprintf(command, sizeof command, "rm -r %s", test->folder);
    return chdir("/") || system(command);
}

static bool has_terminal(const struct state *test, const char *name)
{
    char spaced[32];
    snprintf(spaced, sizeof spaced, " %s ", name);
    return strstr(test->terminals, spaced) != NULL;
}

static void need_terminal(const struct state *test, const char *name)
{
    if (!has_terminal(test, name)) {
        print_message("gnuplot is missing or has no terminal %s\n", name);
        skip();
    }
}

/* A gnuplot in front of the real one. `body` runs with $real set to the real one's path. */
static void fake_gnuplot(struct state *test, const char *body)
{
    char *path = pl_arena_printf(test->arena, "%s/bin:%s", test->folder, usual_path);
    char *script = pl_arena_printf(
        test->arena, "#!/bin/sh\nreal=$(PATH='%s' command -v gnuplot)\n%s\n", usual_path, body);
    write_file("bin/gnuplot", script, 0700);
    setenv("PATH", path, 1);
}

/* --- inputs ------------------------------------------------------------------------- */
static const char fault_table[] = "# rule: demand-zero\nmemory_mb,memory_pages,reads,writes,cold\n"
                                  "6,1536,229089,84533,9\n8,2048,55594,37106,9\n12,3072,14815,17599,9\n"
                                  "16,4096,5044,0,9\n";
static const char model_curve[] = "# m_mb: 8\n# r: 1.6\n# cd_s: 0.002\nd_mb,read_s,write_s,frac_s,total_s,extrapolated\n"
                                  "0,111,74,3,188,false\n0.5,76,62,3,141,false\n1,74,60,3,137,false\n"
                                  "2,260,90,3,353,false\n3,800,168,3,971,true\n";
static const char family[] = "d_mb,r,total_s\n0,1,5\n1,1,4\n2,1,6\n0,2,5\n1,2,-1\n2,2,3\n";

static struct pl_result *load(struct state *test, const char *text, const char *name)
{
    struct pl_result *result = pl_arena_alloc(test->arena, 1, sizeof *result);
    assert_non_null(result);
    assert_int_equal(pl_result_read_text(text, strlen(text), name, test->arena, result, &test->err), PL_OK);
    return result;
}

/* Draws one result given as text. */
static enum pl_err draw(struct state *test, const char *text, const char *name, const char *path,
                        const struct pl_plot_options *options)
{
    struct pl_result *result = load(test, text, name);
    enum pl_err rc = pl_plot_results(result, 1, path, options, &test->outcome, &test->err);
    pl_result_close(result);
    return rc;
}

static void assert_drawn(struct state *test, enum pl_err rc)
{
    if (rc)
        fail_msg("%s", test->err.message);
    assert_true(test->outcome.drawn);
    size_t length;
    assert_non_null(read_file(test, test->outcome.path, &length));
    assert_true(length > 0);
}

static void assert_says(const struct state *test, const char *part)
{
    if (!strstr(test->err.message, part))
        fail_msg("'%s' lacks '%s'", test->err.message, part);
}

/* --- every figure in every form -------------------------------------------------------- */
static bool ends_with(const char *bytes, size_t length, const char *tail, size_t within)
{
    size_t n = strlen(tail);
    for (size_t back = n; back <= length && back <= within; back++)
        if (!memcmp(bytes + length - back, tail, n))
            return true;
    return false;
}

static void check_svg(const char *bytes, size_t length, const char *const *words)
{
    assert_non_null(strstr(bytes, "<svg"));
    assert_non_null(strstr(bytes, "viewBox=\"0 0 640 400\""));
    assert_true(ends_with(bytes, length, "</svg>", 16));
    for (; *words; words++)
        if (!strstr(bytes, *words))
            fail_msg("the svg lacks '%s'", *words);
}

static unsigned big_endian(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (unsigned)b[0] << 24 | (unsigned)b[1] << 16 | (unsigned)b[2] << 8 | b[3];
}

static void check_png(const char *bytes, size_t length)
{
    assert_true(length > 2000);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal(big_endian(bytes + 16), 640);
    assert_int_equal(big_endian(bytes + 20), 400);
    assert_memory_equal(bytes + length - 8, "IEND", 4);
}

static void check_text(const char *bytes, size_t length, const char *const *words)
{
    assert_true(bytes[length - 1] == '\n' && bytes[0] != '\n' && !strstr(bytes, " \n"));
    for (; *words; words++)
        if (!strstr(bytes, *words))
            fail_msg("the text lacks '%s':\n%s", *words, bytes);
}

static void draw_all_forms(struct state *test, const char *input, const char *const *in_svg, const char *const *in_text)
{
    struct pl_plot_options options = {.title = "A heading", .width = 640, .height = 400};
    size_t length;
    char *bytes;
    assert_drawn(test, draw(test, input, "runs/gcc.csv", "a.svg", &options));
    bytes = read_file(test, "a.svg", &length);
    check_svg(bytes, length, in_svg);
    if (has_terminal(test, "pngcairo") || has_terminal(test, "png")) {
        assert_drawn(test, draw(test, input, "runs/gcc.csv", "a.png", &options));
        bytes = read_file(test, "a.png", &length);
        check_png(bytes, length);
    }
    if (has_terminal(test, "pdfcairo")) {
        assert_drawn(test, draw(test, input, "runs/gcc.csv", "a.pdf", &options));
        bytes = read_file(test, "a.pdf", &length);
        assert_memory_equal(bytes, "%PDF-", 5);
        assert_true(ends_with(bytes, length, "%%EOF", 16));
    }
    options.width = 90;
    options.height = 30;
    assert_drawn(test, draw(test, input, "runs/gcc.csv", "a.txt", &options));
    bytes = read_file(test, "a.txt", &length);
    check_text(bytes, length, in_text);
    assert_string_equal(test->outcome.note, "");
}

static void fault_table_in_every_form(void **state)
{
    struct state *test = *state;
    static const char *const in_svg[] = {"A heading", "memory (MB)", "pages read and written (thousands)", ">reads (",
                                         ">writes (", ">pages<", ">4096<", "rule demand-zero", NULL};
    static const char *const in_text[] = {"A heading", "memory (MB)", "reads (", "writes (", NULL};
    need_terminal(test, "svg");
    need_terminal(test, "dumb");
    draw_all_forms(test, fault_table, in_svg, in_text);
}

static void model_curve_in_every_form(void **state)
{
    struct state *test = *state;
    static const char *const in_svg[] = {"A heading", "memory given to the compressed cache, d (MB)", ">total<",
                                         ">by reads<", ">by writes<", ">by additional writes (frac)<", ">no cache<",
                                         ">best at d = 1 MB: 137 s lost<", ">outside the table: extrapolated",
                                         ">m = 8 MB, r = 1.6, cd = 2 ms<", NULL};
    static const char *const in_text[] = {"A heading", "best at d = 1 MB: 137 s lost", "by reads", "extrapolated",
                                          NULL};
    need_terminal(test, "svg");
    need_terminal(test, "dumb");
    draw_all_forms(test, model_curve, in_svg, in_text);
}

/* The least that each kind needs, drawn: a new figure without a row here is found. */
static void every_figure_draws_its_least(void **state)
{
    static const struct {
        const char *name, *text, *in_svg;
    } least[] = {
        {"fit", "series,memory_mb,given,fitted,left_out_percent\nreads,1,20,19,5\nreads,2,10,11,-5\n", ">reads, as measured<"},
        {"model-curve", "d_mb,total_s\n0,2\n1,1\n", ">total"},
        {"fault-table", "memory_mb,reads\n1,2\n2,1\n", ">reads ("},
        {"time-line", "time_s,active_pages,standby_pages,free_pages,store_bytes\n0,1,2,900,0\n1,300,200,403,9999\n2,500,200,203,19999\n",
         ">standby<"},
        {"phases", "phase,run_s,wait_disk_s,decompress_s\nfirst,1,2,0\nsecond,2,0,1\n", ">wait for disk<"},
        {"fault-latency", "kind,median_us,p90_us,p99_us,p999_us\nhard,5000,9000,20000,40000\nstore,5,6,9,30\n", ">1 in 100<"},
        {"heat-map", "r,d_mb,total_s\n1,0,4\n1,1,3\n2,0,2\n2,1,1\n", ">least: 1 at r 2, d_mb 1<"},
        {"sweep-line", "policy,r,total_s\nlru,1,4\nlru,2,2\nfifo,1,5\nfifo,2,3\n", ">least: 2 at r 2, lru<"},
        {"predicted", "measured,predicted,unit,class\n3,2.9,s,predicted\n400,410,ms,calibrated\n", ">used for the fit<"},
        {"memory", "phase,in_use_mib,compressed_mib,standby_mib,free_mib\nfirst,5,1,2,9\nsecond,6,2,1,9\n", ">compressed<"},
        {"tools", "phase,name,commit_kib,vmmap_committed_kib,rammap_large_kib\nx,one,4,2048,0\nx,two,4,2048,2048\n", ">two<"},
        {"processes", "phase,name,page_faults,private_kib,virtual_kib\nfirst,a,3,4096,9000\nsecond,a,5,4096,9000\n",
         ">second<"},
        {"activity", "time_s,cpus_busy,disk_use,hard_faults\n1,0.5,0.1,20\n2,1,0.9,400\n", ">hard<"},
        {"store-line", "time_s,store_bytes\n0,0\n1,5000000\n2,4000000\n", ">least<"},
        {"zeroing", "zero_take,zero_batch,zero_lock_kind,zero_threads,zero_s_per_gib\npages,1,spin,1,0.15\npages,1,spin,39,26\n"
                    "half,1,queued,1,0.15\nhalf,1,queued,39,4\n", ">half of what is left, queued<"},
        {"page-map", "touch,page,touches\n0,0,5\n16,8,1\n", ">touches<"},
    };
    struct state *test = *state;
    size_t length;
    need_terminal(test, "svg");
    for (size_t i = 0; pl_figures[i]; i++) {
        size_t k = 0;
        while (k < PL_COUNT_OF(least) && strcmp(least[k].name, pl_figures[i]->name))
            k++;
        assert_true(k < PL_COUNT_OF(least));
        const struct pl_plot_options options = {.figure = least[k].name};
        assert_drawn(test, draw(test, least[k].text, "least.csv", "least.svg", &options));
        assert_non_null(strstr(read_file(test, "least.svg", &length), least[k].in_svg));
    }
}

/* An export of a sweep says what varied, which decides between a map and lines; zeroing has a figure of its own. */
static void sweeps_draw_what_varied(void **state)
{
    static const struct {
        const char *text, *in_svg;
    } cases[] = {
        {"# kind: sweep\n# axis_1: r\npoint,r,elapsed_s\n0,1,4\n1,2,2\n2,4,3\n", ">Over one parameter"},
        {"# kind: sweep\n# axis_1: policy\n# axis_2: r\npoint,policy,r,elapsed_s\n0,lru,1,4\n1,fifo,2,2\n", ">fifo<"},
        {"# kind: sweep\n# axis_1: policy\npoint,policy,elapsed_s\n0,lru,4\n1,fifo,2\n", ">least: 2 at policy fifo<"},
        {"# kind: sweep\n# axis_1: r\n# axis_2: s\npoint,r,s,elapsed_s\n0,1,1,4\n1,2,1,2\n2,1,2,3\n3,2,2,1\n",
         ">Over two parameters"},
        {"# kind: sweep\n# axis_1: zero_batch\n# axis_2: zero_threads\npoint,zero_batch,zero_threads,zero_s_per_gib\n"
         "0,1,1,0.15\n1,8,2,0.2\n",
         ">What zeroing a GiB costs"},
    };
    struct state *test = *state;
    size_t length;
    need_terminal(test, "svg");
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        const struct pl_plot_options options = {0};
        assert_drawn(test, draw(test, cases[i].text, "swept.csv", "swept.svg", &options));
        assert_non_null(strstr(read_file(test, "swept.svg", &length), cases[i].in_svg));
    }
}

/* --- what is drawn ------------------------------------------------------------------------ */
static void the_optimum_of_the_model_stands_over_the_rows(void **state)
{
    struct state *test = *state;
    need_terminal(test, "svg");
    const char *text = "# optimum_d_mb: 0.794\n# optimum_total_s: 130.696\nd_mb,total_s\n0,185\n1,134\n2,345\n";
    size_t length;
    assert_drawn(test, draw(test, text, "m.csv", "m.svg", NULL));
    assert_non_null(strstr(read_file(test, "m.svg", &length), ">best at d = 0.794 MB: 130.7 s lost<"));
}

static void no_optimum_outside_the_table(void **state)
{
    struct state *test = *state;
    need_terminal(test, "svg");
    size_t length;
    assert_drawn(test, draw(test, "d_mb,total_s,extrapolated\n0,5,0\n1,4,0\n2,-9,1\n", "m.csv", "m.svg", NULL));
    assert_non_null(strstr(read_file(test, "m.svg", &length), ">best at d = 1 MB: 4 s lost<"));
    assert_drawn(test, draw(test, "d_mb,total_s,extrapolated\n0,5,1\n1,4,1\n", "m.csv", "m.svg", NULL));
    assert_null(strstr(read_file(test, "m.svg", &length), ">best at"));
}

static void two_swept_parameters_are_a_family(void **state)
{
    struct state *test = *state;
    need_terminal(test, "svg");
    size_t length;
    assert_drawn(test, draw(test, family, "m.csv", "m.svg", NULL));
    const char *svg = read_file(test, "m.svg", &length);
    assert_non_null(strstr(svg, ">r = 1: 4 s lost at 1 MB<"));
    assert_non_null(strstr(svg, ">r = 2: 1 s gained at 1 MB<"));
}

static void several_tables_share_a_picture(void **state)
{
    struct state *test = *state;
    need_terminal(test, "svg");
    struct pl_result both[] = {*load(test, fault_table, "a/gcc.csv"), *load(test, "memory_mb,reads\n1,5\n2,3\n", "jq.csv")};
    size_t length;
    assert_drawn(test, pl_plot_results(both, 2, "m.svg", NULL, &test->outcome, &test->err));
    const char *svg = read_file(test, "m.svg", &length);
    assert_non_null(strstr(svg, ">gcc, reads<"));
    assert_non_null(strstr(svg, ">jq, reads<"));
    struct pl_result mixed[] = {both[0], *load(test, model_curve, "m.csv")};
    assert_int_equal(pl_plot_results(mixed, 2, "n.svg", NULL, &test->outcome, &test->err), PL_ERR_INPUT);
    assert_says(test, "do not go into one picture");
    for (size_t i = 0; i < 2; i++)
        pl_result_close(&both[i]);
    pl_result_close(&mixed[1]);
}

static void axes_are_logarithmic_when_asked_or_needed(void **state)
{
    struct state *test = *state;
    need_terminal(test, "svg");
    const struct pl_plot_options logarithmic = {.log = PL_PLOT_LOG_XY}, linear = {.log = PL_PLOT_LOG_NONE};
    /* Half of the reads are gone at a fiftieth of the memory, and most rows are under a hundredth of the height. */
    const char *steep = "memory_mb,reads\n1,1000000\n2,400\n50,300\n100,200\n200,0\n";
    size_t length;
    assert_drawn(test, draw(test, fault_table, "t.csv", "t.svg", &logarithmic));
    const char *svg = read_file(test, "t.svg", &length);
    assert_true(strstr(svg, "memory (MB), log scale") && strstr(svg, "written, log scale"));
    assert_drawn(test, draw(test, fault_table, "t.csv", "t.svg", NULL));
    assert_null(strstr(read_file(test, "t.svg", &length), "log scale"));
    assert_drawn(test, draw(test, steep, "t.csv", "t.svg", NULL));
    assert_non_null(strstr(read_file(test, "t.svg", &length), "memory (MB), log scale"));
    assert_drawn(test, draw(test, steep, "t.csv", "t.svg", &linear));
    assert_null(strstr(read_file(test, "t.svg", &length), "log scale"));
}

/* A row for every page of a large trace makes neither a large picture nor another one. */
static void long_tables_are_thinned(void **state)
{
    struct state *test = *state;
    need_terminal(test, "svg");
    struct pl_text text = {0};
    size_t length;
    pl_text_add(&text, "memory_pages,reads,writes\n");
    for (int m = 0; m <= 100000; m++)
        pl_text_addf(&text, "%d,%d,%d\n", m, 1000000 - 10 * m, 100000 - m);
    assert_drawn(test, draw(test, text.data, "t.csv", "t.svg", NULL));
    pl_text_free(&text);
    const char *svg = read_file(test, "t.svg", &length);
    assert_true(length < 300000);
    assert_non_null(strstr(svg, "memory (MB)"));
}

static void refused_before_gnuplot_is_asked(void **state)
{
    static const struct {
        const char *text, *path, *figure;
        enum pl_plot_log log;
        enum pl_err code;
        const char *part;
    } cases[] = {
        {fault_table, "t.jpg", NULL, 0, PL_ERR_USAGE, "ends in .svg, .png, .pdf or .txt"},
        {fault_table, "t.svg", "fault-tabel", 0, PL_ERR_USAGE, "did you mean 'fault-table'?"},
        {fault_table, "t.svg", "model-curve", 0, PL_ERR_INPUT, "no table that can be drawn"},
        {"memory_mb,hits\n1,2\n", "t.svg", NULL, 0, PL_ERR_INPUT, "memory_mb, hits"},
        {"memory_mb,reads\n", "t.svg", NULL, 0, PL_ERR_INPUT, "no rows"},
        {"memory_mb,reads\n1,2\n2,x\n", "t.svg", NULL, 0, PL_ERR_INPUT, "in.csv:3: reads is not a number"},
        {"memory_mb,reads\n1,\n", "t.svg", NULL, 0, PL_ERR_INPUT, "reads has no numbers"},
        {"memory_mb,reads\n1,0\n", "t.svg", NULL, PL_PLOT_LOG_Y, PL_ERR_USAGE, "all counts are 0"},
        {"d_mb,total_s\n1,5\n", "t.svg", NULL, 0, PL_ERR_INPUT, "a point is no curve to draw"},
        {"d_mb,total_s\n1,5\n2,-1\n", "t.svg", NULL, PL_PLOT_LOG_Y, PL_ERR_USAGE, "no place for 0 and gains"},
        {"d_mb,m_mb,r,total_s\n1,1,1,5\n2,2,2,-1\n", "t.svg", NULL, 0, PL_ERR_INPUT, "more than two parameters"},
    };
    struct state *test = *state;
    setenv("PATH", "/nowhere", 1);
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        const struct pl_plot_options options = {.figure = cases[i].figure, .log = cases[i].log};
        assert_int_equal(draw(test, cases[i].text, "in.csv", cases[i].path, &options), cases[i].code);
        assert_says(test, cases[i].part);
    }
}

/* --- names that mean harm --------------------------------------------------------------------- */
static void nothing_in_a_title_is_run(void **state)
{
    static const char *const titles[] = {
        "x'; system('touch HARM'); y='", "`touch HARM`", "x\n!touch HARM\n", "@heading {/Symbol a} a_b^2 <b> & \"q\" \\n",
        "'.system(\"touch HARM\").'", "# comment", "\\'; system('touch HARM') #", "%s %n %d",
    };
    struct state *test = *state;
    need_terminal(test, "svg");
    for (size_t i = 0; i < PL_COUNT_OF(titles); i++) {
        const char *names[] = {titles[i]};
        const struct pl_plot_options options = {.title = titles[i], .names = {names, 1}};
        struct pl_result both[] = {*load(test, fault_table, titles[i]), *load(test, fault_table, "|touch HARM")};
        assert_drawn(test, pl_plot_results(both, 2, "t.svg", &options, &test->outcome, &test->err));
        pl_result_close(&both[0]);
        pl_result_close(&both[1]);
        assert_int_equal(access("HARM", F_OK), -1);
    }
    size_t length;
    const struct pl_plot_options marked_up = {.title = titles[3]};
    assert_drawn(test, draw(test, fault_table, "t.csv", "t.svg", &marked_up));
    assert_non_null(strstr(read_file(test, "t.svg", &length),
                           ">@heading {/Symbol a} a_b^2 &lt;b> &amp; \"q\" \\n<"));
}

static void a_picture_may_have_any_name(void **state)
{
    struct state *test = *state;
    need_terminal(test, "svg");
    static const char *const paths[] = {"|touch HARM.svg", "it's.svg", "<x `touch HARM`.svg", "-x.svg"};
    for (size_t i = 0; i < PL_COUNT_OF(paths); i++) {
        assert_drawn(test, draw(test, fault_table, "t.csv", paths[i], NULL));
        assert_string_equal(test->outcome.path, paths[i]);
        assert_int_equal(access("HARM", F_OK), -1);
    }
    assert_int_equal(draw(test, fault_table, "t.csv", "no/such/folder.svg", NULL), PL_ERR_RESOURCE);
}

/* --- a poorer gnuplot ------------------------------------------------------------------------------ */
/* Answers the probe with `terminals`, and draws with the real gnuplot. */
static void gnuplot_with(struct state *test, const char *terminals)
{
    fake_gnuplot(test, pl_arena_printf(test->arena,
                                       "case $3 in *GPVAL_TERMINALS*) echo 'terminals:  %s ';; *) exec $real \"$@\";; esac",
                                       terminals));
}

static void falls_back_and_says_so(void **state)
{
    static const struct {
        const char *terminals, *path, *drawn, *note;
    } cases[] = {
        {"dumb pngcairo xterm", "t.svg", "t.png", "cannot draw an svg; drew a png instead: t.png"},
        {"dumb", "t.svg", "t.txt", "cannot draw an svg; drew a text instead: t.txt"},
        {"dumb svg", "t.png", "t.svg", "cannot draw a png; drew an svg instead: t.svg"},
        {"dumb svg", "t.pdf", "t.svg", "cannot draw a pdf; drew an svg instead: t.svg"},
        {"dumb", "t.pdf", "t.txt", "cannot draw a pdf; drew a text instead: t.txt"},
        {"dumb mysvg svgx", "t.svg", "t.txt", "drew a text instead"},
    };
    struct state *test = *state;
    need_terminal(test, "svg");
    need_terminal(test, "pngcairo");
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        unlink(cases[i].path);
        unlink(cases[i].drawn);
        gnuplot_with(test, cases[i].terminals);
        assert_drawn(test, draw(test, fault_table, "f.csv", cases[i].path, NULL));
        assert_string_equal(test->outcome.path, cases[i].drawn);
        if (!strstr(test->outcome.note, cases[i].note) || strchr(test->outcome.note, '\n'))
            fail_msg("'%s' lacks '%s'", test->outcome.note, cases[i].note);
        assert_int_equal(access(cases[i].path, F_OK), -1); /* no png under the name of an svg */
    }
}

static void fails_with_one_line(void **state)
{
    static const struct {
        const char *body, *part;
    } cases[] = {
        {"case $3 in *TERMINALS*) echo 'terminals:  xterm ';; esac", "no terminal for svg, png, pdf or text"},
        {"echo broken >&2; exit 4", "does not say what it can draw (exit status 4: broken)"},
        {"exit 0", "does not say what it can draw (exit status 0)"},
        {"case $3 in *TERMINALS*) echo 'terminals:  svg ';; *) printf 'a\\n  ^\\n\\033bad\\nthings\\n\\n' >&2; exit 1;; esac",
         "gnuplot failed (exit status 1): things"},
        {"case $3 in *TERMINALS*) echo 'terminals:  svg ';; esac", "gnuplot left no picture (exit status 0)"},
        {"case $3 in *TERMINALS*) echo 'terminals:  svg ';; *) kill -9 $$;; esac", "gnuplot failed (exit status 137)"},
    };
    struct state *test = *state;
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        write_file("t.svg", "the old one", 0600);
        fake_gnuplot(test, cases[i].body);
        assert_int_equal(draw(test, fault_table, "f.csv", "t.svg", NULL), PL_ERR_RESOURCE);
        assert_says(test, cases[i].part);
        assert_null(strchr(test->err.message, '\n'));
        assert_false(test->outcome.drawn);
        size_t length;
        assert_string_equal(read_file(test, "t.svg", &length), "the old one");
    }
}

static void a_missing_gnuplot_does_not_fail_a_document(void **state)
{
    struct state *test = *state;
    const struct pl_column columns[] = {{"memory_mb", "memory", "MB", PL_VALUE_REAL, 0},
                                        {"reads", "reads", "", PL_VALUE_COUNT, 0}};
    struct pl_document *document = pl_document_create(test->arena, "curve", "A curve");
    pl_document_parameter(document, "trace", "trace", "", pl_value_text("traces/jq.lk.gz"));
    struct pl_document_table *table = pl_document_table(document, "curve", "", columns, 2);
    for (unsigned i = 1; i < 9; i++)
        pl_document_row(table, (struct pl_value[]){pl_value_real(i), pl_value_count(1000 / i)});

    if (has_terminal(test, "svg")) {
        size_t length;
        assert_drawn(test, pl_plot_document(document, "d.svg", NULL, &test->outcome, &test->err));
        assert_non_null(strstr(read_file(test, "d.svg", &length), ">Page-file reads and writes by memory size: jq.lk<"));
    }
    setenv("PATH", "/nowhere", 1);
    assert_int_equal(pl_plot_document(document, "e.svg", NULL, &test->outcome, &test->err), PL_OK);
    assert_true(!test->outcome.drawn && test->outcome.no_gnuplot);
    assert_non_null(strstr(test->outcome.note, "gnuplot is not installed"));
    assert_int_equal(access("e.svg", F_OK), -1);
    assert_int_equal(draw(test, fault_table, "f.csv", "e.svg", NULL), PL_ERR_RESOURCE);
    assert_says(test, "gnuplot is not installed");
}

/* --- the folder in between ---------------------------------------------------------------------------- */
static void nothing_stays_in_the_temporary_folder(void **state)
{
    struct state *test = *state;
    need_terminal(test, "svg");
    assert_int_equal(mkdir("it's tmp", 0700), 0);
    setenv("TMPDIR", pl_arena_printf(test->arena, "%s/it's tmp", test->folder), 1);
    enum pl_err good = draw(test, fault_table, "f.csv", "t.svg", NULL);
    bool drawn = test->outcome.drawn;
    fake_gnuplot(test, "exit 1");
    enum pl_err bad = draw(test, fault_table, "f.csv", "t.svg", NULL);
    unsetenv("TMPDIR");
    assert_true(good == PL_OK && drawn && bad == PL_ERR_RESOURCE);
    assert_int_equal(rmdir("it's tmp"), 0); /* empty again */
}

static void scripts_are_found_where_the_user_says(void **state)
{
    struct state *test = *state;
    char path[4096];
    assert_int_equal(mkdir("-plots", 0700), 0);
    write_file("-plots/fault-table.gp", "", 0600);
    setenv("PAGELAB_PLOTS", "-plots", 1);
    enum pl_err mine = pl_gnuplot_script("fault-table", path, sizeof path, NULL);
    enum pl_err missing = pl_gnuplot_script("no-such-figure", path + 200, sizeof path - 200, &test->err);
    unsetenv("PAGELAB_PLOTS");
    assert_int_equal(mine, PL_OK);
    assert_string_equal(path, "./-plots/fault-table.gp");
    assert_int_equal(missing, PL_ERR_RESOURCE);
    assert_says(test, "no-such-figure.gp");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(fault_table_in_every_form),
        TEST(model_curve_in_every_form),
        TEST(every_figure_draws_its_least),
        TEST(sweeps_draw_what_varied),
        TEST(the_optimum_of_the_model_stands_over_the_rows),
        TEST(no_optimum_outside_the_table),
        TEST(two_swept_parameters_are_a_family),
        TEST(several_tables_share_a_picture),
        TEST(axes_are_logarithmic_when_asked_or_needed),
        TEST(long_tables_are_thinned),
        TEST(refused_before_gnuplot_is_asked),
        TEST(nothing_in_a_title_is_run),
        TEST(a_picture_may_have_any_name),
        TEST(falls_back_and_says_so),
        TEST(fails_with_one_line),
        TEST(a_missing_gnuplot_does_not_fail_a_document),
        TEST(nothing_stays_in_the_temporary_folder),
        TEST(scripts_are_found_where_the_user_says),
    };
    const char *path = getenv("PATH");
    usual_path = strdup(path ? path : "/usr/bin:/bin");
    unsetenv("PAGELAB_PLOTS");
    unsetenv("TMPDIR");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(usual_path);
    return failed;
}
