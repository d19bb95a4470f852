/*
 * Rules of lists beside places; see sights.h.
 */
#include "cluster/sights.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "cluster/zones.h"
#include "support/check.h"

enum { CHANGE_ONE_IN = 40, CAP = 6, LEVELS = 256 };

static const float PAIR_VIEW = 100, SLACK = 1e-3f;

/* ---- roles ---- */

static bool has_reach(uint64_t id)
{
    return id % 9 == 5;
}

bool sights_stands(uint64_t id)
{
    return id % 18 == 5;
}

static bool is_global(uint64_t id)
{
    return id % 40 == 7;
}

/* Zones are of one instance: neither a waker, an NPC, nor one that an area follows is in another. */
bool sights_stays(uint64_t id)
{
    return id % 10 != 4 || zones_kind(id) != zones_kind(2);
}

/* Some of these are wakers, and wake none while they are not ready. */
static bool has_pauses(uint64_t id)
{
    return id % 6 == 1;
}

static float reach_of(uint64_t id)
{
    static const float reaches[] = {90, 150, 205, 300};
    return reaches[id / 9 % 4];
}

void sights_begin(sights *all, uint64_t id)
{
    sight first = {.visible = PH_LENGTH_MAX, .layers = 1, .sees = UINT64_MAX};
    first.cap = id % 10 == 0 ? CAP : 0;
    first.priority = id % 4 == 1 ? 5 : 0;
    first.detect = id % 5 == 1 ? 2 : 0;
    first.veiled = id % 29 == 9;
    first.ready = !has_pauses(id) || id % 4 != 3;
    if (has_reach(id)) first.reach = reach_of(id);
    if (is_global(id)) first.global = id % 80 == 7;
    if (id % 7 == 3) first.visible = id % 2 ? 20 : 45;
    for (uint32_t tick = 0; tick < TRAIL_TICKS; tick++) all->at[tick][id] = first;
}

sight *sights_of(sights *all, uint64_t tick, uint64_t id)
{
    return &all->at[tick % TRAIL_TICKS][id];
}

ph_attrs sights_attrs(const sight *of)
{
    return (ph_attrs){.given = PH_REACH | PH_VISIBLE | PH_LAYERS | PH_SEES | PH_INSTANCE | PH_CAP | PH_STEALTH |
                               PH_DETECT | PH_PRIORITY | PH_GLOBAL | PH_VEILED | PH_READY,
                      .reach = of->reach,
                      .visible = of->visible,
                      .layers = of->layers,
                      .sees = of->sees,
                      .instance = of->instance,
                      .cap = of->cap,
                      .stealth = of->stealth,
                      .detect = of->detect,
                      .priority = of->priority,
                      .global = of->global,
                      .veiled = of->veiled,
                      .ready = of->ready};
}

bool sights_change(sights *all, uint64_t *rng, uint64_t tick, uint64_t id)
{
    sight *of = sights_of(all, tick, id);
    if (phx_rng_below(rng, CHANGE_ONE_IN) != 0) return false;
    if (has_reach(id)) of->reach = of->reach > 0 ? 0 : reach_of(id);
    if (is_global(id)) of->global = !of->global;
    if (id % 7 == 3) of->visible = of->visible > 100 ? 30 : PH_LENGTH_MAX;
    if (id % 11 == 2) of->layers = 1 + phx_rng_below(rng, 3);
    if (id % 6 == 4) of->sees = of->sees == 1 ? 2 : 1;
    if (id % 13 == 6) of->stealth = (uint8_t)phx_rng_below(rng, 4);
    if (id % 29 == 9) of->veiled = !of->veiled;
    if (!sights_stays(id)) of->instance = !of->instance;
    if (has_pauses(id)) of->ready = !of->ready;
    all->changes++;
    return true;
}

void sights_hear(sights *all, uint64_t tick, const ph_batch *batch)
{
    for (uint32_t i = 0; i < batch->change_count; i++) {
        const ph_change *change = &batch->changes[i];
        sights_enters *enters = &all->enters[change->observer];
        CHECK(sights_of(all, tick, change->observer)->ready, "tick %" PRIu64 ": %" PRIu64 " is not ready, and is told",
              tick, change->observer);
        CHECK(enters->count == 0, "tick %" PRIu64 ": %" PRIu64 " is told twice", tick, change->observer);
        enters->count = change->enter_count;
        enters->more = change->flags & PH_CHANGE_MORE;
        for (uint32_t k = 0; k < change->enter_count; k++)
            enters->of[batch->targets[change->first + change->leave_count + k].id] = true;
    }
}

void sights_step(sights *all, uint64_t tick)
{
    memset(all->enters, 0, sizeof all->enters);
    memcpy(all->at[(tick + 1) % TRAIL_TICKS], all->at[tick % TRAIL_TICKS], sizeof all->at[0]);
}

/* ---- relations ---- */

sights_tie sights_tie_of(uint64_t observer, uint64_t *other)
{
    static const sights_tie ties[] = {[1] = TIE_LINK, [3] = TIE_REVEAL, [5] = TIE_HIDE, [7] = TIE_PAIR};
    const uint64_t place = observer % 8;
    if (place >= sizeof ties / sizeof *ties || ties[place] == TIE_NONE) return TIE_NONE;
    *other = ties[place] == TIE_REVEAL ? observer / 8 % 5 * 29 + 9 : observer * 7 % (TRAIL_IDS - 1) + 1;
    return *other == observer ? TIE_NONE : ties[place];
}

void sights_tie_up(ph_producer producer, uint64_t observer)
{
    uint64_t other = 0;
    switch (sights_tie_of(observer, &other)) {
    case TIE_LINK:
        CHECK_OK(ph_link(producer, observer, other));
        break;
    case TIE_HIDE:
        CHECK_OK(ph_hide(producer, observer, other));
        break;
    case TIE_PAIR:
        CHECK_OK(ph_pair(producer, observer, other, PAIR_VIEW, 0));
        break;
    case TIE_REVEAL:
        CHECK_OK(ph_reveal(producer, observer, other));
        break;
    case TIE_NONE:
        break;
    }
}

/* ---- judging ---- */

/* Two walkers at one moment, and what lies between them. */
typedef struct moment {
    const sight *observer, *target;
    sights_tie tie;
    float distance, view, margin;
} moment;

static bool may_be_seen(const moment *at)
{
    if (!at->observer->ready || at->observer->instance != at->target->instance ||
        (at->observer->sees & at->target->layers) == 0)
        return false;
    if (at->tie == TIE_HIDE) return false;
    return at->tie == TIE_REVEAL || (!at->target->veiled && at->target->stealth <= at->observer->detect);
}

/* surely: within the radius; else within radius and margin. */
static bool is_in_range(const moment *at, bool surely)
{
    if (at->target->global || at->tie == TIE_LINK) return true;
    if (at->tie == TIE_PAIR) return at->distance < PAIR_VIEW + (surely ? -SLACK : SLACK);
    const float near = fmaxf(fminf(at->view, at->target->visible), at->target->reach);
    return at->distance < (surely ? near - SLACK : near + at->margin + SLACK);
}

static bool passes(const moment *at, bool surely)
{
    return may_be_seen(at) && is_in_range(at, surely);
}

static sights_rank rank_at(const moment *at)
{
    const bool is_first = at->target->global || at->tie == TIE_LINK;
    return (sights_rank){is_first ? 0 : LEVELS - at->target->priority, at->distance * at->distance};
}

/* Surely: squares that are as good as equal are not. */
static bool is_before(sights_rank a, sights_rank b)
{
    return a.level != b.level ? a.level < b.level : a.square < b.square * (1 - SLACK * SLACK);
}

/* One more moment, or one more tie that may hold in it. */
static void judge_moment(sights_verdict *verdict, const moment *at, bool first)
{
    const sights_rank rank = rank_at(at);
    verdict->surely = (first || verdict->surely) && passes(at, true);
    verdict->perhaps |= passes(at, false);
    if (first || is_before(rank, verdict->best)) verdict->best = rank;
    if (first || is_before(verdict->worst, rank)) verdict->worst = rank;
}

sights_verdict sights_judge(sights *all, walker_trail *trail, uint64_t observer, uint64_t target, uint64_t lag,
                            bool settled)
{
    uint64_t other = 0;
    sights_verdict verdict = {0};
    const sights_tie any = sights_tie_of(observer, &other), tie = other == target ? any : TIE_NONE;
    const spot from = *trail_spot(trail, trail->tick, observer);
    for (uint64_t back = 0; back <= lag; back++) {
        moment at = {.observer = sights_of(all, trail->tick, observer),
                     .target = sights_of(all, trail->tick - back, target),
                     .tie = tie,
                     .distance = spot_distance(from, *trail_spot(trail, trail->tick - back, target)),
                     .view = all->view,
                     .margin = all->margin};
        judge_moment(&verdict, &at, back == 0);
        at.tie = TIE_NONE;
        if (tie != TIE_NONE && !settled) judge_moment(&verdict, &at, false);
    }
    return verdict;
}

void sights_cut(const sights *all, const walker_trail *trail, uint64_t observer, sights_verdict verdicts[TRAIL_IDS])
{
    const uint32_t cap = all->at[trail->tick % TRAIL_TICKS][observer].cap;
    sights_verdict before[TRAIL_IDS];
    if (cap == 0) return;
    memcpy(before, verdicts, sizeof before);
    for (uint64_t id = 1; id < TRAIL_IDS; id++) {
        uint32_t surely = 0, perhaps = 0;
        const sights_verdict *of = &before[id];
        for (uint64_t other = 1; other < TRAIL_IDS && of->perhaps; other++) {
            const sights_verdict *one = &before[other];
            if (other == id || other == observer) continue;
            surely += one->surely && is_before(one->worst, of->best);
            perhaps += one->perhaps && !is_before(of->worst, one->best);
        }
        verdicts[id].perhaps = of->perhaps && surely < cap;
        verdicts[id].surely = of->surely && perhaps < cap;
    }
}

void sights_hold(sights *all, uint64_t observer, const bool listed[TRAIL_IDS], sights_verdict verdicts[TRAIL_IDS])
{
    const sights_enters *enters = &all->enters[observer];
    const uint32_t most = zones_adds_max(observer);
    uint32_t waiting = 0;
    CHECK(most == 0 || enters->count <= most, "%" PRIu64 " is told of %" PRIu32 " that enter", observer, enters->count);
    if (!enters->more) return;
    CHECK(enters->count == most, "targets of %" PRIu64 " wait, and %" PRIu32 " enter", observer, enters->count);
    for (uint64_t id = 1; id < TRAIL_IDS; id++) {
        bool is_due = false;
        for (uint64_t other = 1; other < TRAIL_IDS && !is_due; other++)
            is_due = enters->of[other] && is_before(verdicts[id].worst, verdicts[other].best);
        waiting += verdicts[id].perhaps && !listed[id];
        verdicts[id].surely &= is_due;
    }
    CHECK(waiting > 0, "%" PRIu64 " is told that targets wait, and none does", observer);
    all->waits++;
}
