# Installed files, and the package files: find_package(pharos) and pkg-config.
#
# Components, each one Debian package (packages.cmake):
#   runtime  the shared library                config  the shared library of config files
#   store    the shared library of images in files
#   view     the shared library of worlds in a browser
#   cluster  the shared library of worlds over several machines
#   dev      headers, archives, package files, examples, the pages of the API
#   tools    the programs, their manual pages and completions

if(NOT PHAROS_INSTALL)
    return()
endif()
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/pharos)
set(page_folder ${CMAKE_INSTALL_DATADIR}/doc/pharos)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pharos DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
        FILES_MATCHING PATTERN "*.h")
install(TARGETS pharos pharos_static EXPORT pharosTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tests/examples/ DESTINATION ${page_folder}/examples COMPONENT dev
        FILES_MATCHING PATTERN "*.c" PATTERN "*.html")
foreach(recipe IN ITEMS recipe_core.cpp recipe_gateway.go recipe_server.cs recipe_skynet.lua)
    install(FILES ${PROJECT_SOURCE_DIR}/tests/pages/${recipe} DESTINATION ${page_folder}/examples/recipes COMPONENT dev)
endforeach()
include(user_pages)
if(PHAROS_BUILD_CONFIG)
    install(TARGETS pharos_config_shared pharos_config EXPORT pharosTargets
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT config NAMELINK_COMPONENT dev
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
    install(FILES ${PROJECT_SOURCE_DIR}/src/config/pharos.conf DESTINATION ${CMAKE_INSTALL_DATADIR}/pharos
            COMPONENT tools)
endif()
if(PHAROS_BUILD_VIEW)
    install(TARGETS pharos_view_shared pharos_view EXPORT pharosTargets
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT view NAMELINK_COMPONENT dev
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
endif()
if(PHAROS_BUILD_STORE)
    install(TARGETS pharos_store_shared pharos_store EXPORT pharosTargets
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT store NAMELINK_COMPONENT dev
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
endif()
if(PHAROS_BUILD_CLUSTER)
    install(TARGETS pharos_cluster_shared pharos_cluster EXPORT pharosTargets
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cluster NAMELINK_COMPONENT dev
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
endif()
foreach(program IN ITEMS pharos-replay pharos-config pharos-store pharos-bench pharos-view pharos-node pharos-cluster)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
        list(APPEND programs ${program})
    endif()
endforeach()
include(program_pages)
include(api_pages)

install(EXPORT pharosTargets NAMESPACE pharos:: DESTINATION ${package_folder} COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/scripts/cmake/pharosConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/pharosConfig.cmake INSTALL_DESTINATION ${package_folder})
# Before 1.0 a minor version may break the API.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pharosConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pharosConfig.cmake ${PROJECT_BINARY_DIR}/pharosConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT dev)

# The installed prefix is where the .pc file lies, so that a moved tree still works.
file(RELATIVE_PATH PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PC_PREFIX "${PC_PREFIX}")
# Libraries that a static link needs. Not Requires.private: pkg-config wants its packages and takes their flags for a
# shared link too, and ck's flags define __x86_64__.
set(PC_LIBS_PRIVATE "-lck -pthread -lm")
if(PHAROS_JEMALLOC)
    string(APPEND PC_LIBS_PRIVATE " -ljemalloc")
endif()
set(pc_files pharos.pc)
if(PHAROS_BUILD_CONFIG)
    list(APPEND pc_files pharos-config.pc)
endif()
if(PHAROS_BUILD_STORE)
    list(APPEND pc_files pharos-store.pc)
endif()
if(PHAROS_BUILD_VIEW)
    list(APPEND pc_files pharos-view.pc)
endif()
if(PHAROS_BUILD_CLUSTER)
    list(APPEND pc_files pharos-cluster.pc)
    set(PC_CLUSTER_LIBS_PRIVATE "-pthread -lm")
    if(NATS_FOUND)
        string(APPEND PC_CLUSTER_LIBS_PRIVATE " -lnats")
    endif()
    if(CURL_FOUND AND CJSON_FOUND)
        string(APPEND PC_CLUSTER_LIBS_PRIVATE " -lcurl -lcjson")
    endif()
endif()
foreach(pc IN LISTS pc_files)
    configure_file(${PROJECT_SOURCE_DIR}/scripts/cmake/${pc}.in ${PROJECT_BINARY_DIR}/${pc} @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${pc} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endforeach()

include(packages)
