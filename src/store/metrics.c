/*
 * The numbers of a store, also as text (ph_store_prometheus()). On any thread.
 */
#include <stddef.h>
#include <stdio.h>

#include "base/metrics_text.h"
#include "store/store.h"

static uint64_t read_count(const _Atomic uint64_t *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

/* The journal leads to a tick once the image is durable that it goes on from. */
static uint64_t reached_tick(const ph_store *store)
{
    const uint64_t journal = read_count(&store->journal.durable_tick), base = read_count(&store->base_tick);
    const bool durable = read_count(&store->images.images) > 0 && read_count(&store->images.durable_tick) >= base;
    return durable && journal > base ? journal : 0;
}

ph_status ph_store_stats_get(const ph_store *store, ph_store_stats *stats)
{
    if (!store || !stats) return PH_BAD_ARGUMENT;
    const phx_image_thread *images = &store->images;
    *stats = (ph_store_stats){.durable_tick = read_count(&images->durable_tick),
                              .images = read_count(&images->images),
                              .late = read_count(&store->late),
                              .failed = read_count(&images->failed),
                              .short_of = read_count(&store->short_of),
                              .image_bytes = read_count(&images->image_bytes),
                              .plain_bytes = read_count(&images->plain_bytes),
                              .capture_ns = read_count(&store->capture_ns),
                              .write_ns = read_count(&images->write_ns),
                              .error = atomic_load_explicit(&images->error, memory_order_relaxed),
                              .writing = phx_image_thread_is_writing(images),
                              .recording = atomic_load_explicit(&store->recording, memory_order_relaxed),
                              .journal_tick = reached_tick(store),
                              .journal_bytes = read_count(&store->journal.bytes),
                              .gaps = read_count(&store->gaps),
                              .lost = read_count(&store->lost)};
    return PH_OK;
}

/* ---- as text ---- */

#define METRIC(type, field, name, help) PHX_METRIC(ph_store_stats, type, field, name, "", help)
static const phx_metric metrics[] = {
    METRIC(GAUGE, durable_tick, "durable_tick", "Tick of the newest image that is on the disk."),
    METRIC(GAUGE, journal_tick, "journal_tick", "Tick up to which image and records are on the disk."),
    METRIC(COUNTER, images, "images_total", "Images made durable."),
    METRIC(COUNTER, late, "images_late_total", "Images that were due while another one was written."),
    METRIC(COUNTER, failed, "images_failed_total", "Images lost to an error of the disk."),
    METRIC(COUNTER, short_of, "captures_short_total", "Captures that found no memory."),
    METRIC(GAUGE, image_bytes, "image_bytes", "Bytes of the newest image on the disk."),
    METRIC(GAUGE, plain_bytes, "image_plain_bytes", "Bytes of that image before it was compressed."),
    METRIC(GAUGE_NS, capture_ns, "capture_seconds", "Time of the last capture, in which no tick ran."),
    METRIC(GAUGE_NS, write_ns, "write_seconds", "Time from the last capture until it was on the disk."),
    METRIC(COUNTER, journal_bytes, "journal_bytes_total", "Bytes written to the journal."),
    METRIC(COUNTER, gaps, "journal_gaps_total", "Gaps in the journal."),
    METRIC(COUNTER, lost, "journal_lost_total", "Ticks and applies without a record."),
    METRIC(FLAG, writing, "writing", "1 while an image is written."),
    METRIC(FLAG, recording, "recording", "1 if the next tick has a record."),
};

ph_status ph_store_prometheus(const ph_store *store, char *text, size_t size, size_t *length)
{
    ph_store_stats stats;
    if (!length || (!text && size > 0)) return PH_BAD_ARGUMENT;
    const ph_status status = ph_store_stats_get(store, &stats);
    if (status != PH_OK) return status;
    char labels[sizeof "store=\"\"" + PH_STORE_NAME_MAX];
    (void)snprintf(labels, sizeof labels, "store=\"%s\"", store->folder.name);
    phx_metrics_text out = {.at = text, .size = size, .prefix = "pharos_store_"};
    phx_metrics_rows(&out, metrics, sizeof metrics / sizeof *metrics, labels, &stats);
    *length = phx_metrics_end(&out);
    return PH_OK;
}
