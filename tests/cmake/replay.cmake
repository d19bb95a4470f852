# pharos-replay and the common code of the programs.
if(NOT PHAROS_BUILD_TOOLS)
    return()
endif()

pharos_fuzz_test(NAME fuzz_trace SOURCES fuzz/fuzz_trace.c CORPUS fuzz/corpus_trace DICT fuzz/trace.dict
    LIBS pharos_tools pharos_config MAX_LEN 4096)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
if(PHAROS_CLASSICAL_INDEXES) # it compares all indexes
    add_test(NAME program_replay
        COMMAND ${PHAROS_TEST_LAUNCHER} ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/programs/test_replay.py
                $<TARGET_FILE:pharos-replay>)
    pharos_test_properties(program_replay 300 "program")
endif()
