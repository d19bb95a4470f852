/*
 * The entities of one shard, own ones and ghosts (copies of other shards' entities), in slots. A slot is the entity's
 * number inside the shard while it is here; interest lists hold slots.
 *
 *   free -> own | ghost -> dead -> free
 *
 * A dead slot keeps its name until the tick's end, for leave events; then it is free again. An emigrant becomes a ghost
 * in place, a ghost that immigrates becomes own in place, so lists stay right. Written by the shard's owner (ingest,
 * exchange, index, commit), bodies in a shared stretch of moves by the worker of the id (ingest/moves.h), lists in the
 * interest phase by the worker of the observer; read by all workers in that phase, and by readers between ticks.
 */
#ifndef PHX_SHARDS_ENTITY_ENTITY_STORE_H
#define PHX_SHARDS_ENTITY_ENTITY_STORE_H

#include "base/idmap.h"
#include "shards/entity/attr_intern.h"
#include "shards/entity/list_pool.h"

enum { PHX_SLOT_NONE = UINT32_MAX };
enum { PHX_SLOTS_MAX = 1 << 30 }; /* of a shard: two bits of a word are left for flags: tagged_word.h */

/* phx_body.state: one of the first three, or 0 = free. */
enum {
    PHX_SLOT_OWN = 1u << 0,
    PHX_SLOT_GHOST = 1u << 1,
    PHX_SLOT_DEAD = 1u << 2,
    PHX_SLOT_LIVE = PHX_SLOT_OWN | PHX_SLOT_GHOST,
    PHX_SLOT_ROW = 1u << 3, /* has the row body.row in the grid; with other indexes: has a cell entry (ninegrid.h), or
                               is in the index */
    PHX_SLOT_LEAVING = 1u << 4, /* is in the list of possible emigrants */
    PHX_SLOT_RELATED = 1u << 5, /* has pairs, links, hides or reveals as an observer, or had when its list was found */
    PHX_SLOT_FAR = 1u << 6,     /* far target: global or reach > 0, seen beyond the observers' views */
    /* A target of layers other than 0 alone, with stealth, a veil, priority, _FAR or _BOUNDED; or an observer that does
     * not see layer 0. */
    PHX_SLOT_SPECIAL = 1u << 7,
    /*
     * Its last change was more than one short step: it is new, jumped, or has other attributes. So rows alone do not
     * give the previous lists of observers near it.
     */
    PHX_SLOT_DISCONTINUOUS = 1u << 8,
    PHX_SLOT_MOVES_GENERAL =
        1u << 9, /* phx_shards_move() left a move of it to the general path: its later moves go there too */
    PHX_SLOT_NOTED = 1u << 10,         /* grid/prev_rows.h has its attributes at the last tick's end */
    PHX_SLOT_ROW_MISPLACED = 1u << 11, /* its row is misplaced until the index phase (phx_grid_misplace()) */
    /* An observer with a partial list: targets are held for a later tick. From commit to the next index phase. */
    PHX_SLOT_PARTIAL = 1u << 12,
    PHX_SLOT_BOUNDED = 1u << 13, /* its visible distance is below PH_LENGTH_MAX: views alone do not decide */
    PHX_SLOT_APART = 1u << 14,   /* in an instance other than 0: phx_store_instance() */
    PHX_SLOT_OUTSIDE = 1u << 15  /* outside of all towers, own or ghost: phx_store_set_outside() */
};

/* Traits of attributes by which a target in range may leave a list, or is found in another way. */
enum {
    PHX_TRAIT_HIDES = 1u << 0, /* instance, layers, stealth or veil may keep a target out of a list */
    PHX_TRAIT_CAPS = 1u << 1,  /* a cap may */
    PHX_TRAIT_FAR = 1u << 2    /* a target may be seen from beyond views: PHX_SLOT_FAR */
};

/* Stored for a ghost where an own observer has its list: not larger than a list. */
typedef struct phx_ghost_source {
    uint32_t next;      /* a guess: the ghost whose copy came behind its own in the last refresh; any slot, or none */
    uint16_t source;    /* shard that owns it */
    bool repeated : 1;  /* in this tick, by its owner, behind a BEGIN (state/records.h) */
    bool emigrated : 1; /* in this tick, from here */
    bool pinned : 1;    /* an own observer has a pair or link with it: distance does not count */
    bool gone : 1; /* its refresh did not repeat it: its slot may be out of date; it ends when rows are sorted anew */
} phx_ghost_source;

/* The fields of an entity that events have: an event costs one memory access, and one more if there is user data. */
typedef struct phx_name {
    uint64_t id;
    uint32_t incarnation;
    uint16_t kind; /* of the attributes, as the consumer: phx_store_rename() */
    uint8_t consumer;
    /*
     * Of an observer: its consumer has no list of it yet, as the list is empty because the observer is new or not
     * ready. Cleared by the worker that fills a batch with its change, while others read the rest of the name (vectors
     * this byte too, to drop it).
     */
    bool fresh;
} phx_name;

typedef struct phx_store {
    phx_body *body;
    uint32_t *set; /* the number of its attributes: phx_store_attr() */
    phx_name *name;
    union phx_tail {
        phx_list list;
        phx_ghost_source origin;
        uint32_t dead_next; /* of a dead slot: the one that died before it in this tick; PHX_SLOT_NONE ends */
    } * tail;
    uint64_t *user_data; /* NULL: all user data here has been 0 */
    uint32_t capacity;
    uint32_t slots;      /* slots ever used: the arrays are valid below */
    uint32_t free_first; /* chained by body.row; PHX_SLOT_NONE ends */
    uint32_t free_count;
    uint32_t dead_first; /* the last slot that died in this tick, then by tail.dead_next; PHX_SLOT_NONE = none */
    uint32_t dead_count;
    uint32_t own_count, ghost_count;
    uint32_t outside_count; /* own entities that are PHX_SLOT_OUTSIDE */
    uint32_t remote_count;  /* own entities that are remote */
    /*
     * Over all entities that were ever here: bits in which an id differs from the first one, and bits of kinds;
     * event_order.h.
     */
    uint64_t id_first, id_bits;
    uint32_t kind_bits;
    uint8_t traits; /* PHX_TRAIT_... of all attributes that were ever here */
    phx_attr_sets sets;
    phx_idmap ghosts; /* id -> slot, of ghosts only; own entities are found by the world's directory */
} phx_store;

void phx_store_init(phx_store *store, phx_mem *mem);
void phx_store_free(phx_store *store, phx_mem *mem);

/* Room for `count` more entities, and for new attributes of one. false = no memory, nothing changed. */
bool phx_store_reserve(phx_store *store, phx_mem *mem, uint32_t count);

/* Room for the user data of a live or reserved slot; 0 needs none. false = no memory, nothing changed. */
bool phx_store_reserve_user_data(phx_store *store, phx_mem *mem, uint64_t user_data);

static inline uint64_t phx_store_user_data(const phx_store *store, uint32_t slot)
{
    return store->user_data ? store->user_data[slot] : 0;
}

/* Sets the user data; room was reserved. */
static inline void phx_store_set_user_data(phx_store *store, uint32_t slot, uint64_t user_data)
{
    PHX_ASSERT(user_data == 0 || store->user_data);
    if (store->user_data) store->user_data[slot] = user_data;
}

/* Takes a reserved slot: its state is `state`, all other fields are zero. */
uint32_t phx_store_add(phx_store *store, uint64_t id, uint32_t state);

/* The attributes of a slot. The pointer is valid until the next reserve, or until the attributes change. */
static inline const phx_attr *phx_store_attr(const phx_store *store, uint32_t slot)
{
    return &store->sets.attr[store->set[slot]];
}

/* The instance that it is in: of most it is 0, without a look at their attributes. */
static inline uint32_t phx_store_instance(const phx_store *store, uint32_t slot)
{
    if (PHX_LIKELY(!(store->body[slot].state & PHX_SLOT_APART))) return 0;
    return phx_store_attr(store, slot)->instance;
}

/*
 * Do view, margin and position decide an own observer's list, unless a limit cuts it, or relations count? With bands
 * the list of an observer that does not see layer 0 is stored nevertheless: updates would compare it with rows that its
 * list does not have.
 */
static inline bool phx_store_attr_decides(const phx_store *store, uint32_t slot)
{
    const phx_attr *attr = phx_store_attr(store, slot);
    return ((attr->sees & 1) || !attr->banded) && !(store->body[slot].state & PHX_SLOT_PARTIAL);
}

/* The same, without relations, or with relations that say which of their targets are listed. */
static inline bool phx_store_view_decides(const phx_store *store, uint32_t slot)
{
    const bool told = !(store->body[slot].state & PHX_SLOT_RELATED) || store->tail[slot].list.derived;
    return told && phx_store_attr_decides(store, slot);
}

/* Sets the attributes; phx_store_reserve() was called since the last time. */
void phx_store_dress(phx_store *store, uint32_t slot, const phx_attr *attr);

/* Events name the slot by this kind from now on. */
static inline void phx_store_name_kind(phx_store *store, uint32_t slot, uint16_t kind)
{
    store->name[slot].kind = kind;
    store->kind_bits |= kind;
}

/* Sets the attribute fields of the name. */
static inline void phx_store_rename(phx_store *store, uint32_t slot)
{
    _Static_assert(PH_CONSUMERS_MAX - 1 <= UINT8_MAX, "a consumer's number is a byte of the name");
    const phx_attr *attr = phx_store_attr(store, slot);
    phx_store_name_kind(store, slot, attr->kind);
    store->name[slot].consumer = (uint8_t)attr->consumer;
}

/* The observer's consumer gets a change of its list. Is it the first one? */
static inline bool phx_store_report(phx_store *store, uint32_t slot)
{
    bool fresh = store->name[slot].fresh;
    if (PHX_UNLIKELY(fresh)) store->name[slot].fresh = false; /* else not written: other workers share its cache line */
    return fresh;
}

/* Do the store's bits cover the slot's name, as keys made of them require? */
static inline bool phx_store_key_bits_valid(const phx_store *store, uint32_t slot)
{
    const phx_name *name = &store->name[slot];
    return ((name->id ^ store->id_first) & ~store->id_bits) == 0 && (name->kind & ~store->kind_bits) == 0;
}

/* Notes whether a live slot is outside of all towers. */
static inline void phx_store_set_outside(phx_store *store, phx_body *body, bool outside)
{
    const uint32_t bit = outside ? PHX_SLOT_OUTSIDE : 0;
    if (PHX_LIKELY((body->state & PHX_SLOT_OUTSIDE) == bit)) return;
    body->state ^= PHX_SLOT_OUTSIDE;
    if (body->state & PHX_SLOT_OWN) store->outside_count += outside ? 1 : UINT32_MAX;
}

/* Own or ghost -> dead. A ghost's id is removed at once (a new incarnation may come). */
void phx_store_kill(phx_store *store, uint32_t slot);

/* All dead slots -> free: at the tick's end. */
void phx_store_bury(phx_store *store);

/* Own <-> ghost in place; the id map has reserved room for one more. */
void phx_store_to_ghost(phx_store *store, uint32_t slot, phx_ghost_source origin);
void phx_store_to_own(phx_store *store, uint32_t slot);

/* The live ghost of this id, or PHX_SLOT_NONE. */
static inline uint32_t phx_store_ghost(const phx_store *store, uint64_t id)
{
    const uint64_t *slot = phx_idmap_find(&store->ghosts, id);
    return slot ? (uint32_t)*slot : PHX_SLOT_NONE;
}

#endif
