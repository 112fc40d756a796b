/* device/device.h: disks, processors and locks as queueing servers, table of contents.
 *
 *   histogram.h    counts of times, percentiles with a stated error        histogram.c
 *   page_file.h    the slots of a page file on a device                    page_file.c, free_map.c
 *   cpu.h          processors with a run queue                             cpu.c
 *   lock.h         spin locks and queued locks                             lock.c
 *
 * and, below, the family of devices that move pages: hdd.c, ssd.c, constant.c and ram_device.c, one registry row each in
 * device.c. To add one, write a file with a `const struct pl_device_ops` (device_parts.h), declare it there and add its
 * row.
 *
 * A device is passive: it knows no clock and calls nobody back. The caller hands requests in and asks when something
 * happens next:
 *
 *   pl_device_submit(device, now_ps, &request, &err);
 *   ... at now_ps == pl_device_next_ps(device), and not later:
 *   if (pl_device_complete(device, now_ps, &request)) ... one request is served
 *   ... after each of the two: ask pl_device_next_ps again, and put an event there
 *
 * As events cannot be taken back, one may arrive that no longer holds: ignore it when its time is not
 * pl_device_next_ps. Time never goes backwards. Nothing allocates once the largest number of requests has been seen. */
#ifndef PL_DEVICE_DEVICE_H
#define PL_DEVICE_DEVICE_H

#include "base/parameter.h"
#include "device/histogram.h"

#define PL_DEVICE_IDLE_PS INT64_MAX /* nothing will happen without another request */

enum pl_device_operation { PL_DEVICE_READ, PL_DEVICE_WRITE };

/* Blocks are pages: block b is at byte b * page_bytes. */
struct pl_device_request {
    enum pl_device_operation operation;
    uint32_t pages; /* at least 1 */
    uint64_t first_block;
    uint64_t cookie;         /* the caller's */
    pl_time_ps submitted_ps; /* these three are filled in by the device */
    pl_time_ps started_ps;
    pl_time_ps done_ps;
};

/* --- parameters ---------------------------------------------------------------- */

struct pl_hdd_params {
    uint64_t capacity_bytes;
    uint64_t rounds_per_minute;
    pl_time_ps seek_track_ps, seek_average_ps, seek_full_ps; /* one track, a third of the stroke, all of it */
    double media_bytes_per_s;
    pl_time_ps overhead_ps; /* of a request, before the heads move */
    int rotation;           /* 0 angle, 1 mean */
    int queue;              /* 0 fifo, 1 look, 2 c-look */
    bool streams;
};

struct pl_ssd_params {
    uint64_t channels;
    pl_time_ps read_median_ps, read_p99_ps, write_median_ps, write_p99_ps; /* latency of one page */
    pl_time_ps read_page_ps, write_page_ps;                                /* of each further page */
    double read_bytes_per_s, write_bytes_per_s;                            /* of the whole device */
};

struct pl_constant_params {
    uint64_t servers; /* UINT64_MAX: nobody waits */
    pl_time_ps read_request_ps, read_page_ps, write_request_ps, write_page_ps;
};

struct pl_ram_device_params {
    uint64_t copies_at_once; /* UINT64_MAX: the callers' processors are the limit */
    pl_time_ps overhead_ps;
    double read_bytes_per_s, write_bytes_per_s;
};

struct pl_device_params {
    int kind; /* row of pl_devices[] */
    struct pl_hdd_params hdd;
    struct pl_ssd_params ssd;
    struct pl_constant_params constant;
    struct pl_ram_device_params ram;
};

/* The rows of a struct pl_device_params: one group for the kind (`rows` here) and one for each member
 * (pl_devices[i]->parameters), all at the same offset and with the same prefix. */
extern const struct pl_parameter pl_device_parameters[];
enum { PL_DEVICE_GROUPS = 5 };
/* Fills PL_DEVICE_GROUPS rows, for a device that is described under `prefix` by the params at `offset`. */
void pl_device_parameter_groups(const char *prefix, size_t offset, struct pl_parameter_group out[PL_DEVICE_GROUPS]);

/* --- devices --------------------------------------------------------------------- */

struct pl_device;
struct pl_device_ops;

/* All devices in the order of the help; ends with NULL. */
extern const struct pl_device_ops *const pl_devices[];
const char *pl_device_kind_name(const struct pl_device_params *params); /* "hdd" */

/* `name` is unique among the devices of a machine: with `seed` it names the random stream. Both params and name are
 * copied. Fails with PL_ERR_INPUT on parameters that contradict each other. */
enum pl_err pl_device_create(const struct pl_device_params *params, const char *name, uint32_t page_bytes,
                             uint64_t seed, struct pl_device **out, struct pl_error *err);
void pl_device_destroy(struct pl_device *device); /* NULL is allowed */

/* Fails only when there is no memory; nothing changes then. */
enum pl_err pl_device_submit(struct pl_device *device, pl_time_ps now_ps, const struct pl_device_request *request,
                             struct pl_error *err);
/* When something happens next; PL_DEVICE_IDLE_PS when nothing will. Never before the last submit or complete. */
pl_time_ps pl_device_next_ps(const struct pl_device *device);
/* To be called at that time. True when a request is served: it is in `*out`. False when the device only moved on inside
 * (a page left its channel and waits for the bus). */
bool pl_device_complete(struct pl_device *device, pl_time_ps now_ps, struct pl_device_request *out);

/* --- what happened ------------------------------------------------------------------ */

struct pl_device_stats {
    uint64_t submitted, completed, waiting, in_service; /* submitted = completed + waiting + in service */
    uint64_t requests[2], pages[2], bytes[2];           /* completed, by operation */
    uint64_t most_waiting;
    pl_time_ps observed_ps;   /* from time 0 */
    double utilisation;       /* mean share of busy servers; with unlimited servers, of the time in which any was busy */
    double mean_waiting;      /* requests, over time */
    double mean_in_system;    /* waiting or in service */
    pl_sum in_system_ps;      /* the integral of that over time: equals the sum of all times spent, to the picosecond */
    const struct pl_histogram *service_ps, *wait_ps; /* of completed requests; live as long as the device */
    const struct pl_histogram *response_ps[2];       /* from submission to completion, by operation */
};
/* Up to `now_ps`, which must not be before the last submit or complete. */
void pl_device_stats(struct pl_device *device, pl_time_ps now_ps, struct pl_device_stats *out);

#endif
