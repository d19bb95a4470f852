/*
 * Items in one block of bytes; see item_queue.h. An item is its size and its bytes.
 */
#include "cluster/wire/item_queue.h"

#include <string.h>

enum { SIZE_BYTES = sizeof(uint32_t) };

void phx_item_queue_init(phx_item_queue *queue, phx_mem *mem)
{
    *queue = (phx_item_queue){.mem = mem};
}

void phx_item_queue_free(phx_item_queue *queue)
{
    void *bytes = queue->bytes;
    phx_release(queue->mem, &bytes, &queue->capacity, 1);
    phx_item_queue_init(queue, queue->mem);
}

/* The items move to the front once more than half of the block is behind them, so each byte moves once at most. */
static bool make_room(phx_item_queue *queue, uint64_t wanted)
{
    void *bytes = queue->bytes;
    const uint32_t used = queue->end - queue->first;
    if (queue->end + wanted <= queue->capacity) return true;
    if (used + wanted > queue->capacity || queue->first < queue->capacity / 2) {
        if (!phx_grow(queue->mem, &bytes, &queue->capacity, queue->end, queue->end + wanted, 1)) return false;
        queue->bytes = bytes;
        return true;
    }
    memmove(queue->bytes, queue->bytes + queue->first, used);
    queue->first = 0;
    queue->end = used;
    return true;
}

bool phx_item_queue_reserve(phx_item_queue *queue, uint64_t bytes)
{
    return make_room(queue, bytes);
}

unsigned char *phx_item_queue_push(phx_item_queue *queue, uint32_t size)
{
    PHX_ASSERT(size <= PHX_ITEM_BYTES_MAX);
    if (!make_room(queue, (uint64_t)SIZE_BYTES + size)) return NULL;
    unsigned char *item = queue->bytes + queue->end;
    memcpy(item, &size, SIZE_BYTES);
    queue->end += SIZE_BYTES + size;
    queue->count++;
    return item + SIZE_BYTES;
}

static phx_item item_at(const unsigned char *bytes)
{
    phx_item item = {.bytes = bytes + SIZE_BYTES};
    memcpy(&item.size, bytes, SIZE_BYTES);
    return item;
}

phx_item phx_item_queue_first(const phx_item_queue *queue)
{
    PHX_ASSERT(queue->count > 0);
    return item_at(queue->bytes + queue->first);
}

phx_item phx_item_queue_after(phx_item item)
{
    return item_at(item.bytes + item.size);
}

phx_item phx_item_queue_at(const phx_item_queue *queue, uint32_t place)
{
    PHX_ASSERT(queue->first + place < queue->end);
    return item_at(queue->bytes + queue->first + place);
}

void phx_item_queue_pop(phx_item_queue *queue)
{
    queue->first += SIZE_BYTES + phx_item_queue_first(queue).size;
    if (--queue->count == 0) queue->first = queue->end = 0;
}

void phx_item_queue_keep(phx_item_queue *queue, phx_item_wanted_fn is_wanted, void *user)
{
    uint32_t to = queue->first, kept = 0;
    for (uint32_t i = 0, at = queue->first; i < queue->count; i++) {
        const phx_item item = item_at(queue->bytes + at);
        const uint32_t size = SIZE_BYTES + item.size;
        if (is_wanted(user, item)) {
            if (to != at) memmove(queue->bytes + to, queue->bytes + at, size);
            to += size;
            kept++;
        }
        at += size;
    }
    queue->count = kept;
    queue->end = to;
    if (kept == 0) queue->first = queue->end = 0;
}
