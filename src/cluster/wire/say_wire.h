/*
 * Items of a channel beside offers, as bytes: a broadcast for the observers of the peer, and how far this node's
 * observers have heard the broadcasts of others. Decoding is total. Pure; called by wire and by node/says.
 *
 *   say      kind u8, number u64, source u64, ownership u64, layers u64, x, y, radius f32, instance u32, flags u8,
 *            kind_count u8, kinds u32 each, payload
 *   heard    kind u8, then for each node: registration u64, number u64; registrations ascend
 */
#ifndef PHX_CLUSTER_WIRE_SAY_WIRE_H
#define PHX_CLUSTER_WIRE_SAY_WIRE_H

#include <pharos/types.h>

#include "cluster/wire/bytes.h"

enum { PHX_ITEM_OFFER = 1, PHX_ITEM_SAY = 2, PHX_ITEM_HEARD = 3 }; /* the first byte of an item */

enum { PHX_SAY_BYTES = 51, PHX_HEARD_BYTES = 16 }; /* before the kinds; of each node */

/* A broadcast. */
typedef struct phx_say {
    uint64_t number;    /* of its node's broadcasts, from 1 on; they rise */
    uint64_t source;    /* an entity of its node; 0: a place */
    uint64_t ownership; /* of the source then */
    uint64_t layers;    /* of the source or the place, as the next ones */
    float x, y, radius; /* radius 0, of an entity: lists decide */
    uint32_t instance;
    uint32_t flags;             /* PH_BROADCAST_SEEN */
    const unsigned char *kinds; /* as they travel; see phx_say_kind_at() */
    uint32_t kind_count;
    const unsigned char *payload;
    uint32_t bytes;
} phx_say;

static inline uint32_t phx_say_bytes(const phx_say *say)
{
    return PHX_SAY_BYTES + say->kind_count * (uint32_t)sizeof(uint32_t) + say->bytes;
}
uint32_t phx_say_kind_at(const phx_say *say, uint32_t place);
/* Writes an item, phx_say_bytes() of them; the kinds as numbers of this machine. */
void phx_say_put(unsigned char *item, const phx_say *say, const uint32_t *kinds);
/* false: the item is none. */
bool phx_say_get(phx_say *say, const unsigned char *item, size_t size);

/* A node's broadcasts up to that number have been heard, or never will be. */
typedef struct phx_heard {
    uint64_t registration, number;
} phx_heard;

static inline uint32_t phx_heard_bytes(uint32_t count)
{
    return 1 + count * PHX_HEARD_BYTES;
}
/* Writes the one at that place of an item, and the item's kind. */
void phx_heard_put(unsigned char *item, uint32_t place, phx_heard heard);
/* false: the item is none. Else *count is how many it has. */
bool phx_heard_get(uint32_t *count, const unsigned char *item, size_t size);
phx_heard phx_heard_at(const unsigned char *item, uint32_t place);

#endif
