/* tests/fuzz/fuzz_etl.c: any bytes as a Windows event trace. Every event that the survey counted comes out, inside what is
 * there; every question about names has an answer. Small limits, so that few bytes cannot ask for much work. */
#include "fuzz_replay.h"

#include "trace/etl/etl.h"

#include <stdlib.h>

const char fuzz_name[] = "Windows event traces";

/* Buffers of one session: sizes of 0x90 and 0xa0 with a log header, faults, names; then the same compressed. */
#define BUFFER(size, saved, flags, type)                                                                               \
    size "\0\0\0" saved "\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0"      \
         flags "\0" type "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define FAULT "\2\0\x11\xc0\x20\0\x0a\2\x10\0\0\0\0\0\0\0\0\x50\0\0\0\0\0\0\0\x40\0\0\0\0\0\0"
#define NAME "\2\0\x11\xc0\x1e\0\x24\4\x11\0\0\0\0\0\0\0\xa0\0\0\0\0\0\0\0a\0b\0\0\0\0\0"
#define SYSTEM "\2\0\2\xc0\x30\0\1\5\7\0\0\0\4\0\0\0\x12\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0\7\0\0\0\0\0\0\0\0\0\0\0"
#define MESSAGE "\x18\0\0\x90\1\0\x28\0\x13\0\0\0\0\0\0\0\7\0\0\0\4\0\0\0"
#define PROVIDER                                                                                                       \
    "\x50\0\x13\xc0\0\0\0\0\7\0\0\0\4\0\0\0\x14\0\0\0\0\0\0\0\1\2\3\4\5\6\7\x08\1\2\3\4\5\6\7\x08\5\0\0\0\0\0\0\0"       \
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define SEED(text) {text, sizeof(text) - 1}

const struct fuzz_seed fuzz_seeds[] = {
    SEED(BUFFER("\x88", "\x88", "\x20", "\4") FAULT NAME BUFFER("\x88", "\x88", "\x20", "\0") NAME FAULT),
    SEED(BUFFER("\x78", "\x78", "\x20", "\4") SYSTEM BUFFER("\x60", "\x60", "\x20", "\0") MESSAGE
             BUFFER("\x98", "\x98", "\x20", "\0") PROVIDER),
    /* One literal run of 32 bytes, as XPRESS has it: 32 flag bits that say so. */
    SEED(BUFFER("\x48", "\x48", "\x20", "\4") BUFFER("\x6c", "\x68", "\x60", "\0") "\0\0\0\0" FAULT),
    SEED(BUFFER("\x68", "\x68", "\x20", "\4") FAULT BUFFER("\x68", "\x68", "\x26", "\2") FAULT
             BUFFER("\x68", "\x68", "\x20", "\0") FAULT),
    {NULL, 0},
};

static void require(bool truth)
{
    if (!truth)
        abort();
}

/* Every field lies inside the payload. */
static void read_fields(const struct pl_etl_event *event)
{
    struct pl_etl_fields fields;
    struct pl_etl_page page;
    char text[64];
    const uint8_t *end = event->payload + event->payload_size;
    (void)pl_etl_page_identity(event, &page);
    if (!pl_etl_read(event, &fields))
        return;
    do {
        require(fields.at >= event->payload && fields.at <= end);
        for (size_t i = 0; i < fields.count; i++) {
            if (!fields.value[i].bytes)
                continue;
            require(fields.value[i].bytes >= event->payload && fields.value[i].bytes + fields.value[i].length <= end);
            require(pl_etl_utf8(fields.value[i].bytes, fields.value[i].length, text, sizeof text) < sizeof text);
        }
    } while (fields.schema->repeat && pl_etl_read_more(&fields));
}

static void read_all(struct pl_etl *etl)
{
    struct pl_etl_event event;
    struct pl_error err;
    uint64_t count = 0;
    size_t losses;
    enum pl_err rc;
    while ((rc = pl_etl_next(etl, &event, &err)) == PL_OK) {
        read_fields(&event);
        require(pl_etl_time(etl, event.ticks) >= 0);
        (void)pl_etl_process_of(etl, event.thread, event.ticks);
        (void)pl_etl_process_name(etl, event.process, event.ticks);
        (void)pl_etl_file_name(etl, 0xa0, event.ticks);
        count++;
    }
    require(rc == PL_END);
    const struct pl_etl_loss *loss = pl_etl_losses(etl, &losses);
    bool left_out = false;
    for (size_t i = 0; i < losses; i++)
        left_out |= loss[i].damage;
    require(count == pl_etl_info(etl)->events || (left_out && count < pl_etl_info(etl)->events));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct pl_etl *etl;
    struct pl_error err;
    const struct pl_etl_limits limits = {.buffer_bytes = 1 << 16, .open_bytes = 1 << 18, .name_bytes = 1 << 16};
    require(pl_etl_probe(bytes, length) <= 100);
    enum pl_err rc = pl_etl_open(bytes, length, "fuzz", &limits, &etl, &err);
    if (rc) {
        require(rc == PL_ERR_INPUT && err.message[0]);
        return 0;
    }
    read_all(etl);
    pl_etl_close(etl);
    return 0;
}
