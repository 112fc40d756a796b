/* store/page_reader.h: pages of files, or of a running process, one after the other, all or an even sample.
 *
 * Files are cut into pages from their start; a last page that is not full is padded with zeros, and counted. Of a
 * process those pages are read that it has in memory or swapped out, by default only anonymous private ones: what a
 * compressed store would be given. The process goes on running meanwhile, so its image is not of one moment. */
#ifndef PL_STORE_PAGE_READER_H
#define PL_STORE_PAGE_READER_H

#include "base/error.h"

struct pl_page_reader;

struct pl_page_reader_info {
    uint64_t pages_total;  /* to choose from; 0 while a stream of unknown length is read, then what it had */
    uint64_t pages_chosen; /* how many of them are read */
    uint64_t pages_read;   /* so far */
    uint64_t padded_pages, padded_bytes; /* zeros put behind files' ends, among the pages read */
    uint64_t unreadable_pages; /* of a process: left out, because it gave them up or they cannot be read */
};

/* `sample`: at most so many pages, evenly spread over all of them; 0 = all. "-" is standard input; streams (pipes,
 * standard input) cannot be sampled. Names must live as long as the reader. */
enum pl_err pl_page_reader_open_files(const char *const *paths, size_t count, uint32_t page_size, uint64_t sample,
                                      struct pl_page_reader **out, struct pl_error *err);
/* Linux only. `every`: file mappings and shared memory as well. The page size is the system's. */
enum pl_err pl_page_reader_open_process(uint64_t pid, bool every, uint32_t page_size, uint64_t sample,
                                        struct pl_page_reader **out, struct pl_error *err);
void pl_page_reader_close(struct pl_page_reader *reader); /* NULL is allowed */

/* The next page into `page`; PL_END behind the last. */
enum pl_err pl_page_reader_next(struct pl_page_reader *reader, uint8_t *page, struct pl_error *err);
const struct pl_page_reader_info *pl_page_reader_info(const struct pl_page_reader *reader);
/* Where the last page came from: "core.1234: byte 81920". Returns out. */
char *pl_page_reader_place(const struct pl_page_reader *reader, char *out, size_t size);

#endif
