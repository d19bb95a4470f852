# pharos-replay and what the programs share.
if(NOT PHAROS_BUILD_TOOLS)
    return()
endif()

pharos_unit_test(NAME unit_trace SOURCES unit/test_trace.c LIBS pharos_tools)
if(TARGET unit_trace)
    target_link_options(unit_trace PRIVATE -Wl,--wrap=strtof,--wrap=strtof_l) # the test looks at the locale
endif()
pharos_unit_test(NAME unit_tools SOURCES unit/test_tools.c LIBS pharos_tools)
pharos_unit_test(NAME unit_replay SOURCES unit/test_replay.c LIBS pharos_tools)
pharos_fuzz_test(NAME fuzz_trace SOURCES fuzz/fuzz_trace.c CORPUS fuzz/corpus_trace DICT fuzz/trace.dict
    LIBS pharos_tools MAX_LEN 4096)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME program_replay
    COMMAND ${PHAROS_TEST_LAUNCHER} ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/programs/test_replay.py
            $<TARGET_FILE:pharos-replay>)
pharos_test_properties(program_replay 300 "program")
