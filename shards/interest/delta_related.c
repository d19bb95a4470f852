/*
 * Relations in a delta; see delta_related.h.
 */
#include "shards/interest/delta_related.h"

bool phx_related_find(phx_scratch *scratch, const phx_shard *shard, const phx_relation_set *related, uint32_t words)
{
    if (!phx_scratch_room(scratch, (size_t)words + related->count) ||
        !phx_grow(scratch->mem, (void **)&scratch->related, &scratch->related_capacity, 0,
                  (size_t)related->count + PHX_KERNEL_PAD, sizeof(uint32_t)))
        return false;
    for (uint32_t i = 0; i < related->count; i++) {
        phx_relation *relation = &related->items[i];
        /* the target of an ended one may be gone: its slot is as it was */
        scratch->related[i] =
            relation->bits == 0 ? relation->slot : phx_related_slot(shard, scratch->directory, relation);
    }
    return true;
}

/* May the observer see a revealed target by its view? Layers decide; a far target's events come from evaluation. */
static bool reveal_counts(const phx_attr *observer, const phx_attr *target)
{
    return (observer->sees & target->layers) && !target->global && !(target->reach > observer->view);
}

bool phx_related_decides(const phx_shard *shard, const phx_relation_set *related, const phx_relation *relation)
{
    return (relation->bits & PHX_RELATION_FAR) || phx_related_changed(shard, related);
}

/* The relation to a target, or NULL. */
static const phx_relation *found_relation(const phx_scratch *scratch, const phx_shard *shard,
                                          const phx_relation_set *related, uint32_t target)
{
    const uint32_t at = shard->kernels->find_u32(scratch->related, related->count, target);
    return at < related->count ? &related->items[at] : NULL;
}

void phx_related_sift(const phx_scratch *scratch, const phx_shard *shard, uint32_t slot,
                      const phx_relation_set *related, phx_delta_hits *hits)
{
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    uint32_t enters = 0, leaves = 0;
    for (uint32_t i = 0; i < hits->enter_count; i++) {
        const phx_target_word word = phx_target_word_at(hits->enter, i);
        const uint32_t target = phx_target_word_slot(word);
        const phx_relation *relation = found_relation(scratch, shard, related, target);
        const uint32_t bits = relation ? relation->bits : 0;
        if (relation && ((bits & PHX_RELATION_HIDE) || phx_related_decides(shard, related, relation))) continue;
        const bool revealed = bits & PHX_RELATION_REVEAL;
        if (revealed && !reveal_counts(attr, phx_store_attr(&shard->store, target))) continue;
        hits->enter[enters++] = revealed ? target : word.bits;
    }
    for (uint32_t i = 0; i < hits->leave_count; i++) {
        const phx_target_word word = phx_target_word_at(hits->leave, i);
        const phx_relation *relation = found_relation(scratch, shard, related, phx_target_word_slot(word));
        if (!relation || !phx_related_decides(shard, related, relation)) hits->leave[leaves++] = word.bits;
    }
    hits->enter_count = enters;
    hits->leave_count = leaves;
}

void phx_related_decide(const phx_scratch *scratch, const phx_shard *shard, uint32_t slot,
                        const phx_relation_set *related, phx_delta_hits *hits)
{
    const phx_store *store = &shard->store;
    const phx_list *list = &store->tail[slot].list;
    const uint32_t *entries = phx_list_entries(&shard->lists, list);
    const phx_attr *attr = phx_store_attr(store, slot);
    for (uint32_t i = 0; i < related->count; i++) {
        const uint32_t target = scratch->related[i];
        if (!phx_related_decides(shard, related, &related->items[i])) continue;
        PHX_ASSERT(target != PHX_SLOT_NONE); /* pairs and links pin it; else there is one shard, where all are */
        const bool listed = shard->kernels->find_u32(entries, list->count, target) < list->count;
        const bool sees = (store->body[target].state & PHX_SLOT_LIVE) &&
                          phx_rule_sees(shard->rules, &store->body[slot], attr, &store->body[target],
                                        phx_store_attr(store, target), &related->items[i], listed);
        if (sees && !listed) hits->enter[hits->enter_count++] = target;
        if (listed && !sees) hits->leave[hits->leave_count++] = target;
    }
}

/* Is the target in the list from now on? */
static bool relation_lists(const phx_shard *shard, uint32_t slot, const phx_relation *relation, uint32_t target)
{
    const phx_store *store = &shard->store;
    return target != PHX_SLOT_NONE && (store->body[target].state & PHX_SLOT_LIVE) &&
           phx_rule_sees(shard->rules, &store->body[slot], phx_store_attr(store, slot), &store->body[target],
                         phx_store_attr(store, target), relation, relation->listed);
}

bool phx_related_changes(const phx_scratch *scratch, const phx_shard *shard, uint32_t slot,
                         const phx_relation_set *related)
{
    for (uint32_t i = 0; i < related->count; i++) {
        phx_relation *relation = &related->items[i];
        const uint32_t target =
            phx_related_slots_noted(shard) ? relation->slot : phx_related_slot(shard, scratch->directory, relation);
        if (relation_lists(shard, slot, relation, target) != relation->listed) return true;
    }
    return false;
}

void phx_related_derive(const phx_scratch *scratch, const phx_shard *shard, uint32_t slot, phx_relation_set *related,
                        phx_delta_hits *hits)
{
    for (uint32_t i = 0; i < related->count; i++) {
        const uint32_t target = scratch->related[i];
        phx_relation *relation = &related->items[i];
        relation->lists = relation_lists(shard, slot, relation, target);
        if (relation->lists && !relation->listed) hits->enter[hits->enter_count++] = target;
        if (relation->listed && !relation->lists) hits->leave[hits->leave_count++] = relation->slot;
    }
}

void phx_related_follow(phx_relation_set *related)
{
    for (uint32_t i = 0; i < related->count; i++) related->items[i].listed = related->items[i].lists;
    phx_relations_note_slots(related);
}
