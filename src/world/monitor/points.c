/*
 * Points and grid; see points.h. By the ticking thread and all workers, while no reader is inside.
 */
#include "world/monitor/points.h"

#include <string.h>

#include "base/rng.h"
#include "world/monitor/shown.h"

enum {
    PIECES = 512,       /* of all slots: enough for all workers, few enough that a piece is long */
    PIECE_LEAST = 4096, /* slots */
    STAGE = 1024,       /* points on a worker's stack: 12 KiB, as threads of the host may have a small one */
    GROUP = 256,        /* slots that one loop after the other passes over */
    REFILLS_MAX = 3     /* then no point is given: ids whose samples do not shrink were made for that */
};

uint32_t phx_points_runs_max(uint32_t shard_count, uint32_t points_max)
{
    return 2 * (shard_count + PIECES) + points_max / (STAGE - GROUP); /* a run is full, or the last one of its piece */
}

/* A fill, shared by all workers. */
typedef struct points_fill {
    phx_world *world;
    phx_monitor *monitor;
    phx_shown shown;
    uint32_t points_max, stride, piece_slots;
    bool wants_points, wants_grid, attached, shrunk;
} points_fill;

/* ---- one worker ---- */

typedef struct staged_points {
    uint32_t slots[STAGE + 1]; /* and one that is written and does not count */
    uint16_t x[STAGE + 1], y[STAGE + 1], kinds[STAGE];
    uint8_t bits[STAGE], steps[STAGE];
    uint32_t count, key;
} staged_points;

/* Copies the points to a place of their own; counted only if there is no room for all. */
static void flush_points(const points_fill *fill, staged_points *staged)
{
    phx_monitor *monitor = fill->monitor;
    const uint32_t n = staged->count;
    if (n == 0) return;
    const uint32_t first = atomic_fetch_add_explicit(&monitor->point_count, n, memory_order_relaxed);
    staged->count = 0;
    if (first + (uint64_t)n > fill->points_max) return;
    const uint32_t run = atomic_fetch_add_explicit(&monitor->run_count, 1, memory_order_relaxed);
    const phx_point_columns *to = &monitor->found;
    PHX_ASSERT(run < monitor->runs_max);
    monitor->runs[run] = (phx_point_run){staged->key++, first, n};
    memcpy(to->slots + first, staged->slots, n * sizeof *to->slots);
    memcpy(to->x + first, staged->x, n * sizeof *to->x);
    memcpy(to->y + first, staged->y, n * sizeof *to->y);
    memcpy(to->kinds + first, staged->kinds, n * sizeof *to->kinds);
    memcpy(to->bits + first, staged->bits, n);
    memcpy(to->steps + first, staged->steps, n);
}

/* Is its list as long as its cap? The count of a derived one is 1 more than the targets that may join it. */
static inline bool is_capped(const phx_store *store, uint32_t slot)
{
    const phx_list *list = &store->tail[slot].list;
    const uint32_t cap = phx_store_attr(store, slot)->cap;
    return cap > 0 && (list->derived ? list->count == 1 : list->count >= cap);
}

/* Some slots side by side, for loops without a branch, which the compiler makes vectors of. */
typedef struct slot_group {
    float x[GROUP], y[GROUP];
    uint32_t state[GROUP];
    int32_t place_x[GROUP], place_y[GROUP];
    uint32_t shown[GROUP]; /* 1 = an own entity in the view */
} slot_group;

static void load_group(const phx_body *bodies, uint32_t count, slot_group *group)
{
    for (uint32_t i = 0; i < count; i++) {
        group->x[i] = bodies[i].x;
        group->y[i] = bodies[i].y;
        group->state[i] = bodies[i].state;
    }
}

/* state: bits that an entity has to have, among these. */
static void place_group(const phx_shown *shown, uint32_t among, uint32_t state, uint32_t count, slot_group *group)
{
    const phx_shown at = *shown;
    for (uint32_t i = 0; i < count; i++) {
        const float x = group->x[i], y = group->y[i];
        const uint32_t in = (uint32_t)(x >= at.box.x0) & (uint32_t)(x <= at.box.x1) & (uint32_t)(y >= at.box.y0) &
                            (uint32_t)(y <= at.box.y1);
        group->place_x[i] = phx_shown_place(x, at.box.x0, at.scale_x);
        group->place_y[i] = phx_shown_place(y, at.box.y0, at.scale_y);
        group->shown[i] = in & (uint32_t)((group->state[i] & among) == state);
    }
}

/* Slots and places of the entities of some slots that are shown, behind the staged ones. Returns their end. */
static uint32_t collect_shown(const phx_shown *shown, const phx_store *store, phx_span slots, staged_points *staged)
{
    slot_group group;
    const uint32_t count = slots.end - slots.first;
    const bool common = shown->instance == 0 && !shown->any_instance; /* then a bit of the state decides */
    uint32_t n = staged->count;
    load_group(store->body + slots.first, count, &group);
    place_group(shown, PHX_SLOT_OWN | (common ? PHX_SLOT_APART : 0), PHX_SLOT_OWN, count, &group);
    for (uint32_t i = 0; !common && i < count; i++)
        group.shown[i] = group.shown[i] && phx_shown_instance(shown, store, slots.first + i);
    for (uint32_t i = 0; i < count; i++) {
        staged->slots[n] = slots.first + i;
        staged->x[n] = (uint16_t)group.place_x[i];
        staged->y[n] = (uint16_t)group.place_y[i];
        n += group.shown[i];
    }
    return n;
}

/* Leaves the points of the sample, from this one on. Returns their end. */
static uint32_t keep_sample(const phx_store *store, uint32_t mask, uint32_t first, uint32_t end, staged_points *staged)
{
    uint32_t n = first;
    for (uint32_t i = first; i < end; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): collect_shown() wrote these places */
        staged->slots[n] = staged->slots[i];
        staged->x[n] = staged->x[i];
        staged->y[n] = staged->y[i];
        n += (phx_mix64(store->name[staged->slots[i]].id) & mask) == 0;
    }
    return n;
}

/* Bits that few worlds have. */
static void add_rare_bits(const points_fill *fill, const phx_shard *shard, uint32_t first, staged_points *staged)
{
    const phx_store *store = &shard->store;
    const phx_world *world = fill->world;
    for (uint32_t i = first; i < staged->count; i++) {
        const uint32_t slot = staged->slots[i];
        const uint64_t id = store->name[slot].id;
        uint32_t bits = staged->bits[i];
        if (is_capped(store, slot)) bits |= PH_POINT_CAPPED;
        if (store->body[slot].state & PHX_SLOT_PARTIAL) bits |= PH_POINT_WAITS;
        if (phx_activation_is(&shard->zones.activation, slot)) bits |= PH_POINT_AWAKE;
        if (fill->attached && phx_idmap_find(&world->attach.parent_of, id)) bits |= PH_POINT_ATTACHED;
        const uint64_t *shrunk = fill->shrunk ? phx_idmap_find(&world->crowd.shrunk, id) : NULL;
        staged->steps[i] = shrunk ? (uint8_t)(*shrunk >> 32) : 0;
        staged->bits[i] = (uint8_t)bits;
    }
}

/* Kinds and bits of points from this one on; their slots become numbers of the frame. */
static void describe_points(const points_fill *fill, const phx_shard *shard, uint32_t first, staged_points *staged)
{
    const phx_store *store = &shard->store;
    for (uint32_t i = first; i < staged->count; i++) {
        const phx_attr *attr = phx_store_attr(store, staged->slots[i]);
        const uint32_t bits = (phx_attr_observes(attr) ? PH_POINT_OBSERVER : 0u) |
                              (attr->ready_given ? 0u : PH_POINT_NOT_READY) | (attr->global ? PH_POINT_GLOBAL : 0u) |
                              (attr->veiled ? PH_POINT_VEILED : 0u);
        staged->kinds[i] = attr->kind;
        staged->bits[i] = (uint8_t)bits;
        staged->steps[i] = 0;
    }
    if (shard->limited || shard->zones.activation.slots > 0 || fill->attached || fill->shrunk)
        add_rare_bits(fill, shard, first, staged);
    for (uint32_t i = first; i < staged->count; i++) staged->slots[i] += fill->monitor->slot_first[shard->number];
}

/* Some slots: at most GROUP. */
static void fill_point_group(const points_fill *fill, const phx_shard *shard, phx_span slots, phx_monitor_sums *sums,
                             staged_points *staged)
{
    const phx_store *store = &shard->store;
    const phx_shown *shown = &fill->shown;
    const uint32_t first = staged->count;
    uint32_t end = collect_shown(shown, store, slots, staged);
    sums->matched += end - first;
    for (uint32_t i = first; i < end && fill->wants_grid; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): collect_shown() wrote these places */
        sums->counts[phx_shown_cell(staged->x[i], staged->y[i])]++;
    }
    if (!fill->wants_points) return;
    if (fill->stride > 1) end = keep_sample(store, fill->stride - 1, first, end, staged);
    staged->count = end;
    describe_points(fill, shard, first, staged);
    if (staged->count > STAGE - GROUP) flush_points(fill, staged);
}

static void fill_slots(const points_fill *fill, const phx_shard *shard, phx_span slots, phx_monitor_sums *sums,
                       staged_points *staged)
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
    staged_points staged;
    staged.count = 0;
    staged.key = piece << 16;
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
    const phx_rect towers = phx_box_towers(&world->rules, fill->shown.box);
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
        if (fill->wants_grid) memset(monitor->sums[i].counts, 0, bytes);
    }
}

static void add_sums(const points_fill *fill)
{
    phx_monitor *monitor = fill->monitor;
    monitor->frame.points.matched = 0;
    for (uint32_t i = 0; i < phx_workers_count(fill->world->workers); i++) {
        monitor->frame.points.matched += monitor->sums[i].matched;
        for (uint32_t c = 0; i > 0 && fill->wants_grid && c < PH_MONITOR_CELLS * PH_MONITOR_CELLS; c++)
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

/* Points of all pieces with this stride. Returns how many there are. */
static uint32_t run_fill(points_fill *fill, uint32_t pieces)
{
    phx_monitor *monitor = fill->monitor;
    clear_sums(fill);
    atomic_store_explicit(&monitor->run_count, 0, memory_order_relaxed);
    atomic_store_explicit(&monitor->point_count, 0, memory_order_relaxed);
    phx_parallel_for(fill->world->workers, pieces, fill_points_piece, fill);
    add_sums(fill);
    return atomic_load_explicit(&monitor->point_count, memory_order_relaxed);
}

void phx_points_fill(phx_world *world, phx_monitor *monitor)
{
    const ph_monitor_view *view = &monitor->frame.view;
    ph_monitor_points *points = &monitor->frame.points;
    points_fill fill = {.world = world,
                        .monitor = monitor,
                        .shown = phx_shown_of(view),
                        .points_max = view->points_max,
                        .stride = monitor->stride,
                        .wants_points = view->flags & PH_MONITOR_POINTS,
                        .wants_grid = view->flags & PH_MONITOR_GRID,
                        .attached = phx_idmap_count(&world->attach.parent_of) > 0,
                        .shrunk = phx_idmap_count(&world->crowd.shrunk) > 0};
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
    if (fill.stride > 1) monitor->frame.flags |= PH_FRAME_DECIMATED;
    monitor->stride = next_stride(fill.stride, points->matched, fill.points_max);
}
