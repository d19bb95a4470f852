/*
 * One public header alone, twice, as strict C++17: built once per header (see
 * tests/cmake/api.cmake). That it compiles is the test.
 */
#include PHAROS_HEADER
#include PHAROS_HEADER

extern const int phx_headers_cpp_alone;
const int phx_headers_cpp_alone = 1;
