/*
 * Refusal of a command in a tick; see refuse.h.
 */
#include "world/ingest/refuse.h"

#include "world/queue/commands.h"

void phx_ingest_refuse(phx_world *world, const phx_producer_run *run, uint32_t i, uint64_t id, ph_status status)
{
    bool of_area = run->commands.op == PHX_OP_AREA_SET || run->commands.op == PHX_OP_AREA_REMOVE;
    uint64_t home = of_area ? PHX_HOME_NONE : phx_directory_find(&world->directory, id);
    uint16_t op = run->commands.op & PHX_OP_BITS;
    ph_refusal refusal = {.sequence = run->commands.sequence_first + i,
                          .tick = world->tick,
                          .id = id,
                          .status = status,
                          .command = op == PHX_OP_BROADCAST && id == 0 ? PHX_OP_BROADCAST_AT : op};
    world->totals.refused[status]++;
    world->totals.refused_in_tick++;
    if (home != PHX_HOME_NONE) world->shard_totals[phx_home_shard(home)].refused[status]++;
    if (!phx_refusals_put(&world->producers[run->producer].tick_refusals, refusal)) world->totals.untold++;
}
