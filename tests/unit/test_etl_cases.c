/* tests/unit/test_etl_cases.c: real .etl files, where $PAGELAB_CASES says they are, against what others decoded of them. */
#include "base/base.h"
#include "trace/etl/etl.h"
#include "trace/etl/etl_source.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct opened {
    struct pl_source *source;
    struct pl_etl_bytes bytes;
    struct pl_etl *etl;
};

static const char *case_path(const char *file, char *out, size_t size)
{
    const char *root = getenv("PAGELAB_CASES");
    if (!root) {
        print_message("# $PAGELAB_CASES is not set\n");
        skip();
    }
    snprintf(out, size, "%s/etl/%s", root, file);
    return out;
}

static void open_case(const char *file, struct opened *out)
{
    char path[512];
    struct pl_error err = {PL_OK, ""};
    if (pl_source_open(case_path(file, path, sizeof path), &out->source, &err) ||
        pl_etl_bytes_get(out->source, &out->bytes, &err) ||
        pl_etl_open(out->bytes.bytes, out->bytes.length, file, NULL, &out->etl, &err))
        fail_msg("%s", err.message);
}

static void close_case(struct opened *opened)
{
    pl_etl_close(opened->etl);
    pl_etl_bytes_free(&opened->bytes);
    pl_source_close(opened->source);
}

/* --- hard faults ------------------------------------------------------------------------- */

static void same_number(const struct pl_csv *csv, const char *column, uint64_t number)
{
    int at = pl_csv_find(csv, column);
    assert_true(at >= 0);
    const char *field = pl_csv_field(csv, (size_t)at);
    unsigned long long expected = strtoull(field, NULL, !strncmp(field, "0x", 2) ? 16 : 10);
    if (expected != number)
        fail_msg("line %llu: %s is %llu instead of %s", (unsigned long long)pl_csv_line(csv), column,
                 (unsigned long long)number, field);
}

static void same_fault(const struct pl_csv *csv, const struct pl_etl *etl, const struct pl_etl_event *event)
{
    struct pl_etl_fields fields;
    assert_true(pl_etl_read(event, &fields));
    uint64_t asked = fields.value[0].number, object = fields.value[3].number;
    uint32_t thread = (uint32_t)fields.value[4].number;
    same_number(csv, "timestamp_ticks", event->ticks);
    same_number(csv, "initial_ticks", asked);
    same_number(csv, "read_offset", fields.value[1].number);
    same_number(csv, "virtual_address", fields.value[2].number);
    same_number(csv, "file_object", object);
    same_number(csv, "tid", thread);
    same_number(csv, "byte_count", fields.value[5].number);
    same_number(csv, "pid", pl_etl_process_of(etl, thread, event->ticks));
    const char *file = pl_etl_file_name(etl, object, event->ticks);
    assert_string_equal(file ? file : "", pl_csv_field(csv, (size_t)pl_csv_find(csv, "file")));
    double took = atof(pl_csv_field(csv, (size_t)pl_csv_find(csv, "elapsed_ms")));
    assert_true(fabs(pl_etl_ms(etl, event->ticks - asked) - took) < 1e-9);
}

static void hard_faults_as_others_read_them(void **state)
{
    (void)state;
    char path[512];
    struct opened opened;
    struct pl_csv *csv;
    struct pl_error err = {PL_OK, ""};
    struct pl_etl_event event;
    size_t count = 0;
    open_case("net.4.5.2.x64.etl.zip", &opened);
    if (pl_csv_open_path(case_path("net.4.5.2.x64.hardfaults.csv", path, sizeof path), &csv, &err))
        fail_msg("%s", err.message);
    while (pl_etl_next(opened.etl, &event, &err) == PL_OK) {
        if (event.hook != PL_ETL_HARD_FAULT)
            continue;
        assert_int_equal(pl_csv_next(csv, &err), PL_OK);
        same_fault(csv, opened.etl, &event);
        count++;
    }
    assert_int_equal(pl_csv_next(csv, &err), PL_END);
    assert_int_equal(count, 153);
    assert_int_equal(pl_etl_info(opened.etl)->events, 179474);
    assert_int_equal(pl_etl_info(opened.etl)->compressed_buffers, 359);
    assert_int_equal(pl_etl_info(opened.etl)->backward, 0);
    size_t losses;
    (void)pl_etl_losses(opened.etl, &losses);
    assert_int_equal(losses, 0);
    pl_csv_close(csv);
    close_case(&opened);
}

/* --- whole files --------------------------------------------------------------------------- */

static void check_file(const char *file, uint64_t events, uint64_t buffers, uint64_t compressed, unsigned build)
{
    struct opened opened;
    struct pl_etl_event event;
    struct pl_error err = {PL_OK, ""};
    uint64_t count = 0;
    size_t losses;
    open_case(file, &opened);
    while (pl_etl_next(opened.etl, &event, &err) == PL_OK)
        count++;
    const struct pl_etl_info *info = pl_etl_info(opened.etl);
    assert_int_equal(count, events);
    assert_int_equal(info->events, events);
    assert_int_equal(info->buffers, buffers);
    assert_int_equal(info->compressed_buffers, compressed);
    assert_int_equal(info->build, build);
    assert_int_equal(info->pointer_size, 8);
    assert_int_equal(info->frequency, 10000000);
    (void)pl_etl_losses(opened.etl, &losses);
    assert_int_equal(losses, 0);
    close_case(&opened);
}

static void small_files(void **state)
{
    (void)state;
    check_file("lxcore_kernel.etl", 4, 3, 0, 19041);
    check_file("SelfDescribingSingleEvent.etl", 22, 3, 2, 22000);
}

/* --- payloads ------------------------------------------------------------------------------- */

static size_t from_hex(const char *text, uint8_t *out, size_t room)
{
    size_t length = 0;
    unsigned byte;
    for (; text[0] && text[1]; text += 2) {
        assert_int_equal(sscanf(text, "%2x", &byte), 1);
        assert_true(length < room);
        out[length++] = (uint8_t)byte;
    }
    return length;
}

static uint64_t count_of(const struct pl_json_node *vector, const char *key)
{
    uint64_t number;
    struct pl_error err = {PL_OK, ""};
    if (pl_json_as_u64(pl_json_get(vector, key), &number, &err))
        fail_msg("%s", err.message);
    return number;
}

static const char *text_of(const struct pl_json_node *node)
{
    const char *text;
    struct pl_error err = {PL_OK, ""};
    if (pl_json_as_text(node, &text, &err))
        fail_msg("%s", err.message);
    return text;
}

/* Fields that our schema names otherwise are a failure: names are part of what was published. */
static void check_vector(const struct pl_json_node *vector)
{
    uint8_t payload[256];
    struct pl_etl_fields fields;
    struct pl_etl_event event = {.payload = payload, .hook = (uint16_t)(0x0200 | count_of(vector, "type"))};
    event.version = (uint8_t)count_of(vector, "version");
    event.pointer_size = (uint8_t)(count_of(vector, "pointer_bits") / 8);
    event.payload_size = (uint32_t)from_hex(text_of(pl_json_get(vector, "payload_hex")), payload, sizeof payload);
    assert_true(pl_etl_read(&event, &fields));
    assert_true(fields.at == fields.end); /* all of it is explained */
    const char *name = strchr(fields.schema->name, '/') + 1;
    const char *expected_name = text_of(pl_json_get(vector, "event"));
    assert_string_equal(name, expected_name);
    const struct pl_json_node *expected = pl_json_get(vector, "fields");
    assert_int_equal(pl_json_size(expected), fields.count);
    for (size_t i = 0; i < fields.count; i++) {
        const struct pl_json_node *value = pl_json_get(expected, fields.schema->fields[i].name);
        assert_non_null(value);
        assert_int_equal(strtoull(text_of(value), NULL, 16), fields.value[i].number);
    }
}

static void payloads_as_others_read_them(void **state)
{
    (void)state;
    char path[512];
    struct pl_json *json;
    struct pl_error err = {PL_OK, ""};
    if (pl_json_read_path(case_path("pagefault_payloads.json", path, sizeof path), &json, &err))
        fail_msg("%s", err.message);
    const struct pl_json_node *vectors = pl_json_get(pl_json_root(json), "vectors");
    assert_int_equal(pl_json_size(vectors), 11);
    for (size_t i = 0; i < pl_json_size(vectors); i++)
        check_vector(pl_json_at(vectors, i));
    pl_json_free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_faults_as_others_read_them),
        cmocka_unit_test(small_files),
        cmocka_unit_test(payloads_as_others_read_them),
    };
    return cmocka_run_group_tests_name("etl cases", tests, NULL, NULL);
}
