/* store/zsmalloc_classes.h: zsmalloc's size classes, as the kernel makes them at boot.
 *
 * Object sizes are rounded up to classes 16 bytes apart (a 256th of the page). A class keeps its objects in
 * zspages, chains of 1 to `chain` pages, whose length a rule chooses. Neighbours with equal chain length and equal
 * objects per zspage become one class (a cluster), of the largest size among them.
 *
 * Two rules exist. The kernel documentation's table of clusters was made with the largest used percentage; Linux
 * 6.18, measured with equal objects on a zram device, chooses the fewest bytes left over. */
#ifndef PL_STORE_ZSMALLOC_CLASSES_H
#define PL_STORE_ZSMALLOC_CLASSES_H

#include "store/space.h"

enum { PL_ZS_CLASSES_MAX = 257 };

struct pl_zs_class {
    uint32_t size;    /* of the largest object */
    uint32_t pages;   /* in a zspage */
    uint32_t objects; /* in a zspage */
};

struct pl_zs_classes {
    uint32_t page_size, step; /* step: 16 bytes for 4 KiB pages */
    uint32_t smallest;        /* smallest class size */
    uint32_t count;           /* clusters, largest objects first */
    uint32_t watermark;       /* largest size that shares a zspage: what is larger takes whole pages ("huge") */
    uint16_t cluster_of[PL_ZS_CLASSES_MAX]; /* by (size - smallest) / step, rounded up */
    struct pl_zs_class cluster[PL_ZS_CLASSES_MAX];
};

/* `chain` is 1 to 16. */
void pl_zs_classes_make(uint32_t page_size, uint32_t chain, enum pl_zs_rule rule, struct pl_zs_classes *out);
/* The cluster that an object of `size` bytes (at most a page) goes to. */
uint32_t pl_zs_class_of(const struct pl_zs_classes *classes, uint32_t size);

#endif
