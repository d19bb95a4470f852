/*
 * The towers of an empty world are chosen; see choose_towers.h.
 */
#include "world/tick/choose_towers.h"

#include "shards/storage/bare_storage.h"
#include "shards/tick/blind_tick.h"
#include "world/queue/commands.h"
#include "world/tick/lifecycle.h"

bool phx_choose_towers_by(phx_world *world, phx_views views)
{
    const float before = world->rules.tower_size, side = phx_tower_side(&world->def, views);
    phx_partition partition;
    PHX_ASSERT(world->towers_open && phx_directory_count(&world->directory) == 0 && world->areas.live_count == 0);
    phx_world_set_towers(world, side);
    if (!phx_partition_init(&partition, &world->mem, world->rules.towers, world->def.shards)) {
        phx_world_set_towers(world, before);
        return false;
    }
    phx_partition_free(&world->partition, &world->mem);
    world->partition = partition;
    for (uint32_t i = 0; i < world->shard_count; i++)
        phx_shard_take_towers(&world->shards[i], phx_partition_rect(&partition, i), &phx_storage_bare);
    world->towers_open = false;
    return true;
}

static void add_run(const phx_command_run *run, phx_views *views)
{
    const phx_command_attrs *commands = run->records;
    for (uint32_t i = 0; i < run->count; i++)
        if (commands[i].attrs.given & PH_VIEW) phx_views_add(views, commands[i].attrs.view);
}

bool phx_choose_towers(phx_world *world)
{
    phx_views views = {0.0f, 0.0f};
    bool due = false;
    if (!world->towers_open) return true;
    for (uint32_t i = 0; i < world->run_count; i++) {
        const phx_command_run *run = &world->runs[i].commands;
        const phx_op op = (phx_op)run->op;
        due |= op == PHX_OP_ENTER || op == PHX_OP_AREA_SET || op == PHX_OP_IMPORT;
        if (op == PHX_OP_ENTER) add_run(run, &views);
    }
    return !due || phx_choose_towers_by(world, views);
}
