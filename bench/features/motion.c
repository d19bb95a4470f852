/*
 * Features that change the moves of a tick, or the way in which they are submitted; see features.h. The table of
 * features has them in an order in which each finds what it needs: mounts first, ids last.
 */
#include "bench/features/choices.h"
#include "bench/features/features.h"

enum { CHANCE_JUMP = 2, CHANCE_TWICE, CHANCE_DASH };

enum {
    RIDER_SHARE = 20,   /* one entity in so many sits on the one before it */
    JUMP_SHARE = 2000,  /* one player in so many jumps in a tick, and back in the next */
    DASH_SHARE = 10000, /* one player in so many dashes in a tick, ... */
    DASH_LEAST = 20,    /* ... by so much, of a view of 100, ... */
    DASH_MORE = 30      /* ... or up to so much more */
};

static bool rides(uint32_t index)
{
    return index % RIDER_SHARE == 1;
}

void bench_mounts_begin(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        if (rides(i)) {
            const bench_other command = {.op = BENCH_ATTACH, .id = (uint64_t)i + 1, .other = i};
            bench_frame_other(frame, &command);
        }
    }
}

/* The riders' own moves fall away: they follow their mounts. */
void bench_mounts_step(bench_stream *stream, bench_frame *frame)
{
    uint32_t kept = 0;
    (void)stream;
    PHX_ASSERT(frame->span_count <= 1);
    for (uint32_t m = 0; m < frame->move_count; m++) {
        frame->move_ids[kept] = frame->move_ids[m];
        frame->move_positions[kept] = frame->move_positions[m];
        kept += !rides((uint32_t)frame->move_ids[m] - 1);
    }
    frame->move_count = kept;
    if (frame->span_count > 0) {
        frame->spans[0].count = kept;
        frame->span_count = kept > 0;
    }
}

void bench_jumps_step(bench_stream *stream, bench_frame *frame)
{
    uint32_t players = bench_stream_players(stream);
    for (uint32_t m = 0; m < frame->move_count; m++) {
        uint32_t index = (uint32_t)frame->move_ids[m] - 1;
        if (index < players && index % JUMP_SHARE == stream->tick % JUMP_SHARE) {
            frame->move_positions[m] = bench_chance_place(stream, CHANCE_JUMP, index, stream->tick);
        }
    }
}

/* How many times has it dashed by now, where each player has its turn in so many ticks? */
static uint64_t count_dashes(uint32_t index, uint64_t tick, uint64_t turn_ticks)
{
    return (tick - 1 + turn_ticks - index % turn_ticks) / turn_ticks;
}

/* From there on the scenario's walk goes on beside its own places, and behind a second dash in them again. */
void bench_dashes_step(bench_stream *stream, bench_frame *frame)
{
    const uint32_t players = bench_stream_players(stream);
    const uint64_t turn_ticks = players < DASH_SHARE ? players : DASH_SHARE;
    for (uint32_t m = 0; m < frame->move_count; m++) {
        const uint32_t index = (uint32_t)frame->move_ids[m] - 1;
        if (index >= players || count_dashes(index, stream->tick, turn_ticks) % 2 == 0) {
            continue;
        }
        ph_position *at = &frame->move_positions[m];
        const float length = DASH_LEAST + DASH_MORE * bench_chance(CHANCE_DASH, index, 0);
        const uint32_t way = (uint32_t)(4 * bench_chance(CHANCE_DASH, index, 1)); /* west, east, south, north */
        *(way < 2 ? &at->x : &at->y) += way % 2 == 0 ? -length : length;
        bench_reflect(at, &stream->world);
    }
}

/* The moves that are chosen go to a place beside the real one first. */
static void move_twice(bench_frame *frame, uint64_t tick, float share)
{
    uint32_t count = frame->move_count;
    for (uint32_t m = 0; m < count; m++) {
        uint64_t id = frame->move_ids[m];
        ph_position to = frame->move_positions[m];
        if (bench_chance(CHANCE_TWICE, (uint32_t)id, tick) < share) {
            frame->move_positions[m].x += 1;
            bench_frame_move(frame, id, to.x, to.y, to.z);
        }
    }
}

void bench_twice_step(bench_stream *stream, bench_frame *frame)
{
    move_twice(frame, stream->tick, 1);
}

void bench_twice_tenth_step(bench_stream *stream, bench_frame *frame)
{
    move_twice(frame, stream->tick, 0.1f);
}

void bench_singly_step(bench_stream *stream, bench_frame *frame)
{
    (void)stream;
    frame->singly = true;
}

/* From ids that run on to ids all over 64 bits; 0, which is no id, stays 0. */
static void map_ids(uint64_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ids[i] *= 0x9e3779b97f4a7c15u; /* odd: no two ids become the same */
    }
}

void bench_far_ids_map(bench_stream *stream, bench_frame *frame)
{
    (void)stream;
    map_ids(frame->enter_ids, frame->enter_count);
    map_ids(frame->leave_ids, frame->leave_count);
    map_ids(frame->move_ids, frame->move_count);
    map_ids(frame->say_ids, frame->say_count);
    for (uint32_t i = 0; i < frame->other_count; i++) {
        map_ids(&frame->others[i].id, 1);
        map_ids(&frame->others[i].other, 1);
    }
}
