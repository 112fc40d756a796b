/* trace/etl/etl_record.c: the header of one record. There are eight kinds, told apart by the marker in the first four bytes:
 * byte 3 holds flags, byte 2 the kind and the width of pointers, the low half a version or the length. */
#include "trace/etl/etl_private.h"

enum { MARK_EVENT = ETL_MARK_EVENT, MARK_MESSAGE = 0x90, MARK_TIMED = 0xb0 };

enum { /* what stands between a PERFINFO header and its payload */
    PERFINFO_COUNTERS = 0x0700, PERFINFO_COUNTER_SHIFT = 8, PERFINFO_PEBS = 0x8000,
};

/* Classes whose events also come with the kernel's short headers, and their group there. */
static const struct class_group {
    uint8_t guid[16];
    uint8_t group;
} classes[] = {
    {{0xd4, 0xa8, 0x6f, 0x3d, 0x05, 0xfe, 0xd0, 0x11, 0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c}, 0x01}, /* DiskIo */
    {{0xd3, 0xa8, 0x6f, 0x3d, 0x05, 0xfe, 0xd0, 0x11, 0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c}, 0x02}, /* PageFault */
    {{0xd0, 0xa8, 0x6f, 0x3d, 0x05, 0xfe, 0xd0, 0x11, 0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c}, 0x03}, /* Process */
    {{0x39, 0xdc, 0xcb, 0x90, 0x3e, 0x4a, 0xd1, 0x11, 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3}, 0x04}, /* FileIo */
    {{0xd1, 0xa8, 0x6f, 0x3d, 0x05, 0xfe, 0xd0, 0x11, 0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c}, 0x05}, /* Thread */
    {{0x1d, 0x5d, 0x15, 0x2c, 0xc1, 0x5f, 0xd2, 0x11, 0xab, 0xe1, 0x00, 0xa0, 0xc9, 0x11, 0xf5, 0x18}, 0x14}, /* Image */
    {{0x00, 0xd9, 0xfd, 0x68, 0x3e, 0x4a, 0xd1, 0x11, 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3}, 0x00}, /* EventTrace */
};

static uint16_t class_hook(const uint8_t *guid, uint8_t type)
{
    for (size_t i = 0; i < PL_COUNT_OF(classes); i++)
        if (!memcmp(classes[i].guid, guid, 16))
            return (uint16_t)(classes[i].group << 8 | type);
    return PL_ETL_NO_HOOK;
}

/* Ends a record: is its length possible, and where does the payload lie? */
static enum etl_record finish(const uint8_t *at, size_t left, size_t size, size_t header, struct pl_etl_event *out,
                              size_t *step)
{
    if (size < header || size > left)
        return RECORD_BAD;
    out->payload = at + header;
    out->payload_size = (uint32_t)(size - header);
    size = (size + 7) & ~(size_t)7;
    *step = size < left ? size : left;
    return RECORD_OK;
}

/* SYSTEM, COMPACT and PERFINFO: the kernel's own, with group and type instead of a class. */
static enum etl_record kernel(const uint8_t *at, size_t left, size_t header, struct pl_etl_event *out, size_t *step)
{
    if (left < header)
        return RECORD_BAD;
    out->version = at[0];
    out->hook = load16(at + 6);
    if (out->header == PL_ETL_PERFINFO) {
        unsigned word = load16(at);
        out->ticks = load64(at + 8);
        header += 8 * ((word & PERFINFO_COUNTERS) >> PERFINFO_COUNTER_SHIFT) + (word & PERFINFO_PEBS ? 8 : 0);
    } else {
        out->thread = load32(at + 8);
        out->process = load32(at + 0xc);
        out->ticks = load64(at + 0x10);
    }
    return finish(at, left, load16(at + 4), header, out, step);
}

/* FULL and INSTANCE: events of a class that was registered in the old way. */
static enum etl_record classic(const uint8_t *at, size_t left, size_t header, struct pl_etl_event *out, size_t *step)
{
    if (left < header)
        return RECORD_BAD;
    out->id = at[4];
    out->version = at[6];
    out->thread = load32(at + 8);
    out->process = load32(at + 0xc);
    out->ticks = load64(at + 0x10);
    if (out->header == PL_ETL_FULL) {
        out->guid = at + 0x18;
        out->hook = class_hook(out->guid, at[4]);
    }
    return finish(at, left, load16(at), header, out, step);
}

/* EVENT_HEADER: events of a provider with a manifest, or that describe themselves. */
static enum etl_record provider(const uint8_t *at, size_t left, struct pl_etl_event *out, size_t *step)
{
    enum { HEADER = 0x50 };
    if (left < HEADER)
        return RECORD_BAD;
    out->thread = load32(at + 8);
    out->process = load32(at + 0xc);
    out->ticks = load64(at + 0x10);
    out->guid = at + 0x18;
    out->id = load16(at + 0x28);
    out->version = at[0x2a];
    return finish(at, left, load16(at), HEADER, out, step);
}

/* Messages of the preprocessor: which fields follow is in their flags. */
static enum etl_record message(const uint8_t *at, size_t left, struct pl_etl_event *out, size_t *step)
{
    enum { SEQUENCE = 1, GUID = 2, COMPONENT = 4, TIME = 8, SYSTEM = 0x20 };
    unsigned flags = load16(at + 6);
    size_t size = load16(at), header = 8;
    if (size > left)
        return RECORD_BAD;
    out->header = PL_ETL_MESSAGE;
    out->id = load16(at + 4);
    header += flags & SEQUENCE ? 4 : 0;
    if (flags & GUID) {
        out->guid = size >= header + 16 ? at + header : NULL;
        header += 16;
    } else if (flags & COMPONENT) {
        header += 4;
    }
    if (flags & TIME) {
        if (size >= header + 8)
            out->ticks = load64(at + header);
        header += 8;
    }
    if (flags & SYSTEM) {
        if (size >= header + 8) {
            out->thread = load32(at + header);
            out->process = load32(at + header + 4);
        }
        header += 8;
    }
    return finish(at, left, size, header, out, step);
}

static enum etl_record timed(const uint8_t *at, size_t left, struct pl_etl_event *out, size_t *step)
{
    if (left < 16)
        return RECORD_BAD;
    out->header = PL_ETL_TIMED;
    out->id = load16(at + 4);
    out->ticks = load64(at + 8);
    return finish(at, left, load16(at), 16, out, step);
}

static enum etl_record marked_event(const uint8_t *at, size_t left, struct pl_etl_event *out, size_t *step)
{
    switch (at[2]) {
    case 0x01: case 0x02:
        out->header = PL_ETL_SYSTEM;
        out->pointer_size = at[2] == 0x01 ? 4 : 8;
        return kernel(at, left, 0x20, out, step);
    case 0x03: case 0x04:
        out->header = PL_ETL_COMPACT;
        out->pointer_size = at[2] == 0x03 ? 4 : 8;
        return kernel(at, left, 0x18, out, step);
    case 0x10: case 0x11:
        out->header = PL_ETL_PERFINFO;
        out->pointer_size = at[2] == 0x10 ? 4 : 8;
        return kernel(at, left, 0x10, out, step);
    case 0x0a: case 0x14:
        out->header = PL_ETL_FULL;
        out->pointer_size = at[2] == 0x0a ? 4 : 8;
        return classic(at, left, 0x30, out, step);
    case 0x0b: case 0x15:
        out->header = PL_ETL_INSTANCE;
        out->pointer_size = at[2] == 0x0b ? 4 : 8;
        return classic(at, left, 0x38, out, step);
    case 0x12: case 0x13:
        out->header = PL_ETL_EVENT;
        out->pointer_size = at[2] == 0x12 ? 4 : 8;
        return provider(at, left, out, step);
    case 0x0d: /* what failed to be logged: its length is all that is used */
        out->header = PL_ETL_ERROR;
        return finish(at, left, load16(at), 8, out, step);
    default:
        return RECORD_BAD;
    }
}

enum etl_record etl_record(const uint8_t *at, size_t left, struct pl_etl_event *out, size_t *step)
{
    if (left < 8)
        return RECORD_END;
    uint32_t marker = load32(at);
    if (marker == 0 || marker == UINT32_MAX)
        return RECORD_END;
    out->ticks = UINT64_MAX;
    out->thread = out->process = PL_ETL_NOBODY;
    out->hook = PL_ETL_NO_HOOK;
    out->id = 0;
    out->version = 0;
    out->pointer_size = 8;
    out->guid = NULL;
    switch (at[3]) {
    case MARK_EVENT:
        return marked_event(at, left, out, step);
    case MARK_MESSAGE:
        return message(at, left, out, step);
    case MARK_TIMED:
        return timed(at, left, out, step);
    default:
        return RECORD_BAD;
    }
}

const struct etl_kind_layout etl_kind_layouts[256] = {
    [0x01] = {0x20, 0x10, 4, true, 0}, [0x02] = {0x20, 0x10, 4, true, 0}, [0x03] = {0x18, 0x10, 4, true, 0},
    [0x04] = {0x18, 0x10, 4, true, 0}, [0x10] = {0x10, 0x08, 4, true, (PERFINFO_COUNTERS | PERFINFO_PEBS) >> 8},
    [0x11] = {0x10, 0x08, 4, true, (PERFINFO_COUNTERS | PERFINFO_PEBS) >> 8},
    [0x0a] = {0x30, 0x10, 0, false, 0}, [0x14] = {0x30, 0x10, 0, false, 0}, [0x0b] = {0x38, 0x10, 0, false, 0},
    [0x15] = {0x38, 0x10, 0, false, 0}, [0x12] = {0x50, 0x10, 0, false, 0}, [0x13] = {0x50, 0x10, 0, false, 0},
};
