/*
 * The control store over etcd where the name of a server is not found in time: getaddrinfo() is this program's own,
 * which libcurl calls in a thread, and it hangs until the test lets it go.
 */
#include <criterion/criterion.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include <pharos/cluster.h>

enum { TIMEOUT_MS = 100, POLL_NS = 1000000, HANG_MS = 20000, RENEWALS = 50, LOOKS_MAX = 20 };

static atomic_uint asked, ended;
static atomic_bool is_free, takes_signals;

static void wait_a_bit(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
}

/* Never finds one; at the latest after 20 s, so that a store that waits for it ends, too. */
__attribute__((visibility("default"))) int getaddrinfo(const char *restrict name, const char *restrict service,
                                                       const struct addrinfo *restrict hints,
                                                       struct addrinfo **restrict result)
{
    (void)name, (void)service, (void)hints, (void)result;
    sigset_t blocked;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (sigismember(&blocked, SIGUSR1) != 1 || sigismember(&blocked, SIGTERM) != 1) atomic_store(&takes_signals, true);
    atomic_fetch_add(&asked, 1);
    for (uint32_t i = 0; i < HANG_MS && !atomic_load(&is_free); i++) wait_a_bit();
    atomic_fetch_add(&ended, 1);
    return EAI_AGAIN;
}

static void note_answer(void *user, const phc_answer *answer)
{
    cr_assert_eq(answer->outcome, PHC_FAILED);
    ++*(uint32_t *)user;
}

/*
 * A renewal that waits for a resolver would let the lease run out, and closing would hold the host up. A thread for
 * each renewal and server would be a hundred.
 */
Test(store_etcd, no_request_waits_for_a_resolver_that_hangs)
{
    static const char *const servers[] = {"http://etcd-a.test:2379", "http://etcd-b.test:2379"};
    const phc_etcd_def def = {.servers = servers, .server_count = 2, .timeout_ms = TIMEOUT_MS};
    phc_store store;
    phc_store_state state;
    uint32_t answers = 0;
    cr_assert_eq(phc_etcd_open(&def, &store, NULL, 0), PH_OK);
    for (uint64_t tag = 1; tag <= RENEWALS; tag++) {
        cr_assert_eq(store.lease_renew(store.user, tag, 7), PH_OK);
        for (; answers < tag; wait_a_bit()) (void)store.poll(store.user, 1, note_answer, &answers);
    }
    for (uint32_t i = 0; i < HANG_MS && atomic_load(&asked) == 0; i++) wait_a_bit(); /* a late thread */
    cr_assert_gt(atomic_load(&asked), 0, "libcurl resolves names in another way");
    cr_assert_not(atomic_load(&takes_signals), "a thread of libcurl takes the host's signals");
    cr_assert_leq(atomic_load(&asked), LOOKS_MAX, "%u threads", atomic_load(&asked));
    cr_assert_eq(atomic_load(&ended), 0, "an answer waited for the resolver");
    store.state(store.user, &state);
    /* on a busy machine an attempt may end before its thread looks */
    cr_assert(state.attempts >= atomic_load(&asked) && state.attempts <= LOOKS_MAX, "%u attempts, %u looks",
              (unsigned)state.attempts, atomic_load(&asked));
    cr_assert(state.failed == state.attempts && state.connects == 0);
    store.close(store.user);
    cr_assert_eq(atomic_load(&ended), 0, "closing waited for the resolver");
    atomic_store(&is_free, true);
    while (atomic_load(&ended) < atomic_load(&asked)) wait_a_bit();
}
