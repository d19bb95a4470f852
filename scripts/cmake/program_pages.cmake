# Manual pages of the programs, and completions for bash and zsh, made by scripts/docs/program_man and
# scripts/docs/completions from what the programs print for --help. Without Python they are left out.

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
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
    message(STATUS "manual pages and completions of the programs are left out: they need python3")
    return()
endif()
set(docs ${PROJECT_SOURCE_DIR}/scripts/docs)
set(man ${PROJECT_BINARY_DIR}/man)
set(completions ${PROJECT_BINARY_DIR}/completions)
file(MAKE_DIRECTORY ${man} ${completions}/bash ${completions}/zsh)
foreach(program IN LISTS programs)
    set(name ${page_names})
    list(FILTER name INCLUDE REGEX "^${program}=")
    string(REGEX REPLACE "^[^=]*=" "" name "${name}")
    set(completion ${completions}/bash/${program} ${completions}/zsh/_${program})
    set(page ${man}/${program}.1.gz)
    add_custom_command(OUTPUT ${completion} ${page}
        COMMAND Python3::Interpreter ${docs}/completions $<TARGET_FILE:${program}> ${completion}
        COMMAND Python3::Interpreter ${docs}/program_man $<TARGET_FILE:${program}> ${name} ${page}
        DEPENDS ${program} ${docs}/completions ${docs}/program_man ${docs}/help_text.py ${docs}/roff.py
        VERBATIM COMMENT "Manual page and completions of ${program}")
    list(APPEND pages ${page})
    list(APPEND made ${page} ${completion})
endforeach()
add_custom_target(program_pages ALL DEPENDS ${made})
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
install(DIRECTORY ${completions}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
install(DIRECTORY ${completions}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT tools)
