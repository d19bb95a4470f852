/*
 * The causes of leaves; see event_causes.h. In the fill, any worker.
 */
#include "shards/interest/event_causes.h"

phx_cause_observer phx_cause_observer_of(const phx_shard *shard, uint32_t slot)
{
    const phx_store *store = &shard->store;
    const phx_body *body = &store->body[slot];
    const phx_attr *attr = phx_store_attr(store, slot);
    const phx_relation_set *related = phx_relations_of(&shard->relations, slot);
    return (phx_cause_observer){.body = body,
                                .attr = attr,
                                .relations = related,
                                .plain = !(related && related->hides > 0) && attr->instance == 0 && (attr->sees & 1),
                                .capped = phx_causes_cut(shard, slot)};
}

/*
 * phx_rule_sees() of a listed target that no attribute hides or shows from farther off, without a relation to it. A cap
 * that cuts asks for each leave.
 */
static bool sees_unmarked(const phx_rules *rules, const phx_body *observer, const phx_attr *own, const phx_body *target)
{
    if (rules->range == PH_RANGE_TOWERS) return phx_in_towers(rules, observer, target);
    return phx_in_range(rules, observer, target, own->view + own->margin);
}

/*
 * The shard of a target that is in the world, and its slot there; NULL: that incarnation is gone. A slot that is no own
 * one may be out of date, or have ended for want of a view.
 */
static const phx_shard *home_of_target(const phx_cause_scope *scope, const phx_shard *shard, uint32_t *slot)
{
    const phx_body *body = &shard->store.body[*slot];
    if (PHX_LIKELY(body->state & PHX_SLOT_OWN)) return shard;
    if (!scope->several) return NULL;
    const phx_name *name = &shard->store.name[*slot];
    const uint64_t home = phx_directory_find(scope->directory, name->id);
    if (home == PHX_HOME_NONE) return NULL;
    const phx_shard *owner = &scope->shards[phx_home_shard(home)];
    *slot = phx_home_slot(home);
    return owner->store.name[*slot].incarnation == name->incarnation ? owner : NULL;
}

ph_cause phx_cause_of_leave(const phx_cause_scope *scope, const phx_shard *shard, const phx_cause_observer *observer,
                            uint32_t target)
{
    const phx_shard *home = home_of_target(scope, shard, &target);
    if (!home) return PH_CAUSE_GONE;
    const phx_body *body = &home->store.body[target];
    const bool marked = body->state & (PHX_SLOT_SPECIAL | PHX_SLOT_APART);
    if (PHX_LIKELY(observer->plain && !marked && !observer->capped)) return PH_CAUSE_RANGE;
    if (observer->plain && !marked && !observer->relations) {
        const bool near = sees_unmarked(shard->rules, observer->body, observer->attr, body);
        return near ? PH_CAUSE_OUTRANKED : PH_CAUSE_RANGE;
    }
    const phx_attr *attr = phx_store_attr(&home->store, target);
    const phx_relation *relation = phx_relation_find(observer->relations, home->store.name[target].id);
    if (!phx_rule_admits(observer->attr, attr, relation)) return PH_CAUSE_HIDDEN;
    if (!observer->capped) return PH_CAUSE_RANGE;
    const bool passes = phx_rule_sees(shard->rules, observer->body, observer->attr, body, attr, relation, true);
    return passes ? PH_CAUSE_OUTRANKED : PH_CAUSE_RANGE;
}
