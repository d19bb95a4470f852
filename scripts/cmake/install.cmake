# Installed files, and the package files: find_package(pharos) and pkg-config.

if(NOT PHAROS_INSTALL)
    return()
endif()
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/pharos)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pharos DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(TARGETS pharos pharos_static EXPORT pharosTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(PHAROS_BUILD_CONFIG)
    install(TARGETS pharos_config_shared pharos_config EXPORT pharosTargets
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(FILES ${PROJECT_SOURCE_DIR}/src/config/pharos.conf DESTINATION ${CMAKE_INSTALL_DATADIR}/pharos)
endif()
foreach(program pharos-replay pharos-config pharos-bench)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
endforeach()

install(EXPORT pharosTargets NAMESPACE pharos:: DESTINATION ${package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/scripts/cmake/pharosConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/pharosConfig.cmake INSTALL_DESTINATION ${package_folder})
# Before 1.0 a minor version may break the API.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pharosConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pharosConfig.cmake ${PROJECT_BINARY_DIR}/pharosConfigVersion.cmake
        DESTINATION ${package_folder})

# The installed prefix is where the .pc file lies, so that a moved tree still works.
file(RELATIVE_PATH PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PC_PREFIX "${PC_PREFIX}")
set(PC_REQUIRES_PRIVATE ck)
if(PHAROS_JEMALLOC)
    string(APPEND PC_REQUIRES_PRIVATE ", jemalloc")
endif()
set(pc_files pharos.pc)
if(PHAROS_BUILD_CONFIG)
    list(APPEND pc_files pharos-config.pc)
endif()
foreach(pc IN LISTS pc_files)
    configure_file(${PROJECT_SOURCE_DIR}/scripts/cmake/${pc}.in ${PROJECT_BINARY_DIR}/${pc} @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${pc} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
