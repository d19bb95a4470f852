# cpack: Debian packages, one for each component, and one archive with everything. scripts/packaging/make builds them
# with the prefix that they need.

set(CPACK_PACKAGE_NAME pharos)
set(CPACK_PACKAGE_VENDOR "The Pharos authors")
set(CPACK_PACKAGE_CONTACT "The Pharos authors <maintainers@pharos.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "area-of-interest engine for game servers")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/src/config
    ${PROJECT_BINARY_DIR}/src/store ${PROJECT_BINARY_DIR}/src/view ${PROJECT_BINARY_DIR}/src/cluster)

set(exact "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(package_runtime libpharos${PHAROS_SOVERSION})
set(package_config libpharos-config${PHAROS_SOVERSION})
set(package_store libpharos-store${PHAROS_SOVERSION})
set(package_view libpharos-view${PHAROS_SOVERSION})
set(package_cluster libpharos-cluster${PHAROS_SOVERSION})
set(package_dev libpharos-dev)
set(package_tools libpharos-tools)
set(content_runtime "This package has the shared library.")
set(content_config "This package has the shared library that reads config files.")
set(content_store "This package has the shared library that keeps images of worlds in\nfiles.")
set(content_view "This package has the shared library that shows worlds in a browser.")
set(content_cluster "This package has the shared library that shares a world between\nseveral machines, over NATS and etcd.")
set(content_dev "This package has the headers, archives, examples, and files for\nCMake and pkg-config.")
set(content_tools "This package has pharos-replay, which runs a trace of commands;
pharos-config, which checks config files; pharos-store, which checks
images and journals of worlds; pharos-view, which shows a world in a
browser; pharos-node, which runs a node of a world over several
machines; pharos-cluster, which shows and changes such a world's nodes
and regions; and pharos-bench, which measures ticks.")
set(section_runtime libs)
set(section_config libs)
set(section_store libs)
set(section_view libs)
set(section_cluster libs)
set(section_dev libdevel)
set(section_tools utils)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${package_runtime} ${exact}")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "libck-dev, pkgconf")
set(suggested) # by a host that links one of the other archives: they are a hundred packages, and most hosts link none
if(PHAROS_BUILD_CONFIG)
    string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", ${package_config} ${exact}")
    list(APPEND suggested libconfuse-dev)
endif()
if(PHAROS_BUILD_STORE)
    string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", ${package_store} ${exact}")
    list(APPEND suggested libzstd-dev)
endif()
if(PHAROS_BUILD_VIEW)
    string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", ${package_view} ${exact}")
    list(APPEND suggested libwebsockets-dev)
endif()
if(PHAROS_BUILD_CLUSTER)
    string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", ${package_cluster} ${exact}")
    list(APPEND suggested libnats-dev "libcurl4-openssl-dev | libcurl4-dev" libcjson-dev)
endif()
list(JOIN suggested ", " CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS gnuplot-nox)

set(CPACK_COMPONENTS_ALL runtime dev)
if(PHAROS_BUILD_CONFIG)
    list(APPEND CPACK_COMPONENTS_ALL config)
endif()
if(PHAROS_BUILD_STORE)
    list(APPEND CPACK_COMPONENTS_ALL store)
endif()
if(PHAROS_BUILD_VIEW)
    list(APPEND CPACK_COMPONENTS_ALL view)
endif()
if(PHAROS_BUILD_CLUSTER)
    list(APPEND CPACK_COMPONENTS_ALL cluster)
endif()
if(programs)
    list(APPEND CPACK_COMPONENTS_ALL tools)
endif()

# Debian wants a copyright file and a changelog in each package.
set(papers ${PROJECT_BINARY_DIR}/packages)
configure_file(${PROJECT_SOURCE_DIR}/scripts/packaging/copyright.in ${papers}/copyright @ONLY)
string(TIMESTAMP date "%a, %d %b %Y 00:00:00 +0000" UTC)
configure_file(${PROJECT_SOURCE_DIR}/scripts/packaging/changelog.in ${papers}/changelog.Debian @ONLY)
execute_process(COMMAND gzip -9nkf ${papers}/changelog.Debian)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER ${component} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package_${component}})
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section_${component}})
    set(CPACK_COMPONENT_${upper}_DESCRIPTION
"Pharos tells each tick, for each observer of a game world, the
entities that came into view and the entities that left it. It carries
broadcasts and position updates to the observers that see their source.

${content_${component}}")
    install(FILES ${papers}/copyright ${papers}/changelog.Debian.gz
            DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package_${component}} COMPONENT ${component})
    install(FILES ${PROJECT_SOURCE_DIR}/scripts/packaging/lintian/${component} RENAME ${package_${component}}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT ${component})
endforeach()
# dpkg-shlibdeps passes over a library of the same build: these need libpharos.so.
foreach(component IN ITEMS CONFIG STORE VIEW CLUSTER)
    set(CPACK_DEBIAN_${component}_PACKAGE_DEPENDS "${package_runtime} ${exact}")
endforeach()
# scripts/packaging/symbols writes the version of each symbol, from the built libraries.
foreach(component IN ITEMS runtime config store view cluster)
    string(TOUPPER ${component} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${papers}/${component}/symbols
        ${PROJECT_SOURCE_DIR}/scripts/packaging/triggers)
endforeach()
include(CPack)
