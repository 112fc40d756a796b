/* study/calibrate_codec.c: costs of compression that no measurement showed, from the codec's speed here. */
#include "study/calibrate.h"
#include "study/codec_speed.h"

#include <math.h>
#include <string.h>

static struct pl_calibrated *find(struct pl_calibration *calibration, const char *path)
{
    for (size_t i = 0; i < calibration->parameters; i++)
        if (!strcmp(calibration->parameter[i].path, path))
            return &calibration->parameter[i];
    return NULL;
}

/* Of one direction: which costs, and what the codec says. */
struct direction {
    const char *plain, *raw, *sequence;
    double speed, raw_speed, sequence_speed;
};

static enum pl_err put(struct pl_parameters *parameters, struct pl_calibration *calibration, const char *path, double number,
                       const char *note, struct pl_error *err)
{
    struct pl_calibrated *one = find(calibration, path);
    if (!note)
        return pl_fail_memory(err, 0, "a note");
    if (one)
        *one = (struct pl_calibrated){path, PL_CALIBRATED_MEASURED, NULL, one->before, number, NAN, NAN};
    return pl_parameters_put_number(parameters, path, number, PL_FROM_MEASURED, note, "codec timing", err);
}

static enum pl_err put_direction(struct pl_parameters *parameters, const struct direction *of, struct pl_calibration *calibration,
                                 const char *when, struct pl_arena *arena, struct pl_error *err)
{
    const struct pl_calibrated *plain = find(calibration, of->plain), *raw = find(calibration, of->raw);
    if (plain && plain->state == PL_CALIBRATED_FITTED)
        return PL_OK;
    /* A raw page that was fitted has the system's share in it; without one the codec's time stands alone. */
    const bool fitted = raw && raw->state == PL_CALIBRATED_FITTED;
    const double number = fitted ? fmax(raw->value + of->speed - of->raw_speed, 0) : of->speed;
    const char *note = fitted ? pl_arena_printf(arena, "%s, and what the codec takes more on this processor: %.0f ns less %.0f ns%s",
                                                of->raw, of->speed / 1e3, of->raw_speed / 1e3, when)
                              : pl_arena_printf(arena, "what the codec takes on this processor%s", when);
    enum pl_err rc = put(parameters, calibration, of->plain, number, note, err);
    if (rc == PL_OK)
        rc = put(parameters, calibration, of->sequence, of->sequence_speed,
                 pl_arena_printf(arena, "what the codec takes on this processor%s", when), err);
    return rc;
}

enum pl_err pl_calibrate_codec(struct pl_parameters *parameters, const struct pl_codec_speed *speed,
                               struct pl_calibration *calibration, const char *date, struct pl_arena *arena,
                               struct pl_error *err)
{
    const struct direction in = {"cost.compress", "cost.compress_raw", "cost.compress_sequence",
                                 speed->compress, speed->compress_raw, speed->compress_sequence};
    const struct direction out = {"cost.decompress", "cost.decompress_raw", "cost.decompress_sequence",
                                  speed->decompress, speed->decompress_raw, speed->decompress_sequence};
    const char *when = date ? pl_arena_printf(arena, "; %s", date) : "";
    if (!when)
        return pl_fail_memory(err, 0, "a note");
    enum pl_err rc = put_direction(parameters, &in, calibration, when, arena, err);
    return rc ? rc : put_direction(parameters, &out, calibration, when, arena, err);
}
