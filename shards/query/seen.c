/*
 * Interest lists for readers, stored or derived; see seen.h. The rule of the pair mostly answers whether a target is in
 * a list, without a look into the list. Between ticks (phx_shard_is_in_list() and phx_shard_list_targets() also after
 * the interest phase); nothing is written.
 */
#include "shards/query/seen.h"

#include <float.h>
#include <math.h>

#include "shards/query/far_list.h"
#include "shards/query/prev_list.h"
#include "shards/state/annulus.h"
#include "shards/state/related.h"
#include "shards/state/view_reach.h"

/* Tells slots in pieces. false: it was stopped. */
static bool tell_slots(const uint32_t *slots, uint32_t count, phx_list_fn visit, void *user)
{
    for (uint32_t i = 0, n; i < count; i += n) {
        n = count - i < PHX_LIST_PIECE_MAX ? count - i : PHX_LIST_PIECE_MAX;
        if (!visit(user, slots + i, n)) return false;
    }
    return true;
}

void phx_rows_visit_list(const phx_shard *shard, uint32_t slot, phx_list_fn visit, void *user)
{
    const phx_store *store = &shard->store;
    const phx_relation_set *related = phx_related_of(shard, slot);
    const phx_attr *own = phx_store_attr(store, slot);
    const bool common = phx_sees_common(shard, own);
    const bool tall = phx_shape_is_tall(shard->rules->shape);
    phx_row_query query;
    _Static_assert((int)PHX_QUERY_ROWS <= (int)PHX_LIST_PIECE_MAX, "a piece of rows is told as it is");
    phx_row_query_view(&query, shard, slot);
    for (uint32_t n; phx_row_query_next(&query, &n);) {
        uint32_t seen = 0;
        for (uint32_t i = 0; i < n; i++) {
            const phx_row_word word = phx_row_word_at(query.hits, i);
            const uint32_t target = phx_row_word_slot(word);
            query.hits[seen] = target;
            if (!(phx_row_word_special(word) ? phx_near_sees(shard, &store->body[slot], own, target) : common))
                continue;
            if (tall && !phx_in_range(shard->rules, &store->body[slot], &store->body[target], own->view)) continue;
            seen += target != slot && !phx_related_to(shard, related, target);
        }
        if (seen > 0 && !visit(user, query.hits, seen)) return;
    }
    phx_rest_visit_list(shard, slot, visit, user);
}

void phx_rest_visit_list(const phx_shard *shard, uint32_t slot, phx_list_fn visit, void *user)
{
    const phx_relation_set *related = phx_related_of(shard, slot);
    uint32_t targets[PHX_LIST_PIECE_MAX], count = 0, at = 0;
    phx_far_walk walk = phx_far_walk_open(shard, slot);
    while (phx_far_walk_next(&walk, &targets[count]) || phx_related_listed(related, &at, &targets[count])) {
        if (++count < PHX_LIST_PIECE_MAX) continue;
        if (!visit(user, targets, count)) return;
        count = 0;
    }
    if (count > 0 && !visit(user, targets, count)) return;
    const phx_annulus annulus = phx_annulus_of(shard, slot);
    (void)tell_slots(annulus.at, annulus.count, visit, user);
}

void phx_ninegrid_visit_list(const phx_shard *shard, uint32_t slot, phx_list_fn visit, void *user)
{
    const phx_store *store = &shard->store;
    uint32_t targets[PHX_LIST_PIECE_MAX], count = 0;
    phx_rect rect = phx_ninegrid_rect(shard->rules, shard->rules->span, store->body[slot].tx, store->body[slot].ty);
    phx_cell_block_walk walk = phx_ninegrid_walk(&shard->ninegrid, phx_store_instance(store, slot), rect);
    for (const phx_cell_block *cell_block; (cell_block = phx_ninegrid_next(&walk)) != NULL;) {
        for (uint64_t left = phx_cell_block_mask(cell_block, rect); left; left &= left - 1) {
            const phx_tower *tower = &cell_block->tower[__builtin_ctzll(left)];
            for (uint32_t i = tower->first; i < tower->first + tower->count; i++) {
                const phx_cell_entry *entry = &shard->ninegrid.entries[i];
                bool special = entry->flags & PHX_CELL_SPECIAL;
                if (entry->slot == slot || (entry->flags & PHX_CELL_LEFT)) continue; /* its old entry, in a tick */
                if (special && !phx_layers_match(phx_store_attr(store, slot), phx_store_attr(store, entry->slot)))
                    continue;
                targets[count++] = entry->slot;
                if (count < PHX_LIST_PIECE_MAX) continue;
                if (!visit(user, targets, count)) return;
                count = 0;
            }
        }
    }
    if (count > 0) (void)visit(user, targets, count);
}

void phx_shard_list_targets(const phx_shard *shard, uint32_t slot, phx_list_fn visit, void *user)
{
    const phx_list *list = &shard->store.tail[slot].list;
    const uint32_t *entries = phx_list_entries(&shard->lists, list);
    if (list->derived) {
        const bool applied = shard->deferred.depth > 0;
        if (applied) shard->storage->visit_list_before(shard, slot, visit, user);
        else shard->storage->visit_list(shard, slot, visit, user);
        return;
    }
    (void)tell_slots(entries, list->count, visit, user);
}

uint32_t phx_shard_list_count(const phx_shard *shard, uint32_t slot)
{
    const phx_list *list = &shard->store.tail[slot].list;
    if (!list->derived) return list->count;
    uint64_t pairs = 0;
    return shard->storage->list_before(shard, slot, NULL, &pairs);
}

bool phx_shard_stored_list_has(const phx_shard *shard, uint32_t observer, uint32_t target)
{
    const phx_annulus kept = phx_list_kept(shard, observer); /* of a derived list the rule decides about the others */
    return shard->kernels->find_u32(kept.at, kept.count, target) < kept.count;
}

phx_list_answer phx_shard_list_answer(const phx_shard *shard, uint32_t observer, uint32_t target)
{
    const phx_store *store = &shard->store;
    const phx_body *ob = &store->body[observer], *tb = &store->body[target];
    const phx_attr *oa = phx_store_attr(store, observer), *ta = phx_store_attr(store, target);
    if (observer == target || !phx_attr_observes(oa)) return PHX_LIST_LACKS;
    if (!(tb->state & PHX_SLOT_LIVE) || !(tb->state & PHX_SLOT_ROW)) return PHX_LIST_LACKS; /* it left in this tick */
    if (phx_shard_list_decides(shard, observer)) return PHX_LIST_DECIDES;
    const phx_relation_set *related = phx_related_of(shard, observer);
    const bool derived = store->tail[observer].list.derived;
    if (derived && phx_related_lists(related, target)) return PHX_LIST_HAS;
    const phx_relation *relation = phx_related_to(shard, related, target);
    if (relation && !derived) return PHX_LIST_DECIDES;
    if (relation) return relation->listed ? PHX_LIST_HAS : PHX_LIST_LACKS;
    if (phx_rule_sees(shard->rules, ob, oa, tb, ta, NULL, false)) return PHX_LIST_HAS;
    bool in_margin = oa->margin != 0.0f && phx_rule_sees(shard->rules, ob, oa, tb, ta, NULL, true);
    return in_margin ? PHX_LIST_DECIDES : PHX_LIST_LACKS;
}

bool phx_shard_is_in_list(const phx_shard *shard, uint32_t observer, uint32_t target)
{
    const phx_list_answer answer = phx_shard_list_answer(shard, observer, target);
    return answer == PHX_LIST_DECIDES ? phx_shard_stored_list_has(shard, observer, target) : answer == PHX_LIST_HAS;
}

bool phx_shard_list_had(const phx_shard *shard, uint32_t observer, uint32_t target)
{
    if (!shard->store.tail[observer].list.derived) return phx_shard_stored_list_has(shard, observer, target);
    return shard->storage->list_had(shard, observer, target);
}

bool phx_shard_has_deferred(const phx_shard *shard, uint32_t observer)
{
    return shard->store.body[observer].state & PHX_SLOT_PARTIAL;
}
