/*
 * src/world/monitor/order.c: runs of points that were found in any order become columns in the order of their slots;
 * points of parts that are not renewed stay, and say so.
 */
#include "unit/shards/shard_case.h"

#include "world/monitor/order.h"
#include "world/monitor/points_pass.h"
#include "world/state/monitor_types.h"

enum { RUNS_MAX = 300, RUN_POINTS = 20, POINTS_MAX = RUNS_MAX * RUN_POINTS, ROUNDS = 50 };

static phx_monitor monitor;
static phx_point_run runs[RUNS_MAX];
static uint32_t slots[2][POINTS_MAX], places_found[POINTS_MAX], looks[POINTS_MAX],
    cells[PH_MONITOR_CELLS * PH_MONITOR_CELLS];
static uint32_t slot_first[2], slot_room[2];
static uint16_t xs[POINTS_MAX], ys[POINTS_MAX], kinds[POINTS_MAX];
static uint8_t bits[POINTS_MAX], steps[POINTS_MAX];

/* All columns of a point say its number. Slots of a successive run are not written. */
static void put_point(uint32_t at, uint32_t number, bool successive)
{
    slots[0][at] = successive ? UINT32_MAX : number;
    places_found[at] = (uint32_t)(uint16_t)~number << 16 | (uint16_t)number;
    looks[at] = (uint16_t)(number * 3) | (uint32_t)(uint8_t)number << 16 | (uint32_t)(uint8_t)~number << 24;
}

/* The counts of cells against the points, one by one. */
static void check_cells(uint32_t points)
{
    static uint32_t expected[PH_MONITOR_CELLS * PH_MONITOR_CELLS];
    const uint32_t side = 65536 / PH_MONITOR_CELLS;
    memset(expected, 0, sizeof expected);
    for (uint32_t i = 0; i < points; i++) expected[ys[i] / side * PH_MONITOR_CELLS + xs[i] / side]++;
    cr_assert_eq(memcmp(cells, expected, sizeof cells), 0);
}

Test(points_order, runs_come_in_the_order_of_their_slots_with_all_columns)
{
    uint64_t rng = 43;
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t count = phx_rng_below(&rng, RUNS_MAX + 1);
        uint32_t places[RUNS_MAX], points = 0;
        memset(&monitor, 0, sizeof monitor);
        monitor.found = (phx_found_columns){slots[0], places_found, looks};
        monitor.points = (phx_point_columns){slots[1], xs, ys, kinds, bits, steps};
        monitor.grid_counts = cells;
        monitor.renewed = PHX_PARTS_ALL;
        monitor.cells_due = round % 2;
        cells[0] = UINT32_MAX; /* of another frame */
        monitor.runs = runs;
        for (uint32_t i = 0; i < count; i++) places[i] = i;
        for (uint32_t i = count; i > 1; i--) { /* workers claim places in any order */
            const uint32_t other = phx_rng_below(&rng, i), place = places[i - 1];
            places[i - 1] = places[other];
            places[other] = place;
        }
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t key = places[i], length = 1 + key % RUN_POINTS;
            const bool successive = phx_rng_below(&rng, 2) == 0;
            runs[i] = (phx_point_run){points, length, key * RUN_POINTS, successive};
            for (uint32_t p = 0; p < length; p++) put_point(points++, key * RUN_POINTS + p, successive);
        }
        atomic_store(&monitor.run_count, count);
        monitor.frame.points.count = points;
        phx_points_order(&monitor);
        uint32_t at = 0;
        for (uint32_t key = 0; key < count; key++)
            for (uint32_t p = 0; p < 1 + key % RUN_POINTS; p++, at++) {
                const uint32_t number = key * RUN_POINTS + p;
                cr_assert_eq(slots[1][at], number);
                cr_assert(xs[at] == (uint16_t)number && ys[at] == (uint16_t)~number);
                cr_assert_eq(kinds[at], (uint16_t)(number * 3));
                cr_assert(bits[at] == (uint8_t)number && steps[at] == (uint8_t)~number);
            }
        cr_assert_eq(at, points);
        if (monitor.cells_due) check_cells(points);
        else cr_assert_eq(cells[0], UINT32_MAX, "no count is due");
    }
}

/*
 * Two shards of some stretches each: a frame renews all parts, the next ones a part each, with other points. So each
 * point is the one of the frame that renewed its stretch last.
 */
Test(points_order, points_of_a_part_that_is_not_renewed_stay)
{
    enum { PARTS = 3, BLOCK = 7, ROOM = 40, FRAMES = 12, SHARDS = 2 };
    uint32_t version_of[SHARDS * ROOM] = {0};
    memset(&monitor, 0, sizeof monitor);
    monitor.found = (phx_found_columns){slots[0], places_found, looks};
    monitor.points = (phx_point_columns){slots[1], xs, ys, kinds, bits, steps};
    monitor.runs = runs;
    monitor.runs_max = RUNS_MAX;
    monitor.def.points_max = POINTS_MAX;
    monitor.shard_count = SHARDS;
    monitor.slot_first = slot_first;
    monitor.slot_room = slot_room;
    monitor.parts.count = PARTS;
    monitor.parts.stretch_slots = BLOCK;
    for (uint32_t s = 0; s < SHARDS; s++) slot_first[s] = s * ROOM, slot_room[s] = ROOM;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        uint32_t points = 0, count = 0, kept = 0;
        monitor.renewed = frame == 0 ? PHX_PARTS_ALL : frame % PARTS;
        for (uint32_t slot = SHARDS * ROOM; slot-- > 0;) { /* found from the last one on; each third slot is free */
            const uint32_t shard = slot / ROOM, part = (shard + slot % ROOM / BLOCK) % PARTS;
            if ((slot + frame) % 3 == 0 || (frame > 0 && part != frame % PARTS)) continue;
            put_point(points, slot, false);
            places_found[points] = frame;
            runs[count++] = (phx_point_run){points++, 1, slot, false};
        }
        for (uint32_t slot = 0; slot < SHARDS * ROOM; slot++) {
            const uint32_t part = (slot / ROOM + slot % ROOM / BLOCK) % PARTS;
            if (frame == 0 || part == frame % PARTS) version_of[slot] = frame;
            kept += version_of[slot] != frame && (slot + version_of[slot]) % 3 != 0;
        }
        atomic_store(&monitor.run_count, count);
        atomic_store(&monitor.point_count, points);
        monitor.frame.points.count = points + kept;
        phx_points_order(&monitor);
        cr_assert_eq(monitor.ordered_count, points + kept);
        for (uint32_t slot = 0, at = 0; slot < SHARDS * ROOM; slot++) {
            if ((slot + version_of[slot]) % 3 == 0) continue;
            const bool old = version_of[slot] != frame;
            cr_assert_eq(slots[1][at], slot, "frame %u: slot %u, not %u", frame, slots[1][at], slot);
            cr_assert_eq(xs[at], version_of[slot], "frame %u: slot %u is of frame %u", frame, slot, xs[at]);
            cr_assert(kinds[at] == (uint16_t)(slot * 3) && bits[at] == (uint8_t)slot);
            cr_assert_eq(steps[at], (uint8_t)(~slot | (old ? PH_POINT_STEP_KEPT : 0u)));
            at++;
        }
    }
}

Test(points_order, the_room_for_runs_grows_with_shards_and_points)
{
    cr_assert_leq(phx_points_runs_max(1, 1000), phx_points_runs_max(2, 1000));
    cr_assert_lt(phx_points_runs_max(1, 1000), phx_points_runs_max(1, 100000));
    cr_assert_gt(phx_points_runs_max(64, 0), 64, "a run a piece of each shard at least");
}
