/*
 * The control store of the simulation as the library has it: each process has the library's membership over a store
 * within the process: requests fail, are done unheard, and are answered late, by seed. In some schedules the store
 * hangs for a time, which may be longer than all leases: these end at once then. In as many the store goes on, and all
 * processes sleep, as those of a machine that is suspended do. The content of the store is read past its faults, for
 * the checks.
 *
 * In some schedules the store loses all it has, and processes adopt their map. One of them stands still from before
 * that, for longer than its lease: it is put out in maps that it has not read. Where all that know it are dead or late
 * by then, a new process begins another one: that is another cluster, and the schedule is over.
 *
 * In some others it loses all, and no process may adopt: all end, and the ones that begin write a new map, while one of
 * the old ones does not reach the store, and goes on. It is another cluster with the same database: hosts enter what
 * that has, above the ownership of each row.
 *
 * In some seeds processes start with another definition of the world. The first one in the map stays, and no process
 * of another one gets into it, whoever has no key for a moment; none ends for one that never got into it.
 *
 * In some seeds processes start with ranges of formats, as ones of several versions of the library. None gets into a
 * map that it does not read, and the map's format rises and never falls. In the calm all that start read every format.
 *
 * In half of the schedules nodes may balance, and report loads by their entities. Then at most one of them does at a
 * time, no two of its moves are nearer than a wait, whoever made the first one, and behind the faults moves come to an
 * end.
 */
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "cluster/membership/balancer.h"
#include "cluster/membership/membership.h"
#include "cluster/membership/refusal.h"
#include "cluster/membership/registration.h"
#include "cluster/membership/reporting.h"
#include "cluster/membership/wishes.h"
#include "cluster/servers/memory_store.h"
#include "cluster/sim.h"

enum {
    CALM_TICKS = 600,
    LEASE_MS = 2000,
    LOST = 60, /* of 1000 */
    LATE = 200,
    LATE_STEPS = 12,
    GIVE_ONE_IN = 60,
    DRAIN_ONE_IN = 200,
    LOSES_ONE_IN = 3,  /* schedules */
    AGAIN_ONE_IN = 2,  /* of these */
    AGAIN_TICKS = 100, /* a lease, in which members come, and as many ticks with the map that was adopted */
    MISSES_TICKS = 75, /* before the loss and behind it: a lease, and as long until others are steady */
    MISSES_LATE = 20,
    DEFINITIONS_ONE_IN = 8, /* seeds in which processes start with other definitions of the world */
    DEFINITIONS_SEED = 5,   /* of so many */
    OTHER_ONE_IN = 4,       /* of the starts in these */
    FORMATS_ONE_IN = 8,     /* seeds in which processes start with ranges of formats */
    FORMATS_SEED = 1,       /* of so many */
    FORMATS_MAX = 3,        /* the highest of these; each reads one or two */
    WIPES_ONE_IN = 4,       /* schedules in which the store loses nothing else */
    WIPES_EARLY = 60,       /* before the calm: what was cut off reaches the store again */
    CUT_TICKS_MIN = 40,     /* as long as a new cluster takes to begin */
    HANGS_ONE_IN = 3,
    ONLY_HANGS_ONE_IN = 3, /* of these */
    HANG_TICK = 120,       /* the earliest one: all have joined, if nothing else fails */
    HANG_TICKS_MIN = 10,
    HANG_TICKS_MAX = 100, /* a lease has 40 */
    FIRST_JOIN = 2,       /* of its era, the version of a map that begins a cluster */
    BALANCE_TICKS = 16,
    REPORT_TICKS = 4,
    BALANCED_TICKS = 450, /* of the calm, behind which no region goes any more */
    HANG_EARLY = SIM_TICKS - HANG_TICK - HANG_TICKS_MAX
};

/* A process's side, by slot. */
static struct {
    phc_memory *memory;
    fail_alloc allocator;
    phc_store stores[SIM_PROCESSES_MAX];
    phx_membership memberships[SIM_PROCESSES_MAX];
    uint64_t hang_at, hang_until;   /* ticks */
    bool is_sleep;                  /* of all processes; else the store hangs */
    uint64_t lose_at;               /* tick; 0 = the store keeps what it has */
    uint64_t lose_again_at;         /* the same */
    uint64_t wipe_at;               /* the same; none adopts */
    bool is_old[SIM_PROCESSES_MAX]; /* of the cluster before */
    bool is_awaited;                /* the first map of the cluster behind it */
    uint64_t definitions_rng;       /* 0: all have the same definition of the world */
    uint64_t definitions[SIM_PROCESSES_MAX];
    uint64_t formats_rng; /* 0: all read the formats of the library */
    bool has_joined[2];   /* by definition: a process was in a map */
    uint32_t unheard;     /* processes that ended, and were in a map that they had not read: they can not come back */
    bool balances;
    uint64_t balanced_at; /* the last move of a balancer; 0 = there was none */
    VEC(uint64_t) gone;   /* registrations that a map had, and a later one of the same store has no more */
} all;

/* Not of the schedule's draws: with one loss a seed is the same schedule as it was before there were two. */
static uint64_t draw_second_loss(const sim_schedule *sim)
{
    uint64_t rng = sim->seed;
    if (phx_rng_below(&rng, AGAIN_ONE_IN) != 0) return 0;
    return all.lose_at + 1 + phx_rng_below(&rng, AGAIN_TICKS);
}

/* The same. */
static uint64_t draw_wipe(const sim_schedule *sim)
{
    uint64_t rng = ~sim->seed;
    if (sim->only_hangs || all.lose_at != 0 || phx_rng_below(&rng, WIPES_ONE_IN) != 0) return 0;
    return HANG_TICK + phx_rng_below(&rng, SIM_TICKS - WIPES_EARLY - HANG_TICK);
}

/* In some seeds processes start with another definition of the world, and are refused; the same as above. */
static uint64_t draw_definition(const sim_schedule *sim)
{
    if (all.definitions_rng == 0) return 0;
    if (!sim->is_calm) return phx_rng_below(&all.definitions_rng, OTHER_ONE_IN) == 0;
    for (uint32_t slot = 0; slot < sim->process_count; slot++)
        if (sim->processes[slot].alive && sim_is_member(sim, &sim->processes[slot])) return all.definitions[slot];
    return 0;
}

/* The same. */
static phx_formats draw_formats(const sim_schedule *sim)
{
    if (all.formats_rng == 0) return PHX_FORMATS;
    if (sim->is_calm) return (phx_formats){PHX_FORMAT_MIN, FORMATS_MAX};
    const uint8_t max = (uint8_t)(1 + phx_rng_below(&all.formats_rng, FORMATS_MAX));
    const bool reads_two = max > 1 && phx_rng_below(&all.formats_rng, 4) > 0;
    return (phx_formats){(uint8_t)(max - reads_two), max};
}

void sim_store_begin(sim_schedule *sim)
{
    all.formats_rng = sim->seed % FORMATS_ONE_IN == FORMATS_SEED ? sim->seed : 0;
    all.definitions_rng = sim->seed % DEFINITIONS_ONE_IN == DEFINITIONS_SEED ? sim->seed : 0;
    memset(all.has_joined, 0, sizeof all.has_joined);
    const bool hangs = sim_chance(sim, HANGS_ONE_IN);
    sim->only_hangs = hangs && sim_chance(sim, ONLY_HANGS_ONE_IN);
    all.hang_at = hangs ? HANG_TICK + sim_below(sim, HANG_EARLY) : 0;
    all.hang_until = hangs ? all.hang_at + HANG_TICKS_MIN + sim_below(sim, HANG_TICKS_MAX - HANG_TICKS_MIN) : 0;
    all.is_sleep = hangs && sim_chance(sim, 2);
    all.lose_at = !sim->only_hangs && sim_chance(sim, LOSES_ONE_IN) ? HANG_TICK + sim_below(sim, HANG_EARLY) : 0;
    all.lose_again_at = all.lose_at != 0 ? draw_second_loss(sim) : 0;
    all.wipe_at = draw_wipe(sim);
    all.is_awaited = false;
    all.unheard = 0;
    all.gone.count = 0;
    all.balances = sim_chance(sim, 2);
    all.balanced_at = 0;
    const bool faults = !sim->only_hangs && sim_chance(sim, 2);
    sim->calm_ticks = CALM_TICKS;
    const phc_faults drawn = {
        .seed = sim->seed, .lost = faults ? LOST : 0, .late = faults ? LATE : 0, .late_steps = LATE_STEPS};
    all.allocator = (fail_alloc){0};
    REQUIRE(phc_memory_create(drawn, fail_alloc_hooks(&all.allocator), &all.memory) == PH_OK);
}

void sim_store_end(sim_schedule *sim)
{
    phc_memory_destroy(all.memory);
    VEC_FREE(&all.gone);
    if (!fail_alloc_clean(&all.allocator)) sim_violate(sim, "a control store leaks");
}

void sim_store_register(sim_schedule *sim, uint32_t slot)
{
    sim->processes[slot].registration = 0;
    sim->store.registered[slot].member =
        (phx_member){.number = (uint16_t)(slot + 1), .gateway = sim->processes[slot].gateway};
}

void sim_store_attach(sim_schedule *sim, uint32_t slot)
{
    sim_process *process = &sim->processes[slot];
    all.is_old[slot] = false;
    all.definitions[slot] = draw_definition(sim);
    process->node.def.formats = draw_formats(sim);
    process->node.def.member.format = process->node.def.formats.max;
    REQUIRE(phc_memory_join(all.memory, &all.stores[slot]) == PH_OK);
    const phx_membership_def def = {.store = all.stores[slot],
                                    .world = "sim",
                                    .number = (uint16_t)(slot + 1),
                                    .definition = all.definitions[slot],
                                    .gateway = process->gateway,
                                    .region_count = sim->region_count,
                                    .columns = sim->region_count,
                                    .lease_ms = LEASE_MS,
                                    .list_ns = SIM_TICK_NS,
                                    .adopts = all.lose_at != 0,
                                    .balance_ns =
                                        all.balances && !process->gateway ? (uint64_t)BALANCE_TICKS * SIM_TICK_NS : 0,
                                    .allocator = fail_alloc_hooks(&all.allocator)};
    REQUIRE(phx_membership_init(&all.memberships[slot], &def, &process->node));
}

void sim_store_leave(sim_schedule *sim, uint32_t slot)
{
    (void)sim;
    sim->counts.put_out += all.memberships[slot].counts.put_out;
    sim->counts.returned += all.memberships[slot].counts.returned;
    sim->counts.adopted += all.memberships[slot].counts.adopted;
    sim->counts.joined_others += all.memberships[slot].counts.joined_others;
    phx_membership_free(&all.memberships[slot]);
    all.stores[slot].close(all.stores[slot].user);
}

static bool is_registered(const sim_schedule *sim, uint32_t slot)
{
    return sim->store.registered[slot].member.registration != 0;
}

/*
 * While a process lives that can put the old one out, it is waited for: the simulation knows of an entity where it is
 * by the memory of the process that held it. Where all are dead, a new one puts them out.
 */
bool sim_store_is_free(const sim_schedule *sim, uint32_t slot)
{
    bool lives = false;
    if (all.is_sleep && sim->tick >= all.hang_at && sim->tick < all.hang_until) return false; /* none begins, either */
    if (all.is_awaited) return !is_registered(sim, slot);
    for (uint32_t i = 0; i < sim->process_count; i++)
        lives |= sim->processes[i].alive && sim_is_member(sim, &sim->processes[i]);
    return !is_registered(sim, slot) && (!lives || !phx_cluster_map_numbered(&sim->store.map, (uint16_t)(slot + 1)));
}

/* The entity that is entered twice at the end of a schedule is no load: a balancer would give its region on. */
static bool may_report(const sim_schedule *sim, uint32_t slot)
{
    const bool is_time = (sim->tick + slot) % REPORT_TICKS == 0 && sim->doubled == 0;
    return is_time && all.memberships[slot].phase == PHX_MEMBERSHIP_MEMBER && !sim->processes[slot].gateway;
}

/* A node with all entities would work for 96 % of its time. */
static void report_load(const sim_schedule *sim, uint32_t slot)
{
    static phx_load_report report;
    static unsigned char bytes[PHX_LOAD_REPORT_BYTES_MAX];
    const sim_process *process = &sim->processes[slot];
    const phx_cluster_map *map = &process->node.map;
    uint32_t entities[SIM_REGIONS_MAX] = {0};
    report = (phx_load_report){.registration = process->registration,
                               .period_us = 50000,
                               .busy_us = 48000 / sim->entity_count * process->node.holdings.count,
                               .columns = (uint16_t)map->region_count,
                               .rows = 1};
    for (uint32_t i = 0; i < process->node.holdings.count; i++)
        entities[process->states[process->node.holdings.items[i].id - 1].region]++;
    for (uint32_t i = 0; i < map->region_count; i++)
        if (map->regions[i].number == process->node.def.member.number)
            report.regions[report.region_count++] = (phx_load_region){.region = (uint16_t)i, .entities = entities[i]};
    phx_reporting_write(&all.memberships[slot], bytes, phx_load_report_encode(&report, bytes, sizeof bytes));
}

void sim_store_poll(sim_schedule *sim, uint32_t slot)
{
    sim_process *process = &sim->processes[slot];
    phx_membership *membership = &all.memberships[slot];
    const bool cut = process->store_cut_until > sim->tick && !sim->is_calm;
    phc_memory_cut(all.memory, &all.stores[slot], cut);
    if (membership->drains) phx_map_barrier_leave(&process->node);
    phx_membership_tick(membership, sim_now(sim, process));
    process->registration = process->node.def.member.registration;
    if (may_report(sim, slot)) report_load(sim, slot);
    if (membership->phase != PHX_MEMBERSHIP_ENDED) return;
    if (strcmp(membership->reason, PHX_OTHER_DEFINITION) == 0 && !all.has_joined[1 - all.definitions[slot]])
        sim_violate(sim, "a process ends for another definition, and none of that has joined");
    if (process->node.joined) return; /* the node tells its host that it is fenced */
    process->alive = false;
    all.unheard += phx_cluster_map_member(&sim->store.map, process->registration) != NULL;
}

bool sim_store_restored(sim_schedule *sim, uint32_t slot, uint32_t region, uint32_t lost)
{
    (void)sim;
    phx_membership_restored(&all.memberships[slot], region, lost);
    return true;
}

void sim_store_exceed(sim_schedule *sim, uint32_t slot, uint64_t ownership)
{
    REQUIRE(phx_membership_exceed(&all.memberships[slot], (uint32_t)(ownership >> PHX_OWNERSHIP_VERSION_SHIFT)));
    if (!sim->is_wiped) return; /* this process has not read the newest map yet */
    sim->counts.exceeded++;
}

/* Is the map of the store the one that the balancer of that process has proposed? */
static bool has_balanced(uint32_t slot, const phx_memory_key *key)
{
    static unsigned char bytes[PHX_CLUSTER_MAP_BYTES_MAX];
    const phx_membership *membership = &all.memberships[slot];
    if (!membership->writes || !membership->balances) return false;
    const size_t size = phx_cluster_map_encode(&membership->proposed, bytes, sizeof bytes);
    return size == key->size && memcmp(bytes, key->value, size) == 0;
}

/* A new map. */
static void check_move(sim_schedule *sim, const phx_memory_key *key)
{
    for (uint32_t slot = 0; slot < sim->process_count; slot++) {
        if (!sim->processes[slot].used || !has_balanced(slot, key)) continue;
        if (all.balanced_at != 0 && sim->tick - all.balanced_at < BALANCE_TICKS)
            sim_violate(sim, "a region goes before the last move was measured");
        if (sim->tick > SIM_TICKS + BALANCED_TICKS) sim_violate(sim, "the balancer finds no end");
        all.balanced_at = sim->tick;
        sim->counts.balanced++;
        return;
    }
}

/* By keys: also of a process that has died since. */
static void note_joined(const sim_schedule *sim)
{
    const phx_memory_table *table = phx_memory_table_of(all.memory);
    for (uint32_t i = 0; i < table->key_count; i++) {
        const phx_memory_key *key = &table->keys[i];
        phx_registration read;
        if (strncmp(key->key, "ph/sim/nodes/", 13) == 0 && phx_registration_decode(&read, key->value, key->size) &&
            phx_cluster_map_member(&sim->store.map, phx_registration_of(&read, key->revision, key->lease)))
            all.has_joined[read.definition] = true;
    }
}

/* Members of a map have one definition of the world. */
static void check_definitions(sim_schedule *sim)
{
    const uint64_t *first = NULL;
    for (uint32_t slot = 0; slot < sim->process_count; slot++) {
        const sim_process *process = &sim->processes[slot];
        if (!process->used || all.is_old[slot] || !phx_cluster_map_member(&sim->store.map, process->registration))
            continue;
        if (first && *first != all.definitions[slot])
            sim_violate(sim, "two members have other definitions of the world");
        first = &all.definitions[slot];
    }
}

/* Of a map behind another one of the same store. */
static void check_format(sim_schedule *sim, const phx_cluster_map *before)
{
    const phx_cluster_map *map = &sim->store.map;
    for (uint32_t slot = 0; slot < sim->process_count; slot++) {
        const sim_process *process = &sim->processes[slot];
        const bool is_member =
            process->used && !all.is_old[slot] && phx_cluster_map_member(map, process->registration) != NULL;
        if (is_member && !phx_formats_have(process->node.def.formats, map->format))
            sim_violate(sim, "a member does not read the map");
    }
    if (sim->is_lost || before->version == 0) return; /* a map that is adopted may be an older one */
    if (map->format < before->format) sim_violate(sim, "the format of the map falls");
    sim->counts.raised += map->format > before->format;
}

/* A lease that is proven by a process's own clock has not ended in the store. */
static void check_balancer(sim_schedule *sim)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < sim->process_count; slot++) {
        const sim_process *process = &sim->processes[slot];
        count +=
            process->used && !all.is_old[slot] && phx_balancer_holds(&all.memberships[slot], sim_now(sim, process));
    }
    if (count > 1) sim_violate(sim, "two members balance");
}

/* The first map behind a wipe: nothing is in the world, and the database has all. */
static void begin_anew(sim_schedule *sim)
{
    all.is_awaited = false;
    all.balanced_at = 0;
    sim->counts.wiped++;
    for (uint64_t id = 1; id <= sim->entity_count; id++) sim->entered[id - 1] = false;
}

/* A registration that was put out is in no later map. */
static void check_gone(sim_schedule *sim, const phx_cluster_map *before)
{
    const phx_cluster_map *map = &sim->store.map;
    for (size_t i = 0; i < all.gone.count; i++)
        if (phx_cluster_map_member(map, all.gone.items[i])) sim_violate(sim, "a member that was put out comes back");
    for (uint32_t i = 0; i < before->member_count; i++)
        if (!phx_cluster_map_member(map, before->members[i].registration))
            VEC_PUSH(&all.gone, before->members[i].registration);
}

/* The content of the store. */
static void read_store(sim_schedule *sim)
{
    static phx_cluster_map before;
    const phx_memory_table *table = phx_memory_table_of(all.memory);
    before = sim->store.map;
    for (uint32_t slot = 0; slot < sim->process_count; slot++) sim->store.registered[slot].member.registration = 0;
    for (uint32_t i = 0; i < table->key_count; i++) {
        const phx_memory_key *key = &table->keys[i];
        uint32_t number;
        if (strcmp(key->key, "ph/sim/map") == 0) {
            const uint32_t version = sim->store.map.version;
            const phx_formats formats = {PHX_FORMAT_MIN, FORMATS_MAX};
            if (!phx_cluster_map_decode(&sim->store.map, formats, key->value, key->size))
                sim_violate(sim, "the map is damaged");
            const bool is_first_join = /* an adopted map has a fence */
                sim->store.map.version % (1u << PHX_CLUSTER_ERA_SHIFT) == FIRST_JOIN && sim->store.map.fence == 0;
            sim->is_over = is_first_join && all.lose_at != 0 && sim->tick >= all.lose_at;
            if (all.is_awaited) begin_anew(sim);
            else if (sim->store.map.version < version && !sim->is_over) sim_violate(sim, "the map goes back");
            if (sim->store.map.version > version) check_move(sim, key);
            check_gone(sim, &before);
            check_format(sim, &before);
        } else if (sscanf(key->key, "ph/sim/nodes/%u", &number) == 1 && number <= sim->process_count) {
            phx_registration read;
            if (!phx_registration_decode(&read, key->value, key->size)) sim_violate(sim, "a key is damaged");
            sim->store.registered[number - 1].member.registration =
                phx_registration_of(&read, key->revision, key->lease);
        } else if (strcmp(key->key, "ph/sim/balancer") != 0 && strncmp(key->key, "ph-load/sim/", 12) != 0) {
            sim_violate(sim, "a key that no member writes");
        }
    }
}

/*
 * A process that may save is in the map of the store, and would be at any moment until its own clock says that the
 * lease is not proven any more: whoever puts it out has waited for that. So it is when another cluster begins.
 */
static void check_proofs(sim_schedule *sim)
{
    for (uint32_t slot = 0; slot < sim->process_count; slot++) {
        const sim_process *process = &sim->processes[slot];
        const phx_node *node = &process->node;
        const bool may_save = process->used && !all.is_old[slot] && node->joined && !node->fenced && !node->leaves &&
                              sim_now(sim, process) < node->proven_until;
        if (may_save && !phx_cluster_map_member(&sim->store.map, process->registration))
            sim_violate(sim, "a member that is in no map may save");
    }
}

static void check_none_is_out(sim_schedule *sim)
{
    uint64_t put_out = sim->counts.fenced - sim->counts.left;
    for (uint32_t slot = 0; slot < sim->process_count; slot++) put_out += all.memberships[slot].counts.put_out;
    if (put_out > all.unheard) sim_violate(sim, "a member that lives is put out, as all leases ended at once");
}

/* They do not wake in the same tick. */
static void sleep_all(sim_schedule *sim)
{
    enum { WAKE_TICKS = 4 };
    for (uint32_t slot = 0; slot < sim->process_count; slot++)
        sim->processes[slot].paused_until = all.hang_until + sim_below(sim, WAKE_TICKS);
}

static void lose_store(sim_schedule *sim)
{
    phx_memory_store_lose(all.memory);
    all.gone.count = 0; /* a map that is adopted may be an older one */
    sim->is_lost = true;
}

/* One that lives does not reach the store for some time. */
static void wipe_store(sim_schedule *sim)
{
    uint64_t rng = ~sim->seed + 1;
    lose_store(sim);
    all.is_awaited = sim->is_wiped = true;
    sim->processes[phx_rng_below(&rng, sim->process_count)].store_cut_until =
        sim->tick + CUT_TICKS_MIN + phx_rng_below(&rng, WIPES_EARLY);
    for (uint32_t slot = 0; slot < sim->process_count; slot++) all.is_old[slot] = true;
}

void sim_store_step(sim_schedule *sim)
{
    if (all.is_sleep && sim->tick == all.hang_at) sleep_all(sim);
    if (sim->tick + MISSES_TICKS == all.lose_at)
        sim->processes[sim_below(sim, sim->process_count)].paused_until = all.lose_at + sim_below(sim, MISSES_LATE);
    if (sim->tick == all.lose_at || sim->tick == all.lose_again_at) lose_store(sim);
    if (sim->tick == all.wipe_at) wipe_store(sim);
    if (sim->is_calm) REQUIRE(phc_memory_set_faults(all.memory, (phc_faults){0}) == PH_OK);
    if (!all.is_sleep && sim->tick >= all.hang_at && sim->tick < all.hang_until) return;
    phc_memory_step(all.memory, sim->tick * SIM_TICK_NS);
    read_store(sim);
    check_proofs(sim);
    note_joined(sim);
    check_definitions(sim);
    check_balancer(sim);
    if (sim->only_hangs) check_none_is_out(sim);
    const uint32_t slot = sim_below(sim, sim->process_count);
    if (sim->is_calm || !sim->processes[slot].alive) return;
    if (sim_chance(sim, GIVE_ONE_IN))
        phx_membership_give(&all.memberships[slot], sim_below(sim, sim->region_count),
                            (uint16_t)(1 + sim_below(sim, sim->process_count)));
    if (sim_chance(sim, DRAIN_ONE_IN)) phx_membership_drain(&all.memberships[slot]);
    if (!sim->only_hangs && sim_chance(sim, DRAIN_ONE_IN)) phx_membership_leave(&all.memberships[slot]);
}
