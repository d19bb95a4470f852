/*
 * Areas, activation and bands; see zones.h.
 */
#include "cluster/zones.h"

#include <inttypes.h>
#include <math.h>

#include "support/check.h"

enum {
    WAKER_EVERY = 8, /* ids: the next one behind each such number */
    NPC_EVERY = 3,
    SPREAD_EVERY = 5,
    NPC_UPDATES = 6, /* in a tick */
    SPAN = 1,
    LINGER = 5,
    EVERY_MOST = 6 /* of a band */
};

static const float TOWER = 40, SLACK = 1e-3f;

/* ---- definitions ---- */

enum { KIND_PLAIN, KIND_WAKER, KIND_NPC, KIND_SPREAD };

static const uint32_t adds_max[ZONES_CLASSES] = {[KIND_WAKER] = 5, [KIND_SPREAD] = 2};

uint32_t zones_kind(uint64_t id)
{
    if (id % WAKER_EVERY == 1) return KIND_WAKER;
    if (id % NPC_EVERY == 0) return KIND_NPC;
    return id % SPREAD_EVERY == 3 ? KIND_SPREAD : KIND_PLAIN;
}

uint32_t zones_adds_max(uint64_t id)
{
    return adds_max[zones_kind(id)];
}

static const ph_band bands[] = {{.radius = 20, .every = 1}, {.radius = 40, .every = 3}, {.radius = 60, .every = 6}};

void zones_define(ph_world_def *def, ph_class classes[ZONES_CLASSES], float view, float margin)
{
    static const char *const names[] = {"default", "waker", "npc", "spread"};
    for (uint32_t i = 0; i < ZONES_CLASSES; i++) {
        classes[i] = ph_class_default(names[i]);
        classes[i].view = view;
        classes[i].margin = margin;
        classes[i].adds_max = adds_max[i];
        classes[i].band_count = sizeof bands / sizeof *bands;
        for (uint32_t b = 0; b < classes[i].band_count; b++) classes[i].bands[b] = bands[b];
    }
    classes[KIND_WAKER].wakes = true;
    classes[KIND_NPC].sleeps = true;
    classes[KIND_NPC].updates_max = NPC_UPDATES;
    def->classes = classes;
    def->class_count = ZONES_CLASSES;
    def->tower_size = TOWER;
    def->activation_span = SPAN;
    def->activation_linger = LINGER;
}

/* In the middle, where regions meet, and across other borders. */
static const ph_area areas[ZONES_AREAS] = {
    {.shape = PH_AREA_CIRCLE, .center = {400, 400}, .radius = 60, .margin = 15},
    {.shape = PH_AREA_CIRCLE, .center = {200, 400}, .radius = 90},
    {.shape = PH_AREA_BOX, .low = {150, 350}, .high = {450, 420}, .margin = 10},
    {.shape = PH_AREA_BOX, .low = {380, 100}, .high = {420, 700}},
    {.shape = PH_AREA_POLYGON, .corner_count = 3, .corners = {{350, 330}, {480, 400}, {360, 470}}},
    {.shape = PH_AREA_CIRCLE, .center = {410, 390}, .radius = 120, .kind_count = 1, .kinds = {KIND_NPC}},
    {.shape = PH_AREA_CIRCLE, .radius = 40, .flags = PH_AREA_FOLLOW, .follow = 8},
    {.shape = PH_AREA_CIRCLE, .radius = 60, .flags = PH_AREA_FOLLOW, .follow = 11},
};

void zones_set_areas(ph_producer producer, bool all)
{
    for (uint32_t i = all ? 0 : ZONES_STANDING; i < ZONES_AREAS; i++) CHECK_OK(ph_area_set(producer, i + 1, &areas[i]));
}

/* ---- what is told ---- */

static void hear_edge(zones_told *told, const ph_edge *edge)
{
    bool *on = edge->area == 0 ? &told->awake[edge->id] : &told->inside[edge->area - 1][edge->id];
    CHECK(*on != (edge->on != 0), "of %" PRIu64 " it is told again that it is %s %" PRIu64, edge->id,
          edge->on ? "in" : "out of", edge->area);
    *on = edge->on != 0;
    told->edges++;
}

void zones_hear(zones_told *told, const ph_batch *batch, zones_counts_fn counts, const void *user)
{
    for (uint32_t i = 0; i < batch->activation_count; i++)
        if (counts(user, batch->activations[i].id)) hear_edge(told, &batch->activations[i]);
    for (uint32_t i = 0; i < batch->crossing_count; i++)
        if (counts(user, batch->crossings[i].id)) hear_edge(told, &batch->crossings[i]);
    for (uint32_t i = 0; i < batch->update_count; i++) {
        const ph_update *update = &batch->updates[i];
        for (uint32_t k = 0; k < update->count; k++) {
            const ph_moved *moved = &batch->moved[batch->due[update->first + k]];
            told->known[update->observer][moved->id] =
                (zones_known){moved->x, moved->y, batch->bands[update->first + k]};
            told->updates++;
        }
    }
}

/* ---- activation ---- */

static int tower_of(float place)
{
    const int tower = (int)floorf(place / TOWER), last = (int)(WALKS_SIZE / TOWER) - 1;
    return tower < 0 ? 0 : tower > last ? last : tower;
}

/* Whether towers are so near, surely or perhaps: a place within the slack of a tower's edge may be in both. */
static bool is_near(float a, float b, bool surely)
{
    const float slack = surely ? SLACK : -SLACK;
    const float low = a < b ? a : b, high = a < b ? b : a;
    return tower_of(high + slack) - tower_of(low - slack) <= SPAN;
}

static bool are_near(spot a, spot b, bool surely)
{
    return is_near(a.x, b.x, surely) && is_near(a.y, b.y, surely);
}

/* What NPCs are judged by: the last ticks. */
typedef struct zones_past {
    walker_trail *trail;
    sights *seen;
    uint64_t lag;
} zones_past;

static uint32_t owner_then(const walker_trail *trail, uint64_t tick, uint64_t id)
{
    return trail->owner[tick % TRAIL_TICKS][id];
}

/* One that was given away in a tick has no owner at its end. */
static bool were_of_one_node(const walker_trail *trail, uint64_t tick, uint64_t a, uint64_t b)
{
    return owner_then(trail, tick, a) != 0 && owner_then(trail, tick, a) == owner_then(trail, tick, b);
}

/* Was the waker near in that tick, and ready: at all moments of the lag before it, or at any one? */
static bool was_near(const zones_past *past, uint64_t tick, uint64_t npc, uint64_t waker, bool surely)
{
    const spot at = *trail_spot(past->trail, tick, npc);
    const bool own = were_of_one_node(past->trail, tick, npc, waker);
    for (uint64_t back = 0; back <= (own ? 0 : past->lag); back++) {
        const bool near = are_near(at, *trail_spot(past->trail, tick - back, waker), surely);
        if ((near && sights_of(past->seen, tick - back, waker)->ready) != surely) return !surely;
    }
    return surely;
}

static bool any_was_near(const zones_past *past, uint64_t tick, uint64_t npc, bool surely)
{
    for (uint64_t waker = 1; waker < TRAIL_IDS; waker += WAKER_EVERY)
        if (was_near(past, tick, npc, waker, surely)) return true;
    return false;
}

/* Ticks count in which a node had it. As far as the trail goes: one that was on its way for long is not judged. */
static bool must_sleep(const zones_past *past, uint64_t npc)
{
    uint32_t ticks = 0;
    for (uint64_t back = 0; back + past->lag < TRAIL_TICKS; back++) {
        if (any_was_near(past, past->trail->tick - back, npc, false)) return false;
        ticks += owner_then(past->trail, past->trail->tick - back, npc) != 0;
        if (ticks > LINGER) return true;
    }
    return false;
}

static void check_activation(const zones_told *told, const zones_past *past, uint64_t id)
{
    const uint64_t tick = past->trail->tick;
    if (zones_kind(id) != KIND_NPC) return;
    CHECK(told->awake[id] || !any_was_near(past, tick, id, true), "tick %" PRIu64 ": %" PRIu64 " sleeps beside a waker",
          tick, id);
    CHECK(!told->awake[id] || !must_sleep(past, id), "tick %" PRIu64 ": %" PRIu64 " does not fall asleep", tick, id);
}

/* ---- areas ---- */

static void check_following(const zones_told *told, walker_trail *trail, uint32_t area, uint64_t id, uint64_t lag)
{
    const uint64_t anchor = areas[area].follow, tick = trail->tick;
    const bool own = were_of_one_node(trail, tick, anchor, id), inside = told->inside[area][id];
    float least, most;
    trail_distances(trail, *trail_spot(trail, tick, id), anchor, own ? 0 : lag, &least, &most);
    CHECK(inside || most > areas[area].radius - SLACK,
          "tick %" PRIu64 ": %" PRIu64 " is not in the area around %" PRIu64 " (%g)", tick, id, anchor, (double)most);
    CHECK(!inside || least < areas[area].radius + SLACK,
          "tick %" PRIu64 ": %" PRIu64 " is in the area around %" PRIu64 " still (%g)", tick, id, anchor,
          (double)least);
}

void zones_check(const zones_told *told, const zones_told *one, walker_trail *trail, sights *seen, uint64_t id,
                 uint64_t lag)
{
    const zones_past past = {.trail = trail, .seen = seen, .lag = lag};
    for (uint32_t i = 0; i < ZONES_STANDING; i++)
        CHECK(told->inside[i][id] == one->inside[i][id],
              "tick %" PRIu64 ": %" PRIu64 " is %s area %u, and not in one world", trail->tick, id,
              told->inside[i][id] ? "in" : "out of", i + 1);
    for (uint32_t i = ZONES_STANDING; i < ZONES_AREAS; i++) check_following(told, trail, i, id, lag);
    check_activation(told, &past, id);
}

/* ---- bands ---- */

void zones_check_target(const zones_told *told, walker_trail *trail, uint64_t observer, uint64_t target, uint64_t lag)
{
    const zones_known *known = &told->known[observer][target];
    const uint64_t tick = trail->tick, settled = lag + EVERY_MOST;
    const bool own = trail_is_kept(trail, target, settled) && were_of_one_node(trail, tick, observer, target);
    const uint64_t most = EVERY_MOST - 1 + (own ? 0 : lag);
    if (!trail_is_kept(trail, observer, settled)) return; /* its client may wait for what moved meanwhile */
    if (zones_kind(observer) == KIND_NPC) return;         /* it has a budget: see the end */
    for (uint64_t back = 0; back <= most; back++) {
        const spot *at = trail_spot(trail, tick - back, target);
        if (at->x == known->x && at->y == known->y) return;
    }
    (void)CHECK(false,
                "tick %" PRIu64 ": the client of %" PRIu64 " has %" PRIu64 " at (%g, %g), where it was not of late",
                tick, observer, target, (double)known->x, (double)known->y);
}

/* ---- at the end ---- */

void zones_check_end(const zones_told *told, const zones_told *one, uint64_t id)
{
    for (uint32_t i = 0; i < ZONES_AREAS; i++)
        CHECK(told->inside[i][id] == one->inside[i][id], "at the end %" PRIu64 " is %s area %u, and not in one world",
              id, told->inside[i][id] ? "in" : "out of", i + 1);
    CHECK(told->awake[id] == one->awake[id], "at the end %" PRIu64 " is %s, and not in one world", id,
          told->awake[id] ? "awake" : "asleep");
}

void zones_check_target_end(const zones_told *told, const zones_told *one, uint64_t observer, uint64_t target)
{
    const zones_known *known = &told->known[observer][target], *in_one = &one->known[observer][target];
    CHECK(known->x == in_one->x && known->y == in_one->y && known->band == in_one->band,
          "at the end the client of %" PRIu64 " has %" PRIu64
          " at (%g, %g), band %u; in one world at (%g, %g), band %u",
          observer, target, (double)known->x, (double)known->y, known->band, (double)in_one->x, (double)in_one->y,
          in_one->band);
}
