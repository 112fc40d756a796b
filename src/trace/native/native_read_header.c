/* trace/native/native_read_header.c: magic, version and JSON header of a native file. */
#include "trace/native/native.h"

static enum pl_err choice(const struct pl_json_node *root, const char *key, const char *const *names, int *out,
                          struct pl_error *err)
{
    const struct pl_json_node *node = pl_json_get(root, key);
    const char *text;
    if (!node)
        return pl_json_fail(root, err, "it has no '%s'", key);
    enum pl_err rc = pl_json_as_text(node, &text, err);
    if (rc)
        return rc;
    for (int i = 0; names[i]; i++)
        if (!strcmp(names[i], text)) {
            *out = i;
            return PL_OK;
        }
    return pl_json_fail(node, err, "'%s' is not known to this version", text);
}

/* 0 is allowed to be missing. */
static enum pl_err number(const struct pl_json_node *root, const char *key, uint64_t *out, struct pl_error *err)
{
    const struct pl_json_node *node = pl_json_get(root, key);
    *out = 0;
    return node ? pl_json_as_u64(node, out, err) : PL_OK;
}

static enum pl_err take_json(struct pl_reader *reader, const struct pl_json_node *root, struct pl_error *err)
{
    struct pl_trace_info *info = &reader->info;
    uint64_t page_size, lost;
    int records, clock;
    enum pl_err rc = number(root, "page_size", &page_size, err);
    if (rc == PL_OK)
        rc = number(root, "lost", &lost, err);
    if (rc == PL_OK)
        rc = choice(root, "records", pl_native_records_names, &records, err);
    if (rc == PL_OK)
        rc = choice(root, "clock", pl_native_clock_names, &clock, err);
    if (rc)
        return rc;
    if (page_size == 0 || page_size > UINT64_C(1) << 30 || (page_size & (page_size - 1)))
        return pl_json_fail(root, err, "its page_size is not a power of two up to 2^30");
    if (reader->options.page_size && reader->options.page_size != page_size)
        return pl_json_fail(root, err, "it has pages of %u bytes, which cannot be read as pages of %u bytes",
                            (unsigned)page_size, (unsigned)reader->options.page_size);
    const struct pl_json_node *source = pl_json_get(root, "source");
    const char *text = NULL;
    if (source && pl_json_is_text(source)) {
        rc = pl_json_as_text(source, &text, err);
        if (rc)
            return rc;
        text = pl_arena_strdup(reader->arena, text);
        if (!text)
            return pl_fail_memory(err, PL_NATIVE_JSON_MAX, "the header of the trace");
    }
    info->page_size = (uint32_t)page_size;
    info->lost = lost;
    info->records = (enum pl_records)records;
    info->clock = (enum pl_clock)clock;
    info->source = text;
    return PL_OK;
}

enum pl_err pl_native_read_header(struct pl_reader *reader, struct pl_error *err)
{
    const char *name = pl_source_name(reader->source);
    const uint8_t *window;
    size_t length;
    enum pl_err rc = pl_source_peek(reader->source, PL_NATIVE_FILE_HEADER, &window, &length, err);
    if (rc)
        return rc;
    if (length < PL_NATIVE_FILE_HEADER || memcmp(window, pl_native_magic, 8))
        return pl_fail_at_byte(err, name, 0, "this is not a native trace, or its header is cut off");
    const unsigned version = window[8] | (unsigned)window[9] << 8;
    if (version != PL_NATIVE_VERSION)
        return pl_fail_at_byte(err, name, 8, "the trace has version %u; this program reads version %d", version,
                               PL_NATIVE_VERSION);
    const size_t text = pl_native_get32(window + 12);
    if (text > PL_NATIVE_JSON_MAX)
        return pl_fail_at_byte(err, name, 12, "the header claims %zu bytes of JSON; 65,536 are allowed", text);
    const size_t size = pl_native_pad(PL_NATIVE_FILE_HEADER + text, PL_NATIVE_ALIGN);
    rc = pl_source_peek(reader->source, size, &window, &length, err);
    if (rc)
        return rc;
    if (length < size)
        return pl_fail_at_byte(err, name, length, "the trace is cut off in its header");
    const uint8_t *json_text = window + PL_NATIVE_FILE_HEADER;
    if (pl_xxh64(json_text, text, pl_xxh64(window, 16, 0)) != pl_native_get64(window + 16))
        return pl_fail_at_byte(err, name, 16, "the checksum of the trace's header does not match");
    struct pl_json *json;
    rc = pl_json_read((const char *)json_text, text, name, &json, err);
    if (rc)
        return rc;
    rc = take_json(reader, pl_json_root(json), err);
    pl_json_free(json);
    if (rc == PL_OK)
        pl_source_skip(reader->source, size);
    return rc;
}
