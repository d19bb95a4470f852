/*
 * veil: walk-100k in parties of ten. The first of each party is veiled and revealed to three of the others, as quest
 * NPCs and private loot are. Lines of sight change: in every tick one entity in forty no longer sees another one of its
 * party, and a pair hidden for ten ticks is unhidden. With 100,000 entities 5,000 hides change a tick.
 */
#include "bench/scenarios/scenarios.h"

enum { PARTY = 10, FRIENDS = 3, HIDE_SHARE = 40, HIDDEN_TICKS = 10 };

#define PARTY_SPREAD 60.0f /* a party begins within so much of its first, along each axis */

static void command(bench_frame *frame, bench_other_op op, uint32_t observer, uint32_t target)
{
    const bench_other other = {.op = op, .id = (uint64_t)observer + 1, .other = (uint64_t)target + 1};
    bench_frame_other(frame, &other);
}

static void veil_begin(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        ph_position *position = &stream->positions[i];
        const ph_position first = stream->positions[i - i % PARTY];
        *position = bench_place(stream, &stream->world);
        if (i % PARTY != 0) {
            position->x = first.x + bench_uniform(stream, -PARTY_SPREAD, PARTY_SPREAD);
            position->y = first.y + bench_uniform(stream, -PARTY_SPREAD, PARTY_SPREAD);
            bench_reflect(position, &stream->world);
        }
        const ph_attrs attrs = {.given = PH_POSITION | PH_VEILED | PH_CONSUMER,
                                .x = position->x,
                                .y = position->y,
                                .consumer = i % ph_config_def(stream->config)->consumers,
                                .veiled = i % PARTY == 0};
        bench_frame_enter(frame, (uint64_t)i + 1, &attrs);
    }
    for (uint32_t i = 0; i < stream->count; i++)
        if (i % PARTY > 0 && i % PARTY <= FRIENDS) command(frame, BENCH_REVEAL, i, i - i % PARTY);
}

/* The pairs of one tick: entities all over the world, so that no entity is in two of the last ticks' pairs. */
static void change_lines(bench_stream *stream, bench_frame *frame, bench_other_op op, uint64_t tick)
{
    const uint32_t last = stream->count / PARTY * PARTY; /* of full parties */
    for (uint32_t i = (uint32_t)(tick % HIDE_SHARE); i < last; i += HIDE_SHARE) {
        const uint32_t first = i - i % PARTY;
        command(frame, op, i, first + (i + 1 + (uint32_t)(tick / HIDE_SHARE) % (PARTY - 1)) % PARTY);
    }
}

static void veil_step(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) bench_walk(stream, frame, i, &stream->world);
    change_lines(stream, frame, BENCH_HIDE, stream->tick);
    if (stream->tick > HIDDEN_TICKS) change_lines(stream, frame, BENCH_UNHIDE, stream->tick - HIDDEN_TICKS);
}

static const char *const veil_keys[] = {"view=100", NULL};

const bench_scenario bench_veil = {
    .name = "veil",
    .doc = "walk-100k in parties, one in ten veiled and revealed to three; 5,000 hides change in a tick",
    .entities = 100000,
    .side = 30000,
    .side_step = 1,
    .ticks = 50,
    .warmup = 12,
    .veils = true,
    .keys = veil_keys,
    .begin = veil_begin,
    .step = veil_step,
};
