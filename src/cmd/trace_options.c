/* cmd/trace_options.c: the options of every command that reads a trace. */
#include "cmd/cmd.h"

static const char *const request_choices[] = {"objects", "pages", NULL};

const struct pl_option cmd_trace_option_table[] = {
    {"format", 'f', PL_OPT_TEXT, offsetof(struct cmd_trace_options, format), "NAME", NULL,
     "The trace's format, when its content does not tell ('pagelab trace --help' lists them)."},
    {"page-size", 0, PL_OPT_BYTES, offsetof(struct cmd_trace_options, page_size), "SIZE", NULL,
     "Bytes in a page, a power of two; without it what the trace says, else 4KiB. Files of page numbers (hex, numbers) "
     "keep their numbers.",
     NULL, offsetof(struct cmd_trace_options, page_size_given)},
    {"requests", 0, PL_OPT_CHOICE, offsetof(struct cmd_trace_options, requests), "HOW", "objects",
     "What a block request touches: 'objects' takes its start as one object, 'pages' every page that it covers.",
     request_choices},
    {"param", 0, PL_OPT_LIST, offsetof(struct cmd_trace_options, parameter), "NAME=VALUE", NULL,
     "Of a scenario: another value for one of its parameters."},
    {"data-only", 0, PL_OPT_FLAG, offsetof(struct cmd_trace_options, data_only), NULL, NULL,
     "Leave instruction fetches out."},
    {"modify-once", 0, PL_OPT_FLAG, offsetof(struct cmd_trace_options, modify_once), NULL, NULL,
     "Count a modify (lackey's M) as one write instead of a read and a write."},
    {"skip-bad-lines", 0, PL_OPT_FLAG, offsetof(struct cmd_trace_options, skip_bad_lines), NULL, NULL,
     "Count lines and records that cannot be parsed and go on, instead of failing at the first."},
    {"skip-damaged", 0, PL_OPT_FLAG, offsetof(struct cmd_trace_options, skip_damaged), NULL, NULL,
     "Name and leave out damaged blocks of a native trace, and what lies behind damage in compressed input, instead of "
     "failing."},
    {NULL},
};

enum pl_err cmd_trace_options_get(const struct cmd_trace_options *given, struct pl_trace_options *out,
                                  struct pl_error *err)
{
    const uint64_t size = given->page_size;
    if (given->page_size_given && (size == 0 || (size & (size - 1)) || size > PL_GIB))
        return pl_fail(err, PL_ERR_USAGE, "--page-size: %llu bytes are no power of two up to 1 GiB",
                       (unsigned long long)size);
    *out = (struct pl_trace_options){
        .format = given->format,
        .page_size = (uint32_t)given->page_size,
        .requests = (enum pl_requests)given->requests,
        .skip_damaged = given->skip_damaged,
        .skip_bad_lines = given->skip_bad_lines,
        .ignore_execute = given->data_only,
        .modify_once = given->modify_once,
        .parameter = (const char *const *)given->parameter.item,
        .parameter_count = given->parameter.count,
    };
    return PL_OK;
}
