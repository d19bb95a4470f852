/*
 * The transport over NATS where the names of servers are not found in time: getaddrinfo() is this program's own, which
 * libnats calls in its threads and the transport's, and it hangs for as long as the test says. The server is a thread
 * of the test, which greets and answers pings, or hangs in the middle of a handshake; of its faults it leaves a word,
 * which the test's own thread fails with.
 */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <dirent.h>
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <pharos/cluster.h>

enum { POLL_NS = 1000000, HANG_MS = 20000, CALLS = 1000, LINES = PHC_TRAFFICS, WORDS = 16 };
enum { WAIT_S = 15, SERVER_S = 10 }; /* for anything; for a client. A connection takes some ms, a machine may be busy */

typedef int (*find_fn)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

static atomic_uint asked, ended; /* names, while they hang */
static atomic_bool hangs;
static int listener;
static char port[8];
static pthread_t server;
static const char *_Atomic server_fault; /* NULL = none */
static atomic_int sockets[LINES];        /* of the first connections; 0 = none yet */

static void wait_a_bit(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
}

static void expect_no_fault(void)
{
    const char *fault = atomic_load(&server_fault);
    cr_assert_null(fault, "the server: %s", fault);
}

/* Until that holds. The test's own thread. */
static void wait_until(bool (*holds)(const void *of), const void *of, const char *words)
{
    struct timespec now, begun;
    (void)clock_gettime(CLOCK_MONOTONIC, &begun);
    while (!holds(of)) {
        expect_no_fault();
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        cr_assert_lt(now.tv_sec, begun.tv_sec + WAIT_S, "waited for %d s in vain: %s", WAIT_S, words);
        wait_a_bit();
    }
}

/* Each name is this machine's; hangs for 20 s at most, so that a transport that waits for it ends, too. */
__attribute__((visibility("default"))) int getaddrinfo(const char *restrict name, const char *restrict service,
                                                       const struct addrinfo *restrict hints,
                                                       struct addrinfo **restrict result)
{
    find_fn find;
    *(void **)&find = dlsym(RTLD_NEXT, "getaddrinfo");
    (void)name;
    if (!atomic_load(&hangs)) return find("127.0.0.1", service, hints, result);
    atomic_fetch_add(&asked, 1);
    for (uint32_t i = 0; i < HANG_MS && atomic_load(&hangs); i++) wait_a_bit();
    atomic_fetch_add(&ended, 1);
    return EAI_AGAIN;
}

/* ---- the server ---- */

static bool say_line(int socket, const char *line)
{
    return send(socket, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line);
}

/* Until the client has said that; false: it is gone, or is silent. */
static bool hear_word(int socket, const char *word)
{
    char last[WORDS] = "";
    const size_t length = strlen(word);
    for (char next; strcmp(last, word) != 0;) {
        if (recv(socket, &next, 1, 0) != 1) return false;
        if (strlen(last) == length) memmove(last, last + 1, length);
        last[strlen(last)] = next;
    }
    return true;
}

/* accept() and recv() of it end by then. */
static bool bound_waits(int socket)
{
    const struct timeval most = {.tv_sec = SERVER_S};
    return setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most) == 0;
}

/* Returns its fault. more: a further field of the greeting. */
static const char *say_greeting(int socket, const char *more)
{
    if (socket < 0) return "no client comes";
    if (!bound_waits(socket)) return "a socket takes no bound";
    const bool is_said = say_line(socket, "INFO {\"server_id\":\"test\",\"version\":\"2.9.10\",\"proto\":1,"
                                          "\"host\":\"127.0.0.1\",\"port\":4222,\"headers\":true,") &&
                         say_line(socket, more) && say_line(socket, "\"max_payload\":1048576} \r\n");
    return is_said ? NULL : "a client takes no greeting";
}

/* Returns its fault. */
static const char *greet_client(int socket)
{
    const char *fault = say_greeting(socket, "");
    if (fault) return fault;
    if (!hear_word(socket, "PING\r\n")) return "a client says no PING";
    return say_line(socket, "PONG\r\n") ? NULL : "a client takes no PONG";
}

/* Greets the first connections, and no other one. */
static void *serve_lines(void *user)
{
    (void)user;
    for (uint32_t i = 0; i < LINES && !atomic_load(&server_fault); i++) {
        const int socket = accept(listener, NULL, NULL);
        atomic_store(&server_fault, greet_client(socket));
        atomic_store(&sockets[i], socket);
    }
    return NULL;
}

/* The same; the first of them gets more messages than wait in its queue. Answers keep it: a flood takes its time. */
static void *serve_flood(void *user)
{
    enum { TIMES = 70, AT_ONCE = 1000 }; /* above 2^16 */
    static char messages[1 << 15];
    size_t used = 0;
    for (uint32_t i = 0; i < AT_ONCE; i++)
        used += (size_t)snprintf(messages + used, sizeof messages - used, "MSG ph.test.a 1 1\r\nx\r\n");
    (void)snprintf(messages + used, sizeof messages - used, "PONG\r\n");
    (void)serve_lines(user);
    if (atomic_load(&server_fault)) return NULL;
    const int socket = atomic_load(&sockets[0]);
    bool is_said = hear_word(socket, "SUB ph.test.*");
    for (uint32_t i = 0; i < TIMES && is_said; i++) is_said = say_line(socket, messages);
    if (!is_said) atomic_store(&server_fault, "a client takes no messages");
    return NULL;
}

/* The first connections hear that TLS is needed, and then nothing: their handshakes have no answer. */
static void *serve_silence(void *user)
{
    (void)user;
    for (uint32_t i = 0; i < LINES && !atomic_load(&server_fault); i++) {
        const int socket = accept(listener, NULL, NULL);
        atomic_store(&server_fault, say_greeting(socket, "\"tls_required\":true,"));
        atomic_store(&sockets[i], socket);
    }
    return NULL;
}

/* The first connections are taken, and hear nothing; the ones behind them are greeted. */
static void *serve_late(void *user)
{
    int *silent = user;
    for (uint32_t i = 0; i < LINES; i++) silent[i] = accept(listener, NULL, NULL);
    return serve_lines(NULL);
}

static void begin_server(void *(*serve)(void *), void *user)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert(listener >= 0 && bind(listener, (struct sockaddr *)&at, size) == 0 && listen(listener, LINES) == 0 &&
              bound_waits(listener));
    cr_assert_eq(getsockname(listener, (struct sockaddr *)&at, &size), 0);
    (void)snprintf(port, sizeof port, "%u", ntohs(at.sin_port));
    cr_assert_eq(pthread_create(&server, NULL, serve, user), 0);
}

/* ---- the transport ---- */

static void open_transport(phc_transport *transport, const char *scheme)
{
    char names[2][64];
    (void)snprintf(names[0], sizeof names[0], "%s://broker-a.test:%s", scheme, port);
    (void)snprintf(names[1], sizeof names[1], "%s://broker-b.test:%s", scheme, port);
    const char *const servers[] = {names[0], names[1]};
    const phc_nats_def def = {.servers = servers, .server_count = 2};
    cr_assert_eq(phc_nats_open(&def, transport, NULL, 0), PH_OK);
}

static void ignore_message(void *user, const char *subject, const void *bytes, size_t size)
{
    (void)user, (void)subject, (void)bytes, (void)size;
}

/* All that a tick calls. */
static void call_all(const phc_transport *transport)
{
    phc_transport_state state;
    for (uint32_t traffic = 0; traffic < LINES; traffic++)
        cr_assert_eq(transport->send(transport->user, (phc_traffic)traffic, "ph.test.a", "x", 1), PH_OK);
    (void)transport->poll(transport->user, 1, ignore_message, NULL);
    transport->state(transport->user, &state);
}

static void listen_twice(const phc_transport *transport)
{
    for (uint32_t traffic = 0; traffic < LINES; traffic++)
        cr_assert_eq(transport->listen(transport->user, (phc_traffic)traffic, "ph.test.*"), PH_OK);
}

static bool all_ask(const void *of)
{
    (void)of;
    return atomic_load(&asked) >= LINES;
}

static bool all_ended(const void *of)
{
    (void)of;
    return atomic_load(&ended) >= atomic_load(&asked);
}

static bool is_connected(const void *of)
{
    const phc_transport *transport = of;
    phc_transport_state state;
    transport->state(transport->user, &state);
    return state.connected[PHC_HALO] && state.connected[PHC_CHANNEL];
}

static bool is_away(const void *of)
{
    const phc_transport *transport = of;
    phc_transport_state state;
    transport->state(transport->user, &state);
    return !state.connected[PHC_HALO] && !state.connected[PHC_CHANNEL];
}

/* The threads look for a name by now; nothing that is called then waits for it, and neither does the end for ever. */
static void expect_no_wait(const phc_transport *transport)
{
    wait_until(all_ask, NULL, "a thread for each traffic looks for a name");
    listen_twice(transport);
    for (uint32_t i = 0; i < CALLS; i++) call_all(transport);
    cr_assert_eq(atomic_load(&ended), 0, "a tick waited for the resolver");
    transport->close(transport->user);
    cr_assert_eq(atomic_load(&ended), 0, "closing waited for the resolver");
    cr_assert_leq(atomic_load(&asked), 2 * LINES);
    atomic_store(&hangs, false);
    wait_until(all_ended, NULL, "the names that hung end");
}

Test(transport_nats, nothing_waits_for_a_resolver_that_hangs_at_first)
{
    phc_transport transport;
    (void)snprintf(port, sizeof port, "4222");
    atomic_store(&hangs, true);
    open_transport(&transport, "nats");
    expect_no_wait(&transport);
}

Test(transport_nats, nothing_waits_for_a_resolver_that_hangs_as_servers_are_lost)
{
    phc_transport transport;
    phc_transport_state state;
    begin_server(serve_lines, NULL);
    open_transport(&transport, "nats");
    listen_twice(&transport);
    wait_until(is_connected, &transport, "both traffics are connected");
    cr_assert_eq(pthread_join(server, NULL), 0);
    expect_no_fault();
    atomic_store(&hangs, true);
    (void)close(listener);
    for (uint32_t i = 0; i < LINES; i++) (void)close(atomic_load(&sockets[i]));
    wait_until(is_away, &transport, "neither traffic is connected while a name is looked for");
    transport.state(transport.user, &state);
    cr_assert_str_eq(state.reason, "the connection was lost");
    expect_no_wait(&transport);
}

/* Each of them is left behind a bounded time, for the next one. */
Test(transport_nats, servers_that_take_connections_and_say_nothing_are_left_for_others)
{
    phc_transport transport;
    int silent[LINES] = {-1, -1};
    begin_server(serve_late, silent);
    open_transport(&transport, "nats");
    wait_until(is_connected, &transport, "both traffics are connected");
    cr_assert_eq(pthread_join(server, NULL), 0);
    expect_no_fault();
    transport.close(transport.user);
    (void)close(listener);
    for (uint32_t i = 0; i < LINES; i++) (void)close(silent[i]), (void)close(atomic_load(&sockets[i]));
}

static bool is_overrun(const void *of)
{
    const phc_transport *transport = of;
    phc_transport_state state;
    transport->state(transport->user, &state);
    return state.overrun > 0;
}

/* The count rises alone. */
Test(transport_nats, messages_that_found_a_full_queue_are_counted_still_as_servers_are_lost)
{
    phc_transport transport;
    phc_transport_state before, state;
    begin_server(serve_flood, NULL);
    open_transport(&transport, "nats");
    listen_twice(&transport);
    wait_until(is_overrun, &transport, "a queue is full");
    cr_assert_eq(pthread_join(server, NULL), 0);
    expect_no_fault();
    transport.state(transport.user, &before);
    (void)close(listener);
    for (uint32_t i = 0; i < LINES; i++) (void)close(atomic_load(&sockets[i]));
    wait_until(is_away, &transport, "neither traffic is connected");
    transport.state(transport.user, &state);
    cr_assert_geq(state.overrun, before.overrun);
    transport.close(transport.user);
}

/* Of this process. */
static size_t count_threads(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/task");
    cr_assert_not_null(folder);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) count += entry->d_name[0] != '.';
    (void)closedir(folder);
    return count;
}

static bool lines_ended(const void *of)
{
    return count_threads() + LINES <= *(const size_t *)of;
}

/* libnats waits for it without an end, in the threads of the transport alone. */
Test(transport_nats, nothing_waits_for_a_handshake_that_hangs)
{
    phc_transport transport;
    phc_transport_state state;
    begin_server(serve_silence, NULL);
    open_transport(&transport, "tls");
    cr_assert_eq(pthread_join(server, NULL), 0);
    expect_no_fault();
    listen_twice(&transport);
    for (uint32_t i = 0; i < CALLS; i++) call_all(&transport);
    transport.state(transport.user, &state);
    cr_assert(!state.connected[PHC_HALO] && !state.connected[PHC_CHANNEL]);
    transport.close(transport.user); /* its threads are left behind, */
    const size_t threads = count_threads();
    (void)close(listener);
    for (uint32_t i = 0; i < LINES; i++) (void)close(atomic_load(&sockets[i]));
    wait_until(lines_ended, &threads, "... and end now");
}
