# Canaries: seeded defects that must turn a test red, or that leg of the tests sees nothing.
# Each is declared twice: as any other test, inverted; and again, to see that it is the
# expected report that turned it red.

function(pharos_canary kind source report)
    cmake_path(GET source STEM name)
    set(test canary_${name})
    cmake_language(CALL pharos_${kind}_test NAME ${test} SOURCES ${source} LABELS canary TIMEOUT 60)
    set_tests_properties(${test} PROPERTIES WILL_FAIL ON)
    add_dependencies(fuzzers ${test})
    if(report)
        add_test(NAME ${test}_report COMMAND ${PHAROS_TEST_LAUNCHER} $<TARGET_FILE:${test}>)
        set_tests_properties(${test}_report PROPERTIES TIMEOUT 60 LABELS canary PASS_REGULAR_EXPRESSION "${report}"
                             ENVIRONMENT "${PHAROS_TEST_ENVIRONMENT}")
    endif()
endfunction()

pharos_canary(plain canary/plain_fails.c "")
if(NOT PHAROS_SANITIZE STREQUAL "thread")
    pharos_canary(unit canary/unit_fails.c "Failing: 1")
    pharos_canary(unit canary/fini_fails.c "Assertion Failed.*Failing: 0")
endif()
if(PHAROS_ASSERT)
    pharos_canary(plain canary/assert_fails.c "two == 3")
endif()
if(PHAROS_SANITIZE STREQUAL "address,undefined")
    pharos_canary(unit canary/leak.c "LeakSanitizer: detected memory leaks")
    pharos_canary(plain canary/overflow.c "ERROR: AddressSanitizer: heap-buffer-overflow")
    pharos_canary(plain canary/float_cast.c "runtime error: nan is outside the range")
elseif(PHAROS_SANITIZE STREQUAL "thread")
    pharos_canary(plain canary/data_race.c "WARNING: ThreadSanitizer: data race")
    pharos_canary(plain canary/ring_race.c "WARNING: ThreadSanitizer: data race")
    pharos_plain_test(NAME canary_ring_clean SOURCES canary/ring_race.c ARGS clean LABELS canary TIMEOUT 60)
endif()
