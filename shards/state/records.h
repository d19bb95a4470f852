/*
 * Records between shards: plain data of one size, without pointers and without slots of the sender, in blocks of 4 KiB.
 *
 *   - Migration: MIGRANT, then the entity's RELATION records; with bands MOTION_HISTORY and DEFERRED_UPDATES, in order;
 * AWAKE if it is an awake NPC; AREAS for the areas that it is in. Its list is beside the blocks (phx_outbox.lists): it
 * can be as long as the shard has slots, and the receiver mostly finds that its own rows give the same list.
 *   - Halo: BEGIN, then a COPY for every entity that the receiver may need, with a MOTION_HISTORY behind it if the
 * entity moved lately. A ghost that is not repeated after a BEGIN is gone.
 *   - PIN asks the owner of an entity to send a copy at any distance.
 *
 * Written in the exchange phase by the sender's worker, read one barrier later by the receiver's worker.
 */
#ifndef PHX_SHARDS_STATE_RECORDS_H
#define PHX_SHARDS_STATE_RECORDS_H

#include "shards/entity/visibility.h"

typedef enum phx_record_type {
    PHX_RECORD_MIGRANT = 1,
    PHX_RECORD_RELATION,
    PHX_RECORD_PIN,
    PHX_RECORD_BEGIN,
    PHX_RECORD_COPY,
    PHX_RECORD_AWAKE,
    PHX_RECORD_AREAS,
    PHX_RECORD_MOTION_HISTORY,
    PHX_RECORD_DEFERRED_UPDATES
} phx_record_type;

typedef struct phx_entity_record {
    uint64_t user_data;
    phx_attr attr;
    float x, y, z;
    uint32_t incarnation;
    /* of MIGRANT alone: */
    uint32_t list_first; /* where its list begins in the outbox's lists */
    uint32_t list_count : 30;
    uint32_t fresh : 1; /* phx_name.fresh */
    uint32_t owed : 1;  /* phx_list.owed */
} phx_entity_record;

/* A target in a migrating observer's list: enough for its leave, even if the receiver does not have the target. */
typedef struct phx_list_record {
    uint64_t id;
    uint64_t user_data;
    uint32_t incarnation;
    uint16_t kind;
    uint16_t reserved;
} phx_list_record;

/* As phx_motion_history (update_bands.h). */
typedef struct phx_motion_record {
    float x, y, z;
    uint32_t moved;
    uint16_t kind;
    uint16_t reserved;
} phx_motion_record;

/* A target with a deferred update, since the tick in which the update was due. */
typedef struct phx_deferred_update {
    uint64_t id;
    uint32_t incarnation;
    uint32_t since;
} phx_deferred_update;

enum { PHX_RECORD_ITEMS = 3, PHX_RECORD_AREA_ITEMS = 9, PHX_RECORD_BLOCK_BYTES = 4096 };

typedef struct phx_record {
    uint64_t id;     /* the entity; of RELATION and DEFERRED_UPDATES: the observer */
    uint8_t type;    /* phx_record_type */
    uint8_t count;   /* items used of RELATION, DEFERRED_UPDATES, AREAS */
    uint16_t source; /* shard that sends */
    uint32_t
        slot; /* PIN: the entity's slot at the receiver; COPY: 1 if a pin asked for it; AREAS: number of areas in all */
    union {
        phx_entity_record entity;
        phx_relation relations[PHX_RECORD_ITEMS];
        uint64_t areas[PHX_RECORD_AREA_ITEMS]; /* AREAS: ids, in the order of their table */
        uint64_t alone_since;                  /* AWAKE: the first tick without a waker near, or 0 */
        phx_motion_record history;
        phx_deferred_update waiting[PHX_RECORD_ITEMS];
    } as;
} phx_record;

enum { PHX_RECORD_BLOCK_RECORDS = (PHX_RECORD_BLOCK_BYTES - 8) / sizeof(phx_record) };

typedef struct phx_record_block {
    uint16_t destination;
    uint16_t count;
    uint32_t next; /* number + 1 of the destination's next block; of the last block: of the first */
    phx_record records[PHX_RECORD_BLOCK_RECORDS];
} phx_record_block;

_Static_assert(sizeof(phx_record_block) <= PHX_RECORD_BLOCK_BYTES, "a block is one page at most");

#endif
