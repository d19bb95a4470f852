/*
 * Within pharos-node: states of walkers on their way from nodes to gateways, as a host of its own protocol has them.
 * Each has the ownership, by which a gateway knows the newer one of two owners. And changes of their lists, and
 * questions of gateways for whole lists; client_wire.h has the messages. Sent and heard by the loop of a node, states
 * and changes behind its tick; the other end is node_gateway.c.
 */
#ifndef PHX_TOOLS_NODE_FEED_H
#define PHX_TOOLS_NODE_FEED_H

#include "tools/client_feed.h"
#include "tools/node_host.h"

/* A common world's subjects: states, changes of lists, ids of walkers: a gateway asks for their whole lists. */
typedef enum phx_feed_kind { PHX_FEED_STATES, PHX_FEED_CHANGES, PHX_FEED_QUESTIONS } phx_feed_kind;

/* States are replaced by newer ones, the others are not. */
static inline phc_traffic phx_feed_traffic(phx_feed_kind kind)
{
    return kind == PHX_FEED_STATES ? PHC_HALO : PHC_CHANNEL;
}
void phx_feed_subject(const phx_node_job *job, phx_feed_kind kind, char subject[PHC_SUBJECT_MAX + 1]);

/* A node's end. */
typedef struct phx_node_feed {
    phc_transport transport; /* without functions where there is none */
    bool listens;
    phx_writer writer;                    /* within bytes: the message that is being written */
    unsigned char bytes[PHC_MESSAGE_MAX]; /* changes, or states, that go together */
} phx_node_feed;

/* Is a message in a format that this version does not read? It is counted there, and a line has the first one. */
bool phx_feed_is_foreign(const phx_node_host *host, const void *bytes, size_t size, uint64_t *count);
/* Questions that came: each walker that is own gets its whole list anew, which all gateways hear. Before the tick. */
void phx_node_feed_hear(phx_node_host *host, phx_node_feed *feed);
/*
 * The changes of a batch, numbered. One that is longer than a message goes as several, each with its number: the enters
 * of a whole list follow it. A message that is not taken is as a lost one.
 */
void phx_node_feed_tell(phx_node_host *host, phx_node_feed *feed, const ph_batch *batch);
/* All own walkers. A message that is not taken is lost: the next tick has newer states. */
void phx_node_feed_send(phx_node_host *host, phx_node_feed *feed);

#endif
