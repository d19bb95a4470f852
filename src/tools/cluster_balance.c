/*
 * A look at loads, in words; see cluster_balance.h.
 */
#include "tools/cluster_balance.h"

#include <stdio.h>
#include <string.h>

#include "cluster/membership/load_report.h"

static void take_loads(phx_balance_state *state, const phx_cluster_listing *listing)
{
    state->load_count = 0;
    for (uint32_t i = 0; i < listing->map.member_count; i++) {
        const phx_member *member = &listing->map.members[i];
        const phx_cluster_listed *listed = phx_cluster_listing_of(listing, member->registration);
        if (member->gateway || !listed || listed->load.period_us == 0) continue;
        state->loads[state->load_count++] = (phx_balance_load){
            .number = member->number, .load = phx_load_report_share(listed->load.busy_us, listed->load.period_us)};
    }
}

void phx_cluster_balance_look(phx_cluster_balance *balance, const phx_cluster_listing *listing)
{
    phx_balance_state *state = &balance->state;
    *state = (phx_balance_state){.map = &listing->map};
    memcpy(state->entities, listing->entities, sizeof state->entities);
    take_loads(state, listing);
    balance->verdict = phx_balance_choose(state, &balance->move);
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
