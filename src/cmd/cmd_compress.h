/* cmd/cmd_compress.h: what the two halves of `pagelab compress` share: the work, and the answer. */
#ifndef PL_CMD_CMD_COMPRESS_H
#define PL_CMD_CMD_COMPRESS_H

#include "cmd/cmd.h"
#include "store/page_reader.h"
#include "store/page_survey.h"

struct compress_options {
    const char *codecs, *stores;
    uint64_t page_size, sample, pid, chain_pages;
    bool pid_given, every_mapping, no_timing;
    struct cmd_common common;
};

struct compress_run {
    const struct compress_options *options;
    struct pl_arena *arena;
    struct pl_page_survey_codec *codec;
    size_t codecs;
    const struct pl_store_system **store;
    size_t stores;
    struct pl_page_survey *survey;
    const struct pl_page_reader_info *read;
    bool interrupted;
};

/* The whole answer. */
enum pl_err compress_describe(const struct compress_run *run, struct pl_document **out, struct pl_error *err);

#endif
