# The store of images, on the real disk and on one with faults.
if(PHAROS_BUILD_STORE)
    add_library(pharos_fault_disk STATIC support/damaged_file.c support/fault_disk.c support/journal_history.c)
    target_link_libraries(pharos_fault_disk PUBLIC pharos_test_support)
    pharos_plain_test(NAME store_images SOURCES property/store_images.c LIBS pharos_fault_disk pharos_store
                      LABELS property)
    pharos_plain_test(NAME store_journal SOURCES property/store_journal.c LIBS pharos_fault_disk pharos_store
                      LABELS property)
    pharos_plain_test(NAME store_full SOURCES property/store_full.c LIBS pharos_fault_disk pharos_store
                      LABELS property)
    set_tests_properties(store_full PROPERTIES SKIP_REGULAR_EXPRESSION "store_full: skipped")
    if(NOT PHAROS_SANITIZE) # a sanitizer's calls are not these
        pharos_plain_test(NAME store_no_alloc SOURCES property/store_no_alloc.c LIBS pharos_test_support pharos_store
                          LABELS property)
        foreach(call malloc calloc realloc aligned_alloc)
            target_link_options(store_no_alloc PRIVATE -Wl,--wrap=${call}) # the test counts them
        endforeach()
    endif()
    pharos_plain_test(NAME stress_store SOURCES concurrency/stress_store.c LIBS pharos_store LABELS concurrency)
    pharos_unit_test(NAME unit_store SOURCES unit/store/test_folder.c unit/store/test_ring.c LIBS pharos_store)
    pharos_plain_test(NAME store_follow SOURCES property/store_follow.c LIBS pharos_test_support pharos_store
                      LABELS property)
    pharos_fuzz_test(NAME fuzz_store SOURCES fuzz/fuzz_store.c CORPUS fuzz/corpus_store MAX_LEN 16384
                     LIBS pharos_store)
    if(TARGET pharos-store)
        pharos_plain_test(NAME store_tool SOURCES programs/store_tool.c ARGS $<TARGET_FILE:pharos-store>
                          LIBS pharos_store LABELS program)
        add_dependencies(store_tool pharos-store)
        set(with_threads) # under the thread sanitizer: the tests that have several workers, or a writer that meets the ticks
        if(PHAROS_SANITIZE STREQUAL "thread")
            set(with_threads test_recorded_trace test_follow test_record_fails)
        endif()
        if(PHAROS_CLASSICAL_INDEXES) # one of its layouts
            add_test(NAME program_replay_store
                COMMAND ${PHAROS_TEST_LAUNCHER} ${Python3_EXECUTABLE}
                        ${CMAKE_CURRENT_SOURCE_DIR}/programs/test_replay_store.py $<TARGET_FILE:pharos-replay> ${with_threads})
            pharos_test_properties(program_replay_store 300 "program")
        endif()
    endif()
endif()
