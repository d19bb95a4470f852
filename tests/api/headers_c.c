/*
 * One public header alone, twice, as strict C: built once per header and standard (see
 * tests/cmake/api.cmake). That it compiles is the test.
 */
#include PHAROS_HEADER
#include PHAROS_HEADER

extern const int phx_headers_c_alone;
const int phx_headers_c_alone = 1;
