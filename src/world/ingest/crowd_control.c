/*
 * Crowd control; see crowd_control.h.
 */
#include "world/ingest/crowd_control.h"

#include <string.h>

#include "shards/ingest/commands.h"
#include "world/ingest/imports.h"
#include "world/state/crowd_types.h"
#include "world/state/world.h"
#include "world/table/attr_resolve.h"

static const double CROWD_SLACK = 1.25; /* a view widens again only if it would stay so with a quarter more entities */

/* ---- a step and a view in 64 bits ---- */

static uint64_t shrunk_of(float view, uint32_t step)
{
    uint32_t bits;
    memcpy(&bits, &view, sizeof bits);
    return (uint64_t)step << 32 | bits;
}

static uint32_t step_of(const uint64_t *shrunk)
{
    return shrunk ? (uint32_t)(*shrunk >> 32) : 0;
}

static float view_of(const uint64_t *shrunk)
{
    uint32_t bits = (uint32_t)*shrunk;
    float view;
    memcpy(&view, &bits, sizeof view);
    return view;
}

static uint64_t *find_shrunk_view(const phx_crowd_result *crowd, uint64_t id)
{
    return phx_idmap_count(&crowd->shrunk) > 0 ? phx_idmap_find(&crowd->shrunk, id) : NULL;
}

/* A view too small to be multiplied stays, so that an observer stays an observer. */
static float narrowed_view(const phx_crowd_result *crowd, float view, uint32_t step)
{
    const float narrowed = (float)((double)view * crowd->share[step]);
    return narrowed > 0.0f ? narrowed : view;
}

/* ---- life ---- */

bool phx_crowd_init(phx_world *world)
{
    phx_crowd_result *crowd = &world->crowd;
    phx_idmap_init(&crowd->shrunk, &world->mem);
    phx_idmap_init(&crowd->towers, &world->mem);
    phx_crowd_rules(world);
    crowd->shards = phx_alloc_zero(&world->mem, world->shard_count * sizeof *crowd->shards, PHX_CACHE_LINE);
    for (uint32_t i = 0; crowd->shards && i < world->shard_count; i++)
        phx_idmap_init(&crowd->shards[i].towers, world->shards[i].mem);
    return crowd->shards != NULL;
}

void phx_crowd_free(phx_world *world)
{
    phx_crowd_result *crowd = &world->crowd;
    if (crowd->shrunk.mem) phx_idmap_free(&crowd->shrunk);
    if (crowd->towers.mem) phx_idmap_free(&crowd->towers);
    for (uint32_t i = 0; crowd->shards && i < world->shard_count; i++) {
        phx_crowd_control_shard *of = &crowd->shards[i];
        phx_idmap_free(&of->towers);
        phx_release(world->shards[i].mem, (void **)&of->changes, &of->changes_capacity, sizeof *of->changes);
    }
    phx_free(&world->mem, crowd->shards, world->shard_count * sizeof *crowd->shards, PHX_CACHE_LINE);
}

void phx_crowd_rules(phx_world *world)
{
    phx_crowd_result *crowd = &world->crowd;
    for (uint32_t s = 0; s <= PHX_CROWD_STEPS; s++) {
        crowd->share[s] = 1.0 - (double)s * (1.0 - (double)world->def.crowd_floor) / PHX_CROWD_STEPS;
        crowd->square[s] = crowd->share[s] * crowd->share[s];
    }
}

/* ---- counting ---- */

bool phx_crowd_due(const phx_world *world)
{
    return world->def.crowd_entities > 0 || phx_idmap_count(&world->crowd.shrunk) > 0;
}

static bool count_tower(phx_idmap *towers, uint64_t key, uint64_t entities)
{
    uint64_t *at = phx_idmap_find(towers, key);
    if (at) {
        *at += entities;
        return true;
    }
    if (!phx_idmap_reserve(towers, phx_idmap_count(towers) + 1)) return false;
    phx_idmap_insert(towers, key, entities);
    return true;
}

/* Of a tower of an instance. Never 0: no axis has all the towers that 16 bits can number. */
static uint64_t key_of(uint32_t instance, uint32_t tx, uint32_t ty)
{
    return ((uint64_t)instance << 32 | (uint64_t)ty << 16 | tx) + 1;
}

bool phx_step_crowd_count(phx_world *world, uint32_t index)
{
    const phx_store *store = &world->shards[index].store;
    phx_idmap *towers = &world->crowd.shards[index].towers;
    phx_idmap_clear(towers);
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        const phx_body *body = &store->body[slot];
        if (!(body->state & PHX_SLOT_OWN)) continue;
        const uint32_t instance = phx_store_attr(store, slot)->instance;
        if (!count_tower(towers, key_of(instance, body->tx, body->ty), 1)) return false;
    }
    return true;
}

/* All towers' counts; with one shard they are the shard's. */
static const phx_idmap *all_towers(const phx_world *world)
{
    return world->shard_count == 1 ? &world->crowd.shards[0].towers : &world->crowd.towers;
}

bool phx_crowd_gather(phx_world *world)
{
    phx_crowd_result *crowd = &world->crowd;
    crowd->shard_at = crowd->change_at = 0;
    if (world->shard_count == 1) return true;
    phx_idmap_clear(&crowd->towers);
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const phx_idmap *own = &crowd->shards[i].towers;
        for (uint64_t b = 0; phx_idmap_count(own) > 0 && b < phx_idmap_bucket_count(own); b++) {
            const phx_idmap_bucket *bucket = phx_idmap_bucket_at(own, b);
            if (bucket->id != 0 && !count_tower(&crowd->towers, bucket->id, bucket->value)) return false;
        }
    }
    return true;
}

/* ---- deciding ---- */

/* Entities in the nine towers around a body. */
static uint64_t count_around(const phx_rules *rules, const phx_idmap *towers, const phx_body *body, uint32_t instance)
{
    uint32_t x0 = body->tx > 0 ? body->tx - 1u : 0, x1 = body->tx + 1u < rules->towers[0] ? body->tx + 1u : body->tx;
    uint32_t y0 = body->ty > 0 ? body->ty - 1u : 0, y1 = body->ty + 1u < rules->towers[1] ? body->ty + 1u : body->ty;
    uint64_t sum = 0;
    for (uint32_t y = y0; y <= y1; y++) {
        for (uint32_t x = x0; x <= x1; x++) {
            const uint64_t *count = phx_idmap_find(towers, key_of(instance, x, y));
            if (count) sum += *count;
        }
    }
    return sum;
}

static uint32_t wanted_step(const phx_world *world, double entities)
{
    double most = (double)world->def.crowd_entities;
    uint32_t step = 0;
    if (world->def.crowd_entities == 0) return 0;
    while (step < PHX_CROWD_STEPS && !(entities * world->crowd.square[step] <= most)) step++;
    return step;
}

/* Did it enter the world in this tick? Not from a capsule: it had a step before. */
static bool is_new(const phx_world *world, const phx_name *name)
{
    const uint32_t before = world->crowd.incarnations;
    return phx_incarnation_since(name->incarnation, before, world->incarnations - before) &&
           !phx_imports_has(&world->imports, name->id);
}

static uint32_t next_step(const phx_world *world, uint32_t step, uint64_t entities, const phx_name *name)
{
    uint32_t up = wanted_step(world, (double)entities);
    if (is_new(world, name)) return up;
    if (up > step) return step + 1;
    return wanted_step(world, (double)entities * CROWD_SLACK) < step ? step - 1 : step;
}

bool phx_step_crowd_decide(phx_world *world, uint32_t index)
{
    const phx_store *store = &world->shards[index].store;
    phx_crowd_control_shard *of = &world->crowd.shards[index];
    of->change_count = 0;
    of->most = 0;
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        const phx_body *body = &store->body[slot];
        if (!(body->state & PHX_SLOT_OWN)) continue;
        const uint64_t *shrunk = find_shrunk_view(&world->crowd, store->name[slot].id);
        float view = shrunk ? view_of(shrunk) : phx_store_attr(store, slot)->view;
        if (!shrunk && view == 0.0f) continue;
        const uint32_t instance = phx_store_attr(store, slot)->instance;
        uint64_t entities = count_around(&world->rules, all_towers(world), body, instance);
        uint32_t step = step_of(shrunk), next = 0;
        if (view > 0.0f) next = next_step(world, step, entities, &store->name[slot]);
        if (view > 0.0f && entities > of->most) of->most = entities;
        if (next == step) continue;
        if (!phx_grow(world->shards[index].mem, (void **)&of->changes, &of->changes_capacity, of->change_count,
                      (size_t)of->change_count + 1, sizeof *of->changes))
            return false;
        of->changes[of->change_count++] = (phx_crowd_view_change){slot, next};
    }
    return true;
}

/* ---- applying ---- */

static bool apply_view_change(phx_world *world, phx_shard *shard, phx_crowd_view_change change)
{
    phx_crowd_result *crowd = &world->crowd;
    uint64_t id = shard->store.name[change.slot].id;
    phx_attr attr = *phx_store_attr(&shard->store, change.slot);
    if (!phx_shard_ready(shard, 1) || !phx_idmap_reserve(&crowd->shrunk, phx_idmap_count(&crowd->shrunk) + 1))
        return false;
    uint64_t *shrunk = find_shrunk_view(crowd, id);
    float view = shrunk ? view_of(shrunk) : attr.view;
    if (view == 0.0f) { /* set to 0 by a command of this tick */
        phx_idmap_remove(&crowd->shrunk, id);
        return true;
    }
    uint32_t step = step_of(shrunk);
    if (change.step > step) crowd->narrowed += change.step - step;
    else crowd->widened += step - change.step;
    attr.view = narrowed_view(crowd, view, change.step);
    phx_shard_set(shard, change.slot, &attr);
    if (change.step == 0) phx_idmap_remove(&crowd->shrunk, id);
    else if (shrunk) *shrunk = shrunk_of(view, change.step);
    else phx_idmap_insert(&crowd->shrunk, id, shrunk_of(view, change.step));
    return true;
}

bool phx_crowd_apply(phx_world *world)
{
    phx_crowd_result *crowd = &world->crowd;
    for (; crowd->shard_at < world->shard_count; crowd->shard_at++, crowd->change_at = 0) {
        const phx_crowd_control_shard *of = &crowd->shards[crowd->shard_at];
        for (; crowd->change_at < of->change_count; crowd->change_at++)
            if (!apply_view_change(world, &world->shards[crowd->shard_at], of->changes[crowd->change_at])) return false;
    }
    crowd->most = 0;
    for (uint32_t i = 0; i < world->shard_count; i++)
        if (crowd->shards[i].most > crowd->most) crowd->most = crowd->shards[i].most;
    return true;
}

/* ---- commands on entities with a shrunk view ---- */

void phx_crowd_attrs(phx_world *world, uint64_t id, const ph_attrs *more, phx_attr *attr)
{
    phx_crowd_result *crowd = &world->crowd;
    uint64_t *shrunk = find_shrunk_view(crowd, id);
    if (shrunk) attr->view = view_of(shrunk);
    phx_attr_apply(&world->rules, more, attr);
    if (!shrunk) return;
    uint32_t step = step_of(shrunk);
    *shrunk = shrunk_of(attr->view, step);
    attr->view = narrowed_view(crowd, attr->view, step);
}

uint64_t phx_crowd_shrunk(const phx_world *world, uint64_t id)
{
    const uint64_t *shrunk = find_shrunk_view(&world->crowd, id);
    return shrunk ? *shrunk : 0;
}

uint64_t phx_crowd_step(uint32_t step, float view)
{
    return step > 0 ? shrunk_of(view, step) : 0;
}

bool phx_crowd_ready(phx_world *world)
{
    return phx_idmap_reserve(&world->crowd.shrunk, phx_idmap_count(&world->crowd.shrunk) + 1);
}

void phx_crowd_put(phx_world *world, uint64_t id, uint64_t shrunk)
{
    phx_crowd_drop(world, id);
    if (shrunk != 0) phx_idmap_insert(&world->crowd.shrunk, id, shrunk);
}

void phx_crowd_drop(phx_world *world, uint64_t id)
{
    if (find_shrunk_view(&world->crowd, id)) phx_idmap_remove(&world->crowd.shrunk, id);
}
