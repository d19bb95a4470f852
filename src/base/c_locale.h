/*
 * Numbers in text look the same under every locale and every rounding mode of the host. Between begin and end the
 * calling thread reads and writes them as the C locale does, in the default floating-point environment (all of it: see
 * float_env.h). Stateless; used by code that parses or prints numbers, outside of ticks.
 */
#ifndef PHX_BASE_C_LOCALE_H
#define PHX_BASE_C_LOCALE_H

#include <fenv.h>
#include <locale.h>

typedef struct phx_c_locale {
    locale_t own;    /* zero: could not be had, then nothing was changed */
    locale_t before; /* of this thread */
    fenv_t floats;   /* likewise */
} phx_c_locale;

static inline phx_c_locale phx_c_locale_begin(void)
{
    phx_c_locale scope = {.own = newlocale(LC_ALL_MASK, "C", (locale_t)0)};

    if (scope.own != (locale_t)0) {
        scope.before = uselocale(scope.own);
    }
    fegetenv(&scope.floats);
    fesetenv(FE_DFL_ENV);
    return scope;
}

static inline void phx_c_locale_end(phx_c_locale scope)
{
    fesetenv(&scope.floats);
    if (scope.own != (locale_t)0) {
        uselocale(scope.before);
        freelocale(scope.own);
    }
}

#endif
