/*
 * A disk with faults; see fault_disk.h.
 */
#include "support/fault_disk.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

/* Orders; written by the test, read by the store's thread; relaxed: opening the store starts that thread. */
static _Atomic uint64_t calls, fail_at;
static _Atomic int fail_error;
static _Atomic bool fail_sticky;
static _Atomic size_t piece_bytes;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool stalled, waits; /* under the lock */

void fault_disk_order(uint64_t nth, int error, bool sticky)
{
    calls = 0;
    fail_error = error;
    fail_sticky = sticky;
    fail_at = nth;
}

void fault_disk_short(size_t bytes)
{
    piece_bytes = bytes;
}

uint64_t fault_disk_calls(void)
{
    return calls;
}

static void set_stalled(bool stalls)
{
    (void)pthread_mutex_lock(&lock);
    stalled = stalls;
    waits = false;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
}

void fault_disk_stall(void)
{
    set_stalled(true);
}

void fault_disk_go(void)
{
    set_stalled(false);
}

void fault_disk_await_stall(void)
{
    (void)pthread_mutex_lock(&lock);
    while (!waits) (void)pthread_cond_wait(&changed, &lock);
    (void)pthread_mutex_unlock(&lock);
}

static void wait_for_go(void)
{
    (void)pthread_mutex_lock(&lock);
    while (stalled) {
        waits = true;
        (void)pthread_cond_broadcast(&changed);
        (void)pthread_cond_wait(&changed, &lock);
    }
    (void)pthread_mutex_unlock(&lock);
}

/* Does this call fail? */
static bool call_fails(void)
{
    const uint64_t call = ++calls, at = fail_at;
    const bool fails = at != 0 && (call == at || (fail_sticky && call > at));
    if (fails) errno = fail_error;
    return fails;
}

static int fault_create(const char *path)
{
    return call_fails() ? -1 : phx_disk_posix.create(path);
}

static ssize_t fault_write(int file, const void *bytes, size_t size)
{
    enum { INTERRUPTED_EVERY = 3 };
    wait_for_go();
    if (call_fails()) return -1;
    const size_t most = piece_bytes;
    if (most > 0 && calls % INTERRUPTED_EVERY == 0) {
        errno = EINTR;
        return -1;
    }
    return phx_disk_posix.write(file, bytes, most > 0 && size > most ? most : size);
}

static int fault_sync(int file)
{
    wait_for_go();
    return call_fails() ? -1 : phx_disk_posix.sync(file);
}

static int fault_close(int file)
{
    const int result = phx_disk_posix.close(file); /* POSIX: the descriptor is gone in any case */
    return call_fails() ? -1 : result;
}

static int fault_rename(const char *from, const char *to)
{
    return call_fails() ? -1 : phx_disk_posix.rename(from, to);
}

static int fault_remove(const char *path)
{
    return call_fails() ? -1 : phx_disk_posix.remove(path);
}

static int fault_sync_folder(const char *path)
{
    return call_fails() ? -1 : phx_disk_posix.sync_folder(path);
}

const phx_disk fault_disk = {.create = fault_create,
                             .write = fault_write,
                             .sync = fault_sync,
                             .close = fault_close,
                             .rename = fault_rename,
                             .remove = fault_remove,
                             .sync_folder = fault_sync_folder};
