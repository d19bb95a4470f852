# The definition's checks, the config library and pharos-config.

pharos_unit_test(NAME unit_config_def SOURCES unit/test_config_def.c)

if(PHAROS_BUILD_CONFIG)
    set_source_files_properties(unit/test_config_write.c unit/test_config_memory.c PROPERTIES COMPILE_DEFINITIONS
        "CONFIG_SAMPLE=\"${PROJECT_SOURCE_DIR}/src/config/pharos.conf\";CONFIG_REFERENCE=\"${PROJECT_SOURCE_DIR}/src/config/REFERENCE.md\"")
    pharos_unit_test(NAME unit_config_keys SOURCES unit/test_config_keys.c LIBS pharos_config)
    pharos_unit_test(NAME unit_config_text SOURCES unit/test_config_text.c LIBS pharos_config)
    pharos_unit_test(NAME unit_config_set SOURCES unit/test_config_set.c LIBS pharos_config)
    pharos_unit_test(NAME unit_config_bands SOURCES unit/test_config_bands.c LIBS pharos_config)
    pharos_unit_test(NAME unit_config_write SOURCES unit/test_config_write.c LIBS pharos_config)
    pharos_unit_test(NAME unit_config_locale SOURCES unit/test_config_locale.c LIBS pharos_config)
    pharos_unit_test(NAME unit_config_memory SOURCES unit/test_config_memory.c LIBS pharos_config)
    if(TARGET unit_config_memory)
        target_link_options(unit_config_memory PRIVATE
            -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup) # the test refuses the n-th allocation
    endif()
    pharos_plain_test(NAME config_threads SOURCES concurrency/config_threads.c LIBS pharos_config LABELS concurrency)
    pharos_fuzz_test(NAME fuzz_config SOURCES fuzz/fuzz_config.c CORPUS fuzz/corpus_config DICT fuzz/config.dict
                     MAX_LEN 2048 LIBS pharos_config)
endif()
if(TARGET pharos-config)
    pharos_plain_test(NAME config_tool SOURCES programs/config_tool.c ARGS $<TARGET_FILE:pharos-config>)
    target_compile_definitions(config_tool PRIVATE PHX_VERSION_STRING="${PROJECT_VERSION}")
    add_dependencies(config_tool pharos-config)
endif()
