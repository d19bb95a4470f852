# The site, by its one command: no warning of Doxygen, no dead link. Without its programs the test is there and skipped.
if(PHAROS_SANITIZE)
    return() # the same text in every build
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(docs ${PROJECT_SOURCE_DIR}/scripts/docs)

execute_process(COMMAND ${Python3_EXECUTABLE} ${docs}/site --needs OUTPUT_VARIABLE needed
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(needed)
    add_test(NAME docs_site COMMAND ${CMAKE_COMMAND} -E echo "docs_site needs ${needed}")
    set_tests_properties(docs_site PROPERTIES SKIP_REGULAR_EXPRESSION "needs")
else()
    add_test(NAME docs_site COMMAND ${Python3_EXECUTABLE} ${docs}/site ${PROJECT_BINARY_DIR}/site)
endif()
add_test(NAME docs_links_self_test COMMAND ${Python3_EXECUTABLE} ${docs}/links --self-test)
set_tests_properties(docs_site docs_links_self_test PROPERTIES TIMEOUT 120 LABELS docs)
