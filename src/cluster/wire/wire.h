/*
 * Messages between members, as bytes: a head, items, a sum. Decoding is total: any bytes are either a message with all
 * of its items inside, or are dropped with a reason, which is counted. Pure; called by the node.
 *
 *   head, 64 bytes   magic u32, format u8, kind u8, 0 u16, bytes u32, item_count u32, source u64, target u64,
 *                    version u32, 0 u32, first u64, ack u64, confirmed u64
 *   items            of a channel: size u32, and an offer: kind u8, id u64, ownership u64, follower_count u32, the
 *                    followers' ids u64, the feeds of all, the entity's last: begun u64, number u64, state; or an
 *                    item of say_wire.h
 *                    of a heartbeat: registration u64 of a member that the source does not hear
 *   sum u64
 */
#ifndef PHX_CLUSTER_WIRE_WIRE_H
#define PHX_CLUSTER_WIRE_WIRE_H

#include "cluster/wire/format.h"
#include "cluster/wire/say_wire.h"

enum {
    PHX_WIRE_HEAD_BYTES = 64,
    PHX_WIRE_BYTES_MAX = 256 << 10,       /* a quarter of the largest payload that a NATS server takes by default */
    PHX_WIRE_STATE_BYTES_MAX = 128 << 10, /* the largest capsule, and the host's state of its entities */
    PHX_WIRE_FOLLOWERS_MAX = 255,         /* entities that go with another one */
    PHX_WIRE_FEED_BYTES = 16,
    PHX_WIRE_OFFER_BYTES = 21 + PHX_WIRE_FEED_BYTES /* beside the followers, and the state */
};

typedef enum phx_wire_kind {
    PHX_WIRE_HEARTBEAT = 1, /* to all: the source is there, and does not hear some others */
    PHX_WIRE_CHANNEL = 2    /* items in sequence, to one node */
} phx_wire_kind;

typedef struct phx_wire_head {
    phx_wire_kind kind;
    uint8_t format;   /* of all bytes of the message; see format.h */
    uint64_t source;  /* registration */
    uint64_t target;  /* the same; 0 = all */
    uint32_t version; /* of the source's map */
    uint32_t item_count;
    uint64_t first;     /* of the channel, as all below; 0 in a heartbeat: sequence of the first item */
    uint64_t ack;       /* the source has taken all items of the target up to this one */
    uint64_t confirmed; /* the source has seen the target's ack up to this one */
} phx_wire_head;

/* How far the numbered messages to the client of an entity have come. */
typedef struct phx_feed {
    uint64_t begun;  /* ownership under which they began; 0: the entity is void, see phx_wire_void() */
    uint64_t number; /* of the last one; 0 = none so far */
} phx_feed;

/* An entity, and the ones that go with it, all under one ownership. */
typedef struct phx_offer {
    uint64_t id, ownership;
    const unsigned char *followers; /* ids as they travel, ascending */
    uint32_t follower_count;
    const unsigned char *feeds; /* as they travel, of the followers, then of the entity; NULL in an event */
    const unsigned char *state;
    uint32_t state_bytes;
} phx_offer;

/* Some of an offer's entities, by place. */
typedef struct phx_place_set {
    uint64_t words[(PHX_WIRE_FOLLOWERS_MAX + 1) / 64];
} phx_place_set;

static inline void phx_place_set_add(phx_place_set *set, uint32_t place)
{
    set->words[place / 64] |= 1ull << place % 64;
}

static inline bool phx_place_set_has(const phx_place_set *set, uint32_t place)
{
    return (set->words[place / 64] >> place % 64 & 1) != 0;
}

/* Why bytes are no message. */
typedef enum phx_wire_flaw {
    PHX_WIRE_GOOD = 0,
    PHX_WIRE_BAD_SUM,    /* too short, or damaged */
    PHX_WIRE_BAD_FORMAT, /* of another program, or of a format that the process does not read */
    PHX_WIRE_BAD_HEAD,   /* a field that can not be */
    PHX_WIRE_BAD_ITEM    /* an item that ends beyond the message, or says what can not be */
} phx_wire_flaw;

/* Bytes of the item of an offer. */
static inline uint32_t phx_wire_offer_bytes(uint32_t follower_count, uint32_t state_bytes)
{
    const uint32_t follower_bytes = (uint32_t)sizeof(uint64_t) + PHX_WIRE_FEED_BYTES;
    return PHX_WIRE_OFFER_BYTES + follower_count * follower_bytes + state_bytes;
}
/* The id of a follower, or with place = follower_count the entity's. */
uint64_t phx_wire_offer_id(const phx_offer *offer, uint32_t place);
/* The feed of the same one. */
phx_feed phx_wire_offer_feed(const phx_offer *offer, uint32_t place);
/* Is it void? Another one of its id has taken its place, so it ends where it comes. */
bool phx_wire_is_void(const phx_offer *offer, uint32_t place);
/* Makes all entities of that id void in an offer's bytes. */
void phx_wire_void(unsigned char *bytes, size_t size, uint64_t id);
/* Writes an offer as an item's bytes, phx_wire_offer_bytes() of them. */
void phx_wire_put_offer(unsigned char *bytes, const phx_offer *offer);
/* false: the item is no offer. */
bool phx_wire_get_offer(phx_offer *offer, const unsigned char *bytes, size_t size);

/* Any item of a channel. */
typedef struct phx_wire_item {
    const unsigned char *bytes;
    uint32_t size;
    uint32_t kind;        /* PHX_ITEM_OFFER: `offer`, and so on */
    uint32_t heard_count; /* of phx_heard_at() */
    phx_offer offer;
    phx_say say;
} phx_wire_item;

/* false: it is none. */
bool phx_wire_get_item(phx_wire_item *item, const unsigned char *bytes, size_t size);

/* A message that is being written. */
typedef struct phx_wire_message {
    unsigned char *bytes;
    size_t size, used;
    uint32_t item_count;
} phx_wire_message;

/* size: PHX_WIRE_HEAD_BYTES and the sum at least. */
void phx_wire_begin(phx_wire_message *message, void *bytes, size_t size);
/* false: the message is full. */
bool phx_wire_add(phx_wire_message *message, const unsigned char *item, uint32_t size);
/* An item of a heartbeat. false: the message is full. */
bool phx_wire_add_silent(phx_wire_message *message, uint64_t registration);
/* Returns the bytes of the message; head->item_count is that of the message. */
size_t phx_wire_end(phx_wire_message *message, const phx_wire_head *head);

/* A message that was checked. */
typedef struct phx_wire_items {
    const unsigned char *at;
    uint32_t left;
} phx_wire_items;

/* The head and a walk over the items, of a message in one of these formats. */
phx_wire_flaw phx_wire_open(phx_wire_head *head, phx_wire_items *items, phx_formats formats, const void *bytes,
                            size_t size);
/* The next item of a channel's message, or of a heartbeat; there is one left. */
phx_wire_item phx_wire_next(phx_wire_items *items);
uint64_t phx_wire_next_silent(phx_wire_items *items);

#endif
