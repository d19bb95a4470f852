# The functions of vcpkg that the port calls, as far as a check without vcpkg needs them.
# usage: cmake -DPORT=FOLDER -DFEATURES=config;store -DBUILD=FOLDER -DCURRENT_PACKAGES_DIR=FOLDER -DJOBS=N -P vcpkg.cmake

cmake_minimum_required(VERSION 3.22)
function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${ARGV}:\n${output}")
    endif()
endfunction()

function(vcpkg_check_features)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" OUT_FEATURE_OPTIONS FEATURES)
    set(options)
    while(arg_FEATURES)
        list(POP_FRONT arg_FEATURES feature option)
        if(feature IN_LIST FEATURES)
            list(APPEND options -D${option}=ON)
        else()
            list(APPEND options -D${option}=OFF)
        endif()
    endwhile()
    set(${arg_OUT_FEATURE_OPTIONS} ${options} PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
    run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${BUILD} -DCMAKE_BUILD_TYPE=Release
        -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
    run(${CMAKE_COMMAND} --build ${BUILD} -j ${JOBS} --target install)
endfunction()

# As in vcpkg, the package files move to share/PACKAGE_NAME.
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "PACKAGE_NAME;CONFIG_PATH" "")
    set(out ${CURRENT_PACKAGES_DIR}/share/${arg_PACKAGE_NAME})
    file(COPY ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/ DESTINATION ${out})
    file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH})
    # From share/NAME the prefix is two folders up, not three.
    file(READ ${out}/${arg_PACKAGE_NAME}Config.cmake text)
    string(REPLACE "/../../../" "/../../" text "${text}")
    file(WRITE ${out}/${arg_PACKAGE_NAME}Config.cmake "${text}")
    file(READ ${out}/${arg_PACKAGE_NAME}Targets.cmake text)
    string(REPLACE "get_filename_component(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_FILE}\" PATH)\n"
           "set(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_FILE}\")\n" text "${text}")
    file(WRITE ${out}/${arg_PACKAGE_NAME}Targets.cmake "${text}")
endfunction()

function(vcpkg_fixup_pkgconfig)
    if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/lib/pkgconfig/pharos.pc)
        message(FATAL_ERROR "no file of pkg-config")
    endif()
endfunction()

function(vcpkg_install_copyright)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
    configure_file(${arg_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/pharos/copyright COPYONLY)
endfunction()

include(${PORT}/portfile.cmake)
