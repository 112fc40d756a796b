/* trace/generate_zipf.c: drawing from Zipf's law.
 *
 * Ranks fall into buckets: the first 1,024 ranks have one each, beyond them a bucket spans 1/128 of its first rank. A bucket is
 * drawn by Walker's alias method with its exact mass, then a rank in it uniformly, kept with probability
 * p(rank) / p(first rank of the bucket), else drawn again within the bucket. Within a bucket the probabilities differ by
 * less than one per cent per unit of alpha, so nearly every draw is kept without computing a power. Less than 4,096
 * buckets serve 2^32 ranks. A row of the table holds a bucket and its alias side by side, and the choice between them is no
 * branch: the law makes it unpredictable.
 *
 * The mass of a long bucket is an Euler-Maclaurin sum; its next term is below 1e-13 of the mass (alpha up to 2). */
#include "trace/generate.h"

#include <math.h>
#include <stdlib.h>

enum { SINGLES = 1024, SPAN_SHIFT = 7, BUCKETS_MAX = 1 << 12 };

/* Entry 0 is the bucket, entry 1 its alias. */
struct row {
    uint64_t threshold; /* of the random bits that did not choose the row: below it the bucket, else the alias */
    uint32_t first[2], ranks[2];
    float sure[2];      /* draws below this are kept whatever the rank */
};

struct pl_zipf {
    double alpha;
    unsigned bits; /* of the row's number */
    struct row rows[BUCKETS_MAX];
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
        zipf->rows[n].first[0] = (uint32_t)first;
        zipf->rows[n].ranks[0] = (uint32_t)ranks;
        /* A float may have been rounded up; a single rank is always kept. */
        zipf->rows[n].sure[0] = ranks == 1 ? 2 : (float)(last_ratio * (1 - 1e-6));
        mass[n] = mass_of(first, ranks, zipf->alpha);
        first += ranks;
    }
    return n;
}

static void set_alias(struct pl_zipf *zipf, size_t row, size_t alias)
{
    zipf->rows[row].first[1] = zipf->rows[alias].first[0];
    zipf->rows[row].ranks[1] = zipf->rows[alias].ranks[0];
    zipf->rows[row].sure[1] = zipf->rows[alias].sure[0];
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
        set_alias(zipf, i, i);
        if (mass[i] < 1)
            small[smalls++] = (uint16_t)i;
        else
            large[larges++] = (uint16_t)i;
    }
    while (smalls && larges) {
        const uint16_t less = small[--smalls], more = large[larges - 1];
        zipf->rows[less].threshold = (uint64_t)(mass[less] * scale);
        set_alias(zipf, less, more);
        mass[more] -= 1 - mass[less];
        if (mass[more] < 1) {
            larges--;
            small[smalls++] = more;
        }
    }
    /* What is left has the mean mass but for rounding: always itself, which its alias already says. An empty row can only be
     * left over by rounding too, and must not be drawn. */
    while (smalls) {
        const uint16_t left = small[--smalls];
        if (zipf->rows[left].ranks[0] == 0)
            set_alias(zipf, left, 0);
    }
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
        zipf->bits = 1; /* so that no shift is by 64 */
        while ((size_t)1 << zipf->bits < used)
            zipf->bits++;
        /* Rows beyond the last bucket have no mass: they only pass on to their aliases. */
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
    const struct row *row = &zipf->rows[bits >> (64 - zipf->bits)];
    const unsigned side = (bits & UINT64_MAX >> zipf->bits) >= row->threshold;
    const uint32_t first = row->first[side], ranks = row->ranks[side];
    const float sure = row->sure[side];
    for (;;) {
        const uint64_t again = pl_random_next(random);
        const uint64_t rank = first + ((again >> 32) * ranks >> 32);
        const double keep = (double)(uint32_t)again * 0x1p-32;
        if (keep < sure || keep < pow((double)rank / (double)first, -zipf->alpha))
            return rank - 1;
    }
}

void pl_zipf_free(struct pl_zipf *zipf)
{
    free(zipf);
}
