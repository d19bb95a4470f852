# pharos-view: its server with clients of Python's standard library; messages of pages; the page, by parts, rebuilt, and in
# chromium, with each layer of it, and with a million entities.
# The last four need node, chromium, and the packages of src/view/page/package.json (scripts/install_deps.sh --view).
if(NOT PHAROS_BUILD_VIEW OR NOT TARGET pharos-view)
    return()
endif()
add_custom_target(view_tests)
add_dependencies(view_tests pharos-view pharos-replay)
if(TARGET example_browser_arena) # its test with chromium runs in this leg
    add_dependencies(view_tests example_browser_arena)
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)

pharos_fuzz_test(NAME fuzz_view SOURCES fuzz/fuzz_view.c CORPUS fuzz/corpus_view LIBS pharos_view MAX_LEN 4200)
pharos_plain_test(NAME view_messages SOURCES view/messages.c LIBS pharos_view LABELS view)
pharos_plain_test(NAME view_spread SOURCES view/spread.c LIBS pharos_view LABELS view)
pharos_plain_test(NAME view_golden SOURCES view/golden.c LIBS pharos_view LABELS view
                  ARGS ${CMAKE_CURRENT_SOURCE_DIR}/view/golden.hex)
pharos_plain_test(NAME view_frame_bound SOURCES view/frame_bound.c LIBS pharos_view LABELS view)
pharos_plain_test(NAME view_images LABELS view LIBS pharos_tools pharos_config
                  SOURCES view/images.c ../src/tools/view_images.c ../src/tools/view_source.c)
target_compile_definitions(view_images PRIVATE _GNU_SOURCE) # open_memstream
add_dependencies(view_tests view_messages view_spread view_golden view_frame_bound view_images)
if(TARGET fuzz_view)
    add_dependencies(view_tests fuzz_view)
endif()
add_test(NAME view_server COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/view/test_server.py
         ${PHAROS_TEST_LAUNCHER} $<TARGET_FILE:pharos-view>)
pharos_test_properties(view_server 300 "view")
add_test(NAME view_trace COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/view/test_trace.py
         $<TARGET_FILE:pharos-replay> ${PHAROS_TEST_LAUNCHER} $<TARGET_FILE:pharos-view>)
pharos_test_properties(view_trace 300 "view")
add_executable(view_host view/host.c)
target_link_libraries(view_host PRIVATE pharos_options pharos_view pharos_static)
add_dependencies(view_tests view_host)
add_test(NAME view_connections COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/view/test_connections.py
         ${PHAROS_TEST_LAUNCHER} $<TARGET_FILE:view_host>)
pharos_test_properties(view_connections 120 "view")
if(PHAROS_SANITIZE)
    return() # the program is the same, and the browser wants the machine
endif()

set(PHAROS_VIEW_MODULES ${PROJECT_SOURCE_DIR}/build/view_modules/node_modules CACHE PATH "The npm packages of src/view/page")
find_program(NODE node)
find_program(CHROMIUM chromium)
if(NODE)
    foreach(test IN ITEMS frame spans numbers)
        add_test(NAME view_${test} COMMAND ${NODE} ${CMAKE_CURRENT_SOURCE_DIR}/view/${test}.mjs)
        pharos_test_properties(view_${test} 60 "view")
    endforeach()
endif()
foreach(test IN ITEMS page browser layers million)
    if(NODE AND CHROMIUM AND EXISTS ${PHAROS_VIEW_MODULES}/esbuild)
        add_test(NAME view_${test} COMMAND ${NODE} ${CMAKE_CURRENT_SOURCE_DIR}/view/${test}.mjs ${PHAROS_VIEW_MODULES}
                 ${CHROMIUM} $<TARGET_FILE:pharos-replay> $<TARGET_FILE:pharos-view>)
        pharos_test_properties(view_${test} 300 "view;browser")
        set_tests_properties(view_${test} PROPERTIES RUN_SERIAL TRUE) # chromium draws by the processor: it has it alone
    else()
        add_test(NAME view_${test} COMMAND ${CMAKE_COMMAND} -E echo "view_${test} needs node, chromium and npm packages")
        set_tests_properties(view_${test} PROPERTIES SKIP_REGULAR_EXPRESSION "needs node" LABELS "view;browser")
    endif()
endforeach()
