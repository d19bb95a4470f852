/*
 * The oracle: an interest engine that does everything by brute force. Every tick it looks
 * at every ordered pair of entities, by the rules of the library's specification and
 * nothing else; it has no towers, shards, threads or caches and shares no code with the
 * library but the public headers. Slow on purpose: what it says has to be plain to see.
 *
 * Single-threaded. Out of memory ends the program. Used by the run harness (run.h), the
 * fuzzer and the unit tests; its own tests are in unit/support/test_model.c.
 */
#ifndef SUPPORT_MODEL_H
#define SUPPORT_MODEL_H

#include <pharos/query.h>
#include <pharos/types.h>

#include "support/check.h"
#include "support/command.h"

enum { MODEL_KINDS_MAX = 64, MODEL_PRODUCERS_MAX = 16 };

/* One stay of an id in the world: the same id entering again is another incarnation. */
typedef struct model_key {
    uint64_t id;
    uint64_t incarnation;
} model_key;

typedef struct model_pair {
    uint64_t target;
    float view, margin;
} model_pair;

/* An update that an observer has to wait for: updates_max. */
typedef struct model_wait {
    model_key key;
    uint64_t since; /* the tick in which it was due first */
} model_wait;

typedef VEC(uint64_t) model_ids;

typedef struct model_entity {
    uint64_t id;
    uint64_t incarnation;
    ph_attrs own;        /* what it was given; `given` says which fields */
    ph_attrs now;        /* what counted at the end of the last tick, given or of its class */
    uint64_t parent;     /* 0 = not attached */
    uint32_t depth;      /* attachments up to its root, at the end of the last tick */
    uint32_t crowd_step; /* how many steps crowd control has shrunk its view */
    VEC(model_pair) pairs;
    model_ids links, hides, reveals; /* their targets */
    VEC(model_key) list;             /* at the end of the last tick, by id */
    bool settled;                    /* it was in the world and ready at the end of the last tick */
    bool had_change;                 /* it has had a change since it last became ready */
    bool anew;                       /* the whole list is to be told in this tick */
    bool hands;                      /* its consumer changed in this tick, if only to and fro */
    bool handed;                     /* ... in the last one */
    bool awake;                      /* an NPC that was awake at the end of the last tick */
    uint64_t waker_near;             /* the last tick with one */
    VEC(uint64_t) areas;             /* that it was in at the end of the last tick */
    /* updates */
    bool followed; /* it was in the world at the end of the last tick: was and was_kind are of then */
    ph_position was;
    uint32_t was_kind;
    uint64_t moved; /* the last tick in which it did; 0 = none */
    VEC(model_wait) waits;
} model_entity;

/* An entity that left the world in the last tick, as it last was. */
typedef struct model_departed {
    model_key key;
    uint32_t kind;
    uint32_t depth; /* at the end of the tick before */
    uint64_t user_data;
} model_departed;

typedef struct model_target {
    model_key key;
    uint64_t user_data;
    uint32_t kind;
    uint32_t depth; /* of an enter now, of a leave at the end of the tick before */
    ph_cause cause;
    ph_position at; /* of an enter; of a leave 0 */
} model_target;

/* What one observer is told of the last tick: leaves, the deepest first, enters, the deepest last; by (kind, id). */
typedef struct model_change {
    model_key observer;
    uint64_t user_data;
    uint32_t consumer;
    uint32_t leave_count, enter_count;
    bool fresh; /* PH_CHANGE_FRESH: the first it is told since it entered or became ready */
    bool more;  /* PH_CHANGE_MORE: targets wait to join */
    VEC(model_target) targets;
} model_change;

/* A command that the last tick met and did not apply. */
typedef struct model_refusal {
    uint32_t producer;
    uint64_t sequence;
    uint64_t id;
    ph_status status;
    command_type type;
} model_refusal;

/* A broadcast of the last tick. */
typedef struct model_message {
    uint64_t source;
    uint64_t incarnation; /* the stay of it that spoke */
    uint64_t user_data;   /* the source's at the tick's end */
    bool at;              /* from a place: there is no source */
    command_say say;
} model_message;

/* What one observer heard in the last tick: places among its messages, in order. */
typedef struct model_heard {
    model_key observer;
    uint64_t user_data;
    uint32_t consumer;
    VEC(uint32_t) messages;
} model_heard;

/* An entity awoke or fell asleep (area 0), or went into an area or out of it, in the last tick. */
typedef struct model_edge {
    model_key entity;
    uint64_t user_data;
    uint64_t area;
    uint32_t consumer;
    bool on;
} model_edge;
/* A target as an update tells it. */
typedef struct model_moved {
    model_key key;
    uint64_t user_data;
    ph_position at;
    uint32_t band;
} model_moved;

/* The updates of the last tick for one observer, in no order. */
typedef struct model_update {
    model_key observer;
    uint64_t user_data;
    uint32_t consumer;
    VEC(model_moved) moved;
} model_update;

typedef struct model_area {
    uint64_t id;
    ph_area area;
    ph_area placed; /* the same, or around the entity that it follows */
} model_area;

/* The fields of ph_stats that follow from the specification. */
typedef struct model_counts {
    uint64_t ticks, applies, entities, instances, observers, list_entries;
    uint64_t commands, applied, refused_in_tick, enters, leaves, deliveries, updates, updates_held;
    uint64_t adds_held, ticks_spread;
    uint64_t outside; /* entities outside of all towers */
    uint64_t remote;
    uint64_t crowd_observers, crowd_narrowed, crowd_widened, crowd_most;
    uint64_t refused[PH_STATUS_COUNT];
    uint64_t awake, woken, slept;
    uint64_t areas, area_enters, area_leaves;
} model_counts;

typedef struct model model;

model *model_create(const ph_world_def *def);
void model_destroy(model *m);

/* The status that the call has to return. PH_OK: it waits for the tick. Either way the producer's sequence goes up. */
ph_status model_submit(model *m, uint32_t producer, const command *c);
/* The producer's last sequence number. */
uint64_t model_sequence(const model *m, uint32_t producer);
/* Takes effect at the next tick; the definition has to differ in live fields only. */
void model_reconfigure(model *m, const ph_world_def *def);
/* Applies what waits: entities and their attributes change, lists and all that is told do not. */
void model_apply_waiting(model *m);
/* Applies what waits, finds all lists anew. Returns the tick's number. */
uint64_t model_tick(model *m);

/* Of the last tick: ordered by observer id; by producer and sequence; likewise; by id. */
size_t model_changes(const model *m, const model_change **changes);
size_t model_refusals(const model *m, const model_refusal **refusals);
size_t model_messages(const model *m, const model_message **messages);
size_t model_hearings(const model *m, const model_heard **heard);   /* by observer id */
size_t model_edges(const model *m, const model_edge **edges);       /* in no order */
size_t model_updates(const model *m, const model_update **updates); /* by observer id */
size_t model_departures(const model *m, const model_departed **departed);

/* The world at the end of the last tick or apply, by id; NULL when there is no such entity. */
size_t model_entities(const model *m, model_entity *const **entities);
const model_entity *model_find(const model *m, uint64_t id);

/* Queries, as the public ones; arrays of room for all entities. PH_OK or PH_UNKNOWN_ID. */
ph_status model_get(const model *m, uint64_t id, ph_attrs *attrs);
ph_status model_sees(const model *m, uint64_t observer, uint64_t target, bool *sees);
ph_status model_list(const model *m, uint64_t observer, uint64_t *ids, uint32_t *count);
ph_status model_observers(const model *m, uint64_t target, uint64_t *ids, uint32_t *count);
/* Writes the entities in the shape of a valid query, in its order, to hits[] with room for all. Returns the number. */
uint32_t model_ask(const model *m, const ph_query *query, ph_hit *hits);
/* Why target is in the list, or not. PH_OK or PH_UNKNOWN_ID. */
ph_status model_explain(const model *m, uint64_t observer, uint64_t target, ph_explanation *e);
model_counts model_count(const model *m);

/* Is an entity inside of an area, by the rule of pharos.h, "Areas"? Of the attributes x, y and kind count. */
bool model_in_area(const ph_area *area, const ph_attrs *entity, bool was_inside);

#endif
