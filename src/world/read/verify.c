/*
 * Verifies lists; see verify.h. The list itself takes the place of the previous list, which is gone:
 * shards/query/explain.c has the reason why a right list passes.
 */
#include "world/read/verify.h"

#include "shards/query/seen.h"
#include "shards/simd/top_k.h"

enum { NOT_LISTED = UINT32_MAX };

/* An observer's list, and the expected one. Memory is kept from one observer to the next. */
typedef struct check {
    phx_world *world;
    const phx_shard *shard;
    const phx_relation_set *relations;
    uint32_t slot;
    phx_sort_record *listed, *spare; /* by id; slot: the place in names */
    uint32_t *incarnations;          /* by place */
    bool *right;                     /* by place in listed: it is expected too */
    uint32_t listed_count, listed_capacity, spare_capacity, incarnations_capacity, right_capacity;
    phx_ranked *expected; /* slot: the place in listed, or NOT_LISTED */
    uint32_t expected_count, expected_capacity;
    uint64_t pairs;
    bool failed; /* no memory */
} check;

static void check_free(check *at)
{
    phx_mem *mem = &at->world->mem;
    phx_release(mem, (void **)&at->listed, &at->listed_capacity, sizeof *at->listed);
    phx_release(mem, (void **)&at->spare, &at->spare_capacity, sizeof *at->spare);
    phx_release(mem, (void **)&at->incarnations, &at->incarnations_capacity, sizeof *at->incarnations);
    phx_release(mem, (void **)&at->right, &at->right_capacity, sizeof *at->right);
    phx_release(mem, (void **)&at->expected, &at->expected_capacity, sizeof *at->expected);
}

/* ---- the list ---- */

static bool add_listed(void *user, const uint32_t *targets, uint32_t count)
{
    check *at = user;
    phx_mem *mem = &at->world->mem;
    uint32_t n = at->listed_count;
    if (!phx_grow(mem, (void **)&at->listed, &at->listed_capacity, n, (size_t)n + count, sizeof *at->listed) ||
        !phx_grow(mem, (void **)&at->incarnations, &at->incarnations_capacity, n, (size_t)n + count,
                  sizeof *at->incarnations)) {
        at->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < count; i++, n++) {
        const phx_name *name = &at->shard->store.name[targets[i]];
        at->listed[n] = (phx_sort_record){.id = name->id, .slot = n};
        at->incarnations[n] = name->incarnation;
    }
    at->listed_count = n;
    return true;
}

static bool gather_list(check *at)
{
    phx_mem *mem = &at->world->mem;
    at->listed_count = at->expected_count = 0;
    phx_shard_list_targets(at->shard, at->slot, add_listed, at);
    uint32_t n = at->listed_count;
    if (at->failed || !phx_grow(mem, (void **)&at->spare, &at->spare_capacity, 0, n, sizeof *at->spare) ||
        !phx_grow(mem, (void **)&at->right, &at->right_capacity, 0, n, sizeof *at->right))
        return false;
    phx_order_many(at->listed, at->spare, n);
    for (uint32_t i = 0; i < n; i++) at->right[i] = false;
    return true;
}

/* The first place of this incarnation in the list. */
static uint32_t place_of(const check *at, const phx_name *name)
{
    uint32_t low = 0, high = at->listed_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (at->listed[middle].id < name->id) low = middle + 1;
        else high = middle;
    }
    bool there = low < at->listed_count && at->listed[low].id == name->id &&
                 at->incarnations[at->listed[low].slot] == name->incarnation;
    return there ? low : NOT_LISTED;
}

/* ---- the expected list ---- */

/* A copy of the body in the tower of its position. */
static phx_body body_in_tower(const phx_rules *rules, const phx_body *body)
{
    phx_body at = *body;
    at.tx = phx_tower_index(rules, 0, at.x);
    at.ty = phx_tower_index(rules, 1, at.y);
    return at;
}

static bool consider_target(check *at, const phx_body *observer, const phx_store *store, uint32_t target)
{
    const phx_rules *rules = &at->world->rules;
    const phx_attr *oa = phx_store_attr(&at->shard->store, at->slot), *ta = phx_store_attr(store, target);
    const phx_name *name = &store->name[target];
    const phx_relation *relation = at->relations ? phx_relation_find(at->relations, name->id) : NULL;
    phx_body body = rules->range == PH_RANGE_TOWERS ? body_in_tower(rules, &store->body[target]) : store->body[target];
    if (!phx_rule_sees(rules, observer, oa, &body, ta, relation, true)) return true;
    uint32_t place = place_of(at, name), n = at->expected_count;
    if (place == NOT_LISTED && !phx_rule_sees(rules, observer, oa, &body, ta, relation, false)) return true;
    if (!phx_grow(&at->world->mem, (void **)&at->expected, &at->expected_capacity, n, (size_t)n + 1,
                  sizeof *at->expected))
        return false;
    bool always = ta->global || (relation && (relation->bits & PHX_RELATION_LINK));
    double d2 = phx_rank_d2(rules, observer, &body);
    at->expected[n] = (phx_ranked){.id = name->id,
                                   .key = place == NOT_LISTED ? d2 * rules->sticky : d2 * 1.0,
                                   .slot = place,
                                   .first = (uint32_t)always << 8 | ta->priority};
    at->expected_count++;
    return true;
}

static bool build_expected_list(check *at)
{
    const phx_world *world = at->world;
    const phx_attr *attr = phx_store_attr(&at->shard->store, at->slot);
    phx_body observer = body_in_tower(&world->rules, &at->shard->store.body[at->slot]);
    at->pairs++;
    if (!phx_attr_observes(attr)) return true;
    for (uint32_t s = 0; s < world->shard_count; s++) {
        const phx_store *store = &world->shards[s].store;
        for (uint32_t target = 0; target < store->slots; target++) {
            if (!(store->body[target].state & PHX_SLOT_OWN)) continue;
            if (store == &at->shard->store && target == at->slot) continue;
            at->pairs++;
            if (!consider_target(at, &observer, store, target)) return false;
        }
    }
    if (attr->cap > 0 && at->expected_count > attr->cap) {
        phx_rank_best(at->expected, at->expected_count, attr->cap);
        at->expected_count = attr->cap;
    }
    return true;
}

/* ---- the two side by side ---- */

static void note_difference(const check *at, uint64_t target, ph_difference_kind kind, ph_difference *difference)
{
    if (difference->kind != PH_DIFFERENCE_NONE && difference->target <= target) return;
    *difference = (ph_difference){.observer = at->shard->store.name[at->slot].id, .target = target, .kind = kind};
}

static void compare_with_list(check *at, ph_difference *difference)
{
    bool waits = phx_shard_has_deferred(at->shard, at->slot); /* targets may be held */
    for (uint32_t i = 0; i < at->expected_count; i++) {
        const phx_ranked *expected = &at->expected[i];
        if (expected->slot == NOT_LISTED && waits) continue;
        if (expected->slot == NOT_LISTED) note_difference(at, expected->id, PH_DIFFERENCE_MISSING, difference);
        else at->right[expected->slot] = true;
    }
    for (uint32_t i = 0; i < at->listed_count; i++) {
        uint64_t id = at->listed[i].id;
        bool twice = i > 0 && at->listed[i - 1].id == id;
        if (at->right[i]) continue;
        if (twice) note_difference(at, id, PH_DIFFERENCE_TWICE, difference);
        else if (phx_directory_has(&at->world->directory, id)) note_difference(at, id, PH_DIFFERENCE_EXTRA, difference);
        else note_difference(at, id, PH_DIFFERENCE_GONE, difference);
    }
}

static bool check_observer(check *at, uint32_t shard, uint32_t slot, ph_difference *difference)
{
    at->shard = &at->world->shards[shard];
    at->slot = slot;
    at->relations = phx_relations_of(&at->shard->relations, slot);
    if (!gather_list(at) || !build_expected_list(at)) return false;
    compare_with_list(at, difference);
    return true;
}

/* ---- slices ---- */

/* Advances to the next slot of the round. false: the round is over, and the next one begins. */
static bool advance_slot(const phx_world *world, ph_verification *progress)
{
    progress->slot++;
    while (progress->shard < world->shard_count && progress->slot >= world->shards[progress->shard].store.slots) {
        progress->shard++;
        progress->slot = 0;
    }
    if (progress->shard < world->shard_count) return true;
    progress->shard = progress->slot = 0;
    progress->rounds++;
    return false;
}

ph_status phx_verify(phx_world *world, uint64_t pairs, ph_verification *progress, ph_difference *difference)
{
    check at = {.world = world};
    uint64_t looked_at = 0;
    bool good = true, more = true;
    *difference = (ph_difference){.kind = PH_DIFFERENCE_NONE};
    if (progress->shard >= world->shard_count) return PH_BAD_ARGUMENT;
    do {
        const phx_store *store = &world->shards[progress->shard].store;
        bool own = progress->slot < store->slots && (store->body[progress->slot].state & PHX_SLOT_OWN);
        if (own) {
            good = check_observer(&at, progress->shard, progress->slot, difference);
            if (!good) break;
            progress->observers += phx_attr_observes(phx_store_attr(store, progress->slot));
        }
        looked_at++;
        more = advance_slot(world, progress);
    } while (more && difference->kind == PH_DIFFERENCE_NONE && looked_at + at.pairs < pairs);
    progress->pairs += at.pairs;
    check_free(&at);
    return good ? PH_OK : PH_NO_MEMORY;
}
