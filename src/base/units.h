/* base/units.h: quantities with units, as people write them.
 *
 * MB and MiB both mean 2^20 bytes here, as in the documents this project reproduces. A bare number where a unit is
 * needed is an error that shows what would have been right ("8 has no unit; write 8MiB, 8KiB or 8p (pages)"). */
#ifndef PL_BASE_UNITS_H
#define PL_BASE_UNITS_H

#include "base/error.h"

/* "8MiB", "0.75 MB", "64k", "128p" (pages of `page_size`; 0 = pages are not allowed here), "4096B". Rounded to whole
 * bytes. Negative, too large for 2^63 and non-numbers are PL_ERR_USAGE. "0" alone is allowed. */
enum pl_err pl_parse_bytes(const char *text, uint32_t page_size, uint64_t *out, struct pl_error *err);
/* "2ms", "1.5 us", "10ns", "3s", "250ps", "5min". "0" alone is allowed. May be negative. */
enum pl_err pl_parse_time(const char *text, pl_time_ps *out, struct pl_error *err);
/* "320MiB/s", "7.2 MB/s", in bytes a second. */
enum pl_err pl_parse_rate(const char *text, double *out, struct pl_error *err);
/* A whole number: "50000000", "50M", "50 k" (powers of ten), "1_000_000". */
enum pl_err pl_parse_count(const char *text, uint64_t *out, struct pl_error *err);

/* For people: "1.50 MiB", "366 ms", "320 MiB/s", "22,077,106". Each returns out. */
char *pl_format_bytes(char *out, size_t size, double bytes);
char *pl_format_time(char *out, size_t size, double seconds);
char *pl_format_rate(char *out, size_t size, double bytes_per_second);
char *pl_format_count(char *out, size_t size, uint64_t count);

#endif
