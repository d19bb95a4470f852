# The protocol of a cluster, by simulation; and the simulation by seeded bugs, each of which it has to find.
if(PHAROS_BUILD_CLUSTER)
    pharos_test_objects(pharos_cluster_walks SOURCES cluster/node_host.c cluster/walks.c LIBS pharos_cluster)
    pharos_test_objects(pharos_cluster_duties SOURCES cluster/duties.c LIBS pharos_cluster)
    pharos_test_objects(pharos_cluster_conform SOURCES cluster/conform.c LIBS pharos_cluster)
    pharos_unit_test(NAME unit_cluster SOURCES
        unit/cluster/wire/test_say_wire.c
        unit/cluster/wire/test_wire.c
        unit/cluster/map/test_balance.c
        unit/cluster/map/test_cluster_map.c
        unit/cluster/map/test_shares.c
        unit/cluster/halo/test_double_ids.c
        unit/cluster/halo/test_halo.c
        unit/cluster/halo/test_ended_stays.c
        unit/cluster/halo/test_halo_passed.c
        unit/cluster/halo/test_halo_pins.c
        unit/cluster/halo/test_halo_search.c
        unit/cluster/halo/test_region_set.c
        unit/cluster/member/test_dead_nodes.c
        unit/cluster/member/test_full_world.c
        unit/cluster/member/test_kept_places.c
        unit/cluster/node/test_channel.c
        unit/cluster/node/test_doubles.c
        unit/cluster/node/test_hand_over.c
        unit/cluster/node/test_links.c
        unit/cluster/halo/test_halo_wire.c
        unit/cluster/membership/membership_bed.c
        unit/cluster/membership/test_adoption.c
        unit/cluster/membership/test_expulsion.c
        unit/cluster/membership/test_formats.c
        unit/cluster/membership/test_hindrance.c
        unit/cluster/membership/test_joining.c
        unit/cluster/membership/test_load_report.c
        unit/cluster/membership/test_membership.c
        unit/cluster/membership/test_refusal.c
        unit/cluster/servers/test_loop.c
        unit/cluster/member/test_arrivals.c
        unit/cluster/member/test_claims.c
        unit/cluster/member/test_definition.c
        unit/cluster/member/test_direct_commands.c
        unit/cluster/member/test_drain.c
        unit/cluster/member/test_doubles.c
        unit/cluster/member/test_feeds.c
        unit/cluster/member/test_full_producer.c
        unit/cluster/member/test_lag.c
        unit/cluster/member/test_look.c
        unit/cluster/member/test_metrics.c
        unit/cluster/member/test_next_node.c
        unit/cluster/member/test_peers.c
        unit/cluster/member/test_phc.c
        unit/cluster/member/test_questions.c
        unit/cluster/member/test_reports.c
        unit/cluster/member/test_shared_times.c
        unit/cluster/member/test_short_ticks.c
        unit/cluster/member/test_slow_host.c
        unit/cluster/member/test_still_members.c
        unit/cluster/member/test_stream.c
        unit/cluster/member/test_upgrade.c
        LIBS pharos_cluster_conform pharos_cluster_walks pharos_cluster LABELS cluster)
    pharos_fuzz_test(NAME fuzz_cluster SOURCES fuzz/fuzz_cluster.c CORPUS fuzz/corpus_cluster LIBS pharos_cluster
                     MAX_LEN 4096)
    pharos_fuzz_test(NAME fuzz_halo SOURCES fuzz/fuzz_halo.c fuzz/drawn_entries.c CORPUS fuzz/corpus_halo
                     LIBS pharos_cluster MAX_LEN 2048)
    pharos_fuzz_test(NAME fuzz_membership SOURCES fuzz/fuzz_membership.c fuzz/drawn_entries.c CORPUS fuzz/corpus_membership
                     LIBS pharos_cluster MAX_LEN 4096)
    pharos_fuzz_test(NAME fuzz_client SOURCES fuzz/fuzz_client.c CORPUS fuzz/corpus_client LIBS pharos_client_feed MAX_LEN 1024)
    pharos_unit_test(NAME unit_client_feed SOURCES unit/tools/test_client_feed.c LIBS pharos_client_feed LABELS cluster)
    if(CURL_FOUND AND CJSON_FOUND)
        pharos_fuzz_test(NAME fuzz_etcd SOURCES fuzz/fuzz_etcd.c CORPUS fuzz/corpus_etcd LIBS pharos_cluster MAX_LEN 4096)
        pharos_unit_test(NAME unit_cluster_etcd SOURCES unit/cluster/servers/test_etcd_json.c
                         unit/cluster/servers/test_store_etcd.c LIBS pharos_cluster LABELS cluster)
    endif()
    if(NATS_FOUND AND CURL_FOUND AND CJSON_FOUND)
        pharos_unit_test(NAME unit_cluster_tls SOURCES unit/cluster/servers/test_tls.c LIBS pharos_cluster LABELS cluster)
    endif()
    if(NATS_FOUND)
        pharos_unit_test(NAME unit_cluster_nats SOURCES unit/cluster/servers/test_transport_nats.c LIBS pharos_cluster
                         LABELS cluster)
    endif()
    if(TARGET pharos-cluster)
        pharos_fuzz_test(NAME fuzz_cluster_tool SOURCES fuzz/fuzz_cluster_tool.c fuzz/drawn_entries.c
                         CORPUS fuzz/corpus_cluster_tool LIBS pharos_cluster_tool MAX_LEN 4096)
        if(NATS_FOUND)
            pharos_fuzz_test(NAME fuzz_node SOURCES fuzz/fuzz_node.c CORPUS fuzz/corpus_node LIBS pharos_node_parts MAX_LEN 256)
            pharos_unit_test(NAME unit_node_gateway SOURCES
                unit/tools/node_bed.c
                unit/tools/test_node_feed.c
                unit/tools/test_node_gateway.c
                LIBS pharos_node_parts LABELS cluster)
        endif()
        pharos_unit_test(NAME unit_cluster_tool SOURCES unit/tools/test_cluster_tool.c LIBS pharos_cluster_tool LABELS cluster)
    endif()
    pharos_plain_test(NAME stress_commit SOURCES concurrency/stress_commit.c
                      LIBS pharos_cluster_walks pharos_cluster LABELS concurrency)
    add_custom_target(cluster_tests COMMENT "All that the leg cluster of scripts/test.sh needs")
    option(PHAROS_ALL_SCHEDULES "All of the cluster's simulations, in a release build: for the leg cluster" OFF)
    if(NOT PHAROS_SANITIZE STREQUAL "thread") # one thread: the other builds find all that there is
        pharos_plain_test(NAME federation SOURCES cluster/federation.c cluster/sights.c cluster/zones.c
                          LIBS pharos_cluster_walks pharos_cluster LABELS cluster)
        if(PHAROS_TEST_PERCENT GREATER 15 AND NOT PHAROS_ALL_SCHEDULES) # else a release build's takes longest of all tests
            set_property(TEST federation APPEND PROPERTY ENVIRONMENT "PHAROS_TEST_PERCENT=15")
        endif()
        set(cluster_libraries pharos_client_feed pharos_cluster)
        pharos_test_objects(pharos_cluster_sim LIBS ${cluster_libraries} SOURCES
            cluster/cluster_sim.c
            cluster/sim.c
            cluster/sim_check.c
            cluster/sim_clients.c
            cluster/sim_copies.c
            cluster/sim_host.c
            cluster/sim_net.c
            cluster/sim_says.c)
        # The store of a simulation, for canaries: one of its own, or that of the library's membership, within a process.
        pharos_test_objects(pharos_sim_store LIBS ${cluster_libraries} SOURCES cluster/sim_store.c)
        pharos_test_objects(pharos_sim_members LIBS ${cluster_libraries} SOURCES cluster/sim_members.c)
        set(schedules) # by PHAROS_TEST_PERCENT
        set(few_schedules ARGS --count 200)
        set(few_walkers)
        if(PHAROS_SANITIZE)
            set(few_walkers ARGS --walkers 150)
        elseif(NOT PHAROS_VALIDATE AND NOT PHAROS_COVERAGE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
            set(schedules ARGS --count 2000)
            set(few_schedules ARGS --count 600)
            if(PHAROS_ALL_SCHEDULES)
                set(schedules ARGS --count 10000)
                set(few_schedules ARGS --count 1500)
            endif()
        endif()
        pharos_plain_test(NAME cluster_doubles SOURCES cluster/cluster_doubles.c LIBS pharos_cluster_walks pharos_cluster LABELS cluster)
        pharos_plain_test(NAME cluster_hosts SOURCES cluster/cluster_hosts.c
                          LIBS pharos_cluster_duties pharos_cluster_walks pharos_cluster LABELS cluster)
        if(NOT PHAROS_SANITIZE) # there it takes half a minute a cluster, and more beside others
            pharos_plain_test(NAME cluster_many SOURCES cluster/cluster_many.c cluster/counted_ways.c
                              LIBS pharos_cluster_duties pharos_cluster_walks pharos_cluster LABELS cluster)
        endif()
        # Found once, with a third of the messages lost: entities that changed nodes were missing, or where they had been.
        foreach(seed IN ITEMS 1000059 1000415 1001415)
            add_test(NAME cluster_hosts_${seed} COMMAND ${PHAROS_TEST_LAUNCHER} $<TARGET_FILE:cluster_hosts> --seed ${seed} --count 1)
            pharos_test_properties(cluster_hosts_${seed} 60 "cluster")
        endforeach()
        pharos_plain_test(NAME cluster_says SOURCES cluster/cluster_says.c LIBS pharos_cluster_walks pharos_cluster LABELS cluster)
        pharos_plain_test(NAME cluster_soak SOURCES cluster/cluster_soak.c ${few_walkers}
                          LIBS pharos_cluster_duties pharos_cluster_walks pharos_cluster LABELS cluster)
        pharos_plain_test(NAME cluster_oom SOURCES cluster/cluster_oom.c LIBS pharos_cluster_walks pharos_cluster LABELS cluster)
        pharos_plain_test(NAME cluster_sim SOURCES cluster/sim_store.c LIBS pharos_cluster_sim ${cluster_libraries}
                          ${schedules} LABELS cluster)
        # Found once: a host that was still at an earlier loss entered what a second dead node had, before its barrier.
        add_test(NAME cluster_sim_second_loss COMMAND ${PHAROS_TEST_LAUNCHER} $<TARGET_FILE:cluster_sim> --seed 1101621 --count 1)
        pharos_test_properties(cluster_sim_second_loss 60 "cluster")
        # And once the simulation let a host restore although a node of its map could not answer.
        add_test(NAME cluster_sim_no_answer COMMAND ${PHAROS_TEST_LAUNCHER} $<TARGET_FILE:cluster_sim> --seed 1187049 --count 1)
        pharos_test_properties(cluster_sim_no_answer 60 "cluster")
        # The simulation with the library's membership, over its control store within a process.
        pharos_plain_test(NAME cluster_sim_members SOURCES cluster/sim_members.c
                          LIBS pharos_cluster_sim ${cluster_libraries} ${few_schedules} LABELS cluster)
        if(NOT PHAROS_SANITIZE) # there a canary takes ten times as long and finds nothing more
            set(finds_pin "an entity is on its way twice")
            set(finds_barrier "a member hears a dead node of an entity that was restored")
            set(finds_fence "a node that was put out is heard")
            set(finds_sequence "a late double of a message enters an entity anew")
            set(finds_take_back "a member hears a dead node of an entity that was restored")
            set(finds_answer "a member hears a dead node of an entity that was restored")
            set(finds_adopt "an entity is lost, or still on its way")
            set(finds_outwait "a member that is in no map may save")
            set(finds_era "the map goes back")
            set(finds_feed "a change can not be")
            set(bug 0)
            foreach(rule IN ITEMS pin barrier fence sequence take_back answer)
                math(EXPR bug "${bug} + 1")
                set(test cluster_canary_${rule})
                pharos_plain_test(NAME ${test} SOURCES canary/cluster_rules.c
                                  LIBS pharos_cluster_sim pharos_sim_store ${cluster_libraries} ARGS --expect "${finds_${rule}}" --count 1000 LABELS cluster)
                target_compile_definitions(${test} PRIVATE CLUSTER_BUG=${bug})
            endforeach()
            foreach(rule IN ITEMS adopt outwait era)
                math(EXPR bug "${bug} + 1")
                set(test cluster_canary_${rule})
                pharos_plain_test(NAME ${test} SOURCES canary/cluster_rules.c
                                  LIBS pharos_cluster_sim pharos_sim_members ${cluster_libraries} ARGS --expect "${finds_${rule}}" --count 4000 LABELS cluster)
                target_compile_definitions(${test} PRIVATE CLUSTER_BUG=${bug})
            endforeach()
            foreach(rule IN ITEMS feed)
                math(EXPR bug "${bug} + 1")
                set(test cluster_canary_${rule})
                pharos_plain_test(NAME ${test} SOURCES canary/cluster_rules.c
                                  LIBS pharos_cluster_sim pharos_sim_store ${cluster_libraries} ARGS --expect "${finds_${rule}}" --count 1000 LABELS cluster)
                target_compile_definitions(${test} PRIVATE CLUSTER_BUG=${bug})
            endforeach()
        endif()
        # Found once: an adopted map whose member had given no answer for a lease put out one that might still save.
        add_test(NAME cluster_sim_adopted COMMAND ${PHAROS_TEST_LAUNCHER} $<TARGET_FILE:cluster_sim_members> --seed 6840 --count 1)
        pharos_test_properties(cluster_sim_adopted 60 "cluster")
        # A gateway that forgets nothing with a map that was lost shows for ever the list that a node told under it.
        add_test(NAME cluster_sim_forgets COMMAND ${PHAROS_TEST_LAUNCHER} $<TARGET_FILE:cluster_sim_members> --seed 7006994 --count 1)
        pharos_test_properties(cluster_sim_forgets 60 "cluster")
    endif()
    foreach(test IN ITEMS federation cluster_doubles cluster_hosts cluster_many cluster_oom cluster_says cluster_soak unit_cluster unit_cluster_etcd unit_cluster_nats unit_cluster_tls unit_client_feed unit_node_gateway unit_cluster_tool fuzz_client fuzz_cluster fuzz_cluster_tool fuzz_membership
            fuzz_halo fuzz_etcd fuzz_node cluster_sim
            cluster_sim_members cluster_canary_pin cluster_canary_barrier cluster_canary_fence cluster_canary_sequence
            cluster_canary_take_back cluster_canary_answer cluster_canary_adopt cluster_canary_outwait cluster_canary_era
            cluster_canary_feed) # some are not there under sanitizers
        if(TARGET ${test})
            add_dependencies(cluster_tests ${test})
        endif()
    endforeach()
    if(TARGET pharos-node)
        add_test(NAME program_node COMMAND ${PHAROS_TEST_LAUNCHER} ${Python3_EXECUTABLE}
                 ${CMAKE_CURRENT_SOURCE_DIR}/programs/test_node.py $<TARGET_FILE:pharos-node>)
        pharos_test_properties(program_node 180 "program;cluster")
        add_dependencies(cluster_tests pharos-node)
    endif()
    if(TARGET pharos-bench)
        add_dependencies(cluster_tests pharos-bench) # program_bench_federation
    endif()
    # Over Debian's servers, which the test starts itself.
    find_program(NATS_SERVER nats-server PATHS /usr/sbin)
    find_program(ETCD etcd)
    find_program(OPENSSL openssl)
    if(NATS_FOUND AND CURL_FOUND AND CJSON_FOUND AND NATS_SERVER AND ETCD AND OPENSSL)
        # Two threads of libnats use one session of OpenSSL, and neither library is built for the thread sanitizer.
        set(tls_servers --openssl ${OPENSSL})
        if(PHAROS_SANITIZE STREQUAL "thread")
            set(tls_servers)
        endif()
        pharos_plain_test(NAME cluster_servers SOURCES cluster/cluster_servers.c cluster/asleep.c cluster/servers.c
                                                       cluster/servers_tls.c cluster/certificates.c
                          LIBS pharos_cluster_conform pharos_cluster_walks pharos_node_parts pharos_cluster
                          ARGS --nats ${NATS_SERVER} --etcd ${ETCD} ${tls_servers} LABELS cluster)
        add_dependencies(cluster_tests cluster_servers)
        if(TARGET pharos-node AND NOT PHAROS_SANITIZE STREQUAL "thread")
            # Its leases run out where the machine is busy: the leg cluster runs it alone, and no other leg (label live).
            pharos_test_objects(pharos_live_course LIBS pharos_cluster SOURCES
                cluster/live_bounds.c cluster/live_check.c cluster/live_course.c cluster/live_doubles.c
                cluster/live_faults.c cluster/live_lines.c cluster/live_nodes.c cluster/live_server_faults.c
                cluster/live_sleeps.c cluster/live_slow.c cluster/live_waits.c cluster/servers.c)
            set(course pharos_live_course pharos_cluster_walks pharos_cluster)
            pharos_plain_test(NAME cluster_live LIBS ${course}
                              SOURCES cluster/cluster_live.c
                              ARGS --node $<TARGET_FILE:pharos-node> --nats ${NATS_SERVER} --etcd ${ETCD}
                              LABELS cluster live)
            set_tests_properties(cluster_live PROPERTIES RUN_SERIAL ON TIMEOUT 900) # six to eight minutes, with its waits
            add_dependencies(cluster_live pharos-node)
            add_dependencies(cluster_tests cluster_live)
            pharos_plain_test(NAME cluster_cables LIBS ${course}
                              SOURCES cluster/cluster_cables.c cluster/live_cables.c cluster/cables.c
                              ARGS --node $<TARGET_FILE:pharos-node> --nats ${NATS_SERVER} --etcd ${ETCD}
                              LABELS cluster live)
            set_tests_properties(cluster_cables PROPERTIES RUN_SERIAL ON TIMEOUT 600 SKIP_RETURN_CODE 77) # two to three minutes
            add_dependencies(cluster_cables pharos-node)
            add_dependencies(cluster_tests cluster_cables)
            pharos_plain_test(NAME cluster_adoption
                              SOURCES cluster/cluster_adoption.c cluster/live_check.c cluster/live_lines.c
                                      cluster/live_nodes.c cluster/live_waits.c cluster/servers.c
                              ARGS --node $<TARGET_FILE:pharos-node> --nats ${NATS_SERVER} --etcd ${ETCD}
                              LABELS cluster live)
            set_tests_properties(cluster_adoption PROPERTIES RUN_SERIAL ON TIMEOUT 300) # one to two minutes, with its waits
            add_dependencies(cluster_adoption pharos-node)
            add_dependencies(cluster_tests cluster_adoption)
            if(NOT PHAROS_SANITIZE) # memory that is given back is kept for a while there
                pharos_plain_test(NAME cluster_memory
                                  SOURCES cluster/cluster_memory.c cluster/live_check.c cluster/live_lines.c
                                          cluster/live_nodes.c cluster/live_waits.c cluster/servers.c
                                  ARGS --node $<TARGET_FILE:pharos-node> --nats ${NATS_SERVER} --etcd ${ETCD}
                                  LABELS cluster live)
                set_tests_properties(cluster_memory PROPERTIES RUN_SERIAL ON TIMEOUT 300) # two and a half minutes
                add_dependencies(cluster_memory pharos-node)
                add_dependencies(cluster_tests cluster_memory)
            endif()
        endif()
        if(TARGET pharos-node)
            pharos_plain_test(NAME cluster_operator
                              SOURCES cluster/cluster_operator.c cluster/live_lines.c cluster/live_nodes.c cluster/servers.c
                              LIBS pharos_cluster ARGS --tool $<TARGET_FILE:pharos-cluster> --node $<TARGET_FILE:pharos-node>
                                   --nats ${NATS_SERVER} --etcd ${ETCD}
                              LABELS cluster live)
            set_tests_properties(cluster_operator PROPERTIES RUN_SERIAL ON)
            add_dependencies(cluster_operator pharos-node pharos-cluster)
            add_test(NAME program_try_cluster COMMAND ${Python3_EXECUTABLE}
                     ${CMAKE_CURRENT_SOURCE_DIR}/programs/test_try_cluster.py ${PROJECT_SOURCE_DIR}/docs/cluster.md
                     $<TARGET_FILE:pharos-node> $<TARGET_FILE:pharos-cluster> ${NATS_SERVER} ${ETCD})
            pharos_test_properties(program_try_cluster 150 "program;cluster;live")
            set_tests_properties(program_try_cluster PROPERTIES RUN_SERIAL ON)
            add_dependencies(cluster_tests cluster_operator)
        endif()
    else()
        message(STATUS "cluster_servers is left out, as all tests over real servers: scripts/install_deps.sh --cluster installs its servers and libraries")
    endif()
endif()
