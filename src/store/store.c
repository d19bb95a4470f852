/*
 * The calls of the ticking thread; see pharos/store.h.
 */
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pharos/pharos.h>

#include "store/clock.h"
#include "store/def.h"

/* ---- open, close ---- */

static ph_status refuse_place(const ph_store_def *def, int error, char *reason, size_t reason_size)
{
    char text[128];
    if (error == ENOMEM) return PH_NO_MEMORY;
    if (error == EWOULDBLOCK) return PH_TAKEN;
    if (reason_size > 0) snprintf(reason, reason_size, "%s: %s", def->folder, strerror_r(error, text, sizeof text));
    return PH_IO;
}

static void free_store(ph_store *store)
{
    if (store->lock >= 0) (void)close(store->lock);
    phx_folder_free(&store->folder);
    free(store);
}

/* Takes the folder and starts the thread. Returns 0, or errno. */
static int begin_store(ph_store *store, const phx_disk *disk, const ph_store_def *def)
{
    if (!phx_folder_init(&store->folder, def->folder, def->name)) return ENOMEM;
    store->lock = phx_folder_lock(&store->folder);
    if (store->lock < 0) return -store->lock;
    phx_folder_prune(&store->folder, disk, PHX_STORE_PART, 0);
    store->images.folder = &store->folder;
    store->images.disk = disk;
    store->images.level = def->level;
    store->images.images_kept = def->images_kept;
    store->images.log = def->log;
    store->images.log_user = def->log_user;
    return phx_image_thread_begin(&store->images);
}

ph_status phx_store_open_on(const phx_disk *disk, const ph_store_def *def, ph_world world, ph_store **store,
                            char *reason, size_t reason_size)
{
    ph_stats stats;
    if (!reason) reason_size = 0;
    if (reason_size > 0) reason[0] = '\0';
    if (!store) return PH_BAD_ARGUMENT;
    *store = NULL;
    if (!def) return PH_BAD_ARGUMENT;
    if (ph_world_stats(world, &stats) == PH_BAD_HANDLE) return PH_BAD_HANDLE;
    const ph_status status = phx_store_check(def, reason, reason_size);
    if (status != PH_OK) return status;
    ph_store *made = calloc(1, sizeof *made);
    if (!made) return PH_NO_MEMORY;
    made->world = world;
    made->image_ticks = def->image_ticks;
    made->lock = -1;
    const int error = begin_store(made, disk, def);
    if (error == 0) *store = made;
    else free_store(made);
    return error == 0 ? PH_OK : refuse_place(def, error, reason, reason_size);
}

ph_status ph_store_open(const ph_store_def *def, ph_world world, ph_store **store, char *reason, size_t reason_size)
{
    return phx_store_open_on(&phx_disk_posix, def, world, store, reason, reason_size);
}

ph_status ph_store_close(ph_store *store)
{
    if (!store) return PH_BAD_ARGUMENT;
    phx_image_thread_end(&store->images);
    const bool durable = !store->captured || (store->images.error == 0);
    free_store(store);
    return durable ? PH_OK : PH_IO;
}

/* ---- ticks ---- */

/* Captures an image and hands it over; none is being written. */
static ph_status capture_image(ph_store *store, uint64_t tick)
{
    ph_image *image;
    const uint64_t from = phx_store_now_ns();
    const ph_status status = ph_image_capture(store->world, &image);
    if (status == PH_NO_MEMORY) atomic_fetch_add_explicit(&store->short_of, 1, memory_order_relaxed);
    if (status != PH_OK) return status;
    const uint64_t now = phx_store_now_ns();
    atomic_store_explicit(&store->capture_ns, now - from, memory_order_relaxed);
    store->captured = true;
    store->due_tick = tick + store->image_ticks;
    phx_image_thread_put(&store->images, image, tick, now);
    return PH_OK;
}

/* The tick that has ended. */
static ph_status ended_tick(const ph_store *store, uint64_t *tick)
{
    ph_stats stats;
    const ph_status status = ph_world_stats(store->world, &stats);
    if (status == PH_OK) *tick = stats.ticks;
    return status;
}

ph_status ph_store_tick(ph_store *store)
{
    uint64_t tick;
    if (!store) return PH_BAD_ARGUMENT;
    const ph_status status = ended_tick(store, &tick);
    if (status != PH_OK) return status == PH_BUSY ? PH_OK : status;
    if (store->image_ticks == 0 || tick < store->due_tick) return PH_OK;
    if (phx_image_thread_is_writing(&store->images)) {
        if (store->counted_tick != store->due_tick) atomic_fetch_add_explicit(&store->late, 1, memory_order_relaxed);
        store->counted_tick = store->due_tick;
        return PH_OK;
    }
    (void)capture_image(store, tick); /* the reason is counted, and the image stays due */
    return PH_OK;
}

ph_status ph_store_save(ph_store *store)
{
    uint64_t tick;
    if (!store) return PH_BAD_ARGUMENT;
    const ph_status status = ended_tick(store, &tick);
    if (status != PH_OK) return status;
    return phx_image_thread_is_writing(&store->images) ? PH_BUSY : capture_image(store, tick);
}

static uint64_t read_count(const _Atomic uint64_t *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
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
                              .writing = phx_image_thread_is_writing(images)};
    return PH_OK;
}
