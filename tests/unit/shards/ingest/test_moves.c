/*
 * shards/ingest/moves.c: many moves at once leave shards as the same moves one by one do, to the
 * last bit and mark, also when they are dealt out by slot to several hands, or of several
 * shards by turns. Two sets of shards that are alike get the same moves, one each way.
 */
#include "unit/shards/shard_case.h"

#include "base/directory.h"
#include "base/simd.h"
#include "shards/entity/renames.h"
#include "shards/ingest/commands.h"
#include "shards/ingest/move_batch.h"
#include "shards/ingest/moves.h"
#include "shards/ingest/moves_avx2.h"
#include "shards/state/shard.h"
#include "shards/state/view_reach.h"
#include "shards/storage/bare_storage.h"
#include "shards/storage/storage_of.h"
#include "shards/tick/begin_end.h"
#include "shards/tick/blind_tick.h"
#include "shards/tick/flat_ground.h"
#include "shards/tick/reindex.h"
#include "shards/tick/row_positions.h"

enum { ENTITIES = 96, MOVES = 120, HANDS_MAX = 3, BATCH = 64, SHARDS_MAX = 2, NONE_BLIND = SHARDS_MAX };

enum { WALKERS = 1200 };

typedef struct kit {
    phx_rules rules;
    phx_directory directory;
    phx_renames renames;
    uint32_t shards;
    uint32_t blind; /* the shard that had no memory for its index in the last tick */
    bool strangers; /* some moves are of entities in no shard */
    bool beyond;    /* some entities stand outside of the world */
    phx_shard one[SHARDS_MAX], many[SHARDS_MAX];
    uint32_t places[MOVES], slots[MOVES];
    ph_position to[MOVES];
    uint32_t left; /* of all batches */
} kit;

static kit k = {.blind = NONE_BLIND};

/* Moves that the kernel did; it may leave all to plain C. */
static uint32_t walked[2]; /* of shards by turns: [true] */
static uint32_t walked_outside;

static uint32_t walk(phx_shard *shards, uint32_t shard_count, const phx_move_batch *moves, uint32_t first,
                     phx_move_stats *sums)
{
    uint32_t count = phx_move_kernel_of(k.rules.simd)(shards, shard_count, moves, first, sums);
    walked[moves->mixed] += count;
    if (!moves->mixed && (shards[moves->places[first]].store.body[moves->slots[first]].state & PHX_SLOT_OUTSIDE))
        walked_outside += count;
    return count;
}

/* There is one for every set but the portable one. */
static void check_walked(bool mixed, uint32_t least)
{
    if (phx_move_kernel_of(k.rules.simd)) cr_assert_geq(walked[mixed], least, "%u", walked[mixed]);
}

static float border(uint64_t *rng, int axis)
{
    return k.rules.origin[axis] + (float)phx_rng_below(rng, k.rules.towers[axis] + 1) * k.rules.tower_size;
}

/* Somewhere in the rectangle, often beside a tower's border; or, beyond, outside of the world beside it. */
static float place(uint64_t *rng, phx_rect rect, int axis)
{
    float low = k.rules.origin[axis] + (float)(axis ? rect.y0 : rect.x0) * k.rules.tower_size;
    float high = k.rules.origin[axis] + (float)((axis ? rect.y1 : rect.x1) + 1) * k.rules.tower_size;
    const uint32_t first = axis ? rect.y0 : rect.x0, last = axis ? rect.y1 : rect.x1;
    if (k.beyond && first == 0) low -= 30 * k.rules.tower_size;
    if (k.beyond && last + 1 == k.rules.towers[axis]) high += 30 * k.rules.tower_size;
    float v = phx_rng_below(rng, 2) ? float_near(rng, border(rng, axis)) : float_between(rng, low, high);
    uint16_t tower = phx_tower_index(&k.rules, axis, v);
    return tower >= first && tower <= last ? v : place(rng, rect, axis);
}

/* Where a coordinate goes: mostly a short step, about the longest that is none too long, over borders, or far off. */
static float step(uint64_t *rng, phx_rect rect, int axis, float from)
{
    float size = k.rules.tower_size;
    switch (phx_rng_below(rng, 24)) {
    case 0:
        return from;
    case 1:
        return -from;
    case 2:
        return float_near(rng, border(rng, axis));
    case 3:
        return float_near(rng, from + size / 4);
    case 4:
        return float_near(rng, from - size / 4);
    case 5:
        return phx_rng_below(rng, 4) ? place(rng, rect, axis) : float_any(rng);
    default:
        return from + float_between(rng, -size / 5, size / 5);
    }
}

static void fill(phx_shard *shard, uint32_t index, phx_rect rect, uint64_t seed)
{
    cr_assert(phx_shard_init(shard, &memory, &k.rules, phx_storage_of(&k.rules), index, k.shards, rect));
    phx_shard_begin(shard, 1);
    uint64_t rng = seed + index;
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        phx_attr attr = plain_attr(id % 3 ? 5.0f : 0.0f, 1.0f);
        attr.global = id % 31 == 0;
        attr.reach = id % 29 == 0 ? 20.0f : 0.0f;
        float x = id % 7 ? place(&rng, rect, 0) : 0.0f, y = place(&rng, rect, 1);
        if (k.beyond || k.rules.origin[0] > 0 || rect.x0 > 0) x = place(&rng, rect, 0);
        cr_assert_neq(phx_shard_enter(shard, id, (uint32_t)id, id, &attr, x, y, 0), PHX_SLOT_NONE);
    }
    if (index == k.blind) phx_shard_index_blind(shard, &phx_storage_bare);
    else cr_assert(phx_shard_index(shard, &k.directory, &k.renames));
    for (uint32_t slot = 0; slot < shard->store.slots; slot++) /* as an interest phase leaves them */
        shard->store.tail[slot].list.derived = phx_shard_derives(shard, slot);
    phx_shard_end(shard);
    shard->dense_tick = seed % (3 + 2 * index) != 0;
    phx_shard_begin(shard, 2);
    /* some entities come, and some change, before the moves */
    for (uint64_t id = 1; id <= 4; id++) {
        phx_attr attr = plain_attr(4.0f, 0.0f);
        float x = place(&rng, rect, 0), y = place(&rng, rect, 1);
        cr_assert_neq(phx_shard_enter(shard, ENTITIES + id, 7, 7, &attr, x, y, 0), PHX_SLOT_NONE);
        cr_assert(phx_shard_ready(shard, 1));
        phx_shard_set(shard, (uint32_t)id * 5, &attr);
    }
}

static void make_moves(uint64_t seed)
{
    uint64_t rng = seed;
    uint32_t crowd = phx_rng_below(&rng, 4) ? ENTITIES + 4 : 20; /* few: many move twice */
    float x[SHARDS_MAX][ENTITIES + 4], y[SHARDS_MAX][ENTITIES + 4];
    for (uint32_t p = 0; p < k.shards; p++)
        for (uint32_t s = 0; s < ENTITIES + 4; s++)
            x[p][s] = k.one[p].store.body[s].x, y[p][s] = k.one[p].store.body[s].y;
    for (uint32_t i = 0; i < MOVES; i++) {
        uint32_t p = k.places[i] = phx_rng_below(&rng, k.shards), s = k.slots[i] = phx_rng_below(&rng, crowd);
        x[p][s] = step(&rng, k.one[p].rect, 0, x[p][s]);
        y[p][s] = step(&rng, k.one[p].rect, 1, y[p][s]);
        k.to[i] = (ph_position){x[p][s], y[p][s], phx_rng_below(&rng, 4) ? 0.0f : (float)phx_rng_below(&rng, 3) - 1.0f};
    }
}

static void apply_one_by_one(void)
{
    for (uint32_t i = 0; i < MOVES; i++) {
        phx_shard *shard = &k.one[k.places[i]];
        cr_assert(phx_shard_ready(shard, 1));
        phx_shard_move(shard, k.slots[i], k.to[i].x, k.to[i].y, k.to[i].z);
    }
}

/* One hand's next batch. Returns how many are left, their places among the moves in left[]. */
static uint32_t batch(uint32_t hand, uint32_t hands, uint32_t *next, phx_move_stats *sums, uint32_t *left)
{
    uint32_t slots[BATCH], at[BATCH], places[BATCH], count = 0;
    phx_place to[BATCH];
    float z[BATCH];
    bool mixed = false;
    for (; *next < MOVES && count < BATCH; ++*next) {
        if (k.slots[*next] % hands != hand) continue;
        slots[count] = k.slots[*next];
        to[count] = (phx_place){k.to[*next].x, k.to[*next].y};
        z[count] = k.to[*next].z;
        const bool stranger = k.strangers && slots[count] % 13 == 5; /* left untouched */
        places[count] = stranger ? k.shards : k.places[*next];
        mixed |= places[count] != places[0];
        at[count++] = *next;
    }
    phx_move_batch moves = {.places = places, .slots = slots, .mixed = mixed, .to = to, .z = z, .count = count};
    uint32_t left_count = phx_shards_move_by(phx_move_kernel_of(k.rules.simd) ? walk : NULL, k.many, k.shards, &moves,
                                             hands == 1, sums, left);
    for (uint32_t i = 0; i < left_count; i++) left[i] = at[left[i]];
    return left_count;
}

/* The moves that are left are applied at the end, as the ticking thread does. */
static void apply_at_once(uint32_t hands)
{
    static uint32_t left[HANDS_MAX][MOVES];
    phx_move_stats sum[HANDS_MAX][SHARDS_MAX] = {0};
    uint32_t count[HANDS_MAX] = {0};
    for (uint32_t h = 0; h < hands; h++)
        for (uint32_t next = 0; next < MOVES;) count[h] += batch(h, hands, &next, sum[h], &left[h][count[h]]);
    for (uint32_t h = 0; h < hands; h++) {
        k.left += count[h];
        for (uint32_t i = 0; i < count[h]; i++) {
            uint32_t at = left[h][i];
            cr_assert(phx_shard_move_general(&k.many[k.places[at]], k.slots[at], k.to[at]));
        }
    }
    for (uint32_t p = 0; p < k.shards; p++) {
        for (uint32_t h = 0; h < hands; h++) phx_shard_moved(&k.many[p], &sum[h][p]);
        if (!k.many[p].grid.positions_stale || k.many[p].grid.needs_rebuild) continue;
        for (uint32_t h = 0; h < hands; h++) phx_rows_copy_positions(&k.many[p], h, hands);
        phx_rows_copied(&k.many[p]);
    }
}

static uint32_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* The notes of it; their order does not matter. */
static void same_note(uint64_t seed, const phx_shard *one, const phx_shard *many, uint32_t slot)
{
    const phx_change_note *a = phx_ninegrid_note_of(&one->ninegrid, &one->store, slot);
    const phx_change_note *b = phx_ninegrid_note_of(&many->ninegrid, &many->store, slot);
    cr_assert_eq(a != NULL, b != NULL, "seed %u, slot %u", (unsigned)seed, slot);
    if (!a) return;
    cr_assert(a->ax == b->ax && a->ay == b->ay && a->bx == b->bx && a->by == b->by, "seed %u, slot %u", (unsigned)seed,
              slot);
    cr_assert(a->renewed == b->renewed && a->attr_changed == b->attr_changed && a->kind == b->kind &&
              a->attr == b->attr);
}

/* Its place by the rows; the order within a tower does not matter. */
static void same_row(uint64_t seed, const phx_shard *one, const phx_shard *many, uint32_t slot)
{
    const uint32_t a = one->store.body[slot].row, b = many->store.body[slot].row;
    if ((one->store.body[slot].state & (PHX_SLOT_ROW | PHX_SLOT_ROW_MISPLACED)) != PHX_SLOT_ROW ||
        one->grid.needs_rebuild)
        return;
    cr_assert_eq(bits_of(one->grid.rows.x[a]), bits_of(many->grid.rows.x[b]), "seed %u, slot %u", (unsigned)seed, slot);
    cr_assert_eq(bits_of(one->grid.rows.y[a]), bits_of(many->grid.rows.y[b]), "seed %u, slot %u", (unsigned)seed, slot);
    cr_assert_eq(one->grid.rows.slot[a], many->grid.rows.slot[b]);
}

static void same_bodies(uint64_t seed, const phx_shard *one, const phx_shard *many)
{
    /* of many misplaced rows the first ones are noted, then all rows are to be sorted: their order does not matter */
    const uint32_t bits = one->grid.needs_rebuild ? ~(uint32_t)PHX_SLOT_ROW_MISPLACED : ~0u;
    for (uint32_t s = 0; s < ENTITIES + 4; s++) {
        const phx_body *a = &one->store.body[s], *b = &many->store.body[s];
        bool same = bits_of(a->x) == bits_of(b->x) && bits_of(a->y) == bits_of(b->y) && bits_of(a->z) == bits_of(b->z);
        cr_assert(same && a->tx == b->tx && a->ty == b->ty, "seed %u, slot %u", (unsigned)seed, s);
        if (phx_shard_ninegrid(one)) same_note(seed, one, many, s);
        else if (phx_shard_rows(one)) same_row(seed, one, many, s);
        cr_assert_eq(a->state & bits, b->state & bits, "seed %u, slot %u", (unsigned)seed, s);
        cr_assert_eq(a->changed, b->changed, "seed %u, slot %u", (unsigned)seed, s);
        cr_assert(a->tx == phx_tower_index(&k.rules, 0, a->x) && a->ty == phx_tower_index(&k.rules, 1, a->y));
    }
}

static void same_marks(uint64_t seed, const phx_shard *a, const phx_shard *b)
{
    cr_assert(a->dirty_count == b->dirty_count && a->changed == b->changed && a->copies_due == b->copies_due);
    cr_assert(a->far_dirty == b->far_dirty && a->far.stale == b->far.stale && a->global_moved == b->global_moved);
    cr_assert_eq(a->step_max, b->step_max, "seed %u", (unsigned)seed);
    cr_assert_eq(a->step2_max, b->step2_max, "seed %u", (unsigned)seed);
    cr_assert(phx_shard_heights_valid(a) && phx_shard_heights_valid(b), "seed %u", (unsigned)seed);
    cr_assert_eq(a->grid.needs_rebuild, b->grid.needs_rebuild);
    cr_assert_eq(a->emigrant_candidates.count, b->emigrant_candidates.count);
    cr_assert_eq(a->grid.block_count, b->grid.block_count, "seed %u", (unsigned)seed);
    for (uint32_t i = 0; i < a->grid.block_count; i++) {
        cr_assert_eq(a->grid.blocks[i].dirty_tick, b->grid.blocks[i].dirty_tick, "seed %u", (unsigned)seed);
        cr_assert_eq(a->grid.blocks[i].dirty, b->grid.blocks[i].dirty, "seed %u", (unsigned)seed);
        cr_assert_eq(a->grid.blocks[i].discontinuous, b->grid.blocks[i].discontinuous, "seed %u", (unsigned)seed);
    }
    cr_assert_eq(a->grid.misplaced_count, b->grid.misplaced_count, "seed %u", (unsigned)seed);
}

static void run(uint64_t seed, ph_range range, const phx_rect *rects, uint32_t shards, uint32_t hands)
{
    static const float sizes[] = {10.0f, 0.1f, 7.3f, 33333.0f}, origins[] = {0.0f, -13.7f, 1000.0f, -1e6f};
    uint64_t rng = seed;
    k.rules = plain_rules(sizes[phx_rng_below(&rng, 4)], 12);
    k.rules.origin[0] = origins[phx_rng_below(&rng, 3)];
    k.rules.origin[1] = k.rules.tower_size > 1 ? origins[phx_rng_below(&rng, 4)] : 0.0f;
    k.rules.simd = phx_simd_choose(PH_SIMD_AUTO);
    k.rules.range = range;
    k.shards = shards;
    k.strangers = seed % 4 != 3;
    phx_directory_init(&k.directory, &memory, 1);
    phx_renames_init(&k.renames, &memory);
    for (uint32_t p = 0; p < shards; p++) {
        fill(&k.one[p], p, rects[p], seed);
        fill(&k.many[p], p, rects[p], seed);
    }
    make_moves(seed);
    apply_one_by_one();
    apply_at_once(k.one[0].dense_tick ? hands : 1);
    for (uint32_t p = 0; p < shards; p++) {
        same_bodies(seed, &k.one[p], &k.many[p]);
        same_marks(seed, &k.one[p], &k.many[p]);
        phx_shard_free(&k.one[p], shards);
        phx_shard_free(&k.many[p], shards);
    }
    phx_renames_free(&k.renames, &memory);
    phx_directory_free(&k.directory);
}

TestSuite(shard_moves, .init = memory_set_up, .fini = memory_tear_down);

static const phx_rect all = {0, 0, 11, 11}, some = {3, 4, 8, 7};

Test(shard_moves, many_at_once_are_as_one_by_one)
{
    for (uint64_t seed = 1; seed <= 150; seed++)
        run(seed, PH_RANGE_RADIUS, seed % 2 ? &all : &some, 1, 1 + (uint32_t)(seed % HANDS_MAX));
    cr_assert_gt(k.left, 150 * MOVES / 10);
    cr_assert_lt(k.left, 150 * MOVES * 3 / 4, "%u", k.left);
    check_walked(false, 150 * MOVES / 100); /* a pair with an entity outside of the towers is left */
}

/* Moves that begin and end outside of the world; over its border, and over borders of its towers. */
Test(shard_moves, moves_outside_of_the_world_are_as_one_by_one)
{
    static const phx_rect beside[SHARDS_MAX] = {{0, 0, 5, 11}, {6, 0, 11, 11}};
    k.beyond = true;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        const uint32_t shards = seed % 3 ? 1 : 2, hands = 1 + (uint32_t)(seed % HANDS_MAX);
        run(seed, PH_RANGE_RADIUS, shards > 1 ? beside : &all, shards, hands);
        if (seed % 5 == 0) run(seed, PH_RANGE_TOWERS, shards > 1 ? beside : &all, shards, 1);
    }
    check_walked(false, 150);
    if (phx_move_kernel_of(k.rules.simd)) cr_assert_geq(walked_outside, 150, "%u", walked_outside);
}

/* Who walks outside of the world is not left to the general path. */
Test(shard_moves, walkers_outside_of_the_world_have_common_moves)
{
    enum { PARTS = 4 }; /* dense or not, by a kernel or not */
    k.rules = plain_rules(10, 12);
    k.rules.simd = phx_simd_choose(PH_SIMD_AUTO);
    k.shards = 1;
    for (uint32_t part = 0; part < PARTS; part++) {
        static const phx_attr attr = {
            .layers = 1, .visible = PH_LENGTH_MAX, .sees = UINT64_MAX, .view = 5, .ready = true};
        phx_shard *shard = &k.one[0];
        phx_directory_init(&k.directory, &memory, 1);
        phx_renames_init(&k.renames, &memory);
        cr_assert(phx_shard_init(shard, &memory, &k.rules, phx_storage_of(&k.rules), 0, 1, all));
        phx_shard_begin(shard, 1);
        uint32_t slots[BATCH], places[BATCH] = {0}, left[BATCH];
        phx_place to[BATCH];
        for (uint32_t i = 0; i < BATCH; i++) {
            to[i] = (phx_place){i % 3 ? 150 + (float)i : 60, i % 3 == 1 ? 60 : -70 - (float)i};
            slots[i] = phx_shard_enter(shard, i + 1, 1, 0, &attr, to[i].x, to[i].y, 0);
            to[i].x += 1, to[i].y -= 1;
        }
        cr_assert(phx_shard_index(shard, &k.directory, &k.renames));
        for (uint32_t i = 0; i < BATCH; i++) shard->store.tail[slots[i]].list.derived = true; /* as in fill() */
        phx_shard_end(shard);
        cr_assert_eq(shard->store.outside_count, BATCH);
        shard->dense_tick = part % 2 == 0;
        phx_shard_begin(shard, 2);
        phx_move_batch moves = {.places = places, .slots = slots, .to = to, .count = BATCH};
        phx_move_stats sum = {.moved = 0};
        phx_move_kernel *kernel = part < 2 ? phx_move_kernel_of(k.rules.simd) : NULL;
        cr_assert_eq(phx_shards_move_by(kernel, shard, 1, &moves, true, &sum, left), 0);
        cr_assert_eq(sum.moved, BATCH);
        cr_assert_eq(shard->store.outside_count, BATCH);
        phx_shard_free(shard, 1);
        phx_renames_free(&k.renames, &memory);
        phx_directory_free(&k.directory);
    }
}

Test(shard_moves, cell_blocks_get_the_notes_of_crossings)
{
    for (uint64_t seed = 1; seed <= 60; seed++) run(seed, PH_RANGE_TOWERS, seed % 2 ? &all : &some, 1, 1);
}

Test(shard_moves, moves_of_shards_by_turns_are_as_one_by_one)
{
    static const phx_rect beside[2][SHARDS_MAX] = {{{0, 0, 5, 11}, {6, 0, 11, 11}}, {{3, 4, 8, 7}, {0, 0, 11, 11}}};
    for (uint64_t seed = 1; seed <= 150; seed++)
        run(seed, PH_RANGE_RADIUS, beside[seed % 2], SHARDS_MAX, 1 + (uint32_t)(seed % HANDS_MAX));
    cr_assert_gt(k.left, 150 * MOVES / 10);
    cr_assert_lt(k.left, 150 * MOVES * 3 / 4, "%u", k.left);
    check_walked(true, 150 * MOVES / 20);
}

Test(shard_moves, moves_of_crowds_by_turns_are_as_one_by_one)
{
    static const phx_rect beside[SHARDS_MAX] = {{0, 0, 5, 11}, {6, 0, 11, 11}};
    for (uint64_t seed = 1; seed <= 60; seed++) run(seed, PH_RANGE_TOWERS, beside, SHARDS_MAX, 1);
}

/* Each shard's own entries decide which of its moves are common, whatever the other one has. */
Test(shard_moves, moves_beside_a_blind_shard_are_as_one_by_one)
{
    static const phx_rect beside[SHARDS_MAX] = {{0, 0, 5, 11}, {6, 0, 11, 11}};
    for (uint64_t seed = 1; seed <= 80; seed++) {
        k.blind = (uint32_t)(seed / 2 % SHARDS_MAX);
        run(seed, seed % 2 ? PH_RANGE_RADIUS : PH_RANGE_TOWERS, beside, SHARDS_MAX, 1);
    }
    check_walked(true, 80);
}

/* Moves some entities by a step along x. */
static void step_all(phx_shard *shard, const uint32_t *slots, uint32_t count, float step)
{
    static uint32_t places[WALKERS], left[WALKERS];
    static phx_place to[WALKERS];
    phx_move_stats sum = {.moved = 0};
    for (uint32_t i = 0; i < count; i++)
        to[i] = (phx_place){shard->store.body[slots[i]].x + step, shard->store.body[slots[i]].y};
    const phx_move_batch moves = {.places = places, .slots = slots, .to = to, .count = count};
    cr_assert_eq(phx_shards_move(shard, 1, &moves, true, &sum, left), 0);
    phx_shard_moved(shard, &sum);
}

static bool jumps(phx_shard *shard, uint32_t slot, float step)
{
    const phx_body *body = &shard->store.body[slot];
    cr_assert(phx_shard_move_general(shard, slot, (ph_position){body->x + step, body->y, 0}));
    return body->state & PHX_SLOT_DISCONTINUOUS;
}

/* Where 1,200 step by 1, two may jump by less than the longest step; a third one, and all for 64 ticks, step again. */
Test(shard_moves, few_steps_that_are_much_longer_are_jumps)
{
    static uint32_t slots[WALKERS];
    static const phx_attr attr = {.layers = 1, .visible = PH_LENGTH_MAX, .sees = UINT64_MAX, .view = 5, .ready = true};
    phx_shard *shard = &k.one[0];
    k.rules = plain_rules(40, 12);
    k.rules.simd = phx_simd_choose(PH_SIMD_AUTO);
    phx_directory_init(&k.directory, &memory, 1);
    phx_renames_init(&k.renames, &memory);
    cr_assert(phx_shard_init(shard, &memory, &k.rules, phx_storage_of(&k.rules), 0, 1, all));
    phx_shard_begin(shard, 1);
    for (uint32_t i = 0; i < WALKERS; i++)
        slots[i] = phx_shard_enter(shard, i + 1, 1, 0, &attr, 30 + (float)(i % 40) * 10, 30 + (float)(i / 40) * 10, 0);
    cr_assert(phx_shard_index(shard, &k.directory, &k.renames));
    for (uint32_t i = 0; i < WALKERS; i++) shard->store.tail[slots[i]].list.derived = true; /* as in fill() */
    phx_shard_end(shard);
    for (uint64_t tick = 2; tick < 70; tick++) {
        phx_shard_begin(shard, tick);
        step_all(shard, slots + 4, WALKERS - 4, tick % 2 ? -1 : 1);
        if (tick == 2) cr_assert(!jumps(shard, slots[0], 9)); /* nothing is known yet */
        if (tick == 3) {
            cr_assert_eq(shard->jumps_room, 2, "%u", shard->jumps_room);
            cr_assert(!jumps(shard, slots[0], 3));
            cr_assert(jumps(shard, slots[1], 9) && jumps(shard, slots[2], 9) && !jumps(shard, slots[3], 9));
        }
        if (tick > 3 && tick <= 67) cr_assert(!jumps(shard, slots[0], tick % 2 ? -9 : 9), "%u", (uint32_t)tick);
        if (tick == 69) cr_assert(jumps(shard, slots[0], 9));
        cr_assert(phx_shard_index(shard, &k.directory, &k.renames));
        for (uint32_t i = 0; i < WALKERS; i++) shard->store.tail[slots[i]].list.derived = true;
        phx_shard_end(shard);
    }
    phx_shard_free(shard, 1);
    phx_renames_free(&k.renames, &memory);
    phx_directory_free(&k.directory);
}
