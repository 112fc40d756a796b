/* capture/cap_purge.c: `pagecap purge`: empties a list once, or whenever memory runs short. */
#include "capture/pagecap.h"

#include <string.h>

struct purge_line {
    struct cap_common common;
    bool adaptive;
    uint64_t below, list_above;
    pl_time_ps every;
};

static const struct pl_option adaptive_options[] = {
    {"adaptive", 0, PL_OPT_FLAG, offsetof(struct purge_line, adaptive), NULL, NULL,
     "Look again and again, and purge whenever less than --below is available while the list holds more than "
     "--list-above; until Ctrl-C."},
    {"below", 0, PL_OPT_BYTES, offsetof(struct purge_line, below), "SIZE", "1GiB",
     "Available memory that calls for it."},
    {"list-above", 0, PL_OPT_BYTES, offsetof(struct purge_line, list_above), "SIZE", "256MiB",
     "What the list must hold to be worth it."},
    {"every", 0, PL_OPT_TIME, offsetof(struct purge_line, every), "TIME", "1s", "Time between looks."},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"Adaptive", adaptive_options, 0},
    {NULL, cap_common_options, offsetof(struct purge_line, common)},
    {NULL},
};

const struct pl_command_spec cap_purge_spec = {
    .name = "purge",
    .operands = "LIST",
    .summary = "Empty a page list: without LIST, says which there are.",
    .details = "Changes the whole system: caches are cold afterwards. Takes the rights of an administrator.",
    .groups = groups,
    .examples = (const struct pl_example[]){{"pagecap purge", "what can be purged here"}, {NULL}},
};

static enum pl_err list_them(const struct purge_line *values, struct pl_arena *arena, struct pl_error *err)
{
    static const struct pl_column columns[] = {
        {"name", "list", "", PL_VALUE_TEXT, 0},
        {"about", "what purging it does", "", PL_VALUE_TEXT, 0},
    };
    struct pl_document *document = pl_document_create(arena, "purge", "What can be purged here");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    struct pl_document_table *table = pl_document_table(document, "lists", "Lists", columns, PL_COUNT_OF(columns));
    for (const struct pl_os_purge *purge = pl_os_purges; purge->name; purge++) {
        const struct pl_value row[] = {pl_value_text(purge->name), pl_value_text(purge->about)};
        pl_document_row(table, row);
    }
    return cap_emit(document, &values->common, err);
}

static enum pl_err check_name(const char *name, struct pl_error *err)
{
    const char *names[16] = {NULL};
    size_t count = 0;
    for (const struct pl_os_purge *purge = pl_os_purges; purge->name && count < PL_COUNT_OF(names); purge++) {
        if (!strcmp(purge->name, name))
            return PL_OK;
        names[count++] = purge->name;
    }
    char hint[64];
    return pl_fail(err, PL_ERR_USAGE, "no list is called '%s' here%s ('pagecap purge' names them)", name,
                   pl_did_you_mean(hint, sizeof hint, name, names, count, sizeof names[0]));
}

static enum pl_err adapt(const struct purge_line *values, const char *name, struct pl_error *err)
{
    uint64_t purges = 0;
    while (!pl_os_interrupted()) {
        uint64_t available, list;
        enum pl_err rc = pl_os_purge_state(name, &available, &list, err);
        if (rc == PL_OK && available < values->below && list > values->list_above) {
            rc = pl_os_purge(name, err);
            purges++;
            char text[32], held[32];
            cap_say("purged %s: %s were available, the list held %s", name,
                    pl_format_bytes(text, sizeof text, (double)available),
                    pl_format_bytes(held, sizeof held, (double)list));
        }
        if (rc)
            return rc;
        pl_os_sleep(values->every);
    }
    cap_say("purged %s %llu times", name, (unsigned long long)purges);
    return PL_OK;
}

static enum pl_err purge_once(const struct purge_line *values, const char *name, struct pl_arena *arena,
                              struct pl_error *err)
{
    uint64_t before, after, list_before, list_after;
    enum pl_err rc = pl_os_purge_state(name, &before, &list_before, err);
    if (rc == PL_OK)
        rc = pl_os_purge(name, err);
    if (rc == PL_OK)
        rc = pl_os_purge_state(name, &after, &list_after, err);
    if (rc)
        return rc;
    struct pl_document *document = pl_document_create(arena, "purge", "Purged");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    pl_document_parameter(document, "list", "list", "", pl_value_text(name));
    pl_document_result(document, "list_before_bytes", "it held", "bytes", pl_value_count(list_before));
    pl_document_result(document, "list_after_bytes", "it holds", "bytes", pl_value_count(list_after));
    pl_document_result(document, "available_before_bytes", "available before", "bytes", pl_value_count(before));
    pl_document_result(document, "available_after_bytes", "available now", "bytes", pl_value_count(after));
    return cap_emit(document, &values->common, err);
}

enum pl_err cap_purge(int argc, char **argv, struct pl_error *err)
{
    struct purge_line values;
    struct cap_line line;
    enum pl_err rc = cap_begin(&cap_purge_spec, argc, argv, &values, &line, err);
    if (rc == PL_OK && !line.done && line.operands.count > 1)
        rc = pl_fail(err, PL_ERR_USAGE, "one list at a time");
    if (rc == PL_OK && !line.done && line.operands.count == 0) {
        rc = list_them(&values, line.arena, err);
    } else if (rc == PL_OK && !line.done) {
        const char *name = line.operands.item[0];
        rc = check_name(name, err);
        pl_os_catch_interrupts();
        if (rc == PL_OK)
            rc = values.adaptive ? adapt(&values, name, err) : purge_once(&values, name, line.arena, err);
    }
    cap_end(&line);
    return rc;
}
