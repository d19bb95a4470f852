/*
 * Canary: a producer writes behind a pointer after it has put it into the ring. ring.c is
 * compiled without instrumentation and tells ThreadSanitizer of the hand-over by itself;
 * races around the ring must still be reported. With the argument "clean" it
 * writes before, and must pass.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

#include "base/ring.h"

enum { ITEMS = 1000 };

static int items[ITEMS];

static void *consume(void *ring)
{
    ptrdiff_t sum = 0;
    for (int i = 0; i < ITEMS; i++) {
        const int *item;
        while ((item = phx_ring_take(ring)) == NULL) {
        }
        sum += *item;
    }
    return (void *)sum;
}

static void produce(phx_ring *ring, bool clean)
{
    for (int i = 0; i < ITEMS; i++) {
        if (clean) {
            items[i] = 1;
        }
        while (!phx_ring_put(ring, &items[i])) {
        }
        if (!clean) {
            items[i] = 1; /* the defect */
        }
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    phx_mem mem;
    phx_mem_init(&mem, phx_allocator_libc());
    phx_ring *ring = phx_ring_create(&mem, 8);
    pthread_t thread;
    if (ring == NULL || pthread_create(&thread, NULL, consume, ring) != 0) {
        fprintf(stderr, "no memory or no thread\n");
        return argc > 1;
    }
    produce(ring, argc > 1);
    void *sum = NULL;
    (void)pthread_join(thread, &sum);
    phx_ring_destroy(&mem, ring);
    return argc > 1 && sum != (void *)(ptrdiff_t)ITEMS;
}
