/*
 * Stores that close right behind an image: it is written all the same. The disk counts and keeps nothing, so that a
 * store lives for some microseconds, and each close meets the store's thread at another place. For TSan, which holds
 * threads up at random.
 *
 * Plain program: exit status 0 or 1, prints failures. Bounded by stores.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include <pharos/pharos.h>
#include <pharos/store.h>

#include "store/store.h"
#include "support/check.h"
#include "support/temp_path.h"

enum { STORES = 1000, IMAGES = 2 };

/* ---- a disk that counts ---- */

/* Files that got their names. By the store's thread; relaxed: closing the store ends it. */
static _Atomic uint64_t renamed;

static int open_nothing(const char *path)
{
    (void)path;
    return open("/dev/null", O_WRONLY | O_CLOEXEC);
}

static ssize_t write_nothing(int file, const void *bytes, size_t size)
{
    (void)file, (void)bytes;
    return (ssize_t)size;
}

static int sync_nothing(int file)
{
    (void)file;
    return 0;
}

static int count_rename(const char *from, const char *to)
{
    (void)from, (void)to;
    atomic_fetch_add_explicit(&renamed, 1, memory_order_relaxed);
    return 0;
}

static int leave_path(const char *path)
{
    (void)path;
    return 0;
}

/* ---- stores ---- */

static const phx_disk counting_disk = {.create = open_nothing,
                                       .write = write_nothing,
                                       .sync = sync_nothing,
                                       .close = close,
                                       .rename = count_rename,
                                       .remove = leave_path,
                                       .sync_folder = leave_path};

static void await_writer(const ph_store *store)
{
    ph_store_stats stats = {.writing = true};
    while (stats.writing && CHECK_OK(ph_store_stats_get(store, &stats))) (void)sched_yield();
}

/* Each image is put as soon as the thread tells that the one before is written, and the store closes at once. */
static bool close_behind_image(const ph_store_def *def, ph_world world, uint32_t turn)
{
    ph_store *store = NULL;
    atomic_store_explicit(&renamed, 0, memory_order_relaxed);
    REQUIRE(phx_store_open_on(&counting_disk, def, world, &store, NULL, 0) == PH_OK);
    for (uint32_t i = 0; i < IMAGES; i++) {
        await_writer(store);
        CHECK_OK(ph_store_save(store));
    }
    const ph_status status = ph_store_close(store);
    const uint64_t files = atomic_load_explicit(&renamed, memory_order_relaxed);
    return CHECK(status == PH_OK && files == IMAGES, "store %u: %s, %" PRIu64 " images of %d", turn,
                 ph_status_name(status), files, IMAGES);
}

int main(void)
{
    char folder[TEMP_PATH_SIZE];
    temp_folder(folder, "pharos_stores");
    ph_store_def def = ph_store_def_default();
    def.folder = folder;
    def.name = "world-1";
    def.image_ticks = 0; /* by ph_store_save() alone */
    ph_world_def world_def = ph_world_def_default();
    world_def.consumers = 0;
    ph_world world;
    REQUIRE(ph_world_create(&world_def, &world) == PH_OK);
    for (uint32_t turn = 0; turn < STORES && close_behind_image(&def, world, turn); turn++) continue;
    CHECK_OK(ph_world_destroy(world));
    temp_remove(folder);
    return check_done("stress_store");
}
