/*
 * Explains one pair; see explain.h. The previous list is gone, so the present list takes its place. The answer is the
 * same. A target in the list passed by view, or by view and margin, so it passes by both. A target outside did not pass
 * by its view. At the cap, a listed target has its plain distance now and another one its sticky distance, so no target
 * outside comes before a listed one that it did not come before in the tick. A target that passes and is not in the
 * list is held (adds_max).
 */
#include "shards/query/explain.h"

#include "shards/query/seen.h"

/* Decides by the rules in their order, without the cap. Returns the rule that decides. */
static ph_reason decide_reason(const phx_shard *shard, phx_explain_side o, phx_explain_side t,
                               const phx_relation *relation, bool listed)
{
    const phx_rules *rules = shard->rules;
    const phx_attr *oa = o.attr, *ta = t.attr;
    bool paired = relation && (relation->bits & PHX_RELATION_PAIR);
    if (!oa->ready) return PH_REASON_NOT_READY;
    if (!(oa->view > 0.0f)) return PH_REASON_NO_VIEW;
    if (o.id == t.id) return PH_REASON_SELF;
    if (oa->instance != ta->instance) return PH_REASON_INSTANCE;
    if (relation && (relation->bits & PHX_RELATION_HIDE)) return PH_REASON_HIDDEN;
    if (!(oa->sees & ta->layers)) return PH_REASON_LAYERS;
    bool revealed = relation && (relation->bits & PHX_RELATION_REVEAL);
    if (!revealed && ta->stealth > oa->detect) return PH_REASON_STEALTH;
    if (!revealed && ta->veiled) return PH_REASON_VEILED;
    if (ta->global) return PH_REASON_GLOBAL;
    if (relation && (relation->bits & PHX_RELATION_LINK)) return PH_REASON_LINK;
    if (rules->range == PH_RANGE_TOWERS)
        return phx_in_towers(rules, o.body, t.body) ? PH_REASON_TOWERS : PH_REASON_TOWERS_APART;
    if (phx_rule_sees(rules, o.body, oa, t.body, ta, relation, false)) {
        if (paired) return PH_REASON_PAIR;
        float seen = oa->view < ta->visible ? oa->view : ta->visible;
        return phx_in_range(rules, o.body, t.body, seen) ? PH_REASON_VIEW : PH_REASON_REACH;
    }
    if (listed && phx_rule_sees(rules, o.body, oa, t.body, ta, relation, true)) return PH_REASON_MARGIN;
    float dz = t.body->z - o.body->z;
    if (rules->shape != PH_SHAPE_CYLINDER || fabsf(dz) <= rules->height) return PH_REASON_TOO_FAR;
    phx_body level = *t.body; /* decided by its height alone */
    level.z = o.body->z;
    return phx_rule_sees(rules, o.body, oa, &level, ta, relation, listed) ? PH_REASON_TOO_HIGH : PH_REASON_TOO_FAR;
}

/* The rank of a target at the cap. */
typedef struct place {
    bool always; /* global or linked */
    uint8_t priority;
    double key;
    uint64_t id;
} place;

static place rank_place(const phx_shard *shard, const phx_body *observer, phx_explain_side t,
                        const phx_relation *relation, bool listed)
{
    double d2 = phx_rank_d2(shard->rules, observer, t.body);
    return (place){.always = t.attr->global || (relation && (relation->bits & PHX_RELATION_LINK)),
                   .priority = t.attr->priority,
                   .key = listed ? d2 * 1.0 : d2 * shard->rules->sticky,
                   .id = t.id};
}

static bool comes_before(const place *a, const place *b)
{
    if (a->always != b->always) return a->always;
    if (a->priority != b->priority) return a->priority > b->priority;
    if (a->key < b->key || a->key > b->key) return a->key < b->key;
    return a->id < b->id;
}

/* Ranks the target, which passes, among all targets that pass. */
static void rank_target(const phx_shard *shard, uint32_t observer, const place *target, ph_explanation *why)
{
    const phx_store *store = &shard->store;
    const phx_body *body = &store->body[observer];
    const phx_attr *attr = phx_store_attr(store, observer);
    const phx_relation_set *set = phx_relations_of(&shard->relations, observer);
    why->rank = why->passing = 1;
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        phx_explain_side other = {store->name[slot].id, &store->body[slot], phx_store_attr(store, slot)};
        if (!(other.body->state & PHX_SLOT_LIVE) || slot == observer || other.id == target->id) continue;
        const phx_relation *relation = phx_relation_find(set, other.id);
        if (!phx_rule_sees(shard->rules, body, attr, other.body, other.attr, relation, true)) continue;
        bool listed = phx_shard_is_in_list(shard, observer, slot);
        if (!phx_rule_sees(shard->rules, body, attr, other.body, other.attr, relation, listed)) continue;
        place at = rank_place(shard, body, other, relation, listed);
        why->passing++;
        why->rank += comes_before(&at, target);
    }
}

static bool reason_sees(ph_reason reason)
{
    switch (reason) {
#define PASSES(name, number, sees, text) \
    case name: \
        return sees;
        PH_REASON_LIST(PASSES) /* NOLINT(bugprone-branch-clone): a row of the table each */
#undef PASSES
    case PH_REASON_END:
        break;
    }
    return false;
}

static void fill_explanation(const phx_shard *shard, phx_explain_side o, phx_explain_side t,
                             const phx_relation *relation, ph_explanation *why)
{
    const phx_rules *rules = shard->rules;
    bool paired = relation && (relation->bits & PHX_RELATION_PAIR);
    uint16_t ox = o.body->tx, oy = o.body->ty, tx = t.body->tx, ty = t.body->ty;
    *why = (ph_explanation){.paired = paired,
                            .dx = t.body->x - o.body->x,
                            .dy = t.body->y - o.body->y,
                            .dz = t.body->z - o.body->z,
                            .square = phx_rank_d2(rules, o.body, t.body),
                            .radius = paired ? relation->view : phx_enter_radius(o.attr, t.attr),
                            .margin = paired ? relation->margin : o.attr->margin,
                            .height = rules->height,
                            .towers_x = (uint32_t)(ox > tx ? ox - tx : tx - ox),
                            .towers_y = (uint32_t)(oy > ty ? oy - ty : ty - oy),
                            .span = rules->span,
                            .cap = o.attr->cap,
                            .sees_mask = o.attr->sees,
                            .layers = t.attr->layers,
                            .observer_instance = o.attr->instance,
                            .target_instance = t.attr->instance,
                            .stealth = t.attr->stealth,
                            .detect = o.attr->detect,
                            .range = (uint8_t)rules->range,
                            .shape = (uint8_t)rules->shape};
}

void phx_shard_explain(const phx_shard *shard, uint32_t observer, uint32_t slot, phx_explain_side target,
                       ph_explanation *why)
{
    const phx_store *store = &shard->store;
    phx_explain_side o = {store->name[observer].id, &store->body[observer], phx_store_attr(store, observer)};
    const phx_relation *relation = phx_relation_find(phx_relations_of(&shard->relations, observer), target.id);
    bool listed = slot != PHX_SLOT_NONE && phx_shard_is_in_list(shard, observer, slot);
    fill_explanation(shard, o, target, relation, why);
    why->reason = decide_reason(shard, o, target, relation, listed);
    if (reason_sees(why->reason) && why->cap > 0) {
        place at = rank_place(shard, o.body, target, relation, listed);
        rank_target(shard, observer, &at, why);
        if (why->rank > why->cap) why->reason = PH_REASON_CAP;
    }
    if (reason_sees(why->reason) && !listed && phx_shard_has_deferred(shard, observer)) why->reason = PH_REASON_WAITS;
    why->sees = reason_sees(why->reason);
}

ph_reason phx_shard_reason_listed(const phx_shard *shard, uint32_t observer, phx_explain_side target)
{
    const phx_store *store = &shard->store;
    const phx_explain_side o = {store->name[observer].id, &store->body[observer], phx_store_attr(store, observer)};
    const phx_relation *relation = phx_relation_find(phx_relations_of(&shard->relations, observer), target.id);
    return decide_reason(shard, o, target, relation, true);
}
