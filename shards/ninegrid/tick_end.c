/*
 * The nine-grid at the tick's end; see tick_end.h.
 */
#include "shards/ninegrid/tick_end.h"

#include <string.h>

#include "shards/ninegrid/cell_blocks.h"
#include "shards/ninegrid/crossings.h"

/* Recomputes the bits of a tower for observers from its cell entries. */
static void read_observer_kinds(const phx_ninegrid *ninegrid, phx_cell_block *cell_block, uint32_t t)
{
    const phx_cell_entry *entries = ninegrid->entries + cell_block->tower[t].first;
    uint64_t bit = 1ull << t, observed = 0, may_evaluate = 0;
    for (uint32_t i = 0; i < cell_block->tower[t].count; i++) {
        if (entries[i].observer_kind != PHX_OBSERVER_KIND_NONE) observed = bit;
        if (entries[i].observer_kind == PHX_OBSERVER_KIND_EVALUATED) may_evaluate = bit;
    }
    cell_block->observed = (cell_block->observed & ~bit) | observed;
    cell_block->may_evaluate = (cell_block->may_evaluate & ~bit) | may_evaluate;
}

void phx_ninegrid_update_kind(phx_ninegrid *ninegrid, const phx_store *store, uint32_t slot)
{
    const phx_body *body = &store->body[slot];
    phx_cell_block *cell_block = phx_ninegrid_cell_block(ninegrid, phx_store_instance(store, slot),
                                                         body->tx >> PHX_BLOCK_BITS, body->ty >> PHX_BLOCK_BITS);
    const uint32_t t = phx_block_tower(body->tx, body->ty);
    PHX_ASSERT(cell_block);
    phx_cell_entry *entry = ninegrid->entries + cell_block->tower[t].first;
    while (entry->slot != slot || (entry->flags & PHX_CELL_LEFT)) entry++;
    PHX_ASSERT(entry < ninegrid->entries + cell_block->tower[t].first + cell_block->tower[t].count);
    entry->observer_kind = phx_ninegrid_observer_kind(store, slot);
    phx_cell_block_mark_observer(ninegrid, cell_block, t, entry->observer_kind);
}

/* Insertion sort, before there are many. */
static void insertion_sort_entries(const phx_store *store, phx_cell_entry *entries, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        phx_cell_entry entry = entries[i];
        uint32_t j = i;
        for (; j > 0 && phx_cell_name_before(&store->name[entry.slot], &store->name[entries[j - 1].slot]); j--)
            entries[j] = entries[j - 1];
        entries[j] = entry;
    }
}

/* Merges sorted entries that came into sorted entries that stayed, from the last one down. */
static void merge_entered(const phx_ninegrid *ninegrid, const phx_store *store, phx_cell_entry *entries,
                          uint32_t stayed, uint32_t entered)
{
    const phx_cell_entry *from = ninegrid->entered;
    memcpy(ninegrid->entered, entries + stayed, entered * sizeof *entries);
    while (entered > 0 && stayed > 0) {
        const phx_cell_entry *a = &entries[stayed - 1], *b = &from[entered - 1];
        bool last = phx_cell_name_before(&store->name[b->slot], &store->name[a->slot]);
        entries[stayed + entered - 1] = last ? *a : *b;
        if (last) stayed--;
        else entered--;
    }
    memcpy(entries, from, entered * sizeof *entries);
}

static void tidy_tower(phx_ninegrid *ninegrid, const phx_store *store, phx_cell_block *cell_block, uint32_t t)
{
    phx_tower *tower = &cell_block->tower[t];
    phx_cell_entry *entries = ninegrid->entries + tower->first;
    uint32_t stayed = 0, entered = 0;
    for (uint32_t i = 0; i < tower->count; i++) {
        if (entries[i].flags & PHX_CELL_LEFT) continue;
        if (i != stayed + entered) entries[stayed + entered] = entries[i];
        phx_cell_entry *entry = &entries[stayed + entered];
        if (i < tower->old) stayed++;
        else entered++;
        if (entry->move == PHX_NINEGRID_NONE) continue;
        entry->move = PHX_NINEGRID_NONE;
        bool special = entry->flags & PHX_CELL_SPECIAL;
        if (entry->flags & PHX_CELL_CHANGED) special = store->body[entry->slot].state & PHX_SLOT_SPECIAL;
        entry->flags = special ? PHX_CELL_SPECIAL : 0;
    }
    if (stayed + entered > PHX_NINEGRID_UNSORTED_MAX && tower->old <= PHX_NINEGRID_UNSORTED_MAX)
        insertion_sort_entries(store, entries, stayed);
    if (stayed + entered > PHX_NINEGRID_UNSORTED_MAX && entered > 0)
        merge_entered(ninegrid, store, entries, stayed, entered);
    uint32_t departed = tower->count - stayed - entered;
    cell_block->entries -= departed;
    ninegrid->entry_count -= departed;
    tower->count = tower->old = stayed + entered;
    cell_block->untidy &= ~(1ull << t);
    read_observer_kinds(ninegrid, cell_block, t);
    if (tower->count > 0) return;
    cell_block->stood &= ~(1ull << t);
    phx_cell_block_release(ninegrid, cell_block, t);
}

/* Drops a cell block without entries; the last block takes its place. */
static void drop_cell_block(phx_ninegrid *ninegrid, phx_cell_block *cell_block)
{
    const phx_cell_block *last = &ninegrid->cell_blocks[--ninegrid->cell_block_count];
    phx_block_map_put(&ninegrid->map, cell_block->instance, cell_block->bx, cell_block->by, 0);
    if (last == cell_block) return;
    phx_block_map_put(&ninegrid->map, last->instance, last->bx, last->by,
                      (uint32_t)(cell_block - ninegrid->cell_blocks) + 1);
    *cell_block = *last;
}

/* Prefetches the untidy towers of a cell block, or their entries. */
PHX_PREFETCH_INLINE void await_untidy(const phx_ninegrid *ninegrid, const phx_cell_block *cell_block, bool entries)
{
    for (uint64_t left = cell_block->untidy; left; left &= left - 1) {
        const phx_tower *tower = &cell_block->tower[__builtin_ctzll(left)];
        __builtin_prefetch(entries ? (const void *)&ninegrid->entries[tower->first] : (const void *)tower, 1);
    }
}

/*
 * Tidies the blocks from the last one on, as the last takes the place of a dropped one; the next ones are prefetched.
 */
static void tidy_cell_blocks(phx_ninegrid *ninegrid, const phx_store *store)
{
    enum { NEXT = 1, AFTER = 2, LATER = 4 };
    for (uint32_t c = ninegrid->cell_block_count; c-- > 0;) {
        phx_cell_block *cell_block = &ninegrid->cell_blocks[c];
        if (c >= LATER) __builtin_prefetch(&cell_block[-LATER], 1);
        if (c >= AFTER) await_untidy(ninegrid, &cell_block[-AFTER], false);
        if (c >= NEXT) await_untidy(ninegrid, &cell_block[-NEXT], true);
        for (uint64_t left = cell_block->untidy; left; left &= left - 1)
            tidy_tower(ninegrid, store, cell_block, (uint32_t)__builtin_ctzll(left));
        if (cell_block->entries == 0) drop_cell_block(ninegrid, cell_block);
    }
}

void phx_ninegrid_end_tick(phx_ninegrid *ninegrid, const phx_rules *rules, const phx_store *store)
{
    for (uint32_t c = 0; ninegrid->evaluating && c < ninegrid->cell_block_count; c++) {
        phx_cell_block *cell_block = &ninegrid->cell_blocks[c];
        for (uint64_t left = cell_block->evaluate_all; left; left &= left - 1)
            read_observer_kinds(ninegrid, cell_block, (uint32_t)__builtin_ctzll(left));
        ninegrid->marking |= cell_block->may_evaluate != 0;
    }
    if (ninegrid->crossing_count > 0) tidy_cell_blocks(ninegrid, store);
    bool marking = ninegrid->marking;
    ninegrid->marking = false;
    for (uint32_t c = 0; marking && c < ninegrid->cell_block_count; c++) {
        phx_cell_block *cell_block = &ninegrid->cell_blocks[c];
        for (uint64_t left = cell_block->may_evaluate; left; left &= left - 1)
            read_observer_kinds(ninegrid, cell_block, (uint32_t)__builtin_ctzll(left));
        ninegrid->marking |= cell_block->may_evaluate != 0;
    }
    ninegrid->note_count = ninegrid->attr_count = ninegrid->crossing_count = ninegrid->task_count =
        ninegrid->item_count = 0;
    ninegrid->entrant_count = 0;
    ninegrid->evaluating = false;
    ninegrid->span = rules->span;
    ninegrid->stage = PHX_NINEGRID_CROSSINGS;
}
