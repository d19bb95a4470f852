/*
 * The thread that writes images; see image_thread.h.
 */
#include "store/image_thread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "store/image_file.h"

static void log_failure(const phx_image_thread *at, int error)
{
    char line[PH_STORE_REASON_SIZE], text[128];
    if (!at->log) return;
    snprintf(line, sizeof line, "store %s/%s: the image of tick %" PRIu64 " is lost: %s", at->folder->path,
             at->folder->name, at->tick, strerror_r(error, text, sizeof text));
    at->log(at->log_user, PH_LOG_ERROR, line);
}

/* Removes old images, and the journal files and the files put aside from before the oldest image that is left. */
static void prune_files(const phx_image_thread *at)
{
    phx_ticks images;
    phx_folder_prune(at->folder, at->disk, PHX_STORE_IMAGE, at->images_kept);
    const int error = phx_folder_list(at->folder, PHX_STORE_IMAGE, &images);
    if (error == 0 && images.count > 0) {
        const uint64_t oldest = images.at[images.count - 1];
        phx_folder_prune_journal(at->folder, at->disk, oldest);
        phx_folder_prune_before(at->folder, at->disk, PHX_STORE_IMAGE PHX_STORE_OLD, oldest);
        phx_folder_prune_before(at->folder, at->disk, PHX_STORE_JOURNAL PHX_STORE_OLD, oldest);
    }
    free(images.at);
}

static void write_image(phx_image_thread *at)
{
    phx_image_sizes sizes = {0};
    const int error = phx_image_file_write(at->folder, at->disk, at->image, at->tick, at->level, &sizes);
    ph_image_free(at->image);
    atomic_store_explicit(&at->error, error, memory_order_relaxed);
    if (error != 0) {
        atomic_fetch_add_explicit(&at->failed, 1, memory_order_relaxed);
        log_failure(at, error);
    } else {
        atomic_store_explicit(&at->image_bytes, sizes.stored, memory_order_relaxed);
        atomic_store_explicit(&at->plain_bytes, sizes.plain, memory_order_relaxed);
        atomic_store_explicit(&at->write_ns, phx_now_ns() - at->captured_ns, memory_order_relaxed);
        atomic_store_explicit(&at->durable_tick, at->tick, memory_order_relaxed);
        atomic_fetch_add_explicit(&at->images, 1, memory_order_relaxed);
        prune_files(at);
    }
    atomic_store_explicit(&at->writing, false, memory_order_release);
    PHX_STALL_POINT();
}

static void wait_for_work(phx_image_thread *at)
{
    while (sem_wait(&at->wake) != 0) continue; /* EINTR */
}

static void *run_thread(void *user)
{
    phx_image_thread *at = user;
    for (;;) {
        wait_for_work(at);
        /* before `writing`: an image that is put while another's end is told is written, too */
        const bool ends = atomic_load_explicit(&at->ending, memory_order_acquire);
        if (atomic_load_explicit(&at->writing, memory_order_acquire)) write_image(at);
        if (ends) return NULL;
    }
}

int phx_image_thread_begin(phx_image_thread *at)
{
    if (sem_init(&at->wake, 0, 0) != 0) return errno;
    const int error = phx_thread_begin(&at->thread, run_thread, at);
    if (error != 0) (void)sem_destroy(&at->wake);
    return error;
}

void phx_image_thread_end(phx_image_thread *at)
{
    atomic_store_explicit(&at->ending, true, memory_order_release); /* pairs with the load of run_thread() */
    (void)sem_post(&at->wake);
    (void)pthread_join(at->thread, NULL);
    PHX_ASSERT(!phx_image_thread_is_writing(at));
    (void)sem_destroy(&at->wake);
}

bool phx_image_thread_is_writing(const phx_image_thread *at)
{
    return atomic_load_explicit(&at->writing, memory_order_acquire);
}

void phx_image_thread_put(phx_image_thread *at, ph_image *image, uint64_t tick, uint64_t captured_ns)
{
    PHX_ASSERT(!phx_image_thread_is_writing(at));
    at->image = image;
    at->tick = tick;
    at->captured_ns = captured_ns;
    /* pairs with the load of run_thread() */
    atomic_store_explicit(&at->writing, true, memory_order_release);
    (void)sem_post(&at->wake);
}
