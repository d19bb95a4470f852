/*
 * Servers with TLS; see servers_tls.h. The contract of each holds as without TLS. A server is refused where its
 * certificate is another authority's or another host's, where it has no TLS, now or later, and where it refuses this
 * process; the reason says which. None of it asserts a time.
 */
#include "cluster/servers_tls.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cluster/certificates.h"
#include "cluster/conform.h"
#include "cluster/servers.h"
#include "support/check.h"

enum { STEP_US = 500, NS_IN_MS = 1000000, PATIENCE_MS = 20000, REFUSED_MS = 1000, MORE_REQUESTS = 5 };

static void step_tls(void *user)
{
    (void)user;
    (void)usleep(STEP_US);
}

static uint64_t clock_ms(void)
{
    return phx_now_ns() / NS_IN_MS;
}

static server_tls tls_of(const certificate *one, const certificate *client_ca)
{
    return (server_tls){.certificate = one->file, .key = one->key, .client_ca = client_ca ? client_ca->file : NULL};
}

static phc_tls files_of(const certificate *ca, const certificate *client)
{
    return (phc_tls){
        .ca_file = ca->file, .certificate_file = client ? client->file : NULL, .key_file = client ? client->key : NULL};
}

/* ---- NATS ---- */

static phc_transport open_tls_nats(const char *address, phc_tls tls)
{
    char reason[PHC_REASON_SIZE] = "";
    phc_transport transport = {0};
    const phc_nats_def def = {.servers = &address, .server_count = 1, .tls = tls};
    if (!CHECK_OK(phc_nats_open(&def, &transport, reason, sizeof reason))) check_give_up(__FILE__, __LINE__, reason);
    return transport;
}

static bool is_connected(const phc_transport_state *state)
{
    return state->connected[PHC_HALO] && state->connected[PHC_CHANNEL];
}

static void await_tls_connected(phc_transport *transport, const char *what)
{
    phc_transport_state state = {0};
    const uint64_t end = clock_ms() + PATIENCE_MS;
    for (; !is_connected(&state) && clock_ms() < end; step_tls(NULL)) transport->state(transport->user, &state);
    CHECK(is_connected(&state), "%s: no connection: %s", what, state.reason);
}

/* It has that reason in the end, and is not connected for a while behind it: neither of its traffics. */
static void expect_no_nats(phc_transport *transport, const char *what, const char *reason)
{
    phc_transport_state state = {0};
    uint64_t end = clock_ms() + PATIENCE_MS;
    for (; !strstr(state.reason, reason) && clock_ms() < end; step_tls(NULL)) transport->state(transport->user, &state);
    CHECK(strstr(state.reason, reason), "%s: it says \"%s\", not \"%s\"", what, state.reason, reason);
    for (end = clock_ms() + REFUSED_MS; clock_ms() < end; step_tls(NULL)) {
        transport->state(transport->user, &state);
        if (!CHECK(!state.connected[PHC_HALO] && !state.connected[PHC_CHANNEL], "%s: connected", what)) break;
    }
    printf("nats, %s: %s\n", what, state.reason);
}

static void expect_nats_refused(const char *address, phc_tls tls, const char *what, const char *reason)
{
    phc_transport transport = open_tls_nats(address, tls);
    CHECK_OK(transport.listen(transport.user, PHC_CHANNEL, "tls.*"));
    CHECK_OK(transport.send(transport.user, PHC_CHANNEL, "tls.1", "x", 1));
    expect_no_nats(&transport, what, reason);
    transport.close(transport.user);
}

static void expect_nats_works(const char *address, phc_tls tls, const char *what)
{
    phc_transport transport = open_tls_nats(address, tls);
    await_tls_connected(&transport, what);
    transport.close(transport.user);
}

/* A server that comes back has its member again, over TLS; without TLS it has not, nor with another's certificate. */
static void test_nats_returns(server_group *group, const certificates *made)
{
    const server_tls tls = tls_of(&made->server, NULL), foreign = tls_of(&made->foreign_server, NULL);
    phc_transport a, b;
    char address[sizeof group->servers[0].address]; /* with tls:// also while the server has none */
    servers_start_tls(group, &tls);
    (void)snprintf(address, sizeof address, "%s", group->servers[0].address);
    a = open_tls_nats(address, files_of(&made->ca, NULL));
    b = open_tls_nats(address, files_of(&made->ca, NULL));
    await_tls_connected(&a, "at first");
    await_tls_connected(&b, "at first");
    conform_transport(&a, &b, step_tls, NULL);
    servers_start_tls(group, NULL);
    expect_no_nats(&a, "it comes back without TLS", "Secure Connection not available");
    servers_start_tls(group, &foreign);
    expect_no_nats(&a, "it comes back as another host", "IP address mismatch");
    servers_start_tls(group, &tls);
    await_tls_connected(&a, "it is back");
    await_tls_connected(&b, "it is back");
    server_signal(&group->servers[0], SIGKILL);
    server_start_again(&group->servers[0]);
    await_tls_connected(&a, "it was killed");
    await_tls_connected(&b, "it was killed");
    a.close(a.user);
    b.close(b.user);
}

void test_nats_tls(const char *program, const char *openssl)
{
    certificates made;
    server_group group;
    char plain[64], tls[80];
    certificates_make(&made, openssl);
    const phc_tls good = files_of(&made.ca, NULL), wrong = files_of(&made.other_ca, NULL);
    const server_tls open_tls = tls_of(&made.server, NULL), strict = tls_of(&made.server, &made.ca);
    servers_start_nats(&group, program, 1, NULL);
    (void)snprintf(plain, sizeof plain, "%s", group.servers[0].address);
    (void)snprintf(tls, sizeof tls, "tls%s", plain + strlen("nats"));
    expect_nats_refused(tls, good, "a server without TLS", "Secure Connection not available");
    servers_start_tls(&group, &open_tls);
    expect_nats_refused(tls, wrong, "another authority", "unable to get local issuer certificate");
    expect_nats_refused(tls, (phc_tls){0}, "an authority unknown to the system",
                        "unable to get local issuer certificate");
    expect_nats_refused(plain, (phc_tls){0}, "an address without TLS", "unable to get local issuer certificate");
    servers_start_tls(&group, &strict);
    expect_nats_works(tls, files_of(&made.ca, &made.client), "a certificate that is demanded");
    expect_nats_refused(tls, good, "none where one is demanded", "it may demand a certificate");
    expect_nats_refused(tls, files_of(&made.ca, &made.other_client), "another authority's where one is demanded",
                        "it may demand a certificate");
    test_nats_returns(&group, &made);
    servers_end(&group);
    certificates_remove(&made);
}

/* ---- etcd ---- */

static phc_store open_tls_etcd(const char *address, phc_tls tls)
{
    char reason[PHC_REASON_SIZE] = "";
    phc_store store = {0};
    const phc_etcd_def def = {.servers = &address, .server_count = 1, .tls = tls};
    if (!CHECK_OK(phc_etcd_open(&def, &store, reason, sizeof reason))) check_give_up(__FILE__, __LINE__, reason);
    return store;
}

/* One answer: its outcome and its reason. */
typedef struct told {
    bool came;
    phc_outcome outcome;
    char reason[PHC_REASON_SIZE];
} told;

static void take_told(void *user, const phc_answer *answer)
{
    told *of = user;
    of->came = true;
    of->outcome = answer->outcome;
    (void)snprintf(of->reason, sizeof of->reason, "%s", answer->reason);
}

static told ask_once(phc_store *store)
{
    told of = {0};
    const uint64_t end = clock_ms() + PATIENCE_MS;
    REQUIRE(store->cas(store->user, 1, "tls", 0, "x", 1, 0) == PH_OK);
    for (; !of.came && clock_ms() < end; step_tls(NULL)) (void)store->poll(store->user, 1, take_told, &of);
    REQUIRE(of.came);
    return of;
}

/* Until it writes: there is a leader. The key is there behind the first one. */
static void await_etcd(phc_store *store, const char *what)
{
    told of = ask_once(store);
    for (const uint64_t end = clock_ms() + PATIENCE_MS; of.outcome == PHC_FAILED && clock_ms() < end; step_tls(NULL))
        of = ask_once(store);
    CHECK(of.outcome != PHC_FAILED, "%s: no answer: %s", what, of.reason);
}

/* Each request fails, until one has that reason: a server that begins may be late at first. Then some more fail. */
static void expect_no_etcd(phc_store *store, const char *what, const char *reason)
{
    told of = {.outcome = PHC_FAILED};
    uint32_t more = 0;
    for (const uint64_t end = clock_ms() + PATIENCE_MS; more < MORE_REQUESTS && clock_ms() < end; step_tls(NULL)) {
        const told next = ask_once(store);
        if (!CHECK(next.outcome == PHC_FAILED, "%s: an answer", what)) break;
        if (more == 0) of = next;
        more += more > 0 || strstr(of.reason, reason) != NULL;
    }
    CHECK(more == MORE_REQUESTS, "%s: it says \"%s\", not \"%s\"", what, of.reason, reason);
    printf("etcd, %s: %s\n", what, of.reason);
}

static void expect_etcd_refused(const char *address, phc_tls tls, const char *what, const char *reason)
{
    phc_store store = open_tls_etcd(address, tls);
    expect_no_etcd(&store, what, reason);
    store.close(store.user);
}

static void expect_etcd_works(const char *address, phc_tls tls, const char *what)
{
    phc_store store = open_tls_etcd(address, tls);
    await_etcd(&store, what);
    store.close(store.user);
}

static void test_etcd_returns(server_group *group, const certificates *made)
{
    const server_tls tls = tls_of(&made->server, NULL), foreign = tls_of(&made->foreign_server, NULL);
    char address[sizeof group->servers[0].address];
    servers_start_tls(group, &tls);
    (void)snprintf(address, sizeof address, "%s", group->servers[0].address);
    phc_store a = open_tls_etcd(address, files_of(&made->ca, NULL));
    phc_store b = open_tls_etcd(address, files_of(&made->ca, NULL));
    await_etcd(&a, "at first");
    conform_store(&a, &b, step_tls, NULL);
    servers_start_tls(group, NULL);
    expect_no_etcd(&a, "it comes back without TLS", "SSL_connect");
    servers_start_tls(group, &foreign);
    expect_no_etcd(&a, "it comes back as another host", "no alternative certificate subject name matches");
    servers_start_tls(group, &tls);
    await_etcd(&a, "it is back");
    server_signal(&group->servers[0], SIGKILL);
    server_start_again(&group->servers[0]);
    await_etcd(&a, "it was killed");
    a.close(a.user);
    b.close(b.user);
}

void test_etcd_tls(const char *program, const char *openssl)
{
    certificates made;
    server_group group;
    char plain[64], tls[80];
    certificates_make(&made, openssl);
    const phc_tls good = files_of(&made.ca, NULL), wrong = files_of(&made.other_ca, NULL);
    const server_tls open_tls = tls_of(&made.server, NULL), strict = tls_of(&made.server, &made.ca);
    servers_start_etcd(&group, program, 1, NULL);
    (void)snprintf(plain, sizeof plain, "%s", group.servers[0].address);
    (void)snprintf(tls, sizeof tls, "https%s", plain + strlen("http"));
    expect_etcd_refused(tls, good, "a server without TLS", "SSL_connect");
    servers_start_tls(&group, &open_tls);
    expect_etcd_refused(tls, wrong, "another authority", "unable to get local issuer certificate");
    expect_etcd_refused(tls, (phc_tls){0}, "an authority unknown to the system",
                        "unable to get local issuer certificate");
    expect_etcd_refused(plain, (phc_tls){0}, "an address without TLS", "");
    servers_start_tls(&group, &strict);
    expect_etcd_works(tls, files_of(&made.ca, &made.client), "a certificate that is demanded");
    expect_etcd_refused(tls, good, "none where one is demanded", "bad certificate");
    expect_etcd_refused(tls, files_of(&made.ca, &made.other_client), "another authority's where one is demanded", "");
    test_etcd_returns(&group, &made);
    servers_end(&group);
    certificates_remove(&made);
}
