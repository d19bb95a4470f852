/*
 * Verdicts of pair_sift.h: bits, by the attribute sets of observer and target, so the attributes of a pair are not
 * read. Interest phase; each worker has a table of its own, for the tick at hand.
 */
#ifndef PHX_SHARDS_INTEREST_SIFT_TABLE_H
#define PHX_SHARDS_INTEREST_SIFT_TABLE_H

#include "shards/entity/entity_store.h"

enum { PHX_SIFT_SETS_MAX = 64 }; /* of a store; with more, special words are looked at one by one */

/* Which targets near an observer may it see? */
typedef struct phx_sift_table {
    const phx_store *store;               /* NULL = empty */
    uint64_t known;                       /* by set of an observer: a bit if `admitted` is there */
    uint64_t admitted[PHX_SIFT_SETS_MAX]; /* by set of an observer: a bit for each set of targets */
} phx_sift_table;

/* Voids the table, as attributes may change now. */
static inline void phx_sift_reset(phx_sift_table *table)
{
    table->store = NULL;
}

#endif
