/*
 * The updates of a tick, by observer; see updates.h.
 */
#include "world/publish/updates.h"

#include "shards/publish/deferred_updates.h"
#include "shards/publish/due_targets.h"
#include "shards/publish/motion_history.h"
#include "shards/publish/recipients.h"
#include "shards/state/update_bands.h"
#include "shards/tick/set_aside.h"
#include "world/publish/set_aside.h"
#include "world/state/piece_clock.h"
#include "world/state/update_types.h"
#include "world/state/world.h"

bool phx_updates_init(phx_world *world)
{
    phx_updates *u = &world->updates;
    u->workers = phx_alloc_zero(&world->mem, world->worker_count * sizeof *u->workers, PHX_CACHE_LINE);
    for (uint32_t i = 0; u->workers && i < world->worker_count; i++) u->workers[i].update_scratch.mem = &world->mem;
    if (world->def.consumers > 0)
        u->sizes = phx_alloc_zero(&world->mem, world->def.consumers * sizeof *u->sizes, PHX_CACHE_LINE);
    return u->workers && (u->sizes || world->def.consumers == 0);
}

void phx_updates_free(phx_world *world)
{
    phx_updates *u = &world->updates;
    phx_mem *mem = &world->mem;
    for (uint32_t i = 0; u->workers && i < world->worker_count; i++) {
        phx_update_scratch_free(&u->workers[i].update_scratch);
        phx_release(mem, (void **)&u->workers[i].groups, &u->workers[i].groups_capacity, sizeof(phx_update_group));
    }
    phx_free(mem, u->workers, world->worker_count * sizeof *u->workers, PHX_CACHE_LINE);
    phx_free(mem, u->sizes, world->def.consumers * sizeof *u->sizes, PHX_CACHE_LINE);
    phx_release(mem, (void **)&u->pieces, &u->pieces_capacity, sizeof *u->pieces);
}

bool phx_updates_due(const phx_world *world)
{
    for (uint32_t i = 0; world->rules.banded && i < world->shard_count; i++)
        if (phx_bands_busy(&world->shards[i])) return true;
    return false;
}

bool phx_def_banded(const ph_world_def *def)
{
    for (uint32_t kind = 0; def->consumers > 0 && kind < def->class_count; kind++)
        if (def->classes[kind].band_count > 0) return true;
    return false;
}

bool phx_bands_differ(const ph_world_def *before, const ph_world_def *after)
{
    for (uint32_t kind = 0; kind < before->class_count; kind++) {
        const ph_class *a = &before->classes[kind], *b = &after->classes[kind];
        if (a->band_count != b->band_count) return true;
        for (uint32_t i = 0; i < a->band_count; i++)
            if (a->bands[i].radius != b->bands[i].radius || a->bands[i].every != b->bands[i].every) return true;
    }
    return false;
}

/* ---- pieces ---- */

bool phx_step_motion_samples(phx_world *world, uint32_t index)
{
    return phx_bands_sample(&world->shards[index]);
}

static bool plan_updates(phx_world *world, uint32_t index)
{
    phx_updates *u = &world->updates;
    const phx_shard *shard = &world->shards[index];
    if (!phx_bands_busy(shard)) return true;
    for (uint32_t block = 0; block < phx_recipients_blocks(shard); block++) {
        uint32_t places = phx_recipients_places(shard, block);
        for (uint32_t first = 0; first < places; first += PHX_BATCH_PLACES_MAX) {
            phx_update_piece piece = {.shard = index, .block = block, .first = first, .worker = PHX_SLOT_NONE};
            piece.count = places - first < PHX_BATCH_PLACES_MAX ? places - first : PHX_BATCH_PLACES_MAX;
            if (!phx_grow(&world->mem, (void **)&u->pieces, &u->pieces_capacity, u->piece_count,
                          (size_t)u->piece_count + 1, sizeof piece))
                return false;
            u->pieces[u->piece_count++] = piece;
        }
    }
    return true;
}

/* Notes targets that entered; chunks have disjoint observers. */
static void note_entered(phx_world *world, const phx_chunk *chunk)
{
    const phx_scratch *scratch = &world->scratch[chunk->worker];
    const phx_bands *bands = &world->shards[chunk->shard].bands;
    if (bands->sampled != world->shards[chunk->shard].tick) return;
    for (uint32_t c = 0; c < chunk->change_count; c++) {
        const phx_change *change = &scratch->changes[chunk->change_first + c];
        if (change->enter_count == 0) continue;
        bands->entered[bands->items[change->slot]] = (phx_entered){chunk->change_first + c + 1, chunk->worker};
    }
}

static void entered_body(void *context, uint32_t worker, uint32_t piece)
{
    phx_world *world = context;
    phx_chunk *chunk = &world->chunks[piece];
    (void)worker;
    if (chunk->change_count == 0) return;
    uint64_t from = phx_piece_now_ns(world);
    note_entered(world, chunk);
    chunk->publish_ns += phx_piece_now_ns(world) - from;
}

/* The most bands of a class. */
static uint32_t most_bands(const phx_world *world)
{
    uint32_t most = 0;
    for (uint32_t kind = 0; kind < world->def.class_count; kind++)
        if (world->classes[kind].band_count > most) most = world->classes[kind].band_count;
    return most;
}

bool phx_updates_plan(phx_world *world, bool finish)
{
    phx_updates *u = &world->updates;
    u->bands_most = most_bands(world);
    u->piece_count = 0;
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const uint32_t index = world->shard_order[i], count = u->piece_count;
        const bool sampled = world->shard_progress[index].step_done == world->step;
        if (sampled && plan_updates(world, index)) continue;
        if (!finish) return false;
        u->piece_count = count;
        phx_set_banded_aside(world, index);
    }
    for (uint32_t i = 0; i < world->worker_count; i++) {
        phx_update_scratch_reset(&u->workers[i].update_scratch);
        u->workers[i].group_count = 0;
    }
    phx_parallel_for(world->workers, world->chunk_count, entered_body, world);
    return true;
}

/* ---- places ---- */

static const phx_update_group *groups_of(const phx_world *world, const phx_update_piece *piece)
{
    const phx_update_group *groups = world->updates.workers[piece->worker].groups;
    return groups ? groups + piece->group_first : NULL; /* no array: no piece of this worker has a group */
}

/* Leaves out observers that are owed their lists, and the targets that no other observer of the group has. */
static void leave_out_owed(const phx_shard *shard, phx_update_scratch *update_scratch, phx_update_group *group)
{
    group->due_count = 0;
    for (uint32_t i = 0; i < group->observer_count; i++) {
        phx_observer_updates *updates = &update_scratch->observers[group->observer_first + i];
        if (shard->store.tail[updates->slot].list.owed) updates->due_count = 0;
        group->due_count += updates->due_count;
    }
    group->target_count = phx_update_scratch_keep(update_scratch, update_scratch->observers + group->observer_first,
                                                  group->observer_count, group->target_first, group->target_count);
}

bool phx_step_defer_updates(phx_world *world, uint32_t index)
{
    const phx_updates *u = &world->updates;
    for (uint32_t i = 0; i < u->piece_count; i++) {
        const phx_update_piece *piece = &u->pieces[i];
        if (piece->shard != index) continue;
        const phx_update_scratch *update_scratch = &u->workers[piece->worker].update_scratch;
        const phx_update_group *groups = groups_of(world, piece);
        for (uint32_t g = 0; g < piece->group_count; g++) /* a second time has no effect */
            if (!phx_bands_commit(&world->shards[index], update_scratch,
                                  update_scratch->observers + groups[g].observer_first, groups[g].observer_count))
                return false;
    }
    return true;
}

/* Stores the deferred updates of a group; sets aside observers that there is no memory for. */
static void defer_group(phx_shard *shard, phx_update_scratch *update_scratch, phx_update_group *group)
{
    const phx_observer_updates *updates = update_scratch->observers + group->observer_first;
    for (uint32_t i = 0; i < group->observer_count; i++)
        if (!phx_bands_commit(shard, update_scratch, &updates[i], 1)) phx_shard_set_aside(shard, updates[i].slot);
    leave_out_owed(shard, update_scratch, group);
}

void phx_updates_defer_short(phx_world *world)
{
    const phx_updates *u = &world->updates;
    for (uint32_t i = 0; i < u->piece_count; i++) {
        const phx_update_piece *piece = &u->pieces[i];
        phx_update_worker *own = &u->workers[piece->worker];
        for (uint32_t g = piece->group_first; g < piece->group_first + piece->group_count; g++)
            defer_group(&world->shards[piece->shard], &own->update_scratch, &own->groups[g]);
    }
}

/* The number of its observers with updates, without observers that have only deferred ones. */
static uint32_t emitted_by(const phx_update_scratch *update_scratch, const phx_update_group *group)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < group->observer_count; i++)
        count += update_scratch->observers[group->observer_first + i].due_count > 0;
    return count;
}

/* Counts for the stats. */
static void count_emitted(phx_world *world)
{
    const phx_updates *u = &world->updates;
    for (uint32_t i = 0; i < u->piece_count; i++) {
        const phx_update_piece *piece = &u->pieces[i];
        const phx_update_group *groups = groups_of(world, piece);
        for (uint32_t g = 0; g < piece->group_count; g++)
            world->shards[piece->shard].counts.updates += groups[g].due_count;
    }
}

void phx_updates_replace(phx_world *world, uint32_t consumer)
{
    phx_updates *u = &world->updates;
    phx_batch_updates_size *size = &u->sizes[consumer];
    *size = (phx_batch_updates_size){0};
    for (uint32_t i = 0; i < u->piece_count; i++) {
        const phx_update_piece *piece = &u->pieces[i];
        phx_update_worker *own = &u->workers[piece->worker];
        for (uint32_t g = piece->group_first; g < piece->group_first + piece->group_count; g++) {
            phx_update_group *group = &own->groups[g];
            if (group->consumer != consumer) continue;
            group->at = *size;
            leave_out_owed(&world->shards[piece->shard], &own->update_scratch, group);
            size->updates += emitted_by(&own->update_scratch, group);
            size->due += group->due_count;
            size->moved += group->target_count;
        }
    }
}

bool phx_updates_place(phx_world *world)
{
    phx_updates *u = &world->updates;
    for (uint32_t c = 0; c < world->def.consumers; c++) u->sizes[c] = (phx_batch_updates_size){0};
    for (uint32_t i = 0; i < u->piece_count; i++) {
        const phx_update_piece *piece = &u->pieces[i];
        phx_update_worker *own = &u->workers[piece->worker];
        for (uint32_t g = piece->group_first; g < piece->group_first + piece->group_count; g++) {
            phx_update_group *group = &own->groups[g];
            phx_batch_updates_size *size = &u->sizes[group->consumer];
            group->at = *size;
            if (group->due_count > UINT32_MAX - size->due) return false; /* more than a batch can count */
            size->updates += emitted_by(&own->update_scratch, group);
            size->due += group->due_count;
            size->moved += group->target_count;
        }
    }
    count_emitted(world);
    return true;
}

enum { TARGETS_AHEAD = 16 }; /* that are prefetched */

static void prefetch_target(const phx_shard *shard, const phx_update_scratch *update_scratch, uint32_t key)
{
    const uint32_t slot = phx_due_target(shard, update_scratch, key);
    __builtin_prefetch(&shard->bands.samples[phx_due_key_item(update_scratch, key)]);
    __builtin_prefetch(&shard->store.name[slot]);
    if (shard->store.user_data) __builtin_prefetch(&shard->store.user_data[slot]);
}

/* Places in a group become places in a batch. */
static void write_places(uint32_t *restrict to, const uint32_t *restrict from, uint32_t count, uint32_t first)
{
    for (uint32_t i = 0; i < count; i++) to[i] = first + from[i];
}

static void fill_group(const phx_world *world, const phx_shard *shard, const phx_update_scratch *update_scratch,
                       const phx_update_group *group)
{
    phx_batch_updates *batch_updates = &world->batches[group->consumer]->updates;
    const phx_name *name = shard->store.name;
    phx_batch_updates_size at = group->at;
    for (uint32_t i = 0; i < group->target_count; i++) {
        const uint32_t *target = &update_scratch->targets[group->target_first + i];
        if (i + TARGETS_AHEAD < group->target_count) prefetch_target(shard, update_scratch, target[TARGETS_AHEAD]);
        const uint32_t slot = phx_due_target(shard, update_scratch, *target);
        const phx_motion_sample *sample = &shard->bands.samples[phx_due_key_item(update_scratch, *target)];
        batch_updates->moved[at.moved + i] = (ph_moved){.id = name[slot].id,
                                                        .user_data = phx_store_user_data(&shard->store, slot),
                                                        .x = sample->x,
                                                        .y = sample->y,
                                                        .z = sample->z,
                                                        .band = phx_due_key_band(update_scratch, *target)};
    }
    for (uint32_t i = 0; i < group->observer_count; i++) {
        const phx_observer_updates *updates = &update_scratch->observers[group->observer_first + i];
        if (updates->due_count == 0) continue;
        batch_updates->updates[at.updates++] =
            (ph_update){.observer = name[updates->slot].id,
                        .user_data = phx_store_user_data(&shard->store, updates->slot),
                        .first = at.due,
                        .count = updates->due_count};
        write_places(batch_updates->due + at.due, update_scratch->due + updates->due_first, updates->due_count,
                     at.moved);
        at.due += updates->due_count;
    }
}

static void fill_updates_unit(void *context, uint32_t worker, uint32_t index)
{
    phx_world *world = context;
    const phx_updates *u = &world->updates;
    phx_update_piece *piece = &u->pieces[index];
    const phx_update_group *groups = groups_of(world, piece);
    uint64_t from = phx_piece_now_ns(world);
    (void)worker;
    for (uint32_t g = 0; g < piece->group_count; g++)
        if (groups[g].due_count > 0)
            fill_group(world, &world->shards[piece->shard], &u->workers[piece->worker].update_scratch, &groups[g]);
    piece->ns += phx_piece_now_ns(world) - from;
}

void phx_updates_fill(phx_world *world)
{
    phx_parallel_for(world->workers, world->updates.piece_count, fill_updates_unit, world);
}
