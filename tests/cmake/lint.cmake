# The project's own lint, with the scripts that it runs, and that each of them names each breach.
if(PHAROS_SANITIZE)
    return() # the same text in every build
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME lint COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/lint)
set_tests_properties(lint PROPERTIES TIMEOUT 300 LABELS lint)
foreach(script IN ITEMS lint circles mentions names senses words)
    add_test(NAME ${script}_self_test COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/${script} --self-test)
    set_tests_properties(${script}_self_test PROPERTIES TIMEOUT 300 LABELS lint)
endforeach()
# Does every bug of scripts/mutants still apply? To run them takes most of an hour, and is left to people.
add_test(NAME mutants_check COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/mutants --check)
add_test(NAME mutants_self_test COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/mutants --self-test)
set_tests_properties(mutants_check mutants_self_test PROPERTIES TIMEOUT 300 LABELS lint)
# clang-format 14 over all files; the script names another version, or none.
add_test(NAME format COMMAND ${PROJECT_SOURCE_DIR}/scripts/format --check)
add_test(NAME format_self_test COMMAND ${PROJECT_SOURCE_DIR}/scripts/format --self-test)
set_tests_properties(format format_self_test PROPERTIES TIMEOUT 300 LABELS lint)
# The picture of the README follows from its program.
add_test(NAME picture COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/docs/picture --check)
set_tests_properties(picture PROPERTIES TIMEOUT 60 LABELS lint)
