/*
 * Canary: a Criterion test with a failing assertion in .fini, which Criterion itself does not count. ctest must see it
 * (declared WILL_FAIL in tests/cmake/canary.cmake).
 */
#include <criterion/criterion.h>

static void tear_down(void)
{
    cr_assert(1 + 1 == 3);
}

Test(canary, fails_at_its_end, .fini = tear_down)
{
    cr_assert(1 + 1 == 2);
}
