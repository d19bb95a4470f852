/*
 * The index phase of the nine-grid; see ninegrid.h. Notes and added slots become crossings, in the order of events;
 * crossings become cell entries; then every tower that saw or sees a crossing gets a task (cell_tasks.h). Called by the
 * shard's owner.
 */
#include "shards/ninegrid/crossings.h"

#include <string.h>

#include "shards/ninegrid/cell_blocks.h"

enum { AHEAD = 8 }; /* notes ahead whose names are prefetched */

/* ---- crossings ---- */

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
        if (phx_cell_name_before(&name, &wanted)) lo = mid + 1;
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
    elsewhere |= phx_crossing_instance(store, &crossing) != cell_block->instance;
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
        phx_cell_block_mark_observer(ninegrid, cell_block, t, entry->observer_kind);
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
    return !phx_cell_name_before(&store->name[last->slot], &store->name[last[-1].slot]);
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
        const uint32_t instance = phx_crossing_instance(in->store, crossing);
        phx_cell_block *cell_block = phx_cell_block_ensure(ninegrid, mem, instance, crossing->bx, crossing->by);
        uint32_t t = phx_block_tower(crossing->bx, crossing->by);
        if (!cell_block || !phx_cell_block_reserve(ninegrid, mem, cell_block, t)) return false;
        phx_tower *tower = &cell_block->tower[t];
        uint32_t entered = tower->count - tower->old + 1;
        if (!phx_grow(mem, (void **)&ninegrid->entered, &ninegrid->entered_capacity, 0, entered,
                      sizeof(phx_cell_entry)))
            return false;
        phx_cell_entry *entry = &ninegrid->entries[tower->first + tower->count++];
        write_entry(entry, crossing, i, PHX_CELL_ENTERED);
        tower->task = i;
        cell_block->stood |= 1ull << t;
        phx_cell_block_mark_observer(ninegrid, cell_block, t, entry->observer_kind);
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
    const phx_cell_block *cell_block =
        phx_ninegrid_cell_block(ninegrid, phx_crossing_instance(store, crossing), crossing->bx >> PHX_BLOCK_BITS,
                                crossing->by >> PHX_BLOCK_BITS);
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

/* Restores `task` of the towers: the crossing that came last, where it is the task already. */
static void mark_entrants(const phx_ninegrid *ninegrid, const phx_store *store)
{
    for (uint32_t i = 0; i < ninegrid->crossing_count; i++) {
        const phx_crossing *c = &ninegrid->crossings[i];
        if (!c->is || c->stays) continue;
        phx_cell_block *cell_block = phx_ninegrid_cell_block(ninegrid, phx_crossing_instance(store, c),
                                                             c->bx >> PHX_BLOCK_BITS, c->by >> PHX_BLOCK_BITS);
        cell_block->tower[phx_block_tower(c->bx, c->by)].task = i;
    }
}

bool phx_ninegrid_index(phx_ninegrid *ninegrid, phx_mem *mem, const phx_ninegrid_input *in)
{
    if (ninegrid->stage == PHX_NINEGRID_CROSSINGS) {
        if (!find_crossings(ninegrid, mem, in)) return false;
        ninegrid->stage = PHX_NINEGRID_ENTRIES;
        ninegrid->at = 0;
    }
    if (ninegrid->stage == PHX_NINEGRID_ENTRIES) {
        if (!place_crossings(ninegrid, mem, in)) return false;
        ninegrid->stage = PHX_NINEGRID_TASKS;
    }
    if (ninegrid->stage == PHX_NINEGRID_TASKS) {
        if (!phx_cell_tasks_find(ninegrid, mem, in)) {
            mark_entrants(ninegrid, in->store);
            return false;
        }
        ninegrid->stage = PHX_NINEGRID_INDEXED;
    }
    return true;
}
