/*
 * The floating-point environment of the calling thread: the rounding of results, the handling of denormal numbers, and
 * the exceptions that trap. It belongs to the host. The library computes in the default one only: in another one
 * results differ, or an exception that the host unmasked ends the process. PHX_FLOAT_DEFAULT in a function sets the
 * default from there to the function's end, then restores the host's, the sticky flags too. Every public call that
 * computes has it, and every thread and task body of the workers; inside, only the host's callbacks of allocator, log
 * and tasks run. Stateless.
 *
 * On x86 this covers the SSE unit alone: its state costs next to nothing, and the library does not compute with x87.
 * Text functions of the C library use both units: c_locale.h saves all of it, by fenv.h.
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
    __asm__ volatile("" ::: "memory"); /* computing comes behind */
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
    __asm__ volatile("" ::: "memory"); /* computing comes behind */
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
