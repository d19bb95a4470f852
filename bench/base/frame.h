/*
 * A frame: the commands of one tick, made by a scenario outside the timed part and
 * submitted by an engine inside it. Commands of one kind lie side by side, ready for the
 * bulk calls; the spans keep the order between the kinds.
 */
#ifndef PHX_BENCH_FRAME_H
#define PHX_BENCH_FRAME_H

#include <pharos/types.h>

#include "base/mem.h"

typedef enum bench_op {
    BENCH_ENTER,
    BENCH_LEAVE,
    BENCH_MOVE,
    BENCH_SAY,  /* a broadcast of BENCH_SAY_BYTES to all observers of the source */
    BENCH_OTHER /* one of bench_other_op: there is no bulk call for them */
} bench_op;

/* A line of chat. */
enum { BENCH_SAY_BYTES = 64 };

typedef enum bench_other_op {
    BENCH_SET,
    BENCH_PAIR,
    BENCH_UNPAIR,
    BENCH_LINK,
    BENCH_UNLINK,
    BENCH_HIDE,
    BENCH_UNHIDE,
    BENCH_REVEAL,
    BENCH_UNREVEAL,
    BENCH_ATTACH,
    BENCH_DETACH,
    BENCH_AREA /* id is the area's: a circle around attrs.x, attrs.y, as wide as attrs.reach */
} bench_other_op;

typedef struct bench_other {
    bench_other_op op;
    uint64_t id;
    uint64_t other; /* target or parent */
    ph_attrs attrs; /* set: the given attributes; pair: view and margin */
} bench_other;

/* `count` commands of one kind, from place `first` of that kind's arrays. */
typedef struct bench_span {
    bench_op op;
    uint32_t first;
    uint32_t count;
} bench_span;

typedef struct bench_frame {
    phx_mem *mem;
    uint64_t tick; /* counts in the event hash: 0 = the setup; a trace's own number */
    bench_span *spans;
    uint64_t *enter_ids;
    ph_attrs *enter_attrs;
    uint64_t *leave_ids;
    uint64_t *move_ids;
    ph_position *move_positions;
    uint64_t *say_ids;
    float say_radius; /* of this frame's broadcasts: 0 = lists decide, else observers within it */
    bool singly;      /* moves are submitted one by one, not in bulk */
    bench_other *others;
    uint32_t span_count, enter_count, leave_count, move_count, say_count, other_count;
    uint32_t span_room, enter_ids_room, enter_attrs_room, leave_room;
    uint32_t move_ids_room, move_positions_room, say_room, other_room;
} bench_frame;

void bench_frame_init(bench_frame *frame, phx_mem *mem);
void bench_frame_free(bench_frame *frame);
/* Empties it for this tick; keeps its memory. */
void bench_frame_begin(bench_frame *frame, uint64_t tick);

void bench_frame_enter(bench_frame *frame, uint64_t id, const ph_attrs *attrs);
void bench_frame_leave(bench_frame *frame, uint64_t id);
void bench_frame_move(bench_frame *frame, uint64_t id, float x, float y, float z);
void bench_frame_say(bench_frame *frame, uint64_t id);
void bench_frame_other(bench_frame *frame, const bench_other *command);

#endif
