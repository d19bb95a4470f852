/*
 * Commands in a producer's queue: one operation and one record type per run (command_queue.h). Written by
 * ingest/submit.c on the producer's thread, read by ingest/ingest.c in the ingest phase.
 *
 * Records are side by side, and each begins with the id of its entity. Moves, which are most commands of a world, are
 * columns, each as narrow as possible: ids below 2^32 take half the room, and if every z is 0 there is no column of z.
 * So a move takes 12 to 20 bytes.
 */
#ifndef PHX_WORLD_QUEUE_COMMANDS_H
#define PHX_WORLD_QUEUE_COMMANDS_H

#include "shards/entity/visibility.h"
#include "world/queue/command_queue.h"

/*
 * The numbers of ph_command. Records: phx_command_attrs of ENTER and SET; phx_moves of MOVE, with the bits of its
 * columns; phx_command_broadcast and its payload of BROADCAST, a run of its own, also from a place (BROADCAST_AT is in
 * refusals alone); phx_command_import and its capsule of IMPORT, a run of its own too; phx_command_area of AREA_SET;
 * phx_command_id of LEAVE, DETACH, RESEND and AREA_REMOVE;
 * phx_command_two_ids of all others.
 */
typedef enum phx_op {
#define PHX_OP_ENUM(name, number, call) PHX_OP_##name = number,
    PH_COMMAND_LIST(PHX_OP_ENUM)
#undef PHX_OP_ENUM
} phx_op;

typedef struct phx_command_id {
    uint64_t id;
} phx_command_id;

/* Bits in the operation of a run of moves. */
enum {
    PHX_MOVES_WIDE = 1u << 8, /* an id is 2^32 or more */
    PHX_MOVES_HIGH = 1u << 9, /* a z is not 0 */
    PHX_OP_BITS = PHX_MOVES_WIDE - 1
};

enum { PHX_MOVE_WORDS_MAX = 3 }; /* of 8 bytes, for one move with all columns */

/* The columns of a run of moves; columns of 8 bytes come first. */
typedef struct phx_moves {
    uint64_t *wide; /* ids; NULL: they are in the narrow column */
    phx_place *places;
    uint32_t *narrow;
    float *z; /* NULL: every z is 0 */
} phx_moves;

static inline bool phx_op_moves(uint32_t op)
{
    return (op & PHX_OP_BITS) == PHX_OP_MOVE;
}

/* In moves, which are cheap; each other command marks a discontinuity, or costs as much. */
enum { PHX_OTHER_COMMAND_WORK = 8 };

/* The work of a run, in moves. */
static inline uint64_t phx_command_run_work(const phx_command_run *run)
{
    return (uint64_t)run->count * (phx_op_moves(run->op) ? 1 : PHX_OTHER_COMMAND_WORK);
}

static inline uint32_t phx_move_bytes(uint32_t op)
{
    uint32_t id = op & PHX_MOVES_WIDE ? sizeof(uint64_t) : sizeof(uint32_t);
    return id + (uint32_t)(sizeof(phx_place) + (op & PHX_MOVES_HIGH ? sizeof(float) : 0));
}

static inline phx_moves phx_moves_at(void *records, uint32_t op, uint32_t count)
{
    PHX_ASSERT(records);
    phx_moves moves = {.wide = op & PHX_MOVES_WIDE ? records : NULL};
    moves.places = (phx_place *)(void *)((char *)records + (moves.wide ? count * sizeof *moves.wide : 0));
    uint32_t *next = (uint32_t *)(void *)(moves.places + count);
    moves.narrow = moves.wide ? NULL : next;
    if (moves.narrow) next += count;
    moves.z = op & PHX_MOVES_HIGH ? (float *)(void *)next : NULL;
    return moves;
}

static inline phx_moves phx_moves_of(const phx_command_run *run)
{
    return phx_moves_at((void *)(uintptr_t)run->records, run->op, run->count);
}

static inline uint64_t phx_moves_id(const phx_moves *moves, uint32_t i)
{
    return moves->wide ? moves->wide[i] : moves->narrow[i];
}

static inline ph_position phx_moves_position(const phx_moves *moves, uint32_t i)
{
    return (ph_position){moves->places[i].x, moves->places[i].y, moves->z ? moves->z[i] : 0.0f};
}

typedef struct phx_command_attrs {
    uint64_t id;
    ph_attrs attrs;
} phx_command_attrs;

typedef struct phx_command_area {
    uint64_t id;
    ph_area area;
} phx_command_area;

typedef struct phx_command_two_ids {
    uint64_t id, other;
    float view, margin;
} phx_command_two_ids;

typedef struct phx_command_broadcast {
    uint64_t id;    /* 0: from a place */
    uint32_t bytes; /* of the payload, which begins behind this struct */
    uint16_t flags; /* PH_BROADCAST_... */
    uint16_t kind_count;
    uint16_t kinds[PH_BROADCAST_KINDS_MAX];
    uint64_t layers;    /* of a place, as x and y */
    float x, y, radius; /* radius of an entity's: 0 = lists decide */
    uint32_t instance;  /* of a place */
} phx_command_broadcast;

/* A capsule (queue/capsule.h) that is sound begins behind this struct. */
typedef struct phx_command_import {
    uint64_t id; /* of the family's root */
    uint32_t bytes, zero;
} phx_command_import;

static inline const void *phx_command_payload(const phx_command_broadcast *command)
{
    return command + 1;
}

/* Is the broadcast for observers of this kind? */
static inline bool phx_command_is_for_kind(const phx_command_broadcast *command, uint16_t kind)
{
    for (uint32_t i = 0; i < command->kind_count; i++)
        if (command->kinds[i] == kind) return true;
    return command->kind_count == 0;
}

#endif
