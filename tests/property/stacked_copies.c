/*
 * A thousand copies of a dungeon on the same ground, each an instance of its own, cost what a thousand dungeons side by
 * side cost: the same entities walk the same ways in both worlds, and work counters, lists and bytes are compared.
 * Places are whole quarters, so that float32 has all of them and all of their distances exactly in either world.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"

enum {
    COPIES = 1000,
    PARTY = 25,
    ENTITIES = COPIES * PARTY,
    COLUMNS = 32,
    TOWER = 50,
    DUNGEON = 300,
    SPACING = 16 * TOWER, /* two blocks of towers: a dungeon begins in a block of its own, out of all others' sight */
    TICKS = 12,
    SEED = 28
};

typedef struct place {
    int32_t x, y; /* in quarters, within the dungeon */
} place;

typedef struct host {
    ph_world world;
    ph_producer producer;
    bool stacked;
    uint64_t rng;
    place at[ENTITIES];
} host;

static ph_position position_of(const host *h, uint32_t i)
{
    const uint32_t copy = h->stacked ? 0 : i / PARTY;
    return (ph_position){(float)(copy % COLUMNS * SPACING) + (float)h->at[i].x / 4,
                         (float)(copy / COLUMNS * SPACING) + (float)h->at[i].y / 4, 0};
}

static int32_t step_from(host *h, int32_t at)
{
    const int32_t to = at + (int32_t)phx_rng_below(&h->rng, 49) - 24;
    return to < 0 || to > 4 * DUNGEON ? at : to;
}

static void enter_all(host *h)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        h->at[i].x = (int32_t)phx_rng_below(&h->rng, 4 * DUNGEON + 1);
        h->at[i].y = (int32_t)phx_rng_below(&h->rng, 4 * DUNGEON + 1);
        const ph_position at = position_of(h, i);
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_KIND | (h->stacked ? PH_INSTANCE : 0),
                                .x = at.x,
                                .y = at.y,
                                .kind = i % 5 == 0,
                                .instance = h->stacked ? 1 + i / PARTY : 0};
        REQUIRE(ph_enter(h->producer, i + 1, &attrs) == PH_OK);
    }
    REQUIRE(ph_tick(h->world, NULL) == PH_OK);
}

/* One of so many walks in a tick. */
static ph_stats play(host *h, const ph_world_def *def, bool stacked, uint32_t one_of)
{
    ph_stats stats;
    h->stacked = stacked;
    h->rng = SEED;
    REQUIRE(ph_world_create(def, &h->world) == PH_OK && ph_producer_open(h->world, &h->producer) == PH_OK);
    enter_all(h);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        for (uint32_t i = 0; i < ENTITIES; i++) {
            if (phx_rng_below(&h->rng, one_of) != 0) continue;
            h->at[i].x = step_from(h, h->at[i].x);
            h->at[i].y = step_from(h, h->at[i].y);
            const ph_position at = position_of(h, i);
            REQUIRE(ph_move(h->producer, i + 1, at.x, at.y, at.z) == PH_OK);
        }
        REQUIRE(ph_tick(h->world, NULL) == PH_OK);
    }
    REQUIRE(ph_world_stats(h->world, &stats) == PH_OK);
    CHECK(stats.instances == (stacked ? COPIES : 1), "%" PRIu64 " instances", stats.instances);
    REQUIRE(ph_world_destroy(h->world) == PH_OK);
    return stats;
}

static void compare(ph_range range, float margin, uint32_t one_of)
{
    static host h;
    ph_world_def def = ph_world_def_default();
    ph_class kinds[] = {ph_class_default("default"), ph_class_default("npc")};
    kinds[0].view = 100;
    kinds[0].margin = margin;
    kinds[0].wakes = kinds[1].sleeps = true;
    def.classes = kinds;
    def.class_count = 2;
    def.range = range;
    def.world_size[0] = def.world_size[1] = COLUMNS * SPACING;
    def.tower_size = TOWER;
    def.consumers = 0;
    const ph_stats flat = play(&h, &def, false, one_of), stacked = play(&h, &def, true, one_of);
    const struct {
        const char *name;
        uint64_t flat, stacked, percent; /* stacked is at most so much of flat */
    } rows[] = {{"enters", flat.enters, stacked.enters, 100},
                {"leaves", flat.leaves, stacked.leaves, 100},
                {"woken", flat.woken, stacked.woken, 100},
                {"observers_evaluated", flat.observers_evaluated, stacked.observers_evaluated, 100},
                {"observers_glanced", flat.observers_glanced, stacked.observers_glanced, 100},
                {"towers_visited", flat.towers_visited, stacked.towers_visited, 100},
                {"pairs_tested", flat.pairs_tested, stacked.pairs_tested, 101}, /* by rounded places, which differ */
                {"pairs_exact", flat.pairs_exact, stacked.pairs_exact, 110},
                {"bytes", flat.bytes, stacked.bytes, 101}};
    CHECK(stacked.enters == flat.enters && stacked.leaves == flat.leaves && stacked.woken == flat.woken &&
              flat.leaves > 0 && flat.woken > 0 && flat.towers_visited > 0 && flat.pairs_tested > ENTITIES,
          "range %d: %" PRIu64 " enters stacked, %" PRIu64 " side by side", (int)range, stacked.enters, flat.enters);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(rows[i].stacked * 100 <= rows[i].flat * rows[i].percent,
              "range %d, margin %g, one of %" PRIu32 " walks: %s: %" PRIu64 " stacked, %" PRIu64 " side by side",
              (int)range, (double)margin, one_of, rows[i].name, rows[i].stacked, rows[i].flat);
}

int main(void)
{
    compare(PH_RANGE_RADIUS, 0, 1);
    compare(PH_RANGE_RADIUS, 10, 1);
    compare(PH_RANGE_RADIUS, 0, 20);
    compare(PH_RANGE_TOWERS, 0, 1);
    compare(PH_RANGE_TOWERS, 0, 20);
    return check_done("stacked_copies");
}
