# The project's own lint, and that it names what it should.
if(PHAROS_SANITIZE)
    return() # the same text in every build
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME lint COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/lint ${PROJECT_SOURCE_DIR})
add_test(NAME lint_self_test COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/lint --self-test)
set_tests_properties(lint lint_self_test PROPERTIES TIMEOUT 60 LABELS lint)
