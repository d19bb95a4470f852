/*
 * Shards wired by hand, without a thread: the steps of a tick one after the other, and
 * beside them the same world kept plainly, by brute force. Every fleet_end() compares the
 * two: places, copies, lists, and every published change. A call that has no memory
 * is made again with more, so a test only has to say when memory ends.
 */
#ifndef UNIT_SHARD_FLEET_H
#define UNIT_SHARD_FLEET_H

#include "unit/shards/shard_case.h"

#include "shards/entity/renames.h"
#include "shards/interest/scratch.h"
#include "world/table/partition.h"

enum { FLEET_SHARDS_MAX = 16, FLEET_IDS = 640, FLEET_SCRATCHES = 2 };

/* An entity as it is known to be. */
typedef struct fleet_entity {
    bool in;    /* the world */
    bool fresh; /* as an observer: it had no change yet */
    uint32_t incarnation;
    uint64_t user_data;
    phx_attr attr;
    float x, y, z;
} fleet_entity;

typedef struct fleet {
    phx_rules rules;
    phx_partition partition;
    phx_shard shard[FLEET_SHARDS_MAX];
    uint32_t shard_count;
    uint32_t pool_bytes; /* of each outbox */
    phx_halo_request zones[FLEET_SHARDS_MAX], zones_before[FLEET_SHARDS_MAX];
    phx_directory directory;
    phx_renames renames;
    phx_scratch scratch[FLEET_SCRATCHES];
    uint64_t tick;
    uint32_t incarnations;
    uint32_t piece; /* rows per run of the interest phase; 0 = all of a shard */

    bool scarce; /* after a stop there is only a little more memory, not enough for all that is to come */

    uint32_t stops;                   /* calls that had no memory, in all ticks */
    uint32_t rounds;                  /* of the last tick's exchanges, beyond the first of each */
    uint32_t blocks;                  /* sent in the last tick */
    uint32_t changes, enters, leaves; /* events of the last tick */
    uint32_t overflows;               /* of the changes, with lists that did not fit in place */
    uint32_t checked;                 /* runs with a delta or an evaluation: with pieces of 1, observers */

    fleet_entity entity[FLEET_IDS];              /* by id */
    uint32_t seen[FLEET_IDS][FLEET_IDS];         /* [observer][target]: incarnation, 0 = not seen */
    phx_relation relation[FLEET_IDS][FLEET_IDS]; /* [observer][target]; bits 0 = none */
} fleet;

/* The fleet is one of the process: it is large. */
fleet *fleet_open(phx_rules rules, uint32_t columns, uint32_t rows, uint32_t pool_blocks);
void fleet_close(fleet *f);

/* The next `calls` allocations succeed; the first call that stops then is made again with more. */
void fleet_memory_for(uint64_t calls);
void fleet_memory_enough(void);
uint64_t fleet_bytes(void);

/* A tick, with commands between the two. */
void fleet_begin(fleet *f);
void fleet_end(fleet *f);
/* Both, and no command. */
void fleet_tick(fleet *f);

void fleet_enter(fleet *f, uint64_t id, phx_attr attr, float x, float y);
void fleet_leave(fleet *f, uint64_t id);
void fleet_move(fleet *f, uint64_t id, float x, float y);
void fleet_fly(fleet *f, uint64_t id, float x, float y, float z);
void fleet_set(fleet *f, uint64_t id, phx_attr attr, uint64_t user_data);
/* bits 0 ends it. */
void fleet_relate(fleet *f, uint64_t observer, uint64_t target, uint32_t bits, float view);

/* Where an entity lives; and its slot in any shard, own or ghost, or PHX_SLOT_NONE. */
phx_shard *fleet_home(fleet *f, uint64_t id);
uint32_t fleet_slot(fleet *f, uint32_t shard, uint64_t id);
/* Rows among the first so many places of a shard's grid: the others are gaps. */
uint32_t fleet_rows(const phx_shard *shard, uint32_t places);
bool fleet_sees(const fleet *f, uint64_t observer, uint64_t target);
/* Work of all scratches since the beginning. */
phx_interest_counts fleet_counts(const fleet *f);

#endif
