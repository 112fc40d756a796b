/* device/device_parts.h: what a member of the family brings, and what device.c keeps for it. Private to device. */
#ifndef PL_DEVICE_DEVICE_PARTS_H
#define PL_DEVICE_DEVICE_PARTS_H

#include "base/random.h"
#include "device/device.h"
#include "device/slot_heap.h"

/* In which order waiting requests are served. */
enum discipline {
    DISCIPLINE_FIFO,
    DISCIPLINE_LOOK,   /* up to the last request, then down, then up */
    DISCIPLINE_C_LOOK, /* up to the last request, then from the lowest one up again */
};

/* Requests pass one of `servers` servers of equal kind, in the order of the discipline, and then, when there is a
 * `bus_ps`, one bus in the order in which they reach it. */
struct pl_device_ops {
    const char *name;  /* as written in machine files */
    const char *about; /* one line */
    const struct pl_parameter *parameters; /* offsets in struct pl_device_params */
    size_t state_bytes;                    /* of device->state */
    /* Checks the parameters, sets servers and discipline; state is zeroed. */
    enum pl_err (*start)(struct pl_device *device, struct pl_error *err);
    /* How long a server is busy with a request that starts now; called once for each request. */
    pl_time_ps (*service_ps)(struct pl_device *device, const struct pl_device_request *request, pl_time_ps now_ps);
    pl_time_ps (*bus_ps)(struct pl_device *device, const struct pl_device_request *request); /* NULL = no bus */
};

extern const struct pl_device_ops pl_device_hdd, pl_device_ssd, pl_device_constant, pl_device_ram;

enum { UNLIMITED_SERVERS = -1 };

struct pl_device {
    const struct pl_device_ops *ops;
    struct pl_device_params params;
    uint32_t page_bytes;
    struct pl_random random;
    void *state;
    int64_t servers;            /* or UNLIMITED_SERVERS */
    enum discipline discipline;

    struct pl_device_request *slot; /* requests in the device; the free ones are stacked in `free_slot` */
    uint32_t *free_slot;
    size_t slot_capacity, free_capacity, slots, free_slots;

    /* What waits: the sweep that goes on and the one after it. `head_block` is where the heads will be. */
    struct slot_heap sweep[2];
    int sweep_now;
    uint64_t head_block;
    struct slot_heap serving;   /* by the time they leave the server */
    struct slot_heap for_bus;   /* by the order of arrival */
    uint64_t reached_bus;
    uint32_t on_bus;
    pl_time_ps bus_free_ps;     /* when the one on the bus has passed; PL_DEVICE_IDLE_PS = nobody is on it */

    pl_time_ps last_ps; /* up to here the sums hold */
    uint64_t submitted, completed, requests[2], pages[2], most_waiting;
    pl_sum busy_sum, waiting_sum, in_system_sum; /* servers, requests and requests, times picoseconds */
    pl_time_ps any_busy_ps;
    struct pl_histogram service_ps, wait_ps, response_ps[2];
};

/* pages * page_bytes at a rate, rounded to picoseconds. */
pl_time_ps device_transfer_ps(const struct pl_device *device, uint32_t pages, double bytes_per_s);

#endif
