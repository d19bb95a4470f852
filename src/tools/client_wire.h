/*
 * Messages to clients as pharos-node's nodes send them to gateways: changes of lists, each with its number in the feed
 * of its observer. Decoding is total: any bytes are either changes with all of their ids inside, or are dropped. Pure;
 * written by node_feed.c, read by node_gateway.c.
 *
 *   source u64       registration of the node
 *   changes          observer u64, ownership u64, begun u64, number u64, flags u8 (1: the whole list), leave_count u32,
 *                    enter_count u32, ids u64: of leaves, then of enters
 */
#ifndef PHX_TOOLS_CLIENT_WIRE_H
#define PHX_TOOLS_CLIENT_WIRE_H

#include <pharos/cluster.h>

#include "cluster/wire/bytes.h"

enum { PHX_CLIENT_HEAD_BYTES = 8, PHX_CLIENT_CHANGE_BYTES = 41 }; /* before the changes; before the ids */

/* A change for one client. */
typedef struct phx_client_change {
    uint64_t observer;
    phc_feed feed;
    bool is_whole; /* the enters are the whole list */
    uint32_t leave_count, enter_count;
    const unsigned char *ids; /* as they travel */
} phx_client_change;

static inline size_t phx_client_change_bytes(uint32_t ids)
{
    return PHX_CLIENT_CHANGE_BYTES + (size_t)ids * sizeof(uint64_t);
}
/* The id at that place, leaves first. */
uint64_t phx_client_id_at(const phx_client_change *change, uint32_t place);

/* The writer has room for PHX_CLIENT_HEAD_BYTES, and for phx_client_change_bytes(); ids are not of the change. */
void phx_client_put_head(phx_writer *writer, uint64_t source);
void phx_client_put_change(phx_writer *writer, const phx_client_change *change);
/* Behind a change: its ids, one by one. */
void phx_client_put_id(phx_writer *writer, uint64_t id);

/* 0: the bytes are no message, and the reader has failed. */
uint64_t phx_client_get_head(phx_reader *reader);
/* The next change. false: there is none; the reader has failed if that is by a flaw. */
bool phx_client_get_change(phx_reader *reader, phx_client_change *change);

#endif
