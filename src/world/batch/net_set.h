/*
 * Storage of a net difference: its observers, one entry per (observer, target), and the names of target entities, once
 * for all entries with the same target. Storage only; net_changes.c and update_backlog.c have the rules (ticking
 * thread, publish phase).
 *
 * Three pools with free lists, an open-addressing table over each (linear probing, deletion by shifting back, so that
 * it needs no cleaning), and in each observer a list of its entries. An index is valid until its item is removed;
 * pointers until the next reserve.
 */
#ifndef PHX_WORLD_BATCH_NET_SET_H
#define PHX_WORLD_BATCH_NET_SET_H

#include "base/mem.h"

#define PHX_NET_SET_NONE UINT32_MAX

/* The net for one target: a leave of the incarnation in the host's list, an enter of the present one, or both. */
typedef struct phx_net_entry {
    uint64_t target;
    uint64_t leave_user_data;
    uint32_t leave_incarnation;
    uint32_t enter_incarnation;
    uint32_t observer;
    uint32_t next; /* the observer's older entry; or next of the free list */
    uint32_t previous;
    uint32_t name; /* of its enter; PHX_NET_SET_NONE when it has none */
    uint16_t leave_kind;
    uint8_t leave_depth; /* depth of attachment at the last delivery */
    uint8_t leave_cause; /* ph_cause */
    bool has_leave;
    bool has_enter;
} phx_net_entry;

typedef struct phx_net_observer {
    uint64_t id; /* 0 = in the free list */
    uint64_t user_data;
    uint32_t first; /* newest entry; or next of the free list */
    uint32_t leaves;
    uint32_t enters;
    bool fresh;
    bool more; /* of its last change: PH_CHANGE_MORE */
} phx_net_observer;

/* The stay of an entity in the world. incarnation: 0 where the entries of a set tell no stays of an id apart. */
typedef struct phx_net_stay {
    uint64_t id;
    uint32_t incarnation;
} phx_net_stay;

/* The present name of an entity with an enter: one rename changes it for all entries. */
typedef struct phx_net_name {
    phx_net_stay of;
    uint64_t user_data;
    uint32_t users; /* entries; 0 = in the free list */
    uint32_t next;  /* next of the free list */
    uint16_t kind;
} phx_net_name;

typedef struct phx_net_slot {
    uint32_t hash;
    uint32_t index1; /* pool index + 1; 0 = free */
} phx_net_slot;

typedef struct phx_net_table {
    phx_net_slot *slots;
    uint32_t slot_count; /* a power of two, or 0 */
    uint32_t used;
} phx_net_table;

typedef struct phx_net_set {
    phx_mem *mem;
    phx_net_observer *observers;
    uint32_t observers_capacity;
    uint32_t observers_used; /* live and free ones */
    uint32_t observers_free;
    phx_net_entry *entries;
    uint32_t entries_capacity;
    uint32_t entries_used;
    uint32_t entries_free;
    phx_net_name *names;
    uint32_t names_capacity;
    uint32_t names_used;
    uint32_t names_free;
    phx_net_table observer_table; /* its `used` is the number of live observers; so for entries and names */
    phx_net_table entry_table;
    phx_net_table name_table;
} phx_net_set;

void phx_net_set_init(phx_net_set *set, phx_mem *mem);
void phx_net_set_release(phx_net_set *set);
/* Room for so many more of each. false = no memory, or more than 2^30 of one: unchanged. */
bool phx_net_set_reserve(phx_net_set *set, uint32_t observers_more, uint32_t entries_more, uint32_t names_more);
/* Removes all; memory is kept. */
void phx_net_set_clear(phx_net_set *set);

/* An index or PHX_NET_SET_NONE. */
uint32_t phx_net_set_observer_find(const phx_net_set *set, uint64_t id);
/* Adds an id that is not there; room was reserved. */
uint32_t phx_net_set_observer_add(phx_net_set *set, uint64_t id);
/* Removes an observer without entries. */
void phx_net_set_observer_remove(phx_net_set *set, uint32_t o);
/* Removes all its entries. */
void phx_net_set_observer_clear(phx_net_set *set, uint32_t o);

/* Prefetches the begin of the search for this entry; a hint, some entries ahead (there is a table). */
void phx_net_set_entry_prefetch(const phx_net_set *set, uint32_t o, uint64_t target);
uint32_t phx_net_set_entry_find(const phx_net_set *set, uint32_t o, uint64_t target);
uint32_t phx_net_set_entry_add(phx_net_set *set, uint32_t o, uint64_t target);
/* Removes an entry and its name. */
void phx_net_set_entry_remove(phx_net_set *set, uint32_t e);
/*
 * Names the entry after this stay, with its present kind and user data, which all entries with it get; the entry has no
 * name, or this one.
 */
void phx_net_set_name(phx_net_set *set, uint32_t e, phx_net_stay of, uint16_t kind, uint64_t user_data);
/* Takes its name off the entry. */
void phx_net_set_unname(phx_net_set *set, uint32_t e);
/* Renames this stay, if its id is an observer's or it has a name. */
void phx_net_set_rename(phx_net_set *set, phx_net_stay of, uint16_t kind, uint64_t user_data);

#endif
