# Every option of the build, and combinations that are refused.

option(PHAROS_BUILD_CONFIG "Build pharos_config, the config file loader (needs libconfuse)" ${PROJECT_IS_TOP_LEVEL})
option(PHAROS_BUILD_TOOLS "Build the programs (need libconfuse and zlib)" ${PROJECT_IS_TOP_LEVEL})
option(PHAROS_BUILD_BENCH "Build the load bench" ${PROJECT_IS_TOP_LEVEL})
option(PHAROS_BUILD_TESTS "Build the tests (need Criterion)" ${PROJECT_IS_TOP_LEVEL})
option(PHAROS_BINDINGS "Build and test bindings of more languages, as far as their programs are installed" OFF)
option(PHAROS_INSTALL "Make the install rules" ${PROJECT_IS_TOP_LEVEL})
option(PHAROS_CLASSICAL_INDEXES "Build the classical indexes; OFF: index = lighthouse alone" ON)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

set(assert_default ON)
if(CMAKE_BUILD_TYPE MATCHES "^(Release|MinSizeRel)$")
    set(assert_default OFF)
endif()
option(PHAROS_ASSERT "Cheap assertions, in whatever build type" ${assert_default})
option(PHAROS_VALIDATE "Walk over whole structures and check them, every tick: slow" OFF)
option(PHAROS_STALLS "Hold threads up at random at marked places" OFF)
# Not with gcc's sanitizers: their additions to the code make false warnings (see gcc's manual, -fsanitize).
option(PHAROS_WERROR "Warnings are errors" OFF)
option(PHAROS_HARDEN "Fortified libc calls, stack protector, full RELRO" ON)
option(PHAROS_COVERAGE "Count executed lines (gcov)" OFF)
option(PHAROS_FUZZ "Instrument for libFuzzer and build the fuzzers with it (clang)" OFF)

set(PHAROS_SANITIZE "" CACHE STRING "\"\", \"address,undefined\" or \"thread\"")
set_property(CACHE PHAROS_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")

# jemalloc and a sanitizer each want to be malloc: ASan does not watch jemalloc's blocks.
set(tools_jemalloc_default ${PHAROS_BUILD_TOOLS})
if(PHAROS_SANITIZE)
    set(tools_jemalloc_default OFF)
endif()
option(PHAROS_JEMALLOC "The library's default allocator is jemalloc" OFF)
option(PHAROS_TOOLS_JEMALLOC "The programs run on jemalloc" ${tools_jemalloc_default})

if(PHAROS_SANITIZE AND (PHAROS_JEMALLOC OR PHAROS_TOOLS_JEMALLOC))
    message(FATAL_ERROR "jemalloc hides memory from the sanitizers: "
                        "PHAROS_SANITIZE needs -DPHAROS_JEMALLOC=OFF -DPHAROS_TOOLS_JEMALLOC=OFF")
endif()
if(NOT PHAROS_SANITIZE MATCHES "^(|address,undefined|thread)$")
    message(FATAL_ERROR "PHAROS_SANITIZE is \"${PHAROS_SANITIZE}\": "
                        "\"\", \"address,undefined\" or \"thread\" are known")
endif()
if(PHAROS_FUZZ AND NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "PHAROS_FUZZ needs clang: libFuzzer comes with it")
endif()
if(PHAROS_BUILD_BENCH AND NOT PHAROS_BUILD_TOOLS)
    message(FATAL_ERROR "the bench reads traces as the programs do: PHAROS_BUILD_BENCH needs PHAROS_BUILD_TOOLS")
endif()
if(PHAROS_BUILD_TOOLS AND NOT PHAROS_BUILD_CONFIG)
    message(FATAL_ERROR "the programs read config files: PHAROS_BUILD_TOOLS needs PHAROS_BUILD_CONFIG")
endif()
