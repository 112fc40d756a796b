/* trace/generate_zipf.c: drawing from Zipf's law.
 *
 * Ranks fall into buckets: the first 4,096 ranks have one each, beyond them a bucket spans 1/256 of its first rank. A bucket is
 * drawn by Walker's alias method with its exact mass, then a rank in it uniformly, kept with probability
 * p(rank) / p(first rank of the bucket), else drawn again within the bucket. Within a bucket the probabilities differ by
 * less than half a per cent per unit of alpha, so nearly every draw is kept without computing a power. Less than 8,192 buckets
 * serve 2^32 ranks, and the table stays in the second-level cache.
 *
 * The mass of a long bucket is an Euler-Maclaurin sum; its next term is below 1e-16 of the mass at rank 4,096. */
#include "trace/generate.h"

#include <math.h>
#include <stdlib.h>

enum { SINGLES = 4096, SPAN_SHIFT = 8, BUCKETS_MAX = 1 << 13 };

struct bucket {
    uint64_t threshold; /* of the random bits that did not choose the bucket: below it this one, else the alias */
    uint32_t first, ranks;
    float sure;         /* draws below this are kept whatever the rank */
    uint16_t alias;
};

struct pl_zipf {
    double alpha;
    unsigned bits; /* of the bucket's number */
    struct bucket buckets[BUCKETS_MAX];
};

/* Sum of i^-alpha over [first, first + ranks). */
static double mass_of(uint64_t first, uint64_t ranks, double alpha)
{
    if (ranks == 1)
        return pow((double)first, -alpha);
    const double a = (double)first, b = (double)(first + ranks);
    const double fa = pow(a, -alpha), fb = pow(b, -alpha);
    /* The integral, kept accurate when alpha is near 1 and a near b: a^(1-alpha) expm1((1-alpha) ln(b/a)) / (1-alpha). */
    const double s = 1 - alpha, log_ratio = log1p((b - a) / a);
    const double integral = a * fa * (fabs(s * log_ratio) < 1e-12 ? log_ratio : expm1(s * log_ratio) / s);
    return integral + (fa - fb) / 2 + alpha * (fa / a - fb / b) / 12;
}

static size_t cut_buckets(struct pl_zipf *zipf, uint64_t count, double *mass)
{
    size_t n = 0;
    for (uint64_t first = 1; first <= count; n++) {
        uint64_t ranks = first <= SINGLES ? 1 : first >> SPAN_SHIFT;
        if (ranks > count + 1 - first)
            ranks = count + 1 - first;
        const double last_ratio = pow((double)(first + ranks - 1) / (double)first, -zipf->alpha);
        zipf->buckets[n] = (struct bucket){
            .first = (uint32_t)first,
            .ranks = (uint32_t)ranks,
            .sure = (float)(last_ratio * (1 - 1e-6)), /* a float may round up */
        };
        mass[n] = mass_of(first, ranks, zipf->alpha);
        first += ranks;
    }
    return n;
}

/* Walker's tables, as Vose builds them: pairs of a bucket with less than the mean mass and one with more. */
static void build_alias(struct pl_zipf *zipf, double *mass, size_t size, uint16_t *small, uint16_t *large)
{
    const double scale = ldexp(1, 64 - (int)zipf->bits);
    double total = 0;
    size_t smalls = 0, larges = 0;
    for (size_t i = size; i > 0; i--)
        total += mass[i - 1]; /* from the small ones up */
    for (size_t i = 0; i < size; i++) {
        mass[i] *= (double)size / total;
        zipf->buckets[i].alias = (uint16_t)i;
        if (mass[i] < 1)
            small[smalls++] = (uint16_t)i;
        else
            large[larges++] = (uint16_t)i;
    }
    while (smalls && larges) {
        const uint16_t less = small[--smalls], more = large[larges - 1];
        zipf->buckets[less].threshold = (uint64_t)(mass[less] * scale);
        zipf->buckets[less].alias = more;
        mass[more] -= 1 - mass[less];
        if (mass[more] < 1) {
            larges--;
            small[smalls++] = more;
        }
    }
    /* What is left has the mean mass but for rounding: always itself, which its alias already says. */
}

enum pl_err pl_zipf_create(uint64_t count, double alpha, struct pl_zipf **out, struct pl_error *err)
{
    if (count == 0 || count > UINT32_MAX)
        return pl_fail(err, PL_ERR_USAGE, "a Zipf distribution needs 1 to 2^32 - 1 pages");
    if (!(alpha >= 0 && alpha <= 20))
        return pl_fail(err, PL_ERR_USAGE, "alpha must lie between 0 and 20");
    struct pl_zipf *zipf = calloc(1, sizeof *zipf);
    double *mass = calloc(BUCKETS_MAX, sizeof *mass);
    uint16_t *lists = calloc(2 * BUCKETS_MAX, sizeof *lists);
    enum pl_err rc = PL_OK;
    if (!zipf || !mass || !lists) {
        rc = pl_fail_memory(err, sizeof *zipf, "a Zipf distribution");
        free(zipf);
    } else {
        zipf->alpha = alpha;
        size_t used = cut_buckets(zipf, count, mass);
        while ((size_t)1 << zipf->bits < used)
            zipf->bits++;
        /* Buckets beyond the last have no mass: they only pass on to their aliases. */
        build_alias(zipf, mass, (size_t)1 << zipf->bits, lists, lists + BUCKETS_MAX);
        *out = zipf;
    }
    free(mass);
    free(lists);
    return rc;
}

uint64_t pl_zipf_draw(const struct pl_zipf *zipf, struct pl_random *random)
{
    const uint64_t bits = pl_random_next(random);
    const struct bucket *bucket = &zipf->buckets[zipf->bits ? bits >> (64 - zipf->bits) : 0];
    if ((zipf->bits ? bits & UINT64_MAX >> zipf->bits : bits) >= bucket->threshold)
        bucket = &zipf->buckets[bucket->alias];
    if (bucket->ranks == 1)
        return bucket->first - 1;
    for (;;) {
        const uint64_t again = pl_random_next(random);
        const uint64_t rank = bucket->first + ((again >> 32) * bucket->ranks >> 32);
        const double keep = (double)(uint32_t)again * 0x1p-32;
        if (keep < bucket->sure || keep < pow((double)rank / (double)bucket->first, -zipf->alpha))
            return rank - 1;
    }
}

void pl_zipf_free(struct pl_zipf *zipf)
{
    free(zipf);
}
