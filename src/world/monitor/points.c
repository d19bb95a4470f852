/*
 * Points and grid; see points.h. By the ticking thread and all workers, while no reader is inside.
 */
#include "world/monitor/points.h"

#include <string.h>

#include "base/rng.h"
#include "world/monitor/describe.h"
#include "world/monitor/places_avx2.h"

enum {
    PIECES = 512,       /* of all slots: enough for all workers, few enough that a piece is long */
    PIECE_LEAST = 4096, /* slots */
    GROUP = 256,        /* slots that one loop after the other passes over, while they are in the nearest cache */
    REFILLS_MAX = 3     /* then no point is given: ids whose samples do not shrink were made for that */
};

uint32_t phx_points_runs_max(uint32_t shard_count, uint32_t points_max)
{
    return 2 * (shard_count + PIECES) +
           points_max / (PHX_STAGE_POINTS - GROUP); /* a run is full, or the last one of its piece */
}

/* A fill, shared by all workers. */
typedef struct points_fill {
    phx_world *world;
    phx_monitor *monitor;
    phx_places_of places_of;
    phx_places_kernel *kernel;
    uint32_t points_max, stride, piece_slots;
    bool wants_points, wants_grid, counts_cells;
} points_fill;

/* ---- one worker ---- */

/* Copies the points to a place of their own; counted only if there is no room for all. */
static void flush_points(const points_fill *fill, phx_staged_points *staged)
{
    phx_monitor *monitor = fill->monitor;
    const uint32_t n = staged->count;
    if (n == 0) return;
    const uint32_t first = atomic_fetch_add_explicit(&monitor->point_count, n, memory_order_relaxed);
    staged->count = 0;
    if (first + (uint64_t)n > fill->points_max) return;
    const uint32_t run = atomic_fetch_add_explicit(&monitor->run_count, 1, memory_order_relaxed);
    const phx_found_columns *to = &monitor->found;
    PHX_ASSERT(run < monitor->runs_max);
    const bool successive = staged->slots[n - 1] - staged->slots[0] == n - 1; /* slots go up */
    monitor->runs[run] = (phx_point_run){staged->key++, first, n, staged->slots[0], successive};
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
static uint32_t collect_shown(const points_fill *fill, const phx_store *store, phx_span slots,
                              phx_staged_points *staged)
{
    const phx_shown *shown = &fill->places_of.shown;
    const uint32_t first = staged->count;
    const phx_places to = {staged->slots + first, staged->places + first};
    const uint32_t end = first + fill->kernel(&fill->places_of, store->body, slots, to);
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
static void fill_point_group(const points_fill *fill, const phx_shard *shard, phx_span slots, phx_monitor_sums *sums,
                             phx_staged_points *staged)
{
    const phx_store *store = &shard->store;
    const uint32_t first = staged->count;
    if (fill->wants_points) fetch_sets(store, slots.end);
    uint32_t end = collect_shown(fill, store, slots, staged);
    sums->matched += end - first;
    for (uint32_t i = first; i < end && fill->counts_cells; i++) sums->counts[phx_place_cell(staged->places[i])]++;
    if (!fill->wants_points) return;
    if (fill->stride > 1) end = keep_sample(store, fill->stride - 1, first, end, staged);
    staged->count = end;
    phx_describe_points(fill->world, shard, fill->monitor->slot_first[shard->number], first, staged);
    if (staged->count > PHX_STAGE_POINTS - GROUP) flush_points(fill, staged);
}

static void fill_slots(const points_fill *fill, const phx_shard *shard, phx_span slots, phx_monitor_sums *sums,
                       phx_staged_points *staged)
{
    for (uint32_t first = slots.first; first < slots.end; first += GROUP) {
        const uint32_t end = slots.end - first < GROUP ? slots.end : first + GROUP;
        fill_point_group(fill, shard, (phx_span){first, end}, sums, staged);
    }
}

static void fill_points_piece(void *context, uint32_t worker, uint32_t piece)
{
    const points_fill *fill = context;
    const phx_monitor *monitor = fill->monitor;
    uint32_t low = 0, high = monitor->shard_count; /* the shard: the last one that begins at the piece, or before */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (monitor->piece_first[middle] <= piece) low = middle;
        else high = middle;
    }
    const phx_shard *shard = &fill->world->shards[low];
    const uint32_t first = (piece - monitor->piece_first[low]) * fill->piece_slots, left = shard->store.slots - first;
    const phx_span slots = {first, first + (left < fill->piece_slots ? left : fill->piece_slots)};
    phx_staged_points staged;
    staged.count = 0;
    staged.key = piece << 16;
    phx_describe_begin(&staged);
    fill_slots(fill, shard, slots, &monitor->sums[worker], &staged);
    flush_points(fill, &staged);
}

/* ---- the ticking thread ---- */

/* Numbers for slots of all shards: the same as in the last fill, while each shard's slots are within its room. */
static void number_slots(const phx_world *world, phx_monitor *monitor)
{
    enum { LEAST_ROOM = 64, SPARE_PART = 4 }; /* a shard that grows seldom changes the numbers */
    uint32_t first = 0;
    bool fits = true;
    for (uint32_t i = 0; i < world->shard_count && fits; i++)
        fits = world->shards[i].store.slots <= monitor->slot_room[i];
    if (fits) return;
    monitor->frame.points.slot_epoch++;
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const uint32_t slots = world->shards[i].store.slots;
        monitor->slot_first[i] = first;
        monitor->slot_room[i] = slots + slots / SPARE_PART + LEAST_ROOM;
        first += monitor->slot_room[i];
    }
    monitor->frame.points.slot_count = first;
}

/* May entities of the shard be in the view? */
static bool meets_view(const phx_world *world, const phx_shard *shard, phx_rect towers)
{
    if (world->any_outside) return true; /* entities wait in the wrong shard */
    return shard->rect.x0 <= towers.x1 && shard->rect.x1 >= towers.x0 && shard->rect.y0 <= towers.y1 &&
           shard->rect.y1 >= towers.y0;
}

/* Cuts the slots of shards in the view into pieces. Returns how many. */
static uint32_t plan_pieces(points_fill *fill)
{
    const phx_world *world = fill->world;
    const phx_rect towers = phx_box_towers(&world->rules, fill->places_of.shown.box);
    uint64_t slots = 0;
    uint32_t pieces = 0;
    for (uint32_t i = 0; i < world->shard_count; i++)
        if (meets_view(world, &world->shards[i], towers)) slots += world->shards[i].store.slots;
    fill->piece_slots = (uint32_t)(slots / PIECES) > PIECE_LEAST ? (uint32_t)(slots / PIECES) : PIECE_LEAST;
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const phx_shard *shard = &world->shards[i];
        fill->monitor->piece_first[i] = pieces;
        if (meets_view(world, shard, towers))
            pieces += (shard->store.slots + fill->piece_slots - 1) / fill->piece_slots;
    }
    return pieces;
}

static void clear_sums(const points_fill *fill)
{
    const phx_monitor *monitor = fill->monitor;
    const size_t bytes = (size_t)PH_MONITOR_CELLS * PH_MONITOR_CELLS * sizeof(uint32_t);
    for (uint32_t i = 0; i < phx_workers_count(fill->world->workers); i++) {
        monitor->sums[i].matched = 0;
        if (fill->counts_cells) memset(monitor->sums[i].counts, 0, bytes);
    }
}

static void add_sums(const points_fill *fill)
{
    phx_monitor *monitor = fill->monitor;
    monitor->frame.points.matched = 0;
    for (uint32_t i = 0; i < phx_workers_count(fill->world->workers); i++) {
        monitor->frame.points.matched += monitor->sums[i].matched;
        for (uint32_t c = 0; i > 0 && fill->counts_cells && c < PH_MONITOR_CELLS * PH_MONITOR_CELLS; c++)
            monitor->sums[0].counts[c] += monitor->sums[i].counts[c];
    }
}

/* The least stride from this one on with which the points are likely to have room. */
static uint32_t likely_stride(uint32_t stride, uint32_t matched, uint32_t points_max)
{
    enum { LEAVES = 16 }; /* a sixteenth of the room is left: the sample of random ids is not exactly a part */
    while ((matched / stride) > points_max - points_max / LEAVES && stride < 1u << 31) stride *= 2;
    return stride;
}

/* The stride of the next fill: half of this one, if that leaves a quarter of the room. */
static uint32_t next_stride(uint32_t stride, uint32_t matched, uint32_t points_max)
{
    while (stride > 1 && matched / (stride / 2) <= points_max / 4 * 3) stride /= 2;
    return stride;
}

/*
 * Points of all pieces with this stride. Returns how many there are. If the frame has a point for each entity, the
 * thread that takes it counts cells from its points (order.h).
 */
static uint32_t run_fill(points_fill *fill, uint32_t pieces)
{
    phx_monitor *monitor = fill->monitor;
    fill->counts_cells = fill->wants_grid && !(fill->wants_points && fill->stride == 1);
    clear_sums(fill);
    atomic_store_explicit(&monitor->run_count, 0, memory_order_relaxed);
    atomic_store_explicit(&monitor->point_count, 0, memory_order_relaxed);
    phx_parallel_for(fill->world->workers, pieces, fill_points_piece, fill);
    add_sums(fill);
    return atomic_load_explicit(&monitor->point_count, memory_order_relaxed);
}

static phx_places_of places_of(const ph_monitor_view *view)
{
    const phx_shown shown = phx_shown_of(view);
    const bool common = shown.instance == 0 && !shown.any_instance;
    return (phx_places_of){shown, PHX_SLOT_OWN | (common ? PHX_SLOT_APART : 0u), PHX_SLOT_OWN};
}

void phx_points_fill(phx_world *world, phx_monitor *monitor)
{
    const ph_monitor_view *view = &monitor->frame.view;
    ph_monitor_points *points = &monitor->frame.points;
    points_fill fill = {.world = world,
                        .monitor = monitor,
                        .places_of = places_of(view),
                        .kernel = phx_places_kernel_of(world->rules.simd),
                        .points_max = view->points_max,
                        .stride = monitor->stride,
                        .wants_points = view->flags & PH_MONITOR_POINTS,
                        .wants_grid = view->flags & PH_MONITOR_GRID};
    number_slots(world, monitor);
    const uint32_t pieces = plan_pieces(&fill);
    uint32_t count = run_fill(&fill, pieces);
    for (uint32_t i = 0; i < REFILLS_MAX && count > fill.points_max; i++) {
        fill.stride = likely_stride(fill.stride * 2, points->matched, fill.points_max);
        atomic_fetch_add_explicit(&monitor->refilled, 1, memory_order_relaxed);
        count = run_fill(&fill, pieces);
    }
    if (count > fill.points_max) {
        count = 0;
        atomic_store_explicit(&monitor->run_count, 0, memory_order_relaxed);
        monitor->frame.flags |= PH_FRAME_NO_POINTS;
    }
    points->count = count;
    points->stride = fill.stride;
    monitor->cells_due = fill.wants_grid && !fill.counts_cells;
    if (fill.stride > 1) monitor->frame.flags |= PH_FRAME_DECIMATED;
    monitor->stride = next_stride(fill.stride, points->matched, fill.points_max);
}
