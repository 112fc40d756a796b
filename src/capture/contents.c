/* capture/contents.c: contents of pages as records of a trace. */
#include "capture/contents.h"

#include "capture/os.h"
#include "capture/page_tally.h"

#include <inttypes.h>
#include <stdlib.h>

static void record(struct pl_recorder *recorder, uint64_t address, const struct page_tally_sizes *sizes,
                   pl_time_ps time)
{
    char words[80];
    int length = snprintf(words, sizeof words, "xpress=%" PRIu32 " lz4=%" PRIu32, sizes->xpress, sizes->lz4);
    if (sizes->own)
        snprintf(words + length, sizeof words - (size_t)length, " system=%" PRIu32, sizes->own);
    pl_recorder_content(recorder, address, sizes->hash, words, time);
}

enum pl_err capture_contents(struct pl_recorder *recorder, uint64_t pid, pl_time_ps time, uint64_t *recorded,
                             struct pl_error *err)
{
    const uint64_t pages = pl_recorder_counts(recorder).pages;
    uint8_t *page = malloc(pl_os_page_size());
    struct page_tally *tally = NULL;
    uint64_t count = 0;
    enum pl_err rc = page ? page_tally_create(pl_os_page_size(), &tally, err)
                          : pl_fail_memory(err, pl_os_page_size(), "a page");
    if (rc == PL_OK)
        pl_recorder_actor(recorder, pid, pid, NULL);
    for (uint64_t i = 0; rc == PL_OK && i < pages && !pl_os_interrupted(); i++) {
        struct page_tally_sizes sizes;
        uint64_t process, address;
        pl_recorder_page(recorder, i, &process, &address);
        if (process != pid || !pl_os_page_read(pid, address, page))
            continue;
        rc = page_tally_add(tally, page, &sizes, err);
        if (rc == PL_OK)
            record(recorder, address, &sizes, time);
        count++;
    }
    if (rc == PL_OK)
        *recorded = count;
    page_tally_destroy(tally);
    free(page);
    return rc;
}
