/* capture/contents.h: what the pages of a trace hold, read from the process while it is still there. */
#ifndef PL_CAPTURE_CONTENTS_H
#define PL_CAPTURE_CONTENTS_H

#include "capture/recorder.h"

/* For every page of process `pid` that was seen, and that it has: its hash and its sizes under XPRESS and LZ4 (and
 * under the system's own compressor) as a content record at `time`. *recorded gets how many. */
enum pl_err capture_contents(struct pl_recorder *recorder, uint64_t pid, pl_time_ps time, uint64_t *recorded,
                             struct pl_error *err);

#endif
