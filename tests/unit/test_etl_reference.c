/* tests/unit/test_etl_reference.c: page accesses of the reference set by category. */
#include "etl_help.h"
#include "trace/etl/etl_reference.h"

static void put_page(struct etl_writer *writer, uint64_t ticks, uint16_t hook, unsigned use, uint64_t key, uint64_t address)
{
    struct etl_payload payload = {.pointer_size = writer->options.pointer_size};
    etl_payload_add(&payload, use | (key & 0xffffffffffff) << 9, 8);
    etl_payload_pointer(&payload, 0x99);
    etl_payload_pointer(&payload, address);
    etl_put(writer, 1, ticks, hook, &payload);
}

static void put_range(struct etl_writer *writer, uint64_t ticks, unsigned use, uint64_t key, uint64_t address, uint64_t pages)
{
    struct etl_payload payload = {.pointer_size = writer->options.pointer_size};
    etl_payload_add(&payload, use | (key & 0xffffffffffff) << 4, 8);
    etl_payload_pointer(&payload, address);
    etl_payload_pointer(&payload, pages);
    etl_put(writer, 1, ticks, PL_ETL_RANGE_ACCESS, &payload);
}

static void put_allocation(struct etl_writer *writer, uint64_t ticks, uint16_t hook, uint64_t base, uint64_t size,
                           uint32_t flags)
{
    struct etl_payload payload = {.pointer_size = writer->options.pointer_size};
    etl_payload_pointer(&payload, base);
    etl_payload_pointer(&payload, size);
    etl_payload_add(&payload, 50, 4);
    etl_payload_add(&payload, flags, 4);
    if (hook == PL_ETL_ALLOC_START)
        etl_payload_pointer(&payload, size);
    etl_put(writer, 0, ticks, hook, &payload);
}

static void put_image(struct etl_writer *writer, uint64_t ticks, uint16_t hook, uint64_t base, uint64_t size)
{
    struct etl_payload payload = {.pointer_size = writer->options.pointer_size};
    etl_payload_pointer(&payload, base);
    etl_payload_pointer(&payload, size);
    etl_payload_add(&payload, 50, 4);
    etl_put(writer, 0, ticks, hook, &payload);
}

static void put_stack(struct etl_writer *writer, uint64_t ticks, uint64_t limit, uint64_t base)
{
    struct etl_payload payload = {.pointer_size = writer->options.pointer_size};
    etl_payload_add(&payload, 50, 4);
    etl_payload_add(&payload, 51, 4);
    etl_payload_pointer(&payload, 0);
    etl_payload_pointer(&payload, 0);
    etl_payload_pointer(&payload, base);
    etl_payload_pointer(&payload, limit);
    etl_put(writer, 0, ticks, PL_ETL_THREAD_DC_START, &payload);
}

static void check(const struct etl_writer_options *options)
{
    struct etl_writer writer;
    struct pl_etl_reference *reference;
    struct pl_etl_event event;
    struct pl_error err = {PL_OK, ""};
    const uint64_t key = options->pointer_size == 8 ? UINT64_C(0xffffab8112345080) : 0x85b1b008;
    etl_writer_start(&writer, options);
    etl_put_process(&writer, 1, PL_ETL_PROCESS_DC_START, key, 50, "a.exe", 4);
    put_allocation(&writer, 2, PL_ETL_ALLOC_START, 0x100000, 0x100000, 0x2000);
    put_image(&writer, 3, 0x1403, 0x400000, 0x10000);
    put_stack(&writer, 4, 0x300000, 0x310000);
    put_allocation(&writer, 10, PL_ETL_VIRTUAL_ALLOC, 0x500000, 0x100000, 0x2000);
    put_allocation(&writer, 11, PL_ETL_VIRTUAL_ALLOC, 0x510000, 0x1000, 0x1000);
    put_allocation(&writer, 12, PL_ETL_VIRTUAL_ALLOC, 0x120000, 0x1000, 0x1000); /* in what was there before */
    put_page(&writer, 20, PL_ETL_PAGE_ACCESS, PL_ETL_USE_PRIVATE, key, 0x110000);
    put_page(&writer, 21, PL_ETL_PAGE_ACCESS, PL_ETL_USE_PRIVATE, key, 0x120000);
    put_page(&writer, 22, PL_ETL_PAGE_ACCESS_EX, PL_ETL_USE_PRIVATE, key, 0x5ff000);
    put_page(&writer, 23, PL_ETL_PAGE_ACCESS, PL_ETL_USE_PRIVATE, key, 0x408000);
    put_page(&writer, 24, PL_ETL_PAGE_ACCESS, PL_ETL_USE_PRIVATE, key, 0x30f000);
    put_page(&writer, 25, PL_ETL_PAGE_ACCESS, PL_ETL_USE_PRIVATE, key, 0x310000); /* just above the stack */
    put_page(&writer, 26, PL_ETL_PAGE_ACCESS, PL_ETL_USE_PRIVATE, 0x70, 0x110000); /* of nobody that is known */
    put_page(&writer, 27, PL_ETL_PAGE_ACCESS, PL_ETL_USE_FILE, 0, 0xa0);
    put_page(&writer, 28, PL_ETL_PAGE_ACCESS, PL_ETL_USE_FILE, 0, 0xa1);
    put_page(&writer, 29, PL_ETL_PAGE_ACCESS, PL_ETL_USE_SECTION, 0, 0xb0);
    put_page(&writer, 30, PL_ETL_PAGE_ACCESS, PL_ETL_USE_KERNEL_STACK, 0, 0xb0);
    put_range(&writer, 31, PL_ETL_USE_PRIVATE, key, 0x520000, 16);
    put_page(&writer, 32, PL_ETL_PAGE_RELEASE, PL_ETL_USE_PRIVATE, key, 0x520000);
    put_allocation(&writer, 33, PL_ETL_VIRTUAL_FREE, 0x510000, 0x1000, 0x4000);
    put_page(&writer, 34, PL_ETL_PAGE_ACCESS, PL_ETL_USE_PRIVATE, key, 0x510000); /* decommitted, still reserved */
    put_allocation(&writer, 35, PL_ETL_VIRTUAL_FREE, 0x500000, 0x100000, 0x8000);
    put_page(&writer, 36, PL_ETL_PAGE_ACCESS, PL_ETL_USE_PRIVATE, key, 0x510000); /* released */
    put_image(&writer, 37, 0x1402, 0x400000, 0x10000);
    put_page(&writer, 38, PL_ETL_PAGE_ACCESS, PL_ETL_USE_PRIVATE, key, 0x408000); /* unloaded */
    etl_writer_finish(&writer);
    struct pl_etl *etl = etl_reopen(&writer);
    assert_int_equal(pl_etl_reference_create(etl, &reference, &err), PL_OK);
    while (etl_next(etl, &event))
        assert_int_equal(pl_etl_reference_take(reference, &event, &err), PL_OK);
    static const uint64_t pages[PL_ETL_CATEGORIES] = {
        [PL_ETL_USE_PRIVATE] = 4, [PL_ETL_USE_FILE] = 1, [PL_ETL_USE_SECTION] = 1, [PL_ETL_USE_KERNEL_STACK] = 1,
        [PL_ETL_COPY_ON_WRITE_IMAGE] = 1, [PL_ETL_ALLOCATED] = 18, [PL_ETL_ALLOCATED_BEFORE] = 2,
        [PL_ETL_USER_STACK] = 1, [PL_ETL_IMAGE] = 1,
    };
    const struct pl_etl_reference_row *rows = pl_etl_reference_rows(reference);
    for (unsigned i = 0; i < PL_ETL_CATEGORIES; i++)
        if (rows[i].pages != pages[i])
            fail_msg("%s: %llu pages instead of %llu", pl_etl_category_name(i), (unsigned long long)rows[i].pages,
                     (unsigned long long)pages[i]);
    assert_int_equal(rows[PL_ETL_ALLOCATED].accesses, 3);
    assert_int_equal(rows[PL_ETL_ALLOCATED].released, 1);
    pl_etl_reference_destroy(reference);
    pl_etl_close(etl);
    etl_writer_free(&writer);
}

static void categories(void **state)
{
    (void)state;
    check(&plain64);
    check(&plain32);
    assert_string_equal(pl_etl_category_name(PL_ETL_ALLOCATED_BEFORE), "VirtualAlloc_PreTrace");
    assert_string_equal(pl_etl_category_name(PL_ETL_USE_PAGED_POOL), "PagedPool");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(categories)};
    return cmocka_run_group_tests_name("etl reference set", tests, NULL, NULL);
}
