/*
 * The broadcasts of a batch; see batch_broadcasts.h.
 */
#include "world/batch/batch_broadcasts.h"

bool phx_batch_broadcasts_reserve(phx_batch_broadcasts *mail, phx_mem *mem, phx_batch_broadcasts_size size)
{
    PHX_ASSERT(size.payload % PHX_PAYLOAD_ALIGN == 0);
    if (!phx_grow(mem, (void **)&mail->messages, &mail->messages_capacity, 0, size.messages, sizeof *mail->messages) ||
        !phx_grow(mem, (void **)&mail->payload, &mail->payload_capacity, 0, size.payload / PHX_PAYLOAD_ALIGN,
                  sizeof *mail->payload) ||
        !phx_grow(mem, (void **)&mail->deliveries, &mail->deliveries_capacity, 0, size.deliveries,
                  sizeof *mail->deliveries) ||
        !phx_grow(mem, (void **)&mail->heard, &mail->heard_capacity, 0, size.heard, sizeof *mail->heard))
        return false;
    mail->size = size;
    return true;
}

void phx_batch_broadcasts_free(phx_batch_broadcasts *mail, phx_mem *mem)
{
    phx_release(mem, (void **)&mail->messages, &mail->messages_capacity, sizeof *mail->messages);
    phx_release(mem, (void **)&mail->payload, &mail->payload_capacity, sizeof *mail->payload);
    phx_release(mem, (void **)&mail->deliveries, &mail->deliveries_capacity, sizeof *mail->deliveries);
    phx_release(mem, (void **)&mail->heard, &mail->heard_capacity, sizeof *mail->heard);
}
