/*
 * The index phase of a shard: the outermost iteration of the tick ends, deferred adds are done, and grid, far targets
 * and lists of immigrants are made ready for the interest phase. Rows are sorted anew only if necessary; otherwise rows
 * of the few entities that entered, left or jumped are edited. A second call, after there was no memory, may count the
 * tick's steps as drift twice, so that the next sort comes sooner.
 */
#include "shards/tick/reindex.h"

#include <string.h>

#include "shards/entity/renames.h"
#include "shards/exchange/list_handover.h"
#include "shards/grid/block_summary.h"
#include "shards/grid/blocks.h"
#include "shards/grid/drift_sort.h"
#include "shards/grid/rebuild.h"
#include "shards/grid/row_edit.h"
#include "shards/publish/deferred_updates.h"
#include "shards/publish/motion_history.h"
#include "shards/state/annulus.h"
#include "shards/state/dirty_marks.h"
#include "shards/state/entity_change.h"
#include "shards/state/list_cut.h"
#include "shards/state/shard.h"
#include "shards/state/storage.h"
#include "shards/tick/blind_tick.h"
#include "shards/tick/flat_ground.h"

/*
 * Does no own observer see the ghost, and does it wake no NPC? Then its row makes no difference. (With bands the tick
 * of its add matters: publish/band_updates.h.)
 */
static bool ghost_unseen(const phx_shard *shard, uint32_t slot)
{
    const phx_body *body = &shard->store.body[slot];
    if (!shard->storage->leaves_out_ghosts || !(body->state & PHX_SLOT_GHOST) || (body->state & PHX_SLOT_FAR))
        return false;
    if (shard->rules->wakes || shard->rules->banded || shard->store.tail[slot].origin.pinned) return false;
    return !phx_box_has(shard->visible_box, body->x, body->y);
}

/* Is a deferred slot due for a row, as an own observer may see it? */
static bool row_due(const phx_shard *shard, uint32_t slot)
{
    const uint32_t state = shard->store.body[slot].state;
    return (state & PHX_SLOT_LIVE) && !(state & PHX_SLOT_ROW) && !ghost_unseen(shard, slot);
}

static uint32_t adds_due(const phx_shard *shard)
{
    uint32_t due = 0;
    for (uint32_t i = 0; i < shard->deferred.count; i++) due += row_due(shard, shard->deferred.slots[i]);
    return due;
}

/* The drift of rows with this tick's steps. */
static float drift_now(const phx_shard *shard)
{
    const float drift = shard->grid.drift_bound;
    return shard->step_max > 0.0f ? nextafterf(drift + shard->step_max, INFINITY) : drift;
}

/* Have rows to be sorted anew? Else the rows to insert or edit are few. */
static bool rebuild_due(const phx_shard *shard)
{
    const phx_grid *grid = &shard->grid;
    return grid->needs_rebuild || grid->sorting || drift_now(shard) > shard->drift_limit ||
           phx_grid_sort_due(grid, adds_due(shard));
}

/* Ends all ghosts that are gone. */
static void kill_gone(phx_shard *shard)
{
    const phx_store *store = &shard->store;
    for (uint32_t slot = 0; slot < store->slots; slot++)
        if ((store->body[slot].state & PHX_SLOT_GHOST) && store->tail[slot].origin.gone) phx_shard_kill(shard, slot);
}

/*
 * Finds ghosts that their refresh did not repeat, and emigrants that were not sent back: they are gone. Rows that no
 * own observer sees are no reason for a sort of all rows. After previous rows were collected, in a second call, no row
 * is removed.
 */
static void sweep_ghosts(phx_shard *shard)
{
    enum { MANY_PART = 16 }; /* of rows: so many gone ghosts cost as much as the sort */
    phx_store *store = &shard->store;
    uint32_t left = 0;
    if (!shard->refreshed_any && !shard->changed) return; /* an emigrant is a change */
    shard->refreshed_any = false;
    for (uint32_t slot = 0; store->ghost_count > 0 && slot < store->slots; slot++) {
        phx_body *body = &store->body[slot];
        if (!(body->state & PHX_SLOT_GHOST)) continue;
        phx_ghost_source *origin = &store->tail[slot].origin;
        bool refreshed = shard->refreshed && shard->refreshed[origin->source];
        origin->gone |= (refreshed || origin->emigrated) && !origin->repeated;
        origin->repeated = false;
        if (!origin->gone) continue;
        if ((body->state & PHX_SLOT_ROW) && ghost_unseen(shard, slot)) left++;
        else phx_shard_kill(shard, slot);
    }
    if (shard->refreshed) memset(shard->refreshed, 0, shard->outbox.shard_count * sizeof *shard->refreshed);
    if (left == 0 || shard->previous.collected) return;
    if (left > shard->grid.row_count / MANY_PART || rebuild_due(shard)) kill_gone(shard);
}

/* Renames a slot; a live one's attributes follow. There is room. */
static void rename_slot(phx_store *store, uint32_t slot, const phx_rename *now)
{
    phx_attr attr = *phx_store_attr(store, slot);
    attr.kind = now->kind;
    phx_store_dress(store, slot, &attr);
    phx_store_set_user_data(store, slot, now->user_data);
    phx_store_rename(store, slot);
}

/* Has a live slot this name already, from its copy, or from a first call that had no memory? */
static bool named_so(const phx_store *store, uint32_t slot, const phx_rename *now)
{
    return store->name[slot].kind == now->kind && phx_store_user_data(store, slot) == now->user_data;
}

/*
 * Gives new names to ghosts that may not have been repeated, and to dead ghosts. false = no memory: call again. A
 * second call leaves out slots that have their name. By then a slot may have a cell entry of this tick, for which there
 * is no room for a note, and nothing to note.
 */
static bool update_names(phx_shard *shard, const phx_renames *renames)
{
    phx_store *store = &shard->store;
    for (uint32_t i = 0; i < renames->count; i++) {
        uint32_t slot = phx_store_ghost(store, renames->items[i].id);
        if (slot == PHX_SLOT_NONE || store->name[slot].incarnation != renames->items[i].incarnation) continue;
        if (named_so(store, slot, &renames->items[i])) continue;
        if (!phx_store_reserve(store, shard->mem, 0) ||
            !phx_store_reserve_user_data(store, shard->mem, renames->items[i].user_data))
            return false;
        shard->storage->note_name(shard, slot);
        rename_slot(store, slot, &renames->items[i]);
    }
    uint32_t dead = renames->count > 0 ? store->dead_first : PHX_SLOT_NONE;
    for (; dead != PHX_SLOT_NONE; dead = store->tail[dead].dead_next) {
        const phx_rename *now = phx_renames_of(renames, store->name[dead].incarnation);
        if (!now) continue;
        if (!phx_store_reserve_user_data(store, shard->mem, now->user_data)) return false;
        phx_store_set_user_data(store, dead, now->user_data);
        phx_store_name_kind(store, dead, now->kind);
    }
    return true;
}

/* Bounds along an axis inside of which every position is in a tower, with slack for float32. */
static void inner_bounds(const phx_rules *rules, int axis, float *low, float *high)
{
    float extent = rules->tower_size * (float)rules->towers[axis];
    float slack = (fabsf(rules->origin[axis]) + extent) * 2e-6f;
    *low = rules->origin[axis] + slack;
    *high = rules->origin[axis] + extent - slack;
}

/*
 * Is an entity outside of all towers, by columns of positions? Such entities are in blocks at the world's edge; most
 * blocks are far from it.
 */
static bool any_outside(const phx_shard *shard, const float *x, const float *y)
{
    const phx_grid *grid = &shard->grid;
    const phx_rules *rules = shard->rules;
    float low_x, low_y, high_x, high_y;
    inner_bounds(rules, 0, &low_x, &high_x);
    inner_bounds(rules, 1, &low_y, &high_y);
    for (uint32_t b = 0; b < grid->block_count; b++) {
        const phx_block *block = &grid->blocks[b];
        const uint32_t first = block->start[0], end = block->start[PHX_BLOCK_TOWERS];
        uint32_t inside = 1;
        if (!phx_block_at_edge(block, rules->towers)) continue;
        for (uint32_t row = first; row < end; row++)
            inside &= (x[row] >= low_x) & (x[row] <= high_x) & (y[row] >= low_y) & (y[row] <= high_y);
        for (uint32_t row = first; !inside && row < end; row++)
            if (phx_outside_towers(rules, x[row], y[row])) return true;
    }
    return false;
}

/* Sorts rows anew. false = no memory. */
static bool rebuild_rows(phx_shard *shard)
{
    phx_grid *grid = &shard->grid;
    const phx_deferred *deferred = &shard->deferred;
    for (uint32_t i = 0; i < deferred->count; i++) { /* for other shards they enter now, however long they waited */
        phx_body *body = &shard->store.body[deferred->slots[i]];
        if ((body->state & PHX_SLOT_LIVE) && !(body->state & PHX_SLOT_ROW)) phx_shard_mark_discontinuous(shard, body);
    }
    if (!phx_grid_rebuild(grid, shard->mem, &shard->store, deferred->slots, deferred->count, shard->tick,
                          shard->dirty_stamp))
        return false;
    grid->outside = any_outside(shard, grid->rows.x, grid->rows.y);
    return true;
}

/* Edits the rows of the few entities that entered, left or jumped. */
static phx_rows_edited edit_rows(phx_shard *shard)
{
    phx_grid *grid = &shard->grid;
    uint32_t work = phx_rows_edit_limit(grid), put = grid->misplaced_count;
    bool outside = false;
    for (uint32_t i = 0; i < grid->misplaced_count; i++) {
        const phx_body *body = &shard->store.body[grid->misplaced[i]];
        outside |= (body->state & PHX_SLOT_LIVE) && phx_outside_towers(shard->rules, body->x, body->y);
    }
    phx_rows_edited done = phx_rows_edit(grid, shard->mem, &shard->store, shard->tick, &work);
    for (uint32_t i = 0; done == PHX_EDIT_DONE && i < shard->deferred.count; i++) {
        const uint32_t slot = shard->deferred.slots[i];
        phx_body *body = &shard->store.body[slot];
        if (!row_due(shard, slot)) continue;
        phx_shard_mark_discontinuous(shard, body); /* for observers they enter now, however long they waited */
        outside |= phx_outside_towers(shard->rules, body->x, body->y);
        done = phx_grid_put(grid, shard->mem, &shard->store, slot, shard->tick, &work);
        put++;
    }
    if (grid->outside && put > 0) /* the entity that was outside may be gone */
        grid->outside = any_outside(shard, grid->rows.x, grid->rows.y);
    grid->outside |= outside;
    if (put > 0 && done == PHX_EDIT_DONE) grid->pause_next /= 2;
    return done;
}

bool phx_shard_outside_valid(const phx_shard *shard)
{
    phx_box inner;
    inner_bounds(shard->rules, 0, &inner.x0, &inner.x1);
    inner_bounds(shard->rules, 1, &inner.y0, &inner.y1);
    const float slack = (fabsf(inner.x0) + fabsf(inner.y0) + fabsf(inner.x1) + fabsf(inner.y1)) * 1e-5f;
    const phx_box widened =
        phx_box_wider(inner, shard->grid.drift_bound + slack); /* by more than the inner bounds have */
    for (uint32_t slot = 0; !shard->grid.outside && slot < shard->store.slots; slot++) {
        const phx_body *body = &shard->store.body[slot];
        if ((body->state & PHX_SLOT_ROW) && !phx_box_has(widened, body->x, body->y)) return false;
    }
    return true;
}

/* Is there a deferred ghost that no own observer sees? It waits for a sort from bodies. */
static bool any_unseen_waits(const phx_shard *shard)
{
    for (uint32_t i = 0; i < shard->deferred.count; i++) {
        const uint32_t slot = shard->deferred.slots[i], state = shard->store.body[slot].state;
        if ((state & PHX_SLOT_LIVE) && !(state & PHX_SLOT_ROW) && ghost_unseen(shard, slot)) return true;
    }
    return false;
}

/*
 * Is a sort due only as rows drifted, of so many ticks' steps that one more makes little difference? Then rows are
 * sorted by old positions, and those of the few entities that entered, left or jumped are edited.
 */
static bool drift_alone(const phx_shard *shard)
{
    enum { TICKS_AT_LEAST = 3 };
    const phx_grid *grid = &shard->grid;
    return grid->positions_stale && !grid->needs_rebuild && !grid->sorting &&
           shard->step_max * TICKS_AT_LEAST <= shard->drift_limit && !phx_grid_sort_due(grid, adds_due(shard)) &&
           phx_grid_blocks_tidy(grid, shard->tick) && !any_unseen_waits(shard);
}

/* Sorts rows by old positions. */
static void sort_drifted_rows(phx_shard *shard)
{
    phx_grid_sort_drifted(&shard->grid, shard->rules, &shard->store);
    shard->grid.outside = any_outside(shard, shard->grid.rows.ox, shard->grid.rows.oy);
}

bool phx_rows_update(phx_shard *shard)
{
    phx_grid *grid = &shard->grid;
    if (rebuild_due(shard)) {
        if (!drift_alone(shard)) return rebuild_rows(shard);
        sort_drifted_rows(shard);
    }
    grid->drift_bound = drift_now(shard);
    const phx_rows_edited done = edit_rows(shard);
    return done == PHX_EDIT_SORT ? rebuild_rows(shard) : done == PHX_EDIT_DONE;
}

/* Ends the deferred adds. A ghost in no own view waits on until rows are sorted anew. */
static void end_adds(phx_shard *shard)
{
    phx_deferred *deferred = &shard->deferred;
    uint32_t waiting = 0, count = deferred->count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t state = shard->store.body[deferred->slots[i]].state;
        bool waits = (state & PHX_SLOT_LIVE) && !(state & PHX_SLOT_ROW);
        PHX_ASSERT(!waits || shard->storage->leaves_out_ghosts);
        deferred->slots[waiting] = deferred->slots[i];
        waiting += waits;
    }
    shard->counts.deferred_adds += count - waiting;
    if (count - waiting > shard->counts.deferred_max) shard->counts.deferred_max = count - waiting;
    phx_deferred_done(deferred, shard->mem, waiting);
}

/* Is it an observer whose list is derived from now on, but still stored? */
static bool keeps_list(const phx_shard *shard, uint32_t slot)
{
    return phx_grid_view(&shard->store, slot) > 0.0f && !phx_list_holds_no_memory(&shard->store.tail[slot].list);
}

/* Is a discontinuous or new entity such an observer? Answered here, as lists change in the interest phase. */
static bool any_stored_list(const phx_shard *shard)
{
    const phx_prev_rows *previous = &shard->previous;
    for (uint32_t i = 0; i < previous->row_count; i++)
        if (keeps_list(shard, previous->rows[i].slot)) return true;
    for (uint32_t i = 0; i < shard->deferred.count; i++)
        if (keeps_list(shard, shard->deferred.slots[i])) return true;
    return false;
}

/* Renews an observer with held targets: it is evaluated, or done by interest/delta_held.h. false = no memory. */
static bool add_deferred_slot(phx_shard *shard, uint32_t slot)
{
    phx_body *body = &shard->store.body[slot];
    if (!(body->state & PHX_SLOT_OWN) || !(body->state & PHX_SLOT_PARTIAL)) return true;
    if (shard->derives_lists && !phx_prev_rows_reserve(&shard->previous, shard->mem)) return false;
    phx_shard_mark_renewed(shard, body);
    phx_shard_partial(shard, slot, false);
    return true;
}

/* Marks all of them. false = no memory: call again. */
static bool add_deferred_slots(phx_shard *shard)
{
    phx_slot_array *waiting = &shard->partial_observers;
    for (; waiting->count > 0; waiting->count--)
        if (!add_deferred_slot(shard, waiting->at[waiting->count - 1])) return false;
    for (uint32_t slot = 0; shard->partial_not_listed && slot < shard->store.slots; slot++)
        if (!add_deferred_slot(shard, slot)) return false;
    shard->partial_not_listed = false;
    return true;
}

static bool slot_bounded(const phx_shard *shard, uint32_t slot)
{
    const uint32_t state = shard->store.body[slot].state;
    return (state & PHX_SLOT_LIVE) && (state & PHX_SLOT_BOUNDED);
}

/* Finds out whether the shard has bounded targets still. One that had a bound in the last tick has a previous row. */
static void follow_bounded(phx_shard *shard)
{
    if (!shard->bounded || shard->previous.row_count > 0) return;
    if (shard->bounded_slot < shard->store.slots && slot_bounded(shard, shard->bounded_slot)) return;
    for (uint32_t slot = 0; slot < shard->store.slots; slot++) {
        if (!slot_bounded(shard, slot)) continue;
        shard->bounded_slot = slot;
        return;
    }
    shard->bounded = false;
}

/* Finds far targets anew, and how they changed; too many changes, and every observer is evaluated. false = no memory.
 */
static bool rebuild_far_targets(phx_shard *shard)
{
    if (!phx_far_rebuild(&shard->far, shard->mem, shard->rules, &shard->store)) return false;
    if (!phx_far_note_changes(&shard->far, &shard->store, shard->dirty_stamp)) shard->far_dirty = true;
    shard->far_moved |= shard->far.change_count > 0;
    return true;
}

bool phx_shard_index(phx_shard *shard, const phx_directory *directory, const phx_renames *renames)
{
    PHX_ASSERT(shard->deferred.depth == 1);
    sweep_ghosts(shard);
    if (shard->storage != shard->rules_storage && !phx_shard_restore_index(shard)) return false;
    if (!add_deferred_slots(shard)) return false;
    if (!update_names(shard, renames)) return false;
    if (!phx_immigrant_lists_resolve(shard, directory, renames)) return false;
    if (!phx_bands_ready(shard) || !phx_bands_resolve(shard, directory)) return false;
    phx_prev_rows *previous = &shard->previous;
    if (shard->derives_lists && !phx_prev_rows_collect(previous, shard->mem, shard->rules, &shard->grid, &shard->store))
        return false;
    if (!shard->storage->update(shard)) return false;
    phx_prev_rows_blank(previous, &shard->store, &shard->grid);
    if (!phx_prev_rows_find_renewed(previous, shard->mem, &shard->store, &shard->grid)) return false;
    previous->kept |= any_stored_list(shard); /* a second call does not find added slots any more */
    PHX_VALIDATE(shard->storage->updated_valid(shard));
    end_adds(shard);
    if (shard->far.stale && !rebuild_far_targets(shard)) return false;
    if (shard->far.moved) phx_far_follow(&shard->far, shard->rules, &shard->store);
    PHX_VALIDATE(phx_shard_heights_valid(shard));
    if (shard->changed || shard->all_dirty) { /* else no observer is visited, and lists stay as they are */
        shard->flat = phx_shard_ground_flat(shard);
        shard->heights_fit = phx_shape_is_tall(shard->rules->shape) && shard->old_heights.known;
    }
    shard->uneven = phx_shape_is_tall(shard->rules->shape) && !(shard->flat && shard->flat_before);
    const bool derives = shard->flat || shard->heights_fit, derived = shard->flat_before || shard->heights_fit_before;
    if (derives != derived) shard->far_dirty = true; /* lists follow another rule than before */
    bool radii = shard->storage->has_deltas && derives;
    if (shard->changed) phx_block_summary_update(&shard->grid);
    follow_bounded(shard);
    if (shard->storage->has_deltas &&
        !phx_old_heights_reserve(&shard->old_heights, shard->mem, shard->rules, shard->store.slots))
        return false;
    if (radii && !(phx_prev_rows_room(previous, shard->mem, shard->store.slots) && phx_annuli_reserve(shard)))
        return false;
    phx_list_cuts_room(shard);
    phx_deferred_end(&shard->deferred);
    shard->delta_allowed = radii && !shard->all_dirty && !shard->far_dirty;
    shard->derives_lists = radii;
    return true;
}
