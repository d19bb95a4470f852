/*
 * The rules of a cluster, checked by a look at all processes at once.
 */
#include "cluster/sim.h"
#include "support/node_reads.h"

bool sim_is_member(const sim_schedule *sim, const sim_process *process)
{
    return process->used && !process->node.fenced && phx_cluster_map_member(&sim->store.map, process->registration);
}

/* Of an entity, in the processes of the store's map. */
typedef struct owners {
    uint32_t own, sending;
    uint64_t owner, receiver;
} owners;

static owners owners_of(const sim_schedule *sim, uint64_t id)
{
    owners found = {0};
    for (uint32_t slot = 0; slot < sim->process_count; slot++) {
        const sim_process *process = &sim->processes[slot];
        const phx_holding *holding =
            sim_is_member(sim, process) ? phx_holdings_find(&process->node.holdings, id) : NULL;
        if (!holding) continue;
        if (holding->sending) {
            found.sending++;
            found.receiver = holding->peer;
        } else {
            found.own++;
            found.owner = process->registration;
        }
    }
    return found;
}

/* A member that is dead, or has ended, and is not put out yet: entities are lost with it in a moment. */
static bool has_dead(const sim_schedule *sim)
{
    const phx_cluster_map *map = &sim->store.map;
    uint32_t living = 0;
    for (uint32_t slot = 0; slot < sim->process_count; slot++)
        living += sim->processes[slot].alive && sim_is_member(sim, &sim->processes[slot]);
    return living < map->member_count;
}

/* Nodes that are drained, and regions that go to another node while no member comes, goes or is drained: by a move. */
static void count_changes(sim_schedule *sim)
{
    const phx_cluster_map *map = &sim->store.map, *seen = &sim->seen;
    if (map->version == seen->version) return;
    bool same_members = map->member_count == seen->member_count;
    for (uint32_t i = 0; i < map->member_count; i++) {
        const phx_member *was = phx_cluster_map_member(seen, map->members[i].registration);
        same_members &= was && was->drained == map->members[i].drained;
        sim->counts.drained += was && !was->drained && map->members[i].drained;
    }
    for (uint32_t i = 0; same_members && i < seen->region_count; i++) {
        const phx_member *from = phx_cluster_map_numbered(map, seen->regions[i].number);
        sim->counts.moved += from && !from->drained && map->regions[i].number != from->number;
    }
    sim->seen = *map;
}

void sim_check_step(sim_schedule *sim)
{
    count_changes(sim);
    const bool is_dead = has_dead(sim);
    for (uint64_t id = 1; id <= sim->entity_count; id++) {
        const owners found = owners_of(sim, id);
        if (found.own > 1 && id != sim->doubled) sim_violate(sim, "an entity has two owners");
        if (found.sending > 1) sim_violate(sim, "an entity is on its way twice");
        if (found.own == 1 && found.sending == 1 && found.owner != found.receiver)
            sim_violate(sim, "an entity has an owner, and is on its way to another node");
        const bool is_nowhere = sim->entered[id - 1] && found.own + found.sending == 0;
        if (is_nowhere && !is_dead && sim->store.map.regions[sim->saved[id - 1].region].lost == 0)
            sim_violate(sim, "an entity is lost, and its region does not say so");
    }
}

/* Once all is calm: each entity is owned once, by the node of its region; no duty is left. */
void sim_check_end(sim_schedule *sim)
{
    for (uint64_t id = 1; id <= sim->entity_count; id++) {
        const owners found = owners_of(sim, id);
        if (!sim->entered[id - 1]) sim_violate(sim, "an entity could not enter");
        if (found.own != 1 || found.sending != 0) sim_violate(sim, "an entity is lost, or still on its way");
    }
    for (uint32_t slot = 0; slot < sim->process_count && !sim->violation; slot++) {
        const sim_process *process = &sim->processes[slot];
        if (!sim_is_member(sim, process)) sim_violate(sim, "a process could not join");
        if (!may_save_now(&process->node)) sim_violate(sim, "a member may not save, although its lease can be proven");
        if (process->node.map.version != sim->store.map.version) sim_violate(sim, "a process has an old map");
        for (uint32_t i = 0; i < process->node.holdings.count && !sim->violation; i++) {
            const uint64_t id = process->node.holdings.items[i].id;
            const uint32_t region = process->states[id - 1].region;
            if (sim->store.map.regions[region].number != process->node.def.member.number)
                sim_violate(sim, "an entity is not at the node of its region");
        }
    }
    if (!sim->violation) sim_clients_check(sim);
    for (uint32_t i = 0; i < sim->region_count; i++)
        if (sim->store.map.regions[i].lost != 0) sim_violate(sim, "a region is not restored");
}
