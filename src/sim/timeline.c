/* sim/timeline.c: trace events. Times are in microseconds there, as decimals with six digits: picoseconds. */
#include "sim/timeline.h"

#include "base/json.h"

static void begin(struct pl_timeline *timeline, struct pl_json_writer *json)
{
    pl_sink_puts(timeline->sink, timeline->first ? "\n" : ",");
    timeline->first = false;
    pl_json_start(json, timeline->sink);
    pl_json_object_on_one_line(json);
}

static void put_text(struct pl_json_writer *json, const char *key, const char *text)
{
    pl_json_key(json, key);
    pl_json_text(json, text);
}

static void put_count(struct pl_json_writer *json, const char *key, uint64_t count)
{
    pl_json_key(json, key);
    pl_json_u64(json, count);
}

static void put_time(struct pl_json_writer *json, const char *key, pl_time_ps time_ps)
{
    pl_json_key(json, key);
    pl_json_real(json, (double)time_ps / (double)PL_PS_PER_US);
}

void pl_timeline_start(struct pl_timeline *timeline, struct pl_sink *sink, pl_time_ps least_ps)
{
    *timeline = (struct pl_timeline){.sink = sink, .least_ps = least_ps, .first = true};
    pl_sink_puts(sink, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
}

static void name_something(struct pl_timeline *timeline, const char *what, uint64_t process, uint64_t thread,
                           const char *name)
{
    struct pl_json_writer json;
    begin(timeline, &json);
    put_text(&json, "ph", "M");
    put_text(&json, "name", what);
    put_count(&json, "pid", process);
    put_count(&json, "tid", thread);
    pl_json_key(&json, "args");
    pl_json_object_on_one_line(&json);
    put_text(&json, "name", name);
    pl_json_close(&json, '}');
    pl_json_close(&json, '}');
}

void pl_timeline_name_process(struct pl_timeline *timeline, uint64_t process, const char *name)
{
    name_something(timeline, "process_name", process, 0, name);
}

void pl_timeline_name_thread(struct pl_timeline *timeline, uint64_t process, uint64_t thread, const char *name)
{
    name_something(timeline, "thread_name", process, thread, name);
}

void pl_timeline_span(struct pl_timeline *timeline, uint64_t process, uint64_t thread, const char *name,
                      pl_time_ps start_ps, pl_time_ps end_ps)
{
    struct pl_json_writer json;
    if (end_ps - start_ps < timeline->least_ps) {
        timeline->left_out++;
        return;
    }
    timeline->spans++;
    begin(timeline, &json);
    put_text(&json, "ph", "X");
    put_text(&json, "name", name);
    put_count(&json, "pid", process);
    put_count(&json, "tid", thread);
    put_time(&json, "ts", start_ps);
    put_time(&json, "dur", end_ps - start_ps);
    pl_json_close(&json, '}');
}

void pl_timeline_mark(struct pl_timeline *timeline, const char *name, pl_time_ps time_ps)
{
    struct pl_json_writer json;
    begin(timeline, &json);
    put_text(&json, "ph", "i");
    put_text(&json, "s", "g");
    put_text(&json, "name", name);
    put_count(&json, "pid", 0);
    put_count(&json, "tid", 0);
    put_time(&json, "ts", time_ps);
    pl_json_close(&json, '}');
}

void pl_timeline_counters(struct pl_timeline *timeline, const char *name, pl_time_ps time_ps, const char *const *series,
                          const uint64_t *value, size_t count)
{
    struct pl_json_writer json;
    begin(timeline, &json);
    put_text(&json, "ph", "C");
    put_text(&json, "name", name);
    put_count(&json, "pid", 0);
    put_count(&json, "tid", 0);
    put_time(&json, "ts", time_ps);
    pl_json_key(&json, "args");
    pl_json_object_on_one_line(&json);
    for (size_t i = 0; i < count; i++)
        put_count(&json, series[i], value[i]);
    pl_json_close(&json, '}');
    pl_json_close(&json, '}');
}

void pl_timeline_end(struct pl_timeline *timeline)
{
    pl_sink_puts(timeline->sink, "]}\n");
}
