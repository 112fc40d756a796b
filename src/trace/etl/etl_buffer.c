/* trace/etl/etl_buffer.c: the chain of buffers. The header of each stays plain; the records behind it may be compressed,
 * and then the buffer's size is what lies in the file, which need not be aligned. */
#include "trace/etl/etl_private.h"

#include "codec/xpress.h"

enum { /* offsets in a buffer's header */
    AT_SIZE = 0x00, AT_SAVED = 0x04, AT_CPU = 0x28, AT_STATE = 0x2c, AT_FLAGS = 0x34, AT_TYPE = 0x36,
    STATES = 8, FLAGS_KNOWN = 0xff,
};

bool etl_buffer_header(const uint8_t *at, uint64_t left, struct etl_buffer_header *out)
{
    if (left < ETL_BUFFER_HEADER)
        return false;
    out->size = load32(at + AT_SIZE);
    out->saved = load32(at + AT_SAVED);
    out->flags = load16(at + AT_FLAGS);
    out->type = load16(at + AT_TYPE);
    /* Before the flag for it there was one byte, and an alignment beside it. */
    out->cpu = out->flags & ETL_FLAG_CPU_VALID ? load16(at + AT_CPU) : at[AT_CPU];
    if (out->size < ETL_BUFFER_HEADER || out->saved < ETL_BUFFER_HEADER || out->type >= ETL_TYPES)
        return false;
    /* What did not shrink may be stored a little larger than it is. */
    if (out->size > 2 * ETL_BUFFER_LARGEST || out->saved > ETL_BUFFER_LARGEST)
        return false;
    if (out->flags & ~FLAGS_KNOWN || load32(at + AT_STATE) >= STATES)
        return false;
    return out->flags & ETL_FLAG_COMPRESSED || out->saved <= out->size;
}

size_t etl_buffer_room(const struct etl_buffer_header *header)
{
    return header->flags & ETL_FLAG_COMPRESSED ? header->saved - ETL_BUFFER_HEADER : 0;
}

bool etl_buffer_open(const uint8_t *bytes, uint64_t length, uint64_t place, const struct etl_buffer_header *header,
                     uint8_t *room, struct etl_span *out)
{
    uint64_t left = length - place;
    const uint8_t *at = bytes + place + ETL_BUFFER_HEADER;
    size_t stored = (size_t)(header->size < left ? header->size : left) - ETL_BUFFER_HEADER;
    size_t saved = header->saved - ETL_BUFFER_HEADER;
    out->cpu = header->cpu;
    out->place = place;
    if (header->flags & ETL_FLAG_COMPRESSED) {
        size_t whole = pl_xpress_decompress_some(at, stored, room, saved);
        out->at = room;
        out->end = room + whole;
        out->whole = whole == saved;
        return whole > 0 || saved == 0;
    }
    out->whole = saved <= stored;
    out->at = at;
    out->end = at + (saved < stored ? saved : stored);
    return true;
}

static bool is_plausible(const uint8_t *bytes, uint64_t length, uint64_t place, uint64_t *next)
{
    struct etl_buffer_header header;
    if (!etl_buffer_header(bytes + place, length - place, &header) || header.size > length - place)
        return false;
    *next = place + header.size;
    return true;
}

/* Where plain buffers have one size they are also aligned to it, but merged logs have neither, so every byte is tried;
 * a chance hit needs two headers that fit each other. */
uint64_t etl_buffer_resync(const uint8_t *bytes, uint64_t length, uint64_t from)
{
    uint64_t next, after;
    for (uint64_t place = from; place < length && length - place >= ETL_BUFFER_HEADER; place++) {
        if (bytes[place + AT_TYPE] >= ETL_TYPES || bytes[place + AT_TYPE + 1])
            continue;
        if (is_plausible(bytes, length, place, &next) && (next == length || is_plausible(bytes, length, next, &after)))
            return place;
    }
    return length;
}
