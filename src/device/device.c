/* device/device.c: what all devices have in common: the queue, the servers, the bus and the accounts.
 *
 *   submit -> [ waiting: one or two sweeps ] -> servers -> [ for the bus ] -> bus -> complete
 *
 * A sweep is a heap by block; FIFO is a sweep in which all keys are equal. A request that comes behind the heads goes
 * into the sweep after this one, so that an elevator needs no search. The sums behind the statistics grow by (number)
 * times (time since the last change), in integers, so that Little's law holds to the picosecond. */
#include "device/device_parts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the family ------------------------------------------------------------------- */

const struct pl_device_ops *const pl_devices[] = {
    &pl_device_hdd, &pl_device_ssd, &pl_device_constant, &pl_device_ram, NULL,
};

static const char *const kinds[] = {"hdd", "ssd", "constant", "ram", NULL}; /* the names, in the same order */

const struct pl_parameter pl_device_parameters[] = {
    {"kind", PL_PARAM_CHOICE, offsetof(struct pl_device_params, kind), NULL, "constant", NULL, NULL,
     "What the device is.", kinds},
    {NULL},
};

void pl_device_parameter_groups(const char *prefix, size_t offset, struct pl_parameter_group out[PL_DEVICE_GROUPS])
{
    out[0] = (struct pl_parameter_group){prefix, pl_device_parameters, offset};
    for (size_t i = 0; pl_devices[i]; i++) {
        assert(i + 1 < PL_DEVICE_GROUPS);
        out[i + 1] = (struct pl_parameter_group){prefix, pl_devices[i]->parameters, offset};
    }
}

const char *pl_device_kind_name(const struct pl_device_params *params)
{
    return pl_devices[params->kind]->name;
}

pl_time_ps device_transfer_ps(const struct pl_device *device, uint32_t pages, double bytes_per_s)
{
    double bytes = (double)pages * device->page_bytes;
    return (pl_time_ps)llround(bytes / bytes_per_s * (double)PL_PS_PER_S);
}

/* --- creating ------------------------------------------------------------------------ */

enum pl_err pl_device_create(const struct pl_device_params *params, const char *name, uint32_t page_bytes,
                             uint64_t seed, struct pl_device **out, struct pl_error *err)
{
    assert((size_t)params->kind + 1 < PL_COUNT_OF(pl_devices) && page_bytes > 0);
    const struct pl_device_ops *ops = pl_devices[params->kind];
    struct pl_device *device = calloc(1, sizeof *device);
    void *state = calloc(1, ops->state_bytes ? ops->state_bytes : 1);
    enum pl_err rc = PL_OK;
    if (!device || !state) {
        free(device);
        free(state);
        return pl_fail_memory(err, sizeof *device, name);
    }
    device->ops = ops;
    device->params = *params;
    device->page_bytes = page_bytes;
    device->random = pl_random_named(seed, name);
    device->state = state;
    device->servers = 1;
    device->bus_free_ps = PL_DEVICE_IDLE_PS;
    if (ops->start)
        rc = ops->start(device, err);
    if (rc) {
        pl_fail_prefix(err, "device '%s'", name);
        pl_device_destroy(device);
        return rc;
    }
    *out = device;
    return PL_OK;
}

void pl_device_destroy(struct pl_device *device)
{
    if (!device)
        return;
    slot_heap_free(&device->sweep[0]);
    slot_heap_free(&device->sweep[1]);
    slot_heap_free(&device->serving);
    slot_heap_free(&device->for_bus);
    free(device->slot);
    free(device->free_slot);
    free(device->state);
    free(device);
}

/* --- accounts ------------------------------------------------------------------------- */

static uint64_t waiting(const struct pl_device *device)
{
    return device->sweep[0].count + device->sweep[1].count;
}

static uint64_t in_service(const struct pl_device *device)
{
    bool on_bus = device->bus_free_ps != PL_DEVICE_IDLE_PS;
    return device->serving.count + device->for_bus.count + on_bus;
}

/* Brings all sums up to `now_ps`; to be called before anything changes. */
static void account(struct pl_device *device, pl_time_ps now_ps)
{
    assert(now_ps >= device->last_ps);
    pl_sum passed = (pl_sum)(now_ps - device->last_ps);
    device->busy_sum += passed * device->serving.count;
    device->waiting_sum += passed * waiting(device);
    device->in_system_sum += passed * (waiting(device) + in_service(device));
    if (in_service(device) > 0)
        device->any_busy_ps += now_ps - device->last_ps;
    device->last_ps = now_ps;
}

static void account_completed(struct pl_device *device, const struct pl_device_request *request)
{
    unsigned operation = (unsigned)request->operation;
    device->completed++;
    device->requests[operation]++;
    device->pages[operation] += request->pages;
    pl_histogram_add(&device->wait_ps, (uint64_t)(request->started_ps - request->submitted_ps));
    pl_histogram_add(&device->service_ps, (uint64_t)(request->done_ps - request->started_ps));
    pl_histogram_add(&device->response_ps[operation], (uint64_t)(request->done_ps - request->submitted_ps));
}

void pl_device_stats(struct pl_device *device, pl_time_ps now_ps, struct pl_device_stats *out)
{
    account(device, now_ps);
    double observed = now_ps > 0 ? (double)now_ps : (double)NAN;
    double busy = device->servers == UNLIMITED_SERVERS ? (double)device->any_busy_ps
                                                       : (double)device->busy_sum / (double)device->servers;
    *out = (struct pl_device_stats){
        .submitted = device->submitted, .completed = device->completed,
        .waiting = waiting(device), .in_service = in_service(device),
        .most_waiting = device->most_waiting, .observed_ps = now_ps,
        .utilisation = busy / observed,
        .mean_waiting = (double)device->waiting_sum / observed,
        .mean_in_system = (double)device->in_system_sum / observed,
        .in_system_ps = device->in_system_sum,
        .service_ps = &device->service_ps, .wait_ps = &device->wait_ps,
        .response_ps = {&device->response_ps[0], &device->response_ps[1]},
    };
    for (int i = 0; i < 2; i++) {
        out->requests[i] = device->requests[i];
        out->pages[i] = device->pages[i];
        out->bytes[i] = device->pages[i] * device->page_bytes;
    }
}

/* --- the queue -------------------------------------------------------------------------- */

/* Puts a request into the sweep that will reach it. In LOOK, sweep 0 goes up and sweep 1 down; in C-LOOK both go up and
 * take turns. */
static void enqueue(struct pl_device *device, uint32_t slot)
{
    uint64_t block = device->slot[slot].first_block;
    bool behind = block < device->head_block;
    if (device->discipline == DISCIPLINE_FIFO)
        slot_heap_push(&device->sweep[0], 0, slot);
    else if (device->discipline == DISCIPLINE_LOOK)
        slot_heap_push(&device->sweep[behind], behind ? ~block : block, slot);
    else
        slot_heap_push(&device->sweep[device->sweep_now ^ (int)behind], block, slot);
}

static uint32_t dequeue(struct pl_device *device)
{
    if (device->sweep[device->sweep_now].count == 0)
        device->sweep_now ^= 1;
    return slot_heap_pop(&device->sweep[device->sweep_now]);
}

static bool has_free_server(const struct pl_device *device)
{
    return device->servers == UNLIMITED_SERVERS || device->serving.count < (size_t)device->servers;
}

static void start_waiting(struct pl_device *device, pl_time_ps now_ps)
{
    while (waiting(device) > 0 && has_free_server(device)) {
        uint32_t slot = dequeue(device);
        struct pl_device_request *request = &device->slot[slot];
        request->started_ps = now_ps;
        pl_time_ps service_ps = device->ops->service_ps(device, request, now_ps);
        assert(service_ps >= 0 && service_ps <= INT64_MAX - 1 - now_ps);
        device->head_block = request->first_block + request->pages;
        slot_heap_push(&device->serving, (uint64_t)(now_ps + service_ps), slot);
    }
}

/* --- slots --------------------------------------------------------------------------------- */

/* Makes sure that one more request finds room in everything it may pass. */
static enum pl_err reserve(struct pl_device *device, struct pl_error *err)
{
    struct slot_heap *heaps[] = {&device->sweep[0], &device->sweep[1], &device->serving, &device->for_bus};
    size_t need = device->slots - device->free_slots + 1;
    void *slots = device->slot, *free_slots = device->free_slot;
    enum pl_err rc = PL_OK;
    if (need > UINT32_MAX)
        return pl_fail(err, PL_ERR_RESOURCE, "too many requests wait for a device");
    for (size_t i = 0; rc == PL_OK && i < PL_COUNT_OF(heaps); i++)
        rc = slot_heap_reserve(heaps[i], need, err);
    if (rc == PL_OK)
        rc = pl_grow(&slots, &device->slot_capacity, need, sizeof *device->slot, "a device's requests", err);
    device->slot = slots;
    if (rc == PL_OK)
        rc = pl_grow(&free_slots, &device->free_capacity, need, sizeof *device->free_slot, "a device's requests", err);
    device->free_slot = free_slots;
    return rc;
}

static uint32_t take_slot(struct pl_device *device)
{
    return device->free_slots ? device->free_slot[--device->free_slots] : (uint32_t)device->slots++;
}

/* --- the interface ---------------------------------------------------------------------------- */

enum pl_err pl_device_submit(struct pl_device *device, pl_time_ps now_ps, const struct pl_device_request *request,
                             struct pl_error *err)
{
    assert(request->pages > 0 && now_ps >= 0);
    enum pl_err rc = reserve(device, err);
    if (rc)
        return rc;
    account(device, now_ps);
    uint32_t slot = take_slot(device);
    device->slot[slot] = *request;
    device->slot[slot].submitted_ps = now_ps;
    device->submitted++;
    enqueue(device, slot);
    start_waiting(device, now_ps);
    if (waiting(device) > device->most_waiting)
        device->most_waiting = waiting(device);
    return PL_OK;
}

static pl_time_ps served_ps(const struct pl_device *device)
{
    return device->serving.count ? (pl_time_ps)device->serving.entry[0].key : PL_DEVICE_IDLE_PS;
}

pl_time_ps pl_device_next_ps(const struct pl_device *device)
{
    pl_time_ps served = served_ps(device);
    return device->bus_free_ps < served ? device->bus_free_ps : served;
}

static void start_bus(struct pl_device *device, pl_time_ps now_ps)
{
    device->bus_free_ps = PL_DEVICE_IDLE_PS;
    if (device->for_bus.count == 0)
        return;
    device->on_bus = slot_heap_pop(&device->for_bus);
    device->bus_free_ps = now_ps + device->ops->bus_ps(device, &device->slot[device->on_bus]);
}

static void finish(struct pl_device *device, uint32_t slot, pl_time_ps now_ps, struct pl_device_request *out)
{
    struct pl_device_request *request = &device->slot[slot];
    request->done_ps = now_ps;
    account_completed(device, request);
    *out = *request;
    device->free_slot[device->free_slots++] = slot;
}

bool pl_device_complete(struct pl_device *device, pl_time_ps now_ps, struct pl_device_request *out)
{
    assert(now_ps == pl_device_next_ps(device));
    account(device, now_ps);
    if (device->bus_free_ps == now_ps) {
        uint32_t slot = device->on_bus;
        start_bus(device, now_ps);
        finish(device, slot, now_ps, out);
        return true;
    }
    uint32_t slot = slot_heap_pop(&device->serving);
    if (!device->ops->bus_ps) {
        finish(device, slot, now_ps, out);
        start_waiting(device, now_ps);
        return true;
    }
    slot_heap_push(&device->for_bus, device->reached_bus++, slot);
    if (device->bus_free_ps == PL_DEVICE_IDLE_PS)
        start_bus(device, now_ps);
    start_waiting(device, now_ps);
    return false;
}
