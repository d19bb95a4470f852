# The engine against the brute-force model, and what holds for every run: one answer for
# every layout, no allocation in a steady tick, every refusal, memory failures, slow
# consumers, iteration, beginnings and ends; the world under many threads; the fuzzer of
# commands. PHAROS_TEST_PERCENT in the environment says how much the seeded ones do.

pharos_unit_test(NAME unit_model SOURCES unit/test_model.c unit/test_model_events.c)
pharos_unit_test(NAME unit_commands SOURCES unit/test_commands.c)
pharos_unit_test(NAME unit_explain SOURCES unit/test_explain.c)
pharos_unit_test(NAME unit_verify SOURCES unit/test_verify.c)

pharos_plain_test(NAME diff_model SOURCES property/diff_model.c LABELS property TIMEOUT 900)
pharos_plain_test(NAME diff_layout SOURCES property/diff_layout.c LABELS property TIMEOUT 900)
pharos_plain_test(NAME diff_simd SOURCES property/diff_simd.c LABELS property TIMEOUT 600)
pharos_plain_test(NAME hash_seeds SOURCES property/hash_seeds.c LABELS property)
pharos_plain_test(NAME event_hash_run SOURCES property/event_hash_run.c LABELS property)
if(NOT PHAROS_SANITIZE STREQUAL "thread") # one thread, long runs
    pharos_plain_test(NAME harness_canary SOURCES property/harness_canary.c LABELS property)
    pharos_plain_test(NAME no_alloc SOURCES property/no_alloc.c LABELS property)
endif()
pharos_plain_test(NAME oom SOURCES property/oom.c LABELS property)
pharos_plain_test(NAME jump_in SOURCES property/jump_in.c LABELS property)
pharos_plain_test(NAME few_odd SOURCES property/few_odd.c LABELS property)
pharos_plain_test(NAME area_walk SOURCES property/area_walk.c LABELS property)
pharos_plain_test(NAME golden SOURCES property/golden.c LABELS property)
pharos_plain_test(NAME refusals SOURCES property/refusals.c LABELS property)
pharos_plain_test(NAME broadcast SOURCES property/broadcast.c LABELS property)
pharos_plain_test(NAME mounts SOURCES property/mounts.c LABELS property)
pharos_plain_test(NAME crowd SOURCES property/crowd.c LABELS property)
pharos_plain_test(NAME stats SOURCES property/stats.c LABELS property)
pharos_plain_test(NAME slow_consumer SOURCES property/slow_consumer.c LABELS property)
pharos_plain_test(NAME storms SOURCES property/storms.c LABELS property)
pharos_plain_test(NAME visit SOURCES property/visit.c LABELS property)
pharos_plain_test(NAME places SOURCES property/places.c LABELS property)
pharos_plain_test(NAME lifecycle SOURCES property/lifecycle.c LABELS property)

pharos_plain_test(NAME stress_world SOURCES concurrency/stress_world.c LABELS concurrency TIMEOUT 600)

pharos_fuzz_test(NAME fuzz_ops SOURCES fuzz/fuzz_ops.c CORPUS fuzz/corpus_ops MAX_LEN 2000)

# A sanitizer costs 5 to 25 times: less of the seeded scripts, the same of everything else.
if(PHAROS_SANITIZE STREQUAL "thread")
    set(percent 3)
elseif(PHAROS_SANITIZE)
    set(percent 6)
elseif(CMAKE_BUILD_TYPE STREQUAL "Debug" OR PHAROS_VALIDATE)
    set(percent 18)
else()
    set(percent 45)
endif()
foreach(name IN ITEMS harness_canary diff_model diff_layout diff_simd hash_seeds few_odd area_walk golden)
    if(TEST ${name})
        set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "PHAROS_TEST_PERCENT=${percent}")
    endif()
endforeach()
if(PHAROS_SANITIZE)
    set_property(TEST stress_world APPEND PROPERTY ENVIRONMENT "PHAROS_TEST_PERCENT=50")
endif()
pharos_plain_test(NAME exchange_rounds SOURCES property/exchange_rounds.c LABELS property)
pharos_plain_test(NAME stress_reload SOURCES concurrency/stress_reload.c LABELS concurrency TIMEOUT 600)
