# An overlay port for a checkout: vcpkg install pharos --overlay-ports=scripts/packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

# vcpkg has no port of it: pkg-config finds the system's.
message(WARNING "pharos needs concurrencykit from the system. Debian and Ubuntu: apt-get install libck-dev pkg-config")

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
    config PHAROS_BUILD_CONFIG
    store PHAROS_BUILD_STORE
    view PHAROS_BUILD_VIEW
    cluster PHAROS_BUILD_CLUSTER)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS ${features} -DPHAROS_BUILD_TOOLS=OFF -DPHAROS_BUILD_BENCH=OFF -DPHAROS_BUILD_TESTS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME pharos CONFIG_PATH lib/cmake/pharos)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
