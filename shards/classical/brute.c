/*
 * index = brute: no structure, every entity is a candidate for every observer; see README.md. The live slots are in one
 * array, in no order. Written in the index phase, read in the interest phase; see index.h.
 */
#include "shards/classical/brute.h"

#include "shards/classical/index_parts.h"
#include "shards/entity/entity_store.h"

typedef struct brute {
    phx_index index;
    uint32_t *live;  /* slots */
    uint32_t *place; /* by slot: where in live[] */
    uint32_t count, live_capacity, place_capacity;
} brute;

static void brute_release(phx_index *index)
{
    brute *own = (brute *)index;
    phx_mem *mem = index->env.mem;
    phx_release(mem, (void **)&own->live, &own->live_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&own->place, &own->place_capacity, sizeof(uint32_t));
}

static bool brute_reserve(phx_index *index, uint32_t slots)
{
    brute *own = (brute *)index;
    phx_mem *mem = index->env.mem;
    return phx_grow(mem, (void **)&own->live, &own->live_capacity, own->count, slots, sizeof(uint32_t)) &&
           phx_grow(mem, (void **)&own->place, &own->place_capacity, own->place_capacity, slots, sizeof(uint32_t));
}

static void brute_insert(phx_index *index, uint32_t slot)
{
    brute *own = (brute *)index;
    own->place[slot] = own->count;
    own->live[own->count++] = slot;
    index->counts.steps++;
}

static void brute_remove(phx_index *index, uint32_t slot)
{
    brute *own = (brute *)index;
    uint32_t last = own->live[--own->count], place = own->place[slot];
    own->live[place] = last;
    own->place[last] = place;
    index->counts.steps++;
}

static void brute_move(phx_index *index, uint32_t slot)
{
    (void)index, (void)slot;
}

static void brute_around(const phx_index *index, phx_box box, phx_sink *sink)
{
    const brute *own = (const brute *)index;
    (void)box;
    sink->visited++;
    sink->take(sink, own->live, own->count);
}

static bool brute_valid(const phx_index *index)
{
    const brute *own = (const brute *)index;
    const phx_store *store = index->env.store;
    if (!phx_index_has_all(index, own->count)) return false;
    for (uint32_t i = 0; i < own->count; i++)
        if (!(store->body[own->live[i]].state & PHX_SLOT_LIVE) || own->place[own->live[i]] != i) return false;
    return true;
}

const phx_index_ops phx_index_brute = {
    .serves_towers = true,
    .bytes = sizeof(brute),
    .release = brute_release,
    .reserve = brute_reserve,
    .insert = brute_insert,
    .remove = brute_remove,
    .move = brute_move,
    .around = brute_around,
    .valid = brute_valid,
};
