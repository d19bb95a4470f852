/*
 * The thread that writes images, and the one image that is on its way. The ticking thread hands an image over and goes
 * on; whatever the disk does, it meets this thread alone.
 */
#ifndef PHX_STORE_IMAGE_THREAD_H
#define PHX_STORE_IMAGE_THREAD_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include <pharos/store.h>

#include "store/folder.h"

typedef struct phx_image_thread {
    /* constant while the thread runs */
    const phx_folder *folder;
    const phx_disk *disk;
    uint32_t level, images_kept;
    ph_log_fn log;
    void *log_user;
    pthread_t thread;

    /* by the ticking thread, while `writing` is false */
    ph_image *image;
    uint64_t tick, captured_ns;

    sem_t wake;
    _Atomic bool writing; /* store-release by the thread at the end pairs with the load-acquire of the ticking thread */
    _Atomic bool ending;  /* store-release behind the last image pairs with the load-acquire of the thread */
    /* by the thread; relaxed: statistics */
    _Atomic uint64_t durable_tick, images, failed, image_bytes, plain_bytes, write_ns;
    _Atomic int error;
} phx_image_thread;

/* folder .. log_user are set. Returns 0, or an error number. */
int phx_image_thread_begin(phx_image_thread *at);
/* Waits until the image is written; the thread ends. */
void phx_image_thread_end(phx_image_thread *at);

bool phx_image_thread_is_writing(const phx_image_thread *at);
/* Hands an image over; none is being written. The thread frees it. */
void phx_image_thread_put(phx_image_thread *at, ph_image *image, uint64_t tick, uint64_t captured_ns);

#endif
