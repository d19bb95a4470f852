# Compiler and linker flags, as targets: pharos_options for everything that is compiled here.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()

include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

# PHAROS_ASSERT alone decides about NDEBUG, so take CMake's own away.
foreach(type DEBUG RELEASE RELWITHDEBINFO MINSIZEREL)
    string(REGEX REPLACE "(^| )-DNDEBUG" "" CMAKE_C_FLAGS_${type} "${CMAKE_C_FLAGS_${type}}")
    string(REGEX REPLACE "(^| )-DNDEBUG" "" CMAKE_CXX_FLAGS_${type} "${CMAKE_CXX_FLAGS_${type}}")
endforeach()

add_library(pharos_options INTERFACE)
target_compile_options(pharos_options INTERFACE
    -ffp-contract=off # every float operation rounded by itself: the same answer on every machine
    -falign-functions=64 # or a line here moves the loops of functions far off over others: 4 % of a crowd's tick
    -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
    -Wall -Wextra -Wshadow -Wconversion
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
    $<$<BOOL:${PHAROS_WERROR}>:-Werror>)
target_compile_definitions(pharos_options INTERFACE
    $<$<NOT:$<BOOL:${PHAROS_ASSERT}>>:NDEBUG>
    $<$<BOOL:${PHAROS_VALIDATE}>:PHX_VALIDATE_ON>
    $<$<BOOL:${PHAROS_STALLS}>:PHX_STALLS_ON>)
target_link_options(pharos_options INTERFACE -Wl,--as-needed)

if(PHAROS_SANITIZE STREQUAL "address,undefined")
    # float-cast-overflow: gcc does not count it among "undefined", and it is how NaN becomes a tower index.
    set(sanitizers -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all)
elseif(PHAROS_SANITIZE STREQUAL "thread")
    set(sanitizers -fsanitize=thread)
    target_compile_definitions(pharos_options INTERFACE PHX_TSAN)
endif()
if(PHAROS_SANITIZE)
    target_compile_options(pharos_options INTERFACE ${sanitizers} -fno-omit-frame-pointer -g1) # reports name lines
    target_link_options(pharos_options INTERFACE ${sanitizers})
    include(CheckLinkerFlag) # two hundred programs of tests, at a third of the processor time of ld
    check_linker_flag(C -fuse-ld=mold PHAROS_HAS_MOLD)
    target_link_options(pharos_options INTERFACE $<$<BOOL:${PHAROS_HAS_MOLD}>:-fuse-ld=mold>)
endif()
if(PHAROS_FUZZ)
    target_compile_options(pharos_options INTERFACE -fsanitize=fuzzer-no-link)
    target_compile_definitions(pharos_options INTERFACE FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
endif()
if(PHAROS_COVERAGE)
    target_link_options(pharos_options INTERFACE --coverage) # pharos_compile_as_library() compiles with it
endif()

# A target with the property PHAROS_UNOPTIMISED is compiled at -O0, in every build.
set(unoptimised $<BOOL:$<TARGET_PROPERTY:PHAROS_UNOPTIMISED>>)
target_compile_options(pharos_options INTERFACE $<${unoptimised}:-O0>)

if(PHAROS_HARDEN AND NOT PHAROS_SANITIZE)
    target_compile_options(pharos_options INTERFACE -fstack-protector-strong)
    # Fortified calls need optimisation: Debug has none.
    target_compile_options(pharos_options INTERFACE
        $<$<NOT:$<OR:$<CONFIG:Debug>,${unoptimised}>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
    target_link_options(pharos_options INTERFACE -Wl,-z,relro,-z,now)
endif()
