/*
 * All scenarios; each is defined in a file of this folder. Named by the table of scenarios, the
 * options and the plan.
 */
#ifndef PHX_BENCH_SCENARIOS_H
#define PHX_BENCH_SCENARIOS_H

#include "bench/base/scenario.h"

extern const bench_scenario bench_walk_10k, bench_walk_100k, bench_walk_1m, bench_walk_100k_10pct;
extern const bench_scenario bench_hotspot, bench_crowd, bench_dense_100k, bench_mmo, bench_mmo_all;
extern const bench_scenario bench_ingest, bench_border_pingpong, bench_teleport_storm, bench_login_flood, bench_idle;
extern const bench_scenario bench_chat_storm, bench_whisper, bench_mounts, bench_crowd_control;
extern const bench_scenario bench_speed_50, bench_sparse_huge;
extern const bench_scenario bench_walk_20k, bench_walk_outside;
extern const bench_scenario bench_ask_places, bench_voxel, bench_bands;
extern const bench_scenario bench_activation, bench_areas, bench_churn, bench_veil;
extern const bench_scenario bench_instances, bench_instances_flat, bench_small_worlds;
extern const bench_scenario bench_cornell_50k, bench_cornell_gauss, bench_cornell_500k;
extern const bench_scenario bench_osrs_box, bench_station_80, bench_cluster, bench_fight_10k;
extern const bench_scenario bench_world_mmo, bench_world_siege, bench_world_city, bench_world_dense;

/* Not in the table: plays a trace (--trace). */
extern const bench_scenario bench_scenario_trace;
/* Not in the table: all entities, of all classes alike, walk about the world as configured (--advise). */
extern const bench_scenario bench_scenario_advise;

#endif
