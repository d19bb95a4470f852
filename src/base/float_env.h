/*
 * The floating-point environment of the calling thread: how results are rounded, what becomes of denormal numbers,
 * which exceptions trap. It is the host's; all that computes here needs the default one, or results differ, or an
 * exception that the host unmasked ends the process. PHX_FLOAT_DEFAULT in a function: from there to its end the default
 * holds, then what was before, the sticky flags too. Every public call that computes has it, and every thread and task
 * body of the workers; no callback of the host runs inside but those of allocator, log and tasks. Stateless.
 *
 * Of x86 this is the SSE unit alone, whose state costs next to nothing; the library computes nothing by the x87 one.
 * Text functions of the C library look at both: c_locale.h has all of it, by fenv.h.
 */
#ifndef PHX_BASE_FLOAT_ENV_H
#define PHX_BASE_FLOAT_ENV_H

#include <stdint.h>

#if defined(__SSE2__)

#include <xmmintrin.h>

typedef struct phx_float_env {
    uint32_t csr;
} phx_float_env;

static inline phx_float_env phx_float_begin(void)
{
    const uint32_t sticky = 0x3f, normal = 0x1f80; /* to nearest, denormals as they are, all exceptions masked */
    phx_float_env before = {_mm_getcsr()};

    if ((before.csr & ~sticky) != normal) _mm_setcsr(normal | (before.csr & sticky));
    __asm__ volatile("" ::: "memory"); /* what is computed comes behind */
    return before;
}

static inline void phx_float_end(const phx_float_env *before)
{
    __asm__ volatile("" ::: "memory");
    if (_mm_getcsr() != before->csr) _mm_setcsr(before->csr);
}

#elif defined(__aarch64__)

typedef struct phx_float_env {
    uint64_t control, status;
} phx_float_env;

static inline phx_float_env phx_float_begin(void)
{
    const uint64_t normal = 0; /* to nearest, denormals as they are, no exception traps */
    phx_float_env before;

    __asm__ volatile("mrs %0, fpcr" : "=r"(before.control));
    __asm__ volatile("mrs %0, fpsr" : "=r"(before.status));
    if (before.control != normal) __asm__ volatile("msr fpcr, %0" ::"r"(normal) : "memory");
    __asm__ volatile("" ::: "memory"); /* what is computed comes behind */
    return before;
}

static inline void phx_float_end(const phx_float_env *before)
{
    uint64_t status;

    __asm__ volatile("mrs %0, fpsr" : "=r"(status)::"memory");
    if (status != before->status) __asm__ volatile("msr fpsr, %0" ::"r"(before->status) : "memory");
    if (before->control != 0) __asm__ volatile("msr fpcr, %0" ::"r"(before->control) : "memory");
}

#else

#include <fenv.h>

typedef struct phx_float_env {
    fenv_t env;
} phx_float_env;

static inline phx_float_env phx_float_begin(void)
{
    phx_float_env before;

    fegetenv(&before.env);
    fesetenv(FE_DFL_ENV);
    return before;
}

static inline void phx_float_end(const phx_float_env *before)
{
    fesetenv(&before->env);
}

#endif

#define PHX_FLOAT_DEFAULT \
    const phx_float_env phx_float_before __attribute__((cleanup(phx_float_end), unused)) = phx_float_begin()

#endif
