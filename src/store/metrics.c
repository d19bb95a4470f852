/*
 * ph_store_prometheus(): the numbers of a store as text. Whole numbers and nanoseconds are written digit by digit: no
 * locale has a say in it. On any thread.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "store/store.h"

typedef enum metric_type { COUNTER, GAUGE, SECONDS, FLAG } metric_type;

typedef struct store_metric {
    metric_type type;
    size_t offset; /* of its field: a uint64_t, or, of a FLAG, a bool */
    const char *name, *help;
} store_metric;

#define METRIC(type, field, name, help) \
    { \
        type, offsetof(ph_store_stats, field), name, help \
    }
static const store_metric metrics[] = {
    METRIC(GAUGE, durable_tick, "durable_tick", "Tick of the newest image that is on the disk."),
    METRIC(GAUGE, journal_tick, "journal_tick", "Tick up to which image and records are on the disk."),
    METRIC(COUNTER, images, "images_total", "Images made durable."),
    METRIC(COUNTER, late, "images_late_total", "Images that were due while another one was written."),
    METRIC(COUNTER, failed, "images_failed_total", "Images lost to an error of the disk."),
    METRIC(COUNTER, short_of, "captures_short_total", "Captures that found no memory."),
    METRIC(GAUGE, image_bytes, "image_bytes", "Bytes of the newest image on the disk."),
    METRIC(GAUGE, plain_bytes, "image_plain_bytes", "Bytes of that image before it was compressed."),
    METRIC(SECONDS, capture_ns, "capture_seconds", "Time of the last capture, in which no tick ran."),
    METRIC(SECONDS, write_ns, "write_seconds", "Time from the last capture until it was on the disk."),
    METRIC(COUNTER, journal_bytes, "journal_bytes_total", "Bytes written to the journal."),
    METRIC(COUNTER, gaps, "journal_gaps_total", "Gaps in the journal."),
    METRIC(COUNTER, lost, "journal_lost_total", "Ticks and applies without a record."),
    METRIC(FLAG, writing, "writing", "1 while an image is written."),
    METRIC(FLAG, recording, "recording", "1 if the next tick has a record."),
};

static uint64_t metric_value(const ph_store_stats *stats, const store_metric *metric)
{
    const char *at = (const char *)stats + metric->offset;
    uint64_t value;
    if (metric->type == FLAG) return *(const bool *)at;
    memcpy(&value, at, sizeof value);
    return value;
}

/* HELP, TYPE and the sample of a metric. Returns the length. */
static size_t write_metric(char *text, size_t size, const char *name, const store_metric *metric, uint64_t value)
{
    char number[48]; /* twenty digits, a point, nine more */
    const uint64_t second = 1000000000;
    if (metric->type == SECONDS)
        (void)snprintf(number, sizeof number, "%" PRIu64 ".%09" PRIu64, value / second, value % second);
    else (void)snprintf(number, sizeof number, "%" PRIu64, value);
    const int length =
        snprintf(text, size, "# HELP pharos_store_%s %s\n# TYPE pharos_store_%s %s\npharos_store_%s{store=\"%s\"} %s\n",
                 metric->name, metric->help, metric->name, metric->type == COUNTER ? "counter" : "gauge", metric->name,
                 name, number);
    PHX_ASSERT(length > 0);
    return (size_t)length;
}

ph_status ph_store_prometheus(const ph_store *store, char *text, size_t size, size_t *length)
{
    ph_store_stats stats;
    if (!length || (!text && size > 0)) return PH_BAD_ARGUMENT;
    const ph_status status = ph_store_stats_get(store, &stats);
    if (status != PH_OK) return status;
    *length = 0;
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        const size_t used = *length < size ? *length : size;
        *length += write_metric(used < size ? text + used : NULL, size - used, store->folder.name, &metrics[i],
                                metric_value(&stats, &metrics[i]));
    }
    return PH_OK;
}
