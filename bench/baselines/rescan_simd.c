/*
 * Baseline "rescan-simd": sorted by cell every tick; each entity tests all of its nine
 * cells, many places at once, which makes its whole new list; the list is compared with
 * the previous one.
 */
#include "bench/baselines/baseline.h"
#include "bench/baselines/baselines.h"
#include "bench/baselines/rows.h"
#include "bench/baselines/scan.h"
#include "tools/cli.h"

typedef struct rescan_simd {
    baseline base;
    sorted places;
    rows lists;
    scan_fn scan;
} rescan_simd;

static void *simd_create(const ph_world_def *def, uint32_t producers, phx_mem *mem, bench_error *error)
{
    (void)producers;
    (void)error;
    rescan_simd *self = baseline_create(sizeof *self, def, mem);
    self->lists.mem = &self->base.mem;
    self->scan = scan_at(scan_count() - 1);
    sorted_init(&self->places, def, &self->base.mem);
    return self;
}

static void simd_destroy(void *engine)
{
    rescan_simd *self = engine;
    sorted_free(&self->places);
    rows_free(&self->lists);
    baseline_destroy(&self->base, sizeof *self);
}

/* The new rows of one cell's entities; `count` items stand before them. Returns how many then. */
static uint32_t scan_cell(rescan_simd *self, uint32_t cx, uint32_t cy, uint32_t count)
{
    const sorted *places = &self->places;
    const cells *grid = &places->grid;
    row_set *now = &self->lists.now;
    uint32_t begins[3], ends[3], runs = 0, candidates = 0;
    float view = self->base.def->classes[0].view;
    for (uint32_t y = cy == 0 ? 0 : cy - 1; y <= cy + 1 && y < grid->ny; y++) { /* cells of a row lie side by side */
        const uint32_t *row = &places->starts[y * grid->nx];
        begins[runs] = row[cx == 0 ? 0 : cx - 1];
        ends[runs] = row[cx + 1 == grid->nx ? grid->nx : cx + 2];
        candidates += ends[runs] - begins[runs];
        runs += ends[runs] > begins[runs] ? 1 : 0;
    }
    const uint32_t *cell = &places->starts[cy * grid->nx + cx];
    for (uint32_t i = cell[0]; i < cell[1]; i++) {
        scan_centre centre = {places->x[i], places->y[i], view * view, places->slots[i]};
        if (now->items_room - count < candidates + SORTED_PAD) {
            rows_grow_items(&self->lists, count, (size_t)candidates + SORTED_PAD);
        }
        for (uint32_t r = 0; r < runs; r++) {
            count += self->scan(places, begins[r], ends[r], centre, &now->items[count]);
        }
        now->starts[i + 1] = count;
    }
    self->base.stats.pairs_tested += (uint64_t)(cell[1] - cell[0]) * (candidates - 1);
    return count;
}

static void scan_all(rescan_simd *self)
{
    const cells *grid = &self->places.grid;
    uint32_t count = 0;
    for (uint32_t cy = 0; cy < grid->ny; cy++) {
        const uint32_t *row = &self->places.starts[cy * grid->nx];
        for (uint32_t cx = 0; cx < grid->nx; cx++) {
            if (row[cx] < row[cx + 1]) {
                count = scan_cell(self, cx, cy, count);
            }
        }
    }
    self->base.stats.list_entries = count;
}

static bool simd_tick(void *engine, const bench_frame *frame, bench_error *error)
{
    rescan_simd *self = engine;
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
    rows_begin(&self->lists, self->places.count);
    scan_all(self);
    clock = baseline_phase(base, BENCH_INTEREST, clock);
    rows_emit(&self->lists, &self->places, &base->people, &base->sent);
    sent_walk(&base->sent);
    baseline_phase(base, BENCH_PUBLISH, clock);
    return true;
}

const bench_engine bench_engine_rescan_simd = {
    .name = "rescan-simd",
    .doc = "baseline: sorted by cell every tick, all nine cells scanned by AVX-512 or AVX2, lists compared",
    .single = true,
    .refuse = baseline_refuse_circle,
    .create = simd_create,
    .tick = simd_tick,
    .records = baseline_records,
    .release = baseline_release,
    .stats = baseline_stats,
    .destroy = simd_destroy,
};
