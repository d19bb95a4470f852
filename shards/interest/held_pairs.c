/*
 * The pairs of an observer with held targets; see held_pairs.h.
 */
#include "shards/interest/held_pairs.h"

#include "base/simd.h"

void phx_held_pairs_count(phx_held_list *of, phx_span words)
{
    const phx_cut_list *at = &of->at;
    const phx_scratch *scratch = at->scratch;
    const phx_store *store = &at->shard->store;
    const uint16_t plain = phx_cut_rank_of_plain(at);
    for (uint32_t i = words.first; i < words.end; i++) {
        const phx_target_word word = phx_target_word_at(scratch->targets, i);
        const uint32_t slot = phx_target_word_slot(word), leaves = phx_target_word_leaves(word);
        uint16_t rank = plain;
        if (PHX_UNLIKELY(phx_target_word_special(word))) {
            rank = phx_cut_seen_beyond(at, slot) ? 0 : at->ranks->rank[store->set[slot]];
            scratch->enter[of->bounded] = slot;
            of->bounded += rank == at->cut.rank && !leaves && (store->body[slot].state & PHX_SLOT_BOUNDED);
        }
        const uint32_t seen = rank > 0 && rank <= PHX_RANK_ALWAYS; /* a global one does not come and go */
        scratch->leave[of->left] = slot;
        of->left += seen & leaves;
        of->came += seen & (leaves ^ 1);
    }
}

bool phx_held_pairs_count_far(phx_held_list *of)
{
    const phx_cut_list *at = &of->at;
    const phx_store *store = &at->shard->store;
    phx_far_items *far = &at->scratch->tile.far;
    if (at->place == PHX_SLOT_NONE) return true;
    const uint32_t due = phx_far_items_find_due(far, at->shard, at->row, at->attr->view, 0.0f);
    for (uint32_t i = 0; i < due; i++) {
        const phx_far_item *item = &far->items[far->due[i]];
        const phx_attr *target = phx_store_attr(store, item->slot);
        if (item->changed) return false;
        if (!phx_layers_match(at->attr, target)) continue;
        const bool sees = phx_rule_sees(at->shard->rules, &store->body[at->slot], at->attr, &store->body[item->slot],
                                        target, NULL, false);
        at->scratch->leave[of->left] = item->slot;
        of->left += !sees;
        of->came += sees;
    }
    return true;
}

/* The square of a target's distance, as heights count. */
static float square_to_target(const phx_cut_list *at, uint32_t slot)
{
    const phx_shard *shard = at->shard;
    const phx_body *body = &shard->store.body[slot], *own = &shard->store.body[at->slot];
    const float dx = body->x - own->x, dy = body->y - own->y, square = dx * dx + dy * dy;
    return shard->uneven ? phx_measure_level(shard->rules, square, body->z - at->z) : square;
}

void phx_held_pairs_add_bounded(phx_held_list *of, float within)
{
    phx_cut_list *at = &of->at;
    const phx_scratch *scratch = at->scratch;
    for (uint32_t i = 0; i < of->bounded; i++) {
        const uint32_t slot = scratch->enter[i];
        const float square = square_to_target(at, slot);
        if (square > within || at->shard->kernels->find_u32(scratch->hits, at->count, slot) < at->count) continue;
        scratch->hits[at->count] = slot;
        scratch->squares[at->count++] = square;
    }
}
