/*
 * Imports of a tick: the load of capsules beside entities, from their command in the ingest phase to the exchange
 * phase, when it is known which shards the entities are in. By the ticking thread.
 */
#ifndef PHX_WORLD_STATE_IMPORT_TYPES_H
#define PHX_WORLD_STATE_IMPORT_TYPES_H

#include "base/idmap.h"
#include "shards/state/records.h"

/* What an entity was before its import, for one that is undone. */
typedef struct phx_import_before {
    phx_attr attr;
    uint64_t user_data;
    uint64_t shrunk; /* of crowd control; 0: its view was not shrunk */
    float x, y, z;
    bool attached; /* by the import */
} phx_import_before;

/* Items `first` and so on of one array. */
typedef struct phx_import_span {
    uint32_t first, count;
} phx_import_span;

typedef struct phx_import {
    uint64_t id;
    uint32_t incarnation;
    uint32_t shard;                       /* that it was in */
    uint32_t slot;                        /* there, of one that left the world */
    phx_import_span list, areas, waiting; /* in the arrays of phx_imports */
    phx_import_span relations;
    float x, y, z;  /* at the last tick's end, of one that entered */
    uint16_t kind;  /* then */
    uint32_t moved; /* as in phx_motion_history */
    uint64_t alone_since;
    uint32_t messages; /* broadcasts of the tick that came before it, which are not for it */
    bool entered;      /* it was not in the world */
    bool awake;
    bool ends_list;      /* it is not ready any more: it has no list, and waits for no update */
    bool owed;           /* the whole list is due to its consumer */
    bool apart;          /* it comes from a world that ticks apart: updates of all of its list are due */
    bool ended;          /* it left the world */
    uint32_t earlier;    /* place of the import before it of its id, plus one; 0 = none that has not ended */
    uint32_t ended_next; /* ended: place of the one that ended before it, plus one; 0 = none */
    phx_import_before before;
} phx_import;

typedef struct phx_imports {
    phx_idmap index; /* id -> place of its last import */
    phx_import *at;
    phx_list_record *listed;
    uint64_t *areas;
    phx_deferred_update *waiting;
    phx_relation *relations; /* as they were; bits 0: there was none */
    uint32_t count, listed_count, area_count, waiting_count, relation_count;
    uint32_t capacity, listed_capacity, areas_capacity, waiting_capacity, relations_capacity;
    uint32_t arrived;  /* of `at`: done */
    uint32_t ended;    /* place of the last one that ended, plus one; 0 = none */
    uint32_t messages; /* the most of any import: broadcasts from there on are for all of them */
} phx_imports;

/* So many broadcasts of this tick came before that stay, which was told of them where it was; 0: it is no import. */
static inline uint32_t phx_imports_messages(const phx_imports *imports, uint64_t id, uint32_t incarnation)
{
    const uint64_t *at = imports->count > 0 ? phx_idmap_find(&imports->index, id) : NULL;
    const phx_import *import = at ? &imports->at[*at] : NULL;
    return import && import->incarnation == incarnation ? import->messages : 0;
}

#endif
