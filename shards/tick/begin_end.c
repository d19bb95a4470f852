/*
 * Begin and end of a tick; see begin_end.h.
 */
#include "shards/tick/begin_end.h"

#include "shards/exchange/migrate_out.h"
#include "shards/publish/motion_history.h"
#include "shards/query/seen.h"
#include "shards/state/annulus.h"
#include "shards/state/list_limit.h"
#include "shards/state/storage.h"
#include "shards/state/view_reach.h"

/* The list of an own observer, if it may have a block; NULL = it is derived, or of a ghost. */
static phx_list *list_with_block(const phx_shard *shard, uint32_t slot)
{
    phx_list *list = &shard->store.tail[slot].list;
    return shard->store.body[slot].state & PHX_SLOT_OWN && !list->derived ? list : NULL;
}

/* The i-th list with memory of the pool: by slot a stored list, then annuli. NULL = it has none. */
static phx_list *pool_list(const phx_shard *shard, uint32_t i)
{
    return i < shard->store.slots ? list_with_block(shard, i) : &shard->annuli[i - shard->store.slots];
}

/* Lists and annuli move to less memory, if they do with a quarter of their pool. */
static void trim_lists(phx_shard *shard)
{
    const uint32_t end = shard->store.slots + shard->annuli_capacity;
    uint64_t room = 0;
    phx_list_pool next;
    if (!phx_list_pool_asks(&shard->lists)) return;
    for (uint32_t i = 0; i < end; i++) {
        const phx_list *list = pool_list(shard, i);
        room += list ? phx_list_pool_room(list) : 0;
    }
    if (!phx_list_pool_is_spare(&shard->lists, shard->mem, room, &next)) return;
    for (uint32_t i = 0; i < end; i++) {
        phx_list *list = pool_list(shard, i);
        if (list) phx_list_pool_move(&shard->lists, &next, list);
    }
    PHX_ASSERT(next.used == room);
    phx_list_pool_replace(&shard->lists, shard->mem, &next);
}

/*
 * Chooses the longest step of the next tick that is usual, from the steps of this one: by their mean square, as the
 * longest one would be one that is not. A jump costs as much as the wider reach of some 300 entities that move.
 */
static void choose_usual_step(phx_shard *shard)
{
    enum { MOVED_A_JUMP = 512, TIMES_USUAL = 4 };
    const float mean2 = shard->step2_sum / (float)(shard->stepped > 0 ? shard->stepped : 1);
    const float longest = TIMES_USUAL * sqrtf(mean2);
    const uint32_t room = shard->derives_lists && shard->step_pause == 0 ? shard->stepped / MOVED_A_JUMP : 0;
    shard->step_pause -= shard->step_pause > 0;
    shard->jumps_room = 0;
    shard->step_usual = shard->step_limit;
    if (room > 0 && longest > 0.0f && longest < shard->step_limit) {
        int exponent;
        (void)frexpf(longest, &exponent); /* a power of two: workers add up squares in any order */
        shard->jumps_room = room;
        shard->step_usual = fminf(ldexpf(1.0f, exponent), shard->step_limit);
    }
    shard->stepped = 0;
    shard->step2_sum = 0.0f;
}

void phx_shard_begin(phx_shard *shard, uint64_t tick)
{
    PHX_ASSERT(shard->store.dead_count == 0 || shard->zones.put_off);
    PHX_ASSERT(shard->deferred.depth == 0);
    shard->tick = tick;
    shard->dirty_stamp = (uint16_t)(tick % UINT16_MAX + 1);
    for (uint32_t slot = 0; shard->dirty_stamp == 1 && slot < shard->store.slots; slot++)
        shard->store.body[slot].changed = 0;
    trim_lists(shard);
    phx_edges_begin(&shard->zones.edges);
    shard->dirty_count = 0;
    phx_deferred_begin(&shard->deferred);
}

static bool count_list_piece(void *user, const uint32_t *targets, uint32_t count)
{
    (void)targets;
    *(uint32_t *)user += count;
    return true;
}

/* Does the count of a derived list say how far its limit is off? */
static bool count_valid(const phx_shard *shard, uint32_t slot)
{
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    const phx_list *list = &shard->store.tail[slot].list;
    uint32_t targets = 0;
    if (!phx_list_unlimited(attr)) phx_shard_list_targets(shard, slot, count_list_piece, &targets);
    return targets <= phx_limit_targets(attr) && list->count == phx_limit_count(attr, targets);
}

bool phx_shard_lists_valid(const phx_shard *shard)
{
    for (uint32_t slot = 0; slot < shard->store.slots; slot++) {
        const phx_list *list = &shard->store.tail[slot].list;
        bool own = shard->store.body[slot].state & PHX_SLOT_OWN, derived = own && (list->derived);
        if (own && phx_shard_derives(shard, slot) != derived) return false;
        if (derived && list->size_class != PHX_LIST_NONE) return false;
        if (derived && !count_valid(shard, slot)) return false;
        if (!phx_annulus_valid(shard, slot)) return false;
    }
    return true;
}

/* Forgets the relations that ended; an observer without any is none with relations any more. */
static void settle_relations(phx_shard *shard)
{
    for (uint32_t slot; phx_relations_settle(&shard->relations, &slot);)
        if (shard->store.body[slot].state & PHX_SLOT_ROW) shard->storage->follow_list(shard, slot);
}

void phx_shard_end(phx_shard *shard)
{
    PHX_ASSERT(shard->deferred.depth == 0);
    /* an observer that was not ready in this tick begins anew */
    for (uint32_t i = 0; i < shard->silenced_count; i++) {
        uint32_t slot = shard->silenced[i].slot;
        if (slot == PHX_SLOT_NONE || !(shard->store.body[slot].state & PHX_SLOT_OWN)) continue;
        if (phx_store_attr(&shard->store, slot)->ready) continue;
        shard->store.name[slot].fresh = true;
        shard->store.tail[slot].list.owed = false;
    }
    settle_relations(shard);
    shard->storage->end_tick(shard);
    phx_prev_rows_end(&shard->previous, &shard->store, &shard->grid, shard->rules);
    phx_bands_end_tick(shard);
    PHX_VALIDATE(shard->storage->ended_valid(shard));
    if (shard->changed) phx_far_end_tick(&shard->far, &shard->store);
    if (!shard->zones.put_off) phx_store_bury(&shard->store); /* else edges name them */
    phx_outbox_lists_end(&shard->outbox);
    phx_applied_end_tick(&shard->applied, shard->mem);
    if (shard->emigrant_candidates.count > 0) phx_shard_keep_emigrants(shard);
    shard->silenced_count = shard->beginners.count = 0;
    shard->zones.dirty_count = 0;
    shard->zones.missed = false;
    if (shard->changed) phx_grid_end_tick(&shard->grid, !shard->dense_tick);
    const bool indexed = shard->storage->has_deltas && !shard->blind;
    if (shard->changed || shard->all_dirty || !indexed)
        phx_old_heights_follow(&shard->old_heights, shard->rules, &shard->store, indexed,
                               shard->flat ? &shard->heights : NULL);
    PHX_VALIDATE(!shard->changed || phx_grid_in_order(&shard->grid));
    shard->flat_before = shard->flat;
    shard->heights_fit_before = shard->heights_fit;
    shard->dense_tick = phx_shard_expects_dense_tick(shard);
    choose_usual_step(shard);
    shard->step_max = shard->step2_max = 0.0f;
    shard->all_dirty = shard->far_dirty = shard->far_moved = shard->global_moved = shard->changed =
        shard->any_discontinuous = shard->sight_changed = shard->owes_lists = shard->blind = shard->lacks_copies =
            false;
}
