/*
 * index = hex: hexagonal towers in levels, each twice as large as the level below; see README.md. An observer is
 * registered at the level that its box fits. The tower there with the middle of the box in its hexagon has all
 * candidates of the observer in its light. An entity is in the light of one to four towers of each level in use: the
 * tower with the entity in its hexagon (home), and near ones. A level is in use while an observer is registered at it;
 * one level always is.
 *
 * Written in the index phase by the shard's owner, read by all workers in the interest phase; see index.h. Changes are
 * noted one by one and applied at the end of the tick's changes, each as a whole or not at all; applying one twice has
 * the effect of once.
 */
#include "shards/classical/hex.h"

#include <string.h>

#include "shards/classical/hex_lattice.h"
#include "shards/classical/index_parts.h"
#include "shards/classical/slotset.h"
#include "shards/entity/entity_store.h"
#include "shards/simd/dispatch.h"

typedef struct hex_tower {
    phx_list home;   /* entities in its hexagon */
    phx_list border; /* other entities in its light */
    phx_hex_at at;
    uint32_t dirty_tick; /* the tick, in 32 bits, in which an entity in its light last changed, entered or left */
    uint32_t next;       /* of a free one */
    uint8_t level;       /* PHX_HEX_NO_LEVEL: it is free */
} hex_tower;

/* The towers with a slot in their light, at one level. */
typedef struct hex_entry {
    uint32_t tower[PHX_HEX_COVERS]; /* the first one is its home */
    phx_hex_at home;
    uint8_t count; /* 0: it is not in */
    uint8_t mask;  /* as in phx_hex_covers */
} hex_entry;

typedef struct hex_level {
    hex_entry *entries; /* by slot */
    uint32_t capacity;
    uint32_t observers;
    bool lit; /* in use: all live slots are in it */
} hex_level;

typedef struct hex {
    phx_index index;
    phx_hex_lattice lattice;
    const phx_kernels *kernels;
    hex_level levels[PHX_HEX_LEVELS];
    uint32_t usual; /* the level that is always in use */
    hex_tower *towers;
    uint32_t tower_count, towers_capacity, tower_free;
    phx_idmap places; /* level and place -> tower */
    phx_list_pool pool;
    uint8_t *level_of; /* by slot: the level that it is registered at, or PHX_HEX_NO_LEVEL */
    uint32_t level_of_capacity;
    phx_slot_notes notes;
} hex;

/* ---- towers ---- */

static uint64_t hex_tower_key(uint32_t level, phx_hex_at at)
{
    const int32_t MIDDLE = 1 << 27; /* coordinates are below 2^25, either way */
    return (uint64_t)(level + 1) << 56 | (uint64_t)(at.q + MIDDLE) << 28 | (uint64_t)(at.r + MIDDLE);
}

static uint32_t find_tower(const hex *own, uint32_t level, phx_hex_at at)
{
    const uint64_t *tower = phx_idmap_find(&own->places, hex_tower_key(level, at));
    return tower ? (uint32_t)*tower : PHX_HEX_NONE;
}

/* The tower, made if there is none; PHX_HEX_NONE = no memory. */
static uint32_t need_tower(hex *own, uint32_t level, phx_hex_at at)
{
    uint32_t tower = find_tower(own, level, at);
    if (tower != PHX_HEX_NONE) return tower;
    if (!phx_idmap_reserve(&own->places, phx_idmap_count(&own->places) + 1)) return PHX_HEX_NONE;
    tower = own->tower_free;
    if (tower == PHX_HEX_NONE) {
        if (!phx_grow(own->index.env.mem, (void **)&own->towers, &own->towers_capacity, own->tower_count,
                      (size_t)own->tower_count + 1, sizeof(hex_tower)))
            return PHX_HEX_NONE;
        tower = own->tower_count++;
    } else {
        own->tower_free = own->towers[tower].next;
    }
    own->towers[tower] =
        (hex_tower){.home = phx_slotset_empty(), .border = phx_slotset_empty(), .at = at, .level = (uint8_t)level};
    phx_idmap_insert(&own->places, hex_tower_key(level, at), tower);
    return tower;
}

static void free_tower(hex *own, uint32_t tower)
{
    hex_tower *at = &own->towers[tower];
    phx_idmap_remove(&own->places, hex_tower_key(at->level, at->at));
    phx_list_release(&own->pool, &at->home);
    phx_list_release(&own->pool, &at->border);
    at->level = PHX_HEX_NO_LEVEL;
    at->next = own->tower_free;
    own->tower_free = tower;
}

static phx_list *hex_tower_set(hex *own, uint32_t tower, uint32_t i)
{
    return i == 0 ? &own->towers[tower].home : &own->towers[tower].border;
}

/* ---- light ---- */

static void mark_entry_dirty(hex *own, const hex_entry *entry)
{
    for (uint32_t i = 0; i < entry->count; i++) own->towers[entry->tower[i]].dirty_tick = (uint32_t)own->index.tick;
}

/* Removes a slot from all sets of a level. The towers stay, perhaps empty. */
static void remove_from_sets(hex *own, hex_entry *entry, uint32_t slot)
{
    for (uint32_t i = 0; i < entry->count; i++)
        phx_slotset_remove(&own->pool, own->index.env.mem, own->kernels, hex_tower_set(own, entry->tower[i], i), slot);
    own->index.counts.steps += entry->count;
    entry->count = 0;
}

static void free_empty(hex *own, const hex_entry *entry, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const hex_tower *at = &own->towers[entry->tower[i]];
        if (at->level != PHX_HEX_NO_LEVEL && at->home.count + at->border.count == 0) free_tower(own, entry->tower[i]);
    }
}

static void remove_slot_cover(hex *own, hex_level *level, uint32_t slot)
{
    hex_entry *entry = &level->entries[slot], before = *entry;
    mark_entry_dirty(own, entry);
    remove_from_sets(own, entry, slot);
    free_empty(own, &before, before.count);
}

/* Makes the towers with the position in their light, with room for it. false = no memory; some may have been made. */
static bool open_towers(hex *own, uint32_t level, const phx_hex_covers *covers, hex_entry *entry)
{
    phx_mem *mem = own->index.env.mem;
    *entry = (hex_entry){.home = covers->at[0], .count = (uint8_t)covers->count, .mask = (uint8_t)covers->mask};
    for (uint32_t i = 0; i < covers->count; i++) {
        uint32_t tower = need_tower(own, level, covers->at[i]);
        if (tower == PHX_HEX_NONE || !phx_slotset_room(&own->pool, mem, hex_tower_set(own, tower, i))) return false;
        entry->tower[i] = tower;
    }
    return true;
}

/* Puts a live slot into the light of its position's towers, at one level. false = no memory. */
static bool cover_slot(hex *own, uint32_t level, uint32_t slot)
{
    const phx_body *body = &own->index.env.store->body[slot];
    hex_entry *entry = &own->levels[level].entries[slot], before = *entry, now;
    phx_hex_covers covers = phx_hex_covers_of(&own->lattice, level, body->x, body->y);
    bool same = entry->home.q == covers.at[0].q && entry->home.r == covers.at[0].r && entry->mask == covers.mask;
    mark_entry_dirty(own, entry);
    if (entry->count > 0 && same) return true;
    if (!open_towers(own, level, &covers, &now)) return false;
    /* added before it is removed: a set in which it stays would give its room away */
    for (uint32_t i = 0; i < now.count; i++) phx_slotset_add(&own->pool, hex_tower_set(own, now.tower[i], i), slot);
    remove_from_sets(own, entry, slot);
    *entry = now;
    own->index.counts.steps += now.count;
    mark_entry_dirty(own, entry);
    free_empty(own, &before, before.count);
    return true;
}

/* ---- levels ---- */

static void register_at(hex *own, uint32_t slot)
{
    const phx_store *store = own->index.env.store;
    float radius = store->body[slot].state & PHX_SLOT_LIVE ? phx_index_radius(store, slot) : -1.0f;
    uint8_t before = own->level_of[slot], now = PHX_HEX_NO_LEVEL;
    if (radius >= 0.0f) {
        phx_hex_box box = phx_hex_box_of(&own->lattice, phx_index_box(store, slot, radius));
        now = phx_hex_level(&own->lattice, box.half);
    }
    if (before != PHX_HEX_NO_LEVEL) own->levels[before].observers--;
    if (now != PHX_HEX_NO_LEVEL) own->levels[now].observers++;
    own->level_of[slot] = now;
}

static bool grow_entries(hex *own, hex_level *level, uint32_t slots)
{
    return phx_grow_zeroed(own->index.env.mem, (void **)&level->entries, &level->capacity, slots, sizeof(hex_entry));
}

/* Puts all live slots into a level. false = no memory. */
static bool light_level(hex *own, uint32_t level)
{
    const phx_store *store = own->index.env.store;
    if (!grow_entries(own, &own->levels[level], store->slots)) return false;
    for (uint32_t slot = 0; slot < store->slots; slot++)
        if ((store->body[slot].state & PHX_SLOT_LIVE) && !cover_slot(own, level, slot)) return false;
    own->levels[level].lit = true;
    return true;
}

static void dim_level(hex *own, uint32_t level)
{
    hex_level *at = &own->levels[level];
    for (uint32_t tower = 0; tower < own->tower_count; tower++)
        if (own->towers[tower].level == level) free_tower(own, tower);
    phx_release(own->index.env.mem, (void **)&at->entries, &at->capacity, sizeof(hex_entry));
    at->lit = false;
}

/* ---- changes ---- */

static bool hex_index_reserve(phx_index *index, uint32_t slots)
{
    hex *own = (hex *)index;
    phx_mem *mem = index->env.mem;
    uint32_t before = own->level_of_capacity;
    if (!phx_slot_notes_reserve(&own->notes, mem, slots)) return false;
    if (!phx_grow(mem, (void **)&own->level_of, &own->level_of_capacity, before, slots, sizeof(uint8_t))) return false;
    if (own->level_of_capacity > before)
        memset(own->level_of + before, PHX_HEX_NO_LEVEL, own->level_of_capacity - before);
    for (uint32_t level = 0; level < PHX_HEX_LEVELS; level++)
        if (own->levels[level].lit && !grow_entries(own, &own->levels[level], slots)) return false;
    return true;
}

static void hex_index_begin_tick(phx_index *index, uint64_t tick)
{
    (void)tick;
    ((hex *)index)->notes.count = 0;
}

static void hex_index_note(phx_index *index, uint32_t slot)
{
    hex *own = (hex *)index;
    phx_slot_notes_add(&own->notes, slot);
    register_at(own, slot);
}

/* Applies the notes to a level. false = no memory. */
static bool do_notes(hex *own, uint32_t level)
{
    const phx_store *store = own->index.env.store;
    for (uint32_t i = 0; i < own->notes.count; i++) {
        uint32_t slot = own->notes.slots[i];
        if (!(store->body[slot].state & PHX_SLOT_LIVE)) remove_slot_cover(own, &own->levels[level], slot);
        else if (!cover_slot(own, level, slot)) return false;
    }
    return true;
}

static bool hex_index_end_changes(phx_index *index)
{
    hex *own = (hex *)index;
    for (uint32_t level = 0; level < PHX_HEX_LEVELS; level++) {
        const hex_level *at = &own->levels[level];
        bool wanted = level == own->usual || at->observers > 0;
        if (!wanted && at->lit) dim_level(own, level);
        if (at->lit ? !do_notes(own, level) : wanted && !light_level(own, level)) return false;
    }
    return true;
}

/* ---- candidates ---- */

static void emit_set(const hex *own, const phx_list *set, phx_sink *sink)
{
    phx_sink_give(sink, phx_list_entries(&own->pool, set), set->count);
}

/* For a box too large for all levels in use: candidates are entities at home in the hexagons that it meets. */
static void around_wide(const hex *own, uint32_t level, const phx_hex_box *box, phx_sink *sink)
{
    phx_hex_range rows = phx_hex_rows(&own->lattice, level, box);
    phx_hex_range columns = phx_hex_columns(&own->lattice, level, box, rows.first);
    uint64_t hexagons = (uint64_t)(rows.last - rows.first + 1) * (uint64_t)(columns.last - columns.first + 1);
    if (hexagons > own->tower_count) { /* then a walk over all towers is shorter */
        sink->visited += own->tower_count;
        for (uint32_t tower = 0; tower < own->tower_count; tower++)
            if (own->towers[tower].level == level) emit_set(own, &own->towers[tower].home, sink);
        return;
    }
    sink->visited += hexagons;
    for (int32_t row = rows.first; row <= rows.last; row++) {
        columns = phx_hex_columns(&own->lattice, level, box, row);
        for (int32_t column = columns.first; column <= columns.last; column++) {
            uint32_t tower = find_tower(own, level, (phx_hex_at){column, row});
            if (tower != PHX_HEX_NONE) emit_set(own, &own->towers[tower].home, sink);
        }
    }
}

static void hex_index_around(const phx_index *index, phx_box box, phx_sink *sink)
{
    const hex *own = (const hex *)index;
    phx_hex_box in = phx_hex_box_of(&own->lattice, box);
    uint32_t level = phx_hex_level(&own->lattice, in.half), largest = level;
    while (level < PHX_HEX_LEVELS && !own->levels[level].lit) level++;
    if (level == PHX_HEX_LEVELS) {
        while (largest > 0 && !own->levels[largest].lit) largest--;
        if (own->levels[largest].lit) around_wide(own, largest, &in, sink); /* else no entity ever came */
        return;
    }
    uint32_t tower = find_tower(own, level, phx_hex_cell(&own->lattice, level, in.x, in.y));
    sink->visited++;
    if (tower == PHX_HEX_NONE) return;
    emit_set(own, &own->towers[tower].home, sink);
    emit_set(own, &own->towers[tower].border, sink);
}

/* Answers by the tower of the observer's level, with the observer itself in its light. */
static bool hex_index_dirty(const phx_index *index, uint32_t observer, phx_box box)
{
    const hex *own = (const hex *)index;
    uint8_t level = own->level_of[observer];
    PHX_ASSERT(level != PHX_HEX_NO_LEVEL && own->levels[level].lit);
    phx_hex_box in = phx_hex_box_of(&own->lattice, box);
    uint32_t tower = find_tower(own, level, phx_hex_cell(&own->lattice, level, in.x, in.y));
    PHX_ASSERT(tower != PHX_HEX_NONE);
    return own->towers[tower].dirty_tick == (uint32_t)index->tick;
}

/* ---- lifetime ---- */

static void hex_index_release(phx_index *index)
{
    hex *own = (hex *)index;
    phx_mem *mem = index->env.mem;
    for (uint32_t level = 0; level < PHX_HEX_LEVELS; level++)
        phx_release(mem, (void **)&own->levels[level].entries, &own->levels[level].capacity, sizeof(hex_entry));
    phx_release(mem, (void **)&own->towers, &own->towers_capacity, sizeof(hex_tower));
    phx_idmap_free(&own->places);
    phx_list_pool_free(&own->pool, mem);
    phx_release(mem, (void **)&own->level_of, &own->level_of_capacity, sizeof(uint8_t));
    phx_slot_notes_free(&own->notes, mem);
}

/* Half the side of the boxes of most observers, the widest class's, so that one level fits them. */
static double usual_half(const phx_rules *rules)
{
    double radius = 0.0, far = 0.0;
    for (uint32_t i = 0; i < rules->class_count; i++) {
        double wide = (double)rules->classes[i].view + rules->classes[i].margin;
        if (rules->classes[i].view > 0.0f && wide > radius) radius = wide;
    }
    if (radius == 0.0) radius = rules->tower_size;
    for (int axis = 0; axis < 2; axis++) {
        double end = fabs((double)rules->origin[axis]) + (double)rules->towers[axis] * rules->tower_size;
        far = end > far ? end : far;
    }
    return radius * (1 + 2e-6) + (far + radius) * 6e-7; /* the additions of phx_box_around(), and its roundings */
}

static bool hex_index_init(phx_index *index)
{
    hex *own = (hex *)index;
    const phx_rules *rules = index->env.rules;
    double usual = usual_half(rules);
    own->lattice = phx_hex_lattice_of(rules, usual);
    own->usual = phx_hex_level(&own->lattice, usual);
    own->kernels = phx_kernels_of(rules->simd);
    own->tower_free = PHX_HEX_NONE;
    phx_idmap_init(&own->places, index->env.mem);
    phx_list_pool_init(&own->pool);
    return true;
}

/* ---- validation ---- */

/* Is a live slot right at a level in use? Adds the places that it takes up. */
static bool entry_valid(const hex *own, uint32_t level, uint32_t slot, uint64_t *places)
{
    const phx_body *body = &own->index.env.store->body[slot];
    const hex_entry *entry = &own->levels[level].entries[slot];
    phx_hex_covers covers = phx_hex_covers_of(&own->lattice, level, body->x, body->y);
    if (entry->count != covers.count) return false;
    *places += entry->count;
    for (uint32_t i = 0; i < entry->count; i++) {
        const hex_tower *tower = &own->towers[entry->tower[i]];
        if (find_tower(own, level, covers.at[i]) != entry->tower[i]) return false;
        if (!phx_slotset_has(&own->pool, i == 0 ? &tower->home : &tower->border, slot)) return false;
    }
    return true;
}

static bool hex_index_valid(const phx_index *index)
{
    const hex *own = (const hex *)index;
    const phx_store *store = index->env.store;
    uint64_t places = 0, there = 0;
    for (uint32_t slot = 0; slot < store->slots; slot++)
        for (uint32_t level = 0; level < PHX_HEX_LEVELS; level++)
            if ((store->body[slot].state & PHX_SLOT_LIVE) && own->levels[level].lit &&
                !entry_valid(own, level, slot, &places))
                return false;
    for (uint32_t tower = 0; tower < own->tower_count; tower++) {
        const hex_tower *at = &own->towers[tower];
        if (at->level == PHX_HEX_NO_LEVEL) continue;
        if (!own->levels[at->level].lit || at->home.count + at->border.count == 0) return false;
        there += at->home.count + at->border.count;
    }
    return places == there;
}

const phx_index_ops phx_index_hex = {
    .bytes = sizeof(hex),
    .init = hex_index_init,
    .release = hex_index_release,
    .reserve = hex_index_reserve,
    .begin = hex_index_begin_tick,
    .insert = hex_index_note,
    .remove = hex_index_note,
    .move = hex_index_note,
    .turn = hex_index_end_changes,
    .around = hex_index_around,
    .any_dirty_near = hex_index_dirty,
    .valid = hex_index_valid,
};
