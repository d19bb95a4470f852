# The layers of the library: one OBJECT library each, with a one-way include path.
#
# "base/mem.h", "shards/grid/grid.h", "world/state/world.h" are found through a folder of links per
# layer in the build tree, so that a layer that includes one above it does not compile.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(CK REQUIRED IMPORTED_TARGET ck)
if(PHAROS_JEMALLOC OR PHAROS_TOOLS_JEMALLOC)
    pkg_check_modules(JEMALLOC REQUIRED IMPORTED_TARGET jemalloc)
endif()

# pharos_link_folder(<out> <name> <folder>): an include path on which only <name>/ is seen.
function(pharos_link_folder out name folder)
    set(path ${PROJECT_BINARY_DIR}/include/${name})
    file(MAKE_DIRECTORY ${path})
    file(CREATE_LINK ${folder} ${path}/${name} SYMBOLIC)
    set(${out} ${path} PARENT_SCOPE)
endfunction()

# Compile options of every target of the library.
function(pharos_compile_as_library target)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_compile_definitions(${target} PRIVATE PHAROS_BUILDING)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition
                           -fmacro-prefix-map=${PROJECT_BINARY_DIR}/include/=)
    target_link_libraries(${target} PRIVATE pharos_options)
    if(PHAROS_COVERAGE) # tests are not counted
        target_compile_options(${target} PRIVATE --coverage -fprofile-update=atomic)
    endif()
endfunction()

# pharos_layer(<name> BELOW <layer>... SOURCES <file>...): the target pharos_<name>.
function(pharos_layer name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "BELOW;SOURCES")
    add_library(pharos_${name} OBJECT ${arg_SOURCES})
    pharos_compile_as_library(pharos_${name})
    pharos_link_folder(own ${name} ${CMAKE_CURRENT_SOURCE_DIR})
    target_include_directories(pharos_${name} PRIVATE ${own})
    foreach(layer IN LISTS arg_BELOW)
        target_include_directories(pharos_${name} PRIVATE ${PROJECT_BINARY_DIR}/include/${layer})
    endforeach()
    target_link_libraries(pharos_${name} PRIVATE Threads::Threads)
endfunction()
