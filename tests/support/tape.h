/*
 * A journal in memory: the records of a world, one after the other, with the world's hash behind each tick. And the
 * play of a script that is recorded.
 */
#ifndef SUPPORT_TAPE_H
#define SUPPORT_TAPE_H

#include <pharos/pharos.h>
#include <pharos/save.h>

#include "support/script.h"

typedef struct tape_record {
    uint64_t *bytes; /* 8-byte aligned */
    size_t size;
    uint64_t tick;
    uint64_t hash; /* of the world behind it; 0 = of an apply, or not asked for */
    bool done, whole;
} tape_record;

typedef struct tape {
    VEC(tape_record) records;
    bool unsummed; /* the tape writes the sums, not the world */
} tape;

/* The hooks that record on a tape. */
ph_journal tape_journal(tape *to);
void tape_free(tape *t);

/* A world of a script with its journal on a tape, while the steps are played. */
typedef struct tape_player {
    ph_world world;
    ph_producer producers[SCRIPT_PRODUCERS_MAX];
    ph_consumer consumers[SCRIPT_CONSUMERS_MAX];
    ph_world_def def;
    ph_class classes[SCRIPT_CLASSES_MAX];
    uint64_t ticks;
    size_t next; /* steps before it are played */
} tape_player;

/* Makes the world; consumers are opened. */
void tape_begin(tape_player *player, const script *s, tape *to);
/* Plays one step; behind a tick, the tape's last record gets the world's hash. Consumers take batches now and then. */
void tape_play(tape_player *player, const script *s, size_t step, tape *to);
void tape_end(tape_player *player);

#endif
