# browser_arena, a WebSocket server that a browser walks in: with clients of Python's standard library, and with chromium.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
pkg_check_modules(LIBWEBSOCKETS QUIET IMPORTED_TARGET libwebsockets)
if(NOT LIBWEBSOCKETS_FOUND)
    message(STATUS "browser_arena is left out: it needs libwebsockets-dev")
    return()
endif()

add_executable(example_browser_arena examples/browser_arena.c)
target_link_libraries(example_browser_arena PRIVATE pharos PkgConfig::LIBWEBSOCKETS)
set(arena_server ${CMAKE_CURRENT_SOURCE_DIR}/examples/browser_arena.html ${PHAROS_TEST_LAUNCHER}
    $<TARGET_FILE:example_browser_arena>)

add_test(NAME example_browser_arena
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/arena/test_arena.py ${arena_server})
pharos_test_properties(example_browser_arena 300 "example")

if(PHAROS_SANITIZE)
    return() # the server is the same, and the browser wants the machine
endif()
find_program(CHROMIUM chromium)
if(CHROMIUM)
    add_test(NAME browser_arena
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/arena/test_browser.py ${CHROMIUM} ${arena_server})
    pharos_test_properties(browser_arena 300 "browser")
else()
    add_test(NAME browser_arena COMMAND ${CMAKE_COMMAND} -E echo "browser_arena needs chromium")
    set_tests_properties(browser_arena PROPERTIES SKIP_REGULAR_EXPRESSION "needs chromium" LABELS browser)
endif()
