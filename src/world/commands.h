/*
 * Commands as they lie in a producer's queue: one operation and one record type per run
 * (cmdq.h). Written by submit.c on the producer's thread, read by ingest.c in the tick.
 *
 * Records lie one after the other, each begins with the id that it is about; but moves,
 * which are most of what a world is told, lie as two columns, ids and positions: as they
 * come from the caller, and without padding.
 */
#ifndef PHX_WORLD_COMMANDS_H
#define PHX_WORLD_COMMANDS_H

#include <pharos/types.h>

typedef enum phx_op {
    PHX_OP_ENTER = 1, /* phx_cmd_attrs */
    PHX_OP_LEAVE,     /* phx_cmd_id */
    PHX_OP_MOVE,      /* PHX_MOVE_BYTES each: phx_moves */
    PHX_OP_SET,       /* phx_cmd_attrs */
    PHX_OP_PAIR,      /* phx_cmd_two; also those below but DETACH (phx_cmd_id) */
    PHX_OP_UNPAIR,
    PHX_OP_LINK,
    PHX_OP_UNLINK,
    PHX_OP_ATTACH,
    PHX_OP_DETACH,
    PHX_OP_BROADCAST, /* phx_cmd_broadcast, and its payload: a run of its own */
    PHX_OP_AREA_SET,  /* phx_cmd_area */
    PHX_OP_AREA_REMOVE /* phx_cmd_id */
} phx_op;

typedef struct phx_cmd_id {
    uint64_t id;
} phx_cmd_id;

/* The columns of a run of moves. */
typedef struct phx_moves {
    const uint64_t *ids;
    const ph_position *positions;
} phx_moves;

enum { PHX_MOVE_BYTES = sizeof(uint64_t) + sizeof(ph_position) };

static inline phx_moves phx_moves_at(const void *records, uint32_t count)
{
    const uint64_t *ids = records;
    return (phx_moves){.ids = ids, .positions = (const ph_position *)(const void *)(ids + count)};
}

typedef struct phx_cmd_attrs {
    uint64_t id;
    ph_attrs attrs;
} phx_cmd_attrs;

typedef struct phx_cmd_area {
    uint64_t id;
    ph_area area;
} phx_cmd_area;

typedef struct phx_cmd_two {
    uint64_t id, other;
    float view, margin;
} phx_cmd_two;

typedef struct phx_cmd_broadcast {
    uint64_t id;
    uint32_t bytes; /* of the payload, which begins behind this struct */
    uint16_t flags; /* PH_BROADCAST_... */
    uint16_t kind_count;
    uint16_t kinds[PH_BROADCAST_KINDS_MAX];
} phx_cmd_broadcast;

static inline const void *phx_cmd_payload(const phx_cmd_broadcast *command)
{
    return command + 1;
}

/* Of the observers of this kind? */
static inline bool phx_cmd_for_kind(const phx_cmd_broadcast *command, uint16_t kind)
{
    for (uint32_t i = 0; i < command->kind_count; i++)
        if (command->kinds[i] == kind) return true;
    return command->kind_count == 0;
}

#endif
