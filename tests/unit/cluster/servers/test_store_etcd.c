/*
 * The control store over etcd where the name of a server is not found in time: getaddrinfo() is this program's own,
 * which libcurl calls in a thread, and it hangs until the test lets it go. And where a server hangs while the store is
 * closed.
 */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

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

/* ---- a server that hangs ---- */

static atomic_bool hangs, has_ended;

static int accept_request(int listening, char text[1024])
{
    const int file = accept(listening, NULL, NULL);
    if (file < 0) return -1;
    size_t used = 0;
    for (ssize_t some; used < 1023 && (some = recv(file, text + used, 1023 - used, 0)) > 0;) {
        used += (size_t)some;
        text[used] = '\0';
        if (strstr(text, "\r\n\r\n")) break; /* the head has the path */
    }
    text[used] = '\0';
    return file;
}

/* Never answers the first request; of the second one it notes whether it ends a lease. */
static void *serve_two(void *of)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 29\r\n\r\n{\"header\":{\"revision\":\"7\"}}\n";
    const int *listening = of;
    char text[1024];
    const int first = accept_request(*listening, text);
    atomic_store(&hangs, true);
    const int second = accept_request(*listening, text);
    if (second >= 0) {
        atomic_store(&has_ended, strstr(text, "/v3/lease/revoke") != NULL);
        (void)send(second, answer, sizeof answer - 1, MSG_NOSIGNAL);
        (void)close(second);
    }
    (void)close(first);
    return NULL;
}

/*
 * The end of a lease was asked for; if the request is lost, the lease lives on for its time. It waits for the line of a
 * list that hangs, up to the timeout, and has its own time to be made behind it.
 */
Test(store_etcd, a_lease_ends_behind_a_request_that_hangs_while_the_store_is_closed)
{
    enum { HANGING_TIMEOUT_MS = 900, WAITS = 300 };
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    pthread_t server;
    char name[64];
    phc_store store;
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert(listening >= 0 && bind(listening, (const struct sockaddr *)&address, sizeof address) == 0);
    cr_assert(listen(listening, 2) == 0 && getsockname(listening, (struct sockaddr *)&address, &size) == 0);
    cr_assert_eq(pthread_create(&server, NULL, serve_two, &listening), 0);
    (void)snprintf(name, sizeof name, "http://127.0.0.1:%u", ntohs(address.sin_port));
    const char *servers[] = {name};
    const phc_etcd_def def = {.servers = servers, .server_count = 1, .timeout_ms = HANGING_TIMEOUT_MS};
    cr_assert_eq(phc_etcd_open(&def, &store, NULL, 0), PH_OK);
    cr_assert_eq(store.list(store.user, 1, "a/"), PH_OK);
    cr_assert_eq(store.lease_end(store.user, 2, 7), PH_OK);
    while (!atomic_load(&hangs)) wait_a_bit();
    for (uint32_t i = 0; i < WAITS; i++) wait_a_bit(); /* for a connection libcurl looks often; then once a second */
    store.close(store.user);
    (void)shutdown(listening, SHUT_RDWR);
    cr_assert_eq(pthread_join(server, NULL), 0);
    (void)close(listening);
    cr_assert(atomic_load(&has_ended), "the lease lives on");
}
