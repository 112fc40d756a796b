/* capture/linux/own_zram.h: the zram device of this run, as the facts see it. */
#ifndef PL_CAPTURE_OWN_ZRAM_H
#define PL_CAPTURE_OWN_ZRAM_H

#include "capture/os.h"

/* The number of our own device; -1 when there is none. */
int own_zram_number(void);

/* The first line of a small file of the kernel's. */
bool kernel_file_read(const char *path, char *out, size_t size);

#endif
