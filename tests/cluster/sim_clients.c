/*
 * Clients of the simulation: the list of each entity changes now and then, its node tells each change to the gateways
 * with its number, and a gateway shows them to the entity's client by pharos-node's own code. Messages are lost, late
 * and doubled as all others are. No client is shown a change twice, and once all is calm each has the list.
 */
#include "cluster/sim.h"
#include "cluster/wire/bytes.h"

enum { CHANGE_ONE_IN = 4, MS_IN_TICK = 50, BYTES_MAX = PHX_CLIENT_HEAD_BYTES + PHX_CLIENT_CHANGE_BYTES + 8 * 32 };

static uint32_t bit_of(uint64_t id)
{
    return 1u << (id - 1);
}

static uint32_t bits_in(uint32_t word)
{
    uint32_t count = 0;
    for (; word != 0; word &= word - 1) count++;
    return count;
}

static void put_ids(phx_writer *writer, uint32_t list)
{
    for (uint64_t id = 1; id <= SIM_ENTITIES_MAX; id++)
        if (list & bit_of(id)) phx_client_put_id(writer, id);
}

/* Tells a change, or the whole list of now. */
static void tell(sim_schedule *sim, uint32_t slot, uint64_t id, uint32_t leaves, uint32_t enters, bool is_whole)
{
    unsigned char bytes[BYTES_MAX];
    const sim_process *process = &sim->processes[slot];
    phx_writer writer = phx_writer_of(bytes, sizeof bytes);
    phx_client_change change = {
        .observer = id, .is_whole = is_whole, .leave_count = bits_in(leaves), .enter_count = bits_in(enters)};
    phx_feed *feed = phx_hand_over_feed(&process->node, id, &change.feed.ownership);
    REQUIRE(feed);
    change.feed.begun = feed->begun;
    change.feed.number = ++feed->number;
    phx_client_put_head(&writer, process->registration);
    phx_client_put_change(&writer, &change);
    put_ids(&writer, leaves);
    put_ids(&writer, enters);
    REQUIRE(!writer.failed);
    for (uint32_t to = 0; to < sim->process_count; to++)
        if (sim->processes[to].gateway)
            sim_net_send(
                sim, slot, to,
                (sim_message){.is_change = true, .bytes = bytes, .size = sizeof bytes - phx_writer_left(&writer)});
}

/* Lists of odd ids stay in the calm: their last change may be a lost one. The others stay in the second half of it. */
static bool may_change(const sim_schedule *sim, uint64_t id)
{
    return sim->tick <= SIM_TICKS + (id % 2 == 0 ? sim->calm_ticks / 2 : 0);
}

void sim_clients_step(sim_schedule *sim, uint32_t slot, uint64_t id)
{
    sim_process *process = &sim->processes[slot];
    uint32_t *list = &process->states[id - 1].list;
    const bool changes = may_change(sim, id) && sim_chance(sim, CHANGE_ONE_IN);
    uint32_t turned = 0;
    for (uint32_t i = 0; changes && i < 3; i++) turned |= bit_of(1 + sim_below(sim, sim->entity_count));
    const uint32_t leaves = *list & turned, enters = turned & ~*list;
    *list ^= turned;
    if (process->whole[id - 1]) tell(sim, slot, id, 0, *list, true);
    else if (turned != 0) tell(sim, slot, id, leaves, enters, false);
    process->whole[id - 1] = false;
}

void sim_clients_enter(sim_process *process, uint64_t id, phx_node_event_kind kind)
{
    process->whole[id - 1] = kind == PHX_NODE_TAKEN_BACK; /* what the dead node told counts no more */
}

static uint64_t now_ms(const sim_schedule *sim)
{
    return sim->tick * MS_IN_TICK;
}

void sim_clients_hear(sim_schedule *sim, uint32_t slot, const sim_message *message)
{
    sim_process *process = &sim->processes[slot];
    phx_reader reader = phx_reader_of(message->bytes, message->size);
    phx_client_change change;
    if (message->asks) {
        process->whole[message->view.id - 1] = true;
        return;
    }
    if (!phx_node_hears(&process->node, phx_client_get_head(&reader))) return;
    if (!phx_client_get_change(&reader, &change)) {
        sim_violate(sim, "a change can not be");
        return;
    }
    phx_client_take(&process->clients[change.observer - 1], &change, now_ms(sim));
    if (process->client_counts.wrong > 0) sim_violate(sim, "a client is shown a change twice, or not all changes");
}

void sim_clients_hear_last(sim_schedule *sim, uint32_t slot, const sim_message *message)
{
    sim_process *process = &sim->processes[slot];
    if (!phx_node_hears(&process->node, message->source)) return;
    phx_client_hear_last(&process->clients[message->view.id - 1], &message->feed, now_ms(sim));
}

/* What was heard of before may be above all that come, as in a gateway of pharos-node. */
void sim_clients_follow_era(sim_process *process)
{
    const uint32_t version = process->node.map.version, era = 1 + (version >> PHX_CLUSTER_ERA_SHIFT);
    if (version == 0) return;
    for (uint32_t i = 0; i < SIM_ENTITIES_MAX && process->era != 0 && process->era != era; i++) {
        process->views[i] = (sim_view){0};
        phx_client_forget(&process->clients[i]);
    }
    process->era = era;
}

void sim_clients_ask(sim_schedule *sim, uint32_t slot)
{
    sim_process *process = &sim->processes[slot];
    for (uint64_t id = 1; id <= sim->entity_count; id++) {
        if (!phx_client_asks(&process->clients[id - 1], now_ms(sim))) continue;
        for (uint32_t to = 0; to < sim->process_count; to++)
            if (!sim->processes[to].gateway)
                sim_net_send(sim, slot, to, (sim_message){.asks = true, .view = {.id = id}});
    }
}

void sim_clients_begin(sim_process *process)
{
    for (uint32_t i = 0; i < SIM_ENTITIES_MAX; i++)
        process->clients[i] = (phx_client_feed){.mem = &process->client_memory, .counts = &process->client_counts};
    phx_mem_init(&process->client_memory, fail_alloc_hooks(&process->memory));
}

void sim_clients_end(sim_schedule *sim, sim_process *process)
{
    for (uint32_t i = 0; i < SIM_ENTITIES_MAX; i++) phx_client_free(&process->clients[i]);
    sim->counts.shown += process->client_counts.shown;
    sim->counts.held += process->client_counts.held;
    sim->counts.whole += process->client_counts.whole;
    sim->counts.asked += process->client_counts.asked;
}

static void check_client(sim_schedule *sim, uint64_t id, uint32_t list)
{
    for (uint32_t slot = 0; slot < sim->process_count; slot++) {
        const sim_process *gateway = &sim->processes[slot];
        const phx_client_feed *client = &gateway->clients[id - 1];
        uint32_t shown = 0;
        if (!gateway->gateway) continue;
        for (uint32_t i = 0; i < client->count; i++) shown |= bit_of(client->ids[i]);
        if (shown != list) sim_violate(sim, "a client has another list than its entity");
    }
}

void sim_clients_check(sim_schedule *sim)
{
    for (uint32_t slot = 0; slot < sim->process_count; slot++) {
        const sim_process *process = &sim->processes[slot];
        for (uint32_t i = 0; i < process->node.holdings.count; i++) {
            const uint64_t id = process->node.holdings.items[i].id;
            check_client(sim, id, process->states[id - 1].list);
        }
    }
}
