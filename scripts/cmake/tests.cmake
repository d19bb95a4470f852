# How tests are declared.
#
#   pharos_unit_test(NAME <n> SOURCES <files> [LIBS ...] [LABELS ...] [TIMEOUT s] [JEMALLOC])
#       Criterion. Not built under TSan, where Criterion does not run. Compiled without optimisation: its macros make up
#       most of the code, whose optimising took a third of the build of all, and what it tests is in the library.
#   pharos_plain_test(NAME <n> SOURCES <files> [LIBS ...] [ARGS ...] [LABELS ...] [TIMEOUT s] [JEMALLOC])
#       A program with its own main; exit status 0 = passed.
#   pharos_fuzz_test(NAME <n> SOURCES <files> CORPUS <dir> [DICT <file>] [LIBS ...] [MAX_LEN n])
#       LLVMFuzzerTestOneInput. With PHAROS_FUZZ a bounded libFuzzer run; else the corpus is run once.
#   pharos_test_objects(<n> SOURCES <files> [LIBS ...])
#       Sources of several programs, compiled once: <n> is one of LIBS of each.
#
# Files are relative to tests/. All link pharos_internal (or, with JEMALLOC, the programs'
# archive, and are left out where that has no jemalloc) and pharos_test_support.

# All legs together are meant to take less than 45 minutes on two slow cores; scripts/soak.sh goes on for longer. A
# sanitizer makes everything 5 (address) to 25 times (thread) slower: less of the seeded tests. Coverage is a figure to
# be read, and reaches the same branches with few seeds.
set(percent 40)
if(PHAROS_SANITIZE STREQUAL "thread" OR PHAROS_COVERAGE)
    set(percent 3)
elseif(PHAROS_SANITIZE)
    set(percent 4)
elseif(PHAROS_VALIDATE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(percent 15)
endif()
set(PHAROS_TEST_PERCENT ${percent} CACHE STRING "How much the tests do, in percent of a release build's amount")
set(PHAROS_FUZZ_RUNS 12000 CACHE STRING "Inputs per bounded fuzz run")
set(PHAROS_FUZZ_SECONDS 40 CACHE STRING "Seconds that a bounded fuzz run may take")

if(NOT PHAROS_SANITIZE STREQUAL "thread")
    pkg_check_modules(CRITERION REQUIRED IMPORTED_TARGET criterion)
endif()

# Criterion does not look at a test's exit status, and so not at reports of LSan or UBSan; nor does it count an
# assertion that fails in a .fini.
set(PHAROS_FAIL_REGEX
    "LeakSanitizer|runtime error|WARNING: ThreadSanitizer|ERROR: AddressSanitizer|Assertion Failed")
set(PHAROS_TEST_ENVIRONMENT
    "ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1"
    "UBSAN_OPTIONS=print_stacktrace=1"
    "TSAN_OPTIONS=halt_on_error=1:history_size=7:second_deadlock_stack=1"
    "PHAROS_TEST_PERCENT=${PHAROS_TEST_PERCENT}")
if(PHAROS_SANITIZE STREQUAL "thread") # of several tests the parts alone that have several threads
    list(APPEND PHAROS_TEST_ENVIRONMENT "PHAROS_TEST_THREADS=alone")
endif()

# TSan of gcc 12 and clang 14 stops at start where the kernel spreads mappings widely.
set(PHAROS_TEST_LAUNCHER)
if(PHAROS_SANITIZE STREQUAL "thread")
    find_program(SETARCH setarch)
    if(SETARCH)
        execute_process(COMMAND ${SETARCH} -R true RESULT_VARIABLE setarch_failed OUTPUT_QUIET ERROR_QUIET)
        if(NOT setarch_failed)
            set(PHAROS_TEST_LAUNCHER ${SETARCH} -R)
        endif()
    endif()
endif()

add_custom_target(fuzzers COMMENT "All that a run of the fuzzers needs")

function(pharos_test_sources out)
    set(sources)
    foreach(source IN LISTS ARGN)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests)
        list(APPEND sources ${source})
    endforeach()
    set(${out} ${sources} PARENT_SCOPE)
endfunction()

function(pharos_test_objects name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
    pharos_test_sources(sources ${arg_SOURCES})
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${sources}) # not where none of its programs is built
    target_link_libraries(${name} PRIVATE pharos_test_support ${arg_LIBS} pharos_internal)
endfunction()

function(pharos_test_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "JEMALLOC" "" "SOURCES;LIBS")
    pharos_test_sources(sources ${arg_SOURCES})
    add_executable(${name} ${sources})
    if(arg_JEMALLOC)
        target_link_libraries(${name} PRIVATE pharos_program) # first: it wins over pharos_static
    endif()
    target_link_libraries(${name} PRIVATE pharos_test_support ${arg_LIBS} pharos_internal)
endfunction()

# The timeout is that of a release build, where the test has the machine for itself.
function(pharos_test_properties name timeout labels)
    if(PHAROS_SANITIZE STREQUAL "thread")
        math(EXPR timeout "4 * ${timeout}")
    elseif(PHAROS_SANITIZE OR PHAROS_VALIDATE OR PHAROS_COVERAGE)
        math(EXPR timeout "2 * ${timeout}")
    endif()
    set_tests_properties(${name} PROPERTIES
        TIMEOUT ${timeout}
        LABELS "${labels}"
        FAIL_REGULAR_EXPRESSION "${PHAROS_FAIL_REGEX}"
        ENVIRONMENT "${PHAROS_TEST_ENVIRONMENT}")
endfunction()

function(pharos_unit_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "JEMALLOC" "NAME;TIMEOUT" "SOURCES;LIBS;LABELS")
    if(PHAROS_SANITIZE STREQUAL "thread" OR (arg_JEMALLOC AND NOT PHAROS_TOOLS_JEMALLOC))
        return()
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    set(jemalloc)
    if(arg_JEMALLOC)
        set(jemalloc JEMALLOC)
    endif()
    pharos_test_program(${arg_NAME} ${jemalloc} SOURCES ${arg_SOURCES} LIBS ${arg_LIBS} PkgConfig::CRITERION)
    set_target_properties(${arg_NAME} PROPERTIES PHAROS_UNOPTIMISED ON)
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME})
    pharos_test_properties(${arg_NAME} ${arg_TIMEOUT} "unit;${arg_LABELS}")
endfunction()

function(pharos_plain_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "JEMALLOC" "NAME;TIMEOUT" "SOURCES;LIBS;ARGS;LABELS")
    if(arg_JEMALLOC AND NOT PHAROS_TOOLS_JEMALLOC)
        return()
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    set(jemalloc)
    if(arg_JEMALLOC)
        set(jemalloc JEMALLOC)
    endif()
    pharos_test_program(${arg_NAME} ${jemalloc} SOURCES ${arg_SOURCES} LIBS ${arg_LIBS})
    add_test(NAME ${arg_NAME} COMMAND ${PHAROS_TEST_LAUNCHER} $<TARGET_FILE:${arg_NAME}> ${arg_ARGS})
    pharos_test_properties(${arg_NAME} ${arg_TIMEOUT} "plain;${arg_LABELS}")
endfunction()

function(pharos_fuzz_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;CORPUS;DICT;MAX_LEN" "SOURCES;LIBS")
    if(PHAROS_SANITIZE STREQUAL "thread")
        return() # one thread: nothing to be found that the other builds do not find
    endif()
    cmake_path(ABSOLUTE_PATH arg_CORPUS BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE corpus)
    if(NOT PHAROS_FUZZ)
        if(NOT TARGET pharos_run_corpus)
            pharos_test_objects(pharos_run_corpus SOURCES fuzz/run_corpus.c)
        endif()
        pharos_test_program(${arg_NAME} SOURCES ${arg_SOURCES} LIBS pharos_run_corpus ${arg_LIBS})
        add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} ${corpus})
        pharos_test_properties(${arg_NAME} 120 "fuzz")
        return()
    endif()
    set(flags -runs=${PHAROS_FUZZ_RUNS} -max_total_time=${PHAROS_FUZZ_SECONDS} -timeout=10 -rss_limit_mb=2048
              -print_final_stats=1 -artifact_prefix=${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}.)
    if(arg_DICT)
        cmake_path(ABSOLUTE_PATH arg_DICT BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE dict)
        list(APPEND flags -dict=${dict})
    endif()
    if(arg_MAX_LEN)
        list(APPEND flags -max_len=${arg_MAX_LEN})
    endif()
    set(found ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}.found) # new inputs go here, not into the source tree
    file(MAKE_DIRECTORY ${found})
    pharos_test_program(${arg_NAME} SOURCES ${arg_SOURCES} LIBS ${arg_LIBS})
    target_link_options(${arg_NAME} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${arg_NAME})
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} ${flags} ${found} ${corpus})
    math(EXPR timeout "${PHAROS_FUZZ_SECONDS} + 60")
    pharos_test_properties(${arg_NAME} ${timeout} "fuzz")
endfunction()
