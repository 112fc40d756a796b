/* curve/stack_avx2.c: the loops of the curve for x86 with AVX2, BMI and population count: the same source as the portable
 * ones, for another target. */
#if defined(__x86_64__)
#pragma GCC optimize("O3")
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt,tune=haswell")
#include "curve/stack_kernel.h"

const struct stack_kernel pl_stack_avx2 = STACK_KERNEL("avx2");
#else
typedef int pl_stack_avx2_is_for_x86; /* an empty file is not C */
#endif
