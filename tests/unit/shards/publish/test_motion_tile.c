/*
 * shards/publish/motion_tile.c: the updates that are due for each observer of a crowd are the same with a tile and
 * without, in each shape, with targets that entered and with a budget; and with a tile it compares itself with fewer
 * rows. The same are due by positions alone, if they tell as many enters as there are.
 */
#include "unit/shards/shards_fixture.h"

#include "shards/publish/band_updates.h"
#include "shards/publish/due_targets.h"
#include "shards/publish/motion_history.h"
#include "shards/publish/motion_samples.h"
#include "shards/publish/motion_tile.h"
#include "shards/state/update_bands.h"

enum { IDS = 600, BANDS = 3, ENTERED = 3, MERE_EVERY = 9, FAR_EVERY = 50 };

static uint8_t due[2][IDS + 1][IDS + 1]; /* [with a tile][observer][target]: its band + 1 */

static ph_class banded_class(uint32_t updates_max)
{
    return (ph_class){.layers = 1,
                      .visible = PH_LENGTH_MAX,
                      .sees = UINT64_MAX,
                      .ready = true,
                      .bands = {{10, 1}, {20, 3}, {40, 8}},
                      .band_count = BANDS,
                      .updates_max = updates_max};
}

/* Samples the motion of all entities, in parts. */
static void sample_all(phx_shard *shard)
{
    enum { PARTS = 3 };
    cr_assert(phx_bands_sample_ready(shard));
    for (uint32_t part = 0; part < PARTS; part++) phx_bands_sample(shard, part, PARTS);
    for (uint32_t part = 0; part < PARTS; part++) phx_bands_copy_samples(shard, part, PARTS);
}

/* A crowd over two blocks, and some far away, with histories of steps. */
static fleet *open_crowd(const ph_class *class, ph_shape shape, float wider, uint64_t *rng)
{
    phx_rules rules = plain_rules(80, 40);
    rules.classes = class;
    rules.class_count = 1;
    rules.banded = true;
    rules.shape = shape;
    fleet *f = fleet_open(rules, 1, 1, 4);
    fleet_begin(f);
    for (uint64_t id = 1; id <= IDS; id++) {
        const float view = id % MERE_EVERY == 0 ? 0.0f : id % 2 ? 30.0f : 22.0f, off = id % FAR_EVERY == 0 ? 700 : 0;
        fleet_enter(f, id, plain_attr(view * wider, 0), 520 + off + float_between(rng, 0, 240),
                    200 + float_between(rng, 0, 240));
    }
    fleet_end(f);
    phx_shard *shard = &f->shard[0];
    for (uint32_t slot = 0; slot < shard->store.slots; slot++) {
        phx_motion_history *history = &shard->bands.histories[slot];
        if (phx_rng_below(rng, 3) == 0) continue;
        history->x += float_between(rng, -5, 5);
        history->y += float_between(rng, -5, 5);
    }
    shard->bands.last_move = shard->tick;
    sample_all(shard);
    return f;
}

static void read_due(fleet *f, const phx_update_scratch *scratch, uint8_t of[IDS + 1][IDS + 1])
{
    const phx_store *store = &f->shard[0].store;
    for (uint32_t n = 0; n < scratch->observer_count; n++) {
        const phx_observer_updates *updates = &scratch->observers[n];
        for (uint32_t i = 0; i < updates->due_count; i++) {
            const uint32_t key = scratch->due[updates->due_first + i];
            uint8_t *band =
                &of[store->name[updates->slot].id][store->name[phx_due_target(&f->shard[0], scratch, key)].id];
            cr_assert_eq(*band, 0, "a target is due twice");
            *band = (uint8_t)(1 + phx_due_key_band(scratch, key));
        }
    }
}

/* The observer of a slot, as it is sampled. */
static phx_band_observer observer_of(const phx_shard *shard, uint32_t slot)
{
    return (phx_band_observer){slot, shard->bands.items[slot]};
}

static void emit_observer(fleet *f, phx_update_scratch *scratch, uint32_t slot)
{
    uint32_t entered[ENTERED], count = 0;
    const uint64_t id = f->shard[0].store.name[slot].id;
    for (uint64_t target = 1; target <= IDS && count < id % (ENTERED + 1); target++)
        if (fleet_sees(f, id, target)) entered[count++] = fleet_slot(f, 0, target);
    cr_assert(phx_band_emit(scratch, &f->shard[0], observer_of(&f->shard[0], slot), entered, count));
}

/* Emits the updates of all observers. Returns the number of rows that they were compared with. */
static uint64_t emit_all(fleet *f, bool tiled)
{
    const phx_shard *shard = &f->shard[0];
    phx_update_scratch scratch = {.mem = shard->mem};
    uint32_t tiles = 0;
    memset(due[tiled], 0, sizeof due[tiled]);
    phx_update_scratch_group(&scratch, BANDS);
    for (uint32_t b = 0; b < shard->grid.block_count; b++) {
        fleet_memory_for(0);
        while (tiled && !phx_motion_tile_open(&scratch.tile, shard->mem, shard, b)) fleet_memory_for(1);
        fleet_memory_enough();
        tiles += scratch.tile.usable;
        const phx_block *block = &shard->grid.blocks[b];
        for (uint32_t row = block->start[0]; row < block->start[PHX_BLOCK_TOWERS]; row++)
            if (shard->grid.rows.view[row] != 0.0f) emit_observer(f, &scratch, phx_row_slot(&shard->grid.rows, row));
    }
    cr_assert_eq(tiles, tiled ? 2u : 0u, "%u blocks have a tile", tiles);
    read_due(f, &scratch, due[tiled]);
    const uint64_t compared = scratch.compared_count;
    phx_update_scratch_free(&scratch);
    return compared;
}

static void test_crowd(ph_shape shape, uint32_t updates_max)
{
    uint64_t rng = 83;
    uint32_t all = 0;
    const ph_class class = banded_class(updates_max);
    fleet *f = open_crowd(&class, shape, 1.0f, &rng);
    const uint64_t plain = emit_all(f, false), tiled = emit_all(f, true);
    for (uint64_t id = 1; id <= IDS; id++)
        for (uint64_t target = 1; target <= IDS; target++) {
            cr_assert_eq(due[0][id][target], due[1][id][target], "%lu of %lu: %u without a tile, %u with it",
                         (unsigned long)target, (unsigned long)id, due[0][id][target], due[1][id][target]);
            all += due[0][id][target] > 0;
        }
    cr_assert_gt(all, IDS);
    cr_assert_lt(tiled, plain * 2 / 3, "compared with %lu rows, without a tile %lu", (unsigned long)tiled,
                 (unsigned long)plain);
    fleet_close(f);
}

Test(publish, motion_tile)
{
    test_crowd(PH_SHAPE_CIRCLE, 0);
}

Test(publish, motion_tile_square)
{
    test_crowd(PH_SHAPE_SQUARE, 0);
}

Test(publish, motion_tile_sphere)
{
    test_crowd(PH_SHAPE_SPHERE, 0);
}

Test(publish, motion_tile_budget)
{
    test_crowd(PH_SHAPE_CIRCLE, 6);
}

/* ---- by positions alone ---- */

/* The targets that an observer sees and did not see by the positions of before. */
static uint32_t find_entered(fleet *f, uint32_t slot, uint32_t entered[IDS])
{
    const phx_bands *bands = &f->shard[0].bands;
    const phx_motion_sample *own = &bands->samples[bands->items[slot]];
    const uint64_t id = f->shard[0].store.name[slot].id;
    const float view = f->entity[id].attr.view;
    uint32_t count = 0;
    for (uint64_t target = 1; target <= IDS; target++) {
        if (target == id || !fleet_sees(f, id, target)) continue;
        const phx_motion_sample *of = &bands->samples[bands->items[fleet_slot(f, 0, target)]];
        const float dx = of->ox - own->ox, dy = of->oy - own->oy;
        const bool seen = f->shard[0].rules->shape == PH_SHAPE_SQUARE ? fabsf(dx) <= view && fabsf(dy) <= view
                                                                      : dx * dx + dy * dy <= view * view;
        if (!seen) entered[count++] = fleet_slot(f, 0, target);
    }
    return count;
}

/* Emits an observer's updates by its change into one scratch, and by positions into the other. Returns its enters. */
static uint32_t emit_both(fleet *f, phx_update_scratch *by_change, phx_update_scratch *by_position, uint32_t slot)
{
    const phx_shard *shard = &f->shard[0];
    uint32_t entered[IDS];
    const uint32_t count = find_entered(f, slot, entered), due_count = by_position->due_count;
    bool failed = false;
    const phx_band_observer observer = observer_of(shard, slot);
    cr_assert(phx_band_emit(by_change, shard, observer, entered, count));
    cr_assert_not(phx_band_emit_in_view(by_position, shard, observer, count + 1, &failed), "an enter that is none");
    cr_assert(!failed && by_position->due_count == due_count && by_position->by_change > 0);
    cr_assert_not(phx_band_emit_in_view(by_position, shard, observer, count, &failed), "not tried so soon");
    by_position->by_change = 0;
    cr_assert(phx_band_emit_in_view(by_position, shard, observer, count, &failed), "%u enters", count);
    return count;
}

static void test_by_positions(ph_shape shape)
{
    uint64_t rng = 89;
    uint32_t enters = 0;
    const ph_class class = banded_class(0);
    fleet *f = open_crowd(&class, shape, 1.0f, &rng);
    const phx_shard *shard = &f->shard[0];
    phx_update_scratch by_change = {.mem = shard->mem}, by_position = {.mem = shard->mem};
    phx_update_scratch_group(&by_change, BANDS);
    phx_update_scratch_group(&by_position, BANDS);
    for (uint32_t slot = 0; slot < shard->store.slots; slot++)
        if (shard->grid.rows.view[shard->store.body[slot].row] != 0.0f)
            enters += emit_both(f, &by_change, &by_position, slot);
    memset(due, 0, sizeof due);
    read_due(f, &by_change, due[0]);
    read_due(f, &by_position, due[1]);
    cr_assert_arr_eq(due[0], due[1], sizeof due[0]);
    cr_assert_gt(enters, IDS / 2);
    phx_update_scratch_free(&by_change);
    phx_update_scratch_free(&by_position);
    fleet_close(f);
}

Test(publish, updates_by_positions)
{
    test_by_positions(PH_SHAPE_CIRCLE);
    test_by_positions(PH_SHAPE_SQUARE);
}

/* An observer or a target without an old position is told by its change. */
Test(publish, updates_by_change)
{
    uint64_t rng = 89;
    uint32_t entered[IDS];
    bool failed = false;
    const ph_class class = banded_class(0);
    fleet *f = open_crowd(&class, PH_SHAPE_CIRCLE, 1.0f, &rng);
    phx_shard *shard = &f->shard[0];
    phx_update_scratch scratch = {.mem = shard->mem};
    phx_update_scratch_group(&scratch, BANDS);
    uint32_t slot = fleet_slot(f, 0, 1), count = find_entered(f, slot, entered);
    cr_assert_gt(count, 0);
    cr_assert(phx_band_emit_in_view(&scratch, shard, observer_of(shard, slot), count, &failed));
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t row = shard->store.body[i == 0 ? slot : entered[0]].row;
        const float before = shard->grid.rows.ox[row];
        shard->grid.rows.ox[row] = NAN;
        sample_all(shard);
        cr_assert_not(phx_band_emit_in_view(&scratch, shard, observer_of(shard, slot), count, &failed) || failed);
        scratch.by_change = 0;
        shard->grid.rows.ox[row] = before;
    }
    sample_all(shard);
    cr_assert(phx_band_emit_in_view(&scratch, shard, observer_of(shard, slot), count, &failed));
    phx_update_scratch_free(&scratch);
    fleet_close(f);
}

/* Cells save nothing for a view that has all. */
Test(publish, no_motion_tile_for_views_of_all)
{
    uint64_t rng = 83;
    const ph_class class = banded_class(0);
    fleet *f = open_crowd(&class, PH_SHAPE_CIRCLE, 100.0f, &rng);
    const phx_shard *shard = &f->shard[0];
    phx_update_scratch scratch = {.mem = shard->mem};
    for (uint32_t b = 0; b < shard->grid.block_count; b++) {
        cr_assert(phx_motion_tile_open(&scratch.tile, shard->mem, shard, b));
        cr_assert_not(scratch.tile.usable, "block %u", b);
    }
    phx_update_scratch_free(&scratch);
    fleet_close(f);
}
