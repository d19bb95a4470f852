/*
 * The broadcasts of a batch; see batch_broadcasts.h.
 */
#include "world/batch/batch_broadcasts.h"

bool phx_batch_broadcasts_reserve(phx_batch_broadcasts *broadcasts, phx_mem *mem, phx_batch_broadcasts_size size)
{
    PHX_ASSERT(size.payload % PHX_PAYLOAD_ALIGN == 0);
    const size_t payload = size.payload / PHX_PAYLOAD_ALIGN;
    const size_t payload_least = size.messages > 0 ? 1 : 0; /* a host adds the `first` of an empty message too */
    if (!phx_grow(mem, (void **)&broadcasts->messages, &broadcasts->messages_capacity, 0, size.messages,
                  sizeof *broadcasts->messages) ||
        !phx_grow(mem, (void **)&broadcasts->payload, &broadcasts->payload_capacity, 0,
                  payload > payload_least ? payload : payload_least, sizeof *broadcasts->payload) ||
        !phx_grow(mem, (void **)&broadcasts->deliveries, &broadcasts->deliveries_capacity, 0, size.deliveries,
                  sizeof *broadcasts->deliveries) ||
        !phx_grow(mem, (void **)&broadcasts->heard, &broadcasts->heard_capacity, 0, size.heard,
                  sizeof *broadcasts->heard))
        return false;
    broadcasts->size = size;
    return true;
}

void phx_batch_broadcasts_trim(phx_batch_broadcasts *broadcasts, phx_mem *mem)
{
    const phx_batch_broadcasts_size *size = &broadcasts->size;
    phx_trim(mem, (void **)&broadcasts->messages, &broadcasts->messages_capacity, sizeof *broadcasts->messages,
             size->messages, &broadcasts->messages_use);
    phx_trim(mem, (void **)&broadcasts->payload, &broadcasts->payload_capacity, sizeof *broadcasts->payload,
             (uint32_t)(size->payload / PHX_PAYLOAD_ALIGN), &broadcasts->payload_use);
    phx_trim(mem, (void **)&broadcasts->deliveries, &broadcasts->deliveries_capacity, sizeof *broadcasts->deliveries,
             size->deliveries, &broadcasts->deliveries_use);
    phx_trim(mem, (void **)&broadcasts->heard, &broadcasts->heard_capacity, sizeof *broadcasts->heard, size->heard,
             &broadcasts->heard_use);
    broadcasts->size = (phx_batch_broadcasts_size){0};
}

void phx_batch_broadcasts_free(phx_batch_broadcasts *broadcasts, phx_mem *mem)
{
    phx_release(mem, (void **)&broadcasts->messages, &broadcasts->messages_capacity, sizeof *broadcasts->messages);
    phx_release(mem, (void **)&broadcasts->payload, &broadcasts->payload_capacity, sizeof *broadcasts->payload);
    phx_release(mem, (void **)&broadcasts->deliveries, &broadcasts->deliveries_capacity,
                sizeof *broadcasts->deliveries);
    phx_release(mem, (void **)&broadcasts->heard, &broadcasts->heard_capacity, sizeof *broadcasts->heard);
}
