/*
 * The network of the simulation: loss, doubles, delay, disorder, one-way cuts, by seed. A paused process finds its
 * messages when it goes on.
 */
#include "cluster/sim.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOST_ONE_IN = 10,
    DOUBLED_ONE_IN = 33,
    LATE_ONE_IN = 5,
    LATE_TICKS = 8,
    HUNG_ONE_IN = 400, /* a broker that hung hands out messages long after newer ones */
    HUNG_TICKS = 80
};

static void put_message(sim_schedule *sim, const sim_message *message)
{
    sim_message copy = *message;
    copy.at = sim->tick + 1;
    if (!sim->is_calm && sim_chance(sim, LATE_ONE_IN)) copy.at += sim_below(sim, LATE_TICKS);
    if (!sim->is_calm && sim_chance(sim, HUNG_ONE_IN)) copy.at += sim_below(sim, HUNG_TICKS);
    if (message->size > 0) {
        copy.bytes = check_realloc(NULL, message->size);
        memcpy(copy.bytes, message->bytes, message->size);
    }
    VEC_PUSH(&sim->network, copy);
}

void sim_net_send(sim_schedule *sim, uint32_t from, uint32_t to, sim_message message)
{
    sim->counts.messages++;
    message.to = to;
    if (!sim->is_calm && (sim->cut_until[from][to] > sim->tick || sim_chance(sim, LOST_ONE_IN))) return;
    put_message(sim, &message);
    if (!sim->is_calm && sim_chance(sim, DOUBLED_ONE_IN)) put_message(sim, &message);
}

void sim_net_deliver(sim_schedule *sim, uint32_t to)
{
    for (size_t i = 0; i < sim->network.count;) {
        const sim_message message = sim->network.items[i];
        if (message.to != to || message.at > sim->tick) {
            i++;
            continue;
        }
        sim->network.items[i] = sim->network.items[--sim->network.count];
        if (message.is_view) sim_gateway_hear(sim, to, &message);
        else if (message.is_change || message.asks) sim_clients_hear(sim, to, &message);
        else phx_exchange_receive(&sim->processes[to].node, message.bytes, message.size);
        free(message.bytes);
    }
}

void sim_net_free(sim_schedule *sim)
{
    for (size_t i = 0; i < sim->network.count; i++) free(sim->network.items[i].bytes);
    VEC_FREE(&sim->network);
    VEC_FREE(&sim->copies);
}
