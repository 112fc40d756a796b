/* device/constant.c: a disk that takes the same time always, as in the 1996 cost model, where each read costs ch.
 *
 * A request takes a time for itself and one for each page. With unlimited servers nobody waits, and a request's response
 * is its cost: what a closed formula assumes. With one server it is a queue with deterministic service.
 *
 * What this does not model: anything about the place or the history of a request. */
#include "device/device_parts.h"

#define FIELD(name) offsetof(struct pl_device_params, constant.name)
static const struct pl_parameter parameters[] = {
    {"constant.servers", PL_PARAM_COUNT, FIELD(servers), NULL, "1", "1", "1000000", "Requests that are served at once.",
     NULL, "unlimited"},
    {"constant.read_request", PL_PARAM_TIME, FIELD(read_request_ps), "ms", "0s", NULL, "1h", "Time of a read request."},
    {"constant.read_page", PL_PARAM_TIME, FIELD(read_page_ps), "ms", "10ms", NULL, "1h",
     "Time of each page read: the 1996 model's ch."},
    {"constant.write_request", PL_PARAM_TIME, FIELD(write_request_ps), "ms", "0s", NULL, "1h",
     "Time of a write request."},
    {"constant.write_page", PL_PARAM_TIME, FIELD(write_page_ps), "ms", "10ms", NULL, "1h", "Time of each page written."},
    {NULL},
};
#undef FIELD

static enum pl_err start(struct pl_device *device, struct pl_error *err)
{
    uint64_t servers = device->params.constant.servers;
    device->servers = servers == UINT64_MAX ? UNLIMITED_SERVERS : (int64_t)servers;
    return PL_OK;
}

static pl_time_ps service_ps(struct pl_device *device, const struct pl_device_request *request, pl_time_ps now_ps)
{
    const struct pl_constant_params *params = &device->params.constant;
    if (request->operation == PL_DEVICE_READ)
        return params->read_request_ps + params->read_page_ps * request->pages;
    return params->write_request_ps + params->write_page_ps * request->pages;
}

const struct pl_device_ops pl_device_constant = {
    .name = "constant",
    .about = "The same time for each request and page; queue or no queue.",
    .parameters = parameters,
    .start = start,
    .service_ps = service_ps,
};
