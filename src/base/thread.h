/*
 * How threads of the library begin: with all signals blocked, as the host's signals are for its own threads. Called by
 * any thread, where a crew, a store, a server of pages or a connection of a cluster begins.
 */
#ifndef PHX_BASE_THREAD_H
#define PHX_BASE_THREAD_H

#include <pthread.h>
#include <signal.h>

/* Threads that this one makes from now on inherit it, also the ones of other libraries. */
static inline void phx_block_signals(sigset_t *before)
{
    sigset_t all;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, before);
}

static inline void phx_restore_signals(const sigset_t *before)
{
    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Returns 0, or an error number. */
static inline int phx_thread_begin(pthread_t *thread, void *(*run)(void *user), void *user)
{
    sigset_t before;
    phx_block_signals(&before);
    const int error = pthread_create(thread, NULL, run, user);
    phx_restore_signals(&before);
    return error;
}

#endif
