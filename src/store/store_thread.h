/*
 * How the threads of a store begin: with all signals blocked. By ph_store_open().
 */
#ifndef PHX_STORE_STORE_THREAD_H
#define PHX_STORE_STORE_THREAD_H

#include <pthread.h>
#include <signal.h>

/* Returns 0, or an error number. */
static inline int phx_store_thread_begin(pthread_t *thread, void *(*run)(void *user), void *user)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* the host's signals are for its own threads */
    const int error = pthread_create(thread, NULL, run, user);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

#endif
