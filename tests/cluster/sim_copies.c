/*
 * Copies of the simulation: in each tick a node tells the others what it holds, as the halo does, by messages that are
 * lost, late and in disorder. No node may take an entity for double, wherever it goes and whichever node dies. At the
 * end of a schedule a second node enters an id, and both have to find it in bounded time. Numbers are not the
 * schedule's.
 */
#include "cluster/sim.h"

#include "base/rng.h"

enum {
    QUIET_TICKS = 40, /* as phc_def has it */
    GRACE_TICKS = 12,
    LOST_ONE_IN = 10,
    LATE_ONE_IN = 5,
    LATE_TICKS = 8,
    HUNG_ONE_IN = 400,
    HUNG_TICKS = 80
};

static bool is_drawn(sim_schedule *sim, uint32_t one_in)
{
    return !sim->is_calm && phx_rng_below(&sim->copies_rng, one_in) == 0;
}

static void send_copies(sim_schedule *sim, const sim_copies *written)
{
    sim_copies copies = *written;
    copies.at = sim->tick + 1;
    if (is_drawn(sim, LATE_ONE_IN)) copies.at += phx_rng_below(&sim->copies_rng, LATE_TICKS);
    if (is_drawn(sim, HUNG_ONE_IN)) copies.at += phx_rng_below(&sim->copies_rng, HUNG_TICKS);
    if (!is_drawn(sim, LOST_ONE_IN)) VEC_PUSH(&sim->copies, copies);
}

void sim_copies_send(sim_schedule *sim, uint32_t slot)
{
    const sim_process *process = &sim->processes[slot];
    const phx_node *node = &process->node;
    sim_copies copies = {.from = slot, .source = process->registration, .tick = process->rounds};
    for (uint64_t id = 1; id <= sim->entity_count; id++) {
        const phx_holding *holding = phx_holdings_find(&node->holdings, id);
        if (holding && !holding->sending) copies.own |= 1u << (id - 1);
    }
    for (uint32_t i = 0; i < node->peer_count; i++) {
        const phx_member *to = &node->peers[i].member;
        copies.to = to->number - 1u;
        copies.target = to->registration;
        const bool is_cut = !sim->is_calm && sim->cut_until[slot][copies.to] > sim->tick;
        if (!node->peers[i].out && !to->gateway && !is_cut) send_copies(sim, &copies);
    }
}

static void hear_copies(sim_schedule *sim, sim_process *process, const sim_copies *copies)
{
    const phx_node *node = &process->node;
    uint64_t *newest = &process->copies_newest[copies->from];
    if (copies->target != process->registration || !phx_node_hears(node, copies->source)) return;
    if (process->copies_source[copies->from] != copies->source) *newest = 0;
    process->copies_source[copies->from] = copies->source;
    if (copies->tick <= *newest) return;
    *newest = copies->tick;
    for (uint64_t id = 1; id <= sim->entity_count; id++) {
        const phx_holding *holding = phx_holdings_find(&node->holdings, id);
        if (!(copies->own >> (id - 1) & 1) || !holding || holding->sending) continue;
        const phx_double_id copy = {
            .id = id, .source = copies->source, .ownership = holding->ownership, .tick = copies->tick};
        phx_double_ids_hear(&process->doubles, &copy, process->rounds);
        sim->counts.late_copies++;
    }
}

void sim_copies_hear(sim_schedule *sim, uint32_t slot)
{
    sim_process *process = &sim->processes[slot];
    process->rounds++;
    for (size_t i = 0; i < sim->copies.count;) {
        const sim_copies copies = sim->copies.items[i];
        if (copies.to != slot || copies.at > sim->tick) {
            i++;
            continue;
        }
        sim->copies.items[i] = sim->copies.items[--sim->copies.count];
        hear_copies(sim, process, &copies);
    }
    phx_double_ids_forget(&process->doubles, process->rounds, GRACE_TICKS);
    for (uint32_t i = 0; i < process->doubles.count; i++) {
        phx_double_id *found = &process->doubles.items[i];
        if (!phx_double_id_is_due(found, QUIET_TICKS)) continue;
        found->reported = true;
        if (found->id == sim->doubled) sim->found_double++;
        else sim_violate(sim, "an entity that has one owner is taken for double");
    }
}

/* Enters an entity of one node at another one, too. */
static bool double_entity(sim_schedule *sim, uint32_t from, uint32_t to)
{
    const sim_process *process = &sim->processes[from];
    sim_process *other = &sim->processes[to];
    if (from == to || process->gateway || other->gateway || process->node.holdings.count == 0) return false;
    const uint64_t id = process->node.holdings.items[0].id;
    for (uint32_t region = 0; region < sim->region_count; region++) {
        if (phx_hand_over_enter(&other->node, id, region, 0) != PH_OK) continue;
        other->states[id - 1] = (sim_state){.region = region};
        sim->doubled = id;
        return true;
    }
    return false;
}

void sim_copies_double(sim_schedule *sim)
{
    for (uint32_t from = 0; from < sim->process_count && sim->doubled == 0; from++)
        for (uint32_t to = 0; to < sim->process_count && sim->doubled == 0; to++) (void)double_entity(sim, from, to);
    sim->counts.doubled += sim->doubled != 0;
}
