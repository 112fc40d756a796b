/* How long one request takes a device, and one job the processors: with a few in the queue, submit and complete. Prints
 * one line per kind. Usage: bench_device */
#define _GNU_SOURCE
#include "base/random.h"
#include "device/cpu.h"
#include "device/device.h"

#include <stdio.h>
#include <time.h>

enum { ROUNDS = 1000000, DEPTH = 32 };

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static enum pl_err default_params(struct pl_device_params *out)
{
    struct pl_parameter_group groups[PL_DEVICE_GROUPS + 1] = {{0}};
    struct pl_arena *arena = pl_arena_create();
    struct pl_parameters *parameters;
    pl_device_parameter_groups("", 0, groups);
    enum pl_err rc = pl_parameters_create(groups, sizeof *out, NULL, arena, &parameters, NULL);
    if (rc == PL_OK)
        rc = pl_parameters_finish(parameters, out, NULL);
    pl_arena_destroy(arena);
    return rc;
}

static enum pl_err bench_device(struct pl_device_params params, int kind)
{
    struct pl_device *device;
    struct pl_random random = pl_random_named(1, "requests");
    struct pl_device_request request = {PL_DEVICE_READ, 1, 0, 0};
    pl_time_ps now = 0;
    params.kind = kind;
    enum pl_err rc = pl_device_create(&params, "bench", 4096, 1, &device, NULL);
    if (rc)
        return rc;
    double start = now_s();
    for (int i = 0; rc == PL_OK && i < ROUNDS + DEPTH; i++) {
        request.first_block = pl_random_below(&random, 10000000);
        rc = pl_device_submit(device, now, &request, NULL);
        if (i < DEPTH)
            continue;
        do
            now = pl_device_next_ps(device);
        while (!pl_device_complete(device, now, &request));
    }
    printf("device %s: %d in it, one request: %.1f ns\n", pl_device_kind_name(&params), DEPTH,
           (now_s() - start) * 1e9 / ROUNDS);
    pl_device_destroy(device);
    return rc;
}

static enum pl_err bench_cpu(uint64_t processors)
{
    struct pl_cpu_params params = {processors, 20 * PL_PS_PER_MS, 0};
    struct pl_cpu_job job = {.class = PL_CPU_NORMAL, .work_ps = PL_PS_PER_US};
    struct pl_cpu *cpu;
    pl_time_ps now = 0;
    enum pl_err rc = pl_cpu_create(&params, &cpu, NULL);
    if (rc)
        return rc;
    double start = now_s();
    for (int i = 0; rc == PL_OK && i < ROUNDS + DEPTH; i++) {
        job = (struct pl_cpu_job){.class = PL_CPU_NORMAL, .work_ps = PL_PS_PER_US + i % 7};
        rc = pl_cpu_submit(cpu, now, &job, NULL, NULL);
        if (i < DEPTH)
            continue;
        do
            now = pl_cpu_next_ps(cpu);
        while (!pl_cpu_complete(cpu, now, &job));
    }
    printf("cpu: %d processors, %d jobs, one job: %.1f ns\n", (int)processors, DEPTH, (now_s() - start) * 1e9 / ROUNDS);
    pl_cpu_destroy(cpu);
    return rc;
}

int main(void)
{
    struct pl_device_params params;
    if (default_params(&params))
        return 3;
    for (int kind = 0; pl_devices[kind]; kind++)
        if (bench_device(params, kind))
            return 3;
    return bench_cpu(1) || bench_cpu(4) || bench_cpu(96) ? 3 : 0;
}
