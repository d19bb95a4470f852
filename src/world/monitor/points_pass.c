/*
 * A pass over the slots of a part; see points_pass.h. By the ticking thread and all workers, at the end of a tick.
 */
#include "world/monitor/points_pass.h"

#include <string.h>

#include "base/rng.h"
#include "world/monitor/describe.h"
#include "world/monitor/stretches.h"

enum {
    PIECES = 512,       /* of all slots: enough for all workers, few enough that a piece is long */
    PIECE_LEAST = 4096, /* slots */
    GROUP = 256,        /* slots that one loop after the other passes over, while they are in the nearest cache */
    CELLS = PH_MONITOR_CELLS * PH_MONITOR_CELLS
};

uint32_t phx_points_runs_max(uint32_t shard_count, uint32_t points_max)
{
    /* a run is full, or the last one of its piece; or it has the kept points of a stretch */
    return 3 * (shard_count + PIECES) + points_max / (PHX_STAGE_POINTS - GROUP);
}

/* ---- one worker ---- */

/* Copies the points to a place of their own; counted only if there is no room for all. */
static void flush_points(const phx_points_pass *pass, phx_staged_points *staged)
{
    phx_monitor *monitor = pass->monitor;
    const uint32_t n = staged->count;
    if (n == 0) return;
    const uint32_t first = atomic_fetch_add_explicit(&monitor->point_count, n, memory_order_relaxed);
    staged->count = 0;
    if (first + (uint64_t)n > pass->points_max) return;
    const uint32_t run = atomic_fetch_add_explicit(&monitor->run_count, 1, memory_order_relaxed);
    const phx_found_columns *to = &monitor->found;
    PHX_ASSERT(run < monitor->runs_max);
    const bool successive = staged->slots[n - 1] - staged->slots[0] == n - 1; /* slots go up */
    monitor->runs[run] = (phx_point_run){first, n, staged->slots[0], successive};
    if (!successive) memcpy(to->slots + first, staged->slots, n * sizeof *to->slots);
    memcpy(to->places + first, staged->places, n * sizeof *to->places);
    memcpy(to->looks + first, staged->looks, n * sizeof *to->looks);
}

/* Leaves the points of the view's instance, or of the sample, from this one on. Returns their end. */
static uint32_t keep_instance(const phx_shown *shown, const phx_store *store, uint32_t first, uint32_t end,
                              phx_staged_points *staged)
{
    uint32_t n = first;
    for (uint32_t i = first; i < end; i++) {
        staged->slots[n] = staged->slots[i];
        staged->places[n] = staged->places[i];
        n += phx_shown_instance(shown, store, staged->slots[i]);
    }
    return n;
}

static uint32_t keep_sample(const phx_store *store, uint32_t mask, uint32_t first, uint32_t end,
                            phx_staged_points *staged)
{
    uint32_t n = first;
    for (uint32_t i = first; i < end; i++) {
        staged->slots[n] = staged->slots[i];
        staged->places[n] = staged->places[i];
        n += (phx_mix64(store->name[staged->slots[i]].id) & mask) == 0;
    }
    return n;
}

/* Slots and places of the entities of some slots that are shown, behind the staged ones. Returns their end. */
static uint32_t collect_shown(const phx_points_pass *pass, const phx_store *store, phx_span slots,
                              phx_staged_points *staged)
{
    const phx_shown *shown = &pass->places_of.shown;
    const uint32_t first = staged->count;
    const phx_places to = {staged->slots + first, staged->places + first};
    const uint32_t end = first + pass->kernel(&pass->places_of, store->body, slots, to);
    if (shown->any_instance || shown->instance == 0) return end; /* a bit of the state has decided */
    return keep_instance(shown, store, first, end, staged);
}

/*
 * The next group's sets: each group begins a stream anew, before the processor knows that it is one. An address behind
 * the last set is no access.
 */
static void fetch_sets(const phx_store *store, uint32_t first)
{
    for (uint32_t at = 0; at < GROUP; at += PHX_CACHE_LINE / sizeof *store->set)
        __builtin_prefetch((const void *)((uintptr_t)store->set + (first + at) * sizeof *store->set));
}

/* Some slots: at most GROUP. */
static void fill_point_group(const phx_points_pass *pass, const phx_shard *shard, phx_span slots,
                             phx_monitor_sums *sums, phx_staged_points *staged)
{
    const phx_store *store = &shard->store;
    const uint32_t first = staged->count;
    if (pass->wants_points) fetch_sets(store, slots.end);
    uint32_t end = collect_shown(pass, store, slots, staged);
    sums->matched += end - first;
    for (uint32_t i = first; i < end && pass->counts_cells; i++) sums->counts[phx_place_cell(staged->places[i])]++;
    if (!pass->wants_points) return;
    if (pass->stride > 1) end = keep_sample(store, pass->stride - 1, first, end, staged);
    staged->count = end;
    phx_describe_points(pass->world, shard, pass->monitor->slot_first[shard->number], first, staged);
    if (staged->count > PHX_STAGE_POINTS - GROUP) flush_points(pass, staged);
}

static void fill_slots(const phx_points_pass *pass, const phx_shard *shard, phx_span slots, phx_monitor_sums *sums,
                       phx_staged_points *staged)
{
    for (uint32_t first = slots.first; first < slots.end; first += GROUP) {
        const uint32_t end = slots.end - first < GROUP ? slots.end : first + GROUP;
        fill_point_group(pass, shard, (phx_span){first, end}, sums, staged);
    }
}

/* A piece is a stretch of the part at hand. */
static void fill_points_piece(void *context, uint32_t worker, uint32_t piece)
{
    const phx_points_pass *pass = context;
    const phx_monitor *monitor = pass->monitor;
    uint32_t low = 0, high = monitor->shard_count; /* the shard: the last one that begins at the piece, or before */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (monitor->piece_first[middle] <= piece) low = middle;
        else high = middle;
    }
    const phx_shard *shard = &pass->world->shards[low];
    const uint32_t stretch =
        phx_part_first_stretch(pass->parts, pass->part, low) + (piece - monitor->piece_first[low]) * pass->parts;
    const uint32_t first = stretch * pass->stretch_slots, left = shard->store.slots - first;
    const phx_span slots = {first, first + (left < pass->stretch_slots ? left : pass->stretch_slots)};
    phx_staged_points staged;
    phx_describe_begin(&staged, pass->detect);
    fill_slots(pass, shard, slots, &monitor->sums[worker], &staged);
    flush_points(pass, &staged);
}

/* ---- the ticking thread ---- */

/* May entities of the shard be in the view? */
static bool meets_view(const phx_world *world, const phx_shard *shard, phx_rect towers)
{
    if (world->any_outside) return true; /* entities wait in the wrong shard */
    return shard->rect.x0 <= towers.x1 && shard->rect.x1 >= towers.x0 && shard->rect.y0 <= towers.y1 &&
           shard->rect.y1 >= towers.y0;
}

uint32_t phx_points_stretch_slots(const phx_points_pass *pass)
{
    const phx_world *world = pass->world;
    const phx_rect towers = phx_box_towers(&world->rules, pass->places_of.shown.box);
    uint64_t slots = 0;
    for (uint32_t i = 0; i < world->shard_count; i++)
        if (meets_view(world, &world->shards[i], towers)) slots += world->shards[i].store.slots;
    return (uint32_t)(slots / PIECES) > PIECE_LEAST ? (uint32_t)(slots / PIECES) : PIECE_LEAST;
}

/* The pieces of the part at hand. Returns how many. */
static uint32_t plan_pieces(const phx_points_pass *pass)
{
    const phx_world *world = pass->world;
    const phx_rect towers = phx_box_towers(&world->rules, pass->places_of.shown.box);
    uint32_t pieces = 0;
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const phx_shard *shard = &world->shards[i];
        const uint32_t stretches = (shard->store.slots + pass->stretch_slots - 1) / pass->stretch_slots;
        const uint32_t first = phx_part_first_stretch(pass->parts, pass->part, i);
        pass->monitor->piece_first[i] = pieces;
        if (stretches > first && meets_view(world, shard, towers))
            pieces += (stretches - first + pass->parts - 1) / pass->parts;
    }
    return pieces;
}

static void clear_sums(const phx_points_pass *pass)
{
    const phx_monitor *monitor = pass->monitor;
    for (uint32_t i = 0; i < phx_workers_count(pass->world->workers); i++) {
        monitor->sums[i].matched = 0;
        if (pass->counts_cells) memset(monitor->sums[i].counts, 0, CELLS * sizeof *monitor->sums[i].counts);
    }
}

/* The sums of the part at hand take the place of the ones that it had. */
static void add_sums(const phx_points_pass *pass)
{
    phx_monitor *monitor = pass->monitor;
    uint32_t *part = monitor->part_counts + (size_t)pass->part * CELLS, matched = 0;
    for (uint32_t c = 0; pass->counts_cells && c < CELLS; c++) monitor->grid_counts[c] -= part[c];
    for (uint32_t i = 0; i < phx_workers_count(pass->world->workers); i++) {
        matched += monitor->sums[i].matched;
        for (uint32_t c = 0; i > 0 && pass->counts_cells && c < CELLS; c++)
            monitor->sums[0].counts[c] += monitor->sums[i].counts[c];
    }
    for (uint32_t c = 0; pass->counts_cells && c < CELLS; c++)
        monitor->grid_counts[c] += part[c] = monitor->sums[0].counts[c];
    monitor->parts.matched[pass->part] = matched;
}

void phx_points_pass_run(phx_points_pass *pass, uint32_t part)
{
    phx_monitor *monitor = pass->monitor;
    const uint32_t before = atomic_load_explicit(&monitor->point_count, memory_order_relaxed);
    pass->part = part;
    clear_sums(pass);
    phx_parallel_for(pass->world->workers, plan_pieces(pass), fill_points_piece, pass);
    add_sums(pass);
    monitor->parts.points[part] = atomic_load_explicit(&monitor->point_count, memory_order_relaxed) - before;
    monitor->parts.ticks[part] = pass->world->tick;
}
