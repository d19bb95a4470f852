/*
 * The updates of a tick, by observer; see updates.h.
 */
#include "world/publish/updates.h"

#include "shards/publish/deferred_updates.h"
#include "shards/publish/due_targets.h"
#include "shards/publish/motion_history.h"
#include "shards/publish/motion_samples.h"
#include "shards/publish/recipients.h"
#include "shards/state/update_bands.h"
#include "shards/tick/set_aside.h"
#include "world/publish/moved_tables.h"
#include "world/publish/set_aside.h"
#include "world/state/piece_clock.h"
#include "world/state/shard_parts.h"
#include "world/state/update_types.h"
#include "world/state/world.h"

static uint32_t table_count(const phx_world *world)
{
    return world->shard_count * world->def.consumers;
}

bool phx_updates_init(phx_world *world)
{
    phx_updates *u = &world->updates;
    u->workers = phx_alloc_zero(&world->mem, world->worker_count * sizeof *u->workers, PHX_CACHE_LINE);
    for (uint32_t i = 0; u->workers && i < world->worker_count; i++) u->workers[i].update_scratch.mem = &world->mem;
    u->shard_pieces = phx_alloc_zero(&world->mem, world->shard_count * sizeof *u->shard_pieces, PHX_CACHE_LINE);
    if (world->def.consumers > 0) {
        u->sizes = phx_alloc_zero(&world->mem, world->def.consumers * sizeof *u->sizes, PHX_CACHE_LINE);
        u->tables = phx_alloc_zero(&world->mem, table_count(world) * sizeof *u->tables, PHX_CACHE_LINE);
    }
    return u->workers && u->shard_pieces && ((u->sizes && u->tables) || world->def.consumers == 0);
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
    for (uint32_t i = 0; u->tables && i < table_count(world); i++) phx_moved_table_free(&u->tables[i], mem);
    phx_free(mem, u->tables, table_count(world) * sizeof *u->tables, PHX_CACHE_LINE);
    phx_free(mem, u->shard_pieces, world->shard_count * sizeof *u->shard_pieces, PHX_CACHE_LINE);
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

bool phx_step_ready_samples(phx_world *world, uint32_t index)
{
    return phx_bands_sample_ready(&world->shards[index]);
}

/* Has the shard room for its samples? */
static bool samples_ready(const phx_world *world, uint32_t index)
{
    return world->shard_progress[index].step_done == world->step;
}

static void sample_part(void *context, uint32_t worker, uint32_t piece)
{
    phx_world *world = context;
    const uint32_t parts = phx_shard_parts(world), index = world->shard_order[piece / parts];
    (void)worker;
    if (samples_ready(world, index)) phx_bands_sample(&world->shards[index], piece % parts, parts);
}

static void copy_samples_part(void *context, uint32_t worker, uint32_t piece)
{
    phx_world *world = context;
    const uint32_t parts = phx_shard_parts(world), index = world->shard_order[piece / parts];
    (void)worker;
    if (samples_ready(world, index)) phx_bands_copy_samples(&world->shards[index], piece % parts, parts);
}

/* Samples the motion of all shards with room for it, each by all workers. */
static void sample_motion(phx_world *world)
{
    const uint32_t pieces = world->shard_count * phx_shard_parts(world);
    phx_parallel_for(world->workers, pieces, sample_part, world);
    phx_parallel_for(world->workers, pieces, copy_samples_part, world);
}

static bool plan_updates(phx_world *world, uint32_t index)
{
    phx_updates *u = &world->updates;
    const phx_shard *shard = &world->shards[index];
    u->shard_pieces[index] = (phx_shard_pieces){u->piece_count, 0};
    if (!phx_bands_busy(shard)) return true;
    for (uint32_t block = 0; block < phx_recipients_blocks(shard); block++) {
        uint32_t places = phx_recipients_places(shard, block);
        for (uint32_t first = 0; first < places; first += PHX_BATCH_PLACES_MAX) {
            phx_update_piece piece = {.shard = index, .block = block, .first = first, .worker = PHX_SLOT_NONE};
            piece.count = places - first < PHX_BATCH_PLACES_MAX ? places - first : PHX_BATCH_PLACES_MAX;
            if (!phx_grow(&world->mem, (void **)&u->pieces, &u->pieces_capacity, u->piece_count,
                          (size_t)u->piece_count + 1, sizeof piece))
                return false;
            piece.number = u->shard_pieces[index].count++;
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

/* So many that all workers have something to mark. */
static uint32_t parts_of_tables(const phx_world *world)
{
    return (world->worker_count + table_count(world) - 1) / table_count(world);
}

bool phx_updates_plan(phx_world *world, bool finish)
{
    phx_updates *u = &world->updates;
    sample_motion(world);
    u->bands_most = most_bands(world);
    u->piece_count = 0;
    u->parts = parts_of_tables(world);
    for (uint32_t i = 0; i < table_count(world); i++) u->tables[i].items = u->tables[i].count = 0;
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const uint32_t index = world->shard_order[i], count = u->piece_count;
        if (samples_ready(world, index) && plan_updates(world, index)) continue;
        if (!finish) return false;
        u->piece_count = count;
        u->shard_pieces[index] = (phx_shard_pieces){count, 0};
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

static phx_moved_table *table_of(const phx_world *world, uint32_t shard, uint32_t consumer)
{
    return &world->updates.tables[shard * world->def.consumers + consumer];
}

/* Begins the group's table, if it has updates. false = no memory. */
static bool begin_table(phx_world *world, uint32_t shard, const phx_update_group *group)
{
    return group->due_count == 0 || phx_moved_table_begin(table_of(world, shard, group->consumer), &world->mem,
                                                          phx_bands_items(&world->shards[shard]), world->updates.parts);
}

/* Leaves out observers that are owed their lists. */
static void leave_out_owed(const phx_shard *shard, phx_update_scratch *update_scratch, phx_update_group *group)
{
    group->due_count = 0;
    for (uint32_t i = 0; i < group->observer_count; i++) {
        phx_observer_updates *updates = &update_scratch->observers[group->observer_first + i];
        if (shard->store.tail[updates->slot].list.owed) updates->due_count = 0;
        group->due_count += updates->due_count;
    }
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

/* Stores the deferred updates of a group, and begins its table; sets aside observers that there is no memory for. */
static void defer_group(phx_world *world, phx_shard *shard, phx_update_scratch *update_scratch, phx_update_group *group)
{
    const phx_observer_updates *updates = update_scratch->observers + group->observer_first;
    for (uint32_t i = 0; i < group->observer_count; i++)
        if (!phx_bands_commit(shard, update_scratch, &updates[i], 1)) phx_shard_set_aside(shard, updates[i].slot);
    leave_out_owed(shard, update_scratch, group);
    if (begin_table(world, shard->number, group)) return;
    for (uint32_t i = 0; i < group->observer_count; i++) phx_shard_set_aside(shard, updates[i].slot);
    leave_out_owed(shard, update_scratch, group);
}

void phx_updates_defer_short(phx_world *world)
{
    const phx_updates *u = &world->updates;
    for (uint32_t i = 0; i < u->piece_count; i++) {
        const phx_update_piece *piece = &u->pieces[i];
        phx_update_worker *own = &u->workers[piece->worker];
        for (uint32_t g = piece->group_first; g < piece->group_first + piece->group_count; g++)
            defer_group(world, &world->shards[piece->shard], &own->update_scratch, &own->groups[g]);
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

/* Begins the tables of all groups with updates. false = no memory. */
static bool begin_tables(phx_world *world)
{
    const phx_updates *u = &world->updates;
    for (uint32_t i = 0; i < u->piece_count; i++) {
        const phx_update_piece *piece = &u->pieces[i];
        const phx_update_group *groups = groups_of(world, piece);
        for (uint32_t g = 0; g < piece->group_count; g++)
            if (!begin_table(world, piece->shard, &groups[g])) return false;
    }
    return true;
}

/*
 * The due keys of a group's observers, from one on, that stand in one piece: of all the group, unless observers were
 * left out.
 */
static uint32_t run_of_dues(const phx_update_scratch *update_scratch, const phx_update_group *group, uint32_t *next,
                            uint32_t *first)
{
    const phx_observer_updates *observers = update_scratch->observers + group->observer_first;
    uint32_t end = *first = observers[*next].due_first;
    for (; *next < group->observer_count && observers[*next].due_first == end; (*next)++)
        end += observers[*next].due_count;
    return end - *first;
}

/* Marks the due targets of a group. */
static void mark_group(const phx_shard *shard, uint8_t *marks, const phx_update_scratch *update_scratch,
                       const phx_update_group *group)
{
    for (uint32_t next = 0, first; next < group->observer_count;) {
        const uint32_t count = run_of_dues(update_scratch, group, &next, &first);
        shard->kernels->mark_items(marks, update_scratch->due + first, count, update_scratch->band_bits);
    }
}

/* The due targets of a piece's observers of one consumer. */
static uint32_t due_of_piece(const phx_world *world, const phx_update_piece *piece, uint32_t consumer)
{
    const phx_update_group *groups = groups_of(world, piece);
    uint32_t due = 0;
    for (uint32_t g = 0; g < piece->group_count; g++) due += groups[g].consumer == consumer ? groups[g].due_count : 0;
    return due;
}

/*
 * The part that marks the due targets of a piece. Parts have about as many due targets each; equal numbers of pieces
 * would not do, as blocks differ.
 */
static uint32_t part_of_due(const phx_updates *u, uint64_t before, uint64_t all)
{
    return (uint32_t)(before * u->parts / all);
}

/* Marks the due targets of one part of a table. */
static void mark_part(void *context, uint32_t worker, uint32_t index)
{
    const phx_world *world = context;
    const phx_updates *u = &world->updates;
    const uint32_t number = index / u->parts, part = index % u->parts;
    const uint32_t shard = number / world->def.consumers, consumer = number % world->def.consumers;
    const phx_moved_table *table = &u->tables[number];
    (void)worker;
    if (table->items == 0) return;
    const phx_update_piece *first = u->pieces + u->shard_pieces[shard].first,
                           *end = first + u->shard_pieces[shard].count;
    uint64_t all = 0, before = 0;
    for (const phx_update_piece *piece = first; piece < end; piece++) all += due_of_piece(world, piece, consumer);
    phx_moved_table_clear(table, part);
    for (const phx_update_piece *piece = first; before < all; piece++) {
        PHX_ASSERT(piece < end);
        const uint32_t due = due_of_piece(world, piece, consumer);
        if (due == 0) continue;
        const bool own = part_of_due(u, before, all) == part;
        before += due;
        if (!own) continue;
        const phx_update_group *groups = groups_of(world, piece);
        for (uint32_t g = 0; g < piece->group_count; g++)
            if (groups[g].consumer == consumer && groups[g].due_count > 0)
                mark_group(&world->shards[shard], phx_moved_table_marks(table, part),
                           &u->workers[piece->worker].update_scratch, &groups[g]);
    }
}

static void count_table(void *context, uint32_t worker, uint32_t index)
{
    const phx_world *world = context;
    (void)worker;
    phx_moved_table_count(&world->updates.tables[index]);
}

/* Gives the tables of a consumer their places in its batch. */
static void place_tables(phx_world *world, uint32_t consumer)
{
    phx_batch_updates_size *size = &world->updates.sizes[consumer];
    for (uint32_t s = 0; s < world->shard_count; s++) {
        phx_moved_table *table = table_of(world, s, consumer);
        table->at = size->moved;
        size->moved += table->count;
    }
}

/* Gives a group its place among its consumer's updates. false = more than a batch can count. */
static bool place_group(phx_batch_updates_size *size, const phx_update_scratch *update_scratch, phx_update_group *group)
{
    group->update_at = size->updates;
    group->due_at = size->due;
    if (group->due_count > UINT32_MAX - size->due) return false;
    size->updates += emitted_by(update_scratch, group);
    size->due += group->due_count;
    return true;
}

void phx_updates_replace(phx_world *world, uint32_t consumer)
{
    phx_updates *u = &world->updates;
    phx_batch_updates_size *size = &u->sizes[consumer];
    *size = (phx_batch_updates_size){0};
    for (uint32_t s = 0; s < world->shard_count; s++)
        for (uint32_t part = 0; part < u->parts; part++) phx_moved_table_clear(table_of(world, s, consumer), part);
    for (uint32_t i = 0; i < u->piece_count; i++) {
        const phx_update_piece *piece = &u->pieces[i];
        phx_update_worker *own = &u->workers[piece->worker];
        for (uint32_t g = piece->group_first; g < piece->group_first + piece->group_count; g++) {
            phx_update_group *group = &own->groups[g];
            if (group->consumer != consumer || group->due_count == 0) continue;
            leave_out_owed(&world->shards[piece->shard], &own->update_scratch, group);
            (void)place_group(size, &own->update_scratch, group); /* fewer than before */
            mark_group(&world->shards[piece->shard], phx_moved_table_marks(table_of(world, piece->shard, consumer), 0),
                       &own->update_scratch, group);
        }
    }
    for (uint32_t s = 0; s < world->shard_count; s++) phx_moved_table_count(table_of(world, s, consumer));
    place_tables(world, consumer);
}

bool phx_updates_place(phx_world *world)
{
    phx_updates *u = &world->updates;
    for (uint32_t c = 0; c < world->def.consumers; c++) u->sizes[c] = (phx_batch_updates_size){0};
    if (!begin_tables(world)) return false;
    phx_parallel_for(world->workers, table_count(world) * u->parts, mark_part, world);
    phx_parallel_for(world->workers, table_count(world), count_table, world);
    for (uint32_t i = 0; i < u->piece_count; i++) {
        const phx_update_piece *piece = &u->pieces[i];
        phx_update_worker *own = &u->workers[piece->worker];
        for (uint32_t g = piece->group_first; g < piece->group_first + piece->group_count; g++)
            if (!place_group(&u->sizes[own->groups[g].consumer], &own->update_scratch, &own->groups[g])) return false;
    }
    for (uint32_t c = 0; c < world->def.consumers; c++) place_tables(world, c);
    count_emitted(world);
    return true;
}

/* ---- content ---- */

/* Writes the targets of one stretch of a table. */
static void fill_stretch(const phx_shard *shard, const phx_moved_table *table, uint32_t stretch, ph_moved *moved)
{
    enum { TARGETS_AHEAD = 16 }; /* that are prefetched */
    uint32_t items[PHX_STRETCH + 1];
    const uint32_t count = phx_moved_table_list(table, stretch, items);
    for (uint32_t i = 0; i < count; i++) {
        if (i + TARGETS_AHEAD < count) {
            const uint32_t ahead = phx_due_slot(shard, items[i + TARGETS_AHEAD]);
            __builtin_prefetch(&shard->store.name[ahead]);
            if (shard->store.user_data) __builtin_prefetch(&shard->store.user_data[ahead]);
        }
        const uint32_t slot = phx_due_slot(shard, items[i]);
        const phx_motion_sample *sample = &shard->bands.samples[items[i]];
        moved[i] = (ph_moved){.id = shard->store.name[slot].id,
                              .user_data = phx_store_user_data(&shard->store, slot),
                              .x = sample->x,
                              .y = sample->y,
                              .z = sample->z};
    }
}

/* Writes the piece's share of its shard's targets, as many as of any other piece. */
static void fill_moved(const phx_world *world, const phx_update_piece *piece)
{
    for (uint32_t c = 0; c < world->def.consumers; c++) {
        const phx_moved_table *table = table_of(world, piece->shard, c);
        if (table->count == 0) continue;
        const uint64_t stretches = phx_moved_table_stretches(table),
                       pieces = world->updates.shard_pieces[piece->shard].count;
        ph_moved *moved = world->batches[c]->updates.moved + table->at;
        for (uint64_t s = piece->number * stretches / pieces; s < (piece->number + 1) * stretches / pieces; s++)
            if (table->first[s + 1] > table->first[s])
                fill_stretch(&world->shards[piece->shard], table, (uint32_t)s, moved + table->first[s]);
    }
}

static void fill_group(const phx_world *world, const phx_shard *shard, const phx_update_scratch *update_scratch,
                       const phx_moved_table *table, const phx_update_group *group)
{
    phx_batch_updates *batch_updates = &world->batches[group->consumer]->updates;
    const phx_name *name = shard->store.name;
    uint32_t update_at = group->update_at, due_at = group->due_at;
    for (uint32_t i = 0; i < group->observer_count; i++) {
        const phx_observer_updates *updates = &update_scratch->observers[group->observer_first + i];
        if (updates->due_count == 0) continue;
        batch_updates->updates[update_at++] =
            (ph_update){.observer = name[updates->slot].id,
                        .user_data = phx_store_user_data(&shard->store, updates->slot),
                        .first = due_at,
                        .count = updates->due_count};
        due_at += updates->due_count;
    }
    const phx_item_places places = {table->marks, table->first, table->at, update_scratch->band_bits};
    due_at = group->due_at;
    for (uint32_t next = 0, first; next < group->observer_count;) {
        const uint32_t count = run_of_dues(update_scratch, group, &next, &first);
        shard->kernels->place_keys(&places, update_scratch->due + first, count, batch_updates->due + due_at,
                                   batch_updates->bands + due_at);
        due_at += count;
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
            fill_group(world, &world->shards[piece->shard], &u->workers[piece->worker].update_scratch,
                       table_of(world, piece->shard, groups[g].consumer), &groups[g]);
    fill_moved(world, piece);
    piece->ns += phx_piece_now_ns(world) - from;
}

void phx_updates_fill(phx_world *world)
{
    phx_parallel_for(world->workers, world->updates.piece_count, fill_updates_unit, world);
}
