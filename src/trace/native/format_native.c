/* trace/native/format_native.c: the native file's row in the family of formats. */
#include "trace/native/native.h"

const struct pl_format pl_format_native = {
    .name = "native",
    .about = "pagelab's own: blocks with checksums, an index, control records (traces/FORMAT.md)",
    .suffixes = "trace",
    .probe = pl_native_probe,
    .open = pl_native_open,
    .next = pl_native_next,
    .origin = pl_native_origin,
    .close = pl_native_close,
    .write_open = pl_native_write_open,
    .write = pl_native_write,
    .write_close = pl_native_write_close,
};
