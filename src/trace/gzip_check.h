/* trace/gzip_check.h: gzip's own checksums, which libarchive does not look at.
 *
 * Fed with the packed bytes as they are read and the unpacked ones as they come out, in any rhythm. A file of several
 * members is checked as a whole: the CRC of everything follows from the CRCs and lengths of the members (RFC 1952). */
#ifndef PL_TRACE_GZIP_CHECK_H
#define PL_TRACE_GZIP_CHECK_H

#include "base/base.h"

enum {
    GZIP_TRAILER = 8, /* CRC-32 and length modulo 2^32, little-endian */
    GZIP_HEADER = 10,
    GZIP_SEAM = GZIP_TRAILER + GZIP_HEADER, /* what lies between two members */
};

struct gzip_check {
    uint32_t crc; /* of all unpacked bytes */
    uint64_t length;
    uint32_t members_crc; /* the same, as the members that have ended say */
    uint64_t members_length;
    uint8_t tail[GZIP_SEAM - 1]; /* the last packed bytes: a seam may lie across two reads */
    size_t tail_length;
};

void gzip_check_packed(struct gzip_check *check, const uint8_t *bytes, size_t length);
void gzip_check_unpacked(struct gzip_check *check, const uint8_t *bytes, size_t length);
/* At the end: does it all fit? Bytes of padding behind the last member leave nothing to hold it against: true. */
bool gzip_check_holds(const struct gzip_check *check);

#endif
