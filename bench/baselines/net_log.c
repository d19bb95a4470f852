/*
 * From events in the order of moves to the net difference per observer; see net_log.h.
 */
#include "bench/baselines/net_log.h"

#include <string.h>

#include "bench/base/memory.h"

void net_log_free(net_log *log)
{
    phx_release(log->mem, (void **)&log->entries, &log->room, sizeof *log->entries);
    phx_release(log->mem, (void **)&log->grouped, &log->grouped_room, sizeof *log->grouped);
    phx_release(log->mem, (void **)&log->ends, &log->ends_room, sizeof *log->ends);
    phx_release(log->mem, (void **)&log->observers, &log->observers_room, sizeof *log->observers);
    phx_release(log->mem, (void **)&log->balance, &log->balance_room, sizeof *log->balance);
}

void net_log_grow(net_log *log)
{
    bench_grow(log->mem, (void **)&log->entries, &log->room, log->count, (size_t)log->count + 1, sizeof *log->entries);
}

/* New room of the arrays by slot is cleared. */
static void make_room(net_log *log, uint32_t slots)
{
    uint32_t had = log->ends_room;
    bench_grow(log->mem, (void **)&log->ends, &log->ends_room, had, slots, sizeof *log->ends);
    memset(log->ends + had, 0, (log->ends_room - had) * sizeof *log->ends);
    had = log->balance_room;
    bench_grow(log->mem, (void **)&log->balance, &log->balance_room, had, slots, sizeof *log->balance);
    memset(log->balance + had, 0, (log->balance_room - had) * sizeof *log->balance);
    bench_grow(log->mem, (void **)&log->observers, &log->observers_room, 0, slots, sizeof *log->observers);
    bench_grow(log->mem, (void **)&log->grouped, &log->grouped_room, 0, log->count, sizeof *log->grouped);
}

/* A counting sort by observer; returns how many observers there are. */
static uint32_t group(net_log *log)
{
    uint32_t observers = 0;
    for (uint32_t i = 0; i < log->count; i++) {
        uint32_t observer = log->entries[i].observer;
        if (log->ends[observer]++ == 0) {
            log->observers[observers++] = observer;
        }
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i < observers; i++) {
        uint32_t count = log->ends[log->observers[i]];
        log->ends[log->observers[i]] = first;
        first += count;
    }
    for (uint32_t i = 0; i < log->count; i++) {
        log->grouped[log->ends[log->entries[i].observer]++] = log->entries[i].what;
    }
    return observers;
}

static void emit_one(net_log *log, const population *people, uint32_t observer, const uint32_t *what, uint32_t count,
                     sent *out)
{
    for (uint32_t i = 0; i < count; i++) {
        log->balance[what[i] / 2] = (int8_t)(log->balance[what[i] / 2] + (what[i] % 2 == 1 ? 1 : -1));
    }
    sent_reserve(out, count);
    uint32_t first = out->target_count;
    for (uint32_t i = 0; i < count; i++) {
        if (log->balance[what[i] / 2] < 0) {
            log->balance[what[i] / 2] = 0;
            sent_target(out, people->ids[what[i] / 2]);
        }
    }
    uint32_t leaves = out->target_count - first;
    for (uint32_t i = 0; i < count; i++) {
        if (log->balance[what[i] / 2] > 0) {
            log->balance[what[i] / 2] = 0;
            sent_target(out, people->ids[what[i] / 2]);
        }
    }
    sent_end(out, people->ids[observer], first, leaves);
}

void net_log_emit(net_log *log, const population *people, sent *out)
{
    if (log->count == 0) {
        return;
    }
    make_room(log, people->slot_count);
    uint32_t observers = group(log);
    uint32_t begin = 0;
    for (uint32_t i = 0; i < observers; i++) {
        uint32_t observer = log->observers[i];
        uint32_t end = log->ends[observer];
        log->ends[observer] = 0;
        if (people->live[observer]) { /* an observer that left gets nothing */
            emit_one(log, people, observer, &log->grouped[begin], end - begin, out);
        }
        begin = end;
    }
    PHX_ASSERT(begin == log->count);
    log->count = 0;
}
