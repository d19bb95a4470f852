# The config library under threads and fuzzing, and pharos-config; its unit tests are in unit.cmake.

if(PHAROS_BUILD_CONFIG)
    pharos_plain_test(NAME config_threads SOURCES concurrency/config_threads.c LIBS pharos_config LABELS concurrency)
    pharos_fuzz_test(NAME fuzz_config SOURCES fuzz/fuzz_config.c CORPUS fuzz/corpus_config DICT fuzz/config.dict
                     MAX_LEN 2048 LIBS pharos_config)
endif()
if(TARGET pharos-config)
    pharos_plain_test(NAME config_tool SOURCES programs/config_tool.c LIBS pharos_tools ARGS $<TARGET_FILE:pharos-config>)
    add_dependencies(config_tool pharos-config)
endif()
