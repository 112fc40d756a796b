/* device/hdd.c: a hard disk.
 *
 * A request costs overhead, seek, rotation and transfer:
 *
 *   seek(n tracks)  0 for n = 0; else with x = (n - 1) / (tracks / 3):
 *                   track + (average - track) sqrt(x)          up to a third of the stroke (x = 1): the heads accelerate
 *                   average + (full - average) (x - 1) / 2     beyond: they coast
 *   rotation        angle: the platter turns with the clock, block b passes the heads when they are at the same angle
 *                   mean: half a turn
 *   transfer        pages at the media rate
 *
 * The shape of the seek curve is that of Ruemmler and Wilkes, "An introduction to disk drive modeling" (1994), with the
 * three figures that data sheets give. A track holds what passes the heads in one turn, so track and angle of a block
 * follow from its number, the media rate and the speed. Heads start at block 0.
 *
 * What this does not model: zones (the outer tracks hold more), head and track switches within a transfer, settling that
 * takes longer for writes, the write cache, command queueing by rotational position, and remapped sectors. Of the read
 * buffer it models one thing, the `streams` flag: who goes on where the last request ended waits for no rotation, however
 * long he was away. */
#include "device/device_parts.h"

#include <math.h>

static const char *const rotations[] = {"angle", "mean", NULL};
enum { ROTATION_ANGLE, ROTATION_MEAN };
static const char *const queues[] = {"fifo", "look", "c-look", NULL};

#define FIELD(name) offsetof(struct pl_device_params, hdd.name)
static const struct pl_parameter parameters[] = {
    {"hdd.capacity", PL_PARAM_BYTES, FIELD(capacity_bytes), "GiB", "80GiB", "1MiB", NULL,
     "Size of the disk: what the full stroke of the heads spans."},
    {"hdd.speed", PL_PARAM_COUNT, FIELD(rounds_per_minute), "rounds/min", "7200", "1", "100000", "Speed of rotation."},
    {"hdd.seek_track", PL_PARAM_TIME, FIELD(seek_track_ps), "ms", "1ms", NULL, "1s", "Seek to the next track."},
    {"hdd.seek_average", PL_PARAM_TIME, FIELD(seek_average_ps), "ms", "9ms", NULL, "1s",
     "Seek over a third of the stroke, the mean distance of random requests."},
    {"hdd.seek_full", PL_PARAM_TIME, FIELD(seek_full_ps), "ms", "18ms", NULL, "1s", "Seek over the full stroke."},
    {"hdd.media_rate", PL_PARAM_RATE, FIELD(media_bytes_per_s), "MiB/s", "60MiB/s", "1KiB/s", NULL,
     "Rate at which data passes the heads."},
    {"hdd.overhead", PL_PARAM_TIME, FIELD(overhead_ps), "ms", "0.2ms", NULL, "1s",
     "Time that a request takes before the heads move."},
    {"hdd.rotation", PL_PARAM_CHOICE, FIELD(rotation), NULL, "mean", NULL, NULL,
     "Wait for the block by the angle of the platter, or half a turn.", rotations},
    {"hdd.queue", PL_PARAM_CHOICE, FIELD(queue), NULL, "c-look", NULL, NULL,
     "Order of waiting requests: as they came, up and down (neighbours backwards on the way down), or always up.", queues},
    {"hdd.streams", PL_PARAM_FLAG, FIELD(streams), NULL, "true", NULL, NULL,
     "A request that goes on where the last one ended waits for no rotation."},
    {NULL},
};
#undef FIELD

struct hdd {
    pl_time_ps turn_ps, page_ps;
    double tracks;
    uint64_t head_block; /* behind the last block that passed */
};

/* Track and angle of a block; the angle is the time since the start of the track passed the heads. */
static uint64_t track_of(const struct hdd *hdd, uint64_t block, pl_time_ps *angle_ps)
{
    pl_sum along = (pl_sum)block * (pl_sum)hdd->page_ps;
    *angle_ps = (pl_time_ps)(along % (pl_sum)hdd->turn_ps);
    return (uint64_t)(along / (pl_sum)hdd->turn_ps);
}

static enum pl_err start(struct pl_device *device, struct pl_error *err)
{
    const struct pl_hdd_params *params = &device->params.hdd;
    struct hdd *hdd = device->state;
    pl_time_ps angle_ps;
    if (params->seek_track_ps > params->seek_average_ps || params->seek_average_ps > params->seek_full_ps)
        return pl_fail(err, PL_ERR_INPUT,
                       "hdd.seek_track must not exceed hdd.seek_average, nor that hdd.seek_full");
    hdd->turn_ps = 60 * PL_PS_PER_S / (pl_time_ps)params->rounds_per_minute;
    hdd->page_ps = device_transfer_ps(device, 1, params->media_bytes_per_s);
    if (hdd->page_ps == 0)
        hdd->page_ps = 1;
    uint64_t tracks = track_of(hdd, params->capacity_bytes / device->page_bytes, &angle_ps);
    hdd->tracks = tracks > 3 ? (double)tracks : 3;
    device->discipline = (enum discipline)params->queue;
    return PL_OK;
}

static pl_time_ps seek_ps(const struct pl_hdd_params *params, const struct hdd *hdd, uint64_t from, uint64_t to)
{
    uint64_t distance = from > to ? from - to : to - from;
    if (distance == 0)
        return 0;
    double x = (double)(distance - 1) / (hdd->tracks / 3);
    double track = (double)params->seek_track_ps, average = (double)params->seek_average_ps;
    double full = (double)params->seek_full_ps;
    double seek = x <= 1 ? track + (average - track) * sqrt(x) : average + (full - average) * (x - 1) / 2;
    return (pl_time_ps)llround(seek < full ? seek : full); /* beyond the capacity it takes no longer */
}

static pl_time_ps rotation_ps(const struct pl_hdd_params *params, const struct hdd *hdd, pl_time_ps angle_ps,
                              pl_time_ps ready_ps)
{
    if (params->rotation == ROTATION_MEAN)
        return hdd->turn_ps / 2;
    pl_time_ps ahead = angle_ps - ready_ps % hdd->turn_ps;
    return ahead < 0 ? ahead + hdd->turn_ps : ahead;
}

static pl_time_ps service_ps(struct pl_device *device, const struct pl_device_request *request, pl_time_ps now_ps)
{
    const struct pl_hdd_params *params = &device->params.hdd;
    struct hdd *hdd = device->state;
    pl_time_ps angle_ps, unused;
    uint64_t from = track_of(hdd, hdd->head_block, &unused);
    uint64_t to = track_of(hdd, request->first_block, &angle_ps);
    pl_time_ps service = params->overhead_ps;
    if (!params->streams || request->first_block != hdd->head_block) {
        service += seek_ps(params, hdd, from, to);
        service += rotation_ps(params, hdd, angle_ps, now_ps + service);
    }
    hdd->head_block = request->first_block + request->pages;
    return service + hdd->page_ps * request->pages;
}

const struct pl_device_ops pl_device_hdd = {
    .name = "hdd",
    .about = "Hard disk: seek by distance, rotation, transfer, elevator.",
    .parameters = parameters,
    .state_bytes = sizeof(struct hdd),
    .start = start,
    .service_ps = service_ps,
};
