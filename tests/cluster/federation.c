/*
 * A federation of real worlds against one world: nodes whose transport loses, doubles and delays messages, walkers that
 * cross their borders, hand-overs in capsules. In every tick, of every own entity:
 *
 *  - its list has each entity that it saw at all moments of the last ticks, and none that it saw at none of them, by
 *    the rules of sights.h: view and margin, reach, global and visible, layers, stealth, veils, instances, relations,
 *    caps, adds_max, whether it is ready; own entities now;
 *  - what its client was told, by whichever node, is its list: nothing twice, nothing lost, no leave of an untold one;
 *  - each entity has at most one owner;
 *  - areas, activation and updates by bands are within the bounds of zones.h.
 *
 * Once all stand still, all of it is as in one world that had all entities all the time.
 *
 * And many that leave at once, and as many pins as there can be: each message stays within its bounds.
 *
 * options: --seed S the first seed, --count N federations
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/cluster.h>
#include <pharos/pharos.h>

#include "base/rng.h"
#include "cluster/halo/halo.h"
#include "cluster/halo/halo_family.h"
#include "cluster/halo/halo_far.h"
#include "cluster/halo/halo_in.h"
#include "cluster/halo/halo_out.h"
#include "cluster/halo/halo_pins.h"
#include "cluster/halo/halo_search.h"
#include "cluster/halo/halo_table.h"
#include "cluster/map/map_changes.h"
#include "cluster/node/exchange.h"
#include "cluster/node/hand_over.h"
#include "cluster/node/map_barrier.h"
#include "cluster/node_host.h"
#include "cluster/sights.h"
#include "cluster/walks.h"
#include "cluster/zones.h"
#include "support/check.h"
#include "support/node_reads.h"

enum {
    NODES = 3,
    WALKERS = 160,
    COLUMNS = 4,
    ROWS = 4,
    TICKS = 160,
    CALM_TICKS = 60,
    WINDOW = 24,
    FEDERATIONS = 60,
    CONSUMERS = 2,
    USER_DATA_TIMES = 3
};

_Static_assert((int)WALKERS < (int)TRAIL_IDS && 2 * (int)WINDOW < (int)TRAIL_TICKS,
               "a trail has all of them, and what zones look back at");

static const float VIEW = 60, HAND_OVER = 6;
/*
 * Ticks that a copy may be old: with lost and late messages; where each comes at once; and where a node's halo says
 * that it is later than LAG_MAX, and for LATE_TICKS behind that, as a host is told.
 */
enum { LAG_MAX = WINDOW / 3, LAG_LEAST = 1, LAG_TOLD = WINDOW - 2, LATE_TICKS = 2 * LAG_MAX + 4 };
enum {
    LATE_PART = 4
}; /* of the members' ticks less than that part, or the excuse covers all: it is one of a hundred */
/* Above the lag on both ways: until a node that pins has the copy, and the relation to it. */
enum { SETTLED_TICKS = 4 };

typedef struct member {
    ph_world world;
    ph_producer front, host;
    ph_consumer consumers[CONSUMERS];
    phx_node node;
    phx_halo *halo;
    phc_transport transport;
    char subjects[3][32]; /* that it listens to: halo, channel, heartbeats */
    uint64_t late_until;  /* tick in which its copies may be older than LAG_MAX, the last one that is known of */
} member;

typedef struct federation {
    uint64_t seed, rng;
    float margin;
    member members[NODES];
    phc_loop *loop;
    ph_world one; /* all entities, all the time */
    ph_producer producer;
    ph_consumer consumers[CONSUMERS];
    walker_trail trail;
    sights sights;
    bool changed[WALKERS + 1]; /* in this tick, by its owner */
    spot goal[WALKERS + 1];
    clients clients;
    char when[64];
    zones_told zones, zones_of_one;
    uint32_t lag_max;     /* ticks that a copy may be old, where it is not told */
    bool calm;            /* all stand still */
    uint64_t lates;       /* members and ticks in which it was, */
    uint64_t rounds;      /* of all */
    uint64_t pairs, kept; /* kept: targets between both radii, at rest, that one of both lists has alone */
    unsigned char message[PHX_WIRE_BYTES_MAX];
} federation;

/* ---- life ---- */

static ph_world_def world_def(ph_class classes[ZONES_CLASSES], const federation *f)
{
    ph_world_def def = ph_world_def_default();
    zones_define(&def, classes, VIEW, f->margin);
    def.world_size[0] = def.world_size[1] = WALKS_SIZE;
    def.shards[0] = 1 + (uint32_t)(f->seed % 3);
    def.consumers = CONSUMERS;
    def.sticky = 1; /* at a cap positions alone decide */
    return def;
}

static void open_member(federation *f, uint32_t place, const ph_world_def *def)
{
    member *m = &f->members[place];
    const uint64_t registration = place + 1u;
    /* What is beside the range that is seen, in the halo's width; lost and late messages come half as late mostly. */
    const float slack = 2 * HAND_OVER + 2 * WALKS_SPEED * (float)(f->lag_max == LAG_LEAST ? LAG_LEAST : WINDOW / 2);
    REQUIRE(ph_world_create(def, &m->world) == PH_OK && ph_producer_open(m->world, &m->front) == PH_OK &&
            ph_producer_open(m->world, &m->host) == PH_OK);
    for (uint32_t i = 0; i < CONSUMERS; i++) REQUIRE(ph_consumer_open(m->world, i, &m->consumers[i]) == PH_OK);
    phx_node_init(&m->node, &(phx_node_def){.member = {.registration = registration, .number = (uint16_t)registration},
                                            .unacked_max = 64});
    m->halo = check_zalloc(sizeof *m->halo);
    phx_halo_init(m->halo, &(phx_halo_def){.world = m->world,
                                           .producer = m->front,
                                           .node = &m->node,
                                           .grid = {.size = {WALKS_SIZE, WALKS_SIZE}, .columns = COLUMNS, .rows = ROWS},
                                           .width = ZONES_REACH + slack,
                                           .reach = ZONES_REACH - f->margin,
                                           .grace_ticks = 12,
                                           .passed_ticks = LAG_MAX + 4,
                                           .quiet_ticks = 40});
    REQUIRE(phc_loop_join(f->loop, 4096, &m->transport) == PH_OK);
    (void)snprintf(m->subjects[0], sizeof m->subjects[0], "ph.halo.%u", place + 1);
    (void)snprintf(m->subjects[1], sizeof m->subjects[1], "ph.ch.%u", place + 1);
    (void)snprintf(m->subjects[2], sizeof m->subjects[2], "ph.hb");
    for (uint32_t i = 0; i < 3; i++)
        CHECK_OK(m->transport.listen(m->transport.user, i == 0 ? PHC_HALO : PHC_CHANNEL, m->subjects[i]));
}

static void open_federation(federation *f, uint64_t seed)
{
    static phx_cluster_map map;
    ph_class classes[ZONES_CLASSES];
    const phc_faults faults = {.seed = seed,
                               .lost = (uint32_t)(seed % 4) * 100,
                               .doubled = 30,
                               .late = (uint32_t)(seed % 3) * 150,
                               .late_steps = 4};
    f->seed = f->rng = seed;
    f->margin = seed % 2 ? 10 : 0;
    f->lag_max = faults.lost == 0 && faults.late == 0 ? LAG_LEAST : LAG_MAX;
    f->trail.tick = TRAIL_TICKS;
    f->clients.user_data_times = USER_DATA_TIMES;
    f->sights.view = VIEW;
    f->sights.margin = f->margin;
    const ph_world_def def = world_def(classes, f);
    REQUIRE(phc_loop_create(faults, (ph_allocator){0}, &f->loop) == PH_OK);
    phx_cluster_map_init(&map, COLUMNS, ROWS);
    for (uint32_t i = 0; i < NODES; i++) {
        open_member(f, i, &def);
        REQUIRE(phx_cluster_map_join(&map, f->members[i].node.def.member));
    }
    for (uint32_t i = 0; i < NODES; i++) {
        CHECK_OK(phx_node_map(&f->members[i].node, &map));
        phx_node_lease(&f->members[i].node, UINT64_MAX);
    }
    REQUIRE(ph_world_create(&def, &f->one) == PH_OK && ph_producer_open(f->one, &f->producer) == PH_OK);
    for (uint32_t i = 0; i < CONSUMERS; i++) REQUIRE(ph_consumer_open(f->one, i, &f->consumers[i]) == PH_OK);
}

static void close_federation(federation *f)
{
    for (uint32_t i = 0; i < NODES; i++) {
        member *m = &f->members[i];
        m->transport.close(m->transport.user);
        phx_halo_free(m->halo);
        free(m->halo);
        phx_node_free(&m->node);
        CHECK_OK(ph_world_destroy(m->world));
    }
    phc_loop_destroy(f->loop);
    CHECK_OK(ph_world_destroy(f->one));
}

/* ---- walking ---- */

static void enter_walkers(federation *f)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        const spot at = walks_spot(&f->rng);
        const phx_region_grid grid = f->members[0].halo->def.grid;
        const uint32_t region = phx_halo_region(&grid, at.x, at.y);
        sights_begin(&f->sights, id);
        ph_attrs attrs = sights_attrs(sights_of(&f->sights, f->trail.tick, id));
        attrs.given |= PH_POSITION | PH_USER_DATA | PH_KIND | PH_CONSUMER;
        attrs.x = at.x;
        attrs.y = at.y;
        attrs.kind = zones_kind(id);
        attrs.user_data = id * USER_DATA_TIMES;
        attrs.consumer = id % CONSUMERS;
        for (uint32_t n = 0; n < NODES; n++) {
            member *m = &f->members[n];
            if (phx_hand_over_enter(&m->node, id, region, 0) != PH_OK) continue;
            CHECK_OK(phx_halo_enter(m->halo, id, &attrs));
        }
        CHECK_OK(ph_enter(f->producer, id, &attrs));
        trail_begin(&f->trail, id, at);
        f->goal[id] = walks_goal(&f->rng, id);
    }
}

/* ---- a round of a node ---- */

static void take_message(void *user, const char *subject, const void *bytes, size_t size)
{
    member *m = user;
    if (strcmp(subject, m->subjects[0]) == 0) phx_halo_receive(m->halo, bytes, size);
    else phx_exchange_receive(&m->node, bytes, size);
}

static void send_halo(void *user, uint64_t target, const void *bytes, size_t size)
{
    member *m = user;
    char subject[32];
    (void)snprintf(subject, sizeof subject, "ph.halo.%u", (unsigned)target);
    CHECK_OK(m->transport.send(m->transport.user, PHC_HALO, subject, bytes, size));
}

static void send_channel(federation *f, member *m)
{
    uint64_t target;
    for (uint32_t i = 0; i < m->node.peer_count; i++) {
        char subject[32];
        const size_t size = phx_exchange_write(&m->node, i, true, f->message, sizeof f->message, &target);
        (void)snprintf(subject, sizeof subject, "ph.ch.%u", (unsigned)target);
        if (size > 0) CHECK_OK(m->transport.send(m->transport.user, PHC_CHANNEL, subject, f->message, size));
    }
    const size_t size = phx_exchange_heartbeat(&m->node, f->message, sizeof f->message);
    if (size > 0) CHECK_OK(m->transport.send(m->transport.user, PHC_CHANNEL, "ph.hb", f->message, size));
}

static bool owns(const member *m, uint64_t id)
{
    const phx_holding *holding = phx_holdings_find(&m->node.holdings, id);
    return holding && !holding->sending;
}

/* What an own entity is seen by may change, and other nodes are to know of it at once. */
static void change_own(federation *f, member *m, uint64_t id)
{
    if (!sights_change(&f->sights, &f->rng, f->trail.tick, id)) return;
    const ph_attrs attrs = sights_attrs(sights_of(&f->sights, f->trail.tick, id));
    CHECK_OK(ph_set(m->host, id, &attrs));
    CHECK_OK(phx_halo_look(m->halo, id));
    if (!attrs.ready) clients_forget(&f->clients, id);
    f->changed[id] = true;
}

static void move_own(federation *f, member *m)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        if (!owns(m, id)) continue;
        spot *now = trail_spot(&f->trail, f->trail.tick, id);
        if (!f->calm && !sights_stands(id)) *now = walks_step(&f->rng, id, *now, &f->goal[id]);
        if (!f->calm) change_own(f, m, id);
        CHECK_OK(ph_move(m->host, id, now->x, now->y, 0));
    }
}

/* A host needs what its own entities have relations to, and says them again, as they end with a copy. */
static void tie_own(member *m)
{
    bool needed[WALKERS + 1] = {false};
    for (uint64_t id = 1; id <= WALKERS; id++) {
        uint64_t other;
        if (!owns(m, id) || sights_tie_of(id, &other) == TIE_NONE) continue;
        needed[other] = true;
        if (phx_halo_find(m->halo, other)) sights_tie_up(m->host, id);
    }
    for (uint64_t id = 1; id <= WALKERS; id++) CHECK_OK(phx_halo_pin(m->halo, id, needed[id]));
}

static void hand_over(federation *f, member *m)
{
    const phx_region_grid *grid = &m->halo->def.grid;
    for (uint64_t id = 1; id <= WALKERS; id++) {
        if (!owns(m, id)) continue;
        const spot now = *trail_spot(&f->trail, f->trail.tick, id);
        const uint32_t region = phx_halo_region(grid, now.x, now.y);
        const uint16_t number = m->node.map.regions[region].number;
        if (number == m->node.def.member.number || !phx_halo_is_beyond(m->halo, now.x, now.y, HAND_OVER)) continue;
        phx_family family;
        const ph_status status = phx_halo_give(m->halo, id, number, &family);
        CHECK(status == PH_OK || status == PH_PENDING || status == PH_FULL, "give %" PRIu64 ": %s", id,
              ph_status_name(status));
    }
}

static bool counts(const void *user, uint64_t id)
{
    return owns(user, id);
}

/* The client of each observer hears of it. */
static void tell_clients(federation *f, member *m)
{
    const ph_batch *batch;
    for (uint32_t i = 0; i < CONSUMERS; i++) {
        while (ph_batch_take(m->consumers[i], &batch) == PH_OK) {
            clients_hear(&f->clients, batch, f->when);
            sights_hear(&f->sights, f->trail.tick, batch);
            zones_hear(&f->zones, batch, counts, m);
            for (uint32_t k = 0; k < batch->change_count; k++)
                CHECK(batch->changes[k].observer % CONSUMERS == i, "%s: another's consumer hears", f->when);
            CHECK_OK(ph_batch_return(m->consumers[i], batch));
        }
    }
}

static void take_events(member *m)
{
    phx_node_event event;
    phx_family family;
    phx_map_barrier_begin(&m->node, m->halo->now);
    while (take_next_event(&m->node, &event)) {
        CHECK(event.kind == PHX_NODE_GAINED, "event %d", (int)event.kind);
        CHECK_OK(phx_halo_gain(m->halo, &event, false, &family));
    }
}

/* As phc_told() does it: the tick has taken all that came, and the world refuses none here. */
static void end_arrivals(member *m)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        phx_halo_entity *entity = phx_halo_find(m->halo, id);
        if (entity) entity->arrives = false;
    }
}

/* As phc_tick() does it for PHC_EVENT_LAG. */
static void note_lag(federation *f, member *m)
{
    for (uint32_t i = 0; i < m->halo->peer_count; i++)
        if (phx_halo_lag(m->halo, &m->halo->peers[i]) > LAG_MAX) m->late_until = f->trail.tick + LATE_TICKS;
    f->lates += m->late_until >= f->trail.tick;
    f->rounds++;
}

/* Of ticks that have passed, of which this one is none. */
static uint32_t lag_at(const federation *f, const member *m)
{
    return 1 + (m->late_until >= f->trail.tick ? (uint32_t)LAG_TOLD : f->lag_max);
}

/* Of all members: a pin is heard by the one, and its copy by the other. */
static uint32_t lag_of_all(const federation *f)
{
    uint32_t lag = 0;
    for (uint32_t n = 0; n < NODES; n++)
        if (lag_at(f, &f->members[n]) > lag) lag = lag_at(f, &f->members[n]);
    return lag;
}

static void round_of(federation *f, member *m)
{
    uint64_t tick;
    ph_refusal refusal;
    uint32_t count = 0;
    phx_halo_try_again(m->halo);
    while (m->transport.poll(m->transport.user, 64, take_message, m) > 0) continue;
    phx_halo_begin_tick(m->halo);
    note_lag(f, m);
    take_events(m);
    move_own(f, m);
    tie_own(m);
    zones_set_areas(m->host, f->trail.tick == TRAIL_TICKS);
    CHECK_OK(ph_tick(m->world, &tick));
    CHECK_OK(ph_producer_refusals(m->front, &refusal, 1, &count));
    CHECK(count == 0, "seed %" PRIu64 " tick %" PRIu64 ": %s of %" PRIu64 " is refused: %s", f->seed, f->trail.tick,
          ph_command_name((ph_command)refusal.command), refusal.id, ph_status_name(refusal.status));
    tell_clients(f, m);
    phx_halo_end_tick(m->halo, true);
    end_arrivals(m);
    phx_halo_find_away(m->halo, NULL, NULL);
    phx_halo_write(m->halo, send_halo, m);
    hand_over(f, m);
    send_channel(f, m);
}

/* ---- checks ---- */

static void check_pair(federation *f, const member *m, uint64_t observer, uint64_t target, bool listed,
                       const sights_verdict *verdict)
{
    f->pairs++;
    CHECK(!listed || owns(m, target) || phx_halo_find(m->halo, target), "an entity that is not here is listed");
    CHECK(listed || !verdict->surely, "%s: %" PRIu64 " misses %" PRIu64 " (%g)", f->when, observer, target,
          sqrt((double)verdict->worst.square));
    CHECK(!listed || verdict->perhaps, "%s: %" PRIu64 " has %" PRIu64 " (%g)", f->when, observer, target,
          sqrt((double)verdict->best.square));
    if (listed) zones_check_target(&f->zones, &f->trail, observer, target, lag_at(f, m));
}

static void check_observer(federation *f, const member *m, uint64_t observer)
{
    bool listed[CLIENTS_IDS];
    sights_verdict verdicts[TRAIL_IDS] = {{0}};
    const uint32_t lag = lag_at(f, m);
    const bool settled = trail_is_kept(&f->trail, observer, 2 * (uint64_t)lag_of_all(f) + SETTLED_TICKS);
    (void)clients_compare(&f->clients, m->world, observer, listed, f->when);
    if (f->trail.tick <= TRAIL_TICKS + 2 * WINDOW + SETTLED_TICKS) return; /* copies come */
    if (sights_stays(observer)) zones_check(&f->zones, &f->zones_of_one, &f->trail, &f->sights, observer, lag);
    for (uint64_t target = 1; target <= WALKERS; target++)
        if (target != observer)
            verdicts[target] =
                sights_judge(&f->sights, &f->trail, observer, target, owns(m, target) ? 0 : lag, settled);
    sights_cut(&f->sights, &f->trail, observer, verdicts);
    sights_hold(&f->sights, observer, listed, verdicts);
    for (uint64_t target = 1; target <= WALKERS; target++)
        if (target != observer) check_pair(f, m, observer, target, listed[target], &verdicts[target]);
}

static void check_tick(federation *f)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        uint32_t owners = 0, owner = 0;
        for (uint32_t n = 0; n < NODES; n++) {
            if (!owns(&f->members[n], id)) continue;
            owners++;
            owner = n + 1;
        }
        CHECK(owners <= 1, "%" PRIu64 " has %u owners", id, owners);
        trail_note_owner(&f->trail, id, owner);
    }
    for (uint64_t id = 1; id <= WALKERS; id++) {
        const uint32_t owner = f->trail.owner[f->trail.tick % TRAIL_TICKS][id];
        if (owner != 0) check_observer(f, &f->members[owner - 1], id);
    }
}

static bool counts_in_one(const void *user, uint64_t id)
{
    (void)user;
    return id != 0;
}

static void tick_one(federation *f)
{
    const ph_batch *batch;
    for (uint64_t id = 1; id <= WALKERS; id++) {
        const ph_attrs attrs = sights_attrs(sights_of(&f->sights, f->trail.tick, id));
        CHECK_OK(ph_move(f->producer, id, trail_spot(&f->trail, f->trail.tick, id)->x,
                         trail_spot(&f->trail, f->trail.tick, id)->y, 0));
        if (f->changed[id]) CHECK_OK(ph_set(f->producer, id, &attrs));
        f->changed[id] = false;
        sights_tie_up(f->producer, id);
    }
    zones_set_areas(f->producer, f->trail.tick == TRAIL_TICKS);
    CHECK_OK(ph_tick(f->one, NULL));
    for (uint32_t i = 0; i < CONSUMERS; i++) {
        while (ph_batch_take(f->consumers[i], &batch) == PH_OK) {
            zones_hear(&f->zones_of_one, batch, counts_in_one, NULL);
            CHECK_OK(ph_batch_return(f->consumers[i], batch));
        }
    }
}

static void note_listed(bool listed[TRAIL_IDS], const uint64_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) listed[ids[i]] = true;
}

/*
 * At rest, with a margin: what was listed before decides between both radii, and a node may have heard late. So a
 * target that one of both lists has alone lies there: or, at a cap, one does that may come before it.
 */
static void check_kept(federation *f, uint64_t observer, const bool listed[TRAIL_IDS], const bool of_one[TRAIL_IDS])
{
    sights_verdict verdicts[TRAIL_IDS] = {{0}};
    for (uint64_t target = 1; target <= WALKERS; target++)
        if (target != observer) verdicts[target] = sights_judge(&f->sights, &f->trail, observer, target, 0, true);
    sights_cut(&f->sights, &f->trail, observer, verdicts);
    for (uint64_t target = 1; target <= WALKERS; target++) {
        if (listed[target] == of_one[target]) continue;
        f->kept++;
        CHECK(verdicts[target].perhaps && !verdicts[target].surely,
              "seed %" PRIu64 ": %" PRIu64 " has %" PRIu64 " %s (%g)", f->seed, observer, target,
              listed[target] ? "and not in one world" : "in one world alone",
              sqrt((double)verdicts[target].worst.square));
    }
}

/* All stand still: all lists are as in one world. */
static void check_end(federation *f)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        uint32_t owners = 0, count = 0, count_one = 0;
        uint64_t ids[WALKERS], ids_one[WALKERS];
        for (uint32_t n = 0; n < NODES; n++) {
            if (!owns(&f->members[n], id)) continue;
            owners++;
            CHECK_OK(ph_list(f->members[n].world, id, ids, WALKERS, &count));
        }
        CHECK(owners == 1, "seed %" PRIu64 ": %" PRIu64 " has %u owners at the end", f->seed, id, owners);
        CHECK_OK(ph_list(f->one, id, ids_one, WALKERS, &count_one));
        zones_check_end(&f->zones, &f->zones_of_one, id);
        for (uint32_t i = 0, k = 0; i < count; i++)
            for (k = 0; k < count_one; k++)
                if (ids[i] == ids_one[k]) zones_check_target_end(&f->zones, &f->zones_of_one, id, ids[i]);
        bool listed[TRAIL_IDS] = {false}, of_one[TRAIL_IDS] = {false};
        note_listed(listed, ids, count);
        note_listed(of_one, ids_one, count_one);
        if (f->margin > 0) check_kept(f, id, listed, of_one);
        else
            CHECK(count == count_one && memcmp(ids, ids_one, count * sizeof *ids) == 0,
                  "seed %" PRIu64 ": the list of %" PRIu64 " has %u entities, in one world %u", f->seed, id, count,
                  count_one);
    }
}

static void run_federation(federation *f, uint64_t seed, uint64_t *handed)
{
    open_federation(f, seed);
    enter_walkers(f);
    for (uint64_t i = 0; i < TICKS + CALM_TICKS && check_failures() == 0; i++) {
        f->calm = i >= TICKS;
        (void)snprintf(f->when, sizeof f->when, "seed %" PRIu64 " tick %" PRIu64, f->seed, f->trail.tick);
        for (uint32_t n = 0; n < NODES; n++) round_of(f, &f->members[(n + seed) % NODES]);
        tick_one(f);
        check_tick(f);
        phc_loop_step(f->loop);
        sights_step(&f->sights, f->trail.tick);
        trail_step(&f->trail);
    }
    if (check_failures() == 0) check_end(f);
    CHECK(f->lag_max != LAG_LEAST || f->lates == 0, "seed %" PRIu64 ": all messages come at once, and a member is late",
          f->seed);
    for (uint32_t n = 0; n < NODES; n++) *handed += f->members[n].node.counts.gained;
    close_federation(f);
}

/* ---- bounds ---- */

static void check_message(void *user, uint64_t target, const void *bytes, size_t size)
{
    phx_halo_head head = {0};
    phx_halo_parts parts;
    (void)target;
    CHECK(size <= PHX_WIRE_BYTES_MAX && phx_halo_open(&head, &parts, PHX_FORMATS, bytes, size) == PHX_WIRE_GOOD,
          "%zu bytes", size);
    *(uint32_t *)user += head.gone + head.pins;
}

static void test_bounds(void)
{
    enum { LEAVERS = 25000, PEERS = NODES - 1 };
    federation *f = check_zalloc(sizeof *f);
    uint32_t told = 0;
    open_federation(f, 1);
    member *m = &f->members[0];
    const ph_attrs attrs = {.given = PH_POSITION | PH_VIEW, .x = 10, .y = 10};
    for (uint64_t id = 1; id <= LEAVERS; id++) CHECK_OK(phx_halo_enter(m->halo, id, &attrs));
    phx_halo_begin_tick(m->halo);
    CHECK_OK(ph_tick(m->world, NULL));
    for (uint64_t id = 1; id <= LEAVERS; id++) CHECK_OK(phx_halo_leave(m->halo, id));
    for (uint64_t id = 1; id <= PHX_HALO_PINS_MAX; id++) CHECK_OK(phx_halo_pin(m->halo, id, true));
    CHECK_STATUS(phx_halo_pin(m->halo, LEAVERS, true), PH_CAPACITY);
    phx_halo_begin_tick(m->halo);
    CHECK_OK(ph_tick(m->world, NULL));
    phx_halo_write(m->halo, check_message, &told);
    CHECK(told == PEERS * (PHX_HALO_LEFT_MAX + PHX_HALO_PINS_MAX), "%u told", told);
    close_federation(f);
    free(f);
}

int main(int argc, char **argv)
{
    const uint64_t seed = option_number(argc, argv, "--seed", 1);
    const uint64_t count = option_number(argc, argv, "--count", test_amount(FEDERATIONS));
    uint64_t handed = 0, events = 0, pairs = 0, kept = 0, edges = 0, updates = 0, changes = 0, waits = 0, lates = 0,
             rounds = 0;
    test_bounds();
    for (uint64_t i = 0; i < count && check_failures() == 0; i++) {
        federation *f = check_zalloc(sizeof *f);
        run_federation(f, seed + i, &handed);
        if (check_failures() > 0) (void)printf("FAILED: --seed %" PRIu64 " --count 1\n", seed + i);
        events += f->clients.events;
        pairs += f->pairs;
        kept += f->kept;
        edges += f->zones.edges;
        updates += f->zones.updates;
        changes += f->sights.changes;
        waits += f->sights.waits;
        lates += f->lates;
        rounds += f->rounds;
        free(f);
    }
    (void)printf("%" PRIu64 " federations: %" PRIu64 " hand-overs, %" PRIu64 " events, %" PRIu64 " pairs, %" PRIu64
                 " edges, %" PRIu64 " updates, %" PRIu64 " changes of attributes, %" PRIu64
                 " lists that waited, %" PRIu64 " ticks in which a member was late, %" PRIu64
                 " targets kept at rest in one list alone\n",
                 count, handed, events, pairs, edges, updates, changes, waits, lates, kept);
    CHECK(handed > 0, "no entity was handed over");
    CHECK(lates * LATE_PART <= rounds, "members are late in %" PRIu64 " of %" PRIu64 " ticks", lates, rounds);
    return check_done("federation");
}
