/*
 * Commands as bytes of a record: runs as they lie in the queues where a run has no padding (moves in columns, ids,
 * pairs of ids, broadcasts), else field by field (attributes that are given, areas). At the end of an apply or at the
 * tick's end, a run by any worker.
 *
 *   run      u16 operation, with the bits of moves; u16 0; u32 count; u64 bytes of the commands, a multiple of 8
 *   attrs    u64 id; u32 given; u32 bytes of the fields; the given fields in the order of PHX_ATTR_FIELDS; zeros
 *   area     the fields of its table in an image; zeros
 *   others   as in world/queue/commands.h
 */
#ifndef PHX_WORLD_JOURNAL_PACK_H
#define PHX_WORLD_JOURNAL_PACK_H

#include "world/state/world.h"

/* X(bit, type, field): all attributes that a command can give. */
#define PHX_ATTR_FIELDS(X) \
    X(PH_X, float, x) \
    X(PH_Y, float, y) \
    X(PH_Z, float, z) \
    X(PH_KIND, uint32_t, kind) \
    X(PH_VIEW, float, view) \
    X(PH_MARGIN, float, margin) \
    X(PH_REACH, float, reach) \
    X(PH_LAYERS, uint64_t, layers) \
    X(PH_SEES, uint64_t, sees) \
    X(PH_STEALTH, uint8_t, stealth) \
    X(PH_DETECT, uint8_t, detect) \
    X(PH_GLOBAL, bool, global) \
    X(PH_READY, bool, ready) \
    X(PH_CAP, uint32_t, cap) \
    X(PH_PRIORITY, uint8_t, priority) \
    X(PH_USER_DATA, uint64_t, user_data) \
    X(PH_CONSUMER, uint32_t, consumer) \
    X(PH_VISIBLE, float, visible) \
    X(PH_VEILED, bool, veiled) \
    X(PH_INSTANCE, uint32_t, instance) \
    X(PH_REMOTE, bool, remote)

typedef struct phx_packed_run {
    uint16_t op, zero;
    uint32_t count;
    uint64_t bytes;
} phx_packed_run;

typedef struct phx_packed_attrs {
    uint64_t id;
    uint32_t given, bytes;
} phx_packed_attrs;

static inline size_t phx_pack_round(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/* The bytes of one area. */
size_t phx_pack_area_bytes(void);

/* The bytes of a run in a record, with its head. */
size_t phx_pack_bytes(const phx_command_run *run);
/* Writes it; returns the byte behind it. far: this CPU does not read these bytes again. */
unsigned char *phx_pack_run(unsigned char *to, const phx_command_run *run, bool far);

#endif
