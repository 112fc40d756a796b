/* curve/stack_portable.c: the loops of the curve for any machine, and the choice between the two. */
#pragma GCC optimize("O3")
#include "curve/stack_kernel.h"

const struct stack_kernel pl_stack_portable = STACK_KERNEL("portable");

const struct stack_kernel *pl_stack_kernel(bool portable)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!portable && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("popcnt"))
        return &pl_stack_avx2;
#endif
    return &pl_stack_portable;
}
