# The public face: each header alone, the exports, and hosts built against the installed library.
include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
    set(CMAKE_CXX_STANDARD 17)
endif()

set(strict -pedantic-errors -Wall -Wextra -Wshadow -Wconversion -Werror)
foreach(header base types query save pharos monitor config store view cluster)
    foreach(standard 11 17)
        add_library(headers_c${standard}_${header} OBJECT api/headers_c.c)
        set_target_properties(headers_c${standard}_${header} PROPERTIES C_STANDARD ${standard} C_EXTENSIONS OFF)
        target_compile_options(headers_c${standard}_${header} PRIVATE ${strict} -Wstrict-prototypes)
    endforeach()
    set(targets headers_c11_${header} headers_c17_${header})
    if(CMAKE_CXX_COMPILER)
        add_library(headers_cpp_${header} OBJECT api/headers_cpp.cpp)
        set_target_properties(headers_cpp_${header} PROPERTIES CXX_STANDARD 17 CXX_EXTENSIONS OFF)
        target_compile_options(headers_cpp_${header} PRIVATE ${strict})
        list(APPEND targets headers_cpp_${header})
    endif()
    foreach(target IN LISTS targets)
        target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include)
        target_compile_definitions(${target} PRIVATE PHAROS_HEADER=<pharos/${header}.h>)
    endforeach()
endforeach()

# The sanitizers' additions to the exports and to a host's link line are not the library's.
if(NOT PHAROS_SANITIZE AND NOT PHAROS_COVERAGE)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(library_exports)
    if(PHAROS_BUILD_CONFIG)
        set(library_exports -- $<TARGET_FILE:pharos_config_shared> config.h)
    endif()
    if(PHAROS_BUILD_STORE)
        list(APPEND library_exports -- $<TARGET_FILE:pharos_store_shared> store.h)
    endif()
    if(PHAROS_BUILD_VIEW)
        list(APPEND library_exports -- $<TARGET_FILE:pharos_view_shared> view.h)
    endif()
    if(PHAROS_BUILD_CLUSTER AND NATS_FOUND AND CURL_FOUND AND CJSON_FOUND) # else without its ways to servers
        list(APPEND library_exports -- $<TARGET_FILE:pharos_cluster_shared> cluster.h)
    endif()
    add_test(NAME api_exports COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/api/exports.py
             ${CMAKE_NM} ${PROJECT_SOURCE_DIR}/include $<TARGET_FILE:pharos> base.h types.h query.h save.h pharos.h monitor.h ${library_exports})
    set_tests_properties(api_exports PROPERTIES TIMEOUT 60 LABELS api)
    # Each builds all of it once more: in the leg of the users' build, that is enough.
    if(CMAKE_CXX_COMPILER AND PHAROS_INSTALL AND PHAROS_BUILD_CONFIG AND NOT PHAROS_VALIDATE)
        add_test(NAME api_installed COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/api/installed.sh
                 ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND}
                 ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER} ${CMAKE_CURRENT_BINARY_DIR}/installed)
        add_test(NAME api_embedded COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/api/embedded.sh
                 ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND} ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER}
                 ${CMAKE_CURRENT_BINARY_DIR}/embedded)
        add_test(NAME api_amalgamation COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/api/amalgamation.sh
                 ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER} ${CMAKE_CURRENT_BINARY_DIR}/amalgamation
                 $<TARGET_FILE:example_hello> $<TARGET_FILE:example_instances>)
        set_tests_properties(api_installed api_embedded api_amalgamation PROPERTIES
                             TIMEOUT 300 LABELS api)
    endif()
endif()
