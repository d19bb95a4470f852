/*
 * Sequence, ack and confirmation of one pair of nodes; see channel.h.
 */
#include "cluster/node/channel.h"

/* Items of a repetition: the peer that hears again acks them, and all the others follow. */
enum { REPEATED_ITEMS = 4 };

void phx_channel_init(phx_channel *channel, phx_mem *mem)
{
    *channel = (phx_channel){0};
    phx_item_queue_init(&channel->unacked, mem);
}

void phx_channel_free(phx_channel *channel)
{
    phx_item_queue_free(&channel->unacked);
}

unsigned char *phx_channel_push(phx_channel *channel, uint32_t size)
{
    unsigned char *item = phx_item_queue_push(&channel->unacked, size);
    if (!item) return NULL;
    if (channel->unacked.count == 1) channel->stalled = false;
    channel->sent++;
    return item;
}

bool phx_channel_hear(phx_channel *channel, uint64_t ack, uint64_t confirmed)
{
    if (ack > channel->sent || confirmed > channel->taken) return false;
    if (confirmed > channel->confirmed) channel->confirmed = confirmed;
    return true;
}

void phx_channel_pop(phx_channel *channel)
{
    phx_item_queue_pop(&channel->unacked);
    channel->acked++;
    channel->stalled = false;
    channel->owes = true; /* the confirmation */
}

void phx_channel_take(phx_channel *channel)
{
    channel->taken++;
    channel->owes = true; /* the ack */
}

bool phx_channel_is_due(const phx_channel *channel)
{
    return channel->owes || channel->unacked.count > 0;
}

void phx_channel_write(phx_channel *channel, phx_wire_message *message, phx_wire_head *head)
{
    const phx_item_queue *unacked = &channel->unacked;
    const uint32_t most = channel->stalled && unacked->count > REPEATED_ITEMS ? REPEATED_ITEMS : unacked->count;
    phx_item item = {0};
    for (uint32_t i = 0; i < most; i++) {
        item = i == 0 ? phx_item_queue_first(unacked) : phx_item_queue_after(item);
        if (!phx_wire_add(message, item.bytes, item.size)) break;
    }
    head->first = channel->acked + 1;
    head->ack = channel->taken;
    head->confirmed = channel->acked;
    channel->stalled = unacked->count > 0;
    channel->owes = false;
}
