/*
 * Keys by which the targets of a change are ordered: shared by change_record.c and event_naming.c. From the interest
 * phase to the end of the tick, any worker; pure.
 */
#ifndef PHX_SHARDS_INTEREST_EVENT_KEYS_H
#define PHX_SHARDS_INTEREST_EVENT_KEYS_H

#include "shards/entity/entity_store.h"
#include "shards/entity/event_order.h"
#include "shards/entity/tagged_word.h"

/* The name of a change's target. */
static inline const phx_name *phx_target_name(const phx_store *store, phx_target_word target)
{
    return &store->name[phx_target_word_slot(target)];
}

/*
 * Bits in which the ids of these targets may differ: a subset of the bits in which all ids of the store differ. *kinds:
 * the ones of their kinds.
 */
static inline uint32_t phx_target_bits(const phx_store *store, const uint32_t *targets, uint32_t count, uint32_t *kinds)
{
    const phx_name *first = phx_target_name(store, phx_target_word_at(targets, 0));
    uint64_t ids = 0;
    *kinds = 0;
    for (uint32_t i = 1; i < count; i++) {
        const phx_name *name = phx_target_name(store, phx_target_word_at(targets, i));
        ids |= name->id ^ first->id;
        *kinds |= (uint32_t)(name->kind ^ first->kind);
    }
    return phx_order_bits(ids, *kinds);
}

/* Checks that keys are made of bits that cover all names of the store. */
static inline void phx_validate_key_bits(const phx_store *store, const uint32_t *targets, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        PHX_VALIDATE(phx_store_key_bits_valid(store, phx_target_word_slot(phx_target_word_at(targets, i))));
}

#endif
