/* capture/capture.h: `pagecap`, the program that captures and measures, table of contents. Windows and Linux.
 *
 *   pagecap.h      its commands, one cap_NAME.c each                      pagecap.c, cap_*.c
 *   backend.h      ways to see which pages a program touches              backend.c, linux/, windows/
 *   recorder.h     touches into a native trace                            recorder.c
 *   workload.h     the measured workload: phases over os.h                workload.c, workload_team.c
 *   touch_list.h   the touches of a trace, for doing them again           touch_list.c, cap_touch.c
 *   measurement.h  what was measured, as JSON for calibrate and validate  measurement.c
 *   os.h           what it asks of the operating system                   linux/os_*.c, windows/os_*.c
 *   lz4_size.h     how large a page becomes under LZ4                     lz4_size.c
 *
 * It stands on base, the native and .etl parts of trace, XPRESS, the page hash and the generated contents alone (all
 * without third-party parts), so that the Windows program can be cross-built; tests/layers.sh holds it to that. */
#ifndef PL_CAPTURE_CAPTURE_H
#define PL_CAPTURE_CAPTURE_H

#include "capture/backend.h"
#include "capture/measurement.h"
#include "capture/os.h"
#include "capture/recorder.h"
#include "capture/workload.h"

#endif
