/*
 * Groups of own rows by their views; see view_groups.h.
 */
#include "shards/interest/view_groups.h"

#include <string.h>

#include "base/simd.h"

/* Groups of own rows that observe: of equal views; others, and renewed ones. */
enum { GROUP_VIEWS = 8, GROUP_OTHERS = GROUP_VIEWS, GROUPS };
enum { GROUP_SETS = 256, GROUP_NONE = UINT8_MAX };

/* Views that have a group. By attribute set, as observers of a crowd have views in no order: a look-up costs no branch.
 */
typedef struct view_groups {
    uint8_t of_set[GROUP_SETS]; /* GROUP_NONE: not known */
    float view[GROUP_VIEWS];
    uint32_t count;
} view_groups;

/* The group of the observers with this attribute set. */
static uint32_t find_view_group(view_groups *groups, const phx_store *store, uint32_t set)
{
    const float view = store->sets.attr[set].view;
    uint32_t g = 0;
    while (g < groups->count && (groups->view[g] < view || groups->view[g] > view)) g++;
    if (g == groups->count && g < GROUP_VIEWS) groups->view[groups->count++] = view;
    if (set < GROUP_SETS) groups->of_set[set] = (uint8_t)g;
    return g;
}

/* Puts places that observe before mere targets, each in order. Returns how many observe. */
static uint32_t part_observers(const phx_shard *shard, const phx_grouped_places *of)
{
    const uint64_t *observes = shard->grid.observer_bits;
    uint32_t *own = of->own, *targets = of->spare[0], n = 0, other = 0;
    for (uint32_t i = 0; i < of->count; i++) { /* no branch: observers are in no order */
        const uint32_t place = own[i], is = phx_row_bit(observes, of->row[place]);
        own[n] = targets[other] = place;
        n += is;
        other += !is;
    }
    memcpy(own + n, targets, other * sizeof *own);
    return n;
}

void phx_view_groups_make(const phx_shard *shard, const phx_grouped_places *of, bool mixed, bool renewed,
                          uint32_t *grouped_end, uint32_t *watching_end)
{
    enum { AHEAD = 8 };
    const phx_grid_rows *rows = &shard->grid.rows;
    const uint32_t count = mixed ? part_observers(shard, of) : of->count, *row = of->row;
    uint32_t *own = of->own, *group = of->spare[0], *to = of->spare[1];
    uint32_t start[GROUPS + 1] = {0};
    view_groups groups = {.count = 0};
    memset(groups.of_set, GROUP_NONE, sizeof groups.of_set);
    for (uint32_t i = 0; i < count; i++) {
        if (i + AHEAD < count) __builtin_prefetch(&shard->store.set[phx_row_slot(rows, row[own[i + AHEAD]])]);
        const uint32_t slot = phx_row_slot(rows, row[own[i]]), set = shard->store.set[slot];
        uint32_t g = set < GROUP_SETS ? groups.of_set[set] : GROUP_NONE;
        if (PHX_UNLIKELY(g == GROUP_NONE)) g = find_view_group(&groups, &shard->store, set);
        if (PHX_UNLIKELY(renewed) && phx_prev_rows_renewed(&shard->previous, row[own[i]])) g = GROUP_OTHERS;
        PHX_ASSERT(phx_row_bit(shard->grid.observer_bits, row[own[i]]));
        group[i] = g;
        start[g + 1]++;
    }
    for (uint32_t g = 0; g < GROUPS; g++) start[g + 1] += start[g];
    *grouped_end = start[GROUP_OTHERS];
    *watching_end = count;
    for (uint32_t i = 0; i < count; i++) to[start[group[i]]++] = own[i];
    memcpy(own, to, count * sizeof *own);
}
