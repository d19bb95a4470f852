/*
 * The inside of the model, shared by its own files only: model.c (the world and its
 * commands), model_rules.c (the rule of one pair), model_tick.c (lists and events),
 * model_say.c (broadcasts), model_update.c (updates),
 * model_zones.c (activation, areas), model_query.c, model_find.c.
 */
#ifndef SUPPORT_MODEL_PARTS_H
#define SUPPORT_MODEL_PARTS_H

#include "support/model.h"
#include "support/mutations.h"

typedef struct model_queue {
    uint64_t sequence; /* of the last command, accepted or refused */
    struct {
        command *items;
        size_t count, capacity;
    } commands;
    VEC(uint64_t) sequences;
} model_queue;

struct model {
    ph_world_def def; /* def.classes is `classes` */
    ph_class classes[MODEL_KINDS_MAX];
    ph_world_def next_def; /* of model_reconfigure(), when `reconfigured` */
    ph_class next_classes[MODEL_KINDS_MAX];
    unsigned reconfigured;
    uint64_t tick;
    bool begun; /* something was applied since the last tick */
    uint64_t incarnations;
    uint64_t incarnations_before; /* the last one given before the tick that is begun */
    VEC(model_entity *) entities; /* by id */
    model_queue queues[MODEL_PRODUCERS_MAX];
    VEC(model_change) changes;
    VEC(model_refusal) refusals;
    VEC(model_departed) departed;
    VEC(model_message) messages;
    uint64_t said_bytes; /* of this tick's broadcasts so far */
    VEC(model_heard) heard;
    VEC(model_edge) edges;
    VEC(model_area) areas;
    VEC(model_update) updates;
    bool banded; /* some class had a band at the end of the last tick */
    ph_class bands_before[MODEL_KINDS_MAX];
    uint32_t banded_classes; /* of them */
    size_t enters_each;      /* in this tick, of one observer: events_max */
    model_counts counts;
};

/* Index of the id among the entities, or where it would stand; *found says which. */
size_t model_place(const model *m, uint64_t id, bool *found);
model_entity *model_entity_of(const model *m, uint64_t id);

/* Crowd control, once the commands are applied: the steps of all; incarnations: the last one given before the tick. */
void model_crowd(model *m, uint64_t incarnations);
/* The view that counts. */
float model_crowd_view(const model *m, const model_entity *e, float view);

/* Attachments from e up to its root, as they are now. */
unsigned model_depth(const model *m, const model_entity *e);

/* The attributes that count at present: the entity's own, its class', its root's position. */
ph_attrs model_resolve(const model *m, const model_entity *e);
/* Its `ready`, as given or of its class; model_resolve() has it off for a remote entity. */
bool model_ready_given(const model *m, const model_entity *e);

/* In range, global or linked, and not hidden: one target before any cap. */
typedef struct model_candidate {
    const model_entity *target;
    bool forced; /* global or linked */
    double key;  /* squared distance, with stickiness */
    double d2;   /* without */
} model_candidate;

/* Whether o sees t; was_in: t was in o's list at the end of the tick before. `now` of both has to be filled. */
bool model_rule(const model *m, const model_entity *o, const model_entity *t, bool was_in, model_candidate *c);
const model_pair *model_pair_of(const model_entity *o, uint64_t target); /* NULL: none */
/* Instance, hide, layers, stealth or veil keep t out of o's list. */
bool model_hidden(const model_entity *o, const model_entity *t);
bool model_linked(const model_entity *o, const model_entity *t);
bool model_hides(const model_entity *o, const model_entity *t);
bool model_reveals(const model_entity *o, const model_entity *t);
/* The entity is not ready from now on: its list ends. */
void model_end_list(const model *m, model_entity *e);
/* Within the bounds of types.h. */
bool model_coordinate_ok(float v);
bool model_radius_ok(float r);
void model_axes_apart(const model *m, const ph_attrs *o, const ph_attrs *t, uint32_t apart[2]);
/* For qsort(): targets that a cap keeps come first. */
int model_rank(const void *a, const void *b);

/* Broadcasts: at submit, in the tick, and, once the lists stand, their recipients. */
/* Outside of all towers? */
bool model_outside(const model *m, const ph_attrs *a);
ph_status model_check_say(const model *m, const command_say *say);
ph_status model_apply_say(model *m, const command *c);
void model_clear_heard(model *m);
void model_hear(model *m);

/* Areas: at submit, in the tick. */
ph_status model_check_area(const model *m, const command *c);
ph_status model_apply_area(model *m, const command *c);
/* Activation and areas: an entity leaves the world; and, once all is in its place, the members of areas. */
void model_zones_gone(model *m, const model_entity *e);
void model_zones(model *m);
void model_emit_edge(model *m, const model_entity *e, uint64_t user_data, uint64_t area, bool on);
/* Towers between the towers of two, along the axis where it is more. */
int64_t model_towers_apart(const model *m, const ph_attrs *one, const ph_attrs *other);
/* Updates: once the lists stand. */
void model_clear_updates(model *m);
void model_update_all(model *m);

/* Applies one command inside a tick. */
ph_status model_apply(model *m, const command *c);

#endif
