/*
 * The net difference of one consumer; see net_changes.h for the rules, net_set.h for the storage. Used by
 * consumer_queue.c on the ticking thread in the publish phase. All memory of a merge is reserved before its first
 * change, so it is all or nothing.
 */
#include "world/batch/net_changes.h"

#include "world/batch/net_set.h"

#define NONE PHX_NET_SET_NONE

/* Distance of prefetches: some searches are under way at once; more than a few are enough. */
enum { PREFETCH_DISTANCE = 8 };

typedef struct sort_key {
    uint64_t id;
    uint32_t kind; /* with order bits above it: key_kind() */
    uint32_t index;
} sort_key;

struct phx_net_changes {
    phx_mem *mem;
    const phx_net_world *world; /* NULL: none */
    phx_net_set set;
    sort_key *keys; /* scratch of a delivery */
    sort_key *keys_spare;
    uint32_t keys_capacity;
    uint32_t keys_spare_capacity;
    phx_net_changes_counts counts; /* without `observers` */
};

phx_net_changes *phx_net_changes_create(phx_mem *mem, const phx_net_world *world)
{
    phx_net_changes *co = phx_alloc_zero(mem, sizeof(*co), PHX_CACHE_LINE);
    if (co == NULL) {
        return NULL;
    }
    co->mem = mem;
    co->world = world;
    phx_net_set_init(&co->set, mem);
    return co;
}

void phx_net_changes_destroy(phx_net_changes *co)
{
    if (co == NULL) {
        return;
    }
    phx_net_set_release(&co->set);
    phx_release(co->mem, (void **)&co->keys, &co->keys_capacity, sizeof(*co->keys));
    phx_release(co->mem, (void **)&co->keys_spare, &co->keys_spare_capacity, sizeof(*co->keys_spare));
    phx_free(co->mem, co, sizeof(*co), PHX_CACHE_LINE);
}

phx_net_changes_counts phx_net_changes_count(const phx_net_changes *co)
{
    phx_net_changes_counts counts = co->counts;
    counts.observers = co->set.observer_table.used;
    return counts;
}

/* ---- merging ---- */

static void count_pending(phx_net_changes *co)
{
    co->counts.merged++;
    co->counts.pending++;
}

static void count_cancelled(phx_net_changes *co)
{
    PHX_ASSERT(co->counts.pending > 0);
    co->counts.merged++;
    co->counts.pending--;
    co->counts.cancelled += 2;
}

/* What a leave keeps of its event. */
typedef struct leave_event {
    const ph_target *target;
    uint32_t incarnation;
    uint16_t kind;
    uint8_t cause;
} leave_event;

/* e: of the target, or NONE. */
static void merge_leave(phx_net_changes *co, uint32_t o, uint32_t e, leave_event event)
{
    phx_net_observer *observer = &co->set.observers[o];
    if (e != NONE && co->set.entries[e].has_enter) {
        phx_net_entry *entry = &co->set.entries[e];
        PHX_ASSERT(entry->enter_incarnation == event.incarnation);
        entry->has_enter = false;
        phx_net_set_unname(&co->set, e);
        observer->enters--;
        count_cancelled(co);
        if (!entry->has_leave) {
            phx_net_set_entry_remove(&co->set, e);
        }
        return;
    }
    PHX_ASSERT(e == NONE);        /* else it left twice */
    PHX_ASSERT(!observer->fresh); /* a fresh list begins empty */
    e = phx_net_set_entry_add(&co->set, o, event.target->id);
    phx_net_entry *entry = &co->set.entries[e];
    entry->has_leave = true;
    entry->leave_kind = event.kind;
    entry->leave_user_data = event.target->user_data;
    entry->leave_incarnation = event.incarnation;
    entry->leave_cause = event.cause;
    entry->leave_depth = (uint8_t)(co->world != NULL ? phx_depths_before(co->world->depths, event.target->id) : 0);
    observer->leaves++;
    count_pending(co);
}

/* e: of the target, or NONE; named: owner of kind and user data: the target's id, or, for an edge, the entity's. */
static void merge_enter(phx_net_changes *co, uint32_t o, uint32_t e, const ph_target *target, uint64_t named,
                        uint16_t kind, uint32_t incarnation)
{
    phx_net_observer *observer = &co->set.observers[o];
    if (e == NONE) {
        e = phx_net_set_entry_add(&co->set, o, target->id);
    }
    phx_net_entry *entry = &co->set.entries[e];
    PHX_ASSERT(!entry->has_enter); /* else it entered twice */
    if (entry->has_leave && entry->leave_incarnation == incarnation) {
        observer->leaves--;
        count_cancelled(co);
        phx_net_set_entry_remove(&co->set, e);
        return;
    }
    entry->has_enter = true;
    entry->enter_incarnation = incarnation;
    phx_net_set_name(&co->set, e, (phx_net_stay){named, incarnation}, kind, target->user_data);
    observer->enters++;
    count_pending(co);
}

static void drop_entries(phx_net_changes *co, uint32_t o)
{
    const phx_net_observer *observer = &co->set.observers[o];
    uint64_t events = (uint64_t)observer->leaves + observer->enters;
    PHX_ASSERT(co->counts.pending >= events);
    co->counts.pending -= events;
    co->counts.discarded += events;
    phx_net_set_observer_clear(&co->set, o);
}

/* Prefetches: each search misses the cache, so several are under way at once. */
static void prefetch_ahead(const phx_net_changes *co, uint32_t o, const phx_batch *batch, uint32_t i, uint32_t end)
{
    if (i + PREFETCH_DISTANCE < end) {
        phx_net_set_entry_prefetch(&co->set, o, batch->columns.targets[i + PREFETCH_DISTANCE].id);
    }
}

static void merge_change(phx_net_changes *co, const phx_batch *batch, const ph_change *change)
{
    PHX_ASSERT(change->observer != 0);
    PHX_ASSERT((uint64_t)change->first + change->leave_count + change->enter_count <= batch->given.target_count);
    uint32_t o = phx_net_set_observer_find(&co->set, change->observer);
    if (o == NONE) {
        o = phx_net_set_observer_add(&co->set, change->observer);
    }
    if (change->flags & PH_CHANGE_FRESH) {
        drop_entries(co, o);
        co->set.observers[o].fresh = true;
    }
    co->set.observers[o].user_data = change->user_data;
    co->set.observers[o].more = (change->flags & PH_CHANGE_MORE) != 0;
    const phx_event_columns *from = &batch->columns;
    uint32_t enters = change->first + change->leave_count;
    uint32_t end = enters + change->enter_count;
    for (uint32_t i = change->first; i < enters; i++) {
        prefetch_ahead(co, o, batch, i, end);
        const uint32_t e = phx_net_set_entry_find(&co->set, o, from->targets[i].id);
        merge_leave(co, o, e, (leave_event){&from->targets[i], from->incarnations[i], from->kinds[i], from->causes[i]});
    }
    for (uint32_t i = enters; i < end; i++) {
        prefetch_ahead(co, o, batch, i, end);
        const uint32_t e = phx_net_set_entry_find(&co->set, o, from->targets[i].id);
        merge_enter(co, o, e, &from->targets[i], from->targets[i].id, from->kinds[i], from->incarnations[i]);
    }
    if (co->set.observers[o].first == NONE && !co->set.observers[o].fresh) {
        phx_net_set_observer_remove(&co->set, o);
    }
}

bool phx_net_changes_reserve(phx_net_changes *co, const phx_batch *batch)
{
    uint32_t enters = 0;
    for (uint32_t i = 0; i < batch->given.change_count; i++) {
        enters += batch->changes[i].enter_count;
    }
    /* At worst every change has a new observer, every target a new entry, and every enter another target. */
    return phx_net_set_reserve(&co->set, batch->given.change_count, batch->given.target_count, enters);
}

bool phx_net_changes_merge(phx_net_changes *co, const phx_batch *batch)
{
    PHX_ASSERT(phx_batch_valid(batch));
    if (!phx_net_changes_reserve(co, batch)) {
        return false;
    }
    for (uint32_t i = 0; i < batch->given.change_count; i++) {
        merge_change(co, batch, &batch->changes[i]);
    }
    PHX_ASSERT(co->counts.merged ==
               co->counts.drained + co->counts.cancelled + co->counts.discarded + co->counts.pending);
    return true;
}

void phx_net_changes_rename(phx_net_changes *co, const phx_rename *item)
{
    phx_net_set_rename(&co->set, (phx_net_stay){item->id, item->incarnation}, item->kind, item->user_data);
}

void phx_net_changes_drop_observer(phx_net_changes *co, uint64_t observer)
{
    uint32_t o = phx_net_set_observer_find(&co->set, observer);
    if (o == NONE) {
        return;
    }
    drop_entries(co, o);
    phx_net_set_observer_remove(&co->set, o);
}

/* ---- delivery ---- */

static bool key_less(const sort_key *a, const sort_key *b)
{
    return a->kind != b->kind ? a->kind < b->kind : a->id < b->id;
}

static bool keys_sorted(const sort_key *keys, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (key_less(&keys[i], &keys[i - 1])) {
            return false;
        }
    }
    return true;
}

/* Merges two neighbouring sorted runs, [low, middle) and [middle, high). */
static void runs_merge(const sort_key *keys, sort_key *into, uint64_t low, uint64_t middle, uint64_t high)
{
    uint64_t a = low, b = middle;
    for (uint64_t i = low; i < high; i++) {
        bool right = b < high && (a == middle || key_less(&keys[b], &keys[a]));
        into[i] = right ? keys[b++] : keys[a++];
    }
}

/*
 * Merge sort by (kind, id), from runs of 1 up, to and fro between two arrays; returns the one with the result. libc's
 * qsort() may allocate without the world's allocator.
 */
static const sort_key *keys_sort(sort_key *keys, sort_key *spare, uint32_t count)
{
    if (keys_sorted(keys, count)) { /* common: entries of one tick */
        return keys;
    }
    for (uint64_t width = 1; width < count; width *= 2) {
        for (uint64_t low = 0; low < count; low += 2 * width) {
            uint64_t middle = low + width < count ? low + width : count;
            uint64_t high = middle + width < count ? middle + width : count;
            runs_merge(keys, spare, low, middle, high);
        }
        sort_key *sorted = spare;
        spare = keys;
        keys = sorted;
    }
    return keys;
}

/* Kinds of one depth are together: of enters the smallest depth first, of leaves the largest. */
static uint32_t key_kind(const phx_net_changes *co, const phx_net_entry *from, bool enter)
{
    uint32_t now = enter && co->world != NULL ? phx_depths_now(co->world->depths, from->target) : 0;
    return enter ? now << 16 | co->set.names[from->name].kind
                 : (uint32_t)(PH_ATTACH_DEPTH_MAX - from->leave_depth) << 16 | from->leave_kind;
}

/* Was the incarnation given in the ticks of the difference? */
static uint8_t enter_cause(const phx_net_changes *co, const phx_batch *batch, uint32_t incarnation)
{
    const uint32_t before = batch->incarnations_before,
                   given = co->world != NULL ? *co->world->incarnations - before : 0;
    return phx_incarnation_since(incarnation, before, given) ? PH_CAUSE_APPEARED : PH_CAUSE_CAME;
}

/* Writes the observer's leaves, or its enters, from target `at` on. */
static void drain_side(phx_net_changes *co, const phx_net_observer *observer, bool enters, phx_batch *batch,
                       uint32_t at)
{
    const phx_event_columns *to = &batch->columns;
    uint32_t count = enters ? observer->enters : observer->leaves;
    uint32_t left =
        count; /* backwards: the list has the newest entry first, and the entries of one tick came in order */
    for (uint32_t e = observer->first; e != NONE; e = co->set.entries[e].next) {
        const phx_net_entry *from = &co->set.entries[e];
        if (enters ? from->has_enter : from->has_leave) {
            co->keys[--left] = (sort_key){from->target, key_kind(co, from, enters), e};
        }
    }
    PHX_ASSERT(left == 0);
    const sort_key *keys = keys_sort(co->keys, co->keys_spare, count);
    for (uint32_t i = 0; i < count; i++) {
        const phx_net_entry *from = &co->set.entries[keys[i].index];
        const phx_net_name *name = enters ? &co->set.names[from->name] : NULL;
        to->targets[at + i] = (ph_target){from->target, name != NULL ? name->user_data : from->leave_user_data};
        to->kinds[at + i] = name != NULL ? name->kind : from->leave_kind;
        to->incarnations[at + i] = enters ? from->enter_incarnation : from->leave_incarnation;
        to->causes[at + i] = enters ? enter_cause(co, batch, from->enter_incarnation) : from->leave_cause;
        if (to->positions == NULL) continue;
        to->positions[at + i] = enters ? co->world->locate(co->world->owner, from->target) : (ph_position){0};
    }
}

/* Writes the changes, ordered by observer, with the places of their targets. */
static void drain_changes(phx_net_changes *co, phx_batch *batch)
{
    uint32_t count = 0;
    for (uint32_t o = 0; o < co->set.observers_used; o++) {
        if (co->set.observers[o].id != 0) {
            co->keys[count++] = (sort_key){co->set.observers[o].id, 0, o};
        }
    }
    PHX_ASSERT(count == co->set.observer_table.used);
    const sort_key *keys = keys_sort(co->keys, co->keys_spare, count);
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        const phx_net_observer *from = &co->set.observers[keys[i].index];
        uint32_t flags = (from->fresh ? PH_CHANGE_FRESH : 0) | (from->more ? PH_CHANGE_MORE : 0);
        batch->changes[i] = (ph_change){from->id, from->user_data, first, from->leaves, from->enters, flags};
        first += from->leaves + from->enters;
    }
    PHX_ASSERT(first == co->counts.pending);
    batch->given.change_count = count;
    batch->given.target_count = first;
}

bool phx_net_changes_reserve_drain(phx_net_changes *co, phx_batch *batch)
{
    uint32_t keys = co->set.observer_table.used;
    for (uint32_t o = 0; o < co->set.observers_used; o++) {
        const phx_net_observer *from = &co->set.observers[o];
        if (from->id == 0) {
            continue;
        }
        keys = from->leaves > keys ? from->leaves : keys;
        keys = from->enters > keys ? from->enters : keys;
    }
    return phx_grow(co->mem, (void **)&co->keys, &co->keys_capacity, 0, keys, sizeof(*co->keys)) &&
           phx_grow(co->mem, (void **)&co->keys_spare, &co->keys_spare_capacity, 0, keys, sizeof(*co->keys_spare)) &&
           phx_batch_reserve(co->mem, batch, co->set.observer_table.used, co->counts.pending);
}

bool phx_net_changes_drain(phx_net_changes *co, phx_batch *batch)
{
    if (!phx_net_changes_reserve_drain(co, batch)) {
        return false;
    }
    drain_changes(co, batch);
    for (uint32_t i = 0; i < batch->given.change_count; i++) {
        const ph_change *change = &batch->changes[i];
        uint32_t o = phx_net_set_observer_find(&co->set, change->observer); /* keys are overwritten by now */
        drain_side(co, &co->set.observers[o], false, batch, change->first);
        drain_side(co, &co->set.observers[o], true, batch, change->first + change->leave_count);
    }
    co->counts.drained += co->counts.pending;
    co->counts.pending = 0;
    phx_net_set_clear(&co->set);
    return true;
}

/* ---- edges ---- */

/* The event of the entry that an edge of this stay cancels: an enter, or else its leave. */
static bool has_edge(const phx_net_entry *entry, uint32_t incarnation, bool enter)
{
    if (enter) return entry->has_enter && entry->enter_incarnation == incarnation;
    return entry->has_leave && entry->leave_incarnation == incarnation;
}

/*
 * The entry for an edge. A stay that came in a capsule leaves an area, or falls asleep, without an enter before: so
 * there may be entries for leaves of several stays, each with one. An edge goes to the one that it cancels; else an
 * enter goes to the newest without an enter, and a leave gets another one.
 */
static uint32_t edge_entry(const phx_net_changes *co, uint32_t o, const ph_edge *edge)
{
    const uint32_t any = phx_net_set_entry_find(&co->set, o, edge->area);
    uint32_t newest = NONE;
    if (any == NONE || has_edge(&co->set.entries[any], edge->incarnation, !edge->on)) return any; /* mostly */
    for (uint32_t e = co->set.observers[o].first; e != NONE; e = co->set.entries[e].next) {
        const phx_net_entry *entry = &co->set.entries[e];
        if (entry->target != edge->area) continue;
        if (has_edge(entry, edge->incarnation, !edge->on)) return e;
        if (newest == NONE && edge->on && !entry->has_enter) newest = e;
    }
    return newest;
}

bool phx_net_changes_merge_edges(phx_net_changes *co, const phx_batch *batch)
{
    uint32_t count = batch->given.activation_count + batch->given.crossing_count;
    if (!phx_net_set_reserve(&co->set, count, count, count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const ph_edge *edge = &batch->edges[i];
        ph_target target = {edge->area, edge->user_data};
        uint32_t o = phx_net_set_observer_find(&co->set, edge->id);
        if (o == NONE) {
            o = phx_net_set_observer_add(&co->set, edge->id);
        }
        if (edge->on) {
            merge_enter(co, o, edge_entry(co, o, edge), &target, edge->id, 0, edge->incarnation);
        } else {
            merge_leave(co, o, edge_entry(co, o, edge), (leave_event){&target, edge->incarnation, 0, 0});
        }
        if (co->set.observers[o].first == NONE) {
            phx_net_set_observer_remove(&co->set, o);
        }
    }
    return true;
}

/* Takes the events of this incarnation off an edge's entry. Returns how many. */
static uint32_t drop_events(phx_net_changes *co, uint32_t e, uint32_t incarnation)
{
    phx_net_entry *entry = &co->set.entries[e];
    phx_net_observer *observer = &co->set.observers[entry->observer];
    const bool leave = entry->has_leave && entry->leave_incarnation == incarnation;
    const bool enter = entry->has_enter && entry->enter_incarnation == incarnation;
    if (leave) entry->has_leave = false;
    if (enter) entry->has_enter = false;
    if (enter) phx_net_set_unname(&co->set, e);
    observer->leaves -= leave;
    observer->enters -= enter;
    if (!entry->has_leave && !entry->has_enter) phx_net_set_entry_remove(&co->set, e);
    return (uint32_t)leave + (uint32_t)enter;
}

void phx_net_changes_drop_edges(phx_net_changes *co, phx_net_stay of)
{
    const uint32_t o = phx_net_set_observer_find(&co->set, of.id);
    if (o == NONE) return;
    for (uint32_t e = co->set.observers[o].first, next; e != NONE; e = next) {
        next = co->set.entries[e].next;
        const uint32_t dropped = drop_events(co, e, of.incarnation);
        co->counts.pending -= dropped;
        co->counts.discarded += dropped;
    }
    if (co->set.observers[o].first == NONE) phx_net_set_observer_remove(&co->set, o);
}

static phx_edge_size edges_pending(const phx_net_changes *co)
{
    phx_edge_size size = {0};
    for (uint32_t o = 0; o < co->set.observers_used; o++) {
        for (uint32_t e = co->set.observers[o].id != 0 ? co->set.observers[o].first : NONE; e != NONE;
             e = co->set.entries[e].next) {
            const phx_net_entry *entry = &co->set.entries[e];
            size.count[entry->target != 0][0] += entry->has_leave;
            size.count[entry->target != 0][1] += entry->has_enter;
        }
    }
    return size;
}

static void put_entry(const phx_net_set *set, const phx_net_entry *entry, uint64_t id, phx_batch *batch,
                      phx_edge_size *places)
{
    if (entry->has_leave) {
        ph_edge edge = {id, entry->leave_user_data, entry->target, entry->leave_incarnation, 0};
        phx_batch_put_edge(batch, places, &edge);
    }
    if (entry->has_enter) {
        ph_edge edge = {id, set->names[entry->name].user_data, entry->target, entry->enter_incarnation, 1};
        phx_batch_put_edge(batch, places, &edge);
    }
}

bool phx_net_changes_drain_edges(phx_net_changes *co, phx_batch *batch)
{
    phx_edge_size size = edges_pending(co);
    phx_edge_size places = phx_batch_edge_places(&size);
    if (!phx_batch_size_edges(co->mem, batch, size)) {
        return false;
    }
    for (uint32_t o = 0; o < co->set.observers_used; o++) {
        const phx_net_observer *observer = &co->set.observers[o];
        for (uint32_t e = observer->id != 0 ? observer->first : NONE; e != NONE; e = co->set.entries[e].next) {
            put_entry(&co->set, &co->set.entries[e], observer->id, batch, &places);
        }
    }
    co->counts.drained += co->counts.pending;
    co->counts.pending = 0;
    phx_net_set_clear(&co->set);
    return true;
}
