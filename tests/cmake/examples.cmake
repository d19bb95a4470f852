# The README's example: linked against the shared library as a host would, its output compared.
add_executable(example_hello examples/hello.c)
target_link_libraries(example_hello PRIVATE pharos)
add_test(NAME example_hello COMMAND example_hello)
set_tests_properties(example_hello PROPERTIES LABELS example TIMEOUT 60 PASS_REGULAR_EXPRESSION
    "^tick 1: [12] sees [12]\ntick 1: [12] sees [12]\ntick 2: [12] loses [12]\ntick 2: [12] loses [12]\n$"
    FAIL_REGULAR_EXPRESSION "runtime error;WARNING: ThreadSanitizer;ERROR: AddressSanitizer;LeakSanitizer")

# The README shows the example; what it shows has to be what runs.
add_test(NAME readme_example COMMAND ${CMAKE_COMMAND}
    -DREADME=${PROJECT_SOURCE_DIR}/README.md -DEXAMPLE=${CMAKE_CURRENT_SOURCE_DIR}/examples/hello.c
    -P ${CMAKE_CURRENT_SOURCE_DIR}/examples/compare.cmake)
set_tests_properties(readme_example PROPERTIES LABELS example TIMEOUT 60)
