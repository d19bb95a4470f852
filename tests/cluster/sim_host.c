/*
 * Hosts of the simulation. A node's host moves its entities from region to region, hands them over, sends their state
 * to the gateways, saves it, and restores it once the library says so. A gateway's host keeps the newest state of each.
 *
 * Which entities are missing the simulation answers by itself: of each it knows where it is.
 */
#include "cluster/sim.h"
#include "support/node_reads.h"

#include <string.h>

enum {
    REGION_ONE_IN = 40, /* steps in which an entity comes into another region */
    VIEW_ONE_IN = 3,
    SAVE_TICKS = 16,
    POLL_TICKS = 4,
    BEAT_TICKS = 4,
    RESTORE_ONE_IN = 40 /* ticks */
};

/* Of an entity's place in the offer: the entity itself is behind its followers. */
static sim_state state_of_offer(const phx_offer *offer, uint32_t place)
{
    sim_state state;
    REQUIRE(offer->state_bytes == (offer->follower_count + 1) * sizeof state);
    memcpy(&state, offer->state + place * sizeof state, sizeof state);
    return state;
}

/* One that was put out, and has not heard it, may restore: no member hears it. */
static void note_restored(sim_schedule *sim, const sim_process *process, uint64_t id, uint64_t ownership)
{
    if (!sim_is_member(sim, process)) return;
    if (sim->restored[id - 1] >= ownership) sim_violate(sim, "an entity is restored under an ownership that was used");
    sim->restored[id - 1] = ownership;
}

/* Each hand-over has a higher ownership than the one before: a lower one, or the same, is a message that was taken. */
static void check_gained(sim_schedule *sim, sim_process *process, uint64_t id, uint64_t ownership)
{
    if (ownership <= process->gained[id - 1] && id != sim->doubled)
        sim_violate(sim, "a late double of a message enters an entity anew");
    process->gained[id - 1] = ownership;
}

static void take_offer(sim_schedule *sim, sim_process *process, const phx_node_event *event)
{
    const phx_offer *offer = &event->offer;
    for (uint32_t i = 0; i <= offer->follower_count; i++) {
        const uint64_t id = phx_wire_offer_id(offer, i);
        process->states[id - 1] = state_of_offer(offer, i);
        sim_says_enter(sim, process, id, event->kind == PHX_NODE_TAKEN_BACK);
        sim_clients_enter(process, id, event->kind);
        if (event->kind == PHX_NODE_GAINED) check_gained(sim, process, id, offer->ownership);
        if (event->kind != PHX_NODE_TAKEN_BACK) continue;
        note_restored(sim, process, id, offer->ownership);
        sim->counts.taken_back++;
    }
}

static void take_events(sim_schedule *sim, sim_process *process)
{
    phx_node_event event;
    if (process->node.fenced) { /* it ends, and starts anew */
        process->alive = false;
        sim->counts.fenced++;
        sim->counts.left += process->node.leaves;
    }
    while (take_next_event(&process->node, &event)) {
        switch (event.kind) {
        case PHX_NODE_TAKEN_BACK:
        case PHX_NODE_GAINED:
            take_offer(sim, process, &event);
            break;
        case PHX_NODE_RESTORE:
            process->restoring[event.region] = event.lost;
            break;
        case PHX_NODE_DUPLICATE:
            sim_violate(sim, "a node is offered an entity that it holds");
            break;
        case PHX_NODE_SAID:
            sim_says_hear(sim, process, &event);
            break;
        }
    }
}

/*
 * Does a member of the node's map or of the store's one hold the entity? A killed process does until it is put out. One
 * that fenced itself, as its lease ran out, does not say: an offer of it may be under way. One that has left had none.
 */
static bool is_held(const sim_schedule *sim, const phx_node *asks, uint64_t id)
{
    for (uint32_t slot = 0; slot < sim->process_count; slot++) {
        const sim_process *process = &sim->processes[slot];
        /* one that never was in a map holds nothing, although a lost store may have had its registration, too */
        const bool counts = process->used && !process->gateway && process->node.joined &&
                            (phx_cluster_map_member(&asks->map, process->registration) ||
                             phx_cluster_map_member(&sim->store.map, process->registration));
        const bool may_hold = process->node.fenced && !process->node.leaves;
        if (counts && (may_hold || phx_holdings_find(&process->node.holdings, id))) return true;
    }
    return false;
}

/*
 * A question waits for each node of the own map. One that was put out meanwhile, and whose process began anew, gives no
 * answer any more: a newer map has to come.
 */
static bool all_answer(const sim_schedule *sim, const phx_node *asks)
{
    for (uint32_t i = 0; i < asks->map.member_count; i++) {
        const phx_member *member = &asks->map.members[i];
        bool answers = member->gateway;
        for (uint32_t slot = 0; slot < sim->process_count; slot++)
            answers |= sim->processes[slot].used && sim->processes[slot].registration == member->registration;
        if (!answers) return false;
    }
    return true;
}

/* Enters all entities of a region that are nowhere. false: to be tried again. */
static bool restore_region(sim_schedule *sim, sim_process *process, uint32_t region)
{
    for (uint64_t id = 1; id <= sim->entity_count; id++) {
        if (!sim->entered[id - 1] || sim->saved[id - 1].region != region || is_held(sim, &process->node, id)) continue;
        const ph_status status = phx_hand_over_enter(&process->node, id, region, 0);
        if (status == PH_TAKEN) return true; /* the region is another node's by now, and so is the duty */
        if (status != PH_OK) return false;
        note_restored(sim, process, id, phx_holdings_find(&process->node.holdings, id)->ownership);
        process->states[id - 1] = sim->saved[id - 1];
        process->states[id - 1].list = 0; /* a new entity of the world */
        process->whole[id - 1] = false;
        sim_says_enter(sim, process, id, true);
        sim->counts.restored++;
    }
    return true;
}

/* The host reads a database first; it is done in the worst moment, as another member is put out. */
static bool is_late(sim_schedule *sim, const sim_process *process, uint32_t lost)
{
    return sim->restores_late && !sim->is_calm && process->node.map.fence == lost && !sim_chance(sim, RESTORE_ONE_IN);
}

/*
 * A real host asks phc_who_has(), which answers behind the map barrier alone: that of a member which was put out behind
 * the loss that the host is at, too.
 */
static void restore_entities(sim_schedule *sim, uint32_t slot)
{
    sim_process *process = &sim->processes[slot];
    if (!phx_map_barrier_answers(&process->node) || !all_answer(sim, &process->node)) return;
    for (uint32_t region = 0; region < sim->region_count; region++) {
        const uint32_t lost = process->restoring[region];
        if (lost == 0 || is_late(sim, process, lost) || !restore_region(sim, process, region)) continue;
        const bool is_own = process->node.map.regions[region].number == process->node.def.member.number;
        if (!is_own || sim_store_restored(sim, slot, region, lost)) process->restoring[region] = 0;
    }
}

/* It is in the world for the first time; or again, where the cluster began anew with the database that it had. */
static void enter_entities(sim_schedule *sim, uint32_t slot)
{
    sim_process *process = &sim->processes[slot];
    for (uint64_t id = 1; id <= sim->entity_count; id++) {
        const uint64_t after = sim->met[id - 1];
        if (sim->entered[id - 1] || (sim->is_lost && !sim_is_member(sim, process))) continue;
        if (after == 0) sim->saved[id - 1] = (sim_state){.region = (uint32_t)(id % sim->region_count)};
        const ph_status status = phx_hand_over_enter(&process->node, id, sim->saved[id - 1].region, after);
        if (phx_hand_over_needs_map(&process->node, after) && process->node.joined) sim_store_exceed(sim, slot, after);
        if (status != PH_OK) continue;
        sim->met[id - 1] = phx_holdings_find(&process->node.holdings, id)->ownership;
        if (after != 0) note_restored(sim, process, id, sim->met[id - 1]);
        if (after != 0 && sim->met[id - 1] <= sim->highest[id - 1])
            sim_violate(sim, "an entity is entered below an ownership that a host has acted under");
        process->states[id - 1] = sim->saved[id - 1];
        process->states[id - 1].list = 0; /* a new entity of the world */
        process->whole[id - 1] = false;
        sim_says_enter(sim, process, id, after != 0);
        sim->entered[id - 1] = true;
    }
}

static void send_view(sim_schedule *sim, uint32_t slot, const phx_holding *holding, uint64_t steps)
{
    for (uint32_t to = 0; to < sim->process_count; to++) {
        if (!sim->processes[to].gateway || !sim_chance(sim, VIEW_ONE_IN)) continue;
        const phx_offer view = {.id = holding->id, .ownership = holding->ownership};
        const phc_feed feed = {
            .ownership = holding->ownership, .begun = holding->feed.begun, .number = holding->feed.number};
        sim_net_send(sim, slot, to,
                     (sim_message){.is_view = true,
                                   .source = sim->processes[slot].registration,
                                   .view = view,
                                   .steps = steps,
                                   .feed = feed});
    }
}

/*
 * Entities of two numbers in a row go together where both are here: a root, and its follower, which comes along into
 * the root's region. The follower does not go by itself then.
 */
static uint64_t partner_of(const sim_schedule *sim, const phx_node *node, uint64_t id)
{
    const uint64_t partner = id % 2 == 0 ? id - 1 : id + 1;
    const phx_holding *holding = partner <= sim->entity_count ? phx_holdings_find(&node->holdings, partner) : NULL;
    return holding && !holding->sending ? partner : 0;
}

static ph_status send_entity(sim_process *process, uint64_t id, uint64_t follower)
{
    const uint16_t number = process->node.map.regions[process->states[id - 1].region].number;
    sim_state states[2] = {process->states[id - 1]};
    if (follower == 0) return phx_hand_over_send(&process->node, id, number, NULL, 0, states, sizeof *states);
    states[1] = states[0];
    states[0] = process->states[follower - 1];
    states[0].region = states[1].region;
    return phx_hand_over_send(&process->node, id, number, &follower, 1, states, sizeof states);
}

/*
 * The database takes no row of a lower ownership than it has. The one refused is of a node that no member hears; or a
 * member of an adopted map holds a copy that was restored in a map of the lost store which none of these has read: its
 * host lets it go, and the row is entered. false: it is held no more.
 */
static bool save_entity(sim_schedule *sim, sim_process *process, uint64_t id)
{
    const uint64_t ownership = phx_holdings_find(&process->node.holdings, id)->ownership;
    const bool is_member = phx_cluster_map_member(&sim->store.map, process->registration) != NULL;
    if (!is_member && !sim->is_wiped) sim_violate(sim, "a node that was put out writes to the database");
    if (ownership >= sim->met[id - 1]) {
        sim->saved[id - 1] = process->states[id - 1];
        sim->met[id - 1] = ownership;
        return true;
    }
    if (!is_member) return true;
    if (!sim->is_lost || sim->is_wiped) sim_violate(sim, "the database refuses the owner's row");
    if (phx_hand_over_leave(&process->node, id) != PH_OK) return true;
    sim_says_give(process, id);
    sim->entered[id - 1] = false;
    sim->counts.behind++;
    return false;
}

static void step_entity(sim_schedule *sim, uint32_t slot, uint64_t id)
{
    sim_process *process = &sim->processes[slot];
    phx_node *node = &process->node;
    sim_state *state = &process->states[id - 1];
    state->steps++;
    if (!sim->is_calm && sim_chance(sim, REGION_ONE_IN)) state->region = sim_below(sim, sim->region_count);
    sim_clients_step(sim, slot, id);
    send_view(sim, slot, phx_holdings_find(&node->holdings, id), state->steps);
    if ((sim->tick + id) % SAVE_TICKS == 0 && may_save_now(node) && !save_entity(sim, process, id)) return;
    const uint64_t ownership = phx_holdings_find(&node->holdings, id)->ownership;
    if (ownership > sim->highest[id - 1]) sim->highest[id - 1] = ownership;
    const uint16_t number = node->map.regions[state->region].number;
    if (number == node->def.member.number) return;
    const uint64_t partner = partner_of(sim, node, id);
    if (partner != 0 && id % 2 == 0) {
        state->region = process->states[partner - 1].region;
        return;
    }
    const ph_status status = send_entity(process, id, partner);
    if (status == PH_OK) {
        sim_says_give(process, id);
        if (partner != 0) sim_says_give(process, partner);
        sim->counts.handed++;
    }
    if (status != PH_OK && status != PH_PENDING && status != PH_NO_MEMORY && status != PH_FULL)
        sim_violate(sim, "a hand-over is refused");
}

static void step_entities(sim_schedule *sim, uint32_t slot)
{
    const sim_process *process = &sim->processes[slot];
    for (uint64_t id = 1; id <= sim->entity_count; id++) {
        const phx_holding *holding = phx_holdings_find(&process->node.holdings, id);
        if (holding && !holding->sending && id != sim->doubled) step_entity(sim, slot, id);
    }
}

static void send_messages(sim_schedule *sim, uint32_t slot)
{
    phx_node *node = &sim->processes[slot].node;
    const bool beat = (sim->tick + slot) % BEAT_TICKS == 0;
    uint64_t target;
    for (uint32_t i = 0; i < node->peer_count; i++) {
        const size_t size = phx_exchange_write(node, i, beat, sim->buffer, sizeof sim->buffer, &target);
        const uint32_t to = node->peers[i].member.number - 1u;
        if (size > 0) sim_net_send(sim, slot, to, (sim_message){.bytes = sim->buffer, .size = size});
    }
    const size_t size = beat ? phx_exchange_heartbeat(node, sim->buffer, sizeof sim->buffer) : 0;
    for (uint32_t to = 0; size > 0 && to < sim->process_count; to++)
        if (to != slot) sim_net_send(sim, slot, to, (sim_message){.bytes = sim->buffer, .size = size});
}

void sim_host_step(sim_schedule *sim, uint32_t slot)
{
    sim_process *process = &sim->processes[slot];
    if ((sim->tick + slot) % POLL_TICKS == 0) sim_store_poll(sim, slot);
    if (!process->alive) return;
    if (process->gateway) sim_clients_follow_era(process);
    sim_net_deliver(sim, slot);
    if (!process->gateway) sim_copies_hear(sim, slot);
    phx_map_barrier_begin(&process->node, sim_now(sim, process));
    phx_links_tick(&process->node, sim_now(sim, process), true);
    take_events(sim, process);
    if (!process->alive) return;
    if (!process->gateway) {
        restore_entities(sim, slot);
        enter_entities(sim, slot);
        if (phx_node_may_act(&process->node)) {
            sim_says_step(sim, slot);
            step_entities(sim, slot);
            sim_copies_send(sim, slot);
        }
    }
    if (process->gateway) sim_clients_ask(sim, slot);
    send_messages(sim, slot);
}

static bool is_same_stay(uint64_t ownership, uint64_t other)
{
    return ownership >> 32 == other >> 32;
}

void sim_gateway_hear(sim_schedule *sim, uint32_t slot, const sim_message *message)
{
    const uint64_t id = message->view.id, ownership = message->view.ownership;
    sim_process *gateway = &sim->processes[slot];
    sim_view *known = &gateway->views[id - 1];
    sim_clients_hear_last(sim, slot, message);
    if (!phx_node_hears(&gateway->node, message->source)) return;
    if (!phx_cluster_map_member(&gateway->node.map, message->source))
        sim_violate(sim, "a node that was put out is heard");
    if (ownership < known->ownership) return;
    if (ownership == known->ownership && message->source != known->source)
        sim_violate(sim, "two owners have the same ownership");
    if (ownership == known->ownership && message->steps <= known->steps) return;
    if (is_same_stay(ownership, known->ownership) && message->steps < known->steps)
        sim_violate(sim, "a state goes back, and was not restored");
    /* one that was restored under the gateway's map, or before, was lost with another node than the source: that is in
     * the gateway's map, so it was put out later */
    if (sim->restored[id - 1] >> PHX_OWNERSHIP_VERSION_SHIFT > gateway->node.map.version &&
        ownership < sim->restored[id - 1] && sim_is_member(sim, gateway) &&
        !phx_cluster_map_member(&sim->store.map, message->source))
        sim_violate(sim, "a member hears a dead node of an entity that was restored");
    *known = (sim_view){.ownership = ownership, .steps = message->steps, .source = message->source};
    sim->counts.views++;
}
