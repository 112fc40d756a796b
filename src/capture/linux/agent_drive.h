/* capture/linux/agent_drive.h: captures by the agent: every access, or the pages of each interval. */
#ifndef PL_CAPTURE_LINUX_AGENT_DRIVE_H
#define PL_CAPTURE_LINUX_AGENT_DRIVE_H

#include "capture/backend.h"

enum pl_err agent_drive_probe(struct pl_error *why);
enum pl_err agent_drive_capture(const struct pl_capture_request *request, struct pl_recorder *recorder, bool intervals,
                               struct pl_capture_result *result, struct pl_error *err);

#endif
