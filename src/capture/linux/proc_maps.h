/* capture/linux/proc_maps.h: the mappings of a process, line by line. */
#ifndef PL_CAPTURE_PROC_MAPS_H
#define PL_CAPTURE_PROC_MAPS_H

#include "capture/os.h"

struct proc_mapping {
    uint64_t start, end;
    char access[5]; /* "rw-p" */
    bool is_file;
    char name[256]; /* path, "[heap]", or "" */
};

/* A file of /proc/PID; NULL, and the message set, when it cannot be read. */
FILE *proc_open(uint64_t pid, const char *file, struct pl_error *err);
bool proc_next_mapping(FILE *maps, struct proc_mapping *out); /* false at the end */
bool kernel_knows(uint64_t pid); /* is there such a process? */

#endif
