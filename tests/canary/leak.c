/*
 * Canary: memory is lost inside a Criterion test, which passes all the same; ctest must
 * see LeakSanitizer's report. Built with PHAROS_SANITIZE=address,undefined only.
 */
#include <stdlib.h>

#include <criterion/criterion.h>

Test(canary, leaks)
{
    void *volatile lost = malloc(100);
    cr_assert_not_null(lost);
    lost = NULL;
}
