/*
 * Sequence, ack and confirmation of one pair of nodes; see channel.h.
 */
#include "cluster/node/channel.h"

/*
 * Items of a repetition: the peer that hears again acks them, and all the others follow. An ack comes with the second
 * message behind its item, or with the third one of a peer that ticks less often: until then new items go on.
 *
 * The wait counts own messages, not time: this protocol has no clock, and a round trip that it would measure has the
 * peer's ticks in it, not the network's time, which is a hundredth of a tick. Over a slow way, of more than three
 * ticks, each message has its first four items again, which are dropped by their sequence: some bytes, no error, and
 * new items are not held up for ever, as an ack ends the repetition.
 */
enum { REPEATED_ITEMS = 4, WAITS = 3 };

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
    if (channel->unacked.count == 1) channel->waits = 0;
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
    channel->waits = 0;
    if (channel->repeats || channel->written < channel->acked) channel->written = channel->acked;
    channel->repeats = false;
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

/* Adds so many items behind a sequence, as many as fit. Returns the sequence of the last one. */
static uint64_t add_items(const phx_channel *channel, phx_wire_message *message, uint64_t behind, uint64_t most)
{
    phx_item item = {0};
    for (uint64_t sequence = channel->acked + 1; sequence <= behind + most; sequence++) {
        item = sequence == channel->acked + 1 ? phx_item_queue_first(&channel->unacked) : phx_item_queue_after(item);
        if (sequence > behind && !phx_wire_add(message, item.bytes, item.size)) return sequence - 1;
    }
    return behind + most;
}

void phx_channel_write(phx_channel *channel, phx_wire_message *message, phx_wire_head *head)
{
    const uint64_t fresh = channel->sent - channel->written, unacked = channel->unacked.count;
    const bool is_late = channel->waits >= WAITS;
    const bool again = is_late || fresh == 0;
    const uint64_t most = unacked < REPEATED_ITEMS ? unacked : REPEATED_ITEMS;
    head->first = (again ? channel->acked : channel->written) + 1;
    head->ack = channel->taken;
    head->confirmed = channel->acked;
    const uint64_t last = again ? add_items(channel, message, channel->acked, most)
                                : add_items(channel, message, channel->written, fresh);
    if (last > channel->written) channel->written = last;
    channel->repeats |= is_late && unacked > 0;
    channel->waits = unacked > 0 ? channel->waits + 1 : 0;
    channel->owes = false;
}

unsigned char *phx_channel_unacked(phx_channel *channel, uint64_t sequence, uint32_t *size)
{
    PHX_ASSERT(sequence > channel->acked && sequence <= channel->sent);
    phx_item item = phx_item_queue_first(&channel->unacked);
    for (uint64_t at = channel->acked + 1; at < sequence; at++) item = phx_item_queue_after(item);
    *size = item.size;
    return channel->unacked.bytes + (item.bytes - channel->unacked.bytes);
}
