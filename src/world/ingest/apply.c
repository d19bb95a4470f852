/*
 * Notes applied entities; see apply.h.
 */
#include "world/ingest/apply.h"

#include "world/ingest/ingest.h"
#include "world/ingest/place_families.h"
#include "world/queue/capsule.h"
#include "world/queue/commands.h"
#include "world/state/move_types.h"

void phx_apply_free(phx_world *world)
{
    phx_apply_state *apply = &world->apply;
    phx_release(&world->mem, (void **)&apply->followers, &apply->followers_capacity, sizeof *apply->followers);
}

void phx_apply_begin(phx_world *world)
{
    enum { PART = 4, LEAST = 256 }; /* a slot that is searched costs less than a look-up by id; few need no worker */
    uint64_t commands = 0;
    for (uint32_t r = 0; r < world->run_count; r++) commands += world->runs[r].commands.count;
    world->apply.wide = commands >= LEAST && commands > phx_directory_count(&world->directory) / PART;
    world->apply.follower_count = 0;
}

/* Visits the entities of the apply's commands. false: a visit had no memory. */
typedef bool (*changed_fn)(phx_world *world, uint64_t id);

/* The members of a capsule; its run has one command. */
static bool visit_family(phx_world *world, const phx_command_run *run, changed_fn visit)
{
    const phx_command_import *command = run->records;
    phx_capsule_walk walk;
    phx_capsule_view view;
    bool all = phx_capsule_open(&walk, command + 1, command->bytes);
    PHX_ASSERT(all && run->count == 1);
    while (all && phx_capsule_next(&walk, &view)) all = visit(world, view.member.id);
    return all;
}

static bool visit_commands(phx_world *world, changed_fn visit)
{
    for (uint32_t r = 0; r < world->run_count; r++) {
        const phx_command_run *run = &world->runs[r].commands;
        const bool moves = phx_op_moves(run->op);
        const phx_moves columns = moves ? phx_moves_of(run) : (phx_moves){0};
        if (run->op == PHX_OP_IMPORT && !visit_family(world, run, visit)) return false;
        if (!moves && run->op != PHX_OP_ENTER && run->op != PHX_OP_SET) continue; /* attached ones are followers */
        for (uint32_t i = 0; i < run->count; i++) {
            const char *record = (const char *)run->records + (size_t)i * run->record_bytes;
            if (!visit(world, moves ? phx_moves_id(&columns, i) : *(const uint64_t *)(const void *)record))
                return false;
        }
    }
    return true;
}

bool phx_apply_follow(phx_world *world)
{
    if (phx_idmap_count(&world->attach.parent_of) == 0) return true;
    if (!world->apply.wide && !visit_commands(world, phx_ingest_place_children)) return false;
    for (uint32_t i = 0; !world->apply.wide && i < world->apply.follower_count; i++) {
        const uint64_t id = world->apply.followers[i];
        if (phx_attach_parent(&world->attach, id) != 0 && !phx_ingest_place_at_root(world, id)) return false;
        if (!phx_ingest_place_children(world, id)) return false;
    }
    return !world->apply.wide || phx_ingest_place_all(world);
}

static bool note_id(phx_world *world, uint64_t id)
{
    phx_shard *shard;
    uint32_t slot;
    if (!phx_world_find(world, id, &shard, &slot) || !phx_shard_dirty(shard, &shard->store.body[slot])) return true;
    if (!phx_applied_reserve(&shard->applied, shard->mem, &shard->store, 1)) return false;
    phx_applied_put(&shard->applied, shard->mem, &shard->store, slot);
    return true;
}

bool phx_apply_note(phx_world *world)
{
    if (!visit_commands(world, note_id)) return false;
    for (uint32_t i = 0; i < world->apply.follower_count; i++)
        if (!note_id(world, world->apply.followers[i])) return false;
    return true;
}

bool phx_step_note_applied(phx_world *world, uint32_t index)
{
    phx_shard *shard = &world->shards[index];
    if (!shard->changed) return true;
    if (!phx_applied_reserve(&shard->applied, shard->mem, &shard->store, shard->dirty_count)) return false;
    for (uint32_t slot = 0; slot < shard->store.slots; slot++) {
        const phx_body *body = &shard->store.body[slot];
        if ((body->state & PHX_SLOT_OWN) && phx_shard_dirty(shard, body))
            phx_applied_put(&shard->applied, shard->mem, &shard->store, slot);
    }
    return true;
}
