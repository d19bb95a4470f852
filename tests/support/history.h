/*
 * The model's state at every tick of a run. From it follow the events that a consumer
 * has to get for any stretch of ticks: the net difference, when batches were
 * coalesced. Used by the run harness.
 */
#ifndef SUPPORT_HISTORY_H
#define SUPPORT_HISTORY_H

#include "support/model.h"

typedef struct history_entity {
    model_key key;
    uint32_t kind, consumer;
    uint32_t depth;
    uint64_t user_data;
    ph_position at;
    bool settled; /* ready at the end of this tick */
    bool handed;  /* its consumer changed in this tick, if only to and fro: what waited for it is dropped */
    bool changed; /* had a change in this tick */
    bool fresh;   /* which began a list */
    bool more;    /* which said that targets wait */
    model_key *list;
    size_t list_count;
} history_entity;

/* A leave that was told in a tick. */
typedef struct history_leave {
    model_key observer, target;
    ph_cause cause;
} history_leave;

typedef struct history_tick {
    VEC(history_entity) entities; /* by id */
    VEC(model_departed) departed;
    VEC(history_leave) leaves;
    VEC(model_message) messages;
    VEC(model_heard) heard;
    VEC(model_edge) edges;
    VEC(model_update) updates;
} history_tick;

/* ticks.items[t] is the end of tick t; the first is the empty world. */
typedef struct history {
    VEC(history_tick) ticks;
} history;

typedef VEC(model_change) change_list;
typedef VEC(model_edge) edge_list;

void history_begin(history *h);
void history_end(history *h);
/* That stay of the entity at the end of that tick, or NULL. */
const history_entity *history_entity_at(const history *h, uint64_t tick, model_key key);
/* Right after model_tick(). */
void history_note(history *h, const model *m);

/*
 * The changes that the consumer has to get for the ticks first..last, when it got everything
 * before them: by observer id, as model_changes(). An observer that starts afresh and
 * ends with an empty list, but saw a target in between, has an empty change. Kind and
 * user data are as at the end of the last tick; of leaves, as their causes, as in the tick in which
 * the target left for good. A target appeared that was not in the world before the first tick. Enters are ordered by
 * the depths at the end of the last tick, leaves by the depths of the tick before they left.
 */
void history_changes(const history *h, uint32_t consumer, uint64_t first, uint64_t last, change_list *changes);
/*
 * The edges that it has to get for these ticks: each edge that did not meet its opposite. User data as of targets: an
 * edge that is on is as an enter.
 */
void history_edges(const history *h, uint32_t consumer, uint64_t first, uint64_t last, edge_list *edges);
/* Was target in observer's list at the end of this tick? */
bool history_listed(const history *h, uint64_t tick, model_key observer, model_key target);
void changes_free(change_list *changes);

#endif
