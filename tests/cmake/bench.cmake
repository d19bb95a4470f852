# pharos-bench: every scenario, small and checked against brute force; no times.
if(NOT PHAROS_BUILD_BENCH)
    return()
endif()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
if(PHAROS_SANITIZE STREQUAL "thread") # of its own threads, the bench has those that submit alone
    add_test(NAME program_bench_producers
        COMMAND ${PHAROS_TEST_LAUNCHER} $<TARGET_FILE:pharos-bench> --scenario ingest --producers 1,4 --workers 2
                --shards 3x3 --set tower_size=25 --entities 240 --warmup 4 --ticks 12 --verify=1 --json -)
    pharos_test_properties(program_bench_producers 300 "program")
elseif(PHAROS_CLASSICAL_INDEXES) # it compares all indexes
    add_test(NAME program_bench
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/bench/smoke.py
                $<TARGET_FILE:pharos-bench> $<TARGET_FILE:pharos-replay>)
    pharos_test_properties(program_bench 600 "program")
endif()

if(NOT PHAROS_SANITIZE) # most of it on one thread, long runs; the library's rules run there in the diff tests
    # The baselines: small and checked against brute force, the same events as Pharos; no times.
    add_test(NAME program_bench_baselines
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/programs/test_bench_baselines.py
                $<TARGET_FILE:pharos-bench>)
    pharos_test_properties(program_bench_baselines 300 "program")

    # Features: small and checked against brute force; no times.
    add_test(NAME program_bench_features
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/programs/test_bench_features.py
                $<TARGET_FILE:pharos-bench>)
    pharos_test_properties(program_bench_features 600 "program")
endif()
pharos_plain_test(NAME bench_scan SOURCES programs/bench_scan.c ../bench/baselines/scan.c)
pharos_plain_test(NAME bench_samples
    SOURCES programs/bench_samples.c ../bench/samples.c ../bench/base/memory.c LIBS pharos_tools)
pharos_plain_test(NAME bench_pace SOURCES programs/bench_pace.c ../bench/pace.c LIBS pharos_tools)

add_test(NAME program_bench_compare
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/programs/test_bench_compare.py
            ${PROJECT_SOURCE_DIR}/scripts/bench_compare)
pharos_test_properties(program_bench_compare 60 "program")

if(PHAROS_SANITIZE STREQUAL "thread") # the rest has no threads of its own: long runs of the library's
    return()
endif()

if(PHAROS_BUILD_STORE)
    add_test(NAME program_bench_saving
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/programs/test_bench_saving.py
                $<TARGET_FILE:pharos-bench>)
    pharos_test_properties(program_bench_saving 120 "program")
endif()

if(PHAROS_BUILD_CLUSTER)
    add_test(NAME program_bench_federation
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/programs/test_bench_federation.py
                $<TARGET_FILE:pharos-bench>)
    pharos_test_properties(program_bench_federation 120 "program;cluster")
endif()

add_test(NAME program_bench_targets
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/programs/test_bench_targets.py
            ${PROJECT_SOURCE_DIR}/scripts/bench_targets $<TARGET_FILE:pharos-bench>)
pharos_test_properties(program_bench_targets 300 "program")

add_test(NAME program_inputs
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/programs/test_inputs.py
            $<TARGET_FILE:pharos-replay> $<TARGET_FILE:pharos-config> $<TARGET_FILE:pharos-bench>)
pharos_test_properties(program_inputs 600 "program")

if(PHAROS_CLASSICAL_INDEXES) # it tries all indexes
    add_test(NAME program_bench_advise
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/programs/test_bench_advise.py
                $<TARGET_FILE:pharos-bench> $<TARGET_FILE:pharos-config>
                ${CMAKE_CURRENT_SOURCE_DIR}/data/replay_small.csv)
    pharos_test_properties(program_bench_advise 300 "program")
endif()
