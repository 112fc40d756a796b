/* tests/fuzz/fuzz_trace.c: any bytes as a trace: by content, and in the format and with the options that a checksum of
 * them picks. Nothing may crash, run away or break the promises of batch.h. */
#include "fuzz_replay.h"

#include "base/hash.h"
#include "trace/trace.h"

#include <stdlib.h>

enum { ENOUGH = 100000 }; /* touches that are looked at */

const char fuzz_name[] = "trace formats";

#define SEED(text) {text, sizeof(text) - 1}
const struct fuzz_seed fuzz_seeds[] = {
    SEED("==4711== Lackey\nI  04001090,3\n L 1ffefffe50,8\n S 1ffefffe48,8\n M 0421a1c8,4\n L ffffffffffffffff,8\n"),
    SEED("0041f7a0 R\n13f5e2c0 R\r\n05e78900 W\n# c\n\n31348900 W"),
    SEED("I 4000000\r\nS fff000000\r\nL 4226000\r\nM 0\r\n"),
    SEED("12f\n77f46\n12f\n7ffde\n12f\n77f3c\n12f\n7ffde\n12f\n7ffdf\n12f\n77f3c\n77f46\n7ffde\n123456789abc\n12f\n1\n2\n3\n"),
    SEED("1\n2\n*\n300\r\n4\n18446744073709551615\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21\n22\n23\n24\n"),
    SEED("s 0x1fffff50 1\nl 0x1fffff58 1\nl 0x1fffff88 6\n"),
    SEED("#\n# Memory\n#\n0x7f1: R 0x7ffd10  8 \n0x7f4: W 0x2fff 2 0xab\n#eof\n"),
    SEED("# page_size: 4096\ntime_us,pid,tid,address,size,rw\n1,5,6,0x1000,4,R\n2.5,5,6,\"0x1fff\",2,W\n3,4,4,fff,1,X\n"),
    SEED("version,time,op,size,lbn\n1,5633898611441.0,2a,512,42932745\n1,5633898611450.0,28,4096,8\n"),
    SEED("Web C  4452/4460  [000] 82820.952659: 1 page-faults: 7f1c2a3b4010 55aa main+0x1 (/bin/x)\nLOST 17 events!\n"
         "gcc  4452 [001] 82820.952660: exceptions:page_fault_user: address=0x5000f ip=0x55 error_code=0x6\n"),
    SEED("0.000 ( 0.000 ms): xchat/4574 majfault [g+0x11] => /usr/lib64/lib glib.so@0xc403b (x.)\n"
         "0.202 ( 0.000 ms): xchat/4574 minfault [c_l+0x53] => 0x2280ff0 (?.)\n"),
    SEED("object;size\nfoo;1\nbar;2\nfoo;1\n"),
    SEED("\0\0\0\0\0\2\0\0\1\0\0\0\x2a\0\0\1\x09\x1a\x8f\2\0\0\0\0\x22\xcf\x82\xbe\x1f\5\0\0"
         "\1\0\0\0\0\2\0\0\1\0\0\0\x28\0\0\1\x0a\x1a\x8f\2\0\0\0\0\x23\xcf\x82\xbe\x1f\5\0\0"),
    SEED("\x2a\0\0\2\1\0\0\0\0\2\0\0\1\0\0\0\x09\x1a\x8f\2\0\0\0\0\x22\xcf\x82\xbe\x1f\5\0\0\1\0\0\0\0\0\0\0"),
    SEED("\1\0\0\0\7\0\0\0\0\0\0\0\0\2\0\0\2\0\0\0\0\0\0\0\1\0\0\0\7\0\0\0\0\0\0\0\0\2\0\0\xff\xff\xff\xff\xff\xff\xff\xff"),
    SEED("\x1f\x8b\x08\0\0\0\0\0\0\3\1\6\0\xf9\xff" "1\n2\n3\n"
         "\0\0\0\0\6\0\0\0"),
    SEED("PK\3\4\n\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\2\0\0\0\1\0\0\0t1\n"),
    {NULL, 0},
};

static void require(bool truth)
{
    if (!truth)
        abort();
}

static void read_all(struct pl_trace *trace)
{
    struct pl_batch batch;
    uint64_t distinct = 0, touches = 0;
    enum pl_err rc = PL_OK;
    while (touches < ENOUGH && (rc = pl_trace_next(trace, &batch, NULL)) == PL_OK) {
        require(batch.count <= PL_BATCH_MAX);
        for (size_t i = 0; i < batch.count; i++) {
            require(batch.page[i] <= distinct);
            require(!batch.kind || batch.kind[i] <= PL_EXECUTE);
            distinct += batch.page[i] == distinct;
        }
        for (size_t i = 0; i < batch.control_count; i++)
            require(batch.control[i].at <= batch.count && (i == 0 || batch.control[i].at >= batch.control[i - 1].at));
        require(distinct == batch.distinct);
        touches += batch.count;
        require(pl_trace_info(trace)->touches == touches);
        if (distinct)
            (void)pl_trace_page_origin(trace, (pl_page)(distinct - 1));
    }
    require(rc != PL_END || touches > 0);
}

static void try_options(const uint8_t *bytes, size_t length, const struct pl_trace_options *options)
{
    struct pl_trace *trace;
    struct pl_error err;
    enum pl_err rc = pl_trace_open_memory(bytes, length, "fuzz", options, &trace, &err);
    if (rc) {
        require(err.message[0] && err.code == rc);
        return;
    }
    read_all(trace);
    pl_trace_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const struct pl_format_row *formats = pl_formats();
    uint64_t choice = pl_xxh64(bytes, length, 0);
    size_t count = 0;
    while (formats[count].name)
        count++;
    struct pl_trace_options options = {.need_dictionary = true, .expand_ranges = true};
    try_options(bytes, length, &options);
    options.format = formats[choice % count].name;
    options.skip_bad_lines = options.skip_damaged = choice >> 32 & 1;
    options.ignore_execute = choice >> 33 & 1;
    options.requests = choice >> 34 & 1 ? PL_REQUEST_PAGES : PL_REQUEST_OBJECTS;
    try_options(bytes, length, &options);
    return 0;
}
