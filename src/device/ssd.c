/* device/ssd.c: a solid-state disk.
 *
 * A request holds one of the channels for a random latency and a fixed time for each page behind the first, then its data
 * pass the bus of the device, one request at a time, at the read or the write rate. Latencies are log-normal, given by
 * median and 99th percentile; equal ones give a constant. One request alone takes latency + further pages + bytes / rate;
 * under load either the channels or the bus become full.
 *
 * What this does not model: which pages share a channel, garbage collection and the slow-down of long writes, the write
 * cache as something that fills, and that a write crosses the bus before it takes a channel (it makes no difference to
 * how long it takes, only to what it gets in the way of). */
#include "device/device_parts.h"

#include <math.h>

#define FIELD(name) offsetof(struct pl_device_params, ssd.name)
static const struct pl_parameter parameters[] = {
    {"ssd.channels", PL_PARAM_COUNT, FIELD(channels), NULL, "8", "1", "65536", "Requests that are served at once."},
    {"ssd.read_median", PL_PARAM_TIME, FIELD(read_median_ps), "us", "80us", NULL, "1s",
     "Median latency of reading one page."},
    {"ssd.read_p99", PL_PARAM_TIME, FIELD(read_p99_ps), "us", "200us", NULL, "10s", "Its 99th percentile."},
    {"ssd.write_median", PL_PARAM_TIME, FIELD(write_median_ps), "us", "25us", NULL, "1s",
     "Median latency of writing one page."},
    {"ssd.write_p99", PL_PARAM_TIME, FIELD(write_p99_ps), "us", "150us", NULL, "10s", "Its 99th percentile."},
    {"ssd.read_page", PL_PARAM_TIME, FIELD(read_page_ps), "us", "4us", NULL, "1s",
     "Time of each further page of a read."},
    {"ssd.write_page", PL_PARAM_TIME, FIELD(write_page_ps), "us", "8us", NULL, "1s",
     "Time of each further page of a write."},
    {"ssd.read_rate", PL_PARAM_RATE, FIELD(read_bytes_per_s), "MiB/s", "500MiB/s", "1KiB/s", NULL,
     "Rate of the whole device, reading."},
    {"ssd.write_rate", PL_PARAM_RATE, FIELD(write_bytes_per_s), "MiB/s", "400MiB/s", "1KiB/s", NULL,
     "Rate of the whole device, writing."},
    {NULL},
};
#undef FIELD

struct ssd {
    double sigma[2]; /* of the logarithm, by operation */
    double spare;    /* normal numbers come in pairs */
    bool has_spare;
};

static enum pl_err start(struct pl_device *device, struct pl_error *err)
{
    static const double z99 = 2.3263478740408411; /* the 99th percentile of the normal distribution */
    const struct pl_ssd_params *params = &device->params.ssd;
    struct ssd *ssd = device->state;
    if (params->read_p99_ps < params->read_median_ps || params->write_p99_ps < params->write_median_ps)
        return pl_fail(err, PL_ERR_INPUT, "the 99th percentile of a latency is below its median");
    double read = (double)params->read_p99_ps / (double)params->read_median_ps;
    double write = (double)params->write_p99_ps / (double)params->write_median_ps;
    ssd->sigma[PL_DEVICE_READ] = params->read_median_ps ? log(read) / z99 : 0;
    ssd->sigma[PL_DEVICE_WRITE] = params->write_median_ps ? log(write) / z99 : 0;
    device->servers = (int64_t)params->channels;
    return PL_OK;
}

/* Marsaglia's polar method: a random point in the unit circle gives two independent normal numbers. */
static double next_normal(struct ssd *ssd, struct pl_random *random)
{
    double x, y, square;
    ssd->has_spare = !ssd->has_spare;
    if (!ssd->has_spare)
        return ssd->spare;
    do {
        x = 2 * pl_random_unit(random) - 1;
        y = 2 * pl_random_unit(random) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    double factor = sqrt(-2 * log(square) / square);
    ssd->spare = y * factor;
    return x * factor;
}

static pl_time_ps service_ps(struct pl_device *device, const struct pl_device_request *request, pl_time_ps now_ps)
{
    const struct pl_ssd_params *params = &device->params.ssd;
    struct ssd *ssd = device->state;
    bool is_read = request->operation == PL_DEVICE_READ;
    pl_time_ps median_ps = is_read ? params->read_median_ps : params->write_median_ps;
    pl_time_ps page_ps = is_read ? params->read_page_ps : params->write_page_ps;
    double sigma = ssd->sigma[request->operation];
    pl_time_ps latency_ps = median_ps;
    if (sigma > 0)
        latency_ps = (pl_time_ps)llround((double)median_ps * exp(sigma * next_normal(ssd, &device->random)));
    return latency_ps + page_ps * (request->pages - 1);
}

static pl_time_ps bus_ps(struct pl_device *device, const struct pl_device_request *request)
{
    bool is_read = request->operation == PL_DEVICE_READ;
    return device_transfer_ps(device, request->pages,
                              is_read ? device->params.ssd.read_bytes_per_s : device->params.ssd.write_bytes_per_s);
}

const struct pl_device_ops pl_device_ssd = {
    .name = "ssd",
    .about = "Solid-state disk: channels with random latency, one bus.",
    .parameters = parameters,
    .state_bytes = sizeof(struct ssd),
    .start = start,
    .service_ps = service_ps,
    .bus_ps = bus_ps,
};
