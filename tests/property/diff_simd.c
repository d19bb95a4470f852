/*
 * The same crowds with each set of kernels that this machine has: events, their order and the work counters are the
 * same to the bit, the lists equal brute force, and all events together give the lists. Other than the scripts
 * of diff_model these worlds are few blocks full of entities, so nearly all events are decided by units of tiles,
 * with views and margins from less than a unit to wider than a block and steps from less than a unit to long ones. In
 * half of them entities have relations too, up to more than a set of them holds slots of, some over borders of shards;
 * in half of them some targets are seen up to a distance of their own alone, in a third some from beyond views. A third
 * are of spheres or cylinders, where most heights differ, from hardly to by more than a tile has units for. Half of
 * them have a cap, that cuts lists or nearly does, a part of these targets of several priorities, some a bound on the
 * targets that join in a tick; half have bands, whose updates are compared, too. Each set runs with another number of
 * workers, so the counters do not depend on these either.
 *
 *     diff_simd [--seed N] [--count N]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "base/simd.h"
#include "support/check.h"
#include "tools/event_hash.h"

enum { MOST = 900, TICKS = 12, VERIFY_EVERY = 5, WORDS = (MOST + 63) / 64 };
enum { SURE_COUNT = 48 }; /* crowds: a third has a bound on events, few of them reach it in so few ticks */

/* A crowd, drawn from a seed. */
typedef struct crowd {
    ph_world_def def;
    ph_class kind; /* of all */
    uint32_t count;
    float middle, spread, step; /* where they are, and how far they go */
    float view_max, margin_max;
    bool views_tiny, views_mixed, alike; /* alike: all see as far and are plain observers, if not plain targets */
    uint32_t odd; /* of so many commands one is a leave, one a jump, and one of attributes; 0: no discontinuities */
    uint32_t movers_percent;
    uint32_t instances;       /* so many, one over the other; 1: there is but instance 0 */
    uint64_t id_step;         /* ids are multiples of it */
    uint32_t relate;          /* of so many commands one is behind some of relations; 0: none */
    uint32_t far_percent;     /* so many have a reach, most of it beyond views, and some change it */
    uint32_t bounded_percent; /* so many are seen from near alone: */
    bool bounds_mixed;        /* from different distances, from touching to beyond views; else all from one */
    float hills;              /* heights are from 0 to so much, and some change; 0: all are 0 */
    uint32_t priorities;      /* targets have one of so many */
} crowd;

/* The results of a crowd. */
typedef struct outcome {
    uint64_t events, hash; /* of all, in their order */
    uint64_t updates, updates_hash;
    uint64_t tested, exact, towers, spread, cut, waited;
} outcome;

typedef struct member {
    float x, y, z;
    bool in;
    uint64_t seen[WORDS]; /* by events: a bit for each that it sees */
} member;

typedef struct host {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    uint64_t tick, rng;
    member members[MOST];
} host;

/* The rules of a crowd that choose among the targets in view, and of when these are told anew. */
static void draw_choice(crowd *of, uint64_t *rng)
{
    static const uint32_t caps[] = {0, 0, 0, 4, 12, 60}, adds[] = {0, 0, 5}, priorities[] = {1, 1, 4};
    static const double stickies[] = {1, 1.1, 2};
    static const uint32_t updates[] = {0, 0, 20}, most_every[] = {1, 3, 20};
    of->kind.cap = caps[phx_rng_below(rng, 6)];
    of->kind.adds_max = adds[phx_rng_below(rng, 3)];
    of->kind.updates_max = updates[phx_rng_below(rng, 3)];
    of->priorities = priorities[phx_rng_below(rng, 3)];
    of->def.sticky = stickies[phx_rng_below(rng, 3)];
    if (phx_rng_below(rng, 2)) return;
    of->kind.band_count = 1 + phx_rng_below(rng, PH_BANDS_MAX);
    const uint32_t every = most_every[phx_rng_below(rng, 3)];
    for (uint32_t b = 0; b < of->kind.band_count; b++) {
        const float part = ((float)b + 0.1f + 0.9f * phx_rng_unit(rng)) / (float)of->kind.band_count;
        of->kind.bands[b] = (ph_band){of->view_max * part, 1 + phx_rng_below(rng, every)};
    }
}

static crowd crowd_of(uint64_t seed)
{
    static const float spreads[] = {3, 40, 500}, margins[] = {0, 0.1f, 2e-4f}, steps[] = {1e-3f, 0.1f, 0.4f};
    static const uint32_t counts[] = {50, 300, MOST}, movers[] = {100, 50, 5};
    static const uint32_t odds[] = {0, 0, 200, 15};
    static const uint64_t ids[] = {1, UINT64_C(0x9e3779b97f4a7c15), UINT64_C(1) << 31};
    uint64_t rng = phx_mix64(seed);
    crowd of = {.def = ph_world_def_default(), .kind = ph_class_default("default")};
    of.def.workers = 1 + phx_rng_below(&rng, 3);
    of.def.share_min = 0;
    of.def.range = phx_rng_below(&rng, 5) ? PH_RANGE_RADIUS : PH_RANGE_TOWERS;
    of.def.shape = phx_rng_below(&rng, 2) ? PH_SHAPE_SQUARE : PH_SHAPE_CIRCLE;
    of.def.tower_size = phx_rng_below(&rng, 2) ? 20 + 60 * phx_rng_unit(&rng) : 200;
    of.count = counts[phx_rng_below(&rng, 3)];
    of.middle = phx_rng_below(&rng, 4) ? 4000 + 2000 * phx_rng_unit(&rng) : 3; /* or at the world's corner */
    of.spread = spreads[phx_rng_below(&rng, 3)];
    of.step = of.def.tower_size * steps[phx_rng_below(&rng, 3)];
    of.view_max = of.def.tower_size * (0.1f + 3 * phx_rng_unit(&rng));
    of.margin_max = of.view_max * margins[phx_rng_below(&rng, 3)];
    of.alike = phx_rng_below(&rng, 3) == 0;
    of.views_tiny = !of.alike && phx_rng_below(&rng, 3) == 0;
    of.views_mixed = !of.alike && phx_rng_below(&rng, 2);
    if (of.alike) of.margin_max = 0;
    of.odd = odds[phx_rng_below(&rng, 4)];
    of.movers_percent = movers[phx_rng_below(&rng, 3)];
    of.id_step = ids[phx_rng_below(&rng, 3)];
    of.instances = phx_rng_below(&rng, 2) ? 1 : 2 + phx_rng_below(&rng, 3);
    static const uint32_t relates[] = {0, 0, 10, 100};
    of.relate = relates[phx_rng_below(&rng, 4)];
    if (of.relate > 0) of.def.shards[0] = 1 + phx_rng_below(&rng, 3);
    static const uint32_t bounded[] = {0, 0, 5, 80};
    of.bounded_percent = bounded[phx_rng_below(&rng, 4)];
    of.bounds_mixed = phx_rng_below(&rng, 2);
    static const uint32_t far[] = {0, 0, 4};
    of.far_percent = far[phx_rng_below(&rng, 3)];
    static const float hills[] = {0.03f, 0.5f, 1, 6}, heights[] = {0, 0.01f, 0.3f, 2};
    if (phx_rng_below(&rng, 3) == 0) {
        of.def.shape = phx_rng_below(&rng, 2) ? PH_SHAPE_SPHERE : PH_SHAPE_CYLINDER;
        of.hills = of.view_max * hills[phx_rng_below(&rng, 4)];
        of.def.height = of.hills * heights[phx_rng_below(&rng, 4)];
    }
    of.def.events_max = phx_rng_below(&rng, 3) ? 0 : of.count * of.count / (1 + phx_rng_below(&rng, 40));
    draw_choice(&of, &rng);
    return of;
}

static float somewhere(host *h, const crowd *of)
{
    return of->middle + of->spread * (phx_rng_unit(&h->rng) - 0.5f);
}

/* A height, one step from the last one or anywhere; most stay. */
static float climb(host *h, const crowd *of, float z)
{
    enum { RESTS = 3, LEAPS = 9 }; /* of so many some stay, one leaps */
    if (of->hills == 0 || phx_rng_below(&h->rng, RESTS) > 0) return z;
    if (phx_rng_below(&h->rng, LEAPS) == 0) return of->hills * phx_rng_unit(&h->rng);
    return z + of->step * (phx_rng_unit(&h->rng) - 0.5f);
}

/* How far off a target is seen, if it is bounded. */
static void bound(host *h, const crowd *of, ph_attrs *a)
{
    enum { TOUCHING = 10, REACHING = 6 }; /* of so many one is seen only where it is, or has a reach */
    a->given |= PH_VISIBLE;
    a->visible = PH_LENGTH_MAX;
    if (phx_rng_below(&h->rng, 100) >= of->bounded_percent) return;
    a->visible = of->view_max * (of->bounds_mixed ? 1.2f * phx_rng_unit(&h->rng) : 0.3f);
    if (!of->bounds_mixed) return;
    if (phx_rng_below(&h->rng, TOUCHING) == 0) a->visible = 0;
    if (phx_rng_below(&h->rng, REACHING) > 0) return;
    a->given |= PH_REACH;
    a->reach = of->view_max * phx_rng_unit(&h->rng);
}

/* How far off a target is seen by any observer, if it is. */
static void reach_out(host *h, const crowd *of, ph_attrs *a)
{
    enum { GLOBAL = 12 }; /* of so many with a reach one is global, too */
    a->given |= PH_REACH | PH_GLOBAL;
    a->reach = 0;
    if (phx_rng_below(&h->rng, 100) < of->far_percent) a->reach = 3 * of->view_max * phx_rng_unit(&h->rng);
    a->global = a->reach > 0 && phx_rng_below(&h->rng, GLOBAL) == 0;
}

static void rank(host *h, const crowd *of, ph_attrs *a)
{
    a->given |= PH_PRIORITY;
    a->priority = (uint8_t)phx_rng_below(&h->rng, of->priorities);
}

/* The attributes of a target, and, unless all are alike, of an observer. */
static void dress(host *h, const crowd *of, ph_attrs *a)
{
    a->given |= PH_LAYERS | PH_STEALTH | (of->alike ? 0 : PH_DETECT) | (of->instances > 1 ? PH_INSTANCE : 0);
    a->instance = of->instances > 1 ? phx_rng_below(&h->rng, of->instances) : 0;
    a->layers = 1 + phx_rng_below(&h->rng, 2);
    a->stealth = phx_rng_below(&h->rng, 2) != 0;
    a->detect = phx_rng_below(&h->rng, 2) != 0;
    if (of->far_percent > 0) reach_out(h, of, a);
    if (of->bounded_percent > 0) bound(h, of, a);
    if (of->priorities > 1) rank(h, of, a);
}

static void come(host *h, const crowd *of, member *who, uint64_t id)
{
    float view = of->view_max;
    if (of->views_mixed) view *= phx_rng_below(&h->rng, 3) ? phx_rng_unit(&h->rng) : 0;
    if (of->views_tiny && phx_rng_below(&h->rng, 3) == 0) view = of->view_max * 1e-4f * phx_rng_unit(&h->rng);
    ph_attrs a = {.given = PH_X | PH_Y | PH_Z | PH_VIEW | PH_MARGIN, .view = view};
    a.z = who->z = of->hills > 0 ? of->hills * phx_rng_unit(&h->rng) : 0;
    a.x = who->x = somewhere(h, of);
    a.y = who->y = somewhere(h, of);
    a.margin = view > 0 ? of->margin_max : 0;
    if (of->instances > 1) {
        a.given |= PH_INSTANCE;
        a.instance = phx_rng_below(&h->rng, of->instances);
    }
    if (of->odd > 0 && phx_rng_below(&h->rng, 30) == 0) dress(h, of, &a);
    if (of->far_percent > 0) reach_out(h, of, &a);
    if (of->bounded_percent > 0) bound(h, of, &a);
    if (of->priorities > 1) rank(h, of, &a);
    if (of->relate > 0 && phx_rng_below(&h->rng, 20) == 0) { /* else reveals would do nothing */
        a.given |= PH_VEILED;
        a.veiled = true;
    }
    who->in = true;
    CHECK_OK(ph_enter(h->producer, id, &a));
}

/* Relations of an entity to some others, mostly to neighbours in number, begin or end. */
static void relate(host *h, const crowd *of, uint32_t i)
{
    enum { MOST_AT_ONCE = 9, NEAR = 12, COMMANDS = 8 };
    typedef ph_status (*relate_fn)(ph_producer, uint64_t, uint64_t);
    static const relate_fn commands[COMMANDS - 1] = {ph_link,   ph_hide,     ph_reveal, ph_unlink,
                                                     ph_unhide, ph_unreveal, ph_unpair};
    for (uint32_t n = 1 + phx_rng_below(&h->rng, MOST_AT_ONCE); n > 0; n--) {
        const uint32_t off = 1 + phx_rng_below(&h->rng, phx_rng_below(&h->rng, 3) ? NEAR : of->count);
        const uint32_t t = (i + off) % of->count, what = phx_rng_below(&h->rng, COMMANDS);
        const uint64_t id = of->id_step * (i + 1), target = of->id_step * (t + 1);
        const float view = 2 * of->view_max * phx_rng_unit(&h->rng);
        if (t == i || !h->members[i].in || !h->members[t].in) continue;
        if (what < COMMANDS - 1) CHECK_OK(commands[what](h->producer, id, target));
        else CHECK_OK(ph_pair(h->producer, id, target, view, of->margin_max));
    }
}

static void act(host *h, const crowd *of, uint32_t i)
{
    enum { NONE = 3, ON_THE_SPOT = 4 };
    member *who = &h->members[i];
    const uint64_t id = of->id_step * (i + 1);
    if (of->relate > 0 && phx_rng_below(&h->rng, of->relate) == 0) relate(h, of, i);
    if (!who->in) {
        if (h->tick == 0 || phx_rng_below(&h->rng, 5) == 0) come(h, of, who, id);
        return;
    }
    uint32_t fate = of->odd > 0 ? phx_rng_below(&h->rng, of->odd) : NONE;
    if (fate == 0) {
        who->in = false;
        memset(who->seen, 0, sizeof who->seen); /* it gets nothing more */
        CHECK_OK(ph_leave(h->producer, id));
        return;
    }
    if (fate == 2) { /* and some of these move as well */
        ph_attrs a = {0};
        dress(h, of, &a);
        CHECK_OK(ph_set(h->producer, id, &a));
    }
    if (fate > 1 && phx_rng_below(&h->rng, 100) >= of->movers_percent) return;
    who->z = climb(h, of, who->z);
    if (of->hills > 0 && phx_rng_below(&h->rng, ON_THE_SPOT) == 0) { /* it rises or falls alone, or does nothing */
        CHECK_OK(ph_move(h->producer, id, who->x, who->y, who->z));
        return;
    }
    who->x = fate == 1 ? somewhere(h, of) : who->x + of->step * (phx_rng_unit(&h->rng) - 0.5f);
    who->y = fate == 1 ? somewhere(h, of) : who->y + of->step * (phx_rng_unit(&h->rng) - 0.5f);
    CHECK_OK(ph_move(h->producer, id, who->x, who->y, who->z));
}

/* The entity of an id. */
static uint32_t index_of(const crowd *of, uint64_t id)
{
    uint64_t inverse = of->id_step; /* of an odd number modulo 2^64: each step doubles the bits that are right */
    for (int i = 0; i < 6; i++) inverse *= 2 - of->id_step * inverse;
    uint64_t number = of->id_step % 2 ? id * inverse : id / of->id_step;
    REQUIRE(number >= 1 && number <= of->count);
    return (uint32_t)number - 1;
}

/* An event has to change the list of its observer. */
static void take_event(host *h, const crowd *of, uint64_t seed, uint64_t observer, uint64_t target, bool enters)
{
    const uint32_t t = index_of(of, target);
    uint64_t *word = &h->members[index_of(of, observer)].seen[t / 64], bit = UINT64_C(1) << t % 64;
    CHECK(!(*word & bit) == enters,
          "--seed %" PRIu64 ": tick %" PRIu64 ": %" PRIu64 " is told twice that %" PRIu64 " %s", seed, h->tick,
          observer, target, enters ? "enters" : "leaves");
    *word = enters ? *word | bit : *word & ~bit;
}

/* All events together give the list, which is found in another way. */
static void check_lists(host *h, const crowd *of, uint64_t seed, ph_simd simd)
{
    static uint64_t ids[MOST];
    for (uint32_t i = 0; i < of->count; i++) {
        const uint64_t id = of->id_step * (i + 1);
        uint32_t count = 0, seen = 0, known = 0;
        if (!h->members[i].in) continue;
        REQUIRE(ph_list(h->world, id, ids, MOST, &count) == PH_OK);
        for (uint32_t w = 0; w < WORDS; w++) seen += (uint32_t)__builtin_popcountll(h->members[i].seen[w]);
        for (uint32_t l = 0; l < count; l++) {
            const uint32_t t = index_of(of, ids[l]);
            known += h->members[i].seen[t / 64] >> t % 64 & 1;
        }
        CHECK(seen == count && known == count,
              "--seed %" PRIu64 ": simd %d, tick %" PRIu64 ": %" PRIu64 " sees %u, was told of %u, %u of them right",
              seed, (int)simd, h->tick, id, count, seen, known);
    }
}

/* An observer's updates come in no order. */
static void take_updates(const host *h, const ph_batch *batch, outcome *to)
{
    for (uint32_t u = 0; u < batch->update_count; u++) {
        const ph_update *update = &batch->updates[u];
        const uint64_t observer = phx_mix64(h->tick << 32 ^ update->observer);
        for (uint32_t i = update->first; i < update->first + update->count; i++) {
            const ph_moved *moved = &batch->moved[batch->due[i]];
            float at[] = {moved->x, moved->y, moved->z};
            uint32_t bits[3];
            memcpy(bits, at, sizeof bits);
            const uint64_t place = ((uint64_t)bits[0] << 32 | bits[1]) ^ (uint64_t)bits[2] << 16;
            to->updates_hash += phx_mix64(phx_mix64(observer + moved->id) + phx_mix64(place) + batch->bands[i]);
        }
        to->updates += update->count;
    }
}

/* Changes come in no order that hosts may rely on; the targets of one do. */
static void take_events(host *h, const crowd *of, uint64_t seed, outcome *to)
{
    const ph_batch *batch;
    while (ph_batch_take(h->consumer, &batch) == PH_OK) {
        for (uint32_t c = 0; c < batch->change_count; c++) {
            const ph_change *change = &batch->changes[c];
            const uint32_t count = change->leave_count + change->enter_count;
            for (uint32_t i = 0; i < count; i++) {
                uint32_t kind = i < change->leave_count ? PHX_EVENT_LEAVE : PHX_EVENT_ENTER;
                uint64_t event = phx_event_hash(h->tick, change->observer, kind, batch->targets[change->first + i].id);
                to->hash += phx_mix64(event + i);
                take_event(h, of, seed, change->observer, batch->targets[change->first + i].id,
                           kind == PHX_EVENT_ENTER);
            }
            to->events += count;
            to->waited += (change->flags & PH_CHANGE_MORE) != 0;
        }
        take_updates(h, batch, to);
        CHECK_OK(ph_batch_return(h->consumer, batch));
    }
}

static void verify(host *h, uint64_t seed, ph_simd simd)
{
    ph_verification progress = {0};
    ph_difference difference = {0};
    ph_status status = ph_verify(h->world, UINT64_MAX, &progress, &difference);
    CHECK(status == PH_OK && difference.kind == PH_DIFFERENCE_NONE,
          "--seed %" PRIu64 ": simd %d, tick %" PRIu64 ": the list of %" PRIu64 " is not the rule's", seed, (int)simd,
          h->tick, difference.observer);
}

static outcome play(uint64_t seed, ph_simd simd)
{
    static host h; /* large */
    enum { WORKERS_MOST = 3 };
    crowd of = crowd_of(seed);
    outcome out = {0};
    ph_stats stats;
    of.def.classes = &of.kind;
    of.def.class_count = 1;
    of.def.simd = simd;
    of.def.workers = 1 + (of.def.workers + (uint32_t)simd) % WORKERS_MOST;
    memset(&h, 0, sizeof h);
    h.rng = seed;
    REQUIRE(ph_world_create(&of.def, &h.world) == PH_OK && ph_producer_open(h.world, &h.producer) == PH_OK);
    REQUIRE(ph_consumer_open(h.world, 0, &h.consumer) == PH_OK);
    for (uint32_t t = 1; t <= TICKS; t++) {
        for (uint32_t i = 0; i < of.count; i++) act(&h, &of, i);
        CHECK_OK(ph_tick(h.world, &h.tick));
        take_events(&h, &of, seed, &out);
        check_lists(&h, &of, seed, simd);
        if (t % VERIFY_EVERY == 0) verify(&h, seed, simd);
    }
    CHECK_OK(ph_world_stats(h.world, &stats));
    out.tested = stats.pairs_tested;
    out.exact = stats.pairs_exact;
    out.towers = stats.towers_visited;
    out.spread = stats.ticks_spread;
    out.cut = of.kind.cap > 0 && stats.list_entries == stats.observers * of.kind.cap;
    CHECK_OK(ph_world_destroy(h.world));
    return out;
}

static void compare(uint64_t seed, ph_simd simd, const outcome *plain, const outcome *other)
{
    CHECK(plain->events == other->events && plain->hash == other->hash,
          "--seed %" PRIu64 ": simd %d: %" PRIu64 " events instead of %" PRIu64 ", or not the same ones", seed,
          (int)simd, other->events, plain->events);
    CHECK(plain->updates == other->updates && plain->updates_hash == other->updates_hash,
          "--seed %" PRIu64 ": simd %d: %" PRIu64 " updates instead of %" PRIu64 ", or not the same ones", seed,
          (int)simd, other->updates, plain->updates);
    CHECK(plain->tested == other->tested && plain->exact == other->exact && plain->towers == other->towers,
          "--seed %" PRIu64 ": simd %d: %" PRIu64 " pairs, %" PRIu64 " exactly, %" PRIu64 " ranges; plain C: %" PRIu64
          ", %" PRIu64 ", %" PRIu64,
          seed, (int)simd, other->tested, other->exact, other->towers, plain->tested, plain->exact, plain->towers);
}

int main(int argc, char **argv)
{
    const uint64_t first = option_number(argc, argv, "--seed", 1);
    const uint64_t count = option_number(argc, argv, "--count", test_amount(220));
    uint64_t events = 0, exact = 0, spread = 0, updates = 0, cut = 0, waited = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        outcome plain = play(seed, PH_SIMD_PORTABLE);
        events += plain.events;
        exact += plain.exact;
        spread += plain.spread;
        updates += plain.updates;
        cut += plain.cut;
        waited += plain.waited;
        for (int simd = PH_SIMD_AVX2; simd <= PH_SIMD_AVX512; simd++) {
            if (!phx_simd_supported((ph_simd)simd)) continue;
            outcome other = play(seed, (ph_simd)simd);
            compare(seed, (ph_simd)simd, &plain, &other);
        }
    }
    printf("%" PRIu64 " crowds, %" PRIu64 " events, %" PRIu64 " pairs decided exactly; %" PRIu64 " updates; in %" PRIu64
           " crowds all lists were cut, %" PRIu64 " times targets waited\n",
           count, events, exact, updates, cut, waited);
    CHECK(exact > 0, "nothing near a border: a test of nothing");
    CHECK(spread > 0 || count < SURE_COUNT, "no tick reached the bound on events");
    CHECK((updates > 0 && cut > 0 && waited > 0) || count < SURE_COUNT,
          "no updates, no lists that were cut, or no waits");
    return check_done("diff_simd");
}
