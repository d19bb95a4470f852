# Queues, tables and whole worlds under threads; TSan's build is the one that sees most.
pharos_plain_test(NAME stress_ring SOURCES concurrency/stress_ring.c LABELS concurrency)
pharos_plain_test(NAME stress_workers SOURCES concurrency/stress_workers.c LABELS concurrency)
pharos_plain_test(NAME stress_directory SOURCES concurrency/stress_directory.c LABELS concurrency)
pharos_plain_test(NAME stress_command_queue SOURCES concurrency/stress_command_queue.c LABELS concurrency)
pharos_plain_test(NAME stress_consumer SOURCES concurrency/stress_consumer.c LABELS concurrency)
pharos_plain_test(NAME stress_moves SOURCES concurrency/stress_moves.c LABELS concurrency)
pharos_plain_test(NAME stress_refusals SOURCES concurrency/stress_refusals.c LABELS concurrency)
pharos_plain_test(NAME stress_monitor SOURCES concurrency/stress_monitor.c LABELS concurrency)
pharos_plain_test(NAME stress_crew SOURCES concurrency/stress_crew.c LABELS concurrency)
pharos_plain_test(NAME stress_wait SOURCES concurrency/stress_wait.c LABELS concurrency)
pharos_plain_test(NAME stress_world SOURCES concurrency/stress_world.c LABELS concurrency TIMEOUT 600)
pharos_plain_test(NAME thread_signals SOURCES concurrency/thread_signals.c LABELS concurrency)
foreach(part IN ITEMS store view cluster)
    if(TARGET pharos_${part})
        target_link_libraries(thread_signals PRIVATE pharos_${part})
    endif()
endforeach()
target_compile_definitions(thread_signals PRIVATE
    $<$<TARGET_EXISTS:pharos_store>:WITH_STORE> $<$<TARGET_EXISTS:pharos_view>:WITH_VIEW>
    $<$<AND:$<TARGET_EXISTS:pharos_cluster>,$<BOOL:${NATS_FOUND}>>:WITH_NATS>
    $<$<AND:$<TARGET_EXISTS:pharos_cluster>,$<BOOL:${CURL_FOUND}>,$<BOOL:${CJSON_FOUND}>>:WITH_ETCD>)
pharos_plain_test(NAME stress_reload SOURCES concurrency/stress_reload.c LABELS concurrency TIMEOUT 600)
if(PHAROS_SANITIZE STREQUAL "thread") # ten times as slow
    set_property(TEST stress_world APPEND PROPERTY ENVIRONMENT "PHAROS_TEST_PERCENT=20")
elseif(PHAROS_SANITIZE)
    set_property(TEST stress_world APPEND PROPERTY ENVIRONMENT "PHAROS_TEST_PERCENT=50")
endif()
