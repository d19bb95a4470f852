/*
 * Broadcasts of the simulation: each process speaks now and then, to all that it owns and to some of its peers. An
 * entity hears each broadcast once at most, wherever it went meanwhile, and the ones of one process in their order. One
 * that was restored may hear again what was said before.
 */
#include <string.h>

#include "cluster/node/says.h"
#include "cluster/sim.h"

enum { SAY_ONE_IN = 3, SKIPS_PEER_ONE_IN = 3, BITS = 64 };

typedef struct payload {
    uint32_t say, slot; /* the speaker's */
} payload;

static void hear(sim_schedule *sim, const sim_process *process, uint64_t id, payload of)
{
    uint64_t *word = &sim->heard[id - 1][of.say / BITS];
    const uint64_t bit = 1ull << of.say % BITS;
    uint32_t *last = &sim->heard_last[id - 1][of.slot];
    if (!process->here[id - 1] || of.say < sim->void_until[id - 1] || !sim_is_member(sim, process)) return;
    if (*word & bit) sim_violate(sim, "an entity hears a broadcast twice");
    if (*last > of.say) sim_violate(sim, "an entity hears broadcasts of a process in another order");
    *word |= bit;
    *last = of.say + 1;
    sim->counts.heard++;
}

void sim_says_step(sim_schedule *sim, uint32_t slot)
{
    sim_process *process = &sim->processes[slot];
    phx_node *node = &process->node;
    const payload of = {.say = sim->say_count, .slot = slot};
    if (of.say == SIM_SAYS_MAX || !sim_chance(sim, SAY_ONE_IN)) return;
    phx_say say = {.payload = (const unsigned char *)&of, .bytes = sizeof of};
    sim->say_count++;
    for (uint64_t id = 1; id <= sim->entity_count; id++) hear(sim, process, id, of);
    for (uint32_t i = 0; i < node->peer_count; i++) {
        phx_peer *peer = &node->peers[i];
        if (peer->out || peer->member.gateway || sim_chance(sim, SKIPS_PEER_ONE_IN)) continue;
        if (say.number == 0) say.number = phx_says_next(node);
        sim->counts.said += phx_says_send(node, peer, &say, NULL);
    }
}

void sim_says_enter(sim_schedule *sim, sim_process *process, uint64_t id, bool restored)
{
    process->here[id - 1] = true;
    if (restored && sim_is_member(sim, process)) {
        sim->void_until[id - 1] = sim->say_count;
        memset(sim->heard_last[id - 1], 0, sizeof sim->heard_last[0]);
    }
}

void sim_says_give(sim_process *process, uint64_t id)
{
    process->here[id - 1] = false;
}

void sim_says_hear(sim_schedule *sim, sim_process *process, const phx_node_event *event)
{
    phx_say say;
    payload of;
    REQUIRE(phx_say_get(&say, event->offer.state, event->offer.state_bytes) && say.bytes == sizeof of);
    memcpy(&of, say.payload, sizeof of);
    for (uint64_t id = 1; id <= sim->entity_count; id++) hear(sim, process, id, of);
}
