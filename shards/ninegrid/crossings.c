/*
 * The index phase of the nine-grid, and its tick's end; see ninegrid.h. Notes and added slots become crossings, in the
 * order of events; crossings become cell entries; then every tower that saw or sees a crossing gets a task. Called by
 * the shard's owner.
 */
#include "shards/ninegrid/crossings.h"

#include <string.h>

#include "shards/entity/bounds.h"
#include "shards/ninegrid/ninegrid.h"

enum { STAGE_CROSSINGS = 0, STAGE_ENTRIES, STAGE_TASKS, STAGE_DONE };
enum { AHEAD = 8 }; /* notes ahead whose names are prefetched */

/* ---- room for cell entries ---- */

static uint32_t entry_room(uint8_t size_class)
{
    return size_class == PHX_LIST_NONE ? 0 : 2u << size_class;
}

static void release_entries(phx_ninegrid *ninegrid, phx_cell_block *cell_block, uint32_t t)
{
    uint8_t size_class = cell_block->room[t];
    if (size_class == PHX_LIST_NONE) return;
    ninegrid->entries[cell_block->tower[t].first].slot = ninegrid->free_first[size_class];
    ninegrid->free_first[size_class] = cell_block->tower[t].first;
    cell_block->room[t] = PHX_LIST_NONE;
}

/* Makes room for one more cell entry in the tower. false = no memory. */
static bool reserve_entry(phx_ninegrid *ninegrid, phx_mem *mem, phx_cell_block *cell_block, uint32_t t)
{
    phx_tower *tower = &cell_block->tower[t];
    if (tower->count < entry_room(cell_block->room[t])) return true;
    uint8_t size_class = cell_block->room[t] == PHX_LIST_NONE ? 0 : (uint8_t)(cell_block->room[t] + 1);
    PHX_ASSERT(size_class < PHX_NINEGRID_SIZES);
    uint32_t first = ninegrid->free_first[size_class];
    if (first != PHX_NINEGRID_NONE) {
        ninegrid->free_first[size_class] = ninegrid->entries[first].slot;
        if (ninegrid->free_first[size_class] != PHX_NINEGRID_NONE) /* the block that is taken next */
            __builtin_prefetch(&ninegrid->entries[ninegrid->free_first[size_class]], 1);
    } else {
        size_t needed = (size_t)ninegrid->entries_used + entry_room(size_class);
        if (!phx_grow(mem, (void **)&ninegrid->entries, &ninegrid->entries_capacity, ninegrid->entries_used,
                      needed + PHX_NINEGRID_AT_ONCE, sizeof(phx_cell_entry)))
            return false;
        first = ninegrid->entries_used;
        ninegrid->entries_used = (uint32_t)needed;
    }
    if (tower->count > 0)
        memcpy(ninegrid->entries + first, ninegrid->entries + tower->first, tower->count * sizeof(phx_cell_entry));
    release_entries(ninegrid, cell_block, t);
    tower->first = first;
    cell_block->room[t] = size_class;
    return true;
}

/* The cell block of a tower, made if there is none. NULL = no memory. */
static phx_cell_block *ensure_cell_block(phx_ninegrid *ninegrid, phx_mem *mem, uint32_t instance, uint16_t tx,
                                         uint16_t ty)
{
    uint16_t bx = tx >> PHX_BLOCK_BITS, by = ty >> PHX_BLOCK_BITS;
    phx_cell_block *cell_block = phx_ninegrid_cell_block(ninegrid, instance, bx, by);
    if (PHX_LIKELY(cell_block)) return cell_block;
    if (!phx_block_map_reserve(&ninegrid->map, mem, instance, bx, by) ||
        !phx_grow(mem, (void **)&ninegrid->cell_blocks, &ninegrid->cell_blocks_capacity, ninegrid->cell_block_count,
                  (size_t)ninegrid->cell_block_count + 1, sizeof(phx_cell_block)))
        return NULL;
    cell_block = &ninegrid->cell_blocks[ninegrid->cell_block_count++];
    phx_block_map_put(&ninegrid->map, instance, bx, by, ninegrid->cell_block_count);
    memset(cell_block, 0, sizeof *cell_block);
    cell_block->instance = instance;
    cell_block->bx = bx;
    cell_block->by = by;
    memset(cell_block->room, PHX_LIST_NONE, sizeof cell_block->room);
    return cell_block;
}

/* ---- crossings ---- */

static bool name_before(const phx_name *a, const phx_name *b)
{
    return a->kind != b->kind ? a->kind < b->kind : a->id < b->id;
}

/* The name of a cell entry's slot at the time when its tower was tidied. */
static phx_name name_then(const phx_ninegrid *ninegrid, const phx_store *store, uint32_t slot)
{
    const phx_change_note *note = phx_ninegrid_note_of(ninegrid, store, slot);
    phx_name name = store->name[slot];
    if (note && note->renewed) name.kind = note->kind;
    return name;
}

/* The place in its tower of the cell entry of a noted slot. */
static uint32_t find_entry(const phx_ninegrid *ninegrid, const phx_store *store, const phx_tower *tower, uint32_t slot)
{
    const phx_cell_entry *entries = ninegrid->entries + tower->first;
    uint32_t lo = 0, hi = tower->old;
    phx_name wanted = hi > PHX_NINEGRID_UNSORTED_MAX ? name_then(ninegrid, store, slot) : (phx_name){0};
    while (hi - lo > PHX_NINEGRID_UNSORTED_MAX) {
        uint32_t mid = lo + (hi - lo) / 2;
        phx_name name = name_then(ninegrid, store, entries[mid].slot);
        if (name_before(&name, &wanted)) lo = mid + 1;
        else hi = mid + 1;
    }
    while (lo < hi && entries[lo].slot != slot) lo++;
    PHX_ASSERT(lo < hi);
    return lo;
}

/*
 * The observer kind of a slot. An observer that changed attributes which decide about its list is evaluated once,
 * whatever its kind.
 */
static uint8_t observer_kind_now(const phx_change_note *note, const phx_store *store, uint32_t slot)
{
    uint8_t observer_kind = phx_ninegrid_observer_kind(store, slot);
    return note && note->attr != PHX_NINEGRID_NONE && observer_kind != PHX_OBSERVER_KIND_NONE
               ? PHX_OBSERVER_KIND_EVALUATED
               : observer_kind;
}

/* The instance of a noted slot at the last tick's end; cell blocks are as then. */
static uint32_t instance_then(const phx_ninegrid *ninegrid, const phx_store *store, const phx_change_note *note)
{
    if (PHX_LIKELY(phx_idmap_count(&ninegrid->map.apart) == 0)) return 0;
    return note->attr != PHX_NINEGRID_NONE ? ninegrid->attrs[note->attr].instance
                                           : phx_store_instance(store, note->slot);
}

/* The instance in which the entity of a crossing is. */
static uint32_t instance_now(const phx_store *store, const phx_crossing *crossing)
{
    return PHX_UNLIKELY(crossing->apart) ? phx_store_instance(store, crossing->slot) : 0;
}

/* The crossing of a slot by the store; its note, or NULL. */
static phx_crossing read_crossing(const phx_ninegrid *ninegrid, const phx_store *store, const phx_change_note *note,
                                  uint32_t slot)
{
    const phx_body *body = &store->body[slot];
    return (phx_crossing){.slot = slot,
                          .key = phx_ninegrid_key(ninegrid, &store->name[slot]),
                          .bx = body->tx,
                          .by = body->ty,
                          .is = body->state & PHX_SLOT_LIVE,
                          .apart = body->state & PHX_SLOT_APART,
                          .observer_kind = observer_kind_now(note, store, slot),
                          .special = body->state & PHX_SLOT_SPECIAL};
}

/* The crossing of a cell entry, if only its tower changed. */
static phx_crossing entry_crossing(const phx_cell_block *cell_block, const phx_cell_entry *entry,
                                   const phx_change_note *note)
{
    return (phx_crossing){.slot = entry->slot,
                          .key = entry->key,
                          .bx = note->bx,
                          .by = note->by,
                          .is = true,
                          .apart = cell_block->instance != 0,
                          .observer_kind = entry->observer_kind,
                          .special = entry->flags & PHX_CELL_SPECIAL};
}

static void mark_observer(phx_ninegrid *ninegrid, phx_cell_block *cell_block, uint32_t t, uint8_t observer_kind)
{
    if (observer_kind == PHX_OBSERVER_KIND_EVALUATED) {
        cell_block->may_evaluate |= 1ull << t;
        ninegrid->marking = true;
    }
    if (observer_kind != PHX_OBSERVER_KIND_NONE) cell_block->observed |= 1ull << t;
}

/* Written field by field: a copy of a struct would be loaded before its fields are stored. */
static void write_entry(phx_cell_entry *entry, const phx_crossing *crossing, uint32_t move, uint32_t flags)
{
    entry->slot = crossing->slot;
    entry->key = crossing->key;
    entry->move = move;
    entry->flags =
        (uint8_t)(flags | (crossing->special ? PHX_CELL_SPECIAL : 0) | (crossing->attr_changed ? PHX_CELL_CHANGED : 0));
    entry->observer_kind = crossing->observer_kind;
    entry->reserved = 0;
}

/*
 * Updates the cell entry of a noted slot in place, if it stays. If it moves, or has to be evaluated by observers, the
 * note becomes a crossing.
 */
static void apply_change_note(phx_ninegrid *ninegrid, const phx_store *store, const phx_change_note *note)
{
    bool elsewhere = note->ax != note->bx || note->ay != note->by;
    if (!elsewhere && !note->renewed) return;
    phx_cell_block *cell_block = phx_ninegrid_cell_block(ninegrid, instance_then(ninegrid, store, note),
                                                         note->ax >> PHX_BLOCK_BITS, note->ay >> PHX_BLOCK_BITS);
    PHX_ASSERT(cell_block);
    uint32_t t = phx_block_tower(note->ax, note->ay);
    uint32_t place = find_entry(ninegrid, store, &cell_block->tower[t], note->slot);
    phx_cell_entry *entry = &ninegrid->entries[cell_block->tower[t].first + place];
    phx_crossing crossing =
        note->renewed ? read_crossing(ninegrid, store, note, note->slot) : entry_crossing(cell_block, entry, note);
    elsewhere |= instance_now(store, &crossing) != cell_block->instance;
    crossing.place = place;
    crossing.from = (uint32_t)(cell_block - ninegrid->cell_blocks);
    crossing.ax = note->ax;
    crossing.ay = note->ay;
    crossing.was = true;
    crossing.attr_changed = note->attr_changed;
    crossing.special |= note->attr_changed; /* now or before */
    crossing.stays = crossing.is && !elsewhere && note->kind == store->name[note->slot].kind;
    if (crossing.stays) {
        write_entry(entry, &crossing, PHX_NINEGRID_NONE, 0);
        mark_observer(ninegrid, cell_block, t, entry->observer_kind);
        if (!note->attr_changed) return;
    }
    entry->move = ninegrid->crossing_count;
    if (!crossing.stays) entry->flags |= PHX_CELL_LEFT;
    cell_block->untidy |= 1ull << t;
    ninegrid->crossings[ninegrid->crossing_count++] = crossing;
}

/* Writes the numbers of sorted crossings to their old cell entries. */
static void mark_old(phx_ninegrid *ninegrid)
{
    for (uint32_t i = 0; i < ninegrid->crossing_count; i++) {
        const phx_crossing *crossing = &ninegrid->crossings[i];
        if (!crossing->was) continue;
        const phx_tower *tower =
            &ninegrid->cell_blocks[crossing->from].tower[phx_block_tower(crossing->ax, crossing->ay)];
        phx_cell_entry *entry = &ninegrid->entries[tower->first + crossing->place];
        PHX_ASSERT(entry->slot == crossing->slot);
        entry->move = i;
    }
}

/* Sorts crossings into the order of events. false = no memory. */
static bool sort_crossings(phx_ninegrid *ninegrid, phx_mem *mem, const phx_store *store)
{
    const phx_crossing *crossings = ninegrid->crossings;
    const phx_name *name = store->name;
    uint32_t count = ninegrid->crossing_count;
    if (!phx_grow(mem, (void **)&ninegrid->keys, &ninegrid->keys_capacity, 0, (size_t)count * 2,
                  sizeof(phx_sort_record)) ||
        !phx_grow(mem, (void **)&ninegrid->spare, &ninegrid->spare_capacity, 0, count, sizeof(phx_crossing)))
        return false;
    phx_sort_record *keys = ninegrid->keys;
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (phx_sort_record){.id = name[crossings[i].slot].id, .kind = name[crossings[i].slot].kind, .slot = i};
    phx_order_many(keys, keys + count, count);
    for (uint32_t i = 0; i < count; i++) ninegrid->spare[i] = crossings[keys[i].slot];
    phx_crossing *spare = ninegrid->crossings;
    ninegrid->crossings = ninegrid->spare;
    ninegrid->spare = spare;
    uint32_t swap = ninegrid->crossings_capacity;
    ninegrid->crossings_capacity = ninegrid->spare_capacity;
    ninegrid->spare_capacity = swap;
    mark_old(ninegrid);
    return true;
}

/* Prefetches the tower of a note and its name, or its cell entries. */
PHX_PREFETCH_INLINE void await_note(const phx_ninegrid *ninegrid, const phx_store *store, const phx_change_note *note,
                                    bool entries)
{
    const phx_cell_block *cell_block = phx_ninegrid_cell_block(ninegrid, instance_then(ninegrid, store, note),
                                                               note->ax >> PHX_BLOCK_BITS, note->ay >> PHX_BLOCK_BITS);
    const phx_tower *tower = &cell_block->tower[phx_block_tower(note->ax, note->ay)];
    if (entries) {
        __builtin_prefetch(&ninegrid->entries[tower->first], 1);
        return;
    }
    __builtin_prefetch(cell_block, 1);
    __builtin_prefetch(tower);
    __builtin_prefetch(&store->name[note->slot]);
}

/* Is the last crossing in order behind the one before? Mostly so, as commands come in the order of ids. */
static bool last_in_order(const phx_ninegrid *ninegrid, const phx_store *store)
{
    if (ninegrid->crossing_count < 2) return true;
    const phx_crossing *last = &ninegrid->crossings[ninegrid->crossing_count - 1];
    return !name_before(&store->name[last->slot], &store->name[last[-1].slot]);
}

/* Renews all keys with more bits, once names differ in more. */
static void renew_keys(phx_ninegrid *ninegrid, const phx_store *store)
{
    uint32_t bits = phx_order_bits(store->id_bits, store->kind_bits);
    if (PHX_LIKELY(bits == ninegrid->key_bits)) return;
    ninegrid->key_bits = bits;
    for (uint32_t c = 0; c < ninegrid->cell_block_count; c++) {
        const phx_cell_block *cell_block = &ninegrid->cell_blocks[c];
        for (uint64_t left = cell_block->stood; left; left &= left - 1) {
            const phx_tower *tower = &cell_block->tower[__builtin_ctzll(left)];
            phx_cell_entry *entries = ninegrid->entries + tower->first;
            for (uint32_t i = 0; i < tower->count; i++)
                entries[i].key = phx_ninegrid_key(ninegrid, &store->name[entries[i].slot]);
        }
    }
}

/* Finds the crossings of all notes and added slots. false = no memory. */
static bool find_crossings(phx_ninegrid *ninegrid, phx_mem *mem, const phx_ninegrid_input *in)
{
    size_t most = (size_t)ninegrid->note_count + in->deferred->count;
    if (!phx_grow(mem, (void **)&ninegrid->crossings, &ninegrid->crossings_capacity, 0, most, sizeof(phx_crossing)))
        return false;
    renew_keys(ninegrid, in->store);
    ninegrid->crossing_count = 0;
    bool ordered = true;
    for (uint32_t i = 0; i < ninegrid->note_count; i++) {
        if (i + 2 * AHEAD < ninegrid->note_count)
            await_note(ninegrid, in->store, &ninegrid->notes[i + 2 * AHEAD], false);
        if (i + AHEAD < ninegrid->note_count) await_note(ninegrid, in->store, &ninegrid->notes[i + AHEAD], true);
        apply_change_note(ninegrid, in->store, &ninegrid->notes[i]);
        ordered &= last_in_order(ninegrid, in->store);
    }
    for (uint32_t i = 0; i < in->deferred->count; i++) {
        uint32_t slot = in->deferred->slots[i];
        if (!(in->store->body[slot].state & PHX_SLOT_LIVE)) continue;
        ninegrid->crossings[ninegrid->crossing_count++] = read_crossing(ninegrid, in->store, NULL, slot);
        ordered &= last_in_order(ninegrid, in->store);
    }
    return ordered || sort_crossings(ninegrid, mem, in->store);
}

/* ---- cell entries ---- */

/*
 * Places the new cell entry of a crossing. Restartable: all room is reserved before the first change. false = no
 * memory.
 */
static bool place_crossing(phx_ninegrid *ninegrid, phx_mem *mem, const phx_ninegrid_input *in, uint32_t i)
{
    const phx_crossing *crossing = &ninegrid->crossings[i];
    if (crossing->is && !crossing->stays) {
        const uint32_t instance = instance_now(in->store, crossing);
        phx_cell_block *cell_block = ensure_cell_block(ninegrid, mem, instance, crossing->bx, crossing->by);
        uint32_t t = phx_block_tower(crossing->bx, crossing->by);
        if (!cell_block || !reserve_entry(ninegrid, mem, cell_block, t)) return false;
        phx_tower *tower = &cell_block->tower[t];
        uint32_t entered = tower->count - tower->old + 1;
        if (!phx_grow(mem, (void **)&ninegrid->entered, &ninegrid->entered_capacity, 0, entered,
                      sizeof(phx_cell_entry)))
            return false;
        phx_cell_entry *entry = &ninegrid->entries[tower->first + tower->count++];
        write_entry(entry, crossing, i, PHX_CELL_ENTERED);
        tower->task = i;
        cell_block->stood |= 1ull << t;
        mark_observer(ninegrid, cell_block, t, entry->observer_kind);
        cell_block->untidy |= 1ull << t;
        cell_block->entries++;
        ninegrid->entry_count++;
        if (!crossing->was) in->store->body[crossing->slot].state |= PHX_SLOT_ROW;
        phx_ninegrid_mark_dirty(ninegrid, instance, crossing->bx, crossing->by, in->tick);
    }
    if (!crossing->is) in->store->body[crossing->slot].state &= (uint16_t)~PHX_SLOT_ROW;
    return true;
}

/* Prefetches the tower that an entity crosses to, or the place of its cell entry there. */
PHX_PREFETCH_INLINE void await_tower(const phx_ninegrid *ninegrid, const phx_store *store, const phx_crossing *crossing,
                                     bool entry)
{
    const phx_cell_block *cell_block = phx_ninegrid_cell_block(
        ninegrid, instance_now(store, crossing), crossing->bx >> PHX_BLOCK_BITS, crossing->by >> PHX_BLOCK_BITS);
    uint32_t t = phx_block_tower(crossing->bx, crossing->by);
    if (!cell_block) return;
    if (entry) {
        __builtin_prefetch(&ninegrid->entries[cell_block->tower[t].first + cell_block->tower[t].count], 1);
        return;
    }
    __builtin_prefetch(cell_block, 1);
    __builtin_prefetch(&cell_block->tower[t], 1);
    __builtin_prefetch(&cell_block->room[t]);
}

static bool place_crossings(phx_ninegrid *ninegrid, phx_mem *mem, const phx_ninegrid_input *in)
{
    for (; ninegrid->at < ninegrid->crossing_count; ninegrid->at++) {
        if (ninegrid->at + 2 * AHEAD < ninegrid->crossing_count)
            await_tower(ninegrid, in->store, &ninegrid->crossings[ninegrid->at + 2 * AHEAD], false);
        if (ninegrid->at + AHEAD < ninegrid->crossing_count)
            await_tower(ninegrid, in->store, &ninegrid->crossings[ninegrid->at + AHEAD], true);
        if (!place_crossing(ninegrid, mem, in, ninegrid->at)) return false;
    }
    /* at most a note for each, and notes are written where nothing may fail */
    return phx_grow(mem, (void **)&ninegrid->notes, &ninegrid->notes_capacity, ninegrid->note_count,
                    ninegrid->entry_count, sizeof(phx_change_note));
}

/* ---- tasks ---- */

/* Adds pairs of these towers of a cell block with the crossing. There is room. */
static void add_tower_pairs(phx_ninegrid *ninegrid, const phx_cell_block *cell_block, uint64_t towers,
                            phx_crossing_word crossing)
{
    uint32_t number = (uint32_t)(cell_block - ninegrid->cell_blocks), observed_count = 0;
    phx_ninegrid_pair *pair = ninegrid->found + ninegrid->found_count;
    for (; towers; towers &= towers - 1) {
        uint32_t t = (uint32_t)__builtin_ctzll(towers);
        bool observed = cell_block->observed >> t & 1;
        *pair++ =
            (phx_ninegrid_pair){.crossing = crossing, .cell_block = number, .tower = (uint8_t)t, .observed = observed};
        observed_count += observed;
    }
    ninegrid->found_count = (uint32_t)(pair - ninegrid->found);
    ninegrid->bins[number] += observed_count;
}

static phx_rect join_rects(phx_rect a, phx_rect b)
{
    return (phx_rect){a.x0 < b.x0 ? a.x0 : b.x0, a.y0 < b.y0 ? a.y0 : b.y0, a.x1 > b.x1 ? a.x1 : b.x1,
                      a.y1 > b.y1 ? a.y1 : b.y1};
}

/*
 * Adds pairs of the towers in `rect` of one instance that see the crossing come or go: towers around its old place and
 * its new place (NULL: none). If its attributes changed, all observers there are evaluated. false = no memory.
 */
static bool show_in(phx_ninegrid *ninegrid, phx_mem *mem, uint32_t i, uint32_t instance, const phx_rect *from,
                    const phx_rect *to, phx_rect rect)
{
    const phx_crossing *crossing = &ninegrid->crossings[i];
    bool by_delta = phx_ninegrid_delta(crossing);
    phx_cell_block_walk walk = phx_ninegrid_walk(ninegrid, instance, rect);
    for (phx_cell_block *cell_block; (cell_block = phx_ninegrid_next(&walk)) != NULL;) {
        if (!phx_grow(mem, (void **)&ninegrid->found, &ninegrid->found_capacity, ninegrid->found_count,
                      (size_t)ninegrid->found_count + 2 * PHX_BLOCK_TOWERS, sizeof(phx_ninegrid_pair)))
            return false;
        uint64_t here = by_delta ? cell_block->stood : cell_block->observed;
        uint64_t a = from ? phx_cell_block_mask(cell_block, *from) & here : 0;
        uint64_t b = to ? phx_cell_block_mask(cell_block, *to) & here : 0;
        add_tower_pairs(ninegrid, cell_block, a & ~b, phx_crossing_word_of(i, false, crossing->special));
        add_tower_pairs(ninegrid, cell_block, b & ~a, phx_crossing_word_of(i, true, crossing->special));
        if (crossing->attr_changed) cell_block->evaluate_all |= (a | b) & cell_block->observed;
    }
    return true;
}

static bool show_crossing(phx_ninegrid *ninegrid, phx_mem *mem, const phx_ninegrid_input *in, uint32_t i)
{
    phx_crossing *c = &ninegrid->crossings[i];
    phx_rect from = phx_ninegrid_rect(in->rules, in->rules->span, c->ax, c->ay);
    phx_rect to = phx_ninegrid_rect(in->rules, in->rules->span, c->bx, c->by);
    const uint32_t then = c->was ? ninegrid->cell_blocks[c->from].instance : 0, now = instance_now(in->store, c);
    c->pair = ninegrid->found_count;
    bool meet = from.x0 <= to.x1 && to.x0 <= from.x1 && from.y0 <= to.y1 && to.y0 <= from.y1;
    if (c->was && c->is && meet && then == now) return show_in(ninegrid, mem, i, now, &from, &to, join_rects(from, to));
    return (!c->was || show_in(ninegrid, mem, i, then, &from, NULL, from)) &&
           (!c->is || show_in(ninegrid, mem, i, now, NULL, &to, to));
}

/*
 * Sorts the pairs with observers by cell block, in their order. bins[] has the count of each block, and then where its
 * pairs begin. false = no memory.
 */
static bool bin_pairs(phx_ninegrid *ninegrid, phx_mem *mem)
{
    uint32_t sum = 0;
    if (!phx_grow(mem, (void **)&ninegrid->binned, &ninegrid->binned_capacity, 0, ninegrid->found_count,
                  sizeof(phx_ninegrid_binned_pair)) ||
        !phx_grow(mem, (void **)&ninegrid->pairs, &ninegrid->pairs_capacity, 0, ninegrid->found_count,
                  sizeof(uint32_t)))
        return false;
    for (uint32_t c = 0; c < ninegrid->cell_block_count; c++) {
        uint32_t count = ninegrid->bins[c];
        ninegrid->bins[c] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < ninegrid->found_count; i++) {
        const phx_ninegrid_pair *pair = &ninegrid->found[i];
        if (!pair->observed) continue;
        /* at the end, its bin is where the next bin begins */
        ninegrid->binned[ninegrid->bins[pair->cell_block]++] =
            (phx_ninegrid_binned_pair){.crossing = pair->crossing, .tower = pair->tower};
    }
    return true;
}

/*
 * Appends the crossings that came to a tower: rarely more than one, and their number is not predictable. There is room
 * for one more.
 */
static inline void collect_arrived_entries(phx_ninegrid *ninegrid, const phx_tower *tower)
{
    const uint32_t entered = tower->count - tower->old;
    uint32_t *to = ninegrid->entrants + ninegrid->entrant_count;
    to[0] = tower->task;
    ninegrid->entrant_count += entered;
    if (PHX_LIKELY(entered <= 1)) return;
    const phx_cell_entry *entry = ninegrid->entries + tower->first + tower->old;
    for (uint32_t i = 0; i < entered; i++) to[i] = entry[i].move;
}

/* Makes the tasks of a cell block: `towers`, and the towers of its pairs [first, end). There is room. */
static void make_tasks(phx_ninegrid *ninegrid, phx_cell_block *cell_block, uint64_t towers, uint32_t first,
                       uint32_t end)
{
    uint32_t next[PHX_BLOCK_TOWERS]
                 [2]; /* by tower, of its leaves and enters: their number, then the place of the next */
    for (uint32_t i = first; i < end; i++) towers |= 1ull << ninegrid->binned[i].tower;
    for (uint64_t left = towers; left; left &= left - 1) {
        uint32_t t = (uint32_t)__builtin_ctzll(left);
        next[t][0] = next[t][1] = 0;
    }
    for (uint32_t i = first; i < end; i++)
        next[ninegrid->binned[i].tower][phx_crossing_word_enters(ninegrid->binned[i].crossing)]++;
    uint32_t place = first;
    for (uint64_t left = towers; left; left &= left - 1) {
        uint32_t t = (uint32_t)__builtin_ctzll(left);
        const phx_tower *tower = &cell_block->tower[t];
        collect_arrived_entries(ninegrid, tower);
        cell_block->tower[t].task = ninegrid->task_count;
        ninegrid->tasks[ninegrid->task_count++] =
            (phx_cell_task){.first = ninegrid->item_count,
                            .entry = tower->first,
                            .entry_count = tower->count,
                            .entered = tower->count - tower->old,
                            .entrant = ninegrid->entrant_count - (tower->count - tower->old),
                            .pair = place,
                            .leave_count = next[t][0],
                            .enter_count = next[t][1],
                            .evaluate_all = cell_block->evaluate_all >> t & 1,
                            .mixed = cell_block->may_evaluate >> t & 1};
        ninegrid->item_count += tower->count;
        next[t][1] += place + next[t][0];
        next[t][0] = place;
        place = next[t][1];
        next[t][1] -= ninegrid->tasks[ninegrid->task_count - 1].enter_count;
    }
    for (uint32_t i = first; i < end; i++) {
        const phx_crossing_word crossing = ninegrid->binned[i].crossing;
        const uint32_t t = ninegrid->binned[i].tower;
        ninegrid->pairs[next[t][phx_crossing_word_enters(crossing)]++] = phx_crossing_word_number(crossing);
        if (PHX_UNLIKELY(phx_crossing_word_special(crossing)))
            ninegrid->tasks[cell_block->tower[t].task].special = true;
    }
    cell_block->tasks = towers;
    ninegrid->evaluating |= cell_block->evaluate_all != 0;
}

/* Makes all tasks of the interest phase, block by block. false = no memory. */
static bool find_tasks(phx_ninegrid *ninegrid, phx_mem *mem, const phx_ninegrid_input *in)
{
    ninegrid->task_count = ninegrid->entrant_count = ninegrid->found_count = ninegrid->item_count = 0;
    ninegrid->evaluating = false;
    bool may_evaluate = in->evaluate_all || (in->changed && ninegrid->marking);
    if (ninegrid->crossing_count == 0 && !may_evaluate) return true;
    if (!phx_grow(mem, (void **)&ninegrid->bins, &ninegrid->bins_capacity, 0, ninegrid->cell_block_count,
                  sizeof(uint32_t)) ||
        !phx_grow(mem, (void **)&ninegrid->entrants, &ninegrid->entrants_capacity, 0,
                  (size_t)ninegrid->crossing_count + 1, sizeof(uint32_t)))
        return false;
    for (uint32_t c = 0; c < ninegrid->cell_block_count; c++) {
        ninegrid->cell_blocks[c].evaluate_all = in->evaluate_all ? ninegrid->cell_blocks[c].observed : 0;
        ninegrid->bins[c] = 0;
    }
    for (uint32_t i = 0; i < ninegrid->crossing_count; i++)
        if (!show_crossing(ninegrid, mem, in, i)) return false;
    if (!bin_pairs(ninegrid, mem)) return false;
    for (uint32_t c = 0, first = 0; c < ninegrid->cell_block_count; first = ninegrid->bins[c++]) {
        phx_cell_block *cell_block = &ninegrid->cell_blocks[c];
        uint64_t towers = (cell_block->untidy & cell_block->observed) | cell_block->evaluate_all |
                          (in->changed ? cell_block->may_evaluate : 0);
        cell_block->tasks = 0;
        if (!towers && first == ninegrid->bins[c]) continue;
        if (!phx_grow(mem, (void **)&ninegrid->tasks, &ninegrid->tasks_capacity, ninegrid->task_count,
                      (size_t)ninegrid->task_count + PHX_BLOCK_TOWERS, sizeof(phx_cell_task)))
            return false;
        make_tasks(ninegrid, cell_block, towers, first, ninegrid->bins[c]);
    }
    return true;
}

/* Restores `task` of the towers: the crossing that came last, where it is the task already. */
static void mark_entrants(const phx_ninegrid *ninegrid, const phx_store *store)
{
    for (uint32_t i = 0; i < ninegrid->crossing_count; i++) {
        const phx_crossing *c = &ninegrid->crossings[i];
        if (!c->is || c->stays) continue;
        phx_cell_block *cell_block =
            phx_ninegrid_cell_block(ninegrid, instance_now(store, c), c->bx >> PHX_BLOCK_BITS, c->by >> PHX_BLOCK_BITS);
        cell_block->tower[phx_block_tower(c->bx, c->by)].task = i;
    }
}

bool phx_ninegrid_index(phx_ninegrid *ninegrid, phx_mem *mem, const phx_ninegrid_input *in)
{
    if (ninegrid->stage == STAGE_CROSSINGS) {
        if (!find_crossings(ninegrid, mem, in)) return false;
        ninegrid->stage = STAGE_ENTRIES;
        ninegrid->at = 0;
    }
    if (ninegrid->stage == STAGE_ENTRIES) {
        if (!place_crossings(ninegrid, mem, in)) return false;
        ninegrid->stage = STAGE_TASKS;
    }
    if (ninegrid->stage == STAGE_TASKS) {
        if (!find_tasks(ninegrid, mem, in)) {
            mark_entrants(ninegrid, in->store);
            return false;
        }
        ninegrid->stage = STAGE_DONE;
    }
    return true;
}

/* ---- the tick's end ---- */

/* Recomputes the bits of a tower for observers from its cell entries. */
static void read_watches(const phx_ninegrid *ninegrid, phx_cell_block *cell_block, uint32_t t)
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
    mark_observer(ninegrid, cell_block, t, entry->observer_kind);
}

/* Insertion sort, before there are many. */
static void insertion_sort_entries(const phx_store *store, phx_cell_entry *entries, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        phx_cell_entry entry = entries[i];
        uint32_t j = i;
        for (; j > 0 && name_before(&store->name[entry.slot], &store->name[entries[j - 1].slot]); j--)
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
        bool last = name_before(&store->name[b->slot], &store->name[a->slot]);
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
    read_watches(ninegrid, cell_block, t);
    if (tower->count > 0) return;
    cell_block->stood &= ~(1ull << t);
    release_entries(ninegrid, cell_block, t);
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
            read_watches(ninegrid, cell_block, (uint32_t)__builtin_ctzll(left));
        ninegrid->marking |= cell_block->may_evaluate != 0;
    }
    if (ninegrid->crossing_count > 0) tidy_cell_blocks(ninegrid, store);
    bool marking = ninegrid->marking;
    ninegrid->marking = false;
    for (uint32_t c = 0; marking && c < ninegrid->cell_block_count; c++) {
        phx_cell_block *cell_block = &ninegrid->cell_blocks[c];
        for (uint64_t left = cell_block->may_evaluate; left; left &= left - 1)
            read_watches(ninegrid, cell_block, (uint32_t)__builtin_ctzll(left));
        ninegrid->marking |= cell_block->may_evaluate != 0;
    }
    ninegrid->note_count = ninegrid->attr_count = ninegrid->crossing_count = ninegrid->task_count =
        ninegrid->item_count = 0;
    ninegrid->entrant_count = 0;
    ninegrid->evaluating = false;
    ninegrid->span = rules->span;
    ninegrid->stage = STAGE_CROSSINGS;
}
