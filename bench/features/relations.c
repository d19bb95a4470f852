/*
 * Features of pairs of entities: parties that are linked, radii of a pair's own, lines of sight, and veils that are
 * lifted; see features.h.
 */
#include "bench/features/features.h"

enum {
    PARTY = 5,
    TENTH = 10,
    HIDE_SHARE = 20,  /* one player in so many loses sight of another one in a tick */
    HIDDEN_TICKS = 5, /* and sees it again so much later */
    VEIL_SHARE = 100, /* one entity in so many is veiled, ... */
    FRIENDS = 3       /* ... but for so many behind it */
};

static void command(bench_frame *frame, bench_other_op op, uint32_t observer, uint32_t target)
{
    const bench_other other = {
        .op = op, .id = (uint64_t)observer + 1, .other = (uint64_t)target + 1, .attrs = {.view = 200, .margin = 20}};
    bench_frame_other(frame, &other);
}

/* Every player of one party in `share` to all others of it. */
static void link_parties(bench_stream *stream, bench_frame *frame, uint32_t share)
{
    uint32_t players = bench_stream_players(stream);
    for (uint32_t i = 0; i < players; i++) {
        uint32_t first = i - i % PARTY;
        for (uint32_t k = 1; i / PARTY % share == 0 && k < PARTY; k++) {
            uint32_t other = first + (i + k) % PARTY;
            if (other < players) {
                command(frame, BENCH_LINK, i, other);
            }
        }
    }
}

void bench_links_begin(bench_stream *stream, bench_frame *frame)
{
    link_parties(stream, frame, 1);
}

void bench_links_tenth_begin(bench_stream *stream, bench_frame *frame)
{
    link_parties(stream, frame, TENTH);
}

void bench_pairs_begin(bench_stream *stream, bench_frame *frame)
{
    uint32_t players = bench_stream_players(stream);
    for (uint32_t i = 0; i + 1 < players; i += TENTH) {
        command(frame, BENCH_PAIR, i, i + 1);
    }
}

/* The pairs of one tick; the player in sight is another one in each tick in which an observer has its turn. */
static void change_lines(bench_stream *stream, bench_frame *frame, bench_other_op op, uint64_t tick)
{
    uint32_t players = bench_stream_players(stream);
    for (uint32_t i = (uint32_t)(tick % HIDE_SHARE); i < players; i += HIDE_SHARE) {
        uint32_t target = (i + 1 + (uint32_t)(tick / HIDE_SHARE)) % players;
        if (target != i) {
            command(frame, op, i, target);
        }
    }
}

void bench_hides_step(bench_stream *stream, bench_frame *frame)
{
    change_lines(stream, frame, BENCH_HIDE, stream->tick);
    if (stream->tick > HIDDEN_TICKS) {
        change_lines(stream, frame, BENCH_UNHIDE, stream->tick - HIDDEN_TICKS);
    }
}

void bench_veils_begin(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i += VEIL_SHARE) {
        for (uint32_t k = 1; k <= FRIENDS && i + k < stream->count; k++) {
            command(frame, BENCH_REVEAL, i + k, i);
        }
    }
}
