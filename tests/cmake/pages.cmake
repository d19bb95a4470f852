# Pages for users: each block of code that a page shows stands in a program that is built, or is run; each output is
# compared (scripts/pages). And the programs of the pages.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# pharos_page_program(NAME SOURCE): linked against the shared library, as a host would.
function(pharos_page_program name source)
    add_executable(example_${name} ${source})
    target_link_libraries(example_${name} PRIVATE pharos ${ARGN})
endfunction()

# pharos_page_test(NAME PROGRAM ...): docs/NAME.md, README.md, or that of examples or bindings, with programs of pages and of tools; none where a tool is
# not built.
function(pharos_page_test name)
    set(page ${PROJECT_SOURCE_DIR}/docs/${name}.md)
    if(name STREQUAL "README")
        set(page ${PROJECT_SOURCE_DIR}/README.md)
    elseif(name STREQUAL "examples")
        set(page ${CMAKE_CURRENT_SOURCE_DIR}/examples/README.md)
    elseif(name STREQUAL "bindings")
        set(page ${PROJECT_SOURCE_DIR}/src/bindings/README.md)
    endif()
    set(programs)
    foreach(program IN LISTS ARGN)
        set(target ${program})
        if(TARGET example_${program})
            set(target example_${program})
        elseif(NOT TARGET ${program})
            return()
        endif()
        list(APPEND programs --program ${program}=$<TARGET_FILE:${target}>)
    endforeach()
    add_test(NAME page_${name} COMMAND ${PHAROS_TEST_LAUNCHER} ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/pages
        ${page} ${programs})
    pharos_test_properties(page_${name} 120 "example")
endfunction()

add_test(NAME pages_self_test COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/pages --self-test)
set_tests_properties(pages_self_test PROPERTIES LABELS example TIMEOUT 60)

pharos_page_test(README hello)
pharos_page_test(examples)
pharos_page_test(bindings)

pharos_page_program(tutorial_1_meet examples/tutorial/1_meet.c)
pharos_page_program(tutorial_2_classes examples/tutorial/2_classes.c)
pharos_page_program(tutorial_3_clients examples/tutorial/3_clients.c)
pharos_page_program(tutorial_4_say examples/tutorial/4_say.c)
pharos_page_program(tutorial_5_positions examples/tutorial/5_positions.c)
pharos_page_program(tutorial_6_loop examples/tutorial/6_loop.c)
pharos_page_test(tutorial tutorial_1_meet tutorial_2_classes tutorial_3_clients tutorial_4_say tutorial_5_positions
    tutorial_6_loop)

if(NOT PHAROS_SANITIZE AND NOT PHAROS_COVERAGE) # a host's link line has no sanitizer
    add_test(NAME page_from_clone COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/pages/from_clone.sh ${PROJECT_SOURCE_DIR}
             ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR}/from_clone)
    set_tests_properties(page_from_clone PROPERTIES TIMEOUT 60 LABELS example)
endif()

foreach(page IN ITEMS benchmarks cluster cluster-operation comparison determinism faq glossary indexes limits packages performance upgrading workloads)
    pharos_page_test(${page})
endforeach()
pharos_page_test(saving pharos-config)

pharos_page_program(monitor_frames pages/monitor_frames.c)
pharos_page_test(monitor-frames monitor_frames)
if(PHAROS_BUILD_VIEW)
    pharos_page_program(viewing pages/viewing.c pharos_view_shared)
    add_test(NAME example_viewing COMMAND ${PHAROS_TEST_LAUNCHER} $<TARGET_FILE:example_viewing>)
    pharos_test_properties(example_viewing 60 "example")
    pharos_page_test(viewing)
endif()

pharos_page_program(troubles pages/troubles.c)
pharos_page_test(troubles troubles pharos-replay)

if(PHAROS_BUILD_CONFIG)
    add_executable(example_integration pages/integration.c)
    target_link_libraries(example_integration PRIVATE pharos_config pharos_static) # with assertions, config needs its panic
    pharos_page_test(integration integration)
endif()

pharos_page_test(browser-arena)

# An epoll server, and its scripted clients in a child process.
find_package(Threads REQUIRED)
add_executable(example_epoll_clients examples/epoll_clients.c)
pharos_page_program(epoll_server examples/epoll_server.c Threads::Threads)
add_test(NAME example_epoll_server
    COMMAND ${PHAROS_TEST_LAUNCHER} $<TARGET_FILE:example_epoll_server> $<TARGET_FILE:example_epoll_clients>)
pharos_test_properties(example_epoll_server 120 "example")
string(CONCAT epoll_output "^200 of 200 clients have the nine others of their group; most heard hello\n"
    "250 logins, slots used again; [1-9][0-9]* resends to slow clients\n$")
set_tests_properties(example_epoll_server PROPERTIES PASS_REGULAR_EXPRESSION "${epoll_output}")
