# Pages for users, installed with the pictures that they show. A link to another installed file leads to the place where
# that is installed; one to a file that stays in the source becomes text that says so. CMake alone rewrites them, by this
# file run with -P: an installation has the pages where Python is not.

# user_pages_map(OUT): SOURCE=INSTALLED, from the root of the tree, and from share/doc/pharos.
function(user_pages_map out)
    set(map README.md=README.md CHANGELOG.md=CHANGELOG.md LICENSE=LICENSE src/config/REFERENCE.md=REFERENCE.md
        src/bindings/README.md=bindings/README.md tests/examples/README.md=examples/README.md
        bench/plots/engines.svg=engines.svg)
    foreach(name IN ITEMS browser-arena cluster cluster-operation comparison determinism faq glossary integration limits
            monitor-frames packages performance recipes saving troubles tutorial upgrading viewing workloads)
        list(APPEND map docs/${name}.md=${name}.md)
    endforeach()
    foreach(name IN ITEMS browser-arena.png idea.svg viewing.png viewing.webp)
        list(APPEND map docs/${name}=${name})
    endforeach()
    foreach(language IN ITEMS cpp csharp go lua luajit python rust)
        list(APPEND map src/bindings/${language}/README.md=bindings/${language}/README.md)
    endforeach()
    set(${out} ${map} PARENT_SCOPE)
endfunction()

# user_pages_link(OUT PAGE FILE): the link from a page to a file, both from one root.
function(user_pages_link out page file)
    get_filename_component(folder "/${page}" DIRECTORY)
    file(RELATIVE_PATH link "${folder}" "/${file}")
    set(${out} "${link}" PARENT_SCOPE)
endfunction()

# user_pages_rewrite(OUT TEXT PAGE INSTALLED MAP): the text of a page, with the links of its new place.
function(user_pages_rewrite out text page installed map)
    set(mark "<<new>>") # before links that are rewritten: no page has this text
    foreach(entry IN LISTS map)
        string(REGEX REPLACE "=.*" "" source "${entry}")
        string(REGEX REPLACE ".*=" "" place "${entry}")
        user_pages_link(old "${page}" "${source}")
        user_pages_link(new "${installed}" "${place}")
        string(REPLACE "](${old})" "](${mark}${new})" text "${text}")
        string(REPLACE "](${old}#" "](${mark}${new}#" text "${text}")
    endforeach()
    # The others: a path with an ending, so that brackets of code are none.
    while(text MATCHES "\\[([^]`]*)\\]\\(([A-Za-z0-9_./-]+\\.[a-z]+)(#[^)]*)?\\)")
        set(link "${CMAKE_MATCH_0}")
        set(title "${CMAKE_MATCH_1}")
        get_filename_component(folder "/${page}" DIRECTORY)
        get_filename_component(source "${folder}/${CMAKE_MATCH_2}" ABSOLUTE BASE_DIR /)
        string(REGEX REPLACE "^/+" "" source "${source}")
        string(REPLACE "${link}" "${title} (`${source}` of the source)" text "${text}")
    endwhile()
    string(REPLACE "${mark}" "" text "${text}")
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE) # cmake -DROOT=... -DOUT=... -P user_pages.cmake
    user_pages_map(map)
    file(REMOVE_RECURSE ${OUT}) # a page that has left the map is not installed
    foreach(entry IN LISTS map)
        string(REGEX REPLACE "=.*" "" page "${entry}")
        string(REGEX REPLACE ".*=" "" installed "${entry}")
        if(page MATCHES "\\.md$")
            file(READ ${ROOT}/${page} text)
            user_pages_rewrite(text "${text}" "${page}" "${installed}" "${map}")
            file(WRITE ${OUT}/${installed} "${text}")
        else()
            configure_file(${ROOT}/${page} ${OUT}/${installed} COPYONLY)
        endif()
    endforeach()
    file(TOUCH ${OUT}.stamp)
    return()
endif()

user_pages_map(map)
list(TRANSFORM map REPLACE "=.*" "" OUTPUT_VARIABLE user_page_sources)
list(TRANSFORM user_page_sources PREPEND ${PROJECT_SOURCE_DIR}/)
set(user_pages ${PROJECT_BINARY_DIR}/user_pages)
add_custom_command(OUTPUT ${user_pages}.stamp
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DOUT=${user_pages} -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${user_page_sources} ${CMAKE_CURRENT_LIST_FILE}
    VERBATIM COMMENT "Pages for users, as they are installed")
add_custom_target(user_pages ALL DEPENDS ${user_pages}.stamp)
install(DIRECTORY ${user_pages}/ DESTINATION ${page_folder} COMPONENT dev)
