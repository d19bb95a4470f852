/*
 * Applies commands; see ingest.h. Commands of one entity are in ingest_entities.c, of two in ingest_relations.c.
 */
#include "world/ingest/ingest.h"

#include "shards/ingest/commands.h"
#include "shards/ingest/moves.h"
#include "world/ingest/area_anchors.h"
#include "world/ingest/crowd_control.h"
#include "world/ingest/import.h"
#include "world/ingest/ingest_entities.h"
#include "world/ingest/ingest_relations.h"
#include "world/ingest/moves.h"
#include "world/ingest/refuse.h"
#include "world/publish/broadcasts.h"
#include "world/queue/commands.h"
#include "world/queue/join_moves.h"
#include "world/state/move_types.h"
#include "world/table/attr_resolve.h"
#include "world/table/instance_counts.h"

/* ---- one command ---- */

static ph_status area_set(phx_world *world, const phx_command_area *command)
{
    const ph_area *area = &command->area;
    const bool follows = area->flags & PH_AREA_FOLLOW;
    phx_anchor_place anchor;
    if (follows && !phx_area_anchor_find(world, area->follow, &anchor)) return PH_UNKNOWN_ID;
    return phx_areas_set(&world->areas, command->id, area, follows ? &anchor : NULL, world->def.areas_max);
}

/* ---- runs ---- */

static ph_status apply_command(phx_world *world, const phx_producer_run *run, uint32_t i, const void *record)
{
    const uint16_t op = run->commands.op;
    switch ((phx_op)op) {
    case PHX_OP_ENTER:
        return phx_ingest_enter(world, record);
    case PHX_OP_LEAVE:
        return phx_ingest_leave(world, record);
    case PHX_OP_MOVE:
        break; /* see moves.c */
    case PHX_OP_SET:
        return phx_ingest_set(world, record);
    case PHX_OP_PAIR:
    case PHX_OP_UNPAIR:
    case PHX_OP_LINK:
    case PHX_OP_UNLINK:
    case PHX_OP_HIDE:
    case PHX_OP_UNHIDE:
    case PHX_OP_REVEAL:
    case PHX_OP_UNREVEAL:
        return phx_ingest_relate(world, (phx_op)op, record);
    case PHX_OP_ATTACH:
        return phx_ingest_attach(world, record);
    case PHX_OP_DETACH:
        return phx_ingest_detach(world, record);
    case PHX_OP_RESEND:
        return phx_ingest_resend(world, record);
    case PHX_OP_BROADCAST:
        return phx_broadcasts_add(world, run, i, record);
    case PHX_OP_BROADCAST_AT:
        break; /* a name for refusals: its records are of BROADCAST */
    case PHX_OP_AREA_SET:
        return area_set(world, record);
    case PHX_OP_IMPORT:
        return phx_ingest_import(world, record);
    case PHX_OP_AREA_REMOVE:
        return phx_areas_remove(&world->areas, ((const phx_command_id *)record)->id);
    }
    phx_panic(__FILE__, __LINE__, "a command of no known operation");
}

/* The id of a record: every record begins with it. */
static uint64_t record_id(const phx_command_run *run, uint32_t i)
{
    return *(const uint64_t *)((const char *)run->records + (size_t)i * run->record_bytes);
}

static void count_outcome(phx_world *world, const phx_producer_run *in, uint32_t i, ph_status status)
{
    if (PHX_LIKELY(status == PH_OK)) world->totals.applied++;
    else phx_ingest_refuse(world, in, i, record_id(&in->commands, i), status);
}

/* Records ahead: lines of the directory are asked for first, then, once these are there, what most commands look at. */
enum { IDS_AHEAD = 16, SLOTS_AHEAD = 8 };

/* Entities of commands are in no order of memory: each command would wait for three lines, one after the other. */
static void prefetch_entities(const phx_world *world, const phx_command_run *run, uint32_t i)
{
    const uint32_t left = run->count - i;
    if (left > IDS_AHEAD) phx_directory_prefetch(&world->directory, record_id(run, i + IDS_AHEAD));
    if (left <= SLOTS_AHEAD) return;
    const uint64_t home = phx_directory_find(&world->directory, record_id(run, i + SLOTS_AHEAD));
    if (home == PHX_HOME_NONE) return;
    const phx_store *store = &world->shards[phx_home_shard(home)].store;
    const uint32_t slot = phx_home_slot(home);
    __builtin_prefetch(&store->body[slot], 1);
    __builtin_prefetch(&store->name[slot]);
    __builtin_prefetch(&store->set[slot]);
}

/* behind: the work of the commands behind the run. */
static void apply_run(phx_world *world, const phx_producer_run *in, uint64_t behind)
{
    const phx_command_run *run = &in->commands;
    if (phx_op_moves(run->op)) {
        phx_moves_apply(world, in, behind);
        return;
    }
    for (uint32_t i = 0; i < run->count; i++) {
        phx_ingest_wake(world, behind + (uint64_t)PHX_OTHER_COMMAND_WORK * (run->count - i));
        prefetch_entities(world, run, i);
        count_outcome(world, in, i,
                      apply_command(world, in, i, (const char *)run->records + (size_t)i * run->record_bytes));
    }
}

/* Room for one more run. false = no memory. */
static bool reserve_run(phx_world *world)
{
    return phx_grow(&world->mem, (void **)&world->runs, &world->runs_capacity, world->run_count,
                    (size_t)world->run_count + 1, sizeof(phx_producer_run));
}

static uint64_t queued_commands(const phx_producer *producer)
{
    const phx_command_queue_counts counts = phx_command_queue_count(producer->queue);
    return counts.accepted - counts.released;
}

/* Of one producer in this tick. */
typedef struct taken_commands {
    uint64_t queued, count, imports;
    bool has_places; /* for the refusals of all that is queued, but for imports */
} taken_commands;

/*
 * Room for the refusals of the producer's commands up to its next run; a run of imports is one import. A tick that is
 * finished without memory goes on without, as leaves make the world smaller. An import waits then, and the producer's
 * commands behind it, but not for ever: as the first one it is taken without. false = no memory.
 */
static bool reserve_refusals(const phx_world *world, phx_producer *producer, taken_commands *of)
{
    const bool is_import = phx_command_queue_peek_op(producer->queue) == PHX_OP_IMPORT;
    if (of->has_places && !is_import) return true;
    const uint64_t imports = of->imports + is_import;
    const uint64_t commands = of->has_places ? of->queued : of->count + phx_command_queue_peek(producer->queue);
    const bool can_wait = is_import && of->count > 0;
    if (!phx_refusals_reserve(&producer->tick_refusals, commands - imports, imports) &&
        (!world->finishing || (can_wait && !phx_refusals_reserve(&producer->tick_refusals, 0, imports))))
        return false;
    of->imports = imports;
    return true;
}

bool phx_ingest_init(phx_world *world)
{
    return reserve_run(world);
}

void phx_ingest_free(phx_world *world)
{
    phx_release(&world->mem, (void **)&world->runs, &world->runs_capacity, sizeof(phx_producer_run));
}

void phx_ingest_trim(phx_world *world)
{
    PHX_ASSERT(world->run_count == 0);
    const uint32_t used = world->runs_most > 0 ? world->runs_most : 1; /* as phx_ingest_init() has it */
    phx_trim(&world->mem, (void **)&world->runs, &world->runs_capacity, sizeof(phx_producer_run), used,
             &world->runs_use);
    world->runs_most = 0;
}

/* The runs of one producer. false = some are left: no memory. */
static bool collect_runs(phx_world *world, uint32_t number, uint64_t *commands)
{
    phx_producer *producer = &world->producers[number];
    phx_command_run run;
    phx_command_queue_rewind(producer->queue); /* of a run that there is no room for nothing is taken */
    producer->tick_refusals.imports = 0;       /* the ones of the last tick had no use for theirs */
    taken_commands taken = {.queued = queued_commands(producer)};
    /* at once for all, or run by run */
    taken.has_places = phx_refusals_reserve(&producer->tick_refusals, taken.queued, 0);
    while (reserve_run(world) && reserve_refusals(world, producer, &taken)) {
        if (!phx_command_queue_next(producer->queue, &run)) {
            *commands += taken.count;
            return true;
        }
        if (taken.has_places) phx_join_moves(producer->queue, &run);
        world->runs[world->run_count++] = (phx_producer_run){.commands = run, .producer = number};
        taken.count += run.count;
    }
    *commands += taken.count;
    return false;
}

bool phx_ingest_collect(phx_world *world)
{
    uint64_t commands = 0;
    bool all = true;
    world->run_count = world->run_at = 0;
    for (uint32_t i = phx_world_producers_first(world); i < phx_world_producers_end(world); i++)
        if (world->producers[i].in_tick) all &= collect_runs(world, i, &commands);
    if (commands > world->totals.queued_max) world->totals.queued_max = commands;
    if (world->run_count > world->runs_most) world->runs_most = world->run_count;
    return all;
}

/* The end of the runs of moves from `first` on, and the number of their commands. */
static uint32_t span_of_moves(const phx_world *world, uint32_t first, uint64_t *commands)
{
    uint32_t end = first;
    for (*commands = 0; end < world->run_count && phx_op_moves(world->runs[end].commands.op); end++)
        *commands += world->runs[end].commands.count;
    return end;
}

/* Sharing pays only in dense ticks: in others moves mark towers, which is the ticking thread's work, and slower. */
static bool parallel_worthwhile(const phx_world *world, uint64_t commands)
{
    return phx_workers_count(world->workers) > 1 && commands >= PHX_MOVES_SHARE_MIN &&
           commands > phx_directory_count(&world->directory) / 4;
}

/* The work of all runs from one on. */
static uint64_t work_from(const phx_world *world, uint32_t run)
{
    uint64_t work = 0;
    for (; run < world->run_count; run++) work += phx_command_run_work(&world->runs[run].commands);
    return work;
}

void phx_ingest(phx_world *world)
{
    uint64_t left = work_from(world, world->run_at);
    while (world->run_at < world->run_count) {
        uint64_t commands;
        uint32_t end = span_of_moves(world, world->run_at, &commands);
        if (parallel_worthwhile(world, commands) && phx_moves_share(world, world->run_at, end)) {
            world->run_at = end;
            left -= commands;
            continue;
        }
        if (end == world->run_at) end++;
        while (world->run_at < end) {
            const phx_producer_run *run = &world->runs[world->run_at++];
            left -= phx_command_run_work(&run->commands);
            apply_run(world, run, left);
        }
    }
    phx_moves_report(world);
}

bool phx_ingest_classes(phx_world *world)
{
    bool all = true;
    for (uint32_t i = 0; i < world->shard_count; i++) {
        phx_shard *shard = &world->shards[i];
        for (uint32_t slot = 0; slot < shard->store.slots; slot++) {
            if (!(shard->store.body[slot].state & PHX_SLOT_OWN)) continue;
            phx_attr attr = *phx_store_attr(&shard->store, slot);
            const bool ready = phx_shard_ready(shard, 1);
            all &= ready;
            if (!ready) continue;
            phx_crowd_attrs(world, shard->store.name[slot].id, NULL, &attr);
            phx_shard_set(shard, slot, &attr);
        }
        phx_shard_rules_changed(shard);
    }
    return all;
}
