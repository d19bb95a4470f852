/*
 * Types of broadcasts (publish/broadcasts.h): messages, sources, pieces of work, and the results of each worker.
 * Written in the ingest and publish phases.
 */
#ifndef PHX_WORLD_STATE_BROADCAST_TYPES_H
#define PHX_WORLD_STATE_BROADCAST_TYPES_H

#include "base/core.h"
#include "shards/publish/recipients.h"
#include "world/batch/batch_broadcasts.h"
#include "world/queue/commands.h"
#include "world/table/relation_index.h"

/* One broadcast; messages are in the order of the commands. */
typedef struct phx_message {
    const phx_command_broadcast *command; /* in its producer's block, which stays until the tick's end; NULL: kept */
    uint32_t kept_first;                  /* of an apply, whose blocks go back at once: where its copy begins */
    uint64_t sequence;                    /* of the command, as `producer` */
    uint32_t producer;
    uint32_t source; /* place in sources; PHX_SLOT_NONE: it comes from a place */
    uint32_t bytes;  /* copies of the command's fields, whose memory is cold */
    bool self, filtered;
    bool ranged; /* `range` decides, not lists; its place and layers: once the source is located */
    phx_broadcast_range range;
} phx_message;

/* An incarnation that broadcast in this tick. */
typedef struct phx_source {
    uint64_t id;
    uint32_t incarnation;
    uint32_t shard, slot;                  /* its home at the tick's end; shard PHX_SLOT_NONE: the incarnation left */
    bool far;                              /* may be seen beyond views: global, reach, pair, link */
    const phx_relation_observers *related; /* observers with a relation to it and none back, or NULL */
    const phx_relation_set *relations;     /* its own, or NULL: of the targets some have one back */
} phx_source;

/* The messages of one observer: numbers of messages in the scratch's heard[]. */
typedef struct phx_recipient {
    uint32_t slot;
    uint32_t consumer; /* of the observer */
    uint32_t first, count;
} phx_recipient;

/* Some places of one block that is called. */
typedef struct phx_broadcast_piece {
    uint32_t shard, block;
    uint32_t first, count; /* places */
    uint32_t worker;       /* worker with the results in its scratch; PHX_SLOT_NONE = not done */
    uint32_t recipient_first, recipient_count;
    uint64_t ns; /* its workers' time */
} phx_broadcast_piece;

/* Places of the piece at hand that receive one message: the next `count` in the scratch's hit_places. */
typedef struct phx_message_hits {
    uint32_t message, count;
} phx_message_hits;

/* Some messages in the order of their commands, for one shard. */
typedef struct phx_address_part {
    uint32_t worker; /* with the results in its `addressed`, from `first` on */
    uint32_t first;
    uint64_t ns; /* the worker's time */
} phx_address_part;

/* One worker's scratch: memory that is kept, and the results of its pieces. */
typedef struct phx_broadcast_scratch {
    phx_addressed addressed;
    uint32_t *near; /* of one piece: its block messages, by number; as the next fields */
    phx_message_hits *hits;
    uint32_t *hit_places;
    phx_recipient *recipients;
    uint32_t *heard;
    uint64_t *used;            /* [consumer]: a bit for each message that an observer of it receives */
    phx_listed_sources listed; /* of the piece at hand */
    uint32_t near_capacity, hits_capacity, hit_places_capacity, recipients_capacity, heard_capacity, used_capacity;
    uint32_t recipient_count, heard_count;
} __attribute__((aligned(PHX_CACHE_LINE))) phx_broadcast_scratch;

/* A piece's part of a consumer's broadcasts: its size, and its place. */
typedef struct phx_batch_broadcasts_share {
    uint32_t deliveries, heard;
    uint32_t delivery_at, heard_at;
} phx_batch_broadcasts_share;

typedef struct phx_broadcasts {
    phx_message *messages;
    phx_source *sources;
    phx_idmap index; /* incarnation + 1 -> place in sources */
    uint32_t message_count, messages_capacity;
    uint32_t source_count, sources_capacity;
    uint64_t payload_bytes; /* of the tick's broadcasts so far */
    uint64_t *kept;         /* commands of the tick's applies, one behind the other */
    uint32_t kept_count, kept_capacity;
    phx_high_water kept_use;
    phx_address_part *address_parts; /* [shard][part] */
    phx_addressed_run *runs;         /* [shard][part]: its block messages */
    uint32_t parts;                  /* of each shard, in this tick */
    uint32_t address_parts_capacity, runs_capacity;
    phx_recipients *shard_recipients; /* one per shard */
    phx_broadcast_scratch *scratches; /* one per worker */
    phx_broadcast_piece *pieces;
    uint32_t piece_count, pieces_capacity;
    phx_batch_broadcasts_share *shares; /* [piece][consumer] */
    uint32_t shares_capacity;
    phx_batch_broadcasts_size *sizes; /* [consumer]: sizes of this tick, once planned */
    uint32_t *places;                 /* [consumer][message]: place of a used message in the consumer's broadcasts */
    uint32_t places_capacity;
} phx_broadcasts;

/* A message's command with its payload; once the tick has ingested all. */
static inline const phx_command_broadcast *phx_message_command(const phx_broadcasts *broadcasts,
                                                               const phx_message *message)
{
    if (message->command) return message->command;
    return (const phx_command_broadcast *)(const void *)(broadcasts->kept + message->kept_first);
}

#endif
