# Manual pages of the programs, made by help2man from --help and --version, and completions for bash and zsh, made by
# scripts/docs/completions from --help. Without help2man the pages are left out, without Python the completions.

set(page_names
    "pharos-replay=runs a trace of commands through a Pharos world and prints the events"
    "pharos-config=checks, shows and explains config files of Pharos"
    "pharos-store=shows, checks and cuts images and journals of Pharos worlds"
    "pharos-view=shows a Pharos world in a browser"
    "pharos-node=runs a node of a Pharos world over several machines"
    "pharos-cluster=shows and changes the nodes and regions of a Pharos world over several machines"
    "pharos-bench=loads Pharos with crowds and measures whole ticks")

if(PHAROS_SANITIZE OR CMAKE_CROSSCOMPILING OR NOT programs)
    return() # the programs run in the build
endif()
find_program(HELP2MAN help2man)
find_package(Python3 COMPONENTS Interpreter)
set(man ${PROJECT_BINARY_DIR}/man)
set(completions ${PROJECT_BINARY_DIR}/completions)
set(writer ${PROJECT_SOURCE_DIR}/scripts/docs/completions)
file(MAKE_DIRECTORY ${man} ${completions}/bash ${completions}/zsh)
foreach(program IN LISTS programs)
    if(Python3_FOUND)
        set(written ${completions}/bash/${program} ${completions}/zsh/_${program})
        add_custom_command(OUTPUT ${written}
            COMMAND Python3::Interpreter ${writer} $<TARGET_FILE:${program}> ${written}
            DEPENDS ${program} ${writer} VERBATIM COMMENT "Completions of ${program}")
        list(APPEND pages ${written})
    endif()
    if(HELP2MAN)
        set(name ${page_names})
        list(FILTER name INCLUDE REGEX "^${program}=")
        string(REGEX REPLACE "^[^=]*=" "" name "${name}")
        set(page ${man}/${program}.1)
        add_custom_command(OUTPUT ${page}.gz
            COMMAND ${HELP2MAN} --no-info --section=1 "--name=${name}" --manual=Pharos --output=${page}
                    $<TARGET_FILE:${program}>
            COMMAND gzip -9nf ${page}
            DEPENDS ${program} VERBATIM COMMENT "Manual page ${program}(1)")
        list(APPEND pages ${page}.gz)
        list(APPEND man_pages ${page}.gz)
    endif()
endforeach()
if(pages)
    add_custom_target(program_pages ALL DEPENDS ${pages})
endif()
if(man_pages)
    install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
endif()
if(Python3_FOUND)
    install(DIRECTORY ${completions}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
            COMPONENT tools)
    install(DIRECTORY ${completions}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT tools)
endif()
