/*
 * Baseline "batch": the work of a competent engineer in two days, and the engine to beat.
 * Tick by tick: take in the positions, counting sort by cell, test each unordered pair of
 * neighbouring entities once, build all interest lists side by side, compare each with
 * the list of the tick before. With a margin the pairs in its ring are found too, and stay with
 * an observer that had the target in its list; past a cap the nearest are selected. Plain C.
 */
#include "bench/base/memory.h"
#include "bench/baselines/baseline.h"
#include "bench/baselines/baselines.h"
#include "bench/baselines/rows.h"
#include "tools/cli.h"

typedef struct batch {
    baseline base;
    sorted places;
    rows lists;
    uint32_t *hits;       /* by first place: later places in range of it */
    uint32_t *hit_starts; /* by place, and one more */
    uint32_t hits_room, hit_starts_room;
} batch;

static void *batch_create(const ph_world_def *def, uint32_t producers, phx_mem *mem, bench_error *error)
{
    (void)producers;
    (void)error;
    batch *self = baseline_create(sizeof *self, def, mem);
    self->lists.mem = &self->base.mem;
    sorted_init(&self->places, def, &self->base.mem);
    return self;
}

static void batch_destroy(void *engine)
{
    batch *self = engine;
    phx_mem *mem = &self->base.mem;
    sorted_free(&self->places);
    rows_free(&self->lists);
    phx_release(mem, (void **)&self->hits, &self->hits_room, sizeof *self->hits);
    phx_release(mem, (void **)&self->hit_starts, &self->hit_starts_room, sizeof *self->hit_starts);
    baseline_destroy(&self->base, sizeof *self);
}

/* Places [begin, end) that are in range of (x, y) go to hits; no branch depends on a distance. */
static uint32_t scan(const sorted *places, uint32_t begin, uint32_t end, float x, float y, float square,
                     uint32_t *restrict hits)
{
    uint32_t count = 0;
    for (uint32_t j = begin; j < end; j++) {
        float dx = places->x[j] - x;
        float dy = places->y[j] - y;
        hits[count] = j;
        count += dx * dx + dy * dy <= square;
    }
    return count;
}

/* The same with a margin: pairs out of view, but within view and margin, are marked. */
static uint32_t scan_ring(const sorted *places, uint32_t begin, uint32_t end, float x, float y, const float squares[2],
                          uint32_t *restrict hits)
{
    uint32_t count = 0;
    float view = squares[0], outer = squares[1];
    for (uint32_t j = begin; j < end; j++) {
        float dx = places->x[j] - x;
        float dy = places->y[j] - y;
        float square = dx * dx + dy * dy;
        hits[count] = j | (square <= view ? 0 : ROW_RING);
        count += square <= outer;
    }
    return count;
}

/* The later places [begin, end) in range of place i. */
static uint32_t scan_places(const batch *self, uint32_t i, uint32_t begin, uint32_t end, const float squares[2],
                            uint32_t *hits)
{
    const sorted *places = &self->places;
    float x = places->x[i], y = places->y[i];
    return self->base.def->classes[0].margin > 0 ? scan_ring(places, begin, end, x, y, squares, hits)
                                                 : scan(places, begin, end, x, y, squares[0], hits);
}

/*
 * Each pair once: with the rest of the own cell and the next one, which lie side by side,
 * and with the three cells below, which do so too. Counts into lists.now.starts[place + 1]
 * how long the list of each will be. Returns the number of hits.
 */
static uint32_t find_pairs(batch *self)
{
    const sorted *places = &self->places;
    const cells *grid = &places->grid;
    uint32_t *lengths = self->lists.now.starts + 1;
    const ph_class *class = &self->base.def->classes[0];
    float outer = class->view + class->margin;
    const float squares[2] = {class->view * class->view, outer * outer};
    uint32_t hits = 0;
    for (uint32_t cy = 0; cy < grid->ny; cy++) {
        for (uint32_t cx = 0; cx < grid->nx; cx++) {
            const uint32_t *cell = &places->starts[cy * grid->nx + cx];
            if (cell[0] == cell[1]) {
                continue;
            }
            bool last = cx + 1 == grid->nx;
            uint32_t end = last ? cell[1] : cell[2];
            uint32_t below = 0, below_end = 0;
            if (cy + 1 < grid->ny) {
                below = cell[grid->nx - (cx == 0 ? 0 : 1)];
                below_end = cell[grid->nx + (last ? 1 : 2)];
            }
            for (uint32_t i = cell[0]; i < cell[1]; i++) {
                uint32_t room = (end - i) + (below_end - below);
                if (self->hits_room - hits <= room) {
                    bench_grow(&self->base.mem, (void **)&self->hits, &self->hits_room, hits, (size_t)hits + room + 1,
                               sizeof *self->hits);
                }
                self->hit_starts[i] = hits;
                hits += scan_places(self, i, i + 1, end, squares, &self->hits[hits]);
                hits += scan_places(self, i, below, below_end, squares, &self->hits[hits]);
                self->base.stats.pairs_tested += room - 1;
                for (uint32_t h = self->hit_starts[i]; h < hits; h++) {
                    lengths[self->hits[h] & ~ROW_RING]++;
                }
                lengths[i] += hits - self->hit_starts[i];
            }
        }
    }
    self->hit_starts[places->count] = hits;
    return hits;
}

/* From pairs to the lists of both; lists.now.starts holds their lengths, one place on. */
static void build_lists(batch *self, uint32_t hits)
{
    const sorted *places = &self->places;
    uint32_t count = places->count;
    uint32_t *starts = self->lists.now.starts;
    rows_grow_items(&self->lists, 0, (size_t)hits * 2 + 1);
    uint32_t *restrict items = self->lists.now.items;
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++) { /* starts[i + 1] becomes where row i goes on, in the end where it ends */
        uint32_t length = starts[i + 1];
        starts[i + 1] = total;
        total += length;
    }
    PHX_ASSERT(total == hits * 2);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = places->slots[i];
        for (uint32_t h = self->hit_starts[i]; h < self->hit_starts[i + 1]; h++) {
            uint32_t j = self->hits[h] & ~ROW_RING, ring = self->hits[h] & ROW_RING;
            items[starts[i + 1]++] = places->slots[j] | ring;
            items[starts[j + 1]++] = slot | ring;
        }
    }
    self->base.stats.list_entries = total;
}

static bool batch_tick(void *engine, const bench_frame *frame, bench_error *error)
{
    batch *self = engine;
    baseline *base = &self->base;
    (void)error;
    uint64_t clock = phx_clock_ns();
    baseline_apply(base, frame, NULL);
    if (frame->span_count == 0) { /* nothing can have changed */
        baseline_quiet(base);
        return true;
    }
    clock = baseline_phase(base, BENCH_INGEST, clock);
    sorted_make(&self->places, &base->people);
    clock = baseline_phase(base, BENCH_INDEX, clock);
    uint32_t count = self->places.count;
    rows_begin(&self->lists, count);
    bench_grow(&base->mem, (void **)&self->hit_starts, &self->hit_starts_room, 0, (size_t)count + 1,
               sizeof *self->hit_starts);
    for (uint32_t i = 0; i <= count; i++) {
        self->lists.now.starts[i] = 0;
    }
    build_lists(self, find_pairs(self));
    clock = baseline_phase(base, BENCH_INTEREST, clock);
    const ph_class *class = &base->def->classes[0];
    if (class->margin > 0 || class->cap > 0) {
        const row_limits limits = {class->cap, base->def->sticky};
        base->stats.list_entries = rows_tell_limited(&self->lists, &self->places, &base->people, &limits, &base->sent);
    } else {
        rows_emit(&self->lists, &self->places, &base->people, &base->sent);
    }
    sent_walk(&base->sent);
    baseline_phase(base, BENCH_PUBLISH, clock);
    return true;
}

const bench_engine bench_engine_batch = {
    .name = "batch",
    .doc = "baseline: sorted by cell every tick, each pair tested once, lists side by side and compared; plain C; "
           "with margin and cap",
    .single = true,
    .refuse = baseline_refuse_limited_circle,
    .create = batch_create,
    .tick = batch_tick,
    .records = baseline_records,
    .release = baseline_release,
    .stats = baseline_stats,
    .destroy = batch_destroy,
};
