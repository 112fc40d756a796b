/* trace/native/native_write_records.c: control records and dictionary runs of the native file, to bytes. */
#include "trace/native/native.h"

size_t pl_native_control_bound(size_t text_length)
{
    return 4 + 7 * PL_NATIVE_VARINT_MAX + text_length + 1;
}

uint8_t *pl_native_put_control(uint8_t *to, const struct pl_control *control, uint32_t *at, int64_t *time)
{
    const bool has_time = control->time != *time;
    *to++ = (uint8_t)control->op;
    *to++ = (uint8_t)((control->kind != 0) << 0 | (control->flags != 0) << 1 | (control->actor != 0) << 2 |
                      has_time << 3 | (control->a != 0) << 4 | (control->b != 0) << 5 | (control->c != 0) << 6 |
                      (control->text != NULL) << 7);
    to = pl_native_put_varint(to, control->at - *at);
    if (control->kind)
        *to++ = control->kind;
    if (control->flags)
        *to++ = control->flags;
    if (control->actor)
        to = pl_native_put_varint(to, control->actor);
    if (has_time)
        to = pl_native_put_varint(to, pl_native_zigzag((int64_t)((uint64_t)control->time - (uint64_t)*time)));
    if (control->a)
        to = pl_native_put_varint(to, control->a);
    if (control->b)
        to = pl_native_put_varint(to, control->b);
    if (control->c)
        to = pl_native_put_varint(to, control->c);
    if (control->text) {
        size_t length = strlen(control->text);
        to = pl_native_put_varint(to, length);
        memcpy(to, control->text, length + 1);
        to += length + 1;
    }
    *at = control->at;
    *time = control->time;
    return to;
}

uint8_t *pl_native_put_runs(uint8_t *to, const struct pl_native_run *runs, size_t count, uint32_t after)
{
    uint64_t process = 0, expected = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t end = i + 1 < count ? runs[i + 1].first : after;
        const uint64_t length = end - runs[i].first;
        const bool other = runs[i].process != process;
        to = pl_native_put_varint(to, length << 1 | other);
        if (other)
            to = pl_native_put_varint(to, runs[i].process);
        to = pl_native_put_varint(to, pl_native_zigzag((int64_t)(runs[i].number - expected)));
        process = runs[i].process;
        expected = runs[i].number + length;
    }
    return to;
}
