/* trace/etl/etl_log.c: the header of a log, which is the payload of its first event. Offsets behind the two pointers differ between
 * 32- and 64-bit systems by what they take and by alignment; those of 32-bit systems are read about, not seen. */
#include "trace/etl/etl_private.h"

enum {
    AT_VERSION = 0x04, AT_BUILD = 0x08, AT_CPUS = 0x0c, AT_POINTER_SIZE = 0x2c, AT_EVENTS_LOST = 0x30, AT_CPU_MHZ = 0x34,
    AT_FREQUENCY = 0x100, AT_START = 0x108, AT_CLOCK = 0x110, AT_BUFFERS_LOST = 0x114, /* 64 bits; 8 less in 32 */
    FIXED = 0x118,
};

void etl_log_header(struct pl_etl_info *info, const struct pl_etl_event *event)
{
    const uint8_t *at = event->payload;
    if (event->payload_size < AT_CPU_MHZ + 4)
        return;
    uint32_t pointer_size = load32(at + AT_POINTER_SIZE);
    size_t less = pointer_size == 4 ? 8 : 0;
    if ((pointer_size != 4 && pointer_size != 8) || event->payload_size < FIXED - less)
        return;
    info->events_lost += load32(at + AT_EVENTS_LOST);
    info->buffers_lost += load32(at + AT_BUFFERS_LOST - less);
    if (info->has_log_header)
        return;
    info->has_log_header = true;
    info->major = at[AT_VERSION];
    info->minor = at[AT_VERSION + 1];
    info->build = load32(at + AT_BUILD);
    info->cpus = load32(at + AT_CPUS);
    info->pointer_size = pointer_size;
    info->cpu_mhz = load32(at + AT_CPU_MHZ);
    info->frequency = load64(at + AT_FREQUENCY - less);
    info->start_filetime = load64(at + AT_START - less);
    info->clock = (enum pl_etl_clock)load32(at + AT_CLOCK - less);
    info->header_ticks = event->ticks;
}

void etl_log_finish(struct pl_etl_info *info)
{
    const uint64_t filetime = 10000000;
    switch (info->clock) {
    case PL_ETL_QPC:
        break;
    case PL_ETL_CYCLES:
        info->frequency = info->cpu_mhz * UINT64_C(1000000);
        break;
    default:
        info->clock = PL_ETL_SYSTEM_TIME;
        info->frequency = filetime;
    }
    if (!info->frequency)
        info->frequency = filetime;
}
