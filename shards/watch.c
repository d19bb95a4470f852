/*
 * Interest lists for readers, kept or implied, and their reverse, found on demand: an
 * observer that has a target in its list by view and margin stands within the shard's
 * greatest radius of it, or the span. Between ticks; nothing is written.
 */
#include "shards/interest.h"

/* An implied list, card by card. */
static void seen_around(const phx_shard *shard, uint32_t slot, bool (*visit)(void *user, uint32_t target), void *user)
{
    const phx_store *store = &shard->store;
    phx_rect rect = phx_nine_rect(shard->rules, shard->rules->span, store->body[slot].tx, store->body[slot].ty);
    phx_crowd_walk walk = phx_nine_walk(&shard->nine, rect);
    for (const phx_crowd *crowd; (crowd = phx_nine_next(&walk)) != NULL;) {
        for (uint64_t left = phx_crowd_mask(crowd, rect); left; left &= left - 1) {
            const phx_tower *tower = &crowd->tower[__builtin_ctzll(left)];
            for (uint32_t i = tower->first; i < tower->first + tower->count; i++) {
                const phx_card *card = &shard->nine.cards[i];
                bool special = card->flags & PHX_CARD_SPECIAL;
                if (card->slot == slot) continue;
                if (special && !phx_eligible(&store->attr[slot], &store->attr[card->slot])) continue;
                if (!visit(user, card->slot)) return;
            }
        }
    }
}

void phx_shard_seen(const phx_shard *shard, uint32_t slot, bool (*visit)(void *user, uint32_t target), void *user)
{
    const phx_list *list = &shard->store.tail[slot].list;
    const uint32_t *entries = phx_list_entries(&shard->lists, list);
    if (list->flags & PHX_LIST_IMPLIED) seen_around(shard, slot, visit, user);
    for (uint32_t i = 0; i < list->count; i++)
        if (!visit(user, entries[i])) return;
}

uint32_t phx_shard_seen_count(const phx_shard *shard, uint32_t slot)
{
    const phx_list *list = &shard->store.tail[slot].list;
    if (!(list->flags & PHX_LIST_IMPLIED)) return list->count;
    return phx_nine_list(&shard->nine, shard->rules, &shard->store, slot, NULL);
}

/* Whether one target is in a list. */
typedef struct wanted {
    uint32_t target;
    bool found;
} wanted;

static bool compare_seen(void *user, uint32_t target)
{
    wanted *at = user;
    at->found = target == at->target;
    return !at->found;
}

bool phx_shard_sees(const phx_shard *shard, uint32_t observer, uint32_t target)
{
    wanted at = {.target = target};
    phx_shard_seen(shard, observer, compare_seen, &at);
    return at.found;
}

static void visit_row(const phx_shard *shard, uint32_t row, uint32_t target,
                      void (*visit)(void *user, uint32_t observer), void *user)
{
    uint32_t observer = shard->grid.rows.slot[row] & PHX_ROW_SLOT;
    if (shard->grid.rows.view[row] != 0.0f && phx_shard_sees(shard, observer, target)) visit(user, observer);
}

static void visit_block(const phx_shard *shard, const phx_block *block, uint32_t target,
                        void (*visit)(void *user, uint32_t observer), void *user)
{
    for (uint32_t row = block->start[0]; row < block->start[PHX_BLOCK_TOWERS]; row++)
        visit_row(shard, row, target, visit, user);
}

/* The same over cards. */
static void visit_towers(const phx_shard *shard, phx_rect rect, uint32_t target,
                         void (*visit)(void *user, uint32_t observer), void *user)
{
    phx_crowd_walk walk = phx_nine_walk(&shard->nine, rect);
    for (const phx_crowd *crowd; (crowd = phx_nine_next(&walk)) != NULL;) {
        for (uint64_t left = phx_crowd_mask(crowd, rect) & crowd->watched; left; left &= left - 1) {
            const phx_tower *tower = &crowd->tower[__builtin_ctzll(left)];
            for (uint32_t i = tower->first; i < tower->first + tower->count; i++) {
                const phx_card *card = &shard->nine.cards[i];
                bool sees = card->watches != PHX_WATCH_NONE && phx_shard_sees(shard, card->slot, target);
                if (sees) visit(user, card->slot);
            }
        }
    }
}

void phx_shard_watchers(const phx_shard *shard, uint32_t slot, bool everywhere,
                        void (*visit)(void *user, uint32_t observer), void *user)
{
    const phx_grid *grid = &shard->grid;
    phx_rect rect = phx_interest_towers(shard->rules, &shard->store.body[slot], shard->radius_max);
    if (phx_shard_nine(shard)) {
        phx_rect all = {0, 0, (uint16_t)(shard->rules->towers[0] - 1), (uint16_t)(shard->rules->towers[1] - 1)};
        visit_towers(shard, everywhere ? all : rect, slot, visit, user);
        return;
    }
    if (everywhere) {
        for (uint32_t row = 0; row < grid->row_count; row++) visit_row(shard, row, slot, visit, user);
        return;
    }
    if (phx_grid_wide(grid, rect)) {
        for (uint32_t b = 0; b < grid->block_count; b++)
            if (phx_block_meets(&grid->blocks[b], rect)) visit_block(shard, &grid->blocks[b], slot, visit, user);
        return;
    }
    for (uint32_t by = rect.y0 >> PHX_BLOCK_BITS; by <= rect.y1 >> PHX_BLOCK_BITS; by++) {
        for (uint32_t bx = rect.x0 >> PHX_BLOCK_BITS; bx <= rect.x1 >> PHX_BLOCK_BITS; bx++) {
            const phx_block *block = phx_grid_block(grid, bx, by);
            if (block) visit_block(shard, block, slot, visit, user);
        }
    }
}
