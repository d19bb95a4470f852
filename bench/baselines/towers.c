/*
 * Baseline "towers": the nine-grid as articles on tower AOI have it. Each tower has the
 * entities that stand in it and the watchers that see into it: the watchers of the nine towers
 * around. A move inside a tower costs next to nothing. One to another tower makes events for the
 * watchers of the old and the new one, and for the mover: of all entities in the towers that it now
 * sees into, or no longer does.
 */
#include "base/tower_choice.h"
#include "bench/base/memory.h"
#include "bench/baselines/baseline.h"
#include "bench/baselines/baselines.h"

#include <math.h>

enum { AROUND = 9 };

typedef struct watcher {
    uint32_t slot;
    uint32_t which; /* of the nine of its tower */
} watcher;

typedef struct tower {
    uint32_t *slots; /* that stand in it */
    watcher *watchers;
    uint32_t slot_count, slots_room;
    uint32_t watcher_count, watchers_room;
} tower;

/* Where an entity is in the lists. */
typedef struct stand {
    uint32_t tower[2];        /* x, y */
    uint32_t place;           /* in the tower's slots */
    uint32_t watches[AROUND]; /* in the watchers of the towers around; of towers outside the world nothing */
} stand;

typedef struct towers {
    baseline base;
    tower *grid;
    uint32_t count[2];
    stand *stands; /* by slot */
    net_log log;
    uint32_t stands_room;
    float side; /* of a tower */
} towers;

/* Float32, as the contract has it: the tower decides about visibility. */
static uint32_t tower_axis(const towers *self, uint32_t axis, float at)
{
    const ph_world_def *def = self->base.def;
    float index = floorf((at - def->world_origin[axis]) / self->side);
    if (!(index > 0)) {
        return 0;
    }
    float last = (float)(self->count[axis] - 1);
    return index >= last ? self->count[axis] - 1 : (uint32_t)index;
}

/* The which-th of the nine around (x, y), or NULL where the world ends. */
static tower *tower_around(const towers *self, const uint32_t at[2], uint32_t which)
{
    uint32_t x = at[0] + which % 3 - 1; /* -1 is more than any count */
    uint32_t y = at[1] + which / 3 - 1;
    return x < self->count[0] && y < self->count[1] ? &self->grid[(size_t)y * self->count[0] + x] : NULL;
}

static bool around(const uint32_t a[2], const uint32_t b[2])
{
    return a[0] + 1 - b[0] <= 2 && a[1] + 1 - b[1] <= 2;
}

static void stand_in(towers *self, tower *in, uint32_t slot)
{
    bench_grow(&self->base.mem, (void **)&in->slots, &in->slots_room, in->slot_count, (size_t)in->slot_count + 1,
               sizeof *in->slots);
    self->stands[slot].place = in->slot_count;
    in->slots[in->slot_count++] = slot;
}

static void stand_out(towers *self, tower *of, uint32_t slot)
{
    uint32_t last = of->slots[--of->slot_count];
    of->slots[self->stands[slot].place] = last;
    self->stands[last].place = self->stands[slot].place;
}

static void watch(towers *self, tower *of, uint32_t slot, uint32_t which)
{
    bench_grow(&self->base.mem, (void **)&of->watchers, &of->watchers_room, of->watcher_count,
               (size_t)of->watcher_count + 1, sizeof *of->watchers);
    self->stands[slot].watches[which] = of->watcher_count;
    of->watchers[of->watcher_count++] = (watcher){slot, which};
}

static void unwatch(towers *self, tower *of, uint32_t slot, uint32_t which)
{
    watcher last = of->watchers[--of->watcher_count];
    uint32_t place = self->stands[slot].watches[which];
    of->watchers[place] = last;
    self->stands[last.slot].watches[last.which] = place;
}

/* All in this tower enter the slot's list, or leave it. */
static void look(towers *self, const tower *at, uint32_t slot, bool enter)
{
    for (uint32_t i = 0; i < at->slot_count; i++) {
        if (at->slots[i] != slot) {
            net_log_add(&self->log, slot, at->slots[i], enter);
            self->base.stats.list_entries += enter ? 1 : (uint64_t)-1;
        }
    }
}

/* The slot enters the lists of this tower's watchers, or leaves them; except of watchers that also watch `other`. */
static void show(towers *self, const tower *at, uint32_t slot, const uint32_t *other, bool enter)
{
    for (uint32_t i = 0; i < at->watcher_count; i++) {
        uint32_t observer = at->watchers[i].slot;
        if (observer != slot && (other == NULL || !around(self->stands[observer].tower, other))) {
            net_log_add(&self->log, observer, slot, enter);
            self->base.stats.list_entries += enter ? 1 : (uint64_t)-1;
        }
    }
    self->base.stats.pairs_tested += at->watcher_count;
}

static void entered(baseline *base, uint32_t slot)
{
    towers *self = (towers *)base;
    bench_grow(&base->mem, (void **)&self->stands, &self->stands_room, slot, (size_t)slot + 1, sizeof *self->stands);
    stand *is = &self->stands[slot];
    is->tower[0] = tower_axis(self, 0, base->people.at[slot].x);
    is->tower[1] = tower_axis(self, 1, base->people.at[slot].y);
    tower *in = tower_around(self, is->tower, AROUND / 2);
    show(self, in, slot, NULL, true);
    stand_in(self, in, slot);
    for (uint32_t which = 0; which < AROUND; which++) {
        tower *at = tower_around(self, is->tower, which);
        if (at != NULL) {
            look(self, at, slot, true);
            watch(self, at, slot, which);
        }
    }
}

static void left(baseline *base, uint32_t slot)
{
    towers *self = (towers *)base;
    stand *is = &self->stands[slot];
    tower *in = tower_around(self, is->tower, AROUND / 2);
    for (uint32_t which = 0; which < AROUND; which++) {
        tower *at = tower_around(self, is->tower, which);
        if (at != NULL) {
            look(self, at, slot, false);
            unwatch(self, at, slot, which);
        }
    }
    stand_out(self, in, slot);
    show(self, in, slot, NULL, false);
}

/* Stops to watch the towers around `from` that are not around `to`. */
static void look_away(towers *self, uint32_t slot, const uint32_t from[2], const uint32_t to[2], uint32_t kept[AROUND])
{
    for (uint32_t which = 0; which < AROUND; which++) {
        const uint32_t cell[2] = {from[0] + which % 3 - 1, from[1] + which / 3 - 1};
        tower *at = tower_around(self, from, which);
        if (at == NULL) {
            continue;
        }
        if (around(cell, to)) { /* goes on watching it, as another of its nine */
            uint32_t now = (cell[1] + 1 - to[1]) * 3 + cell[0] + 1 - to[0];
            kept[now] = self->stands[slot].watches[which];
        } else {
            look(self, at, slot, false);
            unwatch(self, at, slot, which);
        }
    }
}

static void look_ahead(towers *self, uint32_t slot, const uint32_t from[2], const uint32_t to[2],
                       const uint32_t kept[AROUND])
{
    for (uint32_t which = 0; which < AROUND; which++) {
        const uint32_t cell[2] = {to[0] + which % 3 - 1, to[1] + which / 3 - 1};
        tower *at = tower_around(self, to, which);
        if (at == NULL) {
            continue;
        }
        if (around(cell, from)) {
            self->stands[slot].watches[which] = kept[which];
            at->watchers[kept[which]].which = which;
        } else {
            look(self, at, slot, true);
            watch(self, at, slot, which);
        }
    }
}

static void moved(baseline *base, uint32_t slot)
{
    towers *self = (towers *)base;
    stand *is = &self->stands[slot];
    uint32_t to[2] = {tower_axis(self, 0, base->people.at[slot].x), tower_axis(self, 1, base->people.at[slot].y)};
    uint32_t from[2] = {is->tower[0], is->tower[1]};
    if (to[0] == from[0] && to[1] == from[1]) {
        return;
    }
    tower *old = tower_around(self, from, AROUND / 2);
    tower *new = tower_around(self, to, AROUND / 2);
    show(self, old, slot, to, false);
    show(self, new, slot, from, true);
    stand_out(self, old, slot);
    uint32_t kept[AROUND];
    look_away(self, slot, from, to, kept);
    stand_in(self, new, slot);
    is->tower[0] = to[0];
    is->tower[1] = to[1];
    look_ahead(self, slot, from, to, kept);
}

/* ---- the engine ---- */

static void *towers_create(const ph_world_def *def, uint32_t producers, phx_mem *mem, bench_error *error)
{
    (void)producers;
    (void)error;
    towers *self = baseline_create(sizeof *self, def, mem);
    self->side = phx_tower_side(def, phx_views_of_classes(def));
    for (uint32_t axis = 0; axis < 2; axis++) {
        self->count[axis] = (uint32_t)fmax(1, ceil((double)def->world_size[axis] / (double)self->side));
    }
    self->grid = bench_alloc(&self->base.mem, (size_t)self->count[0] * self->count[1] * sizeof *self->grid);
    self->log.mem = &self->base.mem;
    return self;
}

static void towers_destroy(void *engine)
{
    towers *self = engine;
    phx_mem *mem = &self->base.mem;
    size_t tower_count = (size_t)self->count[0] * self->count[1];
    for (size_t i = 0; i < tower_count; i++) {
        tower *of = &self->grid[i];
        phx_release(mem, (void **)&of->slots, &of->slots_room, sizeof *of->slots);
        phx_release(mem, (void **)&of->watchers, &of->watchers_room, sizeof *of->watchers);
    }
    phx_free(mem, self->grid, tower_count * sizeof *self->grid, PHX_CACHE_LINE);
    phx_release(mem, (void **)&self->stands, &self->stands_room, sizeof *self->stands);
    net_log_free(&self->log);
    baseline_destroy(&self->base, sizeof *self);
}

static bool towers_tick(void *engine, const bench_frame *frame, bench_error *error)
{
    static const baseline_hooks hooks = {entered, moved, left};
    towers *self = engine;
    (void)error;
    baseline_tick_at_once(&self->base, frame, &hooks, &self->log);
    return true;
}

const bench_engine bench_engine_towers = {
    .name = "towers",
    .doc = "baseline for range = towers: the nine-grid, every move at once, with a list of watchers in each tower",
    .single = true,
    .refuse = baseline_refuse_towers,
    .create = towers_create,
    .tick = towers_tick,
    .records = baseline_records,
    .release = baseline_release,
    .stats = baseline_stats,
    .destroy = towers_destroy,
};
