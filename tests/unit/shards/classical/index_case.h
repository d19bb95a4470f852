/*
 * An index by itself: a store with entities, ticks by hand, and beside them the truth by brute force. Every
 * case_end() updates the index, with memory that ends now and then, and asks all of its answers: the slots in
 * boxes, touched observers, differences. A file that includes it says which index and which world.
 */
#ifndef UNIT_INDEX_CASE_H
#define UNIT_INDEX_CASE_H

#include "unit/shards/shard_case.h"

#include "shards/classical/index_parts.h"
#include "shards/classical/registry.h"
#include "shards/ninegrid/ninegrid.h"

enum { CASE_SLOTS = 160, CASE_BOXES = 6 };

typedef struct index_case {
    ph_index which;
    phx_rules rules;
    phx_rect rect;
    uint32_t span; /* at the last tick's end */
    phx_store store;
    phx_index *index;
    uint64_t tick, rng, next_id;
    uint16_t stamp;
    bool was[CASE_SLOTS]; /* of slots, at the last tick's end: live, */
    phx_body old[CASE_SLOTS];
    bool watched[CASE_SLOTS]; /* an observer */
    bool sees[CASE_SLOTS][CASE_SLOTS];
    uint32_t stops, quiet, told, differed; /* no memory; untouched observers; told targets; observers asked */
} index_case;

static index_case c;

/* ---- its life ---- */

static inline void case_open(ph_index which, phx_rules rules, phx_rect rect)
{
    memset(&c, 0, sizeof c);
    c.which = which;
    c.rules = rules;
    c.rules.simd = PH_SIMD_PORTABLE;
    c.rect = rect;
    c.span = rules.span;
    c.rng = 1;
    phx_store_init(&c.store, &memory);
    phx_index_env env = {.mem = &memory, .rules = &c.rules, .store = &c.store, .rect = c.rect};
    for (uint64_t calls = 0; c.index == NULL; calls++) { /* as much memory as it takes, and no more */
        memory_for(calls);
        c.index = phx_index_make(which, &env);
    }
    memory_enough();
}

static inline void case_close(void)
{
    phx_index_free(c.index);
    phx_store_free(&c.store, &memory);
}

/* ---- a tick ---- */

static inline void case_begin(void)
{
    c.stamp = (uint16_t)(++c.tick % UINT16_MAX + 1);
    c.span = c.rules.span;
    for (uint32_t slot = 0; slot < c.store.slots; slot++) {
        c.was[slot] = c.store.body[slot].state & PHX_SLOT_LIVE;
        c.old[slot] = c.store.body[slot];
    }
}

static inline void case_touch(uint32_t slot, bool discontinuous)
{
    phx_body *body = &c.store.body[slot];
    if (body->changed != c.stamp) body->state = (uint16_t)(body->state & ~PHX_SLOT_DISCONTINUOUS);
    body->changed = c.stamp;
    if (discontinuous) body->state |= PHX_SLOT_DISCONTINUOUS;
}

static inline void case_place(uint32_t slot, float x, float y)
{
    phx_body *body = &c.store.body[slot];
    body->x = x;
    body->y = y;
    body->tx = phx_tower_index(&c.rules, 0, x);
    body->ty = phx_tower_index(&c.rules, 1, y);
}

static inline uint32_t case_enter(phx_attr attr, float x, float y)
{
    cr_assert(phx_store_reserve(&c.store, &memory, 1));
    uint32_t slot = phx_store_add(&c.store, ++c.next_id, PHX_SLOT_OWN);
    cr_assert_lt(slot, CASE_SLOTS);
    set_attr(&c.store, slot, attr);
    case_place(slot, x, y);
    case_touch(slot, true);
    return slot;
}

static inline void case_move(uint32_t slot, float x, float y)
{
    case_touch(slot, false);
    case_place(slot, x, y);
}

static inline void case_set(uint32_t slot, phx_attr attr)
{
    case_touch(slot, true);
    set_attr(&c.store, slot, attr);
}

static inline void case_leave(uint32_t slot)
{
    case_touch(slot, true);
    phx_store_kill(&c.store, slot);
}

/* ---- the truth ---- */

static inline bool case_observes(uint32_t slot)
{
    return (c.store.body[slot].state & PHX_SLOT_LIVE) && phx_index_radius(&c.store, slot) >= 0.0f;
}

static inline phx_box case_box(uint32_t slot)
{
    const phx_body *body = &c.store.body[slot];
    if (c.rules.range == PH_RANGE_RADIUS) return phx_index_box(&c.store, slot, phx_index_radius(&c.store, slot));
    return phx_box_of_towers(&c.rules, phx_ninegrid_rect(&c.rules, c.rules.span, body->tx, body->ty));
}

static inline bool case_sees(uint32_t o, uint32_t t)
{
    const phx_store *s = &c.store;
    if (o == t || !case_observes(o) || !(s->body[t].state & PHX_SLOT_LIVE)) return false;
    return phx_rule_sees(&c.rules, &s->body[o], phx_store_attr(s, o), &s->body[t], phx_store_attr(s, t), NULL,
                         c.sees[o][t]);
}

/* In the box; of towers it is a little larger than they are. */
static inline bool case_near(phx_box box, uint32_t o, const phx_body *body)
{
    if (c.rules.range == PH_RANGE_TOWERS) return phx_in_towers(&c.rules, &c.store.body[o], body);
    return phx_box_has(box, body->x, body->y);
}

/* Did it change so that an observer with this box may be concerned? */
static inline bool case_concerns(uint32_t o, uint32_t t, phx_box box)
{
    const phx_body *old = &c.old[t], *now = &c.store.body[t];
    bool live = now->state & PHX_SLOT_LIVE, was = c.was[t];
    if (now->changed != c.stamp) return false;
    bool stays = was && live && old->tx == now->tx && old->ty == now->ty && !(now->state & PHX_SLOT_DISCONTINUOUS);
    if (c.rules.range == PH_RANGE_TOWERS && stays && phx_store_attr(&c.store, o)->cap == 0) return false;
    return (was && case_near(box, o, old)) || (live && case_near(box, o, now));
}

/* ---- the index's answers ---- */

typedef struct case_sink {
    phx_sink sink;
    uint32_t times[CASE_SLOTS];
} case_sink;

static inline void case_take(phx_sink *sink, const uint32_t *slots, uint32_t count)
{
    cr_assert_gt(count, 0, "nothing to take");
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_lt(slots[i], c.store.slots);
        ((case_sink *)sink)->times[slots[i]]++;
    }
}

/* Every live slot in the box once, no other twice, none that is dead. Returns the candidates. */
static inline uint32_t case_around(phx_box box)
{
    case_sink sink = {.sink.take = case_take};
    uint32_t candidates = 0;
    c.index->ops->around(c.index, box, &sink.sink);
    for (uint32_t slot = 0; slot < c.store.slots; slot++) {
        const phx_body *body = &c.store.body[slot];
        bool live = body->state & PHX_SLOT_LIVE, in = live && phx_box_has(box, body->x, body->y);
        candidates += sink.times[slot];
        cr_assert_leq(sink.times[slot], live ? 1 : 0, "tick %llu: slot %u %u times", (unsigned long long)c.tick, slot,
                      sink.times[slot]);
        cr_assert(!in || sink.times[slot] == 1, "tick %llu: slot %u at %a, %a is in %a, %a .. %a, %a",
                  (unsigned long long)c.tick, slot, (double)body->x, (double)body->y, (double)box.x0, (double)box.y0,
                  (double)box.x1, (double)box.y1);
    }
    return candidates;
}

static inline void case_dirty_near(uint32_t o)
{
    bool concerned = false;
    phx_box box = case_box(o);
    if (!c.index->ops->any_dirty_near || c.store.body[o].changed == c.stamp) return;
    for (uint32_t t = 0; t < c.store.slots; t++) concerned |= case_concerns(o, t, box);
    bool says = c.index->ops->any_dirty_near(c.index, o, box);
    cr_assert(says || !concerned, "tick %llu: observer %u", (unsigned long long)c.tick, o);
    c.quiet += !says;
}

static inline void case_differ(uint32_t o)
{
    case_sink sink = {.sink.take = case_take};
    const phx_body *body = &c.store.body[o];
    bool discontinuous = body->changed == c.stamp && (body->state & PHX_SLOT_DISCONTINUOUS);
    bool capped = phx_store_attr(&c.store, o)->cap > 0;
    if (!c.index->ops->differ || discontinuous || capped || !c.watched[o] || c.span != c.rules.span) return;
    if (!c.index->ops->differ(c.index, o, &sink.sink)) return;
    c.differed++;
    for (uint32_t t = 0; t < c.store.slots; t++) {
        c.told += sink.times[t] > 0;
        cr_assert(sink.times[t] > 0 || t == o || case_sees(o, t) == c.sees[o][t], "tick %llu: observer %u, target %u",
                  (unsigned long long)c.tick, o, t);
    }
}

static inline void case_ask(void)
{
    for (uint32_t o = 0; o < c.store.slots; o++) {
        if (!case_observes(o)) continue;
        case_around(case_box(o));
        case_dirty_near(o);
        case_differ(o);
    }
    for (int i = 0; i < CASE_BOXES && c.store.slots > 0; i++) {
        const phx_body *at = &c.store.body[phx_rng_below(&c.rng, c.store.slots)];
        phx_box box = phx_box_around(at->x, at->y, fabsf(float_any(&c.rng)));
        if (phx_rng_below(&c.rng, 2)) box.x1 = box.x0 + (box.x1 - box.x0) / 3;
        if (box.x0 <= box.x1) case_around(box);
    }
    case_around(phx_box_all());
}

/* The tick's changes come in and all is asked; the dead are buried. */
static inline void case_end(void)
{
    uint64_t calls = phx_rng_below(&c.rng, 4);
    if (c.tick == 1 || phx_rng_below(&c.rng, 3) == 0) memory_for(calls);
    while (!phx_index_update(c.index, &c.store, c.tick, c.stamp)) {
        c.stops++;
        memory_for(++calls);
    }
    memory_enough();
    cr_assert(c.index->ops->valid(c.index), "tick %llu", (unsigned long long)c.tick);
    case_ask();
    static bool now[CASE_SLOTS][CASE_SLOTS];
    for (uint32_t o = 0; o < c.store.slots; o++)
        for (uint32_t t = 0; t < c.store.slots; t++) now[o][t] = case_sees(o, t);
    memcpy(c.sees, now, sizeof now);
    for (uint32_t o = 0; o < c.store.slots; o++) c.watched[o] = case_observes(o);
    phx_store_bury(&c.store);
}

/* ---- worlds where much happens ---- */

typedef struct case_world {
    const char *what;
    float view;   /* at most, of most */
    float spread; /* of the world, that most stand in */
    uint32_t like;
} case_world;

enum {
    CASE_BORDERS = 1, /* on towers' borders, or beside them */
    CASE_POINT = 2,   /* many at one place */
    CASE_FAR = 4,     /* some anywhere that a float can say */
    CASE_STEPS = 8,   /* steps only, and few of them */
    CASE_VIEWS = 16   /* views of any size */
};

static const case_world case_worlds[] = {{"spread", 20, 1, 0},
                                         {"steps", 20, 1, CASE_STEPS},
                                         {"borders", 30, 1, CASE_BORDERS},
                                         {"crowd", 10, 0.1f, 0},
                                         {"one place", 10, 0.5f, CASE_POINT},
                                         {"far", 25, 1, CASE_FAR},
                                         {"views", 20, 1, CASE_VIEWS},
                                         {"all", 40, 0.7f, CASE_BORDERS | CASE_POINT | CASE_FAR | CASE_VIEWS}};

enum { CASE_WORLDS = sizeof case_worlds / sizeof *case_worlds };

static inline float case_somewhere(const case_world *world, int axis)
{
    float size = c.rules.tower_size * (float)c.rules.towers[axis], low = c.rules.origin[axis];
    if ((world->like & CASE_POINT) && phx_rng_below(&c.rng, 2)) return low + size / 3;
    if ((world->like & CASE_FAR) && phx_rng_below(&c.rng, 6) == 0) return float_any(&c.rng);
    if ((world->like & CASE_FAR) && phx_rng_below(&c.rng, 6) == 0) return low + size * float_between(&c.rng, -2, 3);
    if (world->like & CASE_BORDERS)
        return float_near(&c.rng, low + c.rules.tower_size * (float)phx_rng_below(&c.rng, c.rules.towers[axis] + 1));
    return low + size * world->spread * phx_rng_unit(&c.rng);
}

static inline phx_attr case_attr(const case_world *world)
{
    if (phx_rng_below(&c.rng, 3) == 0) return plain_attr(0, 0);
    float view = world->view * float_between(&c.rng, 0.2f, 1);
    if ((world->like & CASE_VIEWS) && phx_rng_below(&c.rng, 3) == 0) view = fabsf(float_any(&c.rng));
    phx_attr attr = plain_attr(view > 0 ? view : 1, phx_rng_below(&c.rng, 2) ? world->view * 0.3f : 0);
    attr.cap = phx_rng_below(&c.rng, 5) == 0 ? 3 : 0;
    return attr;
}

static inline void case_change(const case_world *world, uint32_t slot)
{
    const phx_body *body = &c.store.body[slot];
    float x = body->x + float_between(&c.rng, -3, 3), y = body->y + float_between(&c.rng, -3, 3);
    bool finite = fabsf(x) <= FLT_MAX && fabsf(y) <= FLT_MAX;
    uint32_t what = world->like & CASE_STEPS ? 9 : phx_rng_below(&c.rng, 10);
    if (what == 0) case_leave(slot);
    else if (what == 1) case_set(slot, case_attr(world));
    else if (what < 4 || !finite) case_move(slot, case_somewhere(world, 0), case_somewhere(world, 1));
    else case_move(slot, x, y);
}

static inline void case_change_some(const case_world *world, uint32_t one_in)
{
    for (uint32_t slot = 0; slot < c.store.slots; slot++) {
        bool live = c.store.body[slot].state & PHX_SLOT_LIVE;
        if (live && phx_rng_below(&c.rng, one_in) == 0) case_change(world, slot);
    }
}

/* Some ticks of it: entities come, change, go, and all leave at the end. */
static inline void case_play(const case_world *world, uint64_t seed, uint32_t ticks)
{
    c.rng = seed;
    for (uint32_t t = 0; t < ticks; t++) {
        case_begin();
        case_change_some(world, t % 5 == 0 ? 1 : 6);
        while (c.store.own_count < CASE_SLOTS / 2 + phx_rng_below(&c.rng, CASE_SLOTS / 4) &&
               c.next_id < 20 * CASE_SLOTS && c.store.slots - c.store.free_count < CASE_SLOTS)
            case_enter(case_attr(world), case_somewhere(world, 0), case_somewhere(world, 1));
        if (t % 7 == 3 && c.rules.range == PH_RANGE_TOWERS) c.rules.span = phx_rng_below(&c.rng, 4);
        case_end();
    }
    case_begin();
    for (uint32_t slot = 0; slot < c.store.slots; slot++)
        if (c.store.body[slot].state & PHX_SLOT_LIVE) case_leave(slot);
    case_end();
}

#endif
