/*
 * The balancer's memory; see balance_watch.h.
 */
#include "cluster/map/balance_watch.h"

void phx_balance_watch_map(phx_balance_watch *watch, const phx_cluster_map *map, uint64_t now)
{
    if (map->version == watch->version) return;
    for (uint32_t i = 0; i < map->region_count; i++) {
        const bool has_gone = watch->version != 0 && watch->numbers[i] != map->regions[i].number;
        if (has_gone) watch->rests_until[i] = now + PHX_BALANCE_RESTS * watch->wait_ns;
        watch->numbers[i] = map->regions[i].number;
    }
    watch->version = map->version;
    watch->changed_at = now;
}

void phx_balance_watch_look(phx_balance_watch *watch, const phx_cluster_map *map, uint64_t now)
{
    phx_balance_state *state = &watch->state;
    state->map = map;
    for (uint32_t i = 0; i < map->region_count; i++) state->rests[i] = watch->rests_until[i] > now;
    watch->verdict = phx_balance_choose(state, &watch->move);
    const uint16_t number = watch->verdict == PHX_BALANCE_MOVE ? watch->move.from : 0;
    if (number != watch->busy_number) watch->busy_since = now;
    watch->busy_number = number;
}

bool phx_balance_watch_is_due(const phx_balance_watch *watch, uint64_t now)
{
    return watch->verdict == PHX_BALANCE_MOVE && now - watch->busy_since >= watch->wait_ns &&
           now - watch->changed_at >= watch->wait_ns;
}
