# Bindings: each plays traces, and every event is that of pharos-replay. A binding that needs a missing program is named
# and left out.

if(PHAROS_SANITIZE OR PHAROS_COVERAGE OR NOT TARGET pharos-replay OR NOT TARGET pharos_cpp)
    return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(compare Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/bindings/compare.py $<TARGET_FILE:pharos-replay>)

if(CMAKE_CXX_COMPILER)
    add_executable(binding_cpp bindings/play.cpp)
    set_target_properties(binding_cpp PROPERTIES CXX_STANDARD 17 CXX_EXTENSIONS OFF)
    target_link_libraries(binding_cpp PRIVATE pharos_cpp pharos_options)
    add_test(NAME binding_cpp COMMAND ${compare} $<TARGET_FILE:binding_cpp>)
    list(APPEND binding_tests binding_cpp)
endif()

if(TARGET bindings_api)
    # The sizes, offsets and values of pharos_api.json against the compiler's.
    if(TARGET pharos_store_shared)
        add_executable(binding_api ${PROJECT_BINARY_DIR}/src/bindings/api_check.c)
        add_dependencies(binding_api bindings_api)
        target_link_libraries(binding_api PRIVATE pharos_config_shared pharos_store_shared)
        add_test(NAME binding_api COMMAND binding_api)
        list(APPEND binding_tests binding_api)
    endif()

    find_program(BINDING_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH) # the one that Debian's packages are for
    set(python_missing TRUE)
    if(BINDING_PYTHON)
        execute_process(COMMAND ${BINDING_PYTHON} -c "import cffi, numpy" RESULT_VARIABLE python_missing ERROR_QUIET)
    endif()
    if(python_missing)
        message(STATUS "binding_python is left out: it needs python3-cffi and python3-numpy")
    else()
        add_test(NAME binding_python COMMAND ${compare} ${BINDING_PYTHON} -B
                 ${CMAKE_CURRENT_SOURCE_DIR}/bindings/play.py)
        set_tests_properties(binding_python PROPERTIES ENVIRONMENT
            "PYTHONPATH=${PROJECT_BINARY_DIR}/src/bindings/python;PHAROS_LIBRARY=$<TARGET_FILE:pharos>")
        list(APPEND binding_tests binding_python)
    endif()
endif()
if(binding_tests)
    set_tests_properties(${binding_tests} PROPERTIES TIMEOUT 120 LABELS binding)
endif()
