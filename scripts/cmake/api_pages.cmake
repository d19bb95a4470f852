# Manual pages of the API, from the public headers: pharos(7), and in section 3 a page for each header and a link for
# each function and type. Without Doxygen or Python the pages are left out.

find_program(DOXYGEN doxygen)
find_package(Python3 COMPONENTS Interpreter)
if(NOT DOXYGEN OR NOT Python3_FOUND)
    message(STATUS "manual pages of the API are left out: they need doxygen and python3")
    return()
endif()
set(docs ${PROJECT_SOURCE_DIR}/scripts/docs)
set(api_pages ${PROJECT_BINARY_DIR}/api_pages)
set(headers base.h types.h query.h save.h pharos.h monitor.h config.h store.h view.h cluster.h)
list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/include/pharos/)
add_custom_command(OUTPUT ${api_pages}/man7/pharos.7.gz
    COMMAND Python3::Interpreter ${docs}/man ${api_pages}
    DEPENDS ${headers} ${docs}/man ${docs}/roff.py ${docs}/doxygen.py ${docs}/Doxyfile ${docs}/api.md
    VERBATIM COMMENT "Manual pages of the API")
add_custom_target(api_pages ALL DEPENDS ${api_pages}/man7/pharos.7.gz)
install(DIRECTORY ${api_pages}/man3 ${api_pages}/man7 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT dev)
