/*
 * The control store of the simulation, and the balancer that changes its map: leases by the true time, one map with
 * compare-and-set. The map travels as bytes.
 */
#include "cluster/map/map_changes.h"
#include "cluster/sim.h"

#include <string.h>

enum {
    CALM_TICKS = 200,
    LEASE_TICKS = 25,
    JOIN_ONE_IN = 4,
    PUT_OUT_ONE_IN = 3, /* the balancer sees a lost lease some ticks late */
    GIVE_ONE_IN = 60,
    DRAIN_ONE_IN = 400
};

void sim_store_begin(sim_schedule *sim)
{
    sim->calm_ticks = CALM_TICKS;
}

void sim_store_end(sim_schedule *sim)
{
    (void)sim;
}

void sim_store_attach(sim_schedule *sim, uint32_t slot)
{
    (void)sim;
    (void)slot;
}

void sim_store_leave(sim_schedule *sim, uint32_t slot)
{
    (void)sim;
    (void)slot;
}

/* Once the old registration is out of the store. */
bool sim_store_is_free(const sim_schedule *sim, uint32_t slot)
{
    const uint64_t registration = sim->processes[slot].registration;
    return sim->store.registered[slot].member.registration != registration &&
           !phx_cluster_map_member(&sim->store.map, registration);
}

/* Not heard by the store, or by a newer map another node's duty: told again, until this node has that map. */
bool sim_store_restored(sim_schedule *sim, uint32_t slot, uint32_t region, uint32_t lost)
{
    const sim_process *process = &sim->processes[slot];
    if (process->store_cut_until > sim->tick && !sim->is_calm) return false;
    if (sim->store.map.regions[region].number != process->node.def.member.number) return false;
    (void)phx_cluster_map_restored(&sim->store.map, region, lost);
    return true;
}

/* This store loses nothing. */
void sim_store_exceed(sim_schedule *sim, uint32_t slot, uint64_t ownership)
{
    (void)slot;
    (void)ownership;
    sim_violate(sim, "a map is older than an ownership that a host has met");
}

void sim_store_register(sim_schedule *sim, uint32_t slot)
{
    sim_process *process = &sim->processes[slot];
    const phx_member member = {.registration = ++sim->store.revision,
                               .number = (uint16_t)(slot + 1),
                               .format = PHX_FORMAT_MAX,
                               .gateway = process->gateway};
    process->registration = member.registration;
    sim->store.registered[slot].member = member;
    sim->store.registered[slot].lease_until = sim->tick + LEASE_TICKS;
}

void sim_store_poll(sim_schedule *sim, uint32_t slot)
{
    static unsigned char bytes[PHX_CLUSTER_MAP_BYTES_MAX];
    static phx_cluster_map map;
    sim_process *process = &sim->processes[slot];
    if (process->store_cut_until > sim->tick && !sim->is_calm) return;
    if (sim->store.registered[slot].member.registration == process->registration &&
        sim->store.registered[slot].lease_until > sim->tick) {
        sim->store.registered[slot].lease_until = sim->tick + LEASE_TICKS;
        phx_node_lease(&process->node, sim_now(sim, process) + (uint64_t)LEASE_TICKS * SIM_TICK_NS);
    } else if (!process->node.joined) {
        process->alive = false; /* its lease ran out before it was in a map: it ends, and starts anew */
        return;
    }
    const size_t size = phx_cluster_map_encode(&sim->store.map, bytes, sizeof bytes);
    if (!phx_cluster_map_decode(&map, PHX_FORMATS, bytes, size)) sim_violate(sim, "a map does not survive its bytes");
    const ph_status status = phx_node_map(&process->node, &map);
    if (status != PH_OK && status != PH_NO_MEMORY) sim_violate(sim, "a map is refused");
}

static void balance_slot(sim_schedule *sim, uint32_t slot)
{
    phx_cluster_map *map = &sim->store.map;
    const phx_member member = sim->store.registered[slot].member;
    if (member.registration == 0) return;
    const bool is_member = phx_cluster_map_member(map, member.registration) != NULL;
    if (sim->store.registered[slot].lease_until <= sim->tick) {
        if (is_member && !sim_chance(sim, PUT_OUT_ONE_IN)) return;
        if (is_member) sim->counts.put_out += phx_cluster_map_put_out(map, member.registration);
        sim->store.registered[slot].member = (phx_member){0};
    } else if (!is_member && sim_chance(sim, JOIN_ONE_IN)) {
        if (!phx_cluster_map_join(map, member)) sim_violate(sim, "a member can not join");
    }
}

void sim_store_step(sim_schedule *sim)
{
    phx_cluster_map *map = &sim->store.map;
    for (uint32_t slot = 0; slot < sim->process_count; slot++) balance_slot(sim, slot);
    if (sim->is_calm || map->member_count == 0) return;
    const phx_member member = map->members[sim_below(sim, map->member_count)];
    if (sim_chance(sim, GIVE_ONE_IN)) (void)phx_cluster_map_give(map, sim_below(sim, sim->region_count), member.number);
    if (sim_chance(sim, DRAIN_ONE_IN)) (void)phx_cluster_map_drain(map, member.registration);
}
