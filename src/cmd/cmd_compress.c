/* cmd/cmd_compress.c: `pagelab compress`: what the pages of files or of a process become, page by page.
 *
 * This half reads options and pages; cmd_compress_document.c says the answer. */
#include "cmd/cmd_compress.h"

#include <stdlib.h>
#include <string.h>

static const struct pl_option page_options[] = {
    {"page-size", 0, PL_OPT_BYTES, offsetof(struct compress_options, page_size), "SIZE", "4KiB",
     "Cut files into pages of this size: a power of two from 512 bytes to 64 KiB.", NULL, 0},
    {"sample", 0, PL_OPT_COUNT, offsetof(struct compress_options, sample), "COUNT", NULL,
     "Measure at most so many pages, evenly spread over all. Duplicates are then only found within the sample.", NULL, 0},
    {"pid", 'p', PL_OPT_COUNT, offsetof(struct compress_options, pid), "NUMBER", NULL,
     "Instead of files, the memory of a running process (Linux; its user with ptrace permission, or root): the anonymous "
     "private pages that it has in memory or swapped out, which it goes on changing meanwhile.",
     NULL, offsetof(struct compress_options, pid_given)},
    {"all-mappings", 0, PL_OPT_FLAG, offsetof(struct compress_options, every_mapping), NULL, NULL,
     "With --pid: file mappings and shared memory as well.", NULL, 0},
    {NULL},
};

static const struct pl_option method_options[] = {
    {"codecs", 0, PL_OPT_TEXT, offsetof(struct compress_options, codecs), "LIST", "xpress,lz4,lzo,zstd,wkdm",
     "Codecs, separated by commas, each with a level if wanted: zstd:9, xpress:1 (search depth), lz4:4 (acceleration), "
     "constant:1.6 (a ratio instead of a codec). Also same-filled and raw.",
     NULL, 0},
    {"stores", 0, PL_OPT_TEXT, offsetof(struct compress_options, stores), "LIST", "windows,zram,zswap,zbud,z3fold,ideal",
     "Stores to fill, separated by commas.", NULL, 0},
    {"chain", 0, PL_OPT_COUNT, offsetof(struct compress_options, chain_pages), "PAGES", "8",
     "zsmalloc's longest chain of pages, 4 to 16 (CONFIG_ZSMALLOC_CHAIN_SIZE).", NULL, 0},
    {"no-timing", 0, PL_OPT_FLAG, offsetof(struct compress_options, no_timing), NULL, NULL,
     "Leave speeds out, so that the same input gives the same bytes.", NULL, 0},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"Which pages", page_options, 0},
    {"Codecs and stores", method_options, 0},
    {"Output", cmd_undrawn_options, offsetof(struct compress_options, common)},
    {NULL},
};

static const struct pl_example examples[] = {
    {"pagelab compress /usr/lib/x86_64-linux-gnu/libc.so.6", "one file, every codec and store"},
    {"pagelab compress --pid $$ --codecs lz4,zstd:1", "what zram would make of this shell"},
    {"pagelab compress --sample 5000 core.1234 --json - --no-timing", "a sample of a big image, reproducible JSON"},
    {"head -c 1M /dev/urandom | pagelab compress -", "from standard input"},
    {NULL},
};

const struct pl_command_spec cmd_compress_spec = {
    .name = "compress",
    .operands = "FILE... (or --pid NUMBER)",
    .summary = "compressed page sizes under each codec, duplicates, and the store they would need",
    .details =
        "Every page goes through every codec and back, and must come back as it was. Zero pages and others that repeat one "
        "64-bit word are counted apart, since stores keep them without compressing them: sizes, ratios and speeds are "
        "those of the other pages. A page that does not shrink counts as a whole page. A last page that is not full is "
        "padded with zeros.\n\n"
        "Stores: windows (regions of 128 KiB, 16-byte chunks, page records, equal pages kept once), zram (zsmalloc; pages "
        "beyond its largest shared class raw), zswap on zsmalloc, zbud or z3fold (incompressible pages rejected), and "
        "ideal (no waste, equal pages once). A store's bytes per page byte tell the memory to plan for it.\n\n"
        "Speeds are processor time on this machine, page by page, of one thread.",
    .groups = groups,
    .examples = examples,
};

/* --- lists of names ---------------------------------------------------------------------- */

/* Splits "a,b,c" in place. Empty parts are errors. */
static enum pl_err split(struct compress_run *run, const char *option, const char *text, char ***out, size_t *count,
                         struct pl_error *err)
{
    char *copy = pl_arena_strdup(run->arena, text);
    char **part = pl_arena_alloc(run->arena, strlen(text) + 1, sizeof(*part));
    if (!copy || !part)
        return pl_fail_memory(err, strlen(text), "a list");
    size_t n = 0;
    for (char *next = copy; next; n++) {
        part[n] = next;
        next = strchr(next, ',');
        if (next)
            *next++ = '\0';
        if (!*part[n])
            return pl_fail(err, PL_ERR_USAGE, "--%s '%s': a name is missing", option, text);
    }
    *out = part;
    *count = n;
    return PL_OK;
}

/* "zstd:9": the label stays whole. */
static enum pl_err parse_codec(struct compress_run *run, char *text, struct pl_page_survey_codec *out,
                               struct pl_error *err)
{
    *out = (struct pl_page_survey_codec){.label = pl_arena_strdup(run->arena, text)};
    char *level = strchr(text, ':');
    if (level)
        *level++ = '\0';
    enum pl_err rc = pl_codec_find(text, &out->ops, err);
    if (rc)
        return pl_fail_prefix(err, "--codecs");
    if (!out->label)
        return pl_fail_memory(err, strlen(text), "a name");
    bool wants_ratio = out->ops->sizes_only;
    double number = 0;
    if (wants_ratio && !level)
        return pl_fail(err, PL_ERR_USAGE, "--codecs: %s needs a ratio, as in %s:1.6", text, text);
    if (level && !pl_parse_double(level, &number))
        return pl_fail(err, PL_ERR_USAGE, "--codecs: '%s' is no %s", level, wants_ratio ? "ratio" : "level");
    if (wants_ratio)
        out->ratio = number;
    else if (number != (double)(int)number || (level && number == 0))
        return pl_fail(err, PL_ERR_USAGE, "--codecs: %s:%s: a level is a whole number other than 0", text, level);
    else
        out->level = (int)number;
    return PL_OK;
}

static enum pl_err parse_codecs(struct compress_run *run, struct pl_error *err)
{
    char **name;
    enum pl_err rc = split(run, "codecs", run->options->codecs, &name, &run->codecs, err);
    if (rc)
        return rc;
    run->codec = pl_arena_alloc(run->arena, run->codecs, sizeof(run->codec[0]));
    if (!run->codec)
        return pl_fail_memory(err, run->codecs * sizeof(run->codec[0]), "a list");
    for (size_t i = 0; i < run->codecs && rc == PL_OK; i++) {
        rc = parse_codec(run, name[i], &run->codec[i], err);
        for (size_t k = 0; k < i && rc == PL_OK; k++)
            if (!strcmp(run->codec[k].label, run->codec[i].label))
                rc = pl_fail(err, PL_ERR_USAGE, "--codecs: %s stands twice", run->codec[i].label);
    }
    return rc;
}

static enum pl_err parse_stores(struct compress_run *run, struct pl_error *err)
{
    char **name;
    enum pl_err rc = split(run, "stores", run->options->stores, &name, &run->stores, err);
    if (rc)
        return rc;
    run->store = pl_arena_alloc(run->arena, run->stores, sizeof(run->store[0]));
    if (!run->store)
        return pl_fail_memory(err, run->stores * sizeof(run->store[0]), "a list");
    for (size_t i = 0; i < run->stores; i++)
        if (pl_store_system_find(name[i], &run->store[i], err))
            return pl_fail_prefix(err, "--stores");
    return PL_OK;
}

static enum pl_err check_options(const struct compress_options *o, size_t files, struct pl_error *err)
{
    if (o->pid_given && files)
        return pl_fail(err, PL_ERR_USAGE, "--pid takes the place of files: give one of them");
    if (!o->pid_given && !files)
        return pl_fail(err, PL_ERR_USAGE, "no file: name one or more, '-' for standard input, or a process with --pid");
    if (o->every_mapping && !o->pid_given)
        return pl_fail(err, PL_ERR_USAGE, "--all-mappings goes with --pid");
    if (o->page_size < PL_CODEC_PAGE_MIN || o->page_size > PL_CODEC_PAGE_MAX || (o->page_size & (o->page_size - 1)))
        return pl_fail(err, PL_ERR_USAGE, "--page-size: a power of two from 512B to 64KiB");
    if (o->chain_pages < 4 || o->chain_pages > 16)
        return pl_fail(err, PL_ERR_USAGE, "--chain: 4 to 16 pages");
    return PL_OK;
}

/* --- the work ------------------------------------------------------------------------------ */

static enum pl_err read_pages(struct compress_run *run, struct pl_page_reader *reader, struct pl_error *err)
{
    struct pl_progress progress = cmd_progress_begin("compress", "pages", run->options->common.quiet);
    uint8_t *page = pl_arena_alloc(run->arena, run->options->page_size, 1);
    if (!page)
        return pl_fail_memory(err, run->options->page_size, "a page");
    enum pl_err rc;
    while ((rc = pl_page_reader_next(reader, page, err)) == PL_OK) {
        rc = pl_page_survey_add(run->survey, page, err);
        if (rc)
            return rc;
        const struct pl_page_reader_info *info = run->read;
        if (info->pages_read % 64 == 0 && !pl_progress_report(&progress, info->pages_read, info->pages_chosen)) {
            run->interrupted = true;
            rc = PL_END;
            break;
        }
    }
    return rc == PL_END ? pl_page_survey_finish(run->survey, err) : rc;
}

static enum pl_err open_pages(const struct compress_options *o, const struct pl_strings *files,
                              struct pl_page_reader **out, struct pl_error *err)
{
    if (o->pid_given)
        return pl_page_reader_open_process(o->pid, o->every_mapping, (uint32_t)o->page_size, o->sample, out, err);
    return pl_page_reader_open_files(files->item, files->count, (uint32_t)o->page_size, o->sample, out, err);
}

static enum pl_err answer(struct compress_run *run, int argc, char **argv, struct pl_error *err)
{
    struct pl_document *document;
    if (!run->read->pages_read)
        return pl_fail(err, PL_ERR_INPUT, run->options->pid_given ? "no page of the process could be read"
                                                                  : "there is no page in the input: it is empty");
    enum pl_err rc = compress_describe(run, &document, err);
    if (rc)
        return rc;
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    return cmd_emit(document, &run->options->common, err);
}

enum pl_err cmd_compress(int argc, char **argv, struct pl_error *err)
{
    struct compress_options options;
    struct compress_run run = {.options = &options, .arena = pl_arena_create()};
    struct pl_strings files;
    struct pl_page_reader *reader = NULL;
    bool done = false;
    if (!run.arena)
        return pl_fail_memory(err, sizeof(run), "an arena");
    enum pl_err rc = cmd_parse(&cmd_compress_spec, argc, argv, &options, &files, run.arena, &done, err);
    if (rc || done)
        goto finish;
    if ((rc = check_options(&options, files.count, err)) || (rc = parse_codecs(&run, err)) ||
        (rc = parse_stores(&run, err)))
        goto finish;
    rc = pl_page_survey_create((uint32_t)options.page_size, run.codec, run.codecs, !options.no_timing, &run.survey, err);
    if (rc || (rc = open_pages(&options, &files, &reader, err)))
        goto finish;
    run.read = pl_page_reader_info(reader);
    rc = read_pages(&run, reader, err);
    cmd_progress_end();
    if (rc == PL_OK)
        rc = answer(&run, argc, argv, err);
finish:
    pl_page_reader_close(reader);
    pl_page_survey_destroy(run.survey);
    pl_arena_destroy(run.arena);
    return rc;
}
