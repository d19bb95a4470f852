/*
 * Canary: a broken invariant. Where PHX_ASSERT is on it must end the program (see
 * tests/cmake/canary.cmake). The abort is made an ordinary failure, which ctest can invert.
 */
#include <signal.h>
#include <stdlib.h>

#include "base/core.h"

static void fail(int number)
{
    (void)number;
    _Exit(1);
}

int main(void)
{
    (void)signal(SIGABRT, fail);
    volatile int two = 2;
    PHX_ASSERT(two == 3);
    return 0;
}
