# Unit tests: one program for each room of the sources, unit_<room>, so that a red line names the room.

# Calls of the named functions go through the test, which refuses the n-th.
function(pharos_unit_wrap test)
    if(TARGET ${test})
        list(TRANSFORM ARGN PREPEND "-Wl,--wrap=")
        target_link_options(${test} PRIVATE ${ARGN})
    endif()
endfunction()

pharos_unit_test(NAME unit_base SOURCES
    unit/base/test_crafted_keys.c unit/base/test_directory.c unit/base/test_far_copy.c unit/base/test_few.c unit/base/test_idmap.c
    unit/base/test_mem.c
    unit/base/test_ring.c unit/base/test_status.c unit/base/test_workers.c)
pharos_unit_wrap(unit_base pthread_create)
pharos_unit_test(NAME unit_base_jemalloc SOURCES unit/base/test_mem.c JEMALLOC)

if(NOT PHAROS_SANITIZE STREQUAL "thread")
    pharos_test_objects(pharos_shards_fixture SOURCES unit/shards/shards_fixture.c LIBS PkgConfig::CRITERION)
endif()
pharos_unit_test(NAME unit_shards_entity SOURCES
    unit/shards/entity/test_applied_map.c unit/shards/entity/test_attach_depth.c
    unit/shards/entity/test_attr_intern.c
    unit/shards/entity/test_deferred_adds.c unit/shards/entity/test_entity_store.c
    unit/shards/entity/test_list_pool.c unit/shards/entity/test_relations.c unit/shards/entity/test_visibility.c
    LIBS pharos_shards_fixture)
pharos_unit_test(NAME unit_shards_grid SOURCES
    unit/shards/grid/test_drift_sort.c unit/shards/grid/test_far_targets.c unit/shards/grid/test_grid.c unit/shards/grid/test_row_edit.c)
pharos_unit_test(NAME unit_shards_simd SOURCES
    unit/shards/simd/test_due.c unit/shards/simd/test_kernels.c unit/shards/simd/test_order_kernels.c unit/shards/simd/test_tile_cull.c
    unit/shards/simd/test_top_k.c
    unit/shards/simd/test_find_far.c)
pharos_unit_test(
    NAME unit_shards_zones
    SOURCES unit/shards/zones/test_areas.c unit/shards/zones/test_tower_map.c
)
pharos_unit_test(NAME unit_shards_ninegrid SOURCES unit/shards/ninegrid/test_ninegrid.c LIBS pharos_shards_fixture)
if(PHAROS_CLASSICAL_INDEXES)
    pharos_unit_test(NAME unit_shards_classical SOURCES
        unit/shards/classical/test_cells.c unit/shards/classical/test_crosslist.c unit/shards/classical/test_index.c
        unit/shards/classical/test_timer.c unit/shards/classical/test_trees.c)
endif()
pharos_unit_test(NAME unit_shards_state SOURCES
    unit/shards/state/test_outbox.c unit/shards/state/test_related.c unit/shards/state/test_view_reach.c
    LIBS pharos_shards_fixture)
pharos_unit_test(NAME unit_shards_query SOURCES
    unit/shards/query/test_far_near.c unit/shards/query/test_find.c unit/shards/query/test_slots_in_range.c
    LIBS pharos_shards_fixture)
pharos_unit_test(NAME unit_shards_ingest SOURCES unit/shards/ingest/test_moves.c)
pharos_unit_test(NAME unit_shards_interest SOURCES
    unit/shards/interest/test_delta_sparse.c unit/shards/interest/test_delta_tile.c
    unit/shards/interest/test_evaluate.c unit/shards/interest/test_event_naming.c
    unit/shards/interest/test_list_limit.c unit/shards/interest/test_mark_set.c
    unit/shards/interest/test_random_steps.c unit/shards/interest/test_rank_table.c
    unit/shards/interest/test_renewed.c
    unit/shards/interest/test_runs.c unit/shards/interest/test_tile.c LIBS pharos_shards_fixture)
pharos_unit_test(NAME unit_shards_publish SOURCES
    unit/shards/publish/test_motion_tile.c unit/shards/publish/test_recipients.c LIBS pharos_shards_fixture)
pharos_unit_test(NAME unit_shards_tick SOURCES
    unit/shards/tick/test_begin_end.c unit/shards/tick/test_blind_tick.c unit/shards/tick/test_flat_ground.c
    unit/shards/tick/test_reindex.c LIBS pharos_shards_fixture)
pharos_unit_test(NAME unit_shards_storage SOURCES
    unit/shards/storage/test_storages.c LIBS pharos_shards_fixture)
if(PHAROS_CLASSICAL_INDEXES AND TARGET unit_shards_storage) # no unit tests under the thread sanitizer
    target_compile_definitions(unit_shards_storage PRIVATE PHX_CLASSICAL_INDEXES)
endif()
pharos_unit_test(NAME unit_shards_exchange SOURCES
    unit/shards/exchange/test_copies.c unit/shards/exchange/test_exchange.c
    unit/shards/exchange/test_halo_border.c unit/shards/exchange/test_random_lives.c
    unit/shards/exchange/test_released_ghosts.c LIBS pharos_shards_fixture)

pharos_unit_test(NAME unit_world_table SOURCES
    unit/world/table/test_tables.c)
pharos_unit_test(NAME unit_world_queue SOURCES
    unit/world/queue/test_command_queue.c unit/world/queue/test_join_moves.c unit/world/queue/test_refusals.c)
pharos_unit_test(NAME unit_world_batch SOURCES
    unit/world/batch/test_broadcast_backlog.c unit/world/batch/test_consumer_queue.c
    unit/world/batch/test_net_changes.c unit/world/batch/test_packets.c)
pharos_unit_test(NAME unit_world_state SOURCES
    unit/world/state/test_crew.c unit/world/state/test_producer.c)
pharos_unit_test(NAME unit_world_image SOURCES
    unit/world/image/test_definition.c unit/world/image/test_image.c unit/world/image/test_sections.c)
pharos_unit_test(NAME unit_world_read SOURCES
    unit/world/read/test_lists_ahead.c unit/world/read/test_verify.c)
pharos_unit_test(NAME unit_world_ingest SOURCES
    unit/world/ingest/test_crowd_counts.c unit/world/ingest/test_import_places.c unit/world/ingest/test_moves.c
    unit/world/ingest/test_same_values.c unit/world/ingest/test_way_back.c)
pharos_unit_test(NAME unit_world_publish SOURCES
    unit/world/publish/test_address_broadcasts.c unit/world/publish/test_edges.c unit/world/publish/test_event_bound.c)
pharos_unit_test(NAME unit_world_monitor SOURCES
    unit/world/monitor/test_order.c unit/world/monitor/test_places.c unit/world/monitor/test_shown.c)
pharos_unit_test(NAME unit_world_journal SOURCES unit/world/journal/test_pack.c)
pharos_unit_test(NAME unit_world_tick SOURCES unit/world/tick/test_world_delta.c)

pharos_unit_test(NAME unit_api SOURCES unit/api/banded_world.c unit/api/test_abi.c unit/api/test_def.c unit/api/test_explain_text.c unit/api/test_hints.c
                 unit/api/test_bands_on_hills.c unit/api/test_beginners.c unit/api/test_moved_once.c unit/api/test_packets.c unit/api/test_producer.c unit/api/test_related_updates.c
                 unit/api/test_revealed_layers.c unit/api/test_told_by_positions.c unit/api/test_wakes_reload.c unit/api/test_wide_bands.c)
pharos_unit_test(NAME unit_support SOURCES unit/support/test_model.c unit/support/test_model_events.c)

if(PHAROS_BUILD_CONFIG)
    set_source_files_properties(unit/config/test_write.c unit/config/test_memory.c PROPERTIES COMPILE_DEFINITIONS
        "CONFIG_SAMPLE=\"${PROJECT_SOURCE_DIR}/src/config/pharos.conf\";CONFIG_REFERENCE=\"${PROJECT_SOURCE_DIR}/src/config/REFERENCE.md\"")
    pharos_unit_test(NAME unit_config SOURCES
        unit/config/test_bands.c unit/config/test_cluster.c unit/config/test_keys.c unit/config/test_locale.c unit/config/test_memory.c
        unit/config/test_set.c unit/config/test_store.c unit/config/test_text.c unit/config/test_write.c
        LIBS pharos_config)
    pharos_unit_wrap(unit_config malloc calloc realloc strdup)
    if(PHAROS_CLASSICAL_INDEXES AND TARGET unit_config) # no unit tests under the thread sanitizer
        target_compile_definitions(unit_config PRIVATE PHX_CLASSICAL_INDEXES)
    endif()
endif()
if(PHAROS_BUILD_TOOLS)
    pharos_unit_test(NAME unit_tools SOURCES
        unit/tools/test_replay_run.c unit/tools/test_tools.c unit/tools/test_trace.c unit/tools/test_trace_head.c
        LIBS pharos_tools $<$<BOOL:${PHAROS_BUILD_STORE}>:pharos_store>)
    pharos_unit_wrap(unit_tools strtof strtof_l) # test_trace.c looks at the locale
endif()
pharos_unit_wrap(unit_cluster ph_leave) # of cluster.cmake
