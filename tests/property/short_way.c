/*
 * Work counters of the interest phase. While all walk, a delta does observers with relations, with a margin, with a cap
 * that does not cut, with targets that are seen from beyond a view, and of spheres and cylinders where heights differ
 * (docs/finding-events.md). Only observers whose
 * relations just changed are evaluated; and where some jump, change or come, these, but no observer that sees them.
 * While no cap cuts, each list stays derived: with a margin only the listed targets beyond a view are kept. At adds_max
 * observers that wait for targets may be evaluated, and no others; where nothing else is special few of them are. Where
 * lists are derived, bands look at rows, and at listed targets of relations one by one, at no list. All of this holds
 * for what a server switches on together. Leaves of lists that no cap cuts look up no cause, while no attribute or
 * relation changes. A feature that falls off that short way is found here. Every list is verified in every tick. In
 * every fourth the lists that a consumer keeps by events alone are the same: a wrong event of a delta stays in them.
 *
 * options: --every N   each Nth of the ways
 *          --first N   from the Nth one on, from 0
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "api/handles.h"
#include "base/rng.h"
#include "shards/state/annulus.h"
#include "support/check.h"

enum {
    ENTITIES = 600,
    SIDE = 1000,
    PARTY = 10,
    WARM_TICKS = 4,
    CHANGES = 7,
    LEAVES_MOST = 12, /* of an observer in a tick of steps */
    JUMPS = 3,
    LISTS_EVERY = 4,
    RELATED = ENTITIES / PARTY * 2, /* observers with relations */
    RELATED_MOST = ENTITIES / PARTY * 6,
    SEPARATE = ENTITIES / 10 * 3, /* with layers: observers that do not see layer 0 */
    FAR_PARTIES = 8,              /* of which two each are seen from far off */
    PRIORITIES = 4,
    FEW_EVERY = 10, /* where few observe */
    RESTING = 8,    /* where few walk in a tick: one of so many */
    SEED = 20
};

#define TERRACE 640.0f     /* begins where a block does */
#define PARTY_SPREAD 90.0f /* a party begins within so much of its first, along each axis */

typedef struct host {
    ph_world world;
    ph_producer producer;
    uint64_t rng;
    ph_position at[ENTITIES];
    float hills;
    float step; /* the longest, along each axis */
    bool terraced;
    bool hidden[ENTITIES]; /* by stealth */
    ph_consumer consumer;
    bool told[ENTITIES + 1][ENTITIES + 1]; /* by events alone: the target is in the observer's list */
    uint32_t told_count[ENTITIES + 1];
    uint32_t waiting; /* observers for which targets wait since the last tick, for adds_max */
    uint32_t tick;
    uint32_t resting;          /* observers that are not ready */
    bool mounts;               /* some are attached: mounted() */
    bool rests;                /* few walk in a tick */
    bool changes;              /* relations change in this tick */
    uint64_t migrated, shrunk; /* in the last tick: entities that changed shard; steps of views in crowds */
    uint64_t migrations, shrunk_ever, heard, edges; /* all */
} host;

/* Shards and workers of a run. */
typedef struct layout {
    const char *name;
    uint32_t shards, workers, ticks; /* so many shards along an axis */
} layout;

/* A run. */
typedef struct way {
    const char *name;
    float margin;
    uint32_t cap;
    bool cuts;     /* the cap cuts some lists */
    uint32_t part; /* of such a run, at most one in so many observers is evaluated on average; 0 = any number */
    bool ranked;   /* by four priorities */
    bool related;  /* some observers have relations, of which some change */
    bool unveiled; /* no attribute hides */
    bool far;      /* some targets are seen from beyond a view */
    bool reaching; /* of these the ones with a reach alone */
    bool swarming; /* and a quarter of all has a reach; with `jumps`, many of them in each tick */
    bool jumps;    /* some entities are discontinuous in each tick; with `far`, these targets */
    bool near;     /* most targets are seen from nearer than a view alone */
    uint32_t adds_max;
    bool banded;   /* positions are told by bands: of rows in view, not of lists */
    bool waits;    /* adds_max bites: observers that jump or come wait for targets */
    bool few;      /* one in FEW_EVERY observes */
    bool rests;    /* few walk in a tick: it is not dense */
    bool views;    /* most observers have one view, the others two more */
    bool halves;   /* half of the observers, in no order, have another view; steps are small: most borders are still */
    bool renews;   /* some observers get another view in each tick: they are evaluated */
    bool layers;   /* some observers do not see layer 0, where most targets are */
    bool stealthy; /* a tenth is hidden from all, from the beginning */
    ph_shape shape;
    float hills;    /* heights are from 0 to so much, and change */
    bool terraced;  /* blocks are at one of two heights; a cylinder has none */
    bool twice;     /* all move twice in a tick */
    bool mounted;   /* some are attached to others */
    bool detecting; /* some see the hidden ones */
    bool talking;   /* each tenth broadcasts in each tick */
    bool unready;   /* some observers are not ready, some others in each tick */
    bool crowded;   /* views shrink in crowds */
    bool towers;    /* views are of whole towers */
    bool lively;    /* all but some are NPCs, which fall asleep and awake; and there are areas, of which some follow */
} way;

static float uniform(host *h, float low, float high)
{
    return low + (high - low) * phx_rng_unit(&h->rng);
}

static void place(host *h, uint64_t id, float x, float y)
{
    enum { CLIMBS = 3 }; /* of so many one comes to another height */
    if (h->hills > 0 && id % CLIMBS == phx_rng_below(&h->rng, CLIMBS)) h->at[id - 1].z = uniform(h, 0, h->hills);
    h->at[id - 1].x = fminf(fmaxf(x, 0), SIDE);
    h->at[id - 1].y = fminf(fmaxf(y, 0), SIDE);
    if (h->terraced) h->at[id - 1].z = h->at[id - 1].x < TERRACE ? 0 : 30;
}

/* The second class wakes. */
static uint32_t class_of(const way *of, uint64_t id)
{
    enum { WAKERS_EVERY = 30 };
    return of->lively && id % WAKERS_EVERY == 3;
}

/* Parties, each with a veiled first. */
static void enter_all(host *h, const way *of)
{
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        const bool first = (id - 1) % PARTY == 0;
        const ph_position at = h->at[(id - 1) / PARTY * PARTY];
        const float off_x = uniform(h, -PARTY_SPREAD, PARTY_SPREAD), off_y = uniform(h, -PARTY_SPREAD, PARTY_SPREAD);
        const float x = first ? uniform(h, 0, SIDE) : at.x + off_x;
        const float y = first ? uniform(h, 0, SIDE) : at.y + off_y;
        place(h, id, x, y);
        const bool watches = !of->few || id % FEW_EVERY == 0;
        const ph_attrs attrs = {.given = PH_POSITION | PH_VEILED | PH_KIND | (watches ? 0 : PH_VIEW),
                                .x = h->at[id - 1].x,
                                .y = h->at[id - 1].y,
                                .z = h->at[id - 1].z,
                                .veiled = first && !of->unveiled,
                                .kind = class_of(of, id)};
        CHECK_OK(ph_enter(h->producer, id, &attrs));
    }
}

/* Most are seen up to a distance of their own alone; of some it is that of all others. */
static void hold_near(const host *h)
{
    enum { OTHERS = 5, ALIKE = 2 };
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        const ph_attrs near = {.given = PH_VISIBLE, .visible = id % ALIKE ? 30 : (float)(id % 97)};
        if (id % OTHERS != 0) CHECK_OK(ph_set(h->producer, id, &near));
    }
}

/* Observers with one view are side by side in a tile, more than there have to be for a comparison of their own. */
static void narrow_some(const host *h)
{
    enum { NARROW = 5, NARROWER = 7 };
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        const ph_attrs narrow = {.given = PH_VIEW, .view = id % NARROWER == 0 ? 25 : 50};
        if (id % NARROW == 0 || id % NARROWER == 0) CHECK_OK(ph_set(h->producer, id, &narrow));
    }
}

/* Half of the observers, in no order, see less far. */
static void narrow_half(host *h)
{
    for (uint64_t id = 1; id <= ENTITIES; id++)
        if (phx_rng_below(&h->rng, 2) == 0)
            CHECK_OK(ph_set(h->producer, id, &(ph_attrs){.given = PH_VIEW, .view = 90}));
}

/* Some observers see farther, or as far as before, in turns. Returns how many of them there are. */
static uint32_t renew_some(const host *h, uint32_t number)
{
    for (uint64_t i = 0; i < CHANGES; i++) {
        const ph_attrs seeing = {.given = PH_VIEW, .view = number % 2 == 0 ? 80 : 100};
        CHECK_OK(ph_set(h->producer, i * PARTY + 1 + number / 2 % 4, &seeing));
    }
    return CHANGES;
}

/* A quarter has the highest priority, and a quarter each the next ones. */
static void rank_all(const host *h)
{
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        const ph_attrs ranked = {.given = PH_PRIORITY, .priority = id % PRIORITIES};
        CHECK_OK(ph_set(h->producer, id, &ranked));
    }
}

/* A fifth is in a layer of its own and looks there, a fifth is in both layers, and a tenth looks at the other one. */
static void part_layers(const host *h)
{
    enum { FIFTH = 5, TENTH = 10, COMMON = 1, OTHER = 2 };
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        const ph_attrs own = {.given = PH_LAYERS | PH_SEES, .layers = OTHER, .sees = OTHER};
        const ph_attrs both = {.given = PH_LAYERS, .layers = COMMON | OTHER};
        const ph_attrs looks = {.given = PH_SEES, .sees = OTHER};
        if (id % FIFTH == 0) CHECK_OK(ph_set(h->producer, id, &own));
        if (id % FIFTH == 1) CHECK_OK(ph_set(h->producer, id, &both));
        if (id % TENTH == 2) CHECK_OK(ph_set(h->producer, id, &looks));
    }
}

/* Does it not see the common layer? */
static bool apart(uint64_t id)
{
    return id % 5 == 0 || id % 10 == 2;
}

static void hide_some(host *h)
{
    enum { TENTH = 10 };
    for (uint64_t id = TENTH; id <= ENTITIES; id += TENTH) {
        h->hidden[id - 1] = true;
        CHECK_OK(ph_set(h->producer, id, &(ph_attrs){.given = PH_STEALTH, .stealth = 1}));
    }
}

static void detect_some(const host *h)
{
    enum { FIFTH = 5 };
    for (uint64_t id = 1; id <= ENTITIES; id += FIFTH)
        CHECK_OK(ph_set(h->producer, id, &(ph_attrs){.given = PH_DETECT, .detect = 1}));
}

/* Areas that stand, and such as follow an entity. */
static void set_areas(const host *h)
{
    enum { AREAS = 16, AXIS = 4, FOLLOWERS_EVERY = 3 };
    for (uint32_t i = 0; i < AREAS; i++) {
        const bool follows = i % FOLLOWERS_EVERY == 0;
        const float side = (float)SIDE / AXIS, x = side * (float)(i % AXIS), y = side * (float)(i / AXIS);
        const ph_area round = {
            .shape = PH_AREA_CIRCLE, .radius = side / 4, .flags = PH_AREA_FOLLOW, .follow = (uint64_t)i * PARTY + 2};
        const ph_area box = {.shape = PH_AREA_BOX, .low = {x, y}, .high = {x + side, y + side}, .margin = 5};
        CHECK_OK(ph_area_set(h->producer, i + 1, follows ? &round : &box));
    }
}

/* Is the entity attached to the one before? */
static bool mounted(const host *h, uint64_t id)
{
    enum { MOUNTS_EVERY = 20 };
    return h->mounts && id % MOUNTS_EVERY == 0;
}

static void mount_some(host *h)
{
    h->mounts = true;
    for (uint64_t id = 1; id <= ENTITIES; id++)
        if (mounted(h, id)) CHECK_OK(ph_attach(h->producer, id, id - 1));
}

static void talk(const host *h)
{
    enum { TENTH = 10 };
    for (uint64_t id = 3; id <= ENTITIES; id += TENTH) CHECK_OK(ph_broadcast(h->producer, id, "hello", 5, NULL));
}

/* Some observers are not ready any more, or again, in turns. Returns how many of them are evaluated. */
static uint32_t unready_some(host *h, uint32_t number)
{
    h->resting = number % 2 == 0 ? CHANGES : 0;
    for (uint64_t i = 0; i < CHANGES; i++) {
        const uint64_t id = i * PARTY + 1 + number / 2 % 4;
        const ph_attrs state = {.given = PH_READY, .ready = number % 2 == 1};
        CHECK_OK(ph_set(h->producer, id, &state));
        if (number % 2 == 0) h->told_count[id] = 0, memset(h->told[id], 0, sizeof h->told[0]);
    }
    return CHANGES - h->resting; /* a list that ends is not looked at */
}

/* The first two of some parties are seen from far off: by a reach that others cross all the time, and everywhere. */
static void reach_far(const host *h, bool reaching)
{
    for (uint64_t i = 0; i < FAR_PARTIES; i++) {
        const ph_attrs beacon = {.given = PH_GLOBAL, .global = true};
        const ph_attrs dragon = {.given = PH_REACH, .reach = 110 + 30 * (float)i};
        if (!reaching) CHECK_OK(ph_set(h->producer, i * PARTY + 1, &beacon));
        CHECK_OK(ph_set(h->producer, i * PARTY + 2, &dragon));
    }
}

enum { SWARM = ENTITIES / 4 };

/* The fourth of each four has a reach. */
static void reach_as_swarm(const host *h)
{
    const ph_attrs reach = {.given = PH_REACH, .reach = 130};
    for (uint64_t i = 1; i <= SWARM; i++) CHECK_OK(ph_set(h->producer, 4 * i, &reach));
}

/* Many of a swarm jump far. */
static uint32_t disturb_swarm(host *h, uint32_t number)
{
    enum { SOME = 70 };
    for (uint64_t i = 0; i < SOME; i++) {
        const uint64_t id = 4 * ((number * SOME + i) % SWARM + 1);
        place(h, id, fmodf(h->at[id - 1].x + 0.5f * SIDE, SIDE), uniform(h, 0, SIDE));
        CHECK_OK(ph_move(h->producer, id, h->at[id - 1].x, h->at[id - 1].y, h->at[id - 1].z));
    }
    return SOME;
}

/* Is it a pair that comes and goes, and not a hide? */
static bool pairs_third(uint64_t party)
{
    return party < CHANGES && party % 2 == 1;
}

/* The third of a party has one relation, which comes and goes: a hide, or a pair as far as a view and the margin. */
static void relate_third(const host *h, uint64_t party)
{
    const uint64_t observer = party * PARTY + 3, target = party * PARTY + 7;
    if (!pairs_third(party)) CHECK_OK(ph_hide(h->producer, observer, target));
    else CHECK_OK(ph_pair(h->producer, observer, target, 100, 15));
}

/* In each party the second has relations of all kinds. */
static void relate(host *h)
{
    for (uint64_t first = 1; first <= ENTITIES; first += PARTY) {
        CHECK_OK(ph_reveal(h->producer, first + 1, first));
        CHECK_OK(ph_hide(h->producer, first + 1, first + 2));
        CHECK_OK(ph_link(h->producer, first + 1, first + 3));
        CHECK_OK(ph_pair(h->producer, first + 1, first + 4, 120, 5));
        CHECK_OK(ph_pair(h->producer, first + 1, first + 5, 40, 5));
        relate_third(h, first / PARTY);
    }
}

static void change_relations(const host *h, bool ends)
{
    for (uint64_t party = 0; party < CHANGES; party++) {
        const uint64_t observer = party * PARTY + 3, target = party * PARTY + 7;
        if (!ends) relate_third(h, party);
        else if (!pairs_third(party)) CHECK_OK(ph_unhide(h->producer, observer, target));
        else CHECK_OK(ph_unpair(h->producer, observer, target));
    }
}

static void walk(host *h)
{
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        const float step_x = uniform(h, -h->step, h->step), step_y = uniform(h, -h->step, h->step);
        if (mounted(h, id) || (h->rests && id % RESTING != h->tick % RESTING)) continue;
        place(h, id, h->at[id - 1].x + step_x, h->at[id - 1].y + step_y);
        CHECK_OK(ph_move(h->producer, id, h->at[id - 1].x, h->at[id - 1].y, h->at[id - 1].z));
    }
}

/*
 * Some jump far, some hide or show themselves, one logs out and comes again in the next tick elsewhere. Returns how
 * many of them are discontinuous observers of that tick.
 */
static uint32_t disturb(host *h, uint32_t number)
{
    const uint64_t comer = ENTITIES - number / 2 % PARTY;
    for (uint64_t i = 0; i < JUMPS; i++) {
        const uint64_t jumper = (number * JUMPS + i) % (ENTITIES / 2) + 1;
        const uint64_t changer = ENTITIES / 2 + 1 + jumper % (2 * PARTY);
        h->hidden[changer - 1] = !h->hidden[changer - 1];
        const ph_attrs stealth = {.given = PH_STEALTH, .stealth = h->hidden[changer - 1]};
        place(h, jumper, fmodf(h->at[jumper - 1].x + 0.5f * SIDE, SIDE), uniform(h, 0, SIDE));
        CHECK_OK(ph_move(h->producer, jumper, h->at[jumper - 1].x, h->at[jumper - 1].y, h->at[jumper - 1].z));
        CHECK_OK(ph_set(h->producer, changer, &stealth));
    }
    if (number % 2 == 0) {
        CHECK_OK(ph_leave(h->producer, comer));
        return 2 * JUMPS;
    }
    place(h, comer, uniform(h, 0, SIDE), uniform(h, 0, SIDE));
    const ph_attrs attrs = {
        .given = PH_POSITION, .x = h->at[comer - 1].x, .y = h->at[comer - 1].y, .z = h->at[comer - 1].z};
    CHECK_OK(ph_enter(h->producer, comer, &attrs));
    return 2 * JUMPS + 1;
}

/* A dragon jumps far, another one grows or shrinks, a beacon is lit or goes out. Returns how many of them there are. */
static uint32_t disturb_far(host *h, uint32_t number)
{
    const uint64_t jumper = number % 4 * PARTY + 2, changer = (4 + number % 4) * PARTY + 2,
                   beacon = number % 8 * PARTY + 1;
    const ph_attrs other = {.given = PH_REACH, .reach = number / 4 % 3 == 0 ? 0 : 100 + 10 * (float)(number % 32)};
    h->hidden[beacon - 1] = !h->hidden[beacon - 1];
    const ph_attrs lit = {.given = PH_GLOBAL, .global = !h->hidden[beacon - 1]};
    place(h, jumper, fmodf(h->at[jumper - 1].x + 0.5f * SIDE, SIDE), uniform(h, 0, SIDE));
    CHECK_OK(ph_move(h->producer, jumper, h->at[jumper - 1].x, h->at[jumper - 1].y, h->at[jumper - 1].z));
    CHECK_OK(ph_set(h->producer, changer, &other));
    CHECK_OK(ph_set(h->producer, beacon, &lit));
    return 3;
}

static void hear_change(host *h, const ph_batch *batch, const ph_change *change)
{
    bool *told = h->told[change->observer];
    if ((change->flags & PH_CHANGE_FRESH) != 0) {
        memset(told, 0, sizeof h->told[0]);
        h->told_count[change->observer] = 0;
    }
    h->told_count[change->observer] += change->enter_count - change->leave_count;
    h->waiting += (change->flags & PH_CHANGE_MORE) != 0;
    for (uint32_t i = 0; i < change->leave_count + change->enter_count; i++) {
        const uint64_t target = batch->targets[change->first + i].id;
        const bool enters = i >= change->leave_count;
        CHECK(told[target] != enters, "tick %" PRIu64 ": %" PRIu64 " is told twice of %" PRIu64, batch->tick,
              change->observer, target);
        told[target] = enters;
    }
}

/* Takes the events of a tick. */
static void hear_all(host *h)
{
    const ph_batch *batch = NULL;
    h->waiting = 0;
    while (ph_batch_take(h->consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++) hear_change(h, batch, &batch->changes[i]);
        h->heard += batch->heard_count;
        h->edges += batch->activation_count > 0 && batch->crossing_count > 0;
        CHECK_OK(ph_batch_return(h->consumer, batch));
    }
}

/* The lists that follow from events alone are the ones of the library. */
static void compare_lists(const host *h)
{
    uint64_t ids[ENTITIES];
    for (uint64_t observer = 1; observer <= ENTITIES; observer++) {
        const uint32_t told = h->told_count[observer];
        uint32_t count = 0;
        if (ph_list(h->world, observer, ids, ENTITIES, &count) == PH_UNKNOWN_ID) continue; /* logged out */
        bool same = true;
        for (uint32_t i = 0; i < count; i++) same = same && h->told[observer][ids[i]];
        CHECK(same && told == count, "%" PRIu64 " has %u in its list, %u by its events", observer, count, told);
    }
}

/* Ticks, verifies, and returns how many observers were evaluated so far. */
static uint64_t tick(host *h)
{
    ph_stats stats;
    ph_verification progress = {0};
    ph_difference difference = {0};
    CHECK_OK(ph_tick(h->world, NULL));
    CHECK_OK(ph_verify(h->world, UINT64_MAX, &progress, &difference));
    CHECK(difference.kind == PH_DIFFERENCE_NONE, "the list of %" PRIu64 " is wrong", difference.observer);
    hear_all(h);
    CHECK_OK(ph_world_stats(h->world, &stats));
    h->migrated = stats.migrations - h->migrations;
    h->migrations = stats.migrations;
    h->shrunk = stats.crowd_narrowed + stats.crowd_widened - h->shrunk_ever;
    h->shrunk_ever += h->shrunk;
    return stats.observers_evaluated;
}

/* Lists that are stored, of ready observers. */
static uint32_t count_stored_lists(const host *h)
{
    const phx_world *world = phx_resolve_world(h->world);
    uint32_t stored = 0;
    for (uint32_t s = 0; s < world->shard_count; s++) {
        const phx_store *store = &world->shards[s].store;
        for (uint32_t slot = 0; slot < store->slots; slot++)
            stored += (store->body[slot].state & PHX_SLOT_OWN) && !store->tail[slot].list.derived;
    }
    return stored;
}

/* Targets in annuli. */
static uint32_t count_annuli(const host *h)
{
    const phx_world *world = phx_resolve_world(h->world);
    uint32_t count = 0;
    for (uint32_t s = 0; s < world->shard_count; s++)
        for (uint32_t slot = 0; slot < world->shards[s].store.slots; slot++)
            count += phx_annulus_of(&world->shards[s], slot).count;
    return count;
}

/* With a margin a part of the listed targets is kept; without, none. */
static void check_annuli(const host *h, const way *of)
{
    enum { PART = 3 };
    const uint32_t kept = count_annuli(h);
    uint32_t listed = 0;
    for (uint32_t i = 0; i <= ENTITIES; i++) listed += h->told_count[i];
    CHECK(of->margin > 0 ? kept > 0 && kept < listed / PART : kept == 0, "%s: %u targets in annuli, %u in lists",
          of->name, kept, listed);
}

/* Leaves of the last tick whose target was looked at for its cause. */
static uint64_t count_cause_lookups(const host *h)
{
    const phx_world *world = phx_resolve_world(h->world);
    uint64_t count = 0;
    for (uint32_t c = 0; c < world->chunk_count; c++) count += world->chunks[c].cause_lookups;
    return count;
}

/* Targets that bands looked at one by one in the last tick. */
static uint32_t count_listed_updates(const host *h)
{
    const phx_world *world = phx_resolve_world(h->world);
    uint32_t count = 0;
    for (uint32_t w = 0; w < world->worker_count; w++) count += world->updates.workers[w].update_scratch.listed_count;
    return count;
}

/* Due rows that bands looked up among relations in the last tick: rows of their targets are left out before. */
static uint32_t count_sifted_updates(const host *h)
{
    const phx_world *world = phx_resolve_world(h->world);
    uint32_t count = 0;
    for (uint32_t w = 0; w < world->worker_count; w++) count += world->updates.workers[w].update_scratch.sifted_count;
    return count;
}

/* Observers with bands that searched for far targets by cells in the last tick: else the ones near their block tell. */
static uint32_t count_far_searches(const host *h)
{
    const phx_world *world = phx_resolve_world(h->world);
    uint32_t count = 0;
    for (uint32_t w = 0; w < world->worker_count; w++) count += world->updates.workers[w].update_scratch.searched_count;
    return count;
}

/* ---- a run ---- */

/* Opens the world of a way, and its entities come. */
static void open_world(host *h, const way *of, const layout *as)
{
    ph_world_def def = ph_world_def_default();
    ph_class kind = ph_class_default("default");
    kind.view = 100;
    kind.margin = of->margin;
    kind.cap = of->cap;
    kind.adds_max = of->adds_max;
    if (of->banded) kind.bands[kind.band_count++] = (ph_band){30, 1};
    if (of->banded) kind.bands[kind.band_count++] = (ph_band){100, 4};
    kind.sleeps = of->lively;
    ph_class kinds[] = {kind, kind};
    kinds[1].wakes = of->lively;
    memcpy(kinds[1].name, "waker", sizeof "waker");
    def.activation_span = 0; /* towers around a waker's own */
    def.activation_linger = 1;
    def.classes = kinds;
    def.class_count = sizeof kinds / sizeof *kinds;
    def.world_size[0] = def.world_size[1] = SIDE;
    def.shards[0] = def.shards[1] = as->shards;
    def.workers = as->workers;
    def.share_min = 0;
    def.shape = of->shape;
    def.height = of->terraced ? 0 : of->shape == PH_SHAPE_CYLINDER ? 20 : PH_LENGTH_MAX; /* else it counts not */
    def.tower_size = of->terraced ? 40 : 100; /* a view: fewer entities near a tower's border, so fewer evaluated */
    def.range = of->towers ? PH_RANGE_TOWERS : PH_RANGE_RADIUS;
    if (of->towers) def.tower_size = 50;
    if (of->crowded) def.crowd_entities = ENTITIES / 20;
    REQUIRE(ph_world_create(&def, &h->world) == PH_OK && ph_producer_open(h->world, &h->producer) == PH_OK &&
            ph_consumer_open(h->world, 0, &h->consumer) == PH_OK);
    enter_all(h, of);
    if (of->related) relate(h);
    if (of->far) reach_far(h, of->reaching);
    if (of->swarming) reach_as_swarm(h);
    if (of->near) hold_near(h);
    if (of->ranked) rank_all(h);
    if (of->views) narrow_some(h);
    if (of->halves) narrow_half(h);
    if (of->layers) part_layers(h);
    if (of->stealthy) hide_some(h);
    if (of->detecting) detect_some(h);
    if (of->mounted) mount_some(h);
    if (of->lively) set_areas(h);
}

/* What a way does in a tick beside steps. Returns how many observers are evaluated for it. */
static uint32_t change_some(host *h, const way *of, uint32_t number)
{
    enum { HIDES_EVERY = 2 };
    uint32_t evaluated = 0;
    h->changes = of->related && number % HIDES_EVERY == 0;
    if (h->changes) change_relations(h, number / HIDES_EVERY % 2 == 0);
    if (of->jumps && of->swarming) evaluated = disturb_swarm(h, number);
    else if (of->jumps) evaluated = of->far ? disturb_far(h, number) : disturb(h, number);
    /* their lists are derived; but a comer with a cap is evaluated */
    if (of->jumps && of->margin == 0) evaluated = of->cap > 0 && !of->far ? evaluated % 2 : 0;
    if (of->renews) evaluated = renew_some(h, number);
    if (of->unready) evaluated = unready_some(h, number);
    if (of->talking) talk(h);
    return evaluated;
}

/* Checks of a tick in which so many observers were to be evaluated, of which so many were. */
static void check_evaluated(const host *h, const way *of, const layout *as, uint64_t expected, uint64_t was,
                            uint32_t waited)
{
    /* at adds_max: the ones that waited, the ones that wait now, and comers and jumpers */
    const uint64_t most = waited + h->waiting + 2 * JUMPS + 1;
    uint64_t others = h->migrated + (of->crowded ? h->shrunk : 0);
    if (of->related && of->towers) others += RELATED;                   /* nine-grid deltas know no relations */
    if (of->layers && of->banded && as->shards > 1) others += SEPARATE; /* where copies come into view */
    if (h->changes && as->shards > 1) others += CHANGES;                /* of which a target is of another shard */
    CHECK(!of->waits || of->cuts || was <= most + others,
          "%s, %s, tick %u: %" PRIu64 " observers evaluated, %" PRIu64 " at most", of->name, as->name, h->tick, was,
          most + others);
    CHECK(of->cuts || of->waits || (was + h->migrated >= expected && was <= expected + others),
          "%s, %s, tick %u: %" PRIu64 " observers evaluated, not %" PRIu64 " to %" PRIu64, of->name, as->name, h->tick,
          was, expected, expected + others);
    CHECK(!of->cuts || was < ENTITIES / 2, "%s, %s, tick %u: %" PRIu64 " observers evaluated", of->name, as->name,
          h->tick, was);
}

/* Checks of the lists and updates after a tick. */
static void check_work(const host *h, const way *of, const layout *as)
{
    const uint32_t stored = count_stored_lists(h);
    check_annuli(h, of);
    uint32_t stored_most = h->resting + (uint32_t)h->migrated;
    if (of->layers && of->banded) stored_most += SEPARATE; /* bands look at no rows for them */
    CHECK(of->cuts || of->waits || of->towers || stored <= stored_most, "%s, %s, tick %u: %u lists are stored",
          of->name, as->name, h->tick, stored);
    /* with bands: listed targets of relations, in annuli, and seen from beyond a view */
    const uint32_t listed = count_listed_updates(h);
    const uint32_t far_most = of->far ? ENTITIES * 2 * FAR_PARTIES : 0;
    uint32_t listed_most = (of->related ? RELATED_MOST : 0) + far_most + count_annuli(h);
    for (uint64_t id = 1; of->layers && id <= ENTITIES; id++) listed_most += apart(id) ? h->told_count[id] : 0;
    CHECK(!of->banded || listed <= listed_most, "%s, %s, tick %u: %u targets in lists looked at", of->name, as->name,
          h->tick, listed);
    CHECK(!of->banded || !of->related || listed > 0, "%s, %s, tick %u: no linked target looked at", of->name, as->name,
          h->tick);
    const uint32_t sifted = count_sifted_updates(h);
    CHECK(sifted == 0 || as->shards > 1, "%s, %s, tick %u: %u due rows looked up", of->name, as->name, h->tick, sifted);
    const uint32_t searched = count_far_searches(h);
    CHECK(searched == 0, "%s, %s, tick %u: %u observers searched for far targets", of->name, as->name, h->tick,
          searched);
}

/* At adds_max alone: only targets of the highest rank are noted, as a delta joins no others. */
static uint32_t check_notes(const host *h, const way *of)
{
    uint32_t notes = 0;
    const phx_world *world = phx_resolve_world(h->world);
    const uint16_t top = of->ranked ? PRIORITIES : 1;
    for (uint32_t s = 0; s < world->shard_count; s++) {
        const phx_list_cuts *cuts = &world->shards[s].list_cuts;
        for (uint32_t slot = 0; slot < cuts->count; slot++) {
            if (!(cuts->at[slot].limit > 0)) continue;
            CHECK(cuts->at[slot].rank == top, "%s, tick %u: rank %u is noted", of->name, h->tick, cuts->at[slot].rank);
            notes++;
        }
    }
    return notes;
}

static void run(const way *of, const layout *as)
{
    static host h;
    memset(&h, 0, sizeof h);
    h.rng = SEED;
    h.hills = of->hills;
    h.step = of->halves ? 1 : 6;
    h.rests = of->rests;
    h.terraced = of->terraced;
    open_world(&h, of, as);
    uint64_t before = 0, waits = 0, lookups = 0, evaluated = 0, migrated = 0, notes = 0;
    for (uint32_t i = 0; i < WARM_TICKS; i++, walk(&h)) before = tick(&h);
    for (h.tick = 0; h.tick < as->ticks; h.tick++, walk(&h)) {
        const uint64_t expected = change_some(&h, of, h.tick);
        const uint32_t waited = h.waiting;
        if (of->twice) walk(&h);
        const uint64_t now = tick(&h);
        if (h.tick % LISTS_EVERY == LISTS_EVERY - 1) compare_lists(&h);
        waits += h.waiting;
        migrated += h.migrated;
        const uint64_t looked_up = count_cause_lookups(&h);
        const bool looks_up = h.changes || of->jumps || of->cuts || of->renews || of->unready || of->crowded;
        CHECK(looks_up || as->shards > 1 || looked_up == 0, /* of migrants */
              "%s, %s, tick %u: %" PRIu64 " causes looked up", of->name, as->name, h.tick, looked_up);
        /* where relations alone hide, leaves of observers with one that changed in the tick */
        CHECK(!of->unveiled || as->shards > 1 || looked_up <= CHANGES * LEAVES_MOST,
              "%s, %s, tick %u: %" PRIu64 " causes looked up", of->name, as->name, h.tick, looked_up);
        lookups += looked_up;
        check_evaluated(&h, of, as, expected, now - before, waited);
        check_work(&h, of, as);
        if (of->waits && of->cap == 0) notes += check_notes(&h, of);
        evaluated += now - before;
        before = now;
    }
    const uint64_t borders = as->shards > 1 ? 2 : 1; /* twice as many where copies and migrants come, */
    const bool counted = of->part > 0 && (as->shards == 1 || !of->waits); /* and all near them that wait */
    CHECK(!counted || evaluated * of->part <= borders * ENTITIES * as->ticks,
          "%s, %s: %" PRIu64 " observers evaluated in %u ticks", of->name, as->name, evaluated, as->ticks);
    CHECK(lookups > 0 || of->swarming || !(of->related || of->jumps || of->cuts || of->renews),
          "%s, %s: no cause looked up", of->name, as->name);
    CHECK((waits > 0) == of->waits, "%s, %s: %" PRIu64 " times targets waited", of->name, as->name, waits);
    CHECK(!of->waits || of->cap > 0 || of->margin > 0 || notes > 0, "%s, %s: no limit is noted", of->name, as->name);
    CHECK((migrated > 0) == (as->shards > 1), "%s, %s: %" PRIu64 " migrations", of->name, as->name, migrated);
    CHECK((h.edges > 0) == of->lively, "%s, %s: %" PRIu64 " batches with edges of both kinds", of->name, as->name,
          h.edges);
    CHECK((h.heard > 0) == of->talking, "%s, %s: %" PRIu64 " broadcasts", of->name, as->name, h.heard);
    CHECK(!of->crowded || h.shrunk_ever > 0, "%s, %s: no view shrank", of->name, as->name);
    CHECK_OK(ph_world_destroy(h.world));
}

/* Where heights differ and a target has a bound, one that walks alone, or only rises, has no observer evaluated. */
static void walk_alone_on_hills(void)
{
    enum { STANDS = 300, APART = 60, AXIS = 20, STEPS = 6 };
    ph_world_def def = ph_world_def_default();
    ph_class kind = ph_class_default("default");
    ph_world world;
    ph_producer producer;
    ph_stats stats;
    kind.view = 100;
    def.shape = PH_SHAPE_SPHERE;
    def.classes = &kind;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = 2 * AXIS * APART;
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    for (uint64_t id = 1; id <= STANDS; id++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_Z | PH_VISIBLE,
                                .x = (float)(id % AXIS * APART),
                                .y = (float)(id / AXIS * APART),
                                .z = (float)(id % 7),
                                .visible = id == 1 ? 10 : PH_LENGTH_MAX};
        CHECK_OK(ph_enter(producer, id, &attrs));
    }
    for (uint32_t i = 0; i < WARM_TICKS; i++) CHECK_OK(ph_tick(world, NULL));
    CHECK_OK(ph_world_stats(world, &stats));
    const uint64_t before = stats.observers_evaluated;
    for (uint32_t i = 1; i <= STEPS; i++) {
        CHECK_OK(ph_move(producer, STANDS / 2, (float)(STANDS / 2 % AXIS * APART) + (float)i,
                         (float)(STANDS / 2 / AXIS * APART), 3));
        CHECK_OK(ph_move(producer, 1, APART, 0, (float)(i * 4)));
        CHECK_OK(ph_tick(world, NULL));
    }
    CHECK_OK(ph_world_stats(world, &stats));
    CHECK(stats.observers_evaluated == before, "%" PRIu64 " observers evaluated in %d ticks",
          stats.observers_evaluated - before, STEPS);
    CHECK_OK(ph_world_destroy(world));
}

/* Instances have more sets of attributes than a list: deltas rank the targets at a cap all the same. */
static void cut_in_instances(void)
{
    enum { INSTANCES = 520, EACH = 8, ALL = INSTANCES * EACH, STEPS = 10, PART = 10 };
    static ph_position at[ALL];
    ph_world_def def = ph_world_def_default();
    ph_class kind = ph_class_default("default");
    ph_world world;
    ph_producer producer;
    ph_stats stats;
    uint64_t rng = SEED, before = 0;
    kind.view = 100;
    kind.cap = EACH / 2;
    def.classes = &kind;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = SIDE;
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    for (uint32_t step = 0; step < WARM_TICKS + STEPS; step++) {
        for (uint32_t i = 0; i < ALL; i++) {
            ph_attrs come = {.given = PH_X | PH_Y | PH_INSTANCE | PH_PRIORITY | PH_VIEW, .view = i % 2 ? 0 : 100};
            come.priority = i % 2;
            come.instance = i / EACH;
            at[i].x = step == 0 ? 500 + 60 * phx_rng_unit(&rng) : at[i].x + 2 * phx_rng_unit(&rng) - 1;
            at[i].y = step == 0 ? 500 + 60 * phx_rng_unit(&rng) : at[i].y + 2 * phx_rng_unit(&rng) - 1;
            come.x = at[i].x;
            come.y = at[i].y;
            if (step == 0) CHECK_OK(ph_enter(producer, i + 1, &come));
            else CHECK_OK(ph_move(producer, i + 1, at[i].x, at[i].y, 0));
        }
        CHECK_OK(ph_tick(world, NULL));
        CHECK_OK(ph_world_stats(world, &stats));
        if (step + 1 == WARM_TICKS) before = stats.observers_evaluated;
    }
    ph_verification progress = {0};
    ph_difference difference = {0};
    CHECK_OK(ph_verify(world, UINT64_MAX, &progress, &difference));
    CHECK(difference.kind == PH_DIFFERENCE_NONE, "instances: the list of %" PRIu64 " is wrong", difference.observer);
    CHECK((stats.observers_evaluated - before) * PART <= (uint64_t)STEPS * ALL / 2,
          "instances: %" PRIu64 " observers evaluated in %d ticks", stats.observers_evaluated - before, STEPS);
    CHECK_OK(ph_world_destroy(world));
}

int main(int argc, char **argv)
{
    const size_t every = option_number(argc, argv, "--every", 1), first = option_number(argc, argv, "--first", 0);
    static const way ways[] = {
        {"relations", 0, 0, .related = true},
        {"relations, and no veils", 0, 0, .related = true, .unveiled = true},
        {"relations, no veils and a cap", 0, 500, .related = true, .unveiled = true},
        {"relations and a margin", 15, 0, .related = true},
        {"relations and a cap", 0, 500, .related = true},
        {"relations, a margin and a cap", 15, 500, .related = true},
        {"relations, a margin and a cap that cuts", 15, 26, .related = true, .cuts = true, .part = 55},
        {"a cap that cuts", 0, 12, .cuts = true, .part = 25},
        {"a cap of one", 0, 1, .cuts = true, .part = 50},
        {"a cap that cuts, and a margin", 15, 12, .cuts = true, .part = 70},
        {"a cap that cuts, and priorities", 0, 12, .cuts = true, .ranked = true, .part = 5},
        {"a cap that cuts, priorities and a margin", 15, 12, .cuts = true, .ranked = true, .part = 8},
        {"a cap that cuts, priorities, far targets and a margin", 15, 12, .cuts = true, .ranked = true, .far = true,
         .part = 12},
        {"a cap that cuts, priorities and relations", 0, 12, .cuts = true, .ranked = true, .related = true, .part = 11},
        {"a cap that cuts, and far targets", 0, 12, .cuts = true, .far = true, .part = 16},
        {"a cap that cuts, far targets and priorities", 0, 12, .cuts = true, .far = true, .ranked = true, .part = 4},
        {"a cap that cuts, and near targets", 0, 12, .cuts = true, .near = true, .part = 4},
        {"a cap that cuts, and adds_max", 0, 12, .cuts = true, .adds_max = 3, .waits = true, .part = 25},
        {"jumps", 0, 0, .jumps = true},
        {"jumps and a cap", 0, 500, .jumps = true},
        {"jumps and a margin", 15, 0, .jumps = true},
        {"jumps, a margin and a cap", 15, 500, .jumps = true},
        {"far targets", 0, 0, .far = true},
        {"far targets and a cap", 0, 500, .far = true},
        {"far targets and relations", 0, 0, .far = true, .related = true},
        {"far targets that jump", 0, 0, .far = true, .jumps = true},
        {"many far targets that jump", 0, 0, .far = true, .swarming = true, .jumps = true},
        {"many far targets that jump, and a margin", 15, 0, .far = true, .swarming = true, .jumps = true},
        {"far targets that jump, and a cap", 0, 500, .far = true, .jumps = true},
        {"far targets that jump, and a margin", 15, 0, .far = true, .jumps = true},
        {"far targets, a margin and relations", 15, 0, .far = true, .related = true},
        {"near targets", 0, 0, .near = true},
        {"near targets, and a margin", 15, 0, .near = true},
        {"near targets, a margin and a cap", 15, 500, .near = true},
        {"near targets and relations", 0, 0, .near = true, .related = true},
        {"near targets that jump", 0, 0, .near = true, .jumps = true},
        {"near targets that jump, and a margin", 15, 0, .near = true, .jumps = true},
        {"near and far targets", 0, 0, .near = true, .far = true},
        {"near and far targets that jump, and a margin", 15, 0, .near = true, .far = true, .jumps = true},
        {"bands", .banded = true},
        {"bands and a cap", 0, 500, .banded = true},
        {"bands and relations", .banded = true, .related = true},
        {"bands, relations and a cap", 0, 500, .banded = true, .related = true},
        {"bands and jumps", .banded = true, .jumps = true},
        {"bands and a margin", 15, .banded = true},
        {"bands and far targets", .banded = true, .far = true},
        {"bands, a margin, relations and far targets", 15, .banded = true, .related = true, .far = true},
        {"views", .views = true},
        {"views and jumps", .views = true, .jumps = true},
        {"jumps and a cap that cuts", 0, 12, .jumps = true, .cuts = true, .part = 20},
        {"jumps, a margin and a cap that cuts", 15, 12, .jumps = true, .cuts = true, .part = 20},
        {"jumps, priorities and a cap that cuts", 0, 12, .ranked = true, .jumps = true, .cuts = true, .part = 8},
        {"jumps, spheres and a cap that cuts", 0, 12, .jumps = true, .cuts = true, .part = 16, .shape = PH_SHAPE_SPHERE,
         .hills = 50},
        {"views, jumps and a cap that cuts", 0, 12, .views = true, .jumps = true, .cuts = true, .part = 25},
        {"views that change", .views = true, .renews = true},
        {"views and relations", .views = true, .related = true},
        {"views and a margin", 15, .views = true},
        {"layers", .layers = true},
        {"layers and a cap", 0, 500, .layers = true},
        {"layers and a margin", 15, .layers = true},
        {"layers and relations", .layers = true, .related = true},
        {"layers and jumps", .layers = true, .jumps = true},
        {"layers, jumps, a margin and a cap", 15, 500, .layers = true, .jumps = true},
        {"layers and far targets", .layers = true, .far = true},
        {"layers, far targets that jump, and near ones", .layers = true, .far = true, .near = true, .jumps = true},
        {"all that a server switches on, but layers", 15, 500, .related = true, .ranked = true, .far = true,
         .views = true, .stealthy = true, .banded = true},
        {"all that a server switches on, but bands", 15, 500, .related = true, .ranked = true, .far = true,
         .views = true, .stealthy = true, .layers = true},
        {"all that a server switches on, and its cap cuts", 15, 26, .related = true, .ranked = true, .far = true,
         .views = true, .stealthy = true, .layers = true, .banded = true, .cuts = true, .part = 30},
        {"adds_max", .adds_max = 20},
        {"adds_max and a margin", 15, .adds_max = 20},
        {"adds_max and relations", .adds_max = 20, .related = true},
        {"adds_max and near targets", .adds_max = 20, .near = true},
        {"adds_max and jumps", .adds_max = 5, .jumps = true, .waits = true},
        {"adds_max that bites", .adds_max = 2, .waits = true, .part = 10},
        {"adds_max that bites, and two moves in a tick", .adds_max = 2, .waits = true, .twice = true, .part = 10},
        {"adds_max that bites, and views", .adds_max = 2, .waits = true, .views = true, .part = 10},
        {"adds_max that bites, and two views in no order", .adds_max = 2, .waits = true, .halves = true, .part = 10},
        {"adds_max that bites, and priorities", .adds_max = 2, .waits = true, .ranked = true},
        {"adds_max that bites, hidden ones, and some that see them", .adds_max = 2, .waits = true, .stealthy = true,
         .detecting = true, .part = 10},
        {"adds_max that bites, and views that change", .adds_max = 2, .waits = true, .views = true, .renews = true},
        {"adds_max that bites, and few observe", .adds_max = 2, .waits = true, .few = true, .part = 240},
        {"adds_max that bites, few observe, and priorities", .adds_max = 2, .waits = true, .few = true, .ranked = true},
        {"adds_max that bites, few observe, and relations", .adds_max = 2, .waits = true, .few = true, .related = true},
        {"adds_max that bites, few observe, few walk, and jumps", .adds_max = 2, .waits = true, .few = true,
         .rests = true, .jumps = true},
        {"adds_max that bites, few observe, and jumps", .adds_max = 2, .waits = true, .few = true, .jumps = true},
        {"adds_max that bites, and broadcasts", .adds_max = 2, .waits = true, .talking = true, .part = 10},
        {"adds_max that bites, and far targets", .adds_max = 2, .waits = true, .far = true, .unveiled = true,
         .part = 9},
        {"adds_max that bites, far targets, and few observe", .adds_max = 2, .waits = true, .far = true, .few = true,
         .part = 170},
        {"adds_max that bites, and far targets that jump", .adds_max = 2, .waits = true, .far = true, .jumps = true},
        {"adds_max that bites, few walk, and far targets", .adds_max = 2, .waits = true, .far = true, .few = true,
         .rests = true, .part = 200},
        {"spheres, adds_max that bites, and far targets", .adds_max = 2, .waits = true, .far = true,
         .shape = PH_SHAPE_SPHERE, .hills = 50, .part = 9},
        {"adds_max that bites, and near targets", .adds_max = 2, .waits = true, .near = true, .part = 10},
        {"spheres, adds_max that bites, and near targets", .adds_max = 2, .waits = true, .near = true, .part = 10,
         .shape = PH_SHAPE_SPHERE, .hills = 50},
        {"spheres, and adds_max that bites", .adds_max = 2, .waits = true, .shape = PH_SHAPE_SPHERE, .hills = 50},
        {"cylinders, and adds_max that bites", .adds_max = 2, .waits = true, .shape = PH_SHAPE_CYLINDER, .hills = 50},
        {"spheres", .shape = PH_SHAPE_SPHERE, .hills = 50},
        {"spheres and a margin", 15, .shape = PH_SHAPE_SPHERE, .hills = 50},
        {"spheres, jumps and a cap", 0, 500, .jumps = true, .shape = PH_SHAPE_SPHERE, .hills = 50},
        {"spheres, jumps and a margin", 15, .jumps = true, .shape = PH_SHAPE_SPHERE, .hills = 150},
        {"spheres and relations", .related = true, .shape = PH_SHAPE_SPHERE, .hills = 50},
        {"spheres and views", .views = true, .shape = PH_SHAPE_SPHERE, .hills = 50},
        {"spheres on flat ground, and far targets", .far = true, .shape = PH_SHAPE_SPHERE},
        {"spheres and far targets", .far = true, .shape = PH_SHAPE_SPHERE, .hills = 150},
        {"spheres, and far targets that jump", .far = true, .jumps = true, .shape = PH_SHAPE_SPHERE, .hills = 50},
        {"spheres, far targets that jump, and a margin", 15, .far = true, .jumps = true, .shape = PH_SHAPE_SPHERE,
         .hills = 50},
        {"cylinders, far targets, relations and a cap", 0, 500, .far = true, .related = true,
         .shape = PH_SHAPE_CYLINDER, .hills = 50},
        {"cylinders, and far targets that jump", .far = true, .jumps = true, .shape = PH_SHAPE_CYLINDER, .hills = 500},
        {"spheres and bands", .banded = true, .shape = PH_SHAPE_SPHERE, .hills = 50},
        {"spheres, bands, a margin, relations and far targets", 15, .banded = true, .related = true, .far = true,
         .shape = PH_SHAPE_SPHERE, .hills = 50},
        {"spheres and near targets", .near = true, .shape = PH_SHAPE_SPHERE, .hills = 50},
        {"spheres, near targets that jump, and a margin", 15, .near = true, .jumps = true, .shape = PH_SHAPE_SPHERE,
         .hills = 150},
        {"spheres, near and far targets, relations and bands", .near = true, .far = true, .related = true,
         .banded = true, .shape = PH_SHAPE_SPHERE, .hills = 50},
        {"cylinders, near targets, jumps and a cap", 0, 500, .near = true, .jumps = true, .shape = PH_SHAPE_CYLINDER,
         .hills = 50},
        {"cylinders, near targets, a margin and bands", 15, .near = true, .banded = true, .shape = PH_SHAPE_CYLINDER,
         .hills = 50},
        {"spheres, and a cap that cuts", 0, 12, .cuts = true, .part = 25, .shape = PH_SHAPE_SPHERE, .hills = 50},
        {"spheres, a cap that cuts, priorities and a margin", 15, 12, .cuts = true, .ranked = true, .part = 8,
         .shape = PH_SHAPE_SPHERE, .hills = 50},
        {"spheres, a cap that cuts, far targets and relations", 0, 12, .cuts = true, .far = true, .related = true,
         .part = 14, .shape = PH_SHAPE_SPHERE, .hills = 50},
        {"spheres, a cap that cuts, far targets and priorities", 0, 12, .cuts = true, .far = true, .ranked = true,
         .part = 3, .shape = PH_SHAPE_SPHERE, .hills = 150},
        {"spheres on flat ground, and a cap that cuts", 0, 12, .cuts = true, .part = 25, .shape = PH_SHAPE_SPHERE},
        {"cylinders, and a cap that cuts", 0, 4, .cuts = true, .part = 8, .shape = PH_SHAPE_CYLINDER, .hills = 50},
        {"cylinders, a cap that cuts, priorities, far targets and a margin", 15, 12, .cuts = true, .ranked = true,
         .far = true, .part = 3, .shape = PH_SHAPE_CYLINDER, .hills = 50},
        {"cylinders", .shape = PH_SHAPE_CYLINDER, .hills = 50},
        {"cylinders, bands and jumps", .banded = true, .jumps = true, .shape = PH_SHAPE_CYLINDER, .hills = 50},
        {"cylinders, and a margin", 15, .shape = PH_SHAPE_CYLINDER, .hills = 50},
        {"cylinders, and jumps", .jumps = true, .shape = PH_SHAPE_CYLINDER, .hills = 500},
        {"cylinders, relations and a margin", 15, .related = true, .shape = PH_SHAPE_CYLINDER, .hills = 50},
        {"cylinders, and views that change", .views = true, .renews = true, .shape = PH_SHAPE_CYLINDER, .hills = 50},
        {"cylinders, and layers", .layers = true, .shape = PH_SHAPE_CYLINDER, .hills = 50},
        {"adds_max, jumps and a margin", 15, .adds_max = 5, .jumps = true, .waits = true},
        {"cylinders without height, on terraces", .terraced = true, .shape = PH_SHAPE_CYLINDER},
        {"squares", .shape = PH_SHAPE_SQUARE},
        {"squares and a margin", 15, .shape = PH_SHAPE_SQUARE},
        {"squares, jumps, a margin and a cap", 15, 500, .jumps = true, .shape = PH_SHAPE_SQUARE},
        {"squares, relations and far targets", .related = true, .far = true, .shape = PH_SHAPE_SQUARE},
        {"squares, layers, near targets and bands", .layers = true, .near = true, .banded = true,
         .shape = PH_SHAPE_SQUARE},
        {"squares and a cap that cuts", 0, 12, .cuts = true, .part = 10, .shape = PH_SHAPE_SQUARE},
        {"two moves in a tick", .twice = true},
        {"two moves in a tick, a margin, relations and bands", 15, .twice = true, .related = true, .banded = true},
        {"mounts", .mounted = true},
        {"mounts, a margin and a cap", 15, 500, .mounted = true},
        {"hidden ones, and some that see them", .stealthy = true, .detecting = true},
        {"hidden ones, some that see them, jumps and a margin", 15, .stealthy = true, .detecting = true, .jumps = true},
        {"broadcasts", .talking = true},
        {"broadcasts, a margin and relations", 15, .talking = true, .related = true},
        {"observers that are not ready", .unready = true},
        {"observers that are not ready, and a margin", 15, .unready = true},
        {"crowds", .crowded = true},
        {"crowds and a margin", 15, .crowded = true},
        {"towers", .towers = true},
        {"towers, and targets with a reach, which counts not there", .towers = true, .far = true, .reaching = true},
        {"towers and relations", .towers = true, .related = true},
        {"activation and areas", .lively = true},
        {"activation, areas, a margin and a cap", 15, 500, .lively = true},
        {"activation, areas, bands and jumps", .lively = true, .banded = true, .jumps = true},
        {"all that a server switches on", 15, 500, .related = true, .ranked = true, .far = true, .views = true,
         .stealthy = true, .banded = true, .layers = true, .talking = true, .mounted = true},
        {"all rules together, and the cap cuts", 15, 26, .related = true, .ranked = true, .far = true, .views = true,
         .stealthy = true, .detecting = true, .banded = true, .layers = true, .talking = true, .mounted = true,
         .lively = true, .jumps = true, .adds_max = 5, .waits = true, .cuts = true, .part = 5},
    };
    static const layout layouts[] = {{"one shard", 1, 1, 32}, {"four shards", 2, 2, 10}};
    for (size_t i = first; i < sizeof ways / sizeof *ways; i += every)
        for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++) run(&ways[i], &layouts[l]);
    walk_alone_on_hills();
    cut_in_instances();
    return check_done("short_way");
}
