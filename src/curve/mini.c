/* curve/mini.c: choosing sampled pages, and scaling down and up. */
#include "curve/mini.h"

#include <math.h>

struct pl_mini pl_mini_make(double rate, uint64_t seed)
{
    double threshold = ldexp(rate, 32);
    return (struct pl_mini){rate, pl_mix64(seed + UINT64_C(0x9e3779b97f4a7c15)), (uint64_t)threshold};
}

/* Half of a 64-bit hash: thresholds up to 2^32. */
bool pl_mini_has(const struct pl_mini *mini, pl_page page)
{
    return pl_mix64(page ^ mini->seed) >> 32 < mini->threshold;
}

size_t pl_mini_pick(const struct pl_mini *mini, const pl_page *in_pages, const uint8_t *in_kinds, size_t count,
                    pl_page *pages, uint8_t *kinds)
{
    size_t picked = 0;
    for (size_t i = 0; i < count; i++) {
        pl_page page = in_pages[i];
        uint8_t kind = in_kinds ? in_kinds[i] : 0;
        if (!pl_mini_has(mini, page))
            continue;
        pages[picked] = page;
        kinds[picked++] = kind;
    }
    return picked;
}

uint32_t pl_mini_frames(const struct pl_mini *mini, uint64_t frames)
{
    double scaled = round((double)frames * mini->rate);
    return scaled < 1 ? 1 : scaled < UINT32_MAX ? (uint32_t)scaled : UINT32_MAX;
}

uint64_t pl_mini_scale_up(const struct pl_mini *mini, uint64_t count)
{
    return (uint64_t)llround((double)count / mini->rate);
}
