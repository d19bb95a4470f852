/*
 * Creation and end of a world, and its reconfiguration; see lifecycle.h. Called through src/api, by the ticking thread.
 */
#include "world/tick/lifecycle.h"

#include <math.h>
#include <string.h>

#include "base/entropy.h"
#include "base/simd.h"
#include "base/tower_choice.h"
#include "shards/interest/scratch.h"
#include "shards/storage/storage_of.h"
#include "world/ingest/apply.h"
#include "world/ingest/crowd_control.h"
#include "world/ingest/imports.h"
#include "world/ingest/ingest.h"
#include "world/ingest/moves.h"
#include "world/monitor/monitor.h"
#include "world/publish/broadcasts.h"
#include "world/publish/updates.h"
#include "world/state/move_types.h"
#include "world/state/world.h"
#include "world/table/attr_resolve.h"

/* ---- create ---- */

static uint32_t tower_count(float size, float tower_size)
{
    double towers = ceil((double)size / (double)tower_size);
    return towers < 1.0 ? 1 : (uint32_t)towers;
}

void phx_world_set_towers(phx_world *world, float side)
{
    world->rules.tower_size = side;
    for (int axis = 0; axis < 2; axis++) world->rules.towers[axis] = tower_count(world->def.world_size[axis], side);
}

/* A side on which events depend is the world's own, and in its images; an open one each world chooses anew. */
static void init_towers(phx_world *world)
{
    const phx_views views = phx_views_of_classes(&world->def);
    const bool open = phx_towers_open(&world->def);
    phx_world_set_towers(world, phx_tower_side(&world->def, views));
    if (!open) world->def.tower_size = world->rules.tower_size;
    world->towers_open = open && !(views.longest > 0.0f);
}

bool phx_world_wakes(const ph_world_def *def)
{
    for (uint32_t kind = 0; kind < def->class_count; kind++)
        if (def->classes[kind].wakes) return true;
    return false;
}

static void init_rules(phx_world *world)
{
    const ph_world_def *def = &world->def;
    world->rules = (phx_rules){.range = def->range,
                               .shape = def->shape,
                               .height = def->height,
                               .origin = {def->world_origin[0], def->world_origin[1]},
                               .span = def->span,
                               .sticky = def->sticky,
                               .index = def->index,
                               .cell_size = def->cell_size,
                               .quadtree_capacity = def->quadtree_capacity,
                               .quadtree_depth = def->quadtree_depth,
                               .simd = phx_simd_choose(def->simd),
                               .classes = world->classes,
                               .class_count = def->class_count,
                               .wake_span = def->activation_span,
                               .wake_linger = def->activation_linger,
                               .wakes = phx_world_wakes(def),
                               .banded = phx_def_banded(def),
                               .adds_least = phx_def_adds_least(def)};
    init_towers(world);
}

static bool copy_classes(phx_mem *mem, const ph_world_def *def, ph_class **classes)
{
    *classes = phx_alloc(mem, def->class_count * sizeof **classes, PHX_CACHE_LINE);
    if (*classes) memcpy(*classes, def->classes, def->class_count * sizeof **classes);
    return *classes != NULL;
}

static bool init_shards(phx_world *world)
{
    phx_mem *mem = &world->mem;
    const phx_storage *storage = phx_storage_of(&world->rules);
    uint32_t count = world->def.shards[0] * world->def.shards[1];
    if (!phx_partition_init(&world->partition, mem, world->rules.towers, world->def.shards)) return false;
    world->shards = phx_alloc_zero(mem, count * sizeof *world->shards, PHX_CACHE_LINE);
    world->shard_progress = phx_alloc_zero(mem, count * sizeof *world->shard_progress, PHX_CACHE_LINE);
    world->halo_requests = phx_alloc_zero(mem, count * sizeof *world->halo_requests, PHX_CACHE_LINE);
    world->halo_requests_before = phx_alloc_zero(mem, count * sizeof *world->halo_requests, PHX_CACHE_LINE);
    world->shard_mems = phx_alloc_zero(mem, count * sizeof *world->shard_mems, PHX_CACHE_LINE);
    world->shard_totals = phx_alloc_zero(mem, count * sizeof *world->shard_totals, PHX_CACHE_LINE);
    if (!world->shards || !world->shard_progress || !world->halo_requests || !world->halo_requests_before) return false;
    if (!world->shard_mems || !world->shard_totals) return false;
    if (!phx_grow(mem, (void **)&world->shard_order, &world->order_capacity, 0, count, sizeof(uint32_t))) return false;
    for (; world->shard_count < count; world->shard_count++) {
        uint32_t i = world->shard_count;
        world->shard_order[i] = i;
        phx_mem_init_part(&world->shard_mems[i], mem);
        if (!phx_shard_init(&world->shards[i], &world->shard_mems[i], &world->rules, storage, i, count,
                            phx_partition_rect(&world->partition, i)))
            return false;
        world->shards[i].zones.areas = &world->areas;
    }
    return true;
}

/* Where an entity is that a net difference names as an enter: so it is in the world. */
static ph_position locate_entity(const void *owner, uint64_t id)
{
    phx_shard *shard = NULL;
    uint32_t slot = 0;
    const bool found = phx_world_find(owner, id, &shard, &slot);
    PHX_ASSERT(found);
    (void)found;
    const phx_body *body = &shard->store.body[slot];
    return (ph_position){body->x, body->y, body->z};
}

static bool init_consumers(phx_world *world)
{
    phx_mem *mem = &world->mem;
    uint32_t count = world->def.consumers;
    if (count == 0) return true;
    world->consumers = phx_alloc_zero(mem, count * sizeof *world->consumers, PHX_CACHE_LINE);
    world->batches = phx_alloc_zero(mem, count * sizeof *world->batches, PHX_CACHE_LINE);
    world->edge_sizes = phx_alloc_zero(mem, count * sizeof *world->edge_sizes, PHX_CACHE_LINE);
    if (!world->consumers || !world->batches || !world->edge_sizes) return false;
    world->around = (phx_net_world){.depths = &world->depths,
                                    .incarnations = &world->incarnations,
                                    .locate = world->def.positions ? locate_entity : NULL,
                                    .owner = world};
    for (uint32_t i = 0; i < count; i++)
        if (!(world->consumers[i].consumer =
                  phx_consumer_create(mem, world->def.consumer_batches, world->def.consumer_bytes, &world->around)))
            return false;
    return true;
}

static bool init_workers(phx_world *world)
{
    phx_mem *mem = &world->mem;
    world->worker_count = 1; /* share.c makes the memory of the others */
    world->scratch = phx_alloc_zero(mem, sizeof *world->scratch, PHX_CACHE_LINE);
    if (!world->scratch) return false;
    phx_scratch_init(world->scratch, mem);
    if (world->crew || world->def.workers == 1) return true;
    world->crew = phx_crew_create_own(mem, world->def.workers, world->def.tasks);
    world->crew_own = true;
    return world->crew != NULL;
}

static bool init_world(phx_world *world, const ph_world_def *def)
{
    phx_mem *mem = &world->mem;
    world->def = *def;
    if (world->crew) world->def.workers = world->crew->count;
    phx_directory_init(&world->directory, mem, def->shards[0] * def->shards[1]);
    phx_relation_index_init(&world->relation_index, mem);
    phx_attach_init(&world->attach, mem);
    phx_areas_init(&world->areas, mem, &world->rules);
    phx_depths_init(&world->depths, mem);
    phx_renames_init(&world->renames, mem);
    phx_imports_init(&world->imports, mem);
    phx_idmap_init(&world->instances, mem);
    if (!copy_classes(mem, def, &world->classes)) return false;
    world->def.classes = world->classes;
    atomic_store_explicit(&world->kind_count, def->class_count, memory_order_relaxed);
    init_rules(world);
    world->producers = phx_alloc_zero(mem, (def->producers_max + 1) * sizeof *world->producers, PHX_CACHE_LINE);
    return world->producers && init_workers(world) && init_shards(world) && phx_ingest_init(world) &&
           phx_moves_init(world) && init_consumers(world) && phx_broadcasts_init(world) && phx_crowd_init(world) &&
           phx_updates_init(world);
}

ph_status phx_world_create(const ph_world_def *def, phx_crew *crew, phx_world **world)
{
    phx_mem mem;
    phx_mem_init(&mem, def->allocator);
    *world = phx_alloc_zero(&mem, sizeof **world, PHX_CACHE_LINE);
    if (!*world) return PH_NO_MEMORY;
    phx_mem_init(&(*world)->mem, def->allocator);
    atomic_store_explicit(&(*world)->mem.bytes, sizeof **world, memory_order_relaxed); /* it counts itself too */
    if (crew) atomic_fetch_add_explicit(&crew->users, 1, memory_order_relaxed);
    (*world)->crew = crew;
    (*world)->mem.key = phx_hash_key_of(def->hash_seed ? def->hash_seed : phx_entropy());
    if (init_world(*world, def)) return PH_OK;
    phx_world_destroy(*world);
    *world = NULL;
    return PH_NO_MEMORY;
}

/* ---- destroy; also a world that was only partly made ---- */

static void free_shards(phx_world *world)
{
    phx_mem *mem = &world->mem;
    uint32_t wanted = world->def.shards[0] * world->def.shards[1];
    for (uint32_t i = 0; i < world->shard_count; i++) {
        phx_shard_free(&world->shards[i], wanted);
        PHX_ASSERT(atomic_load_explicit(&world->shard_mems[i].bytes, memory_order_relaxed) == 0);
    }
    phx_free(mem, world->shards, wanted * sizeof *world->shards, PHX_CACHE_LINE);
    phx_free(mem, world->shard_progress, wanted * sizeof *world->shard_progress, PHX_CACHE_LINE);
    phx_free(mem, world->halo_requests, wanted * sizeof *world->halo_requests, PHX_CACHE_LINE);
    phx_free(mem, world->halo_requests_before, wanted * sizeof *world->halo_requests, PHX_CACHE_LINE);
    phx_free(mem, world->shard_mems, wanted * sizeof *world->shard_mems, PHX_CACHE_LINE);
    phx_free(mem, world->shard_totals, wanted * sizeof *world->shard_totals, PHX_CACHE_LINE);
    phx_release(mem, (void **)&world->shard_order, &world->order_capacity, sizeof(uint32_t));
    phx_partition_free(&world->partition, mem);
}

static void free_ends(phx_world *world)
{
    phx_mem *mem = &world->mem;
    const ph_world_def *def = &world->def;
    for (uint32_t i = 0; world->producers && i <= def->producers_max; i++) phx_producer_free(&world->producers[i], mem);
    phx_free(mem, world->producers, (def->producers_max + 1) * sizeof *world->producers, PHX_CACHE_LINE);
    for (uint32_t i = 0; world->consumers && i < def->consumers; i++)
        phx_consumer_destroy(world->consumers[i].consumer);
    phx_free(mem, world->consumers, def->consumers * sizeof *world->consumers, PHX_CACHE_LINE);
    phx_free(mem, world->batches, def->consumers * sizeof *world->batches, PHX_CACHE_LINE);
    phx_free(mem, world->edge_sizes, def->consumers * sizeof *world->edge_sizes, PHX_CACHE_LINE);
}

void phx_world_destroy(phx_world *world)
{
    phx_mem *mem = &world->mem;
    phx_monitors_free(world);
    if (world->crew_own) phx_crew_destroy(world->crew);
    else if (world->crew) atomic_fetch_sub_explicit(&world->crew->users, 1, memory_order_release);
    for (uint32_t i = 0; world->scratch && i < world->worker_count; i++) phx_scratch_free(&world->scratch[i]);
    phx_free(mem, world->scratch, world->worker_count * sizeof *world->scratch, PHX_CACHE_LINE);
    free_ends(world);
    phx_broadcasts_free(world);
    phx_crowd_free(world);
    phx_updates_free(world);
    phx_moves_free(world);
    phx_apply_free(world);
    free_shards(world);
    phx_ingest_free(world);
    phx_release(mem, (void **)&world->chunks, &world->chunks_capacity, sizeof(phx_chunk));
    phx_release(mem, (void **)&world->begin_bits, &world->begin_bits_capacity, sizeof *world->begin_bits);
    phx_release(mem, (void **)&world->chunk_counts, &world->chunk_counts_capacity, sizeof(phx_consumer_changes));
    phx_directory_free(&world->directory);
    phx_relation_index_free(&world->relation_index);
    phx_attach_free(&world->attach);
    phx_areas_free(&world->areas);
    phx_depths_free(&world->depths);
    phx_renames_free(&world->renames, mem);
    phx_imports_free(&world->imports, mem);
    if (world->instances.mem) phx_idmap_free(&world->instances);
    phx_free(mem, world->classes, world->def.class_count * sizeof *world->classes, PHX_CACHE_LINE);
    phx_free(mem, world->next_classes, world->next_def.class_count * sizeof *world->classes, PHX_CACHE_LINE);
    PHX_ASSERT(atomic_load_explicit(&mem->bytes, memory_order_relaxed) == sizeof *world);
    phx_mem outer; /* mem is in the block that is released */
    phx_mem_init(&outer, mem->allocator);
    atomic_store_explicit(&outer.bytes, sizeof *world, memory_order_relaxed);
    phx_free(&outer, world, sizeof *world, PHX_CACHE_LINE);
}

/* ---- reconfigure ---- */

ph_status phx_world_reconfigure(phx_world *world, const ph_world_def *def)
{
    ph_class *classes;
    if (!copy_classes(&world->mem, def, &classes)) return PH_NO_MEMORY;
    phx_free(&world->mem, world->next_classes, world->next_def.class_count * sizeof *classes, PHX_CACHE_LINE);
    world->next_classes = classes;
    world->next_def = world->def;
    world->next_def.shape = def->shape;
    world->next_def.height = def->height;
    world->next_def.span = def->span;
    world->next_def.activation_span = def->activation_span;
    world->next_def.activation_linger = def->activation_linger;
    world->next_def.sticky = def->sticky;
    world->next_def.broadcast_bytes = def->broadcast_bytes;
    world->next_def.crowd_entities = def->crowd_entities;
    world->next_def.crowd_floor = def->crowd_floor;
    world->next_def.events_max = def->events_max;
    world->next_def.share_min = def->share_min;
    world->next_def.classes = classes;
    world->next_def.class_count = def->class_count;
    return PH_OK;
}
