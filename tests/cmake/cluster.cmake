# The protocol of a cluster, by simulation; and the simulation by seeded bugs, each of which it has to find.
if(PHAROS_BUILD_CLUSTER)
    add_library(pharos_cluster_sim STATIC
        cluster/sim.c
        cluster/sim_check.c
        cluster/sim_host.c
        cluster/sim_net.c
        cluster/sim_store.c)
    target_link_libraries(pharos_cluster_sim PUBLIC pharos_cluster pharos_test_support)
    pharos_plain_test(NAME cluster_sim SOURCES cluster/cluster_sim.c LIBS pharos_cluster_sim LABELS cluster)
    set(bug 0)
    foreach(rule IN ITEMS pin barrier fence sequence take_back)
        math(EXPR bug "${bug} + 1")
        set(test cluster_canary_${rule})
        pharos_plain_test(NAME ${test} SOURCES cluster/cluster_sim.c canary/cluster_rules.c LIBS pharos_cluster_sim
                          ARGS --expect-violation --count 1000 LABELS canary cluster)
        target_compile_definitions(${test} PRIVATE CLUSTER_BUG=${bug})
    endforeach()
endif()
