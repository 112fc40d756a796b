/* store/space_list.h: the members of the family, for the registry in space.c alone. */
#ifndef PL_STORE_SPACE_LIST_H
#define PL_STORE_SPACE_LIST_H

#include "store/space.h"

extern const struct pl_space_ops pl_space_regions, pl_space_zsmalloc, pl_space_zbud, pl_space_z3fold, pl_space_ideal;

#endif
