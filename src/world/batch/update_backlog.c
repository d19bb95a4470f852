/*
 * Pending updates of a slow consumer; see update_backlog.h. Stored in a net_set.h: an entry has its target's name,
 * and its latest update is at the same place of an array beside it.
 */
#include "world/batch/update_backlog.h"

#include "world/batch/net_set.h"

/* What an update says of its target. */
typedef struct latest_update {
    ph_position at;
    uint8_t band;
} latest_update;

struct phx_update_backlog {
    phx_mem *mem;
    phx_net_set set;
    latest_update *latest; /* by entry */
    uint32_t latest_capacity;
    phx_update_backlog_counts counts; /* without `pending` */
};

phx_update_backlog *phx_update_backlog_create(phx_mem *mem)
{
    phx_update_backlog *update_backlog = phx_alloc_zero(mem, sizeof *update_backlog, PHX_CACHE_LINE);
    if (!update_backlog) return NULL;
    update_backlog->mem = mem;
    phx_net_set_init(&update_backlog->set, mem);
    return update_backlog;
}

void phx_update_backlog_destroy(phx_update_backlog *update_backlog)
{
    if (!update_backlog) return;
    phx_net_set_release(&update_backlog->set);
    phx_release(update_backlog->mem, (void **)&update_backlog->latest, &update_backlog->latest_capacity,
                sizeof *update_backlog->latest);
    phx_free(update_backlog->mem, update_backlog, sizeof *update_backlog, PHX_CACHE_LINE);
}

phx_update_backlog_counts phx_update_backlog_count(const phx_update_backlog *update_backlog)
{
    phx_update_backlog_counts counts = update_backlog->counts;
    counts.pending = update_backlog->set.entry_table.used;
    return counts;
}

bool phx_update_backlog_reserve(phx_update_backlog *update_backlog, const phx_batch *batch)
{
    phx_net_set *set = &update_backlog->set;
    return phx_net_set_reserve(set, batch->updates.size.updates, batch->updates.size.due, batch->updates.size.due) &&
           phx_grow(update_backlog->mem, (void **)&update_backlog->latest, &update_backlog->latest_capacity,
                    set->entries_used, set->entries_capacity, sizeof *update_backlog->latest);
}

/* An update tells no stays apart: updates of an earlier stay went with its leave. */
static phx_net_stay stay_of(uint64_t id)
{
    return (phx_net_stay){id, 0};
}

void phx_update_backlog_rename(phx_update_backlog *update_backlog, uint64_t id, uint64_t user_data)
{
    phx_net_set_rename(&update_backlog->set, stay_of(id), 0, user_data);
}

static void clear_updates_of(phx_update_backlog *update_backlog, uint32_t observer)
{
    uint32_t before = update_backlog->set.entry_table.used;
    phx_net_set_observer_clear(&update_backlog->set, observer);
    phx_net_set_observer_remove(&update_backlog->set, observer);
    update_backlog->counts.replaced += before - update_backlog->set.entry_table.used;
}

void phx_update_backlog_drop_observer(phx_update_backlog *update_backlog, uint64_t observer)
{
    uint32_t o = phx_net_set_observer_find(&update_backlog->set, observer);
    if (o != PHX_NET_SET_NONE) clear_updates_of(update_backlog, o);
}

/* Drops the updates of targets that leave by the change. */
static void drop_left(phx_update_backlog *update_backlog, const phx_batch *batch, const ph_change *change)
{
    phx_net_set *set = &update_backlog->set;
    uint32_t o = phx_net_set_observer_find(set, change->observer);
    if (o == PHX_NET_SET_NONE) return;
    if (change->flags & PH_CHANGE_FRESH) {
        clear_updates_of(update_backlog, o);
        return;
    }
    for (uint32_t i = 0; i < change->leave_count; i++) {
        uint32_t e = phx_net_set_entry_find(set, o, batch->columns.targets[change->first + i].id);
        if (e == PHX_NET_SET_NONE) continue;
        phx_net_set_entry_remove(set, e);
        update_backlog->counts.replaced++;
    }
    if (set->observers[o].first == PHX_NET_SET_NONE) phx_net_set_observer_remove(set, o);
}

static void merge_update(phx_update_backlog *update_backlog, const phx_batch_updates *updates, const ph_update *update)
{
    phx_net_set *set = &update_backlog->set;
    uint32_t o = phx_net_set_observer_find(set, update->observer);
    if (o == PHX_NET_SET_NONE) o = phx_net_set_observer_add(set, update->observer);
    set->observers[o].user_data = update->user_data;
    for (uint32_t i = 0; i < update->count; i++) {
        const ph_moved *moved = &updates->moved[updates->due[update->first + i]];
        uint32_t e = phx_net_set_entry_find(set, o, moved->id);
        if (e == PHX_NET_SET_NONE) e = phx_net_set_entry_add(set, o, moved->id);
        else update_backlog->counts.replaced++;
        phx_net_set_name(set, e, stay_of(moved->id), 0, moved->user_data);
        update_backlog->latest[e] = (latest_update){{moved->x, moved->y, moved->z}, updates->bands[update->first + i]};
    }
    update_backlog->counts.merged += update->count;
}

void phx_update_backlog_merge(phx_update_backlog *update_backlog, const phx_batch *batch)
{
    for (uint32_t i = 0; i < batch->given.change_count; i++) drop_left(update_backlog, batch, &batch->changes[i]);
    for (uint32_t i = 0; i < batch->updates.size.updates; i++)
        merge_update(update_backlog, &batch->updates, &batch->updates.updates[i]);
}

bool phx_update_backlog_reserve_drain(phx_update_backlog *update_backlog, phx_batch_updates *updates)
{
    uint32_t count = update_backlog->set.entry_table.used;
    return phx_batch_updates_reserve(updates, update_backlog->mem,
                                     (phx_batch_updates_size){update_backlog->set.observer_table.used, count, count});
}

/* Writes the entries of one observer to places from `at` on. */
static void drain_observer(const phx_update_backlog *update_backlog, const phx_net_observer *observer,
                           phx_batch_updates *updates, uint32_t at, ph_update *update)
{
    const phx_net_set *set = &update_backlog->set;
    *update = (ph_update){.observer = observer->id, .user_data = observer->user_data, .first = at};
    for (uint32_t e = observer->first; e != PHX_NET_SET_NONE; e = set->entries[e].next, at++) {
        const phx_net_entry *entry = &set->entries[e];
        const latest_update *last = &update_backlog->latest[e];
        const ph_position p = last->at;
        uint64_t user_data = set->names[entry->name].user_data;
        updates->moved[at] = (ph_moved){.id = entry->target, .user_data = user_data, .x = p.x, .y = p.y, .z = p.z};
        updates->due[at] = at;
        updates->bands[at] = last->band;
    }
    update->count = at - update->first;
    PHX_ASSERT(update->count > 0);
}

void phx_update_backlog_drain(phx_update_backlog *update_backlog, phx_batch_updates *updates)
{
    phx_net_set *set = &update_backlog->set;
    uint32_t at = 0, row = 0;
    for (uint32_t o = 0; o < set->observers_used; o++) {
        if (set->observers[o].id == 0) continue;
        ph_update *update = &updates->updates[row++];
        drain_observer(update_backlog, &set->observers[o], updates, at, update);
        at += update->count;
    }
    PHX_ASSERT(row == updates->size.updates && at == updates->size.due);
    update_backlog->counts.drained += at;
    phx_net_set_clear(set);
}
