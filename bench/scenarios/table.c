/*
 * The table of scenarios, in the order of the reports; see table.h.
 */
#include "bench/scenarios/table.h"

#include <string.h>

#include "bench/scenarios/scenarios.h"

static const bench_scenario *const scenarios[] = {
    &bench_walk_10k,     &bench_walk_100k,       &bench_walk_1m,         &bench_hotspot,
    &bench_crowd,        &bench_crowd_control,   &bench_dense_100k,      &bench_mmo,
    &bench_mmo_all,      &bench_border_pingpong, &bench_teleport_storm,  &bench_speed_50,
    &bench_sparse_huge,  &bench_login_flood,     &bench_churn,           &bench_bands,
    &bench_activation,   &bench_areas,           &bench_chat_storm,      &bench_whisper,
    &bench_ask_places,   &bench_instances,       &bench_instances_flat,  &bench_veil,
    &bench_mounts,       &bench_ingest,          &bench_walk_100k_10pct, &bench_idle,
    &bench_world_mmo,    &bench_world_siege,     &bench_world_city,      &bench_world_dense,
    &bench_fight_10k,    &bench_cornell_50k,     &bench_cornell_gauss,   &bench_cornell_500k,
    &bench_osrs_box,     &bench_station_80,      &bench_cluster,         &bench_voxel,
    &bench_small_worlds, &bench_walk_20k,        &bench_walk_outside,
};

uint32_t bench_scenario_count(void)
{
    return (uint32_t)(sizeof scenarios / sizeof scenarios[0]);
}

const bench_scenario *bench_scenario_at(uint32_t index)
{
    PHX_ASSERT(index < bench_scenario_count());
    return scenarios[index];
}

const bench_scenario *bench_scenario_find(const char *name)
{
    for (uint32_t i = 0; i < bench_scenario_count(); i++) {
        if (strcmp(scenarios[i]->name, name) == 0) {
            return scenarios[i];
        }
    }
    return NULL;
}
