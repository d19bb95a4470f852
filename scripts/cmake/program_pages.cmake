# Manual pages of the programs, made by help2man from --help and --version, and completions for bash and zsh, which ask
# the program for its options. Without help2man the pages are left out.

set(page_names
    "pharos-replay=runs a trace of commands through a Pharos world and prints the events"
    "pharos-config=checks, shows and explains config files of Pharos"
    "pharos-store=shows, checks and cuts images and journals of Pharos worlds"
    "pharos-view=shows a Pharos world in a browser"
    "pharos-bench=loads Pharos with crowds and measures whole ticks")

find_program(HELP2MAN help2man)
foreach(program IN LISTS programs)
    install(FILES ${PROJECT_SOURCE_DIR}/src/tools/completions/pharos.bash RENAME ${program}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
    if(NOT HELP2MAN OR PHAROS_SANITIZE)
        continue()
    endif()
    set(name ${page_names})
    list(FILTER name INCLUDE REGEX "^${program}=")
    string(REGEX REPLACE "^[^=]*=" "" name "${name}")
    set(page ${PROJECT_BINARY_DIR}/man/${program}.1)
    add_custom_command(OUTPUT ${page}.gz
        COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
        COMMAND ${HELP2MAN} --no-info --section=1 "--name=${name}" --manual=Pharos --output=${page}
                $<TARGET_FILE:${program}>
        COMMAND gzip -9nf ${page}
        DEPENDS ${program} VERBATIM COMMENT "Manual page ${program}(1)")
    list(APPEND pages ${page}.gz)
endforeach()
if(programs)
    install(FILES ${PROJECT_SOURCE_DIR}/src/tools/completions/_pharos
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT tools)
endif()
if(pages)
    add_custom_target(program_pages ALL DEPENDS ${pages})
    install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
endif()
