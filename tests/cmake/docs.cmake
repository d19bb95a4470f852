# The site and the manual pages of the API, each by its one command: no warning of Doxygen, no dead link, no fault that
# mandoc or man names. A test that lacks a program is there, and skipped.
if(PHAROS_SANITIZE)
    return() # the same text in every build
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(docs ${PROJECT_SOURCE_DIR}/scripts/docs)

# docs_test(NAME PROGRAM ARGUMENT ...): the program names missing programs by --needs.
function(docs_test name program)
    execute_process(COMMAND ${Python3_EXECUTABLE} ${program} --needs OUTPUT_VARIABLE needed
                    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    if(needed)
        add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "${name} needs ${needed}")
        set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "needs")
    else()
        add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${program} ${ARGN})
    endif()
    set_tests_properties(${name} PROPERTIES TIMEOUT 120 LABELS docs)
endfunction()

docs_test(docs_site ${docs}/site ${PROJECT_BINARY_DIR}/site)
if(TARGET api_pages)
    docs_test(docs_man ${docs}/man --check ${PROJECT_BINARY_DIR}/api_pages)
endif()
if(TARGET program_pages)
    add_test(NAME docs_completions COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/programs/test_completions.py
             ${PROJECT_BINARY_DIR}/completions ${programs})
    list(TRANSFORM programs REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE program_files)
    add_test(NAME docs_help COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/programs/test_help.py ${program_files})
    set_tests_properties(docs_completions docs_help PROPERTIES TIMEOUT 300 LABELS docs)
endif()
find_program(MANDOC mandoc)
if(TARGET program_pages AND MANDOC)
    add_test(NAME docs_program_man COMMAND sh -c
             "for page in man/*.1.gz; do echo $page; gunzip -c $page | ${MANDOC} -Tlint -W warning || exit 1; done"
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
    set_tests_properties(docs_program_man PROPERTIES TIMEOUT 60 LABELS docs)
endif()
add_test(NAME docs_links_self_test COMMAND ${Python3_EXECUTABLE} ${docs}/links --self-test)
set_tests_properties(docs_links_self_test PROPERTIES TIMEOUT 60 LABELS docs)
