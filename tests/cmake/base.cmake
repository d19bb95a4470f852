# The base layer: memory, ring, workers, id map, statuses.

pharos_unit_test(NAME unit_status SOURCES unit/test_status.c)
pharos_unit_test(NAME unit_mem SOURCES unit/test_mem.c)
pharos_unit_test(NAME unit_mem_jemalloc SOURCES unit/test_mem.c JEMALLOC)
pharos_unit_test(NAME unit_ring SOURCES unit/test_ring.c)
pharos_unit_test(NAME unit_workers SOURCES unit/test_workers.c)
pharos_unit_test(NAME unit_directory SOURCES unit/test_directory.c)
pharos_unit_test(NAME unit_idmap SOURCES unit/test_idmap.c)
if(TARGET unit_workers)
    target_link_options(unit_workers PRIVATE -Wl,--wrap=pthread_create) # the test refuses the n-th thread
endif()

pharos_plain_test(NAME stress_ring SOURCES concurrency/stress_ring.c LABELS concurrency)
pharos_plain_test(NAME stress_workers SOURCES concurrency/stress_workers.c LABELS concurrency)
pharos_plain_test(NAME stress_directory SOURCES concurrency/stress_directory.c LABELS concurrency)
