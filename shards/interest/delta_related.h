/*
 * Relations of an observer while a delta finds its events. A target in sight by the common rule comes as a word of the
 * observer's run, as of any observer. With a derived list the words of related targets are dropped, and the rule
 * decides about each target of a pair or reveal in every tick, and of a link if attributes changed (phx_related_due()).
 * With a stored list the words of related targets are judged here, and the targets of pairs and links, which count at
 * other distances, are decided by the rule, each in every tick in which something changed; where relations changed, the
 * targets of all, of ended ones too. Interest phase, by the worker of the observer.
 */
#ifndef PHX_SHARDS_INTEREST_DELTA_RELATED_H
#define PHX_SHARDS_INTEREST_DELTA_RELATED_H

#include "shards/interest/scratch.h"
#include "shards/state/related.h"

/* Slots of events that were found so far; each array has room for the observer's relations, too. */
typedef struct phx_delta_hits {
    uint32_t *enter, *leave; /* target words, then slots */
    uint32_t enter_count, leave_count;
} phx_delta_hits;

/*
 * Finds the slots of their targets, into scratch->related. Makes room for events of so many words, and of the
 * relations. false = no memory.
 */
bool phx_related_find(phx_scratch *scratch, const phx_shard *shard, const phx_relation_set *related, uint32_t words);

/*
 * Does the rule decide about the target of a relation beside a stored list, wherever its words are? Of pairs and links,
 * and of all where relations changed in this tick.
 */
bool phx_related_decides(const phx_shard *shard, const phx_relation_set *related, const phx_relation *relation);

/*
 * Drops the words that relations rule out, or that phx_related_decide() decides: of enters hidden targets too, and
 * revealed ones that do not count. The words of revealed targets that stay are not special.
 */
void phx_related_sift(const phx_scratch *scratch, const phx_shard *shard, uint32_t slot,
                      const phx_relation_set *related, phx_delta_hits *hits);

/* Adds the events of the targets that the rule decides. The list is as at the last tick's end. */
void phx_related_decide(const phx_scratch *scratch, const phx_shard *shard, uint32_t slot,
                        const phx_relation_set *related, phx_delta_hits *hits);

/* ---- a derived list ---- */

/* Would phx_related_derive() add an event? Nothing is written but guesses. */
bool phx_related_changes(const phx_scratch *scratch, const phx_shard *shard, uint32_t slot,
                         const phx_relation_set *related);

/*
 * Adds the events of the targets of all relations, of which the slots were found, and notes in each relation what holds
 * from now on.
 */
void phx_related_derive(const phx_scratch *scratch, const phx_shard *shard, uint32_t slot, phx_relation_set *related,
                        phx_delta_hits *hits);

/* These events are recorded: what was noted holds. */
void phx_related_follow(phx_relation_set *related);

#endif
