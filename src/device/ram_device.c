/* device/ram_device.c: a block device in memory, such as zram's.
 *
 * A request costs an overhead (the way through the block layer) and the copying of its pages. The processor that asks
 * does the copying, so by default there is no limit to how many go on at once; compression is not here but in the store,
 * unless the rates are those of a compressing device as measured from outside.
 *
 * What this does not model: that copies at the same time share the memory's bandwidth, and caches that hold a page which
 * was just written. */
#include "device/device_parts.h"

#define FIELD(name) offsetof(struct pl_device_params, ram.name)
static const struct pl_parameter parameters[] = {
    {"ram.copies_at_once", PL_PARAM_COUNT, FIELD(copies_at_once), NULL, "unlimited", "1", "1000000",
     "Requests that are served at once.", NULL, "unlimited"},
    {"ram.overhead", PL_PARAM_TIME, FIELD(overhead_ps), "us", "0.4us", NULL, "1s", "Time of a request but for its pages."},
    {"ram.read_rate", PL_PARAM_RATE, FIELD(read_bytes_per_s), "MiB/s", "8GiB/s", "1KiB/s", NULL, "Copying out."},
    {"ram.write_rate", PL_PARAM_RATE, FIELD(write_bytes_per_s), "MiB/s", "8GiB/s", "1KiB/s", NULL, "Copying in."},
    {NULL},
};
#undef FIELD

static enum pl_err start(struct pl_device *device, struct pl_error *err)
{
    uint64_t copies = device->params.ram.copies_at_once;
    device->servers = copies == UINT64_MAX ? UNLIMITED_SERVERS : (int64_t)copies;
    return PL_OK;
}

static pl_time_ps service_ps(struct pl_device *device, const struct pl_device_request *request, pl_time_ps now_ps)
{
    const struct pl_ram_device_params *params = &device->params.ram;
    bool is_read = request->operation == PL_DEVICE_READ;
    return params->overhead_ps +
           device_transfer_ps(device, request->pages, is_read ? params->read_bytes_per_s : params->write_bytes_per_s);
}

const struct pl_device_ops pl_device_ram = {
    .name = "ram",
    .about = "Block device in memory: overhead and copying.",
    .parameters = parameters,
    .start = start,
    .service_ps = service_ps,
};
