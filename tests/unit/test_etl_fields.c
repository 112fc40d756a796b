/* tests/unit/test_etl_fields.c: payloads of the memory manager's events, taken apart by name in both widths. */
#include "etl_help.h"

/* Writes one event and reads its fields. */
struct one {
    struct etl_writer writer;
    struct pl_etl *etl;
    struct pl_etl_event event;
    struct pl_etl_fields fields;
};

static bool read_one(struct one *one, unsigned pointer_size, uint16_t hook, uint8_t version, const struct etl_payload *payload)
{
    struct etl_writer_event event = {.header = ETL_WRITE_SYSTEM, .ticks = 10, .hook = hook, .version = version};
    etl_writer_start(&one->writer, pointer_size == 4 ? &plain32 : &plain64);
    etl_writer_put(&one->writer, &event, payload->bytes, payload->size);
    etl_writer_finish(&one->writer);
    one->etl = etl_reopen(&one->writer);
    assert_true(etl_next(one->etl, &one->event));
    return pl_etl_read(&one->event, &one->fields);
}

static void done(struct one *one)
{
    pl_etl_close(one->etl);
    etl_writer_free(&one->writer);
}

static uint64_t field(const struct pl_etl_fields *fields, const char *name)
{
    for (size_t i = 0; i < fields->count; i++)
        if (!strcmp(fields->schema->fields[i].name, name))
            return fields->value[i].number;
    fail_msg("no field %s", name);
    return 0;
}

static void for_widths(void (*check)(unsigned pointer_size))
{
    check(4);
    check(8);
}

static void check_allocation(unsigned pointer_size)
{
    struct one one;
    struct etl_payload payload = {.pointer_size = pointer_size};
    etl_payload_pointer(&payload, 0x10000);
    etl_payload_pointer(&payload, 0x5000);
    etl_payload_add(&payload, 4711, 4);
    etl_payload_add(&payload, 0x3000, 4);
    assert_int_equal(payload.size, pointer_size == 4 ? 16 : 24);
    assert_true(read_one(&one, pointer_size, PL_ETL_VIRTUAL_ALLOC, 2, &payload));
    assert_int_equal(field(&one.fields, "RegionSize"), 0x5000);
    assert_int_equal(field(&one.fields, "ProcessId"), 4711);
    assert_int_equal(field(&one.fields, "Flags"), 0x3000);
    assert_int_equal(one.fields.count, 4);
    done(&one);
    assert_false(read_one(&one, pointer_size, PL_ETL_ALLOC_START, 2, &payload)); /* the rundown has one more */
    done(&one);
    etl_payload_pointer(&payload, 0x2000);
    assert_true(read_one(&one, pointer_size, PL_ETL_ALLOC_START, 2, &payload));
    assert_int_equal(field(&one.fields, "CommitSizeInBytes"), 0x2000);
    done(&one);
}

static void allocations(void **state)
{
    (void)state;
    for_widths(check_allocation);
}

static void check_lists(unsigned pointer_size)
{
    struct one one;
    struct etl_payload payload = {.pointer_size = pointer_size};
    for (uint64_t i = 0; i < 22; i++)
        etl_payload_pointer(&payload, 100 + i);
    assert_true(read_one(&one, pointer_size, PL_ETL_MEM_INFO, 2, &payload));
    assert_int_equal(field(&one.fields, "ZeroPageCount"), 100);
    assert_int_equal(field(&one.fields, "BadPageCount"), 104);
    assert_int_equal(field(&one.fields, "StandbyPageCount0"), 105);
    assert_int_equal(field(&one.fields, "StandbyPageCount7"), 112);
    assert_int_equal(field(&one.fields, "RepurposedPageCount0"), 113);
    assert_int_equal(field(&one.fields, "ModifiedPageCountPageFile"), 121);
    done(&one);
}

static void memory_lists(void **state)
{
    (void)state;
    for_widths(check_lists);
}

static void put_working_set(struct etl_payload *payload, uint32_t process, unsigned version)
{
    etl_payload_add(payload, process, 4);
    for (uint64_t i = 0; i < (version < 2 ? 4 : 8); i++)
        etl_payload_pointer(payload, process * 10 + i);
}

static void check_working_sets(unsigned pointer_size)
{
    for (unsigned version = 1; version <= 2; version++) {
        struct one one;
        struct etl_payload payload = {.pointer_size = pointer_size};
        etl_payload_add(&payload, 4, 4); /* of four, the last is cut off */
        for (uint32_t process = 1; process <= 3; process++)
            put_working_set(&payload, process, version);
        etl_payload_add(&payload, 4, 4);
        assert_true(read_one(&one, pointer_size, PL_ETL_MEM_INFO_WS, (uint8_t)version, &payload));
        for (uint64_t process = 1; process <= 3; process++) {
            assert_int_equal(field(&one.fields, "ProcessId"), process);
            assert_int_equal(field(&one.fields, "WorkingSetPageCount"), process * 10);
            assert_int_equal(field(&one.fields, "PrivateWorkingSetPageCount"), process * 10 + 3);
            if (version == 2)
                assert_int_equal(field(&one.fields, "SharedCommitInPages"), process * 10 + 7);
            assert_int_equal(pl_etl_read_more(&one.fields), process < 3);
        }
        done(&one);
    }
}

static void working_sets(void **state)
{
    (void)state;
    for_widths(check_working_sets);
}

static void no_working_sets(void **state)
{
    (void)state;
    struct one one;
    struct etl_payload payload = {.pointer_size = 8};
    etl_payload_add(&payload, 0, 4);
    assert_true(read_one(&one, 8, PL_ETL_MEM_INFO_WS, 2, &payload));
    assert_false(pl_etl_read_more(&one.fields));
    done(&one);
}

static void check_page(unsigned pointer_size)
{
    static const uint16_t hooks[] = {PL_ETL_PAGE_ACTIVE, PL_ETL_PAGE_ACCESS, PL_ETL_PAGE_RELEASE, PL_ETL_PAGE_ACCESS_EX};
    for (size_t i = 0; i < PL_COUNT_OF(hooks); i++) {
        struct one one;
        struct pl_etl_page page;
        struct etl_payload payload = {.pointer_size = pointer_size};
        uint64_t word = 1 | 6 << 4 | UINT64_C(0x123456789abc) << 9 | UINT64_C(5) << 57;
        etl_payload_add(&payload, word, 8);
        etl_payload_pointer(&payload, 0x4321);
        etl_payload_pointer(&payload, 0x89abcde1);
        assert_true(read_one(&one, pointer_size, hooks[i], 2, &payload));
        assert_true(pl_etl_page_identity(&one.event, &page));
        assert_int_equal(page.use, PL_ETL_USE_FILE);
        assert_int_equal(page.list, 6);
        assert_int_equal(page.priority, 5);
        assert_int_equal(page.key, UINT64_C(0x123456789abc));
        assert_int_equal(page.frame, 0x4321);
        assert_int_equal(page.address, 0x89abcde1);
        assert_true(page.image);
        done(&one);
    }
    assert_string_equal(pl_etl_use_name(PL_ETL_USE_SECTION), "PFMappedSection");
    assert_string_equal(pl_etl_use_name(15), "unknown");
}

static void pages(void **state)
{
    (void)state;
    for_widths(check_page);
}

static void check_range(unsigned pointer_size)
{
    struct one one;
    struct pl_etl_page page;
    struct etl_payload payload = {.pointer_size = pointer_size};
    etl_payload_add(&payload, 0 | UINT64_C(0xfa8012345670) << 4, 8);
    etl_payload_pointer(&payload, 0x7f000000);
    etl_payload_pointer(&payload, 33);
    assert_true(read_one(&one, pointer_size, PL_ETL_RANGE_ACCESS, 2, &payload));
    assert_true(pl_etl_page_identity(&one.event, &page));
    assert_int_equal(page.use, PL_ETL_USE_PRIVATE);
    assert_int_equal(page.key, UINT64_C(0xfa8012345670));
    assert_int_equal(page.address, 0x7f000000);
    assert_int_equal(field(&one.fields, "PageCount"), 33);
    done(&one);
}

static void page_ranges(void **state)
{
    (void)state;
    for_widths(check_range);
}

static void check_section(unsigned pointer_size)
{
    static const uint16_t hooks[] = {PL_ETL_SECTION_RUNDOWN, PL_ETL_SECTION_CREATE, PL_ETL_SECTION_DELETE};
    for (size_t i = 0; i < PL_COUNT_OF(hooks); i++) {
        struct one one;
        struct etl_payload payload = {.pointer_size = pointer_size};
        etl_payload_pointer(&payload, 0x80001000);
        etl_payload_pointer(&payload, 0x80009000);
        etl_payload_add(&payload, 77, 4);
        assert_true(read_one(&one, pointer_size, hooks[i], 2, &payload));
        assert_int_equal(field(&one.fields, "RangeBase"), 0x80001000);
        assert_int_equal(field(&one.fields, "RangeEnd"), 0x80009000);
        assert_int_equal(field(&one.fields, "CreatingProcessId"), 77);
        done(&one);
    }
}

static void sections(void **state)
{
    (void)state;
    for_widths(check_section);
}

/* Every cut of a payload is refused, or read without its texts; nothing is read beyond its end. */
static void check_cuts(unsigned pointer_size)
{
    static const uint16_t hooks[] = {0x020a, 0x0220, 0x0249, 0x0262, 0x0270, 0x027d, 0x0276, 0x0278, 0x0301, 0x0424, 0x0501};
    for (size_t i = 0; i < PL_COUNT_OF(hooks); i++) {
        bool whole = false;
        for (size_t size = 0; size <= 200; size++) {
            uint8_t *payload = calloc(1, size ? size : 1); /* a sanitizer sees what goes beyond */
            struct pl_etl_fields fields;
            struct pl_etl_event event = {.payload = payload, .payload_size = (uint32_t)size, .hook = hooks[i], .version = 4};
            event.pointer_size = (uint8_t)pointer_size;
            bool read = pl_etl_read(&event, &fields);
            assert_true(read || !whole); /* longer is never worse */
            whole |= read;
            assert_true(fields.at <= fields.end);
            free(payload);
        }
        assert_true(whole);
    }
}

static void cuts(void **state)
{
    (void)state;
    for_widths(check_cuts);
}

/* Every hook is found under the versions that its rows hold for, and no other is. */
static void schemas(void **state)
{
    (void)state;
    size_t known = 0;
    for (unsigned hook = 0; hook <= UINT16_MAX; hook++) {
        const struct pl_etl_schema *schema = pl_etl_schema((uint16_t)hook, UINT8_MAX);
        if (!schema)
            continue;
        known++;
        assert_int_equal(schema->hook, hook);
        assert_non_null(strchr(schema->name, '/'));
        assert_true(schema->count <= PL_ETL_FIELDS_MAX);
    }
    assert_int_equal(known, 99);
    assert_int_equal(pl_etl_schema(0x0301, 2)->count, 8);
    assert_int_equal(pl_etl_schema(0x0301, 3)->count, 9);
    assert_int_equal(pl_etl_schema(0x0301, 4)->count, 10);
    assert_int_equal(pl_etl_schema(0x0301, 9)->count, 10);
    assert_int_equal(pl_etl_schema(0x027d, 1)->count, 6);
    assert_int_equal(pl_etl_schema(0x027d, 2)->count, 10);
}

static void utf8(void **state)
{
    (void)state;
    static const uint8_t text[] = {'a', 0, 0xe9, 0, 0xac, 0x20, 0x3d, 0xd8, 0x00, 0xde, 0x00, 0xdc, 'b', 0, 'c'};
    char out[32];
    assert_int_equal(pl_etl_utf8(text, sizeof text, out, sizeof out), 14);
    assert_string_equal(out, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd" "b");
    assert_true(pl_etl_utf8(text, sizeof text, out, 6) < 6);
    assert_string_equal(out, "a\xc3\xa9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations), cmocka_unit_test(memory_lists), cmocka_unit_test(working_sets),
        cmocka_unit_test(no_working_sets), cmocka_unit_test(pages), cmocka_unit_test(page_ranges),
        cmocka_unit_test(sections), cmocka_unit_test(cuts), cmocka_unit_test(utf8), cmocka_unit_test(schemas),
    };
    return cmocka_run_group_tests_name("etl fields", tests, NULL, NULL);
}
