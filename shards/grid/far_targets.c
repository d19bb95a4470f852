/*
 * Levels of far targets; see far_targets.h.
 */
#include "shards/grid/far_targets.h"

#include <float.h>
#include <math.h>
#include <string.h>

void phx_far_free(phx_far *far, phx_mem *mem)
{
    phx_release(mem, (void **)&far->entries, &far->entries_capacity, sizeof(phx_far_entry));
    phx_release(mem, (void **)&far->spare, &far->spare_capacity, sizeof(phx_far_entry));
    phx_release(mem, (void **)&far->before, &far->before_capacity, sizeof(phx_far_before));
    phx_release(mem, (void **)&far->changes, &far->changes_capacity, sizeof(phx_far_change));
    *far = (phx_far){0};
}

uint32_t phx_length_towers(const phx_rules *rules, float length)
{
    if (!(length * length <= FLT_MAX)) return PH_TOWERS_AXIS_MAX;
    /*
     * The indexes of two towers differ by at most ceil(distance / size), but for float32 rounding of distance and
     * index: 1e-6 of the length, 2^-22 of the world's extent, and underflow in a square (below 1e-18).
     */
    uint32_t towers = rules->towers[0] > rules->towers[1] ? rules->towers[0] : rules->towers[1];
    double size = rules->tower_size;
    double slack = length * 1e-6 + (double)towers * size * 0x1p-22 + 1e-18;
    double spanned = ceil((length + slack) / size);
    return spanned >= PH_TOWERS_AXIS_MAX ? PH_TOWERS_AXIS_MAX : (uint32_t)spanned;
}

static uint32_t far_level(const phx_rules *rules, float reach)
{
    uint32_t towers = phx_length_towers(rules, reach), level = 0;
    while ((1u << level) < towers) level++;
    PHX_ASSERT(level < PHX_FAR_LEVELS);
    return level;
}

static uint64_t far_cell_key(uint32_t level, uint32_t cx, uint32_t cy)
{
    return (uint64_t)level << 32 | (uint64_t)cy << 16 | cx;
}

/* In the order of entries: does one come before a place, or is it there? */
static bool entry_before(const phx_far_entry *entry, uint32_t instance, uint64_t key, bool or_there)
{
    if (entry->instance != instance) return entry->instance < instance;
    return or_there ? entry->key <= key : entry->key < key;
}

/* Bottom-up merge sort; entries of one place keep their order. The result is in *entries. */
static void sort_entries(phx_far_entry **entries, phx_far_entry **spare, uint32_t count)
{
    for (uint32_t width = 1; width < count; width *= 2) {
        phx_far_entry *from = *entries, *to = *spare;
        for (uint32_t lo = 0; lo < count; lo += 2 * width) {
            uint32_t mid = lo + width < count ? lo + width : count;
            uint32_t hi = mid + width < count ? mid + width : count;
            uint32_t a = lo, b = mid, n = lo;
            while (a < mid || b < hi) {
                bool left = b == hi || (a < mid && entry_before(&from[a], from[b].instance, from[b].key, true));
                to[n++] = left ? from[a++] : from[b++];
            }
        }
        *entries = to;
        *spare = from;
    }
}

/* Sorts the entries. The two arrays swap, with their capacities. */
static void sort_far(phx_far *far)
{
    const phx_far_entry *before = far->entries;
    sort_entries(&far->entries, &far->spare, far->entry_count);
    if (far->entries == before) return;
    const uint32_t capacity = far->entries_capacity;
    far->entries_capacity = far->spare_capacity;
    far->spare_capacity = capacity;
}

static phx_far_entry make_entry(const phx_rules *rules, const phx_store *store, uint32_t slot)
{
    const phx_attr *attr = phx_store_attr(store, slot);
    const phx_body *body = &store->body[slot];
    const uint32_t level = attr->global ? PHX_FAR_GLOBAL : far_level(rules, attr->reach);
    const uint32_t x = attr->global ? 0 : (uint32_t)body->tx >> level,
                   y = attr->global ? 0 : (uint32_t)body->ty >> level;
    return (phx_far_entry){.key = far_cell_key(level, x, y), .slot = slot, .instance = attr->instance};
}

bool phx_far_rebuild(phx_far *far, phx_mem *mem, const phx_rules *rules, const phx_store *store)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        uint32_t state = store->body[slot].state;
        count += (state & PHX_SLOT_LIVE) && (state & PHX_SLOT_FAR);
    }
    /* the two arrays swap in the sort: they must have one capacity */
    if (!phx_grow(mem, (void **)&far->entries, &far->entries_capacity, 0, count, sizeof(phx_far_entry))) return false;
    if (!phx_grow(mem, (void **)&far->spare, &far->spare_capacity, 0, far->entries_capacity, sizeof(phx_far_entry)))
        return false;
    if (!phx_grow(mem, (void **)&far->before, &far->before_capacity, far->before_count, count, sizeof(phx_far_before)))
        return false;
    const uint32_t changes_most =
        far->before_count + count < PHX_FAR_CHANGES_MAX ? far->before_count + count : PHX_FAR_CHANGES_MAX;
    if (!phx_grow(mem, (void **)&far->changes, &far->changes_capacity, 0, changes_most, sizeof(phx_far_change)))
        return false;
    far->global_count = far->entry_count = 0;
    far->levels = 0;
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        const uint32_t state = store->body[slot].state;
        if (!(state & PHX_SLOT_LIVE) || !(state & PHX_SLOT_FAR)) continue;
        const phx_far_entry entry = make_entry(rules, store, slot);
        const uint32_t level = (uint32_t)(entry.key >> 32);
        if (level == PHX_FAR_GLOBAL) far->global_count++;
        else far->levels |= 1u << level;
        far->entries[far->entry_count++] = entry;
    }
    sort_far(far);
    far->stale = far->moved = false;
    return true;
}

static bool is_discontinuous(const phx_body *body, uint16_t dirty_stamp)
{
    return body->changed == dirty_stamp && (body->state & PHX_SLOT_DISCONTINUOUS);
}

/* Shell sort by slot. In most ticks none or few changed. */
static void sort_changes(phx_far_change *changes, uint32_t count)
{
    for (uint32_t gap = count / 2; gap > 0; gap /= 2) {
        for (uint32_t i = gap; i < count; i++) {
            const phx_far_change change = changes[i];
            uint32_t at = i;
            for (; at >= gap && changes[at - gap].slot > change.slot; at -= gap) changes[at] = changes[at - gap];
            changes[at] = change;
        }
    }
}

/* Has one of the sorted changes the slot? */
static bool changes_have(const phx_far_change *changes, uint32_t count, uint32_t slot)
{
    uint32_t lo = 0, hi = count;
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (changes[mid].slot < slot) lo = mid + 1;
        else hi = mid;
    }
    return lo < count && changes[lo].slot == slot;
}

/* Adds a change of a slot, with what it is now. NULL = there are too many. */
static phx_far_change *add_change(phx_far *far, const phx_store *store, uint32_t slot)
{
    const phx_body *body = &store->body[slot];
    if (far->change_count == PHX_FAR_CHANGES_MAX) return NULL;
    PHX_ASSERT(far->change_count < far->changes_capacity);
    phx_far_change *change = &far->changes[far->change_count++];
    *change = (phx_far_change){NAN, NAN, NAN, -1.0f, NAN, NAN, NAN, -1.0f, slot};
    if (!(body->state & PHX_SLOT_LIVE) || !(body->state & PHX_SLOT_FAR)) return change;
    const phx_attr *attr = phx_store_attr(store, slot);
    change->x = body->x, change->y = body->y, change->z = body->z;
    change->reach = attr->global ? INFINITY : attr->reach;
    return change;
}

/* First the far targets of the last tick's end, then the ones that were none then. */
static bool note_changes(phx_far *far, const phx_store *store, uint16_t dirty_stamp)
{
    for (uint32_t i = 0; i < far->before_count; i++) {
        const phx_far_before *before = &far->before[i];
        if (!is_discontinuous(&store->body[before->slot], dirty_stamp)) continue;
        phx_far_change *change = add_change(far, store, before->slot);
        if (!change) return false;
        change->old_x = before->x, change->old_y = before->y, change->old_z = before->z;
        change->old_reach = before->reach;
    }
    const uint32_t were_far = far->change_count;
    sort_changes(far->changes, were_far);
    for (uint32_t i = 0; i < far->entry_count; i++) {
        const uint32_t slot = far->entries[i].slot;
        if (!is_discontinuous(&store->body[slot], dirty_stamp) || changes_have(far->changes, were_far, slot)) continue;
        if (!add_change(far, store, slot)) return false;
    }
    return true;
}

bool phx_far_note_changes(phx_far *far, const phx_store *store, uint16_t dirty_stamp)
{
    PHX_ASSERT(!far->stale);
    far->change_count = 0;
    if (note_changes(far, store, dirty_stamp)) return true;
    far->change_count = 0;
    return false;
}

void phx_far_follow(phx_far *far, const phx_rules *rules, const phx_store *store)
{
    PHX_ASSERT(!far->stale);
    for (uint32_t i = 0; i < far->entry_count; i++) far->entries[i] = make_entry(rules, store, far->entries[i].slot);
    sort_far(far);
    far->moved = false;
}

void phx_far_end_tick(phx_far *far, const phx_store *store)
{
    far->before_count = far->stale ? 0 : far->entry_count;
    far->change_count = 0;
    PHX_ASSERT(far->before_count <= far->before_capacity);
    for (uint32_t i = 0; i < far->before_count; i++) {
        const uint32_t slot = far->entries[i].slot;
        const phx_attr *attr = phx_store_attr(store, slot);
        far->before[i] = (phx_far_before){.x = store->body[slot].x,
                                          .y = store->body[slot].y,
                                          .z = store->body[slot].z,
                                          .reach = attr->global ? INFINITY : attr->reach,
                                          .slot = slot};
    }
}

/* The first entry of an instance, or of instances behind it, with a key that is not less. */
static uint32_t lower_bound(const phx_far *far, uint32_t instance, uint64_t key)
{
    uint32_t lo = 0, hi = far->entry_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (entry_before(&far->entries[mid], instance, key, false)) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

void phx_far_cells(const phx_far *far, uint32_t instance, uint32_t level, uint32_t x0, uint32_t x1, uint32_t y,
                   uint32_t *first, uint32_t *end)
{
    *first = lower_bound(far, instance, far_cell_key(level, x0, y));
    *end = lower_bound(far, instance, far_cell_key(level, x1, y) + 1);
}

void phx_far_row(const phx_far *far, uint32_t instance, uint32_t level, uint16_t tx, uint16_t ty, int dy,
                 uint32_t *first, uint32_t *end)
{
    uint32_t cx = (uint32_t)tx >> level, cy = (uint32_t)ty >> level;
    *first = *end = 0;
    if ((dy < 0 && cy == 0) || (dy > 0 && cy == UINT16_MAX)) return;
    phx_far_cells(far, instance, level, cx > 0 ? cx - 1 : 0, cx + 1, (uint32_t)((int32_t)cy + dy), first, end);
}

void phx_far_globals(const phx_far *far, uint32_t instance, uint32_t *first, uint32_t *end)
{
    *first = lower_bound(far, instance, far_cell_key(PHX_FAR_GLOBAL, 0, 0));
    *end = lower_bound(far, instance, far_cell_key(PHX_FAR_GLOBAL, 0, 0) + 1);
}
