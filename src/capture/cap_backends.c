/* capture/cap_backends.c: `pagecap backends`: which ways of looking work here, and why the others do not. */
#include "capture/pagecap.h"

struct backends_line {
    struct cap_common common;
};

static const struct pl_option_group groups[] = {
    {NULL, cap_common_options, offsetof(struct backends_line, common)},
    {NULL},
};

const struct pl_command_spec cap_backends_spec = {
    .name = "backends",
    .operands = "",
    .summary = "Which ways of capturing work here, and why the others do not.",
    .details = "Each is tried, not guessed from a version number.",
    .groups = groups,
    .examples = (const struct pl_example[]){{"pagecap backends", "what works here"}, {NULL}},
};

static const struct pl_column columns[] = {
    {"name", "back end", "", PL_VALUE_TEXT, 0},
    {"works", "works", "", PL_VALUE_TEXT, 0},
    {"records", "records", "", PL_VALUE_TEXT, 0},
    {"use", "use", "", PL_VALUE_TEXT, 0},
    {"about", "what it does", "", PL_VALUE_TEXT, 0},
    {"rights", "rights", "", PL_VALUE_TEXT, 0},
    {"blind_to", "does not see", "", PL_VALUE_TEXT, 0},
    {"why_not", "why not", "", PL_VALUE_TEXT, 0},
};

static enum pl_err show(const struct backends_line *values, struct pl_arena *arena, struct pl_error *err)
{
    static const char *const records[] = {"accesses", "requests", "faults", "interval", "writes"};
    static const char *const uses[] = {"", "run", "attach", "run, attach"};
    struct pl_document *document = pl_document_create(arena, "backends", "Ways of capturing on this system");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    /* People get a short table and sentences; JSON and CSV have it all in one. */
    struct pl_document_table *brief = pl_document_table(document, "backends", "Back ends", columns, 5);
    struct pl_document_table *full = pl_document_table(document, "details", "Details", columns, PL_COUNT_OF(columns));
    pl_document_show_instead(full, "(rights, and what each cannot see, stand below)");
    pl_document_csv_table(document, full);
    for (size_t i = 0; pl_backends[i]; i++) {
        const struct pl_backend *backend = pl_backends[i];
        struct pl_error why = {PL_OK, ""};
        bool works = backend->probe(&why) == PL_OK;
        const struct pl_value row[] = {
            pl_value_text(backend->name),
            pl_value_text(works ? "yes" : "no"),
            pl_value_text(records[backend->records]),
            pl_value_text(uses[backend->runs + 2 * backend->attaches]),
            pl_value_text(backend->about),
            pl_value_text(backend->rights),
            pl_value_text(backend->blind_to),
            pl_value_text(works ? "" : why.message),
        };
        pl_document_row(brief, row);
        pl_document_row(full, row);
        if (!works)
            pl_document_note(document, "%s does not work here: %s", backend->name, why.message);
        pl_document_note(document, "%s: rights: %s; not seen: %s", backend->name, backend->rights, backend->blind_to);
    }
    return cap_emit(document, &values->common, err);
}

enum pl_err cap_backends(int argc, char **argv, struct pl_error *err)
{
    struct backends_line values;
    struct cap_line line;
    enum pl_err rc = cap_begin(&cap_backends_spec, argc, argv, &values, &line, err);
    if (rc == PL_OK && !line.done)
        rc = show(&values, line.arena, err);
    cap_end(&line);
    return rc;
}
