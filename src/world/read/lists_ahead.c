/*
 * Lists of some queries; see lists_ahead.h.
 */
#include "world/read/lists_ahead.h"

#include "shards/query/seen.h"

/* Not the only list, which has none beside it. After an apply targets may be in other shards. */
static bool found_ahead(const phx_lists_ahead *lists, const phx_world *world, uint32_t query)
{
    return lists->count > 1 && lists->queries[query].shape == PH_QUERY_LIST && !world->begun;
}

static void ask_for_observer(const phx_store *store, uint32_t slot)
{
    __builtin_prefetch(&store->body[slot]);
    __builtin_prefetch(&store->set[slot]);
    __builtin_prefetch(&store->tail[slot]);
}

void phx_lists_look_up(phx_lists_ahead *lists, const phx_world *world, const ph_query *queries,
                       const ph_answer *answers, uint32_t count)
{
    PHX_ASSERT(count <= PHX_LISTS_AHEAD);
    lists->queries = queries;
    lists->answers = answers;
    lists->count = count;
    for (uint32_t i = 0; i < count; i++)
        if (found_ahead(lists, world, i)) (void)phx_directory_prefetch(&world->directory, queries[i].of);
    for (uint32_t i = 0; i < count; i++) {
        phx_list_ahead *list = &lists->list[i];
        phx_shard *shard;
        list->shard = NULL;
        if (!found_ahead(lists, world, i) || !phx_world_find(world, queries[i].of, &shard, &list->slot)) continue;
        list->shard = shard;
        ask_for_observer(&shard->store, list->slot);
    }
}

static bool add_targets(void *user, const uint32_t *targets, uint32_t count)
{
    phx_lists_ahead *lists = user;
    phx_list_ahead *list = lists->at;
    const phx_store *store = &list->shard->store;
    uint32_t *to = list->targets + list->count;
    lists->full = count > (uint32_t)(lists->targets + PHX_TARGETS_AHEAD - to);
    if (lists->full) return false;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = targets[i];
        __builtin_prefetch(&store->name[targets[i]]);
    }
    for (uint32_t i = 0; store->user_data && i < count; i++) __builtin_prefetch(&store->user_data[targets[i]]);
    list->count += count;
    return true;
}

static void ask_for_hits(const ph_answer *answer, uint32_t count)
{
    enum { APART = PHX_CACHE_LINE / sizeof(ph_hit) }; /* at most a line */
    const uint32_t most = count < answer->capacity ? count : answer->capacity;
    for (uint32_t i = 0; answer->hits && i < most; i += APART) __builtin_prefetch(&answer->hits[i], 1);
}

uint32_t phx_lists_find(phx_lists_ahead *lists, uint32_t first)
{
    uint32_t *end = lists->targets, longest = 0;
    for (uint32_t i = first; i < lists->count; i++) {
        phx_list_ahead *list = lists->at = &lists->list[i];
        if (!list->shard) continue;
        /* a scan of a list for which there is no room is done again: lists of one crowd are about as long */
        if (lists->targets + PHX_TARGETS_AHEAD - end < longest) return i;
        list->targets = end;
        list->count = 0;
        lists->full = false;
        phx_shard_list_targets(list->shard, list->slot, add_targets, lists);
        if (PHX_UNLIKELY(lists->full)) {
            if (end > lists->targets) return i;
            list->shard = NULL;
            return i + 1;
        }
        end += list->count;
        if (longest < list->count) longest = list->count;
        ask_for_hits(&lists->answers[i], list->count);
    }
    return lists->count;
}
