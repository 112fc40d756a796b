/* sim/machine_table.h: the parameters of a machine, as data. Private to src/sim. */
#ifndef PL_SIM_MACHINE_TABLE_H
#define PL_SIM_MACHINE_TABLE_H

#include "base/parameter.h"

/* The groups that fill a struct pl_machine, ended by a row without any. NULL when there is no memory. */
const struct pl_parameter_group *pl_machine_groups(struct pl_arena *arena);

#endif
