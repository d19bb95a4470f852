/*
 * Interest lists for readers: the targets of an own observer, now and at the last tick's end. Between ticks by any
 * threads; in a tick after the interest phase. Nothing is written.
 */
#ifndef PHX_SHARDS_QUERY_SEEN_H
#define PHX_SHARDS_QUERY_SEEN_H

#include "shards/state/shard.h"
#include "shards/state/storage.h"

/*
 * Calls visit() for all targets in an own observer's list, up to PHX_LIST_PIECE_MAX slots at a time, in no order, until
 * it returns false. Between ticks, and in a tick after the interest phase. After an apply it is the list of the last
 * tick's end, with the slots of targets that left since.
 */
void phx_shard_list_targets(const phx_shard *shard, uint32_t slot, phx_list_fn visit, void *user);

/* The same for a derived list, row by row, and cell entry by cell entry; see phx_storage.visit_list. */
void phx_rows_visit_list(const phx_shard *shard, uint32_t slot, phx_list_fn visit, void *user);
void phx_ninegrid_visit_list(const phx_shard *shard, uint32_t slot, phx_list_fn visit, void *user);

/*
 * The same without the part that rows give: the far part (far_list.h), listed targets of relations, and the annulus.
 */
void phx_rest_visit_list(const phx_shard *shard, uint32_t slot, phx_list_fn visit, void *user);

/* The number of targets at the last tick's end. */
uint32_t phx_shard_list_count(const phx_shard *shard, uint32_t slot);

/*
 * Is the target in the own observer's list? The rule of the pair answers if it decides. Also after the interest phase.
 */
bool phx_shard_is_in_list(const phx_shard *shard, uint32_t observer, uint32_t target);

/* The same in two steps: PHX_LIST_DECIDES if the rule leaves it to the stored list, or to the annulus. */
typedef enum phx_list_answer { PHX_LIST_LACKS, PHX_LIST_HAS, PHX_LIST_DECIDES } phx_list_answer;
phx_list_answer phx_shard_list_answer(const phx_shard *shard, uint32_t observer, uint32_t target);
bool phx_shard_stored_list_has(const phx_shard *shard, uint32_t observer, uint32_t target);

/* May the cap have cut an own observer's list, of which none is held? */
static inline bool phx_shard_cap_decides(const phx_shard *shard, uint32_t observer)
{
    const phx_list *list = &shard->store.tail[observer].list;
    const phx_attr *attr = phx_store_attr(&shard->store, observer);
    return !list->derived && attr->cap > 0 && list->count >= attr->cap;
}

/*
 * Does the stored list of an own observer decide about every target that is in the index? A cap may have cut it, or
 * targets are held. Of any other list the rule of the pair decides, but in the margin, and of targets of relations.
 */
static inline bool phx_shard_list_decides(const phx_shard *shard, uint32_t observer)
{
    return (shard->store.body[observer].state & PHX_SLOT_PARTIAL) || phx_shard_cap_decides(shard, observer);
}

/* After an apply: had an own observer's list the target, a live slot, at the last tick's end? */
bool phx_shard_list_had(const phx_shard *shard, uint32_t observer, uint32_t target);

/* After the interest phase: are targets held for the own observer, so that it is renewed in the next tick? */
bool phx_shard_has_deferred(const phx_shard *shard, uint32_t observer);

#endif
