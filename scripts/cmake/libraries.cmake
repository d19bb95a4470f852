# The libraries made of the layers.
#   pharos          shared, exports ph_* only                 pharos::pharos
#   pharos_static   the same objects in an archive             pharos::static
#   pharos_program  the archive of the programs: its default allocator is jemalloc, where built in
#   pharos_internal pharos_static plus the internal headers: for tests, which see every symbol

set(layer_objects
    $<TARGET_OBJECTS:pharos_base> $<TARGET_OBJECTS:pharos_shards> $<TARGET_OBJECTS:pharos_classical>
    $<TARGET_OBJECTS:pharos_world> $<TARGET_OBJECTS:pharos_api>)

# Before 1.0 a minor version may break the ABI.
set(PHAROS_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

function(pharos_library target type allocator)
    add_library(${target} ${type} ${layer_objects} $<TARGET_OBJECTS:pharos_mem_${allocator}>)
    target_include_directories(${target} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:pharos_options> PkgConfig::CK Threads::Threads m)
    if(allocator STREQUAL "jemalloc")
        target_link_libraries(${target} PRIVATE PkgConfig::JEMALLOC)
    endif()
    if(PHAROS_SANITIZE)
        target_link_options(${target} PUBLIC ${sanitizers}) # a program that links it needs their run time
    endif()
    if(type STREQUAL "STATIC")
        target_compile_definitions(${target} INTERFACE PHAROS_STATIC)
    endif()
endfunction()

set(library_allocator libc)
if(PHAROS_JEMALLOC)
    set(library_allocator jemalloc)
endif()
set(program_allocator ${library_allocator})
if(PHAROS_TOOLS_JEMALLOC)
    set(program_allocator jemalloc)
endif()

# pharos_symbol_version(<target> <node> <prefix>): exports the functions of a prefix alone, with a version.
function(pharos_symbol_version target node prefix)
    set(map ${PROJECT_BINARY_DIR}/${target}.map)
    configure_file(${PROJECT_SOURCE_DIR}/scripts/cmake/symbols.map.in ${map} @ONLY)
    target_link_options(${target} PRIVATE -Wl,--version-script=${map})
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${map})
endfunction()

pharos_library(pharos SHARED ${library_allocator})
set_target_properties(pharos PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PHAROS_SOVERSION})
pharos_symbol_version(pharos PHAROS_${PHAROS_SOVERSION} ph_)
add_library(pharos::pharos ALIAS pharos)

pharos_library(pharos_static STATIC ${library_allocator})
set_target_properties(pharos_static PROPERTIES OUTPUT_NAME pharos EXPORT_NAME static)
add_library(pharos::static ALIAS pharos_static)

pharos_library(pharos_program STATIC ${program_allocator})
set_target_properties(pharos_program PROPERTIES EXCLUDE_FROM_ALL ON)

add_library(pharos_internal INTERFACE)
target_include_directories(pharos_internal INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
target_link_libraries(pharos_internal INTERFACE pharos_static pharos_options Threads::Threads)
