/*
 * A queue of pieces of bytes, each in one piece: items on their way to a peer, events on their way to the host. One
 * block of memory, which grows and stays; it moves at a push alone. Used by the thread of its node.
 */
#ifndef PHX_CLUSTER_WIRE_ITEM_QUEUE_H
#define PHX_CLUSTER_WIRE_ITEM_QUEUE_H

#include "base/mem.h"

typedef struct phx_item_queue {
    phx_mem *mem;
    unsigned char *bytes;
    uint32_t capacity;
    uint32_t first, end; /* bytes in use */
    uint32_t count;
} phx_item_queue;

typedef struct phx_item {
    const unsigned char *bytes;
    uint32_t size;
} phx_item;

enum { PHX_ITEM_BYTES_MAX = 1 << 20 };

void phx_item_queue_init(phx_item_queue *queue, phx_mem *mem);
void phx_item_queue_free(phx_item_queue *queue);

/* Room for items of so many bytes in all, with the size of each, 4 bytes; false: no memory, unchanged. */
bool phx_item_queue_reserve(phx_item_queue *queue, uint64_t bytes);
/* Room at the end for one item of so many bytes; NULL: no memory, unchanged. */
unsigned char *phx_item_queue_push(phx_item_queue *queue, uint32_t size);
/* The first item; the queue is not empty. Its bytes are good until the next push. */
phx_item phx_item_queue_first(const phx_item_queue *queue);
/* The item behind that one, which is not the last. */
phx_item phx_item_queue_after(phx_item item);
/* The item so many bytes behind the first one; where they end is the place of the next one that is pushed. */
phx_item phx_item_queue_at(const phx_item_queue *queue, uint32_t place);
/* Removes the first item. */
void phx_item_queue_pop(phx_item_queue *queue);
/* Removes all items that are not wanted any more; the others stay in their order. Needs no memory. */
typedef bool (*phx_item_wanted_fn)(void *user, phx_item item);
void phx_item_queue_keep(phx_item_queue *queue, phx_item_wanted_fn is_wanted, void *user);

#endif
