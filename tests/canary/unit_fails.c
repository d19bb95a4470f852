/* Canary: a Criterion test that fails. ctest must see it (declared WILL_FAIL in tests/cmake/canary.cmake). */
#include <criterion/criterion.h>

Test(canary, fails)
{
    cr_assert(1 + 1 == 3);
}
