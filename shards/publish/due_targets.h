/*
 * Finds the due targets of one observer among samples, and among the rows in its view. Called by due_list.c, the key of
 * a target by band_updates.c.
 *
 * Publish phase, by any worker.
 */
#ifndef PHX_SHARDS_PUBLISH_DUE_TARGETS_H
#define PHX_SHARDS_PUBLISH_DUE_TARGETS_H

#include "shards/entity/relations.h"
#include "shards/publish/update_scratch.h"
#include "shards/state/shard.h"

/* The observer whose updates are emitted. */
typedef struct phx_update_emission {
    phx_update_scratch *scratch;
    const phx_shard *shard;
    uint32_t slot, item;
    const phx_motion_sample *own;
    const ph_class *class;
    const phx_attr *attr;
    const phx_relation_set *related; /* of an observer with a derived list, or NULL: rows do not tell their targets */
    phx_due_query query;
    bool is_new;            /* it was not here at the last tick's end */
    bool ranks;             /* due targets are candidates first: there is a budget, or updates waited for one */
    bool waited;            /* only targets with deferred updates are looked for */
    bool rows_apart;        /* rows of targets of the relations are left out */
    bool failed;            /* no memory */
    bool special;           /* with query.enters: a target was found of which positions do not decide */
    uint32_t found_entered; /* with query.enters: of the targets that were found */
    uint32_t entered_count;
    uint32_t candidate_count;
} phx_update_emission;

/* The slot of an item (phx_motion_sample). */
static inline uint32_t phx_due_slot(const phx_shard *shard, uint32_t item)
{
    return shard->derives_lists ? phx_row_slot(&shard->grid.rows, item) : item;
}

/* The slot of a due key's target. */
static inline uint32_t phx_due_target(const phx_shard *shard, const phx_update_scratch *scratch, uint32_t key)
{
    return phx_due_slot(shard, phx_due_key_item(scratch, key));
}

/* The due key of a target. */
uint32_t phx_due_key_of(const phx_update_emission *at, uint32_t slot);

/* The tick in which its update became due: this one, or an earlier one if it was deferred. */
uint32_t phx_due_since(const phx_update_emission *at, uint32_t target);

/* Adds due targets of the observer's list that are among these samples, so many of them. false = no memory, noted. */
bool phx_due_targets_add(phx_update_emission *at, const phx_motion_columns *columns, const phx_span *spans,
                         uint32_t span_count, uint32_t length);

/* Adds the ones among the rows in view of an observer with a derived list, without the list. at->failed = no memory. */
void phx_due_targets_add_rows(phx_update_emission *at);

#endif
