/*
 * Messages between pharos-node's nodes and gateways: changes of lists, each with its number in the feed of its
 * observer; states of walkers; and questions of gateways for whole lists. Decoding is total: any bytes are either what
 * they are read as, with all of it inside, or are dropped. Pure; written and read by node_feed.c and node_gateway.c.
 *
 *   format u8        1
 *   source u64       registration of the sender
 *   changes          observer u64, ownership u64, begun u64, number u64, flags u8 (1: the whole list), leave_count u32,
 *                    enter_count u32, ids u64: of leaves, then of enters
 *   or states        id u64, ownership u64, steps u64, begun u64, number u64
 *   or questions     id u64
 *
 * The format has a number of its own, and rises with any change of these bytes behind a release: it is none of the
 * library's (cluster/wire/format.h), as the messages are this host's. All gateways hear one message, so there is no
 * format for one peer. Nodes and gateways without a format in common drop each other's messages, count them, and say
 * so, while the cluster goes on. A format that readers shall have beside an older one is read by one version, and
 * written from the next one on.
 */
#ifndef PHX_TOOLS_CLIENT_WIRE_H
#define PHX_TOOLS_CLIENT_WIRE_H

#include <pharos/cluster.h>

#include "cluster/wire/bytes.h"

enum {
    PHX_CLIENT_FORMAT = 1,
    PHX_CLIENT_HEAD_BYTES = 9,    /* before changes, states, questions */
    PHX_CLIENT_CHANGE_BYTES = 41, /* before the ids */
    PHX_CLIENT_STATE_BYTES = 40
};

/* A change for one client. */
typedef struct phx_client_change {
    uint64_t observer;
    phc_feed feed;
    bool is_whole; /* the enters are the whole list */
    uint32_t leave_count, enter_count;
    const unsigned char *ids; /* as they travel */
} phx_client_change;

/* A walker, by its owner. */
typedef struct phx_walker_state {
    uint64_t id, ownership, steps;
    uint64_t feed_begun, feed_number; /* of the last change of its list: phc_feed_last() */
} phx_walker_state;

static inline size_t phx_client_change_bytes(uint32_t ids)
{
    return PHX_CLIENT_CHANGE_BYTES + (size_t)ids * sizeof(uint64_t);
}
/* The id at that place, leaves first. */
uint64_t phx_client_id_at(const phx_client_change *change, uint32_t place);

/* The writer has room for PHX_CLIENT_HEAD_BYTES, for phx_client_change_bytes(), where ids are not of the change, and
 * for PHX_CLIENT_STATE_BYTES. */
void phx_client_put_head(phx_writer *writer, uint64_t source);
void phx_client_put_change(phx_writer *writer, const phx_client_change *change);
/* Behind a change: its ids, one by one. Or a question. */
void phx_client_put_id(phx_writer *writer, uint64_t id);
void phx_client_put_state(phx_writer *writer, const phx_walker_state *state);

/* The format of a message that this version does not read; else 0. */
uint8_t phx_client_other_format(const void *bytes, size_t size);
/* 0: the bytes are no message, or one of another format, and the reader has failed. */
uint64_t phx_client_get_head(phx_reader *reader);
/* The next change. false: there is none; the reader has failed if that is by a flaw. */
bool phx_client_get_change(phx_reader *reader, phx_client_change *change);
/* The next state, the next question; as phx_client_get_change(). */
bool phx_client_get_state(phx_reader *reader, phx_walker_state *state);
bool phx_client_get_id(phx_reader *reader, uint64_t *id);

#endif
