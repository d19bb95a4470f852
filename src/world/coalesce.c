/*
 * The net difference of one consumer; see coalesce.h for the rules. Used by consumer.c on
 * the ticking thread in phase "publish".
 *
 * Two pools (observers; entries, one per observer and target with a non-empty net) with
 * free lists, an open-addressing table over each (linear probing, deletion by shifting
 * back, so that it needs no cleaning), and a list of its entries in each observer. All
 * memory of a merge is had before its first change, so it is all or nothing.
 */
#include "world/coalesce.h"

#include <string.h>

#include "base/rng.h"

/* Pool indices are 32 bits, tables are at most half full and count their slots in 32 bits. */
enum { POOL_MAX = 1 << 30, TABLE_SLOTS_MIN = 64 };
#define NONE UINT32_MAX

typedef struct slot {
    uint32_t hash;
    uint32_t index1; /* pool index + 1; 0 = free */
} slot;

typedef struct table {
    slot *slots;
    uint32_t slot_count; /* a power of two, or 0 */
    uint32_t used;
} table;

/* The pending net for one target: has_leave of the incarnation last told, has_enter of the one there now. */
typedef struct entry {
    uint64_t target;
    uint64_t leave_user_data;
    uint64_t enter_user_data;
    uint32_t leave_incarnation;
    uint32_t enter_incarnation;
    uint32_t observer;
    uint32_t next; /* of the observer, or of the free list */
    uint32_t previous;
    uint16_t leave_kind;
    uint16_t enter_kind;
    bool has_leave;
    bool has_enter;
} entry;

typedef struct observer {
    uint64_t id; /* 0 = in the free list */
    uint64_t user_data;
    uint32_t first; /* newest entry; or next of the free list */
    uint32_t leaves;
    uint32_t enters;
    bool fresh;
} observer;

typedef struct sort_key {
    uint64_t id;
    uint32_t kind;
    uint32_t index;
} sort_key;

struct phx_coalesce {
    phx_mem *mem;
    observer *observers;
    uint32_t observers_capacity, observers_used, observers_free;
    entry *entries;
    uint32_t entries_capacity, entries_used, entries_free;
    table observer_table; /* its `used` is the number of live observers */
    table entry_table;
    sort_key *keys;       /* scratch of a delivery */
    sort_key *keys_spare;
    uint32_t keys_capacity, keys_spare_capacity;
    phx_coalesce_counts counts;
};

phx_coalesce *phx_coalesce_create(phx_mem *mem)
{
    phx_coalesce *co = phx_alloc_zero(mem, sizeof(*co), PHX_CACHE_LINE);
    if (co == NULL)
        return NULL;
    co->mem = mem;
    co->observers_free = NONE;
    co->entries_free = NONE;
    return co;
}

static void table_destroy(phx_mem *mem, table *t)
{
    phx_free(mem, t->slots, t->slot_count * sizeof(slot), PHX_CACHE_LINE);
}

void phx_coalesce_destroy(phx_coalesce *co)
{
    if (co == NULL)
        return;
    phx_release(co->mem, (void **)&co->observers, &co->observers_capacity, sizeof(*co->observers));
    phx_release(co->mem, (void **)&co->entries, &co->entries_capacity, sizeof(*co->entries));
    phx_release(co->mem, (void **)&co->keys, &co->keys_capacity, sizeof(*co->keys));
    phx_release(co->mem, (void **)&co->keys_spare, &co->keys_spare_capacity, sizeof(*co->keys_spare));
    table_destroy(co->mem, &co->observer_table);
    table_destroy(co->mem, &co->entry_table);
    phx_free(co->mem, co, sizeof(*co), PHX_CACHE_LINE);
}

phx_coalesce_counts phx_coalesce_count(const phx_coalesce *co)
{
    phx_coalesce_counts counts = co->counts;
    counts.observers = co->observer_table.used;
    return counts;
}

/* ---- tables ---- */

/* There must be a free slot: table_reserve() came first. */
static void table_insert(table *t, uint32_t hash, uint32_t index)
{
    uint32_t mask = t->slot_count - 1;
    uint32_t at = hash & mask;
    while (t->slots[at].index1 != 0)
        at = (at + 1) & mask;
    t->slots[at] = (slot){hash, index + 1};
    t->used++;
}

/* Makes room for `needed` in all, half full at most. false = no memory, nothing changed. */
static bool table_reserve(phx_mem *mem, table *t, uint64_t needed)
{
    PHX_ASSERT(needed <= POOL_MAX);
    uint32_t wanted = t->slot_count > TABLE_SLOTS_MIN ? t->slot_count : TABLE_SLOTS_MIN;
    while (wanted < 2 * needed)
        wanted *= 2;
    if (wanted == t->slot_count)
        return true;
    table grown = {phx_alloc_zero(mem, wanted * sizeof(slot), PHX_CACHE_LINE), wanted, 0};
    if (grown.slots == NULL)
        return false;
    for (uint32_t i = 0; i < t->slot_count; i++) {
        if (t->slots[i].index1 != 0)
            table_insert(&grown, t->slots[i].hash, t->slots[i].index1 - 1);
    }
    PHX_ASSERT(grown.used == t->used);
    table_destroy(mem, t);
    *t = grown;
    return true;
}

/* Takes out what points to pool index `index`, which is in it. */
static void table_remove(table *t, uint32_t hash, uint32_t index)
{
    uint32_t mask = t->slot_count - 1;
    uint32_t hole = hash & mask;
    while (t->slots[hole].index1 != index + 1) {
        PHX_ASSERT(t->slots[hole].index1 != 0);
        hole = (hole + 1) & mask;
    }
    /* What stands behind the hole moves into it, unless that is before its home. */
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

static void table_clear(table *t)
{
    if (t->used > 0)
        memset(t->slots, 0, t->slot_count * sizeof(slot));
    t->used = 0;
}

static uint32_t observer_hash(uint64_t id)
{
    return (uint32_t)(phx_mix64(id) >> 32);
}

static uint32_t entry_hash(uint32_t o, uint64_t target)
{
    return (uint32_t)(phx_mix64(target ^ phx_mix64(o + UINT64_C(1))) >> 32);
}

/* ---- pools ---- */

static uint32_t observer_find(const phx_coalesce *co, uint64_t id)
{
    const table *t = &co->observer_table;
    if (t->used == 0)
        return NONE;
    uint32_t mask = t->slot_count - 1;
    uint32_t hash = observer_hash(id);
    for (uint32_t at = hash & mask; t->slots[at].index1 != 0; at = (at + 1) & mask) {
        uint32_t o = t->slots[at].index1 - 1;
        if (t->slots[at].hash == hash && co->observers[o].id == id)
            return o;
    }
    return NONE;
}

static uint32_t observer_add(phx_coalesce *co, uint64_t id)
{
    uint32_t o = co->observers_free;
    if (o != NONE)
        co->observers_free = co->observers[o].first;
    else
        o = co->observers_used++;
    PHX_ASSERT(o < co->observers_capacity);
    co->observers[o] = (observer){.id = id, .first = NONE};
    table_insert(&co->observer_table, observer_hash(id), o);
    return o;
}

static void observer_remove(phx_coalesce *co, uint32_t o)
{
    observer *it = &co->observers[o];
    PHX_ASSERT(it->id != 0 && it->first == NONE);
    PHX_ASSERT(it->leaves == 0 && it->enters == 0);
    table_remove(&co->observer_table, observer_hash(it->id), o);
    it->id = 0;
    it->first = co->observers_free;
    co->observers_free = o;
}

static uint32_t entry_find(const phx_coalesce *co, uint32_t o, uint64_t target)
{
    const table *t = &co->entry_table;
    uint32_t mask = t->slot_count - 1;
    uint32_t hash = entry_hash(o, target);
    for (uint32_t at = hash & mask; t->slots[at].index1 != 0; at = (at + 1) & mask) {
        uint32_t e = t->slots[at].index1 - 1;
        if (t->slots[at].hash == hash && co->entries[e].target == target && co->entries[e].observer == o)
            return e;
    }
    return NONE;
}

static uint32_t entry_add(phx_coalesce *co, uint32_t o, uint64_t target)
{
    uint32_t e = co->entries_free;
    if (e != NONE)
        co->entries_free = co->entries[e].next;
    else
        e = co->entries_used++;
    PHX_ASSERT(e < co->entries_capacity);
    uint32_t next = co->observers[o].first;
    co->entries[e] = (entry){.target = target, .observer = o, .next = next, .previous = NONE};
    if (next != NONE)
        co->entries[next].previous = e;
    co->observers[o].first = e;
    table_insert(&co->entry_table, entry_hash(o, target), e);
    return e;
}

static void entry_remove(phx_coalesce *co, uint32_t e)
{
    entry *it = &co->entries[e];
    if (it->previous != NONE)
        co->entries[it->previous].next = it->next;
    else
        co->observers[it->observer].first = it->next;
    if (it->next != NONE)
        co->entries[it->next].previous = it->previous;
    table_remove(&co->entry_table, entry_hash(it->observer, it->target), e);
    it->next = co->entries_free;
    co->entries_free = e;
}

/* ---- merging ---- */

static void merge_leave(phx_coalesce *co, uint32_t o, const ph_target *target, uint16_t kind, uint32_t incarnation)
{
    uint32_t e = entry_find(co, o, target->id);
    if (e != NONE && co->entries[e].has_enter) {
        PHX_ASSERT(co->entries[e].enter_incarnation == incarnation);
        co->entries[e].has_enter = false;
        co->observers[o].enters--;
        co->counts.pending--;
        co->counts.cancelled += 2;
        if (!co->entries[e].has_leave)
            entry_remove(co, e);
        return;
    }
    PHX_ASSERT(e == NONE);                /* or it left twice */
    PHX_ASSERT(!co->observers[o].fresh);  /* a fresh list starts from nothing */
    e = entry_add(co, o, target->id);
    co->entries[e].has_leave = true;
    co->entries[e].leave_kind = kind;
    co->entries[e].leave_user_data = target->user_data;
    co->entries[e].leave_incarnation = incarnation;
    co->observers[o].leaves++;
    co->counts.pending++;
}

static void merge_enter(phx_coalesce *co, uint32_t o, const ph_target *target, uint16_t kind, uint32_t incarnation)
{
    uint32_t e = entry_find(co, o, target->id);
    if (e == NONE)
        e = entry_add(co, o, target->id);
    entry *it = &co->entries[e];
    PHX_ASSERT(!it->has_enter); /* or it entered twice */
    if (it->has_leave && it->leave_incarnation == incarnation) {
        co->observers[o].leaves--;
        co->counts.pending--;
        co->counts.cancelled += 2;
        entry_remove(co, e);
        return;
    }
    it->has_enter = true;
    it->enter_kind = kind;
    it->enter_user_data = target->user_data;
    it->enter_incarnation = incarnation;
    co->observers[o].enters++;
    co->counts.pending++;
}

static void drop_entries(phx_coalesce *co, uint32_t o)
{
    observer *it = &co->observers[o];
    uint64_t events = (uint64_t)it->leaves + it->enters;
    PHX_ASSERT(co->counts.pending >= events);
    co->counts.pending -= events;
    co->counts.forgotten += events;
    while (it->first != NONE)
        entry_remove(co, it->first);
    it->leaves = 0;
    it->enters = 0;
}

static void merge_change(phx_coalesce *co, const phx_batch *batch, const ph_change *change)
{
    PHX_ASSERT(change->observer != 0);
    PHX_ASSERT((uint64_t)change->first + change->leave_count + change->enter_count <= batch->view.target_count);
    uint32_t o = observer_find(co, change->observer);
    if (o == NONE)
        o = observer_add(co, change->observer);
    if (change->flags & PH_CHANGE_FRESH) {
        drop_entries(co, o);
        co->observers[o].fresh = true;
    }
    co->observers[o].user_data = change->user_data;
    uint32_t enters = change->first + change->leave_count;
    uint32_t end = enters + change->enter_count;
    for (uint32_t i = change->first; i < enters; i++)
        merge_leave(co, o, &batch->targets[i], batch->kinds[i], batch->incarnations[i]);
    for (uint32_t i = enters; i < end; i++)
        merge_enter(co, o, &batch->targets[i], batch->kinds[i], batch->incarnations[i]);
    co->counts.merged += end - change->first;
    if (co->observers[o].first == NONE && !co->observers[o].fresh)
        observer_remove(co, o);
}

bool phx_coalesce_merge(phx_coalesce *co, const phx_batch *batch)
{
    PHX_ASSERT(phx_batch_valid(batch));
    /* At worst every change is a new observer and every target a new entry. */
    uint64_t observers = (uint64_t)co->observer_table.used + batch->view.change_count;
    uint64_t entries = (uint64_t)co->entry_table.used + batch->view.target_count;
    if (observers > POOL_MAX || entries > POOL_MAX)
        return false;
    if (!phx_grow(co->mem, (void **)&co->observers, &co->observers_capacity, co->observers_used, observers,
                  sizeof(*co->observers)) ||
        !phx_grow(co->mem, (void **)&co->entries, &co->entries_capacity, co->entries_used, entries,
                  sizeof(*co->entries)) ||
        !table_reserve(co->mem, &co->observer_table, observers) ||
        !table_reserve(co->mem, &co->entry_table, entries))
        return false;
    for (uint32_t i = 0; i < batch->view.change_count; i++)
        merge_change(co, batch, &batch->changes[i]);
    PHX_VALIDATE(co->counts.merged ==
                 co->counts.drained + co->counts.cancelled + co->counts.forgotten + co->counts.pending);
    return true;
}

void phx_coalesce_forget(phx_coalesce *co, uint64_t id)
{
    uint32_t o = observer_find(co, id);
    if (o == NONE)
        return;
    drop_entries(co, o);
    observer_remove(co, o);
}

/* ---- delivery ---- */

static bool key_less(const sort_key *a, const sort_key *b)
{
    return a->kind != b->kind ? a->kind < b->kind : a->id < b->id;
}

static bool keys_sorted(const sort_key *keys, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (key_less(&keys[i], &keys[i - 1]))
            return false;
    }
    return true;
}

/*
 * Merge sort by (kind, id), from runs of 1 up, to and fro between two arrays; returns the
 * one with the result. libc's qsort() may allocate behind the allocator's back.
 */
static const sort_key *keys_sort(sort_key *keys, sort_key *spare, uint32_t count)
{
    if (keys_sorted(keys, count)) /* as of one tick, which is common */
        return keys;
    for (uint64_t width = 1; width < count; width *= 2) {
        for (uint64_t low = 0; low < count; low += 2 * width) {
            uint64_t middle = low + width < count ? low + width : count;
            uint64_t high = middle + width < count ? middle + width : count;
            uint64_t a = low, b = middle;
            for (uint64_t i = low; i < high; i++) {
                bool right = b < high && (a == middle || key_less(&keys[b], &keys[a]));
                spare[i] = right ? keys[b++] : keys[a++];
            }
        }
        sort_key *sorted = spare;
        spare = keys;
        keys = sorted;
    }
    return keys;
}

/* Writes the observer's leaves, or its enters, from target `at` on. */
static void drain_side(phx_coalesce *co, const observer *it, bool enters, phx_batch *batch, uint32_t at)
{
    uint32_t count = enters ? it->enters : it->leaves;
    uint32_t left = count; /* backwards: the list has the newest first, and one tick's come in order */
    for (uint32_t e = it->first; e != NONE; e = co->entries[e].next) {
        const entry *from = &co->entries[e];
        if (enters ? from->has_enter : from->has_leave)
            co->keys[--left] = (sort_key){from->target, enters ? from->enter_kind : from->leave_kind, e};
    }
    PHX_ASSERT(left == 0);
    const sort_key *keys = keys_sort(co->keys, co->keys_spare, count);
    for (uint32_t i = 0; i < count; i++) {
        const entry *from = &co->entries[keys[i].index];
        batch->targets[at + i] = (ph_target){from->target, enters ? from->enter_user_data : from->leave_user_data};
        batch->kinds[at + i] = enters ? from->enter_kind : from->leave_kind;
        batch->incarnations[at + i] = enters ? from->enter_incarnation : from->leave_incarnation;
    }
}

/* The change's targets come in the order of changes; `first` of each is known beforehand. */
static uint32_t drain_changes(phx_coalesce *co, phx_batch *batch)
{
    uint32_t count = 0;
    for (uint32_t o = 0; o < co->observers_used; o++) {
        if (co->observers[o].id != 0)
            co->keys[count++] = (sort_key){co->observers[o].id, 0, o};
    }
    const sort_key *keys = keys_sort(co->keys, co->keys_spare, count);
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        const observer *it = &co->observers[keys[i].index];
        uint32_t flags = it->fresh ? PH_CHANGE_FRESH : 0;
        batch->changes[i] = (ph_change){it->id, it->user_data, first, it->leaves, it->enters, flags};
        first += it->leaves + it->enters;
    }
    PHX_ASSERT(first == co->counts.pending);
    return count;
}

static bool drain_reserve(phx_coalesce *co, phx_batch *batch)
{
    uint32_t keys = co->observer_table.used;
    for (uint32_t o = 0; o < co->observers_used; o++) {
        const observer *it = &co->observers[o];
        if (it->id == 0)
            continue;
        keys = it->leaves > keys ? it->leaves : keys;
        keys = it->enters > keys ? it->enters : keys;
    }
    return phx_grow(co->mem, (void **)&co->keys, &co->keys_capacity, 0, keys, sizeof(*co->keys)) &&
           phx_grow(co->mem, (void **)&co->keys_spare, &co->keys_spare_capacity, 0, keys, sizeof(*co->keys_spare)) &&
           phx_batch_reserve(co->mem, batch, co->observer_table.used, co->counts.pending);
}

static void drain_reset(phx_coalesce *co)
{
    co->counts.drained += co->counts.pending;
    co->counts.pending = 0;
    table_clear(&co->observer_table);
    table_clear(&co->entry_table);
    co->observers_used = 0;
    co->entries_used = 0;
    co->observers_free = NONE;
    co->entries_free = NONE;
}

bool phx_coalesce_drain(phx_coalesce *co, phx_batch *batch)
{
    if (!drain_reserve(co, batch))
        return false;
    batch->view.change_count = drain_changes(co, batch);
    batch->view.target_count = (uint32_t)co->counts.pending;
    for (uint32_t i = 0; i < batch->view.change_count; i++) {
        const ph_change *change = &batch->changes[i];
        uint32_t o = observer_find(co, change->observer);
        drain_side(co, &co->observers[o], false, batch, change->first);
        drain_side(co, &co->observers[o], true, batch, change->first + change->leave_count);
    }
    drain_reset(co);
    return true;
}
