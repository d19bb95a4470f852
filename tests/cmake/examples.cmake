# The README's example: linked against the shared library as a host would, its output compared.
add_executable(example_hello examples/hello.c)
target_link_libraries(example_hello PRIVATE pharos)
add_test(NAME example_hello COMMAND example_hello)
set_tests_properties(example_hello PROPERTIES LABELS example TIMEOUT 60 PASS_REGULAR_EXPRESSION
    "^tick 1: [12] sees [12]\ntick 1: [12] sees [12]\ntick 2: [12] loses [12]\ntick 2: [12] loses [12]\n$"
    FAIL_REGULAR_EXPRESSION "runtime error;WARNING: ThreadSanitizer;ERROR: AddressSanitizer;LeakSanitizer")

# A server's loop with lists, broadcasts, bands and activation.
add_executable(example_game_loop examples/game_loop.c)
target_link_libraries(example_game_loop PRIVATE pharos)
add_test(NAME example_game_loop COMMAND example_game_loop)
string(CONCAT loop_output "^4: 101 awakes\n6: sees 101\n11: 101 calls: Who goes there\\?\n18: loses 101\n"
    "24: 102 awakes\n26: sees 102\n31: 102 calls: Who goes there\\?\n38: loses 102\n39: 101 falls asleep\n"
    "44: 103 awakes\n46: sees 103\n51: 103 calls: Who goes there\\?\n58: loses 103\n59: 102 falls asleep\n"
    "86 of 180 watchman-ticks simulated, [1-9][0-9]* positions told\n$")
set_tests_properties(example_game_loop PROPERTIES LABELS example TIMEOUT 60 PASS_REGULAR_EXPRESSION "${loop_output}"
    FAIL_REGULAR_EXPRESSION "runtime error;WARNING: ThreadSanitizer;ERROR: AddressSanitizer;LeakSanitizer")

if(NOT PHAROS_SANITIZE STREQUAL "thread") # one thread: the other builds find all that there is
    # A lobby, dungeon runs on one map, a boss seen from afar, loot for one player.
    add_executable(example_instances examples/instances.c)
    target_link_libraries(example_instances PRIVATE pharos)
    add_test(NAME example_instances COMMAND example_instances)
    string(CONCAT instances_output "^in the lobby: 2500 players, 1 instance\n"
        "in the dungeon: 500 instances, each player sees 4 players and a boss\n"
        "loot of one player in run 7: seen by 1\nloot of run 7: seen by 5\n"
        "a player with a pet leaves: run 7 loses 2, the pet is in instance 0\n"
        "around the start: 2500 in all instances, 5 in run 8\n"
        "back in the lobby: 1 instance\n$")
    set_tests_properties(example_instances PROPERTIES LABELS example TIMEOUT 60 PASS_REGULAR_EXPRESSION
        "${instances_output}"
        FAIL_REGULAR_EXPRESSION "runtime error;WARNING: ThreadSanitizer;ERROR: AddressSanitizer;LeakSanitizer")

    # Walls: the host checks lines of sight by its own map and hides pairs, in the tick in which they change.
    add_executable(example_line_of_sight examples/line_of_sight.c)
    target_link_libraries(example_line_of_sight PRIVATE pharos m)
    add_test(NAME example_line_of_sight COMMAND example_line_of_sight)
    set_tests_properties(example_line_of_sight PROPERTIES LABELS example TIMEOUT 60 PASS_REGULAR_EXPRESSION
        "^200 ticks, 64 players: each list is as the map says; thousands of lines changed\n$"
        FAIL_REGULAR_EXPRESSION "runtime error;WARNING: ThreadSanitizer;ERROR: AddressSanitizer;LeakSanitizer")

    # A server that is killed at random moments, and recovers from its store.
    if(PHAROS_BUILD_STORE)
        add_executable(example_killed_server examples/killed_server.c)
        target_link_libraries(example_killed_server PRIVATE pharos_store_shared pharos)
        add_test(NAME example_killed_server COMMAND example_killed_server)
        set_tests_properties(example_killed_server PROPERTIES LABELS example TIMEOUT 120 PASS_REGULAR_EXPRESSION
            "^400 ticks, the server was killed again and again: all lists were right after every tick\n$"
            FAIL_REGULAR_EXPRESSION "runtime error;WARNING: ThreadSanitizer;ERROR: AddressSanitizer;LeakSanitizer")
    endif()

    # Nodes of one world, of which one is killed and one is cut off; its state has to come through.
    if(PHAROS_BUILD_CLUSTER)
        add_executable(example_cluster_host examples/cluster_host.c)
        target_link_libraries(example_cluster_host PRIVATE pharos_cluster_shared pharos m)
        add_test(NAME example_cluster_host COMMAND example_cluster_host)
        add_dependencies(cluster_tests example_cluster_host)
        set_tests_properties(example_cluster_host PROPERTIES LABELS example TIMEOUT 120 PASS_REGULAR_EXPRESSION
            "seed 5: killed in tick [0-9]+, cut off in tick [0-9]+: [0-9]+ hand-overs, [0-9]+ heroes entered from rows, [0-9]+ taken back. each is there once, no saved gold is lost. boasts were heard [0-9]+ times\n$"
            FAIL_REGULAR_EXPRESSION "runtime error;WARNING: ThreadSanitizer;ERROR: AddressSanitizer;LeakSanitizer")
    endif()
endif()
