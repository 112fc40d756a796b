/* trace/native/native_check.c: whether the pages and kinds of a block are what they must be.
 *
 * Who reads a trace indexes tables by page number, so a number that is too large must never leave the reader, whatever
 * a checksum says. Page p is new exactly when p equals the distinct pages so far: that is checked too, at the same price,
 * since a number that is not new is smaller. */
#include "trace/native/native.h"

/* Eight kinds at a time: their bits 0 count writes, their bits 1 executes. Sums stay in bytes for 255 words. */
static void count_words(const uint8_t *kind, size_t words, uint64_t *writes, uint64_t *executes, uint64_t *bad)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), low = UINT64_C(0x00ff00ff00ff00ff);
    uint64_t write_sums = 0, execute_sums = 0, wrong = 0;
    for (size_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, kind + 8 * i, 8);
        write_sums += word & ones;
        execute_sums += word >> 1 & ones;
        wrong |= (word & ~(3 * ones)) | (word & word >> 1 & ones);
    }
    *writes += ((write_sums & low) + (write_sums >> 8 & low)) * UINT64_C(0x0001000100010001) >> 48;
    *executes += ((execute_sums & low) + (execute_sums >> 8 & low)) * UINT64_C(0x0001000100010001) >> 48;
    *bad |= wrong;
}

bool pl_native_check_kinds(const uint8_t *kind, size_t count, uint64_t counts[3])
{
    uint64_t writes = 0, executes = 0, bad = 0;
    size_t done = 0;
    while (count - done >= 8) {
        size_t words = (count - done) / 8 < 255 ? (count - done) / 8 : 255;
        count_words(kind + done, words, &writes, &executes, &bad);
        done += 8 * words;
    }
    for (; done < count; done++) {
        writes += kind[done] == PL_WRITE;
        executes += kind[done] == PL_EXECUTE;
        bad |= kind[done] > PL_EXECUTE;
    }
    counts[PL_READ] = count - writes - executes;
    counts[PL_WRITE] = writes;
    counts[PL_EXECUTE] = executes;
    return !bad;
}

/* The largest page of a range, if its numbers make sense: every one of them below 2^32 - 1. */
static bool range_end(const struct pl_control *range, uint32_t *largest)
{
    int64_t step = (int64_t)range->c;
    if (range->a >= PL_NO_PAGE)
        return false;
    if (range->b <= 1 || step == 0) {
        *largest = (uint32_t)range->a;
        return true;
    }
    uint64_t stride = step < 0 ? -(uint64_t)step : (uint64_t)step;
    uint64_t room = step < 0 ? range->a : PL_NO_PAGE - 1 - range->a;
    if ((range->b - 1) > room / stride)
        return false;
    *largest = (uint32_t)(step < 0 ? range->a : range->a + (range->b - 1) * stride);
    return true;
}

static bool check_range(const struct pl_control *range, uint32_t *next)
{
    uint32_t largest;
    if (range->kind > PL_EXECUTE || !range_end(range, &largest))
        return false;
    if (range->b == 0 || largest < *next)
        return true;
    /* New pages come one after the other: by a step of one, or only the largest is new. */
    bool one_by_one = (range->c == 1 || range->b == 1) && range->a <= *next;
    if (!one_by_one && largest != *next)
        return false;
    *next = largest + 1;
    return true;
}

/* Pages a .. a + b - 1. */
static bool check_span(const struct pl_control *control, bool may_be_new, uint32_t *next)
{
    if (control->a > *next || control->b > PL_NO_PAGE - control->a)
        return false;
    uint64_t end = control->a + control->b;
    if (end <= *next)
        return true;
    *next = may_be_new ? (uint32_t)end : *next;
    return may_be_new;
}

bool pl_native_check_control(const struct pl_control *control, uint32_t *next)
{
    switch (control->op) {
    case PL_OP_RANGE:
        return check_range(control, next);
    case PL_OP_ALLOCATE:
        return check_span(control, true, next);
    case PL_OP_FREE:
    case PL_OP_CONTENT:
    case PL_OP_PREFETCH:
    case PL_OP_LOCK:
        return check_span(control, false, next);
    default:
        return true;
    }
}

bool pl_native_check_batch(const struct pl_native_kernels *kernels, const struct pl_batch *batch, uint32_t *next)
{
    size_t done = 0;
    for (size_t i = 0; i < batch->control_count; i++) {
        const struct pl_control *control = &batch->control[i];
        if (control->at > done && !kernels->check_pages(batch->page + done, control->at - done, next))
            return false;
        done = control->at;
        if (!pl_native_check_control(control, next))
            return false;
    }
    return kernels->check_pages(batch->page + done, batch->count - done, next);
}
