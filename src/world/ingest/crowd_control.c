/*
 * Crowd control; see crowd_control.h.
 */
#include "world/ingest/crowd_control.h"

#include <string.h>

#include "shards/ingest/commands.h"
#include "world/ingest/crowd_counts.h"
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
    phx_crowd_counts_init(&crowd->counts, &world->mem);
    phx_crowd_rules(world);
    crowd->shards = phx_alloc_zero(&world->mem, world->shard_count * sizeof *crowd->shards, PHX_CACHE_LINE);
    for (uint32_t i = 0; crowd->shards && i < world->shard_count; i++)
        phx_crowd_counts_init(&crowd->shards[i].counts, world->shards[i].mem);
    return crowd->shards != NULL;
}

void phx_crowd_free(phx_world *world)
{
    phx_crowd_result *crowd = &world->crowd;
    if (crowd->shrunk.mem) phx_idmap_free(&crowd->shrunk);
    phx_crowd_counts_free(&crowd->counts);
    for (uint32_t i = 0; crowd->shards && i < world->shard_count; i++) {
        phx_crowd_control_shard *of = &crowd->shards[i];
        phx_mem *mem = world->shards[i].mem;
        phx_crowd_counts_free(&of->counts);
        phx_release(mem, (void **)&of->towers, &of->towers_capacity, sizeof *of->towers);
        phx_release(mem, (void **)&of->place, &of->place_capacity, sizeof *of->place);
        phx_release(mem, (void **)&of->changes, &of->changes_capacity, sizeof *of->changes);
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

/* Room for the places of so many slots; the places of the last tick stay. false = no memory. */
static bool reserve_places(phx_crowd_control_shard *of, phx_mem *mem, uint32_t slots)
{
    const uint32_t before = of->place_capacity;
    if (!phx_grow(mem, (void **)&of->place, &of->place_capacity, before, slots, sizeof *of->place)) return false;
    for (uint32_t slot = before; slot < of->place_capacity; slot++) of->place[slot] = PHX_SLOT_NONE;
    return true;
}

bool phx_step_crowd_count(phx_world *world, uint32_t index)
{
    const phx_store *store = &world->shards[index].store;
    phx_crowd_control_shard *of = &world->crowd.shards[index];
    phx_crowd_counts_clear(&of->counts);
    if (!reserve_places(of, world->shards[index].mem, store->slots)) return false;
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        const phx_body *body = &store->body[slot];
        if (!(body->state & PHX_SLOT_OWN)) continue;
        of->place[slot] =
            phx_crowd_counts_add(&of->counts, of->place[slot], phx_store_instance(store, slot), body->tx, body->ty);
        if (of->place[slot] == PHX_SLOT_NONE) return false;
    }
    return true;
}

bool phx_crowd_gather(phx_world *world)
{
    phx_crowd_result *crowd = &world->crowd;
    crowd->shard_at = crowd->change_at = 0;
    if (world->shard_count == 1) return true;
    phx_crowd_counts_clear(&crowd->counts);
    for (uint32_t i = 0; i < world->shard_count; i++)
        if (!phx_crowd_counts_merge(&crowd->counts, &crowd->shards[i].counts)) return false;
    return true;
}

/* ---- deciding ---- */

static uint32_t wanted_step(const phx_world *world, double entities)
{
    double most = (double)world->def.crowd_entities;
    uint32_t step = 0;
    if (world->def.crowd_entities == 0) return 0;
    while (step < PHX_CROWD_STEPS && !(entities * world->crowd.square[step] <= most)) step++;
    return step;
}

/* Fills `towers` of a shard. false = no memory. */
static bool decide_towers(const phx_world *world, phx_crowd_control_shard *of)
{
    const phx_crowd_counts *all = world->shard_count == 1 ? &of->counts : &world->crowd.counts;
    if (!phx_grow(of->counts.mem, (void **)&of->towers, &of->towers_capacity, 0,
                  (size_t)of->counts.count * PHX_BLOCK_TOWERS, sizeof *of->towers))
        return false;
    for (uint32_t b = 0; b < of->counts.count; b++) {
        const phx_crowd_block *block = &of->counts.blocks[b];
        uint32_t around[PHX_BLOCK_TOWERS];
        if (block->all == 0) continue;
        phx_crowd_counts_around(all, block, around);
        of->looks++;
        for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; t++) {
            if (block->entities[t] == 0) continue;
            of->towers[b * PHX_BLOCK_TOWERS + t] =
                (phx_crowd_tower){.entities = around[t],
                                  .up = (uint8_t)wanted_step(world, (double)around[t]),
                                  .down = (uint8_t)wanted_step(world, (double)around[t] * CROWD_SLACK)};
        }
    }
    return true;
}

/* Did it enter the world in this tick? Not from a capsule: it had a step before. */
static bool is_new(const phx_world *world, const phx_name *name)
{
    const uint32_t before = world->crowd.incarnations;
    return phx_incarnation_since(name->incarnation, before, world->incarnations - before) &&
           !phx_imports_has(&world->imports, name->id);
}

static uint32_t next_step(const phx_world *world, uint32_t step, const phx_crowd_tower *tower, const phx_name *name)
{
    if (tower->up == step || is_new(world, name)) return tower->up;
    if (tower->up > step) return step + 1;
    return tower->down < step ? step - 1 : step;
}

bool phx_step_crowd_decide(phx_world *world, uint32_t index)
{
    const phx_store *store = &world->shards[index].store;
    phx_crowd_control_shard *of = &world->crowd.shards[index];
    of->change_count = 0;
    of->most = 0;
    if (!decide_towers(world, of)) return false;
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        if (!(store->body[slot].state & PHX_SLOT_OWN)) continue;
        const phx_attr *attr = phx_store_attr(store, slot);
        if (attr->view == 0.0f && attr->crowd_step == 0) continue; /* most entities of most worlds */
        const phx_crowd_tower *tower = &of->towers[of->place[slot]];
        uint32_t next = 0;
        if (attr->view > 0.0f) {
            next = next_step(world, attr->crowd_step, tower, &store->name[slot]);
            if (tower->entities > of->most) of->most = tower->entities;
        }
        if (next == attr->crowd_step) continue;
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
        attr.crowd_step = 0;
        phx_shard_set(shard, change.slot, &attr);
        phx_idmap_remove(&crowd->shrunk, id);
        return true;
    }
    uint32_t step = step_of(shrunk);
    if (change.step > step) crowd->narrowed += change.step - step;
    else crowd->widened += step - change.step;
    attr.view = narrowed_view(crowd, view, change.step);
    attr.crowd_step = change.step;
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
    attr->crowd_step = step_of(shrunk);
    if (!shrunk) return;
    uint32_t step = attr->crowd_step;
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
