/* study/scale_memory.h: the same machine with another size of memory.
 *
 * A machine file says what its kernel takes, below how much available memory trimming and writing begin, how large its
 * store may grow. On a machine of 4 GiB that is run with 2 MiB these sizes make no sense any more; they go with memory.
 */
#ifndef PL_STUDY_SCALE_MEMORY_H
#define PL_STUDY_SCALE_MEMORY_H

#include "base/base.h"
#include "sim/machine.h"

/* Sets memory.total to `bytes` and every size that the machine file gives (not defaults) to the same share of memory as
 * before, at least a page; each says in its note what it was. Where frames are fixed by memory.resident, that is what
 * becomes `bytes`. Values are to be finished afterwards. */
enum pl_err pl_machine_scale_memory(struct pl_parameters *parameters, double bytes, struct pl_error *err);

/* "512MiB", "96p" from the option --memory: pages are the machine's. Fails with PL_ERR_USAGE. */
enum pl_err pl_machine_scale_memory_to(struct pl_parameters *parameters, const char *size, struct pl_error *err);

#endif
