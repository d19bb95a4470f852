# Shards: each part alone, then shards wired by hand; the world's tables, queues and moves.
pharos_unit_test(NAME unit_shard_parts SOURCES unit/test_shard_rules.c unit/test_shard_list.c unit/test_shard_store.c
    unit/test_shard_attr_sets.c unit/test_shard_changes.c
    unit/test_shard_relations.c unit/test_shard_far.c unit/test_shard_rank.c unit/test_shard_find.c
    unit/test_shard_outbox.c unit/test_shard_kernels.c unit/test_shard_pick.c)
pharos_unit_test(NAME unit_shard_tile SOURCES unit/test_shard_tile.c unit/shard_fleet.c)
pharos_unit_test(NAME unit_shard_grid SOURCES unit/test_shard_grid.c unit/test_shard_mend.c
                           unit/test_shard_move.c)
pharos_unit_test(NAME unit_shard_exchange
                 SOURCES unit/test_shard_exchange.c unit/test_shard_border.c unit/shard_fleet.c)
pharos_unit_test(NAME unit_shard_interest SOURCES unit/test_shard_interest.c unit/test_shard_deferred.c
    unit/test_shard_glance.c unit/test_shard_movers.c unit/shard_fleet.c)
pharos_unit_test(NAME unit_shard_nine SOURCES unit/test_shard_nine.c unit/shard_fleet.c)
pharos_unit_test(NAME unit_shard_around SOURCES unit/test_shard_around.c unit/test_areas.c unit/shard_fleet.c)
pharos_unit_test(NAME unit_index SOURCES unit/test_index.c unit/test_index_cells.c)
pharos_unit_test(NAME unit_index_trees SOURCES unit/test_index_trees.c)
pharos_unit_test(NAME unit_index_lists SOURCES unit/test_index_crosslist.c unit/test_index_timer.c)
pharos_unit_test(NAME unit_crafted SOURCES unit/test_crafted.c)
pharos_unit_test(NAME unit_world_tables SOURCES unit/test_world_tables.c unit/test_world_queues.c)
pharos_unit_test(NAME unit_world_moves SOURCES unit/test_world_moves.c unit/test_world_glances.c)
pharos_plain_test(NAME stress_moves SOURCES concurrency/stress_moves.c LABELS concurrency)
pharos_plain_test(NAME stress_refusals SOURCES concurrency/stress_refusals.c LABELS concurrency)
