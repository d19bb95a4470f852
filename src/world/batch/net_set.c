/*
 * Observers and entries of a net difference; see net_set.h. Called by net_changes.c and update_backlog.c.
 */
#include "world/batch/net_set.h"

#include <string.h>

#include "base/rng.h"

/* Pool indices are 32 bits, tables are at most half full and count their slots in 32 bits. */
enum { POOL_MAX = 1 << 30, TABLE_SLOTS_MIN = 64 };
/* A table emptier than this is cleared entry by entry, so that a table that was once large is not walked for a few. */
enum { CLEAR_WHOLE_SHARE = 16 };

/* ---- tables ---- */

static void table_destroy(phx_mem *mem, phx_net_table *t)
{
    phx_free(mem, t->slots, t->slot_count * sizeof(phx_net_slot), PHX_CACHE_LINE);
}

/* Inserts; table_reserve() made room. */
static void table_insert(phx_net_table *t, uint32_t hash, uint32_t index)
{
    PHX_ASSERT(t->used < t->slot_count / 2);
    uint32_t mask = t->slot_count - 1;
    uint32_t at = hash & mask;
    while (t->slots[at].index1 != 0) {
        at = (at + 1) & mask;
    }
    t->slots[at] = (phx_net_slot){hash, index + 1};
    t->used++;
}

/* Makes room for `needed` in all, half full at most. false = no memory, nothing changed. */
static bool table_reserve(phx_mem *mem, phx_net_table *t, uint64_t needed)
{
    PHX_ASSERT(needed <= POOL_MAX);
    uint32_t wanted = t->slot_count > TABLE_SLOTS_MIN ? t->slot_count : TABLE_SLOTS_MIN;
    while (wanted < 2 * needed) {
        wanted *= 2;
    }
    if (wanted == t->slot_count) {
        return true;
    }
    phx_net_table grown = {phx_alloc_zero(mem, wanted * sizeof(phx_net_slot), PHX_CACHE_LINE), wanted, 0};
    if (grown.slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < t->slot_count; i++) {
        if (t->slots[i].index1 != 0) {
            table_insert(&grown, t->slots[i].hash, t->slots[i].index1 - 1);
        }
    }
    PHX_ASSERT(grown.used == t->used);
    table_destroy(mem, t);
    *t = grown;
    return true;
}

/* Removes the slot that points to pool index `index`, which is in the table. */
static void table_remove(phx_net_table *t, uint32_t hash, uint32_t index)
{
    uint32_t mask = t->slot_count - 1;
    uint32_t hole = hash & mask;
    while (t->slots[hole].index1 != index + 1) {
        PHX_ASSERT(t->slots[hole].index1 != 0);
        hole = (hole + 1) & mask;
    }
    /* Slots behind the hole move into it, unless that is before their home. */
    for (uint32_t at = (hole + 1) & mask; t->slots[at].index1 != 0; at = (at + 1) & mask) {
        uint32_t home = t->slots[at].hash & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            t->slots[hole] = t->slots[at];
            hole = at;
        }
    }
    t->slots[hole].index1 = 0;
    t->used--;
}

static uint32_t id_hash(const phx_net_set *set, uint64_t id)
{
    return (uint32_t)(phx_hash_any(set->mem->key, id) >> 32);
}

static uint32_t entry_hash(const phx_net_set *set, uint32_t o, uint64_t target)
{
    return (uint32_t)(phx_hash_both(set->mem->key, target, o) >> 32);
}

/* ---- pools ---- */

void phx_net_set_init(phx_net_set *set, phx_mem *mem)
{
    *set = (phx_net_set){.mem = mem,
                         .observers_free = PHX_NET_SET_NONE,
                         .entries_free = PHX_NET_SET_NONE,
                         .names_free = PHX_NET_SET_NONE};
}

void phx_net_set_release(phx_net_set *set)
{
    phx_release(set->mem, (void **)&set->observers, &set->observers_capacity, sizeof(*set->observers));
    phx_release(set->mem, (void **)&set->entries, &set->entries_capacity, sizeof(*set->entries));
    phx_release(set->mem, (void **)&set->names, &set->names_capacity, sizeof(*set->names));
    table_destroy(set->mem, &set->observer_table);
    table_destroy(set->mem, &set->entry_table);
    table_destroy(set->mem, &set->name_table);
    phx_net_set_init(set, set->mem);
}

bool phx_net_set_reserve(phx_net_set *set, uint32_t observers_more, uint32_t entries_more, uint32_t names_more)
{
    PHX_ASSERT(names_more <= entries_more);
    uint64_t observers = (uint64_t)set->observer_table.used + observers_more;
    uint64_t entries = (uint64_t)set->entry_table.used + entries_more;
    uint64_t names = (uint64_t)set->name_table.used + names_more; /* no more than entries */
    if (observers > POOL_MAX || entries > POOL_MAX) {
        return false;
    }
    /* Free ones are used first, so a pool never holds more than `used` live ones and the new ones. */
    return phx_grow(set->mem, (void **)&set->observers, &set->observers_capacity, set->observers_used, observers,
                    sizeof(*set->observers)) &&
           phx_grow(set->mem, (void **)&set->entries, &set->entries_capacity, set->entries_used, entries,
                    sizeof(*set->entries)) &&
           phx_grow(set->mem, (void **)&set->names, &set->names_capacity, set->names_used, names,
                    sizeof(*set->names)) &&
           table_reserve(set->mem, &set->observer_table, observers) &&
           table_reserve(set->mem, &set->entry_table, entries) && table_reserve(set->mem, &set->name_table, names);
}

uint32_t phx_net_set_observer_find(const phx_net_set *set, uint64_t id)
{
    const phx_net_table *t = &set->observer_table;
    if (t->used == 0) {
        return PHX_NET_SET_NONE;
    }
    uint32_t mask = t->slot_count - 1;
    uint32_t hash = id_hash(set, id);
    for (uint32_t at = hash & mask; t->slots[at].index1 != 0; at = (at + 1) & mask) {
        uint32_t o = t->slots[at].index1 - 1;
        if (t->slots[at].hash == hash && set->observers[o].id == id) {
            return o;
        }
    }
    return PHX_NET_SET_NONE;
}

uint32_t phx_net_set_observer_add(phx_net_set *set, uint64_t id)
{
    uint32_t o = set->observers_free;
    if (o != PHX_NET_SET_NONE) {
        set->observers_free = set->observers[o].first;
    } else {
        o = set->observers_used++;
    }
    PHX_ASSERT(o < set->observers_capacity);
    set->observers[o] = (phx_net_observer){.id = id, .first = PHX_NET_SET_NONE};
    table_insert(&set->observer_table, id_hash(set, id), o);
    return o;
}

void phx_net_set_observer_remove(phx_net_set *set, uint32_t o)
{
    phx_net_observer *it = &set->observers[o];
    PHX_ASSERT(it->id != 0 && it->first == PHX_NET_SET_NONE);
    PHX_ASSERT(it->leaves == 0 && it->enters == 0);
    table_remove(&set->observer_table, id_hash(set, it->id), o);
    it->id = 0;
    it->first = set->observers_free;
    set->observers_free = o;
}

void phx_net_set_entry_prefetch(const phx_net_set *set, uint32_t o, uint64_t target)
{
    const phx_net_table *t = &set->entry_table;
    PHX_ASSERT(t->slot_count > 0);
    __builtin_prefetch(&t->slots[entry_hash(set, o, target) & (t->slot_count - 1)], 1);
}

uint32_t phx_net_set_entry_find(const phx_net_set *set, uint32_t o, uint64_t target)
{
    const phx_net_table *t = &set->entry_table;
    uint32_t mask = t->slot_count - 1;
    uint32_t hash = entry_hash(set, o, target);
    for (uint32_t at = hash & mask; t->slots[at].index1 != 0; at = (at + 1) & mask) {
        uint32_t e = t->slots[at].index1 - 1;
        if (t->slots[at].hash == hash && set->entries[e].target == target && set->entries[e].observer == o) {
            return e;
        }
    }
    return PHX_NET_SET_NONE;
}

uint32_t phx_net_set_entry_add(phx_net_set *set, uint32_t o, uint64_t target)
{
    uint32_t e = set->entries_free;
    if (e != PHX_NET_SET_NONE) {
        set->entries_free = set->entries[e].next;
    } else {
        e = set->entries_used++;
    }
    PHX_ASSERT(e < set->entries_capacity);
    uint32_t next = set->observers[o].first;
    set->entries[e] = (phx_net_entry){
        .target = target, .observer = o, .next = next, .previous = PHX_NET_SET_NONE, .name = PHX_NET_SET_NONE};
    if (next != PHX_NET_SET_NONE) {
        set->entries[next].previous = e;
    }
    set->observers[o].first = e;
    table_insert(&set->entry_table, entry_hash(set, o, target), e);
    return e;
}

void phx_net_set_entry_remove(phx_net_set *set, uint32_t e)
{
    phx_net_entry *it = &set->entries[e];
    if (it->name != PHX_NET_SET_NONE) {
        phx_net_set_unname(set, e);
    }
    if (it->previous != PHX_NET_SET_NONE) {
        set->entries[it->previous].next = it->next;
    } else {
        set->observers[it->observer].first = it->next;
    }
    if (it->next != PHX_NET_SET_NONE) {
        set->entries[it->next].previous = it->previous;
    }
    table_remove(&set->entry_table, entry_hash(set, it->observer, it->target), e);
    it->next = set->entries_free;
    set->entries_free = e;
}

/* ---- names ---- */

static bool same_stay(phx_net_stay a, phx_net_stay b)
{
    return a.id == b.id && a.incarnation == b.incarnation;
}

static uint32_t name_find(const phx_net_set *set, phx_net_stay of)
{
    const phx_net_table *t = &set->name_table;
    if (t->used == 0) {
        return PHX_NET_SET_NONE;
    }
    uint32_t mask = t->slot_count - 1;
    uint32_t hash = id_hash(set, of.id);
    for (uint32_t at = hash & mask; t->slots[at].index1 != 0; at = (at + 1) & mask) {
        uint32_t n = t->slots[at].index1 - 1;
        if (t->slots[at].hash == hash && same_stay(set->names[n].of, of)) {
            return n;
        }
    }
    return PHX_NET_SET_NONE;
}

static uint32_t name_add(phx_net_set *set, phx_net_stay of)
{
    uint32_t n = set->names_free;
    if (n != PHX_NET_SET_NONE) {
        set->names_free = set->names[n].next;
    } else {
        n = set->names_used++;
    }
    PHX_ASSERT(n < set->names_capacity);
    set->names[n] = (phx_net_name){.of = of};
    table_insert(&set->name_table, id_hash(set, of.id), n);
    return n;
}

void phx_net_set_name(phx_net_set *set, uint32_t e, phx_net_stay of, uint16_t kind, uint64_t user_data)
{
    phx_net_entry *it = &set->entries[e];
    if (it->name == PHX_NET_SET_NONE) {
        uint32_t n = name_find(set, of);
        it->name = n != PHX_NET_SET_NONE ? n : name_add(set, of);
        set->names[it->name].users++;
    }
    PHX_ASSERT(same_stay(set->names[it->name].of, of));
    set->names[it->name].kind = kind;
    set->names[it->name].user_data = user_data;
}

void phx_net_set_unname(phx_net_set *set, uint32_t e)
{
    uint32_t n = set->entries[e].name;
    phx_net_name *name = &set->names[n];
    PHX_ASSERT(name->users > 0);
    set->entries[e].name = PHX_NET_SET_NONE;
    if (--name->users > 0) {
        return;
    }
    table_remove(&set->name_table, id_hash(set, name->of.id), n);
    name->next = set->names_free;
    set->names_free = n;
}

void phx_net_set_rename(phx_net_set *set, phx_net_stay of, uint16_t kind, uint64_t user_data)
{
    uint32_t o = phx_net_set_observer_find(set, of.id);
    uint32_t n = name_find(set, of);
    if (o != PHX_NET_SET_NONE) {
        set->observers[o].user_data = user_data;
    }
    if (n != PHX_NET_SET_NONE) {
        set->names[n].kind = kind;
        set->names[n].user_data = user_data;
    }
}

/* ---- all entries of an observer, or of all observers ---- */

void phx_net_set_observer_clear(phx_net_set *set, uint32_t o)
{
    PHX_ASSERT(set->observers[o].id != 0);
    while (set->observers[o].first != PHX_NET_SET_NONE) {
        phx_net_set_entry_remove(set, set->observers[o].first);
    }
    set->observers[o].leaves = 0;
    set->observers[o].enters = 0;
}

static bool table_wipe_is_cheap(const phx_net_table *t)
{
    return t->used >= t->slot_count / CLEAR_WHOLE_SHARE;
}

static void table_wipe(phx_net_table *t)
{
    if (t->slots != NULL) {
        memset(t->slots, 0, t->slot_count * sizeof(*t->slots));
    }
    t->used = 0;
}

/* Clears all names; entries that used them are removed already, or will be as a whole. */
static void names_clear(phx_net_set *set)
{
    if (table_wipe_is_cheap(&set->name_table)) {
        table_wipe(&set->name_table);
    }
    for (uint32_t n = 0; set->name_table.used > 0; n++) {
        PHX_ASSERT(n < set->names_used);
        if (set->names[n].users > 0) {
            table_remove(&set->name_table, id_hash(set, set->names[n].of.id), n);
        }
    }
}

void phx_net_set_clear(phx_net_set *set)
{
    if (table_wipe_is_cheap(&set->entry_table) && table_wipe_is_cheap(&set->observer_table)) {
        table_wipe(&set->entry_table);
        table_wipe(&set->observer_table);
        names_clear(set);
    }
    for (uint32_t o = 0; set->observer_table.used > 0; o++) {
        PHX_ASSERT(o < set->observers_used);
        if (set->observers[o].id == 0) {
            continue;
        }
        phx_net_set_observer_clear(set, o);
        phx_net_set_observer_remove(set, o);
    }
    PHX_ASSERT(set->entry_table.used == 0 && set->name_table.used == 0);
    set->observers_used = 0;
    set->entries_used = 0;
    set->names_used = 0;
    set->names_free = PHX_NET_SET_NONE;
    set->observers_free = PHX_NET_SET_NONE;
    set->entries_free = PHX_NET_SET_NONE;
}
