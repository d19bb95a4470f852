# The README's example: linked against the shared library as a host would, its output compared.
add_executable(example_hello examples/hello.c)
target_link_libraries(example_hello PRIVATE pharos)
add_test(NAME example_hello COMMAND example_hello)
set_tests_properties(example_hello PROPERTIES LABELS example TIMEOUT 60 PASS_REGULAR_EXPRESSION
    "^tick 1: [12] sees [12]\ntick 1: [12] sees [12]\ntick 2: [12] loses [12]\ntick 2: [12] loses [12]\n$"
    FAIL_REGULAR_EXPRESSION "runtime error;WARNING: ThreadSanitizer;ERROR: AddressSanitizer;LeakSanitizer")

# The README shows the example: the shown text has to be the program that runs.
add_test(NAME readme_example COMMAND ${CMAKE_COMMAND}
    -DREADME=${PROJECT_SOURCE_DIR}/README.md -DEXAMPLE=${CMAKE_CURRENT_SOURCE_DIR}/examples/hello.c
    -P ${CMAKE_CURRENT_SOURCE_DIR}/examples/compare.cmake)
set_tests_properties(readme_example PROPERTIES LABELS example TIMEOUT 60)

# A server's loop with lists, broadcasts, bands and activation.
add_executable(example_game_loop examples/game_loop.c)
target_link_libraries(example_game_loop PRIVATE pharos)
add_test(NAME example_game_loop COMMAND example_game_loop)
string(CONCAT loop_output "^4: 101 awakes\n6: sees 101\n11: 101 calls: Who goes there\\?\n18: loses 101\n"
    "24: 102 awakes\n26: sees 102\n31: 102 calls: Who goes there\\?\n38: loses 102\n39: 101 falls asleep\n"
    "44: 103 awakes\n46: sees 103\n51: 103 calls: Who goes there\\?\n58: loses 103\n59: 102 falls asleep\n"
    "86 of 180 watchman-ticks simulated, [1-9][0-9]* positions told\n$")
set_tests_properties(example_game_loop PROPERTIES LABELS example TIMEOUT 60 PASS_REGULAR_EXPRESSION "${loop_output}"
    FAIL_REGULAR_EXPRESSION "runtime error;WARNING: ThreadSanitizer;ERROR: AddressSanitizer;LeakSanitizer")
