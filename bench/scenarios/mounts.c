/*
 * mounts: riders on mounts, and ships with crews on decks above decks, among
 * walkers. Attached entities get no commands of their own; riders get on and off all the
 * time.
 */
#include "base/rng.h"
#include "bench/scenarios/scenarios.h"

enum {
    RIDER_SHARE = 5,   /* one entity in so many sits on the one behind it */
    SHIP_SHARE = 1250, /* one in so many is a ship; the next SHIP_CREW are aboard */
    SHIP_CREW = 200,
    DECKS = 8,        /* one above the other, the first on the ship; the rest of the crew on one of them */
    CHANGE_SHARE = 50 /* one rider in so many gets on or off in a tick */
};

typedef enum part { WALKER, RIDER, SHIP, DECK, SAILOR } part;

/* The part that the entity plays; *parent: its parent's index, if attached. */
static part part_of(uint32_t index, uint32_t count, uint32_t *parent)
{
    uint32_t ship = index / SHIP_SHARE * SHIP_SHARE, aboard = index - ship;
    if (aboard <= SHIP_CREW && ship + SHIP_CREW < count) {
        /* no entity is attached to the top deck: that would be too deep */
        *parent = aboard <= DECKS ? index - 1 : ship + 1 + aboard % (DECKS - 1);
        return aboard == 0 ? SHIP : aboard <= DECKS ? DECK : SAILOR;
    }
    *parent = index + 1;
    return index % RIDER_SHARE == 0 && index + 1 < count && (index + 1) % SHIP_SHARE != 0 ? RIDER : WALKER;
}

static void change(bench_frame *frame, uint32_t child, uint32_t parent, bool on)
{
    const bench_other command = {
        .op = on ? BENCH_ATTACH : BENCH_DETACH, .id = (uint64_t)child + 1, .other = (uint64_t)parent + 1};
    bench_frame_other(frame, &command);
}

static void mounts_begin(bench_stream *stream, bench_frame *frame)
{
    uint32_t parent;
    for (uint32_t i = 0; i < stream->count; i++) {
        stream->positions[i] = bench_place(stream, &stream->world);
        bench_enter(stream, frame, i, 0);
    }
    for (uint32_t i = 0; i < stream->count; i++) {
        part is = part_of(i, stream->count, &parent);
        if (is == DECK || is == SAILOR) change(frame, i, parent, true);
    }
}

/* Each rider has its turn once in CHANGE_SHARE ticks: it gets on, the next time off. */
static bool has_turn(const bench_stream *stream, uint32_t index)
{
    return (index / RIDER_SHARE + stream->tick) % CHANGE_SHARE == 0;
}

static bool gets_on(const bench_stream *stream)
{
    return (stream->tick - 1) / CHANGE_SHARE % 2 == 0; /* of ticks 1 to CHANGE_SHARE each has one turn */
}

static void mounts_step(bench_stream *stream, bench_frame *frame)
{
    uint32_t parent;
    for (uint32_t i = 0; i < stream->count; i++) {
        part is = part_of(i, stream->count, &parent);
        if (is == RIDER && has_turn(stream, i)) change(frame, i, parent, gets_on(stream));
    }
    for (uint32_t i = 0; i < stream->count; i++) {
        part is = part_of(i, stream->count, &parent);
        if (is == WALKER || is == SHIP) bench_walk(stream, frame, i, &stream->world);
    }
}

static const char *const mounts_keys[] = {"view=100", NULL};

const bench_scenario bench_mounts = {
    .name = "mounts",
    .doc = "a market day with 2,000 riders on mounts and eight ships with a crew of 200 each; riders get on and off",
    .entities = 10000,
    .side = 3236,
    .side_step = 1,
    .ticks = 200,
    .warmup = 20,
    .rides = true,
    .keys = mounts_keys,
    .begin = mounts_begin,
    .step = mounts_step,
};
