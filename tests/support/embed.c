/* tests/support/embed.c: a program that embeds the library, as tests/install.sh builds it: the reads of a loop over three
 * pages in memories of 0 to 3 pages. */
#include "curve/curve.h"

#include <stdio.h>

int main(void)
{
    static const pl_page pages[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    const struct pl_curve_params params = {.rule = PL_RULE_MEMSIM};
    struct pl_curve *curve;
    struct pl_curve_result result;
    struct pl_error err;
    if (pl_curve_create(&params, &curve, &err) || pl_curve_feed(curve, pages, NULL, 9, &err) ||
        pl_curve_finish(curve, &result, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    for (uint64_t m = 0; m <= result.depth; m++)
        printf("%llu ", (unsigned long long)result.reads[m]);
    printf("\n");
    pl_curve_result_free(&result);
    return 0;
}
