# pharos-replay and the common code of the programs.
if(NOT PHAROS_BUILD_TOOLS)
    return()
endif()

pharos_fuzz_test(NAME fuzz_trace SOURCES fuzz/fuzz_trace.c CORPUS fuzz/corpus_trace DICT fuzz/trace.dict
    LIBS pharos_tools pharos_config MAX_LEN 4096)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(with_threads) # under the thread sanitizer: the tests that have several workers
if(PHAROS_SANITIZE STREQUAL "thread")
    set(with_threads test_random_traces test_every_column)
endif()
if(PHAROS_CLASSICAL_INDEXES) # it compares all indexes
    add_test(NAME program_replay
        COMMAND ${PHAROS_TEST_LAUNCHER} ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/programs/test_replay.py
                $<TARGET_FILE:pharos-replay> ${with_threads})
    pharos_test_properties(program_replay 300 "program")
endif()
