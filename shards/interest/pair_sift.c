/*
 * Leaves out pairs with hidden targets; see pair_sift.h. Interest phase, any worker.
 */
#include "shards/interest/pair_sift.h"

#include "shards/query/far_list.h"
#include "shards/simd/flagged_pairs.h"

bool phx_sift_allowed(const phx_scratch *scratch, const phx_shard *shard)
{
    return (shard->store.traits & PHX_TRAIT_HIDES) && shard->store.sets.numbers <= PHX_SIFT_SETS_MAX &&
           scratch->tile.previous_count == 0;
}

/* The sets of targets that an observer of this set may see near it. */
static uint64_t find_admitted(const phx_attr_sets *sets, uint32_t observer)
{
    uint64_t admitted = 0;
    for (uint32_t set = 0; set < sets->numbers; set++)
        admitted |= (uint64_t)phx_near_admits(&sets->attr[observer], &sets->attr[set]) << set;
    return admitted;
}

/* The same, found once a tick. */
static inline uint64_t admitted_by(phx_sift_table *table, uint32_t observer)
{
    if (PHX_UNLIKELY(!(table->known >> observer & 1))) {
        table->admitted[observer] = find_admitted(&table->store->sets, observer);
        table->known |= UINT64_C(1) << observer;
    }
    return table->admitted[observer];
}

void phx_sift_pairs(phx_scratch *scratch, const phx_shard *shard)
{
    const phx_pairs *pairs = &scratch->pairs;
    const phx_grid_rows *rows = &shard->grid.rows;
    const uint32_t *set = shard->store.set, *row = scratch->tile.row;
    phx_sift_table *table = &scratch->sift;
    if (table->store != &shard->store) *table = (phx_sift_table){.store = &shard->store};
    const uint32_t count = phx_collect_special(shard->kernels, pairs, scratch->flagged);
    for (uint32_t i = 0; i < count; i++) { /* no branch: reads of many pairs overlap */
        const uint32_t pair = scratch->flagged[i];
        const phx_pair_word word = phx_pair_word_at(pairs->observer, pair);
        const uint32_t own = row[phx_pair_word_place(word)];
        const uint32_t target = phx_target_word_slot(phx_target_word_at(pairs->target, pair));
        const uint64_t admitted = admitted_by(table, set[phx_row_slot(rows, own)]);
        const uint32_t hidden = (uint32_t)(~admitted >> set[target] & 1) & (uint32_t)(rows->view[own] > 0.0f);
        pairs->observer[pair] = phx_pair_word_with(word, hidden).bits;
    }
}
