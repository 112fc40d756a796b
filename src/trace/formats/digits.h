/* trace/formats/digits.h: plain numbers, one a line, at memory speed.
 *
 * A kernel reads lines of 1 to 16 digits that end in LF or CRLF from [*at, end), puts at most `room` values into `out`,
 * returns how many, and leaves *at behind the last one. It stops early, always at the start of a line, before anything
 * else (a blank, a sign, 0x, a comment, an empty or longer line) and a little before `end`; the caller reads the next
 * line in its own way and calls again. It reads no byte at or beyond `end`. */
#ifndef PL_TRACE_DIGITS_H
#define PL_TRACE_DIGITS_H

#include "base/types.h"

typedef size_t pl_digits_kernel(const char **at, const char *end, uint64_t *out, size_t room);

/* The fastest for this processor. */
pl_digits_kernel *pl_digits_hex(void);
pl_digits_kernel *pl_digits_decimal(void);

/* The twins, for tests: the same results. The last two are NULL where the processor or the compiler lacks AVX2. */
pl_digits_kernel pl_digits_hex_portable, pl_digits_decimal_portable;
pl_digits_kernel *pl_digits_hex_avx2(void);
pl_digits_kernel *pl_digits_decimal_avx2(void);

#endif
