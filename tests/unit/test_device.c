/* Devices against closed forms: service times, queues, elevators, and accounts that balance to the picosecond. */
#include "device/device.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"

enum { PAGE = 4096 };

static struct pl_parameters *parameters_of(struct pl_arena *arena)
{
    struct pl_parameter_group groups[PL_DEVICE_GROUPS + 1] = {{0}};
    struct pl_parameters *parameters = NULL;
    pl_device_parameter_groups("", 0, groups);
    assert_int_equal(
        pl_parameters_create(groups, sizeof(struct pl_device_params), NULL, arena, &parameters, NULL), PL_OK);
    return parameters;
}

/* All parameters at their defaults, then what `settings` says ("kind=hdd hdd.speed=6000"). */
static struct pl_device_params params_of(const char *settings)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_parameters *parameters = parameters_of(arena);
    struct pl_device_params params;
    struct pl_error err;
    char copy[512], *word, *rest = copy;
    snprintf(copy, sizeof copy, "%s", settings);
    while ((word = strtok_r(rest, " ", &rest)))
        if (pl_parameters_override(parameters, word, &err))
            fail_msg("%s", err.message);
    if (pl_parameters_finish(parameters, &params, &err))
        fail_msg("%s", err.message);
    pl_arena_destroy(arena);
    return params;
}

static struct pl_device *device_of(const char *settings)
{
    struct pl_device_params params = params_of(settings);
    struct pl_device *device = NULL;
    struct pl_error err;
    if (pl_device_create(&params, "test", PAGE, 1, &device, &err))
        fail_msg("%s", err.message);
    return device;
}

static void submit(struct pl_device *device, pl_time_ps now, uint64_t block, uint32_t pages, uint64_t cookie)
{
    struct pl_device_request request = {PL_DEVICE_READ, pages, block, cookie};
    assert_int_equal(pl_device_submit(device, now, &request, NULL), PL_OK);
}

/* Runs the device until a request is served. */
static struct pl_device_request serve(struct pl_device *device)
{
    struct pl_device_request request;
    do
        assert_true(pl_device_next_ps(device) != PL_DEVICE_IDLE_PS);
    while (!pl_device_complete(device, pl_device_next_ps(device), &request));
    return request;
}

/* Serves everything that is done before `until`. Returns how much. */
static size_t serve_until(struct pl_device *device, pl_time_ps until)
{
    struct pl_device_request request;
    size_t served = 0;
    while (pl_device_next_ps(device) < until)
        served += pl_device_complete(device, pl_device_next_ps(device), &request);
    return served;
}

static double us(pl_time_ps time)
{
    return (double)time / (double)PL_PS_PER_US;
}

/* --- constant ------------------------------------------------------------------------- */

static void test_constant_queue(void **state)
{
    /* Deterministic arrivals every 5 ms into 8 ms of service: request n waits 3 n ms. */
    struct pl_device *device = device_of("kind=constant constant.read_page=3ms constant.read_request=2ms");
    struct pl_device_stats stats;
    pl_sum responses = 0;
    for (int n = 0, sent = 0; n < 10; n++) {
        for (; sent < 10 && sent * 5 <= (n + 1) * 8; sent++) /* all that come before the next one is served */
            submit(device, sent * 5 * PL_PS_PER_MS, 100, 2, (uint64_t)sent);
        struct pl_device_request request = serve(device);
        assert_int_equal(request.cookie, n);
        assert_int_equal(request.submitted_ps, n * 5 * PL_PS_PER_MS);
        assert_int_equal(request.started_ps, n * 8 * PL_PS_PER_MS);
        assert_int_equal(request.done_ps, (n + 1) * 8 * PL_PS_PER_MS);
        responses += (pl_sum)(request.done_ps - request.submitted_ps);
    }
    assert_int_equal(pl_device_next_ps(device), PL_DEVICE_IDLE_PS);
    pl_device_stats(device, 160 * PL_PS_PER_MS, &stats);
    assert_true(stats.in_system_ps == responses);
    assert_true(stats.utilisation == 0.5);
    assert_true(fabs(stats.mean_in_system - (10 * 8 + 3 * 45) / 160.0) < 1e-12);
    assert_int_equal(stats.requests[PL_DEVICE_READ], 10);
    assert_int_equal(stats.pages[PL_DEVICE_READ], 20);
    assert_int_equal(stats.bytes[PL_DEVICE_READ], 20 * PAGE);
    assert_int_equal(stats.requests[PL_DEVICE_WRITE], 0);
    pl_device_destroy(device);
}

static void test_unlimited_servers_never_queue(void **state)
{
    struct pl_device *device = device_of("kind=constant constant.servers=unlimited constant.read_page=10ms");
    struct pl_device_stats stats;
    for (uint64_t n = 0; n < 1000; n++)
        submit(device, (pl_time_ps)n * PL_PS_PER_US, n * 17, 1, n);
    for (uint64_t n = 0; n < 1000; n++) {
        struct pl_device_request request = serve(device);
        assert_int_equal(request.cookie, n);
        assert_int_equal(request.done_ps - request.submitted_ps, 10 * PL_PS_PER_MS);
    }
    pl_device_stats(device, 20 * PL_PS_PER_MS, &stats);
    assert_int_equal(stats.most_waiting, 0);
    assert_true(fabs(stats.utilisation - 10.999 / 20) < 1e-12);
    assert_true(fabs(stats.mean_in_system - 1000 * 10 / 20.0) < 1e-9);
    pl_device_destroy(device);
}

static double exponential(struct pl_random *random, double mean)
{
    return -mean * log(1 - pl_random_unit(random));
}

/* Poisson arrivals into deterministic service: the mean wait is rho / (2 (1 - rho)) services (Pollaczek, Khinchine). */
static void test_m_d_1(void **state)
{
    enum { COUNT = 200000 };
    struct pl_device *device = device_of("kind=constant constant.read_page=10us");
    struct pl_random random = pl_random_named(11, "arrivals");
    struct pl_device_stats stats;
    const double rho = 0.7, expected_us = 10 * rho / (2 * (1 - rho));
    double now_us = 0;
    size_t served = 0;
    for (uint64_t n = 0; n < COUNT; n++) {
        now_us += exponential(&random, 10 / rho);
        pl_time_ps now = (pl_time_ps)(now_us * 1e6);
        served += serve_until(device, now);
        submit(device, now, n, 1, n);
    }
    served += serve_until(device, PL_DEVICE_IDLE_PS);
    pl_device_stats(device, (pl_time_ps)(now_us * 1e6) + PL_PS_PER_S, &stats);
    double wait_us = pl_histogram_mean(stats.wait_ps) / 1e6;
    /* The standard error over such a run, by batches, is about 0.1 us; 4 of them. */
    if (fabs(wait_us - expected_us) > 0.4)
        fail_msg("mean wait %.3f us, not %.3f", wait_us, expected_us);
    assert_int_equal(served, COUNT);
    assert_true(pl_histogram_percentile(stats.service_ps, 50) == 10 * (uint64_t)PL_PS_PER_US);
    pl_device_destroy(device);
}

/* --- hard disk ---------------------------------------------------------------------------- */

/* 6000 rounds a minute are 10 ms a turn; 0.1 ms a page are 100 pages a track; 30,000 tracks. */
static struct pl_device *disk_of(const char *settings)
{
    char text[512];
    snprintf(text, sizeof text,
             "kind=hdd hdd.speed=6000 hdd.media_rate=40960000B/s hdd.capacity=12000000KiB hdd.overhead=500us "
             "hdd.seek_track=1ms hdd.seek_average=9ms hdd.seek_full=15ms %s", settings);
    return device_of(text);
}

static void test_hdd_seeks(void **state)
{
    static const struct {
        uint64_t block;
        double seek_us;
    } cases[] = {
        {50, 0},                        /* the same track */
        {100, 1000},                    /* the next one */
        {199, 1000},                    /* anywhere on it */
        {100 * (1 + 2500), 1000 + 4000}, /* a quarter of a third: the root of that is a half */
        {100 * (1 + 10000), 9000},
        {100 * (1 + 20000), 12000},
        {100 * (1 + 30000), 15000},
        {100 * 90000, 15000},
    };
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        struct pl_device *device = disk_of("hdd.rotation=mean");
        submit(device, 0, cases[i].block, 3, 0);
        struct pl_device_request request = serve(device);
        double want_us = 500 + cases[i].seek_us + 5000 + 300;
        if (fabs(us(request.done_ps) - want_us) > 0.01)
            fail_msg("block %llu took %.3f us, not %.3f", (unsigned long long)cases[i].block, us(request.done_ps), want_us);
        pl_device_destroy(device);
    }
}

static void test_hdd_angle(void **state)
{
    struct pl_device *device = disk_of("hdd.rotation=angle hdd.streams=false");
    /* Block 7 is at angle 0.7 ms. The heads are ready at 0.5 ms. */
    submit(device, 0, 7, 1, 0);
    assert_true(us(serve(device).done_ps) == 800);
    /* Block 8 passes at 0.8 ms, but overhead comes first: at 1.3 ms it has gone by. */
    submit(device, 800 * PL_PS_PER_US, 8, 2, 0);
    assert_true(us(serve(device).done_ps) == 10000 + 1000);
    /* The next track: ready at 11 + 0.5 + 1 = 12.5 ms, angle 2.5; block 120 is at 2.0, so at 22.0 ms. */
    submit(device, 11 * PL_PS_PER_MS, 120, 1, 0);
    assert_true(us(serve(device).done_ps) == 22100);
    pl_device_destroy(device);
}

static void test_hdd_streams(void **state)
{
    struct pl_device *device = disk_of("hdd.rotation=mean");
    submit(device, 0, 1000, 8, 0);
    submit(device, 0, 1008, 8, 1);
    submit(device, 0, 1008, 8, 2);
    serve(device);
    pl_time_ps first = serve(device).done_ps;
    pl_time_ps second = serve(device).done_ps; /* the same again: the heads are behind it */
    assert_true(us(second - first) == 500 + 5000 + 800);
    submit(device, second, 1016, 8, 3);
    pl_time_ps third = serve(device).done_ps; /* it goes on where the last one ended */
    assert_true(us(third - second) == 500 + 800);
    pl_device_destroy(device);
}

static void check_order(const char *settings, const uint64_t *expected)
{
    static const uint64_t blocks[] = {50000, 90000, 20000, 60000, 60000, 10000, 99000, 55000};
    struct pl_device *device = disk_of(settings);
    for (size_t i = 0; i < PL_COUNT_OF(blocks); i++)
        submit(device, 0, blocks[i], 1, i);
    for (size_t i = 0; i < PL_COUNT_OF(blocks); i++) {
        uint64_t cookie = serve(device).cookie;
        if (blocks[cookie] != blocks[expected[i]] || cookie != expected[i])
            fail_msg("%s: request %llu is number %zu", settings, (unsigned long long)cookie, i);
    }
    pl_device_destroy(device);
}

static void test_elevators(void **state)
{
    /* The first request finds an idle disk, so it is served first whatever the order. */
    check_order("hdd.queue=fifo", (const uint64_t[]){0, 1, 2, 3, 4, 5, 6, 7});
    check_order("hdd.queue=look", (const uint64_t[]){0, 7, 3, 4, 1, 6, 2, 5});
    check_order("hdd.queue=c-look", (const uint64_t[]){0, 7, 3, 4, 1, 6, 5, 2});
}

/* The elevator as one would write it first: search all that wait. Differs from the heaps on no random run. */
struct naive_elevator {
    uint64_t block[512];
    uint64_t number[512];
    size_t count;
    uint64_t head;
    bool down, circular;
};

static uint64_t naive_next(struct naive_elevator *lift)
{
    for (int turn = 0; turn < 3; turn++) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < lift->count; i++) {
            bool ahead = lift->down ? lift->block[i] < lift->head : lift->block[i] >= lift->head;
            bool closer = best == SIZE_MAX || (lift->down ? lift->block[i] > lift->block[best]
                                                          : lift->block[i] < lift->block[best]);
            bool same = best != SIZE_MAX && lift->block[i] == lift->block[best] && lift->number[i] < lift->number[best];
            if (ahead && (closer || same))
                best = i;
        }
        if (best != SIZE_MAX) {
            uint64_t number = lift->number[best];
            lift->head = lift->block[best] + 1;
            lift->count--;
            lift->block[best] = lift->block[lift->count];
            lift->number[best] = lift->number[lift->count];
            return number;
        }
        if (lift->circular)
            lift->head = 0;
        else
            lift->down = !lift->down;
    }
    return UINT64_MAX;
}

static void run_elevator(uint64_t seed, bool circular)
{
    struct naive_elevator lift = {.circular = circular};
    struct pl_device *device = disk_of(circular ? "hdd.queue=c-look" : "hdd.queue=look");
    struct pl_random random = pl_random_seeded(seed);
    uint64_t number = 0, on_disk = UINT64_MAX;
    pl_time_ps now = 0; /* requests come in between two completions, at the time of the first */
    for (int step = 0; step < 4000; step++) {
        if (lift.count < 500 && pl_random_below(&random, 100) < 55) {
            /* Never the same twice: a second one would be served with the first, though the heads have just passed. */
            uint64_t block = (number * 7919 + seed) % 30011;
            submit(device, now, block, 1, number);
            lift.block[lift.count] = block;
            lift.number[lift.count++] = number++;
            if (on_disk == UINT64_MAX)
                on_disk = naive_next(&lift);
        } else if (on_disk != UINT64_MAX) {
            struct pl_device_request request;
            now = pl_device_next_ps(device);
            assert_true(pl_device_complete(device, now, &request));
            if (request.cookie != on_disk)
                fail_msg("seed %llu: request %llu instead of %llu", (unsigned long long)seed,
                         (unsigned long long)request.cookie, (unsigned long long)on_disk);
            on_disk = lift.count ? naive_next(&lift) : UINT64_MAX;
        }
        if (pl_device_next_ps(device) != PL_DEVICE_IDLE_PS)
            assert_true(on_disk != UINT64_MAX);
    }
    pl_device_destroy(device);
}

static void test_elevators_against_naive(void **state)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        run_elevator(seed, false);
        run_elevator(seed, true);
    }
}

/* --- ssd --------------------------------------------------------------------------------------- */

static void test_ssd_channels_and_bus(void **state)
{
    /* 4 channels of 100 us; the bus passes 4 KiB in 10 us. Eight requests at once: the channels finish at 100 and 200 us,
     * the pages cross the bus one behind the other. */
    struct pl_device *device = device_of("kind=ssd ssd.channels=4 ssd.read_median=100us ssd.read_p99=100us "
                                         "ssd.read_page=7us ssd.read_rate=409600000B/s");
    static const double done_us[] = {110, 120, 130, 140, 210, 220, 230, 240};
    for (uint64_t n = 0; n < 8; n++)
        submit(device, 0, n * 1000, 1, n);
    for (uint64_t n = 0; n < 8; n++) {
        struct pl_device_request request = serve(device);
        assert_int_equal(request.cookie, n);
        assert_true(us(request.done_ps) == done_us[n]);
    }
    submit(device, 300 * PL_PS_PER_US, 0, 8, 9); /* a cluster: 100 + 7 x 7 + 8 x 10 */
    assert_true(us(serve(device).done_ps) == 300 + 100 + 49 + 80);
    pl_device_destroy(device);
}

static void test_ssd_latencies(void **state)
{
    enum { COUNT = 100000 };
    struct pl_device *device = device_of("kind=ssd ssd.read_median=80us ssd.read_p99=250us ssd.read_rate=1TiB/s");
    struct pl_device *again = device_of("kind=ssd ssd.read_median=80us ssd.read_p99=250us ssd.read_rate=1TiB/s");
    struct pl_device_stats stats;
    pl_time_ps now = 0;
    for (uint64_t n = 0; n < COUNT; n++) {
        submit(device, now, n, 1, n);
        submit(again, now, n, 1, n);
        struct pl_device_request request = serve(device), same = serve(again);
        assert_int_equal(request.done_ps, same.done_ps);
        now = request.done_ps;
    }
    pl_device_stats(device, now, &stats);
    /* Of 10^5 the standard error is 0.16 % of the median's rank and 0.03 % of the 99th's: 1 % and 3 % in time. */
    double median = (double)pl_histogram_percentile(stats.service_ps, 50) / 1e6;
    double p99 = (double)pl_histogram_percentile(stats.service_ps, 99) / 1e6;
    assert_true(fabs(median - 80) < 0.01 * 80);
    assert_true(fabs(p99 - 250) < 0.03 * 250);
    assert_true(stats.utilisation > 0.12 && stats.utilisation <= 0.125); /* one of eight channels, but for the bus */
    pl_device_destroy(device);
    pl_device_destroy(again);
}

/* --- ram --------------------------------------------------------------------------------------------- */

/* Reads of 1, 2, 4 and 8 pages were measured: overhead and rate from the first and the last predict the others. */
static void test_ram_device_predicts_zram(void **state)
{
    const char *cases = getenv("PAGELAB_CASES");
    if (!cases || !*cases)
        skip();
    struct pl_arena *arena = pl_arena_create();
    double measured_ns[4] = {0};
    char *path = pl_arena_printf(arena, "%s/zram/measured.csv", cases);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    char line[256];
    int rows = 0;
    assert_non_null(fgets(line, sizeof line, in));
    while (fgets(line, sizeof line, in)) {
        int cluster;
        double mean_ns;
        assert_int_equal(sscanf(line, "%*[^,],%d,%*[^,],%*[^,],%lf", &cluster, &mean_ns), 2);
        measured_ns[cluster] = mean_ns;
        if (cluster != 3)
            continue;
        double page_ns = (measured_ns[3] - measured_ns[0]) / 7;
        char settings[256];
        snprintf(settings, sizeof settings, "kind=ram ram.overhead=%.3fns ram.read_rate=%.3fB/s",
                 measured_ns[0] - page_ns, PAGE / page_ns * 1e9);
        struct pl_device *device = device_of(settings);
        pl_time_ps now = 0;
        for (int i = 0; i < 4; i++, rows++) {
            submit(device, now, 0, 1U << i, 0);
            struct pl_device_request request = serve(device);
            double got_ns = (double)(request.done_ps - now) / 1000;
            if (fabs(got_ns - measured_ns[i]) > 0.05 * measured_ns[i])
                fail_msg("%d pages: %.0f ns, measured %.0f", 1 << i, got_ns, measured_ns[i]);
            now = request.done_ps;
        }
        pl_device_destroy(device);
    }
    assert_int_equal(rows, 16);
    fclose(in);
    pl_arena_destroy(arena);
}

/* --- all -------------------------------------------------------------------------------------------------- */

/* Random requests, idle and busy times: nothing is lost, busy is at most all the time, and the time-weighted number of
 * requests is the sum of the times they spent (Little's law), to the picosecond, at any moment. */
static void run_accounts(const char *settings, uint64_t seed)
{
    enum { MANY = 3000 };
    static pl_time_ps submitted_ps[MANY];
    struct pl_device *device = device_of(settings);
    struct pl_random random = pl_random_seeded(seed);
    struct pl_device_stats stats;
    pl_time_ps now = 0;
    pl_sum spent = 0;
    uint64_t sent = 0, served = 0, pages[2] = {0, 0};
    bool pending[MANY] = {false};
    while (served < MANY) {
        pl_time_ps next = pl_device_next_ps(device);
        pl_time_ps gap = (pl_time_ps)(pl_random_next(&random) >> (24 + pl_random_below(&random, 20)));
        struct pl_device_request request = {(enum pl_device_operation)pl_random_below(&random, 2),
                                            1 + (uint32_t)pl_random_below(&random, 8),
                                            pl_random_below(&random, 1000000), sent, -1, -1, -1};
        if (sent < MANY && (next == PL_DEVICE_IDLE_PS || now + gap < next)) {
            now += gap;
            assert_int_equal(pl_device_submit(device, now, &request, NULL), PL_OK);
            submitted_ps[sent] = now;
            pending[sent++] = true;
        } else {
            assert_true(next >= now);
            now = next;
            if (pl_device_complete(device, now, &request)) {
                assert_true(pending[request.cookie]);
                pending[request.cookie] = false;
                assert_int_equal(request.submitted_ps, submitted_ps[request.cookie]);
                assert_true(request.started_ps >= request.submitted_ps && request.done_ps == now);
                spent += (pl_sum)(now - request.submitted_ps);
                pages[request.operation] += request.pages;
                served++;
            }
        }
        if (served % 64 == 0) {
            pl_sum open = 0;
            for (uint64_t i = 0; i < sent; i++)
                open += pending[i] ? (pl_sum)(now - submitted_ps[i]) : 0;
            pl_device_stats(device, now, &stats);
            assert_true(stats.in_system_ps == spent + open);
            assert_int_equal(stats.submitted, sent);
            assert_int_equal(stats.submitted, stats.completed + stats.waiting + stats.in_service);
            assert_true(now == 0 || (stats.utilisation >= 0 && stats.utilisation <= 1));
        }
    }
    pl_device_stats(device, now, &stats);
    assert_true(stats.in_system_ps == spent && stats.completed == MANY);
    assert_true(stats.response_ps[0]->sum + stats.response_ps[1]->sum == spent);
    assert_true(stats.wait_ps->sum + stats.service_ps->sum == spent);
    assert_int_equal(stats.pages[0], pages[0]);
    assert_int_equal(stats.pages[1], pages[1]);
    pl_device_destroy(device);
}

static void test_accounts_balance(void **state)
{
    static const char *const settings[] = {
        "kind=constant constant.read_page=1ms constant.write_page=2ms",
        "kind=constant constant.servers=3 constant.read_page=1ms",
        "kind=constant constant.servers=unlimited",
        "kind=hdd hdd.queue=fifo hdd.rotation=angle",
        "kind=hdd hdd.queue=look",
        "kind=hdd hdd.queue=c-look hdd.streams=false",
        "kind=ssd",
        "kind=ssd ssd.channels=1 ssd.read_rate=10MiB/s",
        "kind=ram",
        "kind=ram ram.copies_at_once=2 ram.read_rate=100MiB/s",
    };
    for (size_t i = 0; i < PL_COUNT_OF(settings); i++)
        for (uint64_t seed = 1; seed <= 2; seed++)
            run_accounts(settings[i], seed + 10 * i);
}

static void test_parameters_that_contradict(void **state)
{
    static const char *const settings[] = {
        "kind=hdd hdd.seek_track=10ms", "kind=hdd hdd.seek_full=8ms", "kind=ssd ssd.read_p99=10us",
        "kind=ssd ssd.write_median=1ms",
    };
    for (size_t i = 0; i < PL_COUNT_OF(settings); i++) {
        struct pl_device_params params = params_of(settings[i]);
        struct pl_device *device = NULL;
        struct pl_error err;
        assert_int_equal(pl_device_create(&params, "test", PAGE, 1, &device, &err), PL_ERR_INPUT);
        assert_non_null(strstr(err.message, "device 'test': "));
        assert_null(device);
    }
    for (int i = 0; pl_devices[i]; i++) {
        struct pl_device_params params = {.kind = i};
        static const char *const names[] = {"hdd", "ssd", "constant", "ram"};
        assert_string_equal(pl_device_kind_name(&params), names[i]);
    }
}

/* The sum of all response times of one and the same mix of requests. */
static pl_sum response_of_mix(const struct pl_device_params *params)
{
    struct pl_device *device = NULL;
    struct pl_device_stats stats;
    struct pl_random random = pl_random_named(5, "mix");
    assert_int_equal(pl_device_create(params, "test", PAGE, 1, &device, NULL), PL_OK);
    uint64_t next_block = 0; /* three of four go on where another ended */
    for (uint64_t n = 0; n < 200; n++) {
        pl_time_ps now = (pl_time_ps)(n / 10) * 50 * PL_PS_PER_US; /* ten at once */
        uint32_t pages = 1 + (uint32_t)(n % 5);
        uint64_t block = n % 4 ? next_block : pl_random_below(&random, 80 * PL_GIB / PAGE);
        struct pl_device_request request = {n % 3 ? PL_DEVICE_READ : PL_DEVICE_WRITE, pages, block, n};
        next_block += n % 4 ? pages : 0;
        serve_until(device, now);
        assert_int_equal(pl_device_submit(device, now, &request, NULL), PL_OK);
    }
    serve_until(device, PL_DEVICE_IDLE_PS);
    pl_device_stats(device, 100 * PL_PS_PER_S, &stats);
    pl_sum sum = stats.in_system_ps;
    pl_device_destroy(device);
    return sum;
}

/* Another value of the same kind, as text. */
static const char *other_value(struct pl_arena *arena, const struct pl_parameter_value *value)
{
    const struct pl_parameter *row = value->row;
    if (row->kind == PL_PARAM_FLAG)
        return strcmp(value->text, "true") == 0 ? "false" : "true";
    if (row->kind == PL_PARAM_CHOICE)
        return strcmp(value->text, row->choices[0]) == 0 ? row->choices[1] : row->choices[0];
    if (strcmp(value->text, "unlimited") == 0)
        return "1";
    if (strcmp(value->text, "0s") == 0)
        return "1ms";
    size_t digits = strspn(value->text, "0123456789.");
    return pl_arena_printf(arena, "%.17g%s", 2 * atof(value->text), value->text + digits);
}

/* Whatever can be set makes a difference. */
static void test_no_parameter_is_dead(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    size_t changed = 0;
    for (int kind = 0; pl_devices[kind]; kind++) {
        struct pl_device_params params = {.kind = kind};
        struct pl_parameters *parameters = parameters_of(arena);
        const char *name = pl_device_kind_name(&params);
        assert_int_equal(pl_parameters_put(parameters, "kind", name, PL_FROM_ASSUMED, NULL, "test", NULL), PL_OK);
        assert_int_equal(pl_parameters_finish(parameters, &params, NULL), PL_OK);
        pl_sum before = response_of_mix(&params);
        for (size_t i = 0; i < pl_parameters_count(parameters); i++) {
            const struct pl_parameter_value *value = pl_parameters_at(parameters, i);
            struct pl_parameters *other = NULL;
            size_t length = strlen(name);
            if (strncmp(value->path, name, length) != 0 || value->path[length] != '.')
                continue;
            assert_int_equal(pl_parameters_copy(parameters, arena, &other, NULL), PL_OK);
            assert_int_equal(pl_parameters_put(other, value->path, other_value(arena, value), PL_FROM_ASSUMED, NULL,
                                               "test", NULL), PL_OK);
            assert_int_equal(pl_parameters_finish(other, &params, NULL), PL_OK);
            if (response_of_mix(&params) == before)
                fail_msg("%s makes no difference", value->path);
            changed++;
        }
    }
    assert_int_equal(changed, 10 + 9 + 5 + 4);
    pl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_queue),
        cmocka_unit_test(test_unlimited_servers_never_queue),
        cmocka_unit_test(test_m_d_1),
        cmocka_unit_test(test_hdd_seeks),
        cmocka_unit_test(test_hdd_angle),
        cmocka_unit_test(test_hdd_streams),
        cmocka_unit_test(test_elevators),
        cmocka_unit_test(test_elevators_against_naive),
        cmocka_unit_test(test_ssd_channels_and_bus),
        cmocka_unit_test(test_ssd_latencies),
        cmocka_unit_test(test_ram_device_predicts_zram),
        cmocka_unit_test(test_accounts_balance),
        cmocka_unit_test(test_parameters_that_contradict),
        cmocka_unit_test(test_no_parameter_is_dead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
