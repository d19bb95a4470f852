/*
 * world/queue/join_moves.c: single moves come as columns of as few runs as may be, with their numbers, whatever stands
 * between them; also when the reader goes back, reads a part, or has read some of them apart before.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "base/rng.h"
#include "support/watched_memory.h"
#include "world/queue/commands.h"
#include "world/queue/join_moves.h"

enum { MOVES_MAX = 1 << 14, JOINED_MOST = 128, OTHER_OP = PHX_OP_LEAVE };

typedef struct item {
    uint16_t op; /* OTHER_OP: a command between */
    uint64_t id, sequence;
    ph_position to;
} item;

static watched_memory watched;
static phx_mem mem;
static phx_command_queue *q;
static item items[MOVES_MAX]; /* as published */
static uint32_t written, read_to, released;
static uint64_t sequence, random_state;

static void set_up(void)
{
    watched_memory_init(&watched);
    phx_mem_init(&mem, watched_memory_allocator(&watched));
    q = phx_command_queue_create(&mem, 8 * (uint32_t)PHX_COMMAND_QUEUE_BLOCK_BYTES);
    cr_assert_not_null(q);
    written = read_to = released = 0;
    sequence = 0;
    random_state = 7;
}

static void tear_down(void)
{
    phx_command_queue_destroy(q);
    watched_memory_all_back(&watched);
}

TestSuite(join_moves, .init = set_up, .fini = tear_down);

static void put_item(item one)
{
    const uint32_t bytes = one.op == OTHER_OP ? sizeof one.id : phx_move_bytes(one.op);
    ph_status status;
    void *record = phx_command_queue_reserve_one(q, one.op, bytes, one.sequence, &status);
    cr_assert_not_null(record);
    if (one.op == OTHER_OP) {
        memcpy(record, &one.id, bytes);
    } else {
        const phx_moves to = phx_moves_at(record, one.op, 1);
        *to.places = (phx_place){one.to.x, one.to.y};
        if (to.wide) *to.wide = one.id;
        else *to.narrow = (uint32_t)one.id;
        if (to.z) *to.z = one.to.z;
    }
    phx_command_queue_publish(q, 1);
    cr_assert_lt(written, MOVES_MAX);
    items[written++] = one;
}

static item move_of(uint16_t bits)
{
    const uint64_t n = 1 + phx_rng_below(&random_state, 1000);
    return (item){.op = (uint16_t)(PHX_OP_MOVE | bits),
                  .id = bits & PHX_MOVES_WIDE ? n << 33 : n,
                  .sequence = ++sequence,
                  .to = {(float)written, (float)(written * 2), bits & PHX_MOVES_HIGH ? 1.0f + (float)written : 0.0f}};
}

/* The next run, joined or as it is. Returns its count, 0 at the end. */
static uint32_t take(bool joined)
{
    phx_command_run run;
    if (!phx_command_queue_next(q, &run)) return 0;
    if (joined) phx_join_moves(q, &run);
    cr_assert_leq(run.count, JOINED_MOST);
    for (uint32_t i = 0; i < run.count; i++, read_to++) {
        const item *expected = &items[read_to];
        cr_assert_lt(read_to, written);
        cr_assert_eq(run.op, expected->op);
        cr_assert_eq(run.sequence_first + i, expected->sequence);
        if (run.op == OTHER_OP) continue;
        const phx_moves moves = phx_moves_of(&run);
        const ph_position to = phx_moves_position(&moves, i);
        cr_assert_eq(phx_moves_id(&moves, i), expected->id);
        cr_assert(to.x == expected->to.x && to.y == expected->to.y && to.z == expected->to.z);
    }
    return run.count;
}

Test(join_moves, alike_ones_of_a_block_are_one_run)
{
    static const uint16_t bits[] = {0, PHX_MOVES_WIDE, PHX_MOVES_HIGH, PHX_MOVES_WIDE | PHX_MOVES_HIGH};
    for (size_t b = 0; b < sizeof bits / sizeof *bits; b++) {
        for (int i = 0; i < JOINED_MOST + 20; i++) put_item(move_of(bits[b]));
        if (b % 2) sequence++; /* a refused one */
        put_item(move_of(bits[b]));
    }
    phx_command_queue_snapshot(q);
    uint32_t counts[64] = {0}, runs = 0;
    while ((counts[runs] = take(true)) > 0) runs++;
    cr_assert_eq(read_to, written);
    /* of the first small blocks the ends are more runs; behind them each kind has a full run and its rest */
    cr_assert_leq(runs, 4 * 3 + 4, "%u runs", runs);
    phx_command_queue_release(q);
    cr_assert_eq(phx_command_queue_count(q).released, written);
}

static void random_item(void)
{
    static uint16_t bits;
    if (phx_rng_below(&random_state, 20) == 0)
        bits = (uint16_t)(phx_rng_below(&random_state, 4) * (uint32_t)PHX_MOVES_WIDE);
    if (phx_rng_below(&random_state, 40) == 0) sequence++;
    if (phx_rng_below(&random_state, 25) == 0) put_item((item){.op = OTHER_OP, .id = 5, .sequence = ++sequence});
    else put_item(move_of(bits));
}

Test(join_moves, in_any_order_of_reading)
{
    while (written + 400 < MOVES_MAX) {
        for (uint32_t i = phx_rng_below(&random_state, 400); i > 0; i--) random_item();
        phx_command_queue_snapshot(q);
        for (uint32_t i = phx_rng_below(&random_state, 60); i > 0; i--) {
            if (phx_rng_below(&random_state, 12) > 0) {
                (void)take(phx_rng_below(&random_state, 4) > 0);
                continue;
            }
            phx_command_queue_rewind(q);
            read_to = released;
        }
        phx_command_queue_release(q);
        released = read_to;
        cr_assert_eq(phx_command_queue_count(q).released, released);
    }
    phx_command_queue_snapshot(q);
    while (take(true) > 0) continue;
    phx_command_queue_release(q);
    cr_assert_eq(read_to, written);
}
