# pharos-bench: every scenario, small and checked against brute force; no times.
if(NOT PHAROS_BUILD_BENCH)
    return()
endif()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME program_bench
    COMMAND ${PHAROS_TEST_LAUNCHER} ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/bench/smoke.py
            $<TARGET_FILE:pharos-bench> $<TARGET_FILE:pharos-replay>)
pharos_test_properties(program_bench 600 "program")
