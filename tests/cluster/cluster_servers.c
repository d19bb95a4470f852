/*
 * Transport and control store over real servers: the contract of each; then servers that are killed and that hang. No
 * time is asserted, only printed: what has to hold is that the flow comes back, that a call never sleeps until a server
 * that hangs answers (asleep.h), and that of two writers never both win.
 *
 * usage: cluster_servers --nats PROGRAM --etcd PROGRAM [--openssl PROGRAM]   without the last one nothing is tested
 * over TLS
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "cluster/asleep.h"
#include "cluster/conform.h"
#include "cluster/node_host.h"
#include "cluster/servers.h"
#include "cluster/servers_tls.h"
#include "support/check.h"
#include "support/fail_alloc.h"
#include "support/thread_masks.h"

enum { STEP_US = 500, ROUND_US = 10000, NS_IN_MS = 1000000, PATIENCE_MS = 20000 };

static void step_time(void *user)
{
    (void)user;
    (void)usleep(STEP_US);
}

static uint64_t now_ms(void)
{
    return phx_now_ns() / NS_IN_MS;
}

/* ---- NATS ---- */

static phc_transport open_nats_from(const server_group *group, uint32_t first, ph_allocator allocator)
{
    const char *servers[SERVERS_MAX];
    char reason[PHC_REASON_SIZE] = "";
    phc_transport transport = {0};
    for (uint32_t i = 0; i < group->count; i++) servers[i] = group->addresses[(first + i) % group->count];
    const phc_nats_def def = {.servers = servers, .server_count = group->count, .allocator = allocator};
    if (!CHECK_OK(phc_nats_open(&def, &transport, reason, sizeof reason))) check_give_up(__FILE__, __LINE__, reason);
    return transport;
}

static phc_transport open_nats(const server_group *group, uint32_t first)
{
    return open_nats_from(group, first, (ph_allocator){0});
}

static void await_connected(phc_transport *transport)
{
    phc_transport_state state = {0};
    const uint64_t end = now_ms() + PATIENCE_MS;
    do {
        step_time(NULL);
        transport->state(transport->user, &state);
    } while (!(state.connected[PHC_HALO] && state.connected[PHC_CHANNEL]) && now_ms() < end);
    CHECK(state.connected[PHC_HALO] && state.connected[PHC_CHANNEL], "no connection");
}

static void await_reason(phc_transport *transport, const char *reason)
{
    phc_transport_state state = {0};
    const uint64_t end = now_ms() + PATIENCE_MS;
    do {
        step_time(NULL);
        transport->state(transport->user, &state);
    } while (strcmp(state.reason, reason) != 0 && now_ms() < end);
    CHECK(strcmp(state.reason, reason) == 0, "it says \"%s\", not \"%s\"", state.reason, reason);
}

static void test_nats_contract(const char *program)
{
    server_group group;
    servers_start_nats(&group, program, 1, NULL);
    phc_transport a = open_nats(&group, 0), b = open_nats(&group, 0);
    await_connected(&a);
    await_connected(&b);
    conform_transport(&a, &b, step_time, NULL);
    check_threads_block("nats", 4);
    a.close(a.user);
    b.close(b.user);
    servers_end(&group);
}

/* A message that is larger than ours, of another program; it is with the server once this returns. */
static void publish_large(uint16_t port, const char *subject)
{
    static char text[PHC_MESSAGE_MAX + 200];
    const uint32_t size = PHC_MESSAGE_MAX + 1;
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0);
    size_t used = (size_t)snprintf(text, sizeof text, "CONNECT {\"verbose\":false}\r\nPUB %s %u\r\n", subject, size);
    memset(text + used, 'x', size);
    used += size;
    used += (size_t)snprintf(text + used, sizeof text - used, "\r\nPING\r\n");
    for (size_t sent = 0; sent < used;) {
        const ssize_t some = send(fd, text + sent, used - sent, MSG_NOSIGNAL);
        REQUIRE(some > 0);
        sent += (size_t)some;
    }
    size_t got = 0;
    do {
        const ssize_t some = recv(fd, text + got, sizeof text - 1 - got, 0);
        REQUIRE(some > 0);
        text[got += (size_t)some] = '\0';
    } while (!strstr(text, "PONG"));
    (void)close(fd);
}

static void note_size(void *user, const char *subject, const void *bytes, size_t size)
{
    (void)subject;
    (void)bytes;
    CHECK(size <= PHC_MESSAGE_MAX, "%zu bytes", size);
    *(size_t *)user = size;
}

/* Sends messages of that size until one comes. */
static void await_size(phc_transport *from, phc_transport *to, size_t size)
{
    size_t got = 0;
    const uint64_t end = now_ms() + PATIENCE_MS;
    while (got != size && now_ms() < end) {
        CHECK_OK(from->send(from->user, PHC_HALO, "large.1", "xx", size));
        step_time(NULL);
        (void)to->poll(to->user, 10, note_size, &got);
    }
    CHECK(got == size, "no message of %zu bytes", size);
}

static void test_nats_large(const char *program)
{
    server_group group;
    servers_start_nats(&group, program, 1, NULL);
    phc_transport a = open_nats(&group, 0), b = open_nats(&group, 0);
    CHECK_OK(b.listen(b.user, PHC_HALO, "large.*"));
    await_size(&a, &b, 1);
    publish_large(group.servers[0].port, "large.1");
    await_size(&a, &b, 2);
    a.close(a.user);
    b.close(b.user);
    servers_end(&group);
}

/* A member that opens before its servers are there. */
static void test_nats_comes_later(const char *program)
{
    server_group group;
    phc_transport_state state;
    servers_start_nats(&group, program, 1, NULL);
    server_signal(&group.servers[0], SIGKILL);
    phc_transport a = open_nats(&group, 0);
    CHECK_OK(a.listen(a.user, PHC_CHANNEL, "later"));
    CHECK_OK(a.send(a.user, PHC_CHANNEL, "other", "x", 1));
    CHECK_OK(a.send(a.user, PHC_HALO, "other", "x", 1));
    const uint64_t end = now_ms() + PATIENCE_MS;
    for (a.state(a.user, &state); state.dropped == 0 && now_ms() < end; a.state(a.user, &state)) step_time(NULL);
    CHECK(!state.connected[PHC_CHANNEL], "connected to nothing");
    CHECK(state.dropped == 1, "%llu messages dropped, not the state alone", (unsigned long long)state.dropped);
    server_start_again(&group.servers[0]);
    await_connected(&a);
    a.close(a.user);
    server_signal(&group.servers[0], SIGKILL);
    a = open_nats(&group, 0); /* and closes without having found one */
    a.close(a.user);
    servers_end(&group);
}

static void count_message(void *user, const char *subject, const void *bytes, size_t size)
{
    uint32_t number;
    (void)subject;
    if (!CHECK(size == sizeof number, "%zu bytes", size)) return;
    memcpy(&number, bytes, sizeof number);
    *(uint32_t *)user = number;
}

/* Sends numbered states until one that was sent from now on arrives. No call waits; the silence is printed. */
static void await_flow(phc_transport *from, phc_transport *to, const char *fault, uint32_t *number)
{
    uint32_t got = 0, sent = 0;
    asleep calls = {0};
    const uint32_t first = *number + 1;
    const uint64_t begin = now_ms();
    while (got < first && now_ms() < begin + PATIENCE_MS) {
        ++*number;
        asleep_begin(&calls);
        CHECK_OK(from->send(from->user, PHC_HALO, "flow.1.2", number, sizeof *number));
        (void)to->poll(to->user, 100, count_message, &got);
        asleep_end(&calls);
        sent++;
        (void)usleep(10000);
    }
    CHECK(got >= first, "%s: the flow does not come back", fault);
    printf("nats, %s: silence %llu ms, %u states sent\n", fault, (unsigned long long)(now_ms() - begin), sent);
    asleep_check(&calls, fault);
}

/* All servers hang: more than every socket and queue takes is dropped, or refused, and no call waits. */
static void fill_hanging(phc_transport *from, uint32_t *refused)
{
    static unsigned char large[PHC_MESSAGE_MAX];
    phc_transport_state state;
    asleep calls = {0};
    for (uint32_t i = 0; i < 400; i++) {
        asleep_begin(&calls);
        CHECK_OK(from->send(from->user, PHC_HALO, "flow.1.3", large, sizeof large));
        *refused += from->send(from->user, PHC_CHANNEL, "flow.1.4", large, sizeof large) == PH_FULL;
        from->state(from->user, &state);
        asleep_end(&calls);
    }
    asleep_begin(&calls);
    CHECK_OK(from->listen(from->user, PHC_HALO, "flow.*.5"));
    asleep_end(&calls);
    printf("nats, all hang: 800 messages of 256 KiB given, %u refused\n", *refused);
    CHECK(*refused > 300, "a queue of 8 MiB holds all of 100 MiB");
    asleep_check(&calls, "all hang");
}

static void test_nats_faults(const char *program)
{
    server_group group;
    uint32_t number = 0, refused = 0;
    servers_start_nats(&group, program, 3, NULL);
    phc_transport a = open_nats(&group, 0), b = open_nats(&group, 1);
    CHECK_OK(b.listen(b.user, PHC_HALO, "flow.*.2"));
    await_connected(&a);
    await_connected(&b);
    await_flow(&a, &b, "no fault", &number);
    for (uint32_t i = 0; i < 3; i++) { /* the ones of both members are among them */
        server_signal(&group.servers[i], SIGKILL);
        await_flow(&a, &b, "server killed", &number);
        server_start_again(&group.servers[i]);
        await_flow(&a, &b, "server is back", &number);
    }
    for (uint32_t i = 0; i < 3; i++) server_signal(&group.servers[i], SIGSTOP);
    fill_hanging(&a, &refused);
    for (uint32_t i = 0; i < 3; i++) server_signal(&group.servers[i], SIGCONT);
    await_flow(&a, &b, "all hung", &number);
    phc_transport_state state;
    a.state(a.user, &state);
    CHECK(state.dropped > 0, "nothing was dropped");
    CHECK(state.refused == refused, "%llu refused", (unsigned long long)state.refused);
    server_signal(&group.servers[0], SIGSTOP); /* closing while one hangs */
    server_signal(&group.servers[1], SIGSTOP);
    a.close(a.user);
    b.close(b.user);
    servers_end(&group);
}

/* A server that has another password for a while refuses a member until libnats gives its connections up. */
static void test_nats_password(const char *program)
{
    enum { REFUSED_MS = 1500 };
    server_group group;
    char address[128];
    uint32_t number = 0;
    servers_start_nats(&group, program, 1, NULL);
    test_server *server = &group.servers[0];
    char *password = server->arg_text[server->arg_count + 1];
    (void)snprintf(server->arg_text[server->arg_count], SERVER_TEXT, "--user=member");
    (void)snprintf(password, SERVER_TEXT, "--pass=right");
    (void)snprintf(address, sizeof address, "nats://member:right@127.0.0.1:%u", server->port);
    server->arg_count += 2;
    group.addresses[0] = address;
    server_signal(server, SIGKILL);
    server_start_again(server);
    phc_transport a = open_nats(&group, 0), b = open_nats(&group, 0);
    CHECK_OK(b.listen(b.user, PHC_HALO, "flow.*.2"));
    await_flow(&a, &b, "with a password", &number);
    server_signal(server, SIGKILL);
    (void)snprintf(password, SERVER_TEXT, "--pass=wrong");
    server_start_again(server);
    for (const uint64_t end = now_ms() + REFUSED_MS; now_ms() < end; step_time(NULL)) continue;
    await_reason(&a, "Authentication Violation");
    server_signal(server, SIGKILL);
    (void)snprintf(password, SERVER_TEXT, "--pass=right");
    server_start_again(server);
    await_flow(&a, &b, "refused for a while", &number);
    await_connected(&a);
    await_connected(&b);
    await_reason(&a, "");
    server_signal(server, SIGKILL);
    await_reason(&a, "no server answers");
    a.close(a.user);
    b.close(b.user);
    servers_end(&group);
}

static void test_nats_definitions(void)
{
    char reason[PHC_REASON_SIZE];
    const char *const good[] = {"nats://127.0.0.1:1"}, *const bad[] = {"http://127.0.0.1:1"};
    phc_transport transport;
    phc_nats_def def = {.servers = good, .server_count = 0};
    CHECK_STATUS(phc_nats_open(NULL, &transport, reason, sizeof reason), PH_BAD_ARGUMENT);
    CHECK_STATUS(phc_nats_open(&def, NULL, reason, sizeof reason), PH_BAD_ARGUMENT);
    CHECK_STATUS(phc_nats_open(&def, &transport, reason, sizeof reason), PH_BAD_DEF);
    CHECK(strncmp(reason, "servers", 7) == 0, "reason: %s", reason);
    def = (phc_nats_def){.servers = bad, .server_count = 1};
    CHECK_STATUS(phc_nats_open(&def, &transport, NULL, 0), PH_BAD_DEF);
    def = (phc_nats_def){.servers = good, .server_count = 1, .reserved = {1}};
    CHECK_STATUS(phc_nats_open(&def, &transport, reason, sizeof reason), PH_BAD_DEF);
    CHECK(strncmp(reason, "reserved", 8) == 0, "reason: %s", reason);
    def = (phc_nats_def){.servers = good, .server_count = 1, .allocator = {.reserved = {1}}};
    CHECK_STATUS(phc_nats_open(&def, &transport, reason, sizeof reason), PH_BAD_DEF);
    CHECK(strncmp(reason, "allocator", 9) == 0, "reason: %s", reason);
}

/* ---- etcd ---- */

static phc_store open_etcd_from(const server_group *group, uint32_t first, ph_allocator allocator)
{
    const char *servers[SERVERS_MAX];
    char reason[PHC_REASON_SIZE] = "";
    phc_store store = {0};
    for (uint32_t i = 0; i < group->count; i++) servers[i] = group->addresses[(first + i) % group->count];
    const phc_etcd_def def = {.servers = servers, .server_count = group->count, .allocator = allocator};
    if (!CHECK_OK(phc_etcd_open(&def, &store, reason, sizeof reason))) check_give_up(__FILE__, __LINE__, reason);
    return store;
}

static phc_store open_etcd(const server_group *group, uint32_t first)
{
    return open_etcd_from(group, first, (ph_allocator){0});
}

/* Reads until it succeeds: there is a leader. */
static void await_leader(phc_store *store)
{
    static uint64_t tag = 1u << 20;
    const uint64_t end = now_ms() + PATIENCE_MS;
    phc_outcome outcome;
    do {
        REQUIRE(store->get(store->user, ++tag, "none") == PH_OK);
        outcome = conform_await(store, tag, step_time, NULL).outcome;
    } while (outcome == PHC_FAILED && now_ms() < end);
    CHECK(outcome == PHC_DONE, "no leader");
}

/* They are kept: not one for each attempt. */
static void check_connects(const phc_store *store)
{
    phc_store_state state;
    store->state(store->user, &state);
    CHECK(state.connects > 0 && state.connects < state.attempts / 2, "%llu connections for %llu attempts",
          (unsigned long long)state.connects, (unsigned long long)state.attempts);
}

static void test_etcd_contract(const char *program)
{
    server_group group;
    servers_start_etcd(&group, program, 1, NULL);
    phc_store a = open_etcd(&group, 0), b = open_etcd(&group, 0);
    await_leader(&a);
    conform_store(&a, &b, step_time, NULL);
    conform_race(&a, &b, 100, step_time, NULL);
    conform_lease(&a, &b, step_time, NULL);
    check_connects(&a);
    uint32_t taken = 0;
    while (taken <= 200 && a.get(a.user, 7, "none") == PH_OK) taken++;
    CHECK(taken >= 64 && taken < 200, "%u requests under way", taken);
    a.close(a.user); /* with requests under way */
    a = open_etcd(&group, 0);
    conform_close(&a, &b, step_time, NULL);
    b.close(b.user);
    servers_end(&group);
}

/*
 * Two writers while a server is killed, hangs and comes back. A write that failed may have been done: then the next one
 * under the same revision finds its value.
 */
typedef struct counted {
    uint64_t value, revision, failed, longest_ms, last_ms;
    bool unheard; /* the next value may be there */
} counted;

/* A lease that a third member renews in between; it outlives every fault of one server. */
typedef struct renewal {
    phc_store store;
    uint64_t tag, lease, last_ms, longest_ms;
    bool asked, gone;
} renewal;

static void note_renewal(void *user, const phc_answer *answer)
{
    renewal *of = user;
    const uint64_t now = now_ms();
    of->asked = false;
    if (answer->outcome == PHC_GONE) of->gone = true;
    if (answer->outcome != PHC_DONE) return;
    if (of->last_ms != 0 && now - of->last_ms > of->longest_ms) of->longest_ms = now - of->last_ms;
    of->last_ms = now;
}

static void step_renewal(void *user)
{
    renewal *of = user;
    step_time(NULL);
    (void)of->store.poll(of->store.user, 1, note_renewal, of);
    if (of->asked || now_ms() < of->last_ms + 200) return;
    of->asked = of->store.lease_renew(of->store.user, ++of->tag, of->lease) == PH_OK;
}

static void begin_renewal(renewal *of, const server_group *group)
{
    *of = (renewal){.store = open_etcd(group, 2)};
    await_leader(&of->store);
    REQUIRE(of->store.lease_open(of->store.user, 1, 10000) == PH_OK);
    of->lease = conform_await(&of->store, 1, step_time, NULL).lease;
}

static void write_round(phc_store *writer, uint64_t *tag, counted *of, renewal *lease)
{
    const uint64_t next = of->value + 1;
    REQUIRE(writer->cas(writer->user, ++*tag, "count", of->revision, &next, sizeof next, 0) == PH_OK);
    const conform_answer put = conform_await(writer, *tag, step_renewal, lease);
    if (put.outcome == PHC_FAILED) {
        of->failed++;
        of->unheard = true;
        return;
    }
    if (put.outcome == PHC_CHANGED)
        CHECK(of->unheard && put.count == 1 && put.value == next, "two wins, or a write that was confirmed is lost");
    const uint64_t now = now_ms(), silence = now - of->last_ms;
    if (of->last_ms != 0 && silence > of->longest_ms) of->longest_ms = silence;
    of->last_ms = now;
    of->value = next;
    of->revision = put.outcome == PHC_DONE ? put.revision : put.last.revision;
    of->unheard = false;
}

/* The silence since that time, if it is the longest one. */
static uint64_t longer_silence(uint64_t last_ms, uint64_t longest_ms)
{
    const uint64_t silence = last_ms != 0 ? now_ms() - last_ms : 0;
    return silence > longest_ms ? silence : longest_ms;
}

static void run_rounds(phc_store *stores, uint64_t ms, renewal *lease, counted *of, const char *fault)
{
    static uint64_t tag;
    const uint64_t end = now_ms() + ms;
    of->longest_ms = lease->longest_ms = 0;
    for (uint32_t i = 0; now_ms() < end; i++) {
        write_round(&stores[i % 2], &tag, of, lease);
        step_renewal(lease);
    }
    of->longest_ms = longer_silence(of->last_ms, of->longest_ms); /* one that has not ended yet */
    lease->longest_ms = longer_silence(lease->last_ms, lease->longest_ms);
    printf("etcd, %s: %llu writes, longest time without one %llu ms, without a renewal %llu ms\n", fault,
           (unsigned long long)of->value, (unsigned long long)of->longest_ms, (unsigned long long)lease->longest_ms);
}

static void ignore_answer(void *user, const phc_answer *answer)
{
    (void)user;
    (void)answer;
}

/* All servers hang: as many requests as there may be, and some more, of each kind; no call waits for an answer. */
static void ask_hanging(phc_store *store)
{
    enum { ROUNDS = 20 };
    asleep calls = {0};
    for (uint32_t i = 0; i < ROUNDS; i++) {
        asleep_begin(&calls);
        ph_status last = store->get(store->user, 1, "none");
        if (last == PH_OK) last = store->list(store->user, 2, "none/");
        if (last == PH_OK) last = store->cas(store->user, 3, "none", 0, "x", 1, 0);
        if (last == PH_OK) last = store->lease_open(store->user, 4, 60000);
        if (last == PH_OK) last = store->lease_renew(store->user, 5, 1);
        if (last == PH_OK) last = store->lease_end(store->user, 6, 1);
        CHECK(last == PH_OK || last == PH_FULL, "%s of a store that hangs", ph_status_name(last));
        (void)store->poll(store->user, 64, ignore_answer, NULL);
        asleep_end(&calls);
        step_time(NULL);
    }
    asleep_check(&calls, "etcd, all hang");
}

static void test_etcd_faults(const char *program)
{
    server_group group;
    counted of = {0};
    renewal lease;
    servers_start_etcd(&group, program, 3, NULL);
    phc_store stores[2] = {open_etcd(&group, 0), open_etcd(&group, 1)};
    begin_renewal(&lease, &group);
    run_rounds(stores, 500, &lease, &of, "no fault");
    for (uint32_t i = 0; i < 3; i++) { /* the leader is one of them */
        server_signal(&group.servers[i], SIGKILL);
        run_rounds(stores, 2000, &lease, &of, "server killed");
        server_start_again(&group.servers[i]);
        run_rounds(stores, 1000, &lease, &of, "server is back");
    }
    for (uint32_t i = 0; i < 3; i++) {
        server_signal(&group.servers[i], SIGSTOP);
        run_rounds(stores, 2000, &lease, &of, "server hangs");
        server_signal(&group.servers[i], SIGCONT);
        run_rounds(stores, 1000, &lease, &of, "server goes on");
    }
    CHECK(!lease.gone, "a lease is lost with one server");
    server_signal(&group.servers[1], SIGSTOP);
    server_signal(&group.servers[2], SIGSTOP);
    REQUIRE(stores[0].cas(stores[0].user, 1, "count", of.revision, "x", 1, 0) == PH_OK);
    CHECK(conform_await(&stores[0], 1, step_time, NULL).outcome == PHC_FAILED, "written without a majority");
    server_signal(&group.servers[0], SIGSTOP);
    ask_hanging(&stores[0]); /* and closing while it is asked */
    stores[0].close(stores[0].user);
    stores[1].close(stores[1].user);
    lease.store.close(lease.store.user);
    servers_end(&group);
}

static void test_etcd_definitions(void)
{
    char reason[PHC_REASON_SIZE];
    const char *const good[] = {"http://127.0.0.1:1"}, *const bad[] = {"nats://127.0.0.1:1"};
    phc_store store;
    phc_etcd_def def = {.servers = good, .server_count = 6};
    CHECK_STATUS(phc_etcd_open(NULL, &store, reason, sizeof reason), PH_BAD_ARGUMENT);
    CHECK_STATUS(phc_etcd_open(&def, NULL, reason, sizeof reason), PH_BAD_ARGUMENT);
    CHECK_STATUS(phc_etcd_open(&def, &store, reason, sizeof reason), PH_BAD_DEF);
    CHECK(strncmp(reason, "servers", 7) == 0, "reason: %s", reason);
    def = (phc_etcd_def){.servers = bad, .server_count = 1};
    CHECK_STATUS(phc_etcd_open(&def, &store, NULL, 0), PH_BAD_DEF);
    def = (phc_etcd_def){.servers = good, .server_count = 1, .timeout_ms = 99};
    CHECK_STATUS(phc_etcd_open(&def, &store, reason, sizeof reason), PH_BAD_DEF);
    def = (phc_etcd_def){.servers = good, .server_count = 1, .reserved = {1}};
    CHECK_STATUS(phc_etcd_open(&def, &store, reason, sizeof reason), PH_BAD_DEF);
    def = (phc_etcd_def){.servers = good, .server_count = 1, .allocator = {.reserved = {1}}};
    CHECK_STATUS(phc_etcd_open(&def, &store, reason, sizeof reason), PH_BAD_DEF);
    CHECK(strncmp(reason, "allocator", 9) == 0, "reason: %s", reason);
    def = (phc_etcd_def){.servers = good, .server_count = 1};
    CHECK_OK(phc_etcd_open(&def, &store, reason, sizeof reason));
    REQUIRE(store.get(store.user, 1, "x") == PH_OK); /* a port without a server */
    CHECK(conform_await(&store, 1, step_time, NULL).outcome == PHC_FAILED, "an answer of nothing");
    store.close(store.user);
}

/* ---- a member over both ---- */

static bool has_regions(const phc *member)
{
    phc_stats stats = {0};
    CHECK_OK(phc_stats_get(member, &stats));
    return stats.regions > 0;
}

static void run_round(phc *member, ph_world world, asleep *calls)
{
    asleep_begin(calls);
    CHECK_OK(phc_tick(member));
    CHECK_OK(ph_tick(world, NULL));
    CHECK_OK(phc_told(member));
    asleep_end(calls);
    (void)usleep(ROUND_US);
}

/* Allocations of the thread that ticks; other threads make some, and do not touch the count. */
typedef struct own_calls {
    pthread_t thread;
    uint64_t count;
} own_calls;

static bool count_call(void *asked)
{
    own_calls *own = asked;
    if (pthread_equal(pthread_self(), own->thread)) own->count++;
    return false;
}

/* Rounds until so many more reports of the load have been written: no other work of a node is as rare. */
static void run_reports(phc *member, ph_world world, asleep *calls, uint64_t reports)
{
    phc_stats stats = {0};
    CHECK_OK(phc_stats_get(member, &stats));
    const uint64_t enough = stats.answers[PHC_REQUEST_WRITE] + reports, end = now_ms() + PATIENCE_MS;
    while (stats.answers[PHC_REQUEST_WRITE] < enough && now_ms() < end) {
        run_round(member, world, calls);
        CHECK_OK(phc_stats_get(member, &stats));
    }
    CHECK(stats.answers[PHC_REQUEST_WRITE] >= enough, "a member does not report its load");
}

static void check_steady(phc *member, ph_world world, const own_calls *own, asleep *calls)
{
    enum { FIRST_REPORTS = 2, REPORTS = 2 };
    run_reports(member, world, calls, FIRST_REPORTS);
    const uint64_t before = own->count;
    REQUIRE(before > 0);
    run_reports(member, world, calls, REPORTS);
    CHECK(own->count == before, "a member that has no news allocates %u times", (unsigned)(own->count - before));
}

/* A node whose broker and etcd hang goes on: no round waits for one of them. Before it allocates nothing. */
static void test_member_goes_on(const char *nats_program, const char *etcd_program)
{
    enum { HANGING_ROUNDS = 200 };
    server_group nats, etcd;
    char reason[PHC_REASON_SIZE] = "";
    ph_class class;
    ph_world world;
    phc *member;
    asleep calls = {0};
    ph_world_def world_def = node_host_world_def(&class, 60, 0);
    phc_def def = phc_def_default();
    servers_start_nats(&nats, nats_program, 1, NULL);
    servers_start_etcd(&etcd, etcd_program, 1, NULL);
    own_calls own = {.thread = pthread_self()};
    fail_alloc memory = {.fails = count_call, .asked = &own};
    phc_transport transport = open_nats_from(&nats, 0, fail_alloc_hooks(&memory));
    phc_store store = open_etcd_from(&etcd, 0, fail_alloc_hooks(&memory));
    await_leader(&store);
    world_def.consumers = 0;
    world_def.allocator = def.allocator = fail_alloc_hooks(&memory);
    def.name = "servers";
    def.world_def = &world_def;
    REQUIRE(ph_world_create(&world_def, &world) == PH_OK);
    if (!CHECK_OK(phc_open(&def, world, &transport, &store, &member, reason, sizeof reason)))
        check_give_up(__FILE__, __LINE__, reason);
    const uint64_t end = now_ms() + PATIENCE_MS;
    while (!has_regions(member) && now_ms() < end) run_round(member, world, &calls);
    CHECK(has_regions(member), "a member alone does not get its regions");
    check_steady(member, world, &own, &calls);
    server_signal(&nats.servers[0], SIGSTOP);
    server_signal(&etcd.servers[0], SIGSTOP);
    for (uint32_t i = 0; i < HANGING_ROUNDS; i++) run_round(member, world, &calls);
    asleep_check(&calls, "a member whose broker and etcd hang");
    phc_close(member);
    transport.close(transport.user);
    store.close(store.user);
    CHECK_OK(ph_world_destroy(world));
    CHECK(fail_alloc_clean(&memory), "memory is not given back");
    servers_end(&nats);
    servers_end(&etcd);
}

int main(int argc, char **argv)
{
    const char *nats = option_text(argc, argv, "--nats"), *etcd = option_text(argc, argv, "--etcd");
    const char *openssl = option_text(argc, argv, "--openssl");
    if (!nats || !etcd) {
        (void)fprintf(stderr, "usage: cluster_servers --nats PROGRAM --etcd PROGRAM [--openssl PROGRAM]\n");
        return 2;
    }
    test_nats_definitions();
    test_nats_contract(nats);
    test_nats_large(nats);
    test_nats_comes_later(nats);
    test_nats_faults(nats);
    test_nats_password(nats);
    if (openssl) test_nats_tls(nats, openssl);
    test_etcd_definitions();
    test_etcd_contract(etcd);
    test_etcd_faults(etcd);
    if (openssl) test_etcd_tls(etcd, openssl);
    test_member_goes_on(nats, etcd);
    return check_done("cluster_servers");
}
