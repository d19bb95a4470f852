/*
 * The balancer's memory; see cluster_balance.h.
 */
#include "tools/cluster_balance.h"

#include <stdio.h>
#include <string.h>

enum { RESTS = 6 /* times the wait */ };

/* Places in the map that have another node than in the look before. */
static void note_moves(phx_cluster_balance *balance, const phx_cluster_map *map, uint64_t now_ms)
{
    for (uint32_t i = 0; i < map->region_count; i++) {
        const bool has_gone = balance->version != 0 && balance->numbers[i] != map->regions[i].number;
        if (has_gone) balance->rests_until_ms[i] = now_ms + RESTS * balance->wait_ms;
        balance->numbers[i] = map->regions[i].number;
        balance->state.rests[i] = balance->rests_until_ms[i] > now_ms;
    }
}

static void take_loads(phx_balance_state *state, const phx_cluster_listing *listing)
{
    state->load_count = 0;
    for (uint32_t i = 0; i < listing->map.member_count; i++) {
        const phx_member *member = &listing->map.members[i];
        const phx_cluster_listed *listed = phx_cluster_listing_of(listing, member->registration);
        if (member->gateway || !listed || listed->load.period_us == 0) continue;
        state->loads[state->load_count++] =
            (phx_balance_load){.number = member->number, .load = phx_cluster_load_share(&listed->load)};
    }
}

void phx_cluster_balance_look(phx_cluster_balance *balance, const phx_cluster_listing *listing, uint64_t now_ms)
{
    phx_balance_state *state = &balance->state;
    state->map = &listing->map;
    state->columns = listing->columns;
    memcpy(state->entities, listing->entities, sizeof state->entities);
    note_moves(balance, state->map, now_ms);
    take_loads(state, listing);
    balance->verdict = phx_balance_choose(state, &balance->move);
    const uint16_t number = balance->verdict == PHX_BALANCE_MOVE ? balance->move.from : 0;
    if (number != balance->busy_number) balance->busy_since_ms = now_ms;
    if (balance->version != 0 && balance->version != listing->map.version) balance->moved_ms = now_ms;
    balance->version = listing->map.version;
    balance->busy_number = number;
}

bool phx_cluster_balance_is_due(const phx_cluster_balance *balance, uint64_t now_ms)
{
    const uint64_t wait_ms = balance->wait_ms;
    return balance->verdict == PHX_BALANCE_MOVE && now_ms - balance->busy_since_ms >= wait_ms &&
           (balance->moved_ms == 0 || now_ms - balance->moved_ms >= wait_ms);
}

void phx_cluster_balance_made(phx_cluster_balance *balance, uint64_t now_ms)
{
    balance->moved_ms = now_ms;
}

/* ---- words ---- */

const char *phx_cluster_balance_word(phx_balance_verdict verdict)
{
    static const char *const words[] = {[PHX_BALANCE_MOVE] = "move",
                                        [PHX_BALANCE_ONE_NODE] = "one-node",
                                        [PHX_BALANCE_RESTORING] = "restoring",
                                        [PHX_BALANCE_UNKNOWN] = "unknown",
                                        [PHX_BALANCE_IDLE] = "idle",
                                        [PHX_BALANCE_EVEN] = "even",
                                        [PHX_BALANCE_ONE_REGION] = "one-region",
                                        [PHX_BALANCE_NO_REGION] = "no-region"};
    return words[verdict];
}

const char *phx_cluster_balance_sentence(const phx_cluster_balance *balance, char *text, size_t size)
{
    static const char *const sentences[] = {
        [PHX_BALANCE_MOVE] = "a region goes",
        [PHX_BALANCE_ONE_NODE] = "no two nodes have regions",
        [PHX_BALANCE_RESTORING] = "a node died, and hosts are not done with its entities: no region goes meanwhile",
        [PHX_BALANCE_UNKNOWN] = "a node has not reported its load yet",
        [PHX_BALANCE_IDLE] = "no node is busy for more than 40 % of its time",
        [PHX_BALANCE_EVEN] = "no node is 1.3 times the mean",
        [PHX_BALANCE_ONE_REGION] = "the busiest node has one region, which does not split",
        [PHX_BALANCE_NO_REGION] = "no region of the busiest node makes it better elsewhere"};
    const phx_balance_move *move = &balance->move;
    if (balance->verdict == PHX_BALANCE_MOVE)
        (void)snprintf(text, size, "node %u is busy %u.%u %% of its time, the mean is %u.%u: region %u to node %u",
                       move->from, move->load / 10, move->load % 10, move->mean / 10, move->mean % 10, move->region,
                       move->to);
    else if (move->from != 0)
        (void)snprintf(text, size, "%s (node %u: %u.%u %%, mean %u.%u %%)", sentences[balance->verdict], move->from,
                       move->load / 10, move->load % 10, move->mean / 10, move->mean % 10);
    else (void)snprintf(text, size, "%s", sentences[balance->verdict]);
    return text;
}
