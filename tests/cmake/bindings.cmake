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
    if(TARGET pharos_store_shared AND TARGET pharos_cluster_shared AND NATS_FOUND AND CURL_FOUND AND CJSON_FOUND)
        add_executable(binding_api ${PROJECT_BINARY_DIR}/src/bindings/api_check.c)
        add_dependencies(binding_api bindings_api)
        target_link_libraries(binding_api PRIVATE pharos_config_shared pharos_store_shared pharos_cluster_shared)
        add_test(NAME binding_api COMMAND binding_api)
        list(APPEND binding_tests binding_api)
    else()
        message(STATUS "binding_api is left out: it needs libpharos_store and libpharos_cluster with libnats, libcurl and cJSON")
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

# More languages, each with three tests: of its page, whose program is run; of traces; of its cost program, that has the
# events of the C program. The target binding_costs prints the times of all: the pages have them from there.
if(NOT PHAROS_BINDINGS OR NOT TARGET bindings_api)
    return()
endif()
add_executable(binding_cost_c bindings/cost.c)
target_link_libraries(binding_cost_c PRIVATE pharos pharos_options)
add_custom_target(bindings COMMENT "All that the tests of the bindings need")
add_dependencies(bindings pharos pharos-replay bindings_api binding_cost_c)
if(TARGET binding_api)
    add_dependencies(bindings binding_api)
endif()
if(TARGET binding_cpp)
    add_dependencies(bindings binding_cpp)
endif()

# pharos_binding_page(NAME PAGE FOLDER): programs NAME_hello and NAME_cost of FOLDER.
function(pharos_binding_page name page folder)
    add_test(NAME binding_${name}_page COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/pages
             ${PROJECT_SOURCE_DIR}/src/bindings/${page}/README.md --program ${name}_hello=${folder}/${name}_hello)
    add_test(NAME binding_${name}_cost COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/bindings/costs.py
             $<TARGET_FILE:binding_cost_c> ${folder}/${name}_cost)
    list(APPEND cost_programs ${folder}/${name}_cost)
    set(cost_programs ${cost_programs} PARENT_SCOPE)
    set_tests_properties(binding_${name}_page binding_${name}_cost PROPERTIES TIMEOUT 120 LABELS binding)
endfunction()

# The same, and NAME_play.
function(pharos_binding_tests name page folder)
    pharos_binding_page(${name} ${page} ${folder})
    set(cost_programs ${cost_programs} PARENT_SCOPE)
    add_test(NAME binding_${name} COMMAND ${compare} ${folder}/${name}_play)
    set_tests_properties(binding_${name} PROPERTIES TIMEOUT 120 LABELS binding)
endfunction()

# pharos_binding_calls(NAME COMMAND ...): a program that makes each call and gets each refusal.
function(pharos_binding_calls name)
    add_test(NAME binding_${name}_calls COMMAND ${ARGN})
    set_tests_properties(binding_${name}_calls PROPERTIES TIMEOUT 120 LABELS binding
        PASS_REGULAR_EXPRESSION "^each call is refused, [a-z, ]*or gives its result\n$")
endfunction()

# pharos_binding_script(NAME PROGRAM ENVIRONMENT COMMAND ...): a file that runs a script's command.
function(pharos_binding_script name environment)
    list(JOIN ARGN " " command)
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name} CONTENT "#!/bin/sh\n${environment} exec ${command}\n"
         FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

set(sources ${CMAKE_CURRENT_SOURCE_DIR}/bindings)
set(built ${PROJECT_BINARY_DIR}/src/bindings)

# The traces of these two are played in other builds, too: above.
if(TARGET binding_cpp)
    add_executable(binding_cpp_hello bindings/hello.cpp)
    add_executable(binding_cpp_cost bindings/cost.cpp)
    foreach(program IN ITEMS hello cost)
        set_target_properties(binding_cpp_${program} PROPERTIES CXX_STANDARD 17 CXX_EXTENSIONS OFF
                              OUTPUT_NAME cpp_${program})
        target_link_libraries(binding_cpp_${program} PRIVATE pharos_cpp pharos_options)
        add_dependencies(bindings binding_cpp_${program})
    endforeach()
    pharos_binding_page(cpp cpp $<TARGET_FILE_DIR:binding_cpp_hello>)
endif()
if(NOT python_missing)
    foreach(program IN ITEMS hello cost)
        pharos_binding_script(python_${program} "PYTHONPATH=${built}/python PHAROS_LIBRARY=$<TARGET_FILE:pharos>"
                              ${BINDING_PYTHON} -B ${sources}/${program}.py)
    endforeach()
    pharos_binding_page(python python ${CMAKE_CURRENT_BINARY_DIR})
endif()

# Programs of docs/recipes.md, one for each family of servers. The page is checked where all of them are there.
set(recipes)
if(CMAKE_CXX_COMPILER)
    add_executable(binding_recipe_core pages/recipe_core.cpp)
    set_target_properties(binding_recipe_core PROPERTIES CXX_STANDARD 17 CXX_EXTENSIONS OFF OUTPUT_NAME recipe_core)
    target_link_libraries(binding_recipe_core PRIVATE pharos_cpp pharos_options)
    add_dependencies(bindings binding_recipe_core)
    list(APPEND recipes recipe_core)
endif()

find_program(LUA54 lua5.4)
if(TARGET pharos_lua AND LUA54)
    foreach(program IN ITEMS hello play cost)
        pharos_binding_script(lua_${program} "LUA_CPATH=${built}/lua/?.so" ${LUA54} ${sources}/${program}.lua)
    endforeach()
    pharos_binding_tests(lua lua ${CMAKE_CURRENT_BINARY_DIR})
    pharos_binding_script(lua_calls "LUA_CPATH=${built}/lua/?.so" ${LUA54} ${sources}/calls.lua)
    pharos_binding_calls(lua ${CMAKE_CURRENT_BINARY_DIR}/lua_calls)
    pharos_binding_script(recipe_skynet "LUA_CPATH=${built}/lua/?.so" ${LUA54}
                          ${CMAKE_CURRENT_SOURCE_DIR}/pages/recipe_skynet.lua)
    list(APPEND recipes recipe_skynet)
    add_dependencies(bindings pharos_lua)
else()
    message(STATUS "binding_lua is left out: it needs lua5.4 and liblua5.4-dev")
endif()

find_program(LUAJIT luajit)
if(LUAJIT)
    foreach(program IN ITEMS hello play cost)
        pharos_binding_script(luajit_${program} "LUA_PATH=${built}/luajit/?.lua PHAROS_LIBRARY=$<TARGET_FILE:pharos>"
                              ${LUAJIT} ${sources}/${program}.lua)
    endforeach()
    pharos_binding_tests(luajit luajit ${CMAKE_CURRENT_BINARY_DIR})
else()
    message(STATUS "binding_luajit is left out: it needs luajit")
endif()

# Go: one folder of sources; each program of tests/bindings is a file of its own. GOPROXY=off: nothing is fetched.
find_program(GO go)
if(GO)
    set(go_environment CGO_CFLAGS=-I${PROJECT_SOURCE_DIR}/include GOFLAGS=-mod=mod GOPROXY=off
        "CGO_LDFLAGS=-L$<TARGET_FILE_DIR:pharos> -Wl,-rpath,$<TARGET_FILE_DIR:pharos>"
        GOCACHE=${CMAKE_CURRENT_BINARY_DIR}/go_cache)
    foreach(program IN ITEMS bindings/hello bindings/play bindings/cost bindings/calls pages/recipe_gateway)
        string(REGEX REPLACE "bindings/|pages/" "" name ${program})
        string(REGEX REPLACE "^(hello|play|cost|calls)$" "go_\\1" name ${name})
        set(out ${CMAKE_CURRENT_BINARY_DIR}/${name})
        set(source ${CMAKE_CURRENT_SOURCE_DIR}/${program}.go)
        add_custom_command(OUTPUT ${out}
            COMMAND ${CMAKE_COMMAND} -E env ${go_environment} ${GO} build -o ${out} ${source}
            DEPENDS pharos bindings_go ${built}/go/types.go ${source}
            WORKING_DIRECTORY ${built}/go VERBATIM COMMENT "Go: ${name}")
        list(APPEND go_programs ${out})
    endforeach()
    list(APPEND recipes recipe_gateway)
    add_custom_target(binding_go_programs DEPENDS ${go_programs})
    add_dependencies(bindings binding_go_programs)
    pharos_binding_tests(go go ${CMAKE_CURRENT_BINARY_DIR})
    pharos_binding_calls(go ${CMAKE_COMMAND} -E env GODEBUG=cgocheck=2 ${CMAKE_CURRENT_BINARY_DIR}/go_calls)
else()
    message(STATUS "binding_go is left out: it needs golang-go")
endif()

# Rust: the two crates, and the programs, by the compiler alone.
find_program(RUSTC rustc)
if(RUSTC)
    set(rust ${CMAKE_CURRENT_BINARY_DIR}/rust)
    file(MAKE_DIRECTORY ${rust})
    set(rustc ${RUSTC} -O --edition 2021 --out-dir ${rust} -L ${rust} -L native=$<TARGET_FILE_DIR:pharos>)
    set(crates ${built}/rust)
    add_custom_command(OUTPUT ${rust}/libpharos.rlib
        COMMAND ${rustc} -D warnings --crate-type rlib --crate-name pharos_sys ${crates}/pharos-sys/src/lib.rs
        COMMAND ${rustc} -D warnings --crate-type rlib --crate-name pharos
                --extern pharos_sys=${rust}/libpharos_sys.rlib ${crates}/pharos/src/lib.rs
        DEPENDS pharos bindings_rust ${crates}/pharos-sys/src/lib.rs
        VERBATIM COMMENT "Rust: the crates")
    foreach(program IN ITEMS hello play cost calls)
        add_custom_command(OUTPUT ${rust}/rust_${program}
            COMMAND ${rustc} --crate-name rust_${program} --extern pharos=${rust}/libpharos.rlib
                    -C link-arg=-Wl,-rpath,$<TARGET_FILE_DIR:pharos> ${sources}/${program}.rs
            DEPENDS ${rust}/libpharos.rlib ${sources}/${program}.rs
            VERBATIM COMMENT "Rust: ${program}")
        list(APPEND rust_programs ${rust}/rust_${program})
    endforeach()
    add_custom_target(binding_rust_programs DEPENDS ${rust_programs})
    add_dependencies(bindings binding_rust_programs)
    pharos_binding_tests(rust rust ${rust})
    pharos_binding_calls(rust ${rust}/rust_calls)
else()
    message(STATUS "binding_rust is left out: it needs rustc")
endif()

# C#: a library, and the programs, by Mono.
find_program(MCS mcs)
find_program(MONO mono)
if(MCS AND MONO)
    set(csharp ${CMAKE_CURRENT_BINARY_DIR}/csharp)
    file(MAKE_DIRECTORY ${csharp})
    set(mcs ${MCS} -unsafe -langversion:latest -optimize+ -warnaserror)
    set(code ${built}/csharp)
    add_custom_command(OUTPUT ${csharp}/Pharos.dll
        COMMAND ${mcs} -target:library -out:${csharp}/Pharos.dll ${code}/Native.cs ${code}/World.cs ${code}/Producer.cs
                ${code}/Consumer.cs
        DEPENDS bindings_csharp ${code}/Native.cs
        VERBATIM COMMENT "C#: Pharos.dll")
    foreach(program IN ITEMS bindings/hello bindings/play bindings/cost bindings/calls pages/recipe_server)
        string(REGEX REPLACE "bindings/|pages/" "" name ${program})
        string(REGEX REPLACE "^(hello|play|cost|calls)$" "csharp_\\1" name ${name})
        set(out ${csharp}/${name}.exe)
        set(source ${CMAKE_CURRENT_SOURCE_DIR}/${program}.cs)
        add_custom_command(OUTPUT ${out}
            COMMAND ${mcs} -r:${csharp}/Pharos.dll -out:${out} ${source}
            DEPENDS ${csharp}/Pharos.dll ${source}
            VERBATIM COMMENT "C#: ${name}")
        list(APPEND csharp_programs ${out})
        pharos_binding_script(${name} "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:pharos>" ${MONO} ${out})
    endforeach()
    list(APPEND recipes recipe_server)
    add_custom_target(binding_csharp_programs DEPENDS ${csharp_programs})
    add_dependencies(bindings binding_csharp_programs)
    pharos_binding_tests(csharp csharp ${CMAKE_CURRENT_BINARY_DIR})
    pharos_binding_calls(csharp ${CMAKE_CURRENT_BINARY_DIR}/csharp_calls)
else()
    message(STATUS "binding_csharp is left out: it needs mono-mcs and mono-runtime")
endif()

add_custom_target(binding_costs COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/bindings/costs.py --runs 40
                  $<TARGET_FILE:binding_cost_c> ${cost_programs} DEPENDS bindings VERBATIM USES_TERMINAL
                  COMMENT "Costs of the bindings, the least of 40 runs")

# Each binding once more, from an installation.
if(PHAROS_INSTALL AND CMAKE_CXX_COMPILER)
    foreach(target IN ITEMS pharos_static pharos_config pharos_config_shared pharos_store pharos_store_shared pharos_view
            pharos_view_shared pharos_cluster pharos_cluster_shared api_pages user_pages bindings_go bindings_rust bindings_csharp)
        if(TARGET ${target})
            add_dependencies(bindings ${target})
        endif()
    endforeach()
    add_test(NAME binding_installed COMMAND ${sources}/installed.sh ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}
             ${CMAKE_COMMAND} ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER} ${CMAKE_CURRENT_BINARY_DIR}/bindings_installed)
    set_tests_properties(binding_installed PROPERTIES TIMEOUT 300 LABELS binding)
endif()

list(LENGTH recipes count)
if(count EQUAL 4)
    list(TRANSFORM recipes REPLACE "(.+)" "--program;\\1=${CMAKE_CURRENT_BINARY_DIR}/\\1" OUTPUT_VARIABLE recipe_programs)
    add_test(NAME binding_recipes COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/pages
             ${PROJECT_SOURCE_DIR}/docs/recipes.md ${recipe_programs})
    set_tests_properties(binding_recipes PROPERTIES TIMEOUT 120 LABELS binding)
else()
    message(STATUS "binding_recipes is left out: it needs C++, Lua, Go and C#; here are ${recipes}")
endif()
