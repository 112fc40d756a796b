/* trace/etl/etl_source.h: all bytes of a source at once, as the .etl reader wants them: the mapping of a plain file; the window of
 * a short input; of anything else an unnamed temporary file, mapped. */
#ifndef PL_TRACE_ETL_SOURCE_H
#define PL_TRACE_ETL_SOURCE_H

#include "trace/source.h"

struct pl_etl_bytes {
    const uint8_t *bytes;
    uint64_t length;
    void *map; /* of the temporary file, or NULL */
};

/* What it gives is valid until the source is closed or peeked at, and until pl_etl_bytes_free. */
enum pl_err pl_etl_bytes_get(struct pl_source *source, struct pl_etl_bytes *out, struct pl_error *err);
void pl_etl_bytes_free(struct pl_etl_bytes *bytes);

#endif
