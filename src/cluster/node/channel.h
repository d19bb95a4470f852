/*
 * The reliable channel to one peer, over messages that may be lost, doubled, late and out of order. Items have numbers
 * from 1, for as long as both registrations live; so a late double is below the window, and no memory of old ids is
 * needed.
 *
 *   ack            an item is taken strictly in sequence; the last one taken goes back with every message
 *   confirmation   the sender says up to which item it has seen the ack. Until then it may believe that it must take
 *                  the item back, so the receiver does not hand it on (retention)
 *
 * Knows no entity and no map; used by the node, by one thread at a time.
 */
#ifndef PHX_CLUSTER_NODE_CHANNEL_H
#define PHX_CLUSTER_NODE_CHANNEL_H

#include "cluster/wire/item_queue.h"
#include "cluster/wire/wire.h"

typedef struct phx_channel {
    phx_item_queue unacked; /* items that were sent, from acked + 1 to sent */
    uint64_t sent, acked;   /* acked is also the confirmation that goes to the peer */
    uint64_t taken;         /* last item of the peer */
    uint64_t confirmed;     /* the peer has seen our ack up to this one */
    bool owes;              /* the peer waits for an ack or a confirmation */
    uint64_t written;       /* items up to this one are on their way; not below acked */
    uint32_t waits;         /* messages since an ack came, while there were unacked items */
    bool repeats;           /* the first items were sent again, as no ack came: once one does, so are the others */
} phx_channel;

void phx_channel_init(phx_channel *channel, phx_mem *mem);
void phx_channel_free(phx_channel *channel);

/* Room for an item that is to be sent, with the sequence channel->sent; NULL: no memory, unchanged. */
unsigned char *phx_channel_push(phx_channel *channel, uint32_t size);

/*
 * The numbers of a message of the peer. false: they can not be, and nothing was changed: an ack of an item that was not
 * sent, or a confirmation of one that was not taken. The caller then pops items up to the ack with phx_channel_pop().
 */
bool phx_channel_hear(phx_channel *channel, uint64_t ack, uint64_t confirmed);
/* The oldest unacked item was acked. */
void phx_channel_pop(phx_channel *channel);
/* The next item of the peer was taken. */
void phx_channel_take(phx_channel *channel);

/*
 * Adds items that are not on their way yet, as many as fit; or the first few unacked ones, if there are none, or if no
 * ack came for some messages. And writes the numbers.
 */
void phx_channel_write(phx_channel *channel, phx_wire_message *message, phx_wire_head *head);
/* The bytes of an unacked item, by its sequence; they may be changed. Good until the next push. */
unsigned char *phx_channel_unacked(phx_channel *channel, uint64_t sequence, uint32_t *size);
/* Is there an item, an ack or a confirmation that the peer waits for? */
bool phx_channel_is_due(const phx_channel *channel);

#endif
