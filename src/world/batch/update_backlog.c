/*
 * Pending updates of a slow consumer; see update_backlog.h. Stored in a net_table.h: an entry has its target's name,
 * and its position is at the same place of an array beside it.
 */
#include "world/batch/update_backlog.h"

#include "world/batch/net_table.h"

struct phx_update_backlog {
    phx_mem *mem;
    phx_netset set;
    ph_position *positions; /* by entry */
    uint32_t positions_capacity;
    phx_update_backlog_counts counts; /* without `pending` */
};

phx_update_backlog *phx_update_backlog_create(phx_mem *mem)
{
    phx_update_backlog *latest = phx_alloc_zero(mem, sizeof *latest, PHX_CACHE_LINE);
    if (!latest) return NULL;
    latest->mem = mem;
    phx_netset_init(&latest->set, mem);
    return latest;
}

void phx_update_backlog_destroy(phx_update_backlog *latest)
{
    if (!latest) return;
    phx_netset_release(&latest->set);
    phx_release(latest->mem, (void **)&latest->positions, &latest->positions_capacity, sizeof *latest->positions);
    phx_free(latest->mem, latest, sizeof *latest, PHX_CACHE_LINE);
}

phx_update_backlog_counts phx_update_backlog_count(const phx_update_backlog *latest)
{
    phx_update_backlog_counts counts = latest->counts;
    counts.pending = latest->set.entry_table.used;
    return counts;
}

bool phx_update_backlog_reserve(phx_update_backlog *latest, const phx_batch *batch)
{
    phx_netset *set = &latest->set;
    return phx_netset_reserve(set, batch->news.size.updates, batch->news.size.due, batch->news.size.due) &&
           phx_grow(latest->mem, (void **)&latest->positions, &latest->positions_capacity, set->entries_used,
                    set->entries_capacity, sizeof *latest->positions);
}

void phx_update_backlog_rename(phx_update_backlog *latest, uint64_t id, uint64_t user_data)
{
    phx_netset_rename(&latest->set, id, 0, user_data);
}

static void clear_updates_of(phx_update_backlog *latest, uint32_t observer)
{
    uint32_t before = latest->set.entry_table.used;
    phx_netset_observer_clear(&latest->set, observer);
    phx_netset_observer_remove(&latest->set, observer);
    latest->counts.replaced += before - latest->set.entry_table.used;
}

void phx_update_backlog_forget(phx_update_backlog *latest, uint64_t observer)
{
    uint32_t o = phx_netset_observer_find(&latest->set, observer);
    if (o != PHX_NETSET_NONE) clear_updates_of(latest, o);
}

/* Drops the updates of targets that leave by the change. */
static void drop_left(phx_update_backlog *latest, const phx_batch *batch, const ph_change *change)
{
    phx_netset *set = &latest->set;
    uint32_t o = phx_netset_observer_find(set, change->observer);
    if (o == PHX_NETSET_NONE) return;
    if (change->flags & PH_CHANGE_FRESH) {
        clear_updates_of(latest, o);
        return;
    }
    for (uint32_t i = 0; i < change->leave_count; i++) {
        uint32_t e = phx_netset_entry_find(set, o, batch->columns.targets[change->first + i].id);
        if (e == PHX_NETSET_NONE) continue;
        phx_netset_entry_remove(set, e);
        latest->counts.replaced++;
    }
    if (set->observers[o].first == PHX_NETSET_NONE) phx_netset_observer_remove(set, o);
}

static void merge_update(phx_update_backlog *latest, const phx_batch_updates *news, const ph_update *update)
{
    phx_netset *set = &latest->set;
    uint32_t o = phx_netset_observer_find(set, update->observer);
    if (o == PHX_NETSET_NONE) o = phx_netset_observer_add(set, update->observer);
    set->observers[o].user_data = update->user_data;
    for (uint32_t i = 0; i < update->count; i++) {
        const ph_moved *moved = &news->moved[news->due[update->first + i]];
        uint32_t e = phx_netset_entry_find(set, o, moved->id);
        if (e == PHX_NETSET_NONE) e = phx_netset_entry_add(set, o, moved->id);
        else latest->counts.replaced++;
        phx_netset_name(set, e, moved->id, 0, moved->user_data);
        latest->positions[e] = (ph_position){moved->x, moved->y, moved->z};
    }
    latest->counts.merged += update->count;
}

void phx_update_backlog_merge(phx_update_backlog *latest, const phx_batch *batch)
{
    for (uint32_t i = 0; i < batch->view.change_count; i++) drop_left(latest, batch, &batch->changes[i]);
    for (uint32_t i = 0; i < batch->news.size.updates; i++) merge_update(latest, &batch->news, &batch->news.updates[i]);
}

bool phx_update_backlog_reserve_drain(phx_update_backlog *latest, phx_batch_updates *news)
{
    uint32_t count = latest->set.entry_table.used;
    return phx_batch_updates_reserve(news, latest->mem,
                                     (phx_batch_updates_size){latest->set.observer_table.used, count, count});
}

/* Writes the entries of one observer to places from `at` on. */
static void drain_observer(const phx_update_backlog *latest, const phx_net_observer *observer, phx_batch_updates *news,
                           uint32_t at, ph_update *update)
{
    const phx_netset *set = &latest->set;
    *update = (ph_update){.observer = observer->id, .user_data = observer->user_data, .first = at};
    for (uint32_t e = observer->first; e != PHX_NETSET_NONE; e = set->entries[e].next, at++) {
        const phx_net_entry *entry = &set->entries[e];
        ph_position p = latest->positions[e];
        uint64_t user_data = set->names[entry->name].user_data;
        news->moved[at] = (ph_moved){.id = entry->target, .user_data = user_data, .x = p.x, .y = p.y, .z = p.z};
        news->due[at] = at;
    }
    update->count = at - update->first;
    PHX_ASSERT(update->count > 0);
}

void phx_update_backlog_drain(phx_update_backlog *latest, phx_batch_updates *news)
{
    phx_netset *set = &latest->set;
    uint32_t at = 0, row = 0;
    for (uint32_t o = 0; o < set->observers_used; o++) {
        if (set->observers[o].id == 0) continue;
        ph_update *update = &news->updates[row++];
        drain_observer(latest, &set->observers[o], news, at, update);
        at += update->count;
    }
    PHX_ASSERT(row == news->size.updates && at == news->size.due);
    latest->counts.drained += at;
    phx_netset_clear(set);
}
