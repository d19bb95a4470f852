/*
 * Baseline "rescan": the work of a competent engineer in a day. Cells with arrays of
 * entities, a hash set per entity of its targets, and every move at once: test the
 * nine cells around, then the set for targets out of range. All views are equal, so seeing
 * is mutual, and both sets are kept at once.
 */
#include "bench/base/memory.h"
#include "bench/baselines/baseline.h"
#include "bench/baselines/baselines.h"
#include "bench/baselines/cells.h"

/* An open-addressing set of slots, at most half full. */
typedef struct slot_set {
    uint32_t *keys; /* POPULATION_NONE = empty */
    uint32_t size;  /* a power of two, or 0 */
    uint32_t count;
} slot_set;

typedef struct cell_list {
    uint32_t *slots;
    uint32_t count;
    uint32_t room;
} cell_list;

typedef struct rescan {
    baseline base;
    cells grid;
    cell_list *lists; /* by cell */
    slot_set *seen;   /* by slot, as the next two */
    uint32_t *cell_of;
    uint32_t *place_of; /* in its cell */
    uint32_t *gone;     /* scratch: targets that left one's range */
    net_log log;
    uint32_t seen_room, cell_room, place_room, gone_room;
} rescan;

enum { SET_SIZE_MIN = 8 };

/* ---- sets ---- */

static uint32_t set_home(uint32_t key, uint32_t mask)
{
    return (key * 0x9e3779b1u >> 7) & mask; /* golden ratio: neighbours in a cell have unrelated slots anyway */
}

static uint32_t set_place(const slot_set *set, uint32_t key)
{
    uint32_t mask = set->size - 1;
    uint32_t i = set_home(key, mask);
    while (set->keys[i] != key && set->keys[i] != POPULATION_NONE) {
        i = (i + 1) & mask;
    }
    return i;
}

static bool set_has(const slot_set *set, uint32_t key)
{
    return set->size > 0 && set->keys[set_place(set, key)] == key;
}

static void set_resize(phx_mem *mem, slot_set *set, uint32_t size)
{
    slot_set old = *set;
    set->keys = bench_alloc(mem, size * sizeof *set->keys);
    set->size = size;
    for (uint32_t i = 0; i < size; i++) {
        set->keys[i] = POPULATION_NONE;
    }
    for (uint32_t i = 0; i < old.size; i++) {
        if (old.keys[i] != POPULATION_NONE) {
            set->keys[set_place(set, old.keys[i])] = old.keys[i];
        }
    }
    phx_free(mem, old.keys, old.size * sizeof *old.keys, PHX_CACHE_LINE);
}

static void set_add(phx_mem *mem, slot_set *set, uint32_t key)
{
    if ((set->count + 1) * 2 > set->size) {
        set_resize(mem, set, set->size == 0 ? SET_SIZE_MIN : set->size * 2);
    }
    uint32_t i = set_place(set, key);
    PHX_ASSERT(set->keys[i] == POPULATION_NONE);
    set->keys[i] = key;
    set->count++;
}

static void set_remove(slot_set *set, uint32_t key)
{
    uint32_t mask = set->size - 1;
    uint32_t gap = set_place(set, key);
    PHX_ASSERT(set->keys[gap] == key);
    for (uint32_t i = (gap + 1) & mask; set->keys[i] != POPULATION_NONE; i = (i + 1) & mask) {
        if (((i - set_home(set->keys[i], mask)) & mask) >= ((i - gap) & mask)) {
            set->keys[gap] = set->keys[i];
            gap = i;
        }
    }
    set->keys[gap] = POPULATION_NONE;
    set->count--;
}

static void set_free(phx_mem *mem, slot_set *set)
{
    phx_free(mem, set->keys, set->size * sizeof *set->keys, PHX_CACHE_LINE);
    *set = (slot_set){NULL, 0, 0};
}

/* ---- cells ---- */

static void cell_add(rescan *self, uint32_t cell, uint32_t slot)
{
    cell_list *list = &self->lists[cell];
    bench_grow(&self->base.mem, (void **)&list->slots, &list->room, list->count, (size_t)list->count + 1,
               sizeof *list->slots);
    list->slots[list->count] = slot;
    self->cell_of[slot] = cell;
    self->place_of[slot] = list->count++;
}

/* The last one takes its place. */
static void cell_remove(rescan *self, uint32_t slot)
{
    cell_list *list = &self->lists[self->cell_of[slot]];
    uint32_t last = list->slots[--list->count];
    list->slots[self->place_of[slot]] = last;
    self->place_of[last] = self->place_of[slot];
}

/* ---- moves ---- */

static void see(rescan *self, uint32_t slot, uint32_t other)
{
    set_add(&self->base.mem, &self->seen[slot], other);
    set_add(&self->base.mem, &self->seen[other], slot);
    net_log_add(&self->log, slot, other, true);
    net_log_add(&self->log, other, slot, true);
    self->base.stats.list_entries += 2;
}

static void look_around(rescan *self, uint32_t slot)
{
    const point *at = self->base.people.at;
    float square = self->base.def->classes[0].view * self->base.def->classes[0].view;
    uint32_t cx = self->cell_of[slot] % self->grid.nx;
    uint32_t cy = self->cell_of[slot] / self->grid.nx;
    for (uint32_t y = cy == 0 ? 0 : cy - 1; y <= cy + 1 && y < self->grid.ny; y++) {
        for (uint32_t x = cx == 0 ? 0 : cx - 1; x <= cx + 1 && x < self->grid.nx; x++) {
            const cell_list *list = &self->lists[y * self->grid.nx + x];
            self->base.stats.pairs_tested += list->count;
            for (uint32_t i = 0; i < list->count; i++) {
                uint32_t other = list->slots[i];
                if (cells_in_range(at[slot], at[other], square) && other != slot &&
                    !set_has(&self->seen[slot], other)) {
                    see(self, slot, other);
                }
            }
        }
    }
}

/* Targets in the set and out of range are taken out of both sets. */
static void forget(rescan *self, uint32_t slot)
{
    const point *at = self->base.people.at;
    float square = self->base.def->classes[0].view * self->base.def->classes[0].view;
    slot_set *set = &self->seen[slot];
    uint32_t gone = 0;
    if (self->gone_room < set->count) {
        bench_grow(&self->base.mem, (void **)&self->gone, &self->gone_room, 0, set->count, sizeof *self->gone);
    }
    for (uint32_t i = 0; i < set->size; i++) {
        uint32_t other = set->keys[i];
        if (other != POPULATION_NONE && !cells_in_range(at[slot], at[other], square)) {
            self->gone[gone++] = other;
        }
    }
    for (uint32_t i = 0; i < gone; i++) {
        set_remove(set, self->gone[i]);
        set_remove(&self->seen[self->gone[i]], slot);
        net_log_add(&self->log, slot, self->gone[i], false);
        net_log_add(&self->log, self->gone[i], slot, false);
    }
    self->base.stats.list_entries -= (uint64_t)gone * 2;
}

static void entered(baseline *base, uint32_t slot)
{
    rescan *self = (rescan *)base;
    size_t needed = (size_t)slot + 1;
    uint32_t had = self->seen_room;
    bench_grow(&base->mem, (void **)&self->seen, &self->seen_room, had, needed, sizeof *self->seen);
    for (uint32_t i = had; i < self->seen_room; i++) {
        self->seen[i] = (slot_set){NULL, 0, 0};
    }
    bench_grow(&base->mem, (void **)&self->cell_of, &self->cell_room, slot, needed, sizeof *self->cell_of);
    bench_grow(&base->mem, (void **)&self->place_of, &self->place_room, slot, needed, sizeof *self->place_of);
    cell_add(self, cells_index(&self->grid, base->people.at[slot]), slot);
    look_around(self, slot);
}

static void moved(baseline *base, uint32_t slot)
{
    rescan *self = (rescan *)base;
    uint32_t cell = cells_index(&self->grid, base->people.at[slot]);
    if (cell != self->cell_of[slot]) {
        cell_remove(self, slot);
        cell_add(self, cell, slot);
    }
    forget(self, slot);
    look_around(self, slot);
}

static void left(baseline *base, uint32_t slot)
{
    rescan *self = (rescan *)base;
    slot_set *set = &self->seen[slot];
    cell_remove(self, slot);
    for (uint32_t i = 0; i < set->size; i++) {
        if (set->keys[i] != POPULATION_NONE) {
            set_remove(&self->seen[set->keys[i]], slot);
            net_log_add(&self->log, set->keys[i], slot, false);
        }
    }
    base->stats.list_entries -= (uint64_t)set->count * 2;
    set_free(&base->mem, set);
}

/* ---- the engine ---- */

static void *rescan_create(const ph_world_def *def, uint32_t producers, phx_mem *mem, bench_error *error)
{
    (void)producers;
    (void)error;
    rescan *self = baseline_create(sizeof *self, def, mem);
    self->grid = cells_make(def, def->classes[0].view);
    self->lists = bench_alloc(&self->base.mem, (size_t)self->grid.nx * self->grid.ny * sizeof *self->lists);
    self->log.mem = &self->base.mem;
    return self;
}

static void rescan_destroy(void *engine)
{
    rescan *self = engine;
    phx_mem *mem = &self->base.mem;
    size_t cell_count = (size_t)self->grid.nx * self->grid.ny;
    for (size_t i = 0; i < cell_count; i++) {
        phx_release(mem, (void **)&self->lists[i].slots, &self->lists[i].room, sizeof *self->lists[i].slots);
    }
    phx_free(mem, self->lists, cell_count * sizeof *self->lists, PHX_CACHE_LINE);
    for (uint32_t i = 0; i < self->seen_room; i++) {
        set_free(mem, &self->seen[i]);
    }
    phx_release(mem, (void **)&self->seen, &self->seen_room, sizeof *self->seen);
    phx_release(mem, (void **)&self->cell_of, &self->cell_room, sizeof *self->cell_of);
    phx_release(mem, (void **)&self->place_of, &self->place_room, sizeof *self->place_of);
    phx_release(mem, (void **)&self->gone, &self->gone_room, sizeof *self->gone);
    net_log_free(&self->log);
    baseline_destroy(&self->base, sizeof *self);
}

static bool rescan_tick(void *engine, const bench_frame *frame, bench_error *error)
{
    static const baseline_hooks hooks = {entered, moved, left};
    rescan *self = engine;
    (void)error;
    baseline_tick_at_once(&self->base, frame, &hooks, &self->log);
    return true;
}

const bench_engine bench_engine_rescan = {
    .name = "rescan",
    .doc = "baseline: every move at once over nine cells, one hash set per entity, netted at the end of the tick",
    .single = true,
    .refuse = baseline_refuse_circle,
    .create = rescan_create,
    .tick = rescan_tick,
    .records = baseline_records,
    .release = baseline_release,
    .stats = baseline_stats,
    .destroy = rescan_destroy,
};
