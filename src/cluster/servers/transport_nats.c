/*
 * The transport over NATS servers: phc_nats_open() of cluster.h. Each traffic is a line: a connection of libnats, a
 * queue of messages that wait to leave, and a thread that connects, subscribes and publishes, as each of these may wait
 * for a socket, and for a resolver. The member's thread touches the queue alone, under a mutex that is never held
 * across a call of libnats; and takes messages that came from libnats' own bounded queues, which have a mutex for each
 * subscription. At the end the thread gives all of libnats back, which waits for the same; one that takes too long is
 * left behind, with its line, and has nothing of the transport's memory then.
 *
 * libnats makes no connection again by itself: it would hold the connection's lock while it asks a resolver or shakes
 * hands, so the state could not be read then, and the text of an error has no lock at all. The line's thread makes
 * another connection, and each text that it reads is its own.
 */
#include <nats/nats.h>
#include <pharos/cluster.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/thread.h"
#include "cluster/servers/subject.h"
#include "cluster/servers/tls.h"
#include "cluster/wire/item_queue.h"

enum {
    LISTENS_MAX = 16,
    HALO_BYTES = 4 << 20,
    CHANNEL_BYTES = 8 << 20,
    PENDING_MESSAGES = 1 << 16, /* of a subscription */
    PENDING_BYTES = 16 << 20,
    CONNECT_MS = 400,        /* for each server: closing waits for all of them, */
    CLOSE_MS = 4000,         /* ... but no longer than this */
    WRITE_MS = 1000,         /* for a socket that takes nothing */
    PING_MS = 500,           /* two without an answer: the connection is lost */
    RECONNECT_WAIT_MS = 100, /* between two attempts at all servers */
    LOOK_MS = 20             /* the thread looks at the state of its connection so often */
};

static const char LOST[] = "the connection was lost"; /* until an attempt says more */

typedef struct nats_line {
    phc_traffic traffic;
    uint32_t bytes_max; /* that wait to leave */
    bool is_tls;
    natsOptions *options;
    pthread_t thread;
    bool is_running;
    /* the thread's */
    natsConnection *connection;                                   /* NULL: none yet */
    unsigned char message[PHC_SUBJECT_MAX + 1 + PHC_MESSAGE_MAX]; /* that it publishes now */
    uint32_t message_bytes;                                       /* a subject with its 0, and the message's bytes */
    /* both threads', under the mutex */
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool stops, connected;
    bool ended, is_left;          /* the thread has nothing more to do, or to free the line itself */
    char reason[PHC_REASON_SIZE]; /* why it is not connected; "": it is, or is not known yet */
    phx_item_queue waiting;       /* messages */
    phx_item_queue leaving;       /* ... that are published next */
    uint64_t dropped, reconnects;
    char patterns[LISTENS_MAX][PHC_SUBJECT_MAX + 1];
    uint32_t pattern_count;
    natsSubscription *subscriptions[LISTENS_MAX]; /* of the first ones */
    uint32_t subscribed;
    natsSubscription *retired[LISTENS_MAX]; /* of a connection that has ended; the member's thread destroys them */
    uint32_t retired_count;
} nats_line;

/* Why there is no connection. */
typedef struct nats_trouble {
    natsStatus status;
    char detail[256]; /* "" = none */
} nats_trouble;

typedef struct nats_transport {
    phx_mem mem;
    nats_line *lines[PHC_TRAFFICS]; /* of the system's memory, as one may be left behind; NULL: there was none */
    /* the member's thread's */
    uint64_t sent, refused, received, overrun;   /* overrun: of retired subscriptions */
    uint64_t dropped[PHC_TRAFFICS][LISTENS_MAX]; /* of subscriptions, as far as known: a closed one does not tell */
    uint32_t turn;                               /* the subscription that is asked first by the next poll */
} nats_transport;

/* ---- the thread of a line ---- */

static struct timespec time_in(uint32_t ms)
{
    enum { NS_IN_MS = 1000000, NS_IN_S = 1000000000, MS_IN_S = 1000 };
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(ms % MS_IN_S) * NS_IN_MS;
    until.tv_sec += ms / MS_IN_S + until.tv_nsec / NS_IN_S;
    until.tv_nsec %= NS_IN_S;
    return until;
}

static void wait_a_moment(nats_line *line)
{
    const struct timespec until = time_in(LOOK_MS);
    (void)pthread_cond_timedwait(&line->wake, &line->mutex, &until);
}

/* Under the mutex: messages that come do not end it. */
static void sit_out(nats_line *line, uint32_t ms)
{
    const struct timespec until = time_in(ms);
    while (!line->stops && pthread_cond_timedwait(&line->wake, &line->mutex, &until) == 0) continue;
}

static bool line_stops(nats_line *line)
{
    pthread_mutex_lock(&line->mutex);
    const bool stops = line->stops;
    pthread_mutex_unlock(&line->mutex);
    return stops;
}

/* Under the mutex. Of a server that refused the member, libnats says so first, and then only that no server is left. */
static void note_reason(nats_line *line, const nats_trouble *why)
{
    const char *text = natsStatus_GetText(why->status), *separator = why->detail[0] != '\0' ? ": " : "";
    if (why->status != NATS_OK && why->status != NATS_NO_SERVER)
        (void)snprintf(line->reason, sizeof line->reason, "%s%s%s", text, separator, why->detail);
    else if (line->reason[0] == '\0' || strcmp(line->reason, LOST) == 0)
        (void)snprintf(line->reason, sizeof line->reason, "no server answers");
}

/* Under the mutex. */
static void note_loss(nats_line *line)
{
    line->connected = false;
    if (line->reason[0] == '\0') memcpy(line->reason, LOST, sizeof LOST);
}

/*
 * Of an attempt to connect. Of TLS the status does not say enough. text: libnats' own, of this thread. Of a server that
 * refuses this process's certificate libnats knows only that the connection ends, as that is behind the handshake by
 * TLS 1.3.
 */
static nats_trouble trouble_of(const nats_line *line, natsStatus status, const char *text)
{
    nats_trouble trouble = {.status = status};
    const bool is_ended = status == NATS_PROTOCOL_ERROR || status == NATS_IO_ERROR;
    if (line->is_tls && is_ended) text = "the server ended it; it may demand a certificate, or another one";
    else if (status != NATS_SSL_ERROR) text = NULL;
    if (text) (void)snprintf(trouble.detail, sizeof trouble.detail, "%.*s", (int)sizeof trouble.detail - 1, text);
    return trouble;
}

/* A state that is late is worth nothing. */
static void drop_states(nats_line *line)
{
    for (; line->traffic == PHC_HALO && line->waiting.count > 0; line->dropped++) phx_item_queue_pop(&line->waiting);
}

/* Each attempt is at all servers, in this thread: what is wrong with TLS, or a password, is known here alone. */
static void connect_line(nats_line *line)
{
    while (!line_stops(line)) {
        const natsStatus status = natsConnection_Connect(&line->connection, line->options);
        if (status == NATS_OK) return;
        const nats_trouble trouble = trouble_of(line, status, nats_GetLastError(NULL));
        line->connection = NULL;
        pthread_mutex_lock(&line->mutex);
        note_reason(line, &trouble);
        sit_out(line, RECONNECT_WAIT_MS);
        drop_states(line);
        pthread_mutex_unlock(&line->mutex);
    }
}

/* All that the connection does not have yet. */
static void subscribe_patterns(nats_line *line)
{
    pthread_mutex_lock(&line->mutex);
    uint32_t at = line->subscribed;
    const uint32_t count = line->pattern_count;
    pthread_mutex_unlock(&line->mutex);
    for (; at < count; at++) {
        natsSubscription *subscription = NULL;
        if (natsConnection_SubscribeSync(&subscription, line->connection, line->patterns[at]) != NATS_OK) {
            pthread_mutex_lock(&line->mutex);
            if (!line->stops) wait_a_moment(line);
            pthread_mutex_unlock(&line->mutex);
            return;
        }
        (void)natsSubscription_SetPendingLimits(subscription, PENDING_MESSAGES, PENDING_BYTES);
        pthread_mutex_lock(&line->mutex);
        line->subscriptions[line->subscribed++] = subscription;
        pthread_mutex_unlock(&line->mutex);
    }
}

static void look_at_state(nats_line *line)
{
    const bool connected = natsConnection_Status(line->connection) == NATS_CONN_STATUS_CONNECTED;
    pthread_mutex_lock(&line->mutex);
    line->connected = connected;
    if (connected) line->reason[0] = '\0';
    else note_loss(line);
    pthread_mutex_unlock(&line->mutex);
}

/*
 * A connection that was lost is closed for good. Another one is made, as soon as the member has let go of the
 * subscriptions before. Messages that came, and that it had not taken, are lost with them.
 */
static void renew_connection(nats_line *line)
{
    if (!natsConnection_IsClosed(line->connection)) return;
    pthread_mutex_lock(&line->mutex);
    const bool is_free = line->retired_count == 0;
    note_loss(line); /* the last look may have been before the end, and the next one is behind a connection */
    if (is_free) {
        memcpy(line->retired, line->subscriptions, sizeof line->retired);
        line->retired_count = line->subscribed;
        line->subscribed = 0;
    }
    sit_out(line, LOOK_MS); /* a server may end each connection that it takes */
    pthread_mutex_unlock(&line->mutex);
    if (!is_free) return;
    natsConnection_Destroy(line->connection);
    line->connection = NULL;
    connect_line(line);
    if (!line->connection) return; /* it stops */
    subscribe_patterns(line);
    pthread_mutex_lock(&line->mutex);
    line->reconnects++;
    pthread_mutex_unlock(&line->mutex);
}

/* The message; of the channel it waits for a connection. */
static void publish_message(nats_line *line)
{
    const char *subject = (const char *)line->message;
    const size_t subject_bytes = strlen(subject) + 1;
    while (!line_stops(line)) {
        const natsStatus status = natsConnection_Publish(line->connection, subject, line->message + subject_bytes,
                                                         (int)(line->message_bytes - subject_bytes));
        if (status == NATS_OK) return;
        if (line->traffic == PHC_HALO || status == NATS_MAX_PAYLOAD) break;
        look_at_state(line);
        pthread_mutex_lock(&line->mutex);
        if (!line->stops) wait_a_moment(line);
        pthread_mutex_unlock(&line->mutex);
        renew_connection(line);
    }
    pthread_mutex_lock(&line->mutex);
    line->dropped++;
    pthread_mutex_unlock(&line->mutex);
}

/* Waits for messages, for a subject or for a look at the state; takes all messages. false: the end. */
static bool take_work(nats_line *line)
{
    pthread_mutex_lock(&line->mutex);
    if (!line->stops && line->waiting.count == 0 && line->subscribed == line->pattern_count) wait_a_moment(line);
    const bool goes_on = !line->stops;
    if (goes_on) {
        const phx_item_queue empty = line->leaving;
        line->leaving = line->waiting;
        line->waiting = empty;
    }
    pthread_mutex_unlock(&line->mutex);
    return goes_on;
}

/* The next one of these is the line's message. false: there is none, or the queues may be gone. */
static bool take_leaving(nats_line *line)
{
    pthread_mutex_lock(&line->mutex);
    const bool is_taken = !line->stops && line->leaving.count > 0;
    if (is_taken) {
        const phx_item item = phx_item_queue_first(&line->leaving);
        memcpy(line->message, item.bytes, item.size);
        line->message_bytes = item.size;
        phx_item_queue_pop(&line->leaving);
    }
    pthread_mutex_unlock(&line->mutex);
    return is_taken;
}

static void free_line(nats_line *line)
{
    phx_mem system;
    pthread_mutex_destroy(&line->mutex);
    pthread_cond_destroy(&line->wake);
    natsOptions_Destroy(line->options);
    phx_mem_init(&system, (ph_allocator){0});
    atomic_store_explicit(&system.bytes, sizeof *line, memory_order_relaxed);
    phx_free(&system, line, sizeof *line, _Alignof(nats_line));
}

/* The member's thread is in close(), or is done with the line. */
static void end_line(nats_line *line)
{
    for (uint32_t i = 0; i < line->subscribed; i++) natsSubscription_Destroy(line->subscriptions[i]);
    for (uint32_t i = 0; i < line->retired_count; i++) natsSubscription_Destroy(line->retired[i]);
    natsConnection_Destroy(line->connection);
    pthread_mutex_lock(&line->mutex);
    const bool is_left = line->is_left;
    line->ended = true;
    pthread_cond_signal(&line->wake);
    pthread_mutex_unlock(&line->mutex);
    if (is_left) free_line(line);
}

static void *run_line(void *of)
{
    nats_line *line = of;
    connect_line(line);
    while (line->connection && take_work(line)) {
        renew_connection(line);
        if (!line->connection) break; /* it stops */
        subscribe_patterns(line);
        look_at_state(line);
        while (take_leaving(line)) publish_message(line);
    }
    end_line(line);
    return NULL;
}

/* ---- the member's thread ---- */

static ph_status nats_listen(void *user, phc_traffic traffic, const char *subject)
{
    nats_transport *transport = user;
    nats_line *line = transport->lines[traffic];
    ph_status status = PH_CAPACITY;
    if (!phx_subject_is_good(subject, true)) return PH_BAD_ARGUMENT;
    pthread_mutex_lock(&line->mutex);
    if (line->pattern_count < LISTENS_MAX) {
        memcpy(line->patterns[line->pattern_count++], subject, strlen(subject) + 1);
        pthread_cond_signal(&line->wake);
        status = PH_OK;
    }
    pthread_mutex_unlock(&line->mutex);
    return status;
}

/* Room for one more; of the halo older ones go. */
static ph_status make_room(nats_line *line, uint32_t size)
{
    phx_item_queue *waiting = &line->waiting;
    while (waiting->count > 0 && waiting->end - waiting->first + size > line->bytes_max) {
        if (line->traffic == PHC_CHANNEL) return PH_FULL;
        phx_item_queue_pop(waiting);
        line->dropped++;
    }
    return PH_OK;
}

static ph_status push_message(nats_line *line, const char *subject, const void *bytes, size_t size)
{
    const size_t subject_bytes = strlen(subject) + 1;
    const uint32_t item_bytes = (uint32_t)(subject_bytes + size);
    const ph_status status = make_room(line, item_bytes);
    if (status != PH_OK) return status;
    unsigned char *item = phx_item_queue_push(&line->waiting, item_bytes);
    if (!item) return PH_NO_MEMORY;
    memcpy(item, subject, subject_bytes);
    if (size > 0) memcpy(item + subject_bytes, bytes, size);
    pthread_cond_signal(&line->wake);
    return PH_OK;
}

static ph_status nats_send(void *user, phc_traffic traffic, const char *subject, const void *bytes, size_t size)
{
    nats_transport *transport = user;
    nats_line *line = transport->lines[traffic];
    ph_status status = PH_BAD_ARGUMENT;
    if (size <= PHC_MESSAGE_MAX && phx_subject_is_good(subject, false)) {
        pthread_mutex_lock(&line->mutex);
        status = push_message(line, subject, bytes, size);
        pthread_mutex_unlock(&line->mutex);
    }
    if (status == PH_OK) transport->sent++;
    else transport->refused++;
    return status;
}

/* false: that subscription has none. One of another program, beyond the bounds of a message, is not given. */
static bool take_message(natsSubscription *subscription, phc_message_fn fn, void *fn_user, uint32_t *given)
{
    natsMsg *message = NULL;
    natsStatus status = natsSubscription_NextMsg(&message, subscription, 0);
    if (status == NATS_SLOW_CONSUMER) status = natsSubscription_NextMsg(&message, subscription, 0);
    if (status != NATS_OK) return false;
    const char *subject = natsMsg_GetSubject(message);
    const size_t size = (size_t)natsMsg_GetDataLength(message);
    if (size <= PHC_MESSAGE_MAX && phx_subject_is_good(subject, false)) {
        fn(fn_user, subject, natsMsg_GetData(message), size);
        ++*given;
    }
    natsMsg_Destroy(message);
    return true;
}

/* What a closed subscription has dropped is known from before alone. */
static void destroy_retired(nats_transport *transport, phc_traffic traffic, natsSubscription *const *retired,
                            uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        transport->overrun += transport->dropped[traffic][i];
        transport->dropped[traffic][i] = 0;
        natsSubscription_Destroy(retired[i]);
    }
}

/* Of a line; `retired` and `subscriptions` are as they are at one time, as the latter take the places of the former. */
static uint32_t list_of_line(nats_transport *transport, phc_traffic traffic, natsSubscription **subscriptions)
{
    nats_line *line = transport->lines[traffic];
    natsSubscription *retired[LISTENS_MAX];
    pthread_mutex_lock(&line->mutex);
    const uint32_t count = line->subscribed, retired_count = line->retired_count;
    memcpy(retired, line->retired, sizeof retired);
    memcpy(subscriptions, line->subscriptions, count * sizeof(natsSubscription *));
    line->retired_count = 0;
    pthread_mutex_unlock(&line->mutex);
    destroy_retired(transport, traffic, retired, retired_count);
    for (uint32_t i = 0; i < count; i++) {
        int64_t dropped = 0;
        if (natsSubscription_GetDropped(subscriptions[i], &dropped) == NATS_OK)
            transport->dropped[traffic][i] = (uint64_t)dropped;
    }
    return count;
}

static uint32_t list_subscriptions(nats_transport *transport, natsSubscription **subscriptions)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < PHC_TRAFFICS; i++) count += list_of_line(transport, (phc_traffic)i, subscriptions + count);
    return count;
}

static uint32_t nats_poll(void *user, uint32_t messages_max, phc_message_fn fn, void *fn_user)
{
    nats_transport *transport = user;
    natsSubscription *subscriptions[PHC_TRAFFICS * LISTENS_MAX];
    const uint32_t count = list_subscriptions(transport, subscriptions);
    uint32_t given = 0, taken = 0;
    for (uint32_t empty = 0; empty < count && taken < messages_max; transport->turn++) {
        const bool took = take_message(subscriptions[transport->turn % count], fn, fn_user, &given);
        empty = took ? 0 : empty + 1;
        taken += took;
    }
    transport->received += given;
    return given;
}

static void nats_state(void *user, phc_transport_state *state)
{
    nats_transport *transport = user;
    natsSubscription *subscriptions[PHC_TRAFFICS * LISTENS_MAX];
    *state =
        (phc_transport_state){.sent = transport->sent, .refused = transport->refused, .received = transport->received};
    for (uint32_t i = 0; i < PHC_TRAFFICS; i++) {
        nats_line *line = transport->lines[i];
        pthread_mutex_lock(&line->mutex);
        state->connected[i] = line->connected;
        if (line->reason[0] != '\0') memcpy(state->reason, line->reason, sizeof state->reason);
        state->dropped += line->dropped;
        state->reconnects += line->reconnects;
        pthread_mutex_unlock(&line->mutex);
    }
    (void)list_subscriptions(transport, subscriptions);
    state->overrun = transport->overrun;
    for (uint32_t i = 0; i < PHC_TRAFFICS; i++)
        for (uint32_t n = 0; n < LISTENS_MAX; n++) state->overrun += transport->dropped[i][n];
}

/* ---- begin and end ---- */

static void stop_line(nats_line *line)
{
    pthread_mutex_lock(&line->mutex);
    line->stops = true;
    pthread_cond_signal(&line->wake);
    pthread_mutex_unlock(&line->mutex);
}

/* From now on the thread touches no queue. One that has not ended by then is left behind. */
static void close_line(nats_line *line, const struct timespec *until)
{
    const pthread_t thread = line->thread;
    int late = 0;
    pthread_mutex_lock(&line->mutex);
    while (line->is_running && !line->ended && late == 0)
        late = pthread_cond_timedwait(&line->wake, &line->mutex, until);
    phx_item_queue_free(&line->waiting);
    phx_item_queue_free(&line->leaving);
    const bool was_running = line->is_running, is_left = was_running && !line->ended;
    line->is_left = is_left;
    pthread_mutex_unlock(&line->mutex);
    if (is_left) {
        (void)pthread_detach(thread);
        return;
    }
    if (was_running) (void)pthread_join(thread, NULL);
    free_line(line);
}

static void nats_close(void *user)
{
    nats_transport *transport = user;
    phx_mem outer;
    const struct timespec until = time_in(CLOSE_MS);
    for (uint32_t i = 0; i < PHC_TRAFFICS; i++) /* their waits are at the same time */
        if (transport->lines[i]) stop_line(transport->lines[i]);
    for (uint32_t i = 0; i < PHC_TRAFFICS; i++)
        if (transport->lines[i]) close_line(transport->lines[i], &until);
    phx_mem_init(&outer, transport->mem.allocator);
    PHX_ASSERT(atomic_load_explicit(&transport->mem.bytes, memory_order_relaxed) == 0);
    atomic_store_explicit(&outer.bytes, sizeof *transport, memory_order_relaxed);
    phx_free(&outer, transport, sizeof *transport, _Alignof(nats_transport));
}

/* The file of the setting `name` is taken by libnats, or the reason says why not. */
static natsStatus check_file(natsStatus status, const char *name, const char *path, char *reason, size_t reason_size)
{
    natsStatus last;
    const char *text = nats_GetLastError(&last); /* this thread's */
    if (status != NATS_OK && reason)
        (void)snprintf(reason, reason_size, "tls.%s: %s: %s", name, path, text ? text : natsStatus_GetText(status));
    return status;
}

/*
 * libnats reads the files here, and verifies the host of each address by itself. Each connection that is made by the
 * options, or made again, has TLS from now on: one that a server does not offer it for is given up.
 */
static natsStatus add_tls(natsOptions *options, const phc_tls *tls, char *reason, size_t reason_size)
{
    natsStatus s = natsOptions_SetSecure(options, true);
    if (s != NATS_OK && reason) (void)snprintf(reason, reason_size, "tls: this libnats has none");
    if (s == NATS_OK && tls->ca_file)
        s = check_file(natsOptions_LoadCATrustedCertificates(options, tls->ca_file), "ca_file", tls->ca_file, reason,
                       reason_size);
    if (s == NATS_OK && tls->certificate_file)
        s = check_file(natsOptions_LoadCertificatesChain(options, tls->certificate_file, tls->key_file),
                       "certificate_file", tls->certificate_file, reason, reason_size);
    return s;
}

static natsStatus make_options(natsOptions **options, const phc_nats_def *def)
{
    const char *servers[PHC_SERVERS_MAX];
    for (uint32_t i = 0; i < def->server_count; i++) servers[i] = def->servers[i];
    natsStatus s = natsOptions_Create(options);
    if (s == NATS_OK) s = natsOptions_SetServers(*options, servers, (int)def->server_count);
    if (s == NATS_OK) s = natsOptions_SetName(*options, def->name ? def->name : "pharos");
    if (s == NATS_OK) s = natsOptions_SetTimeout(*options, CONNECT_MS);
    if (s == NATS_OK) s = natsOptions_SetPingInterval(*options, PING_MS);
    if (s == NATS_OK) s = natsOptions_SetMaxPingsOut(*options, 2);
    if (s == NATS_OK) s = natsOptions_SetAllowReconnect(*options, false);
    if (s == NATS_OK) s = natsOptions_SetWriteDeadline(*options, WRITE_MS);
    if (s == NATS_OK) s = natsOptions_SetNoEcho(*options, true);
    return s;
}

/* NULL: no memory. */
static nats_line *make_line(phx_mem *queues, phc_traffic traffic)
{
    phx_mem system;
    pthread_condattr_t by_monotonic;
    phx_mem_init(&system, (ph_allocator){0});
    nats_line *line = phx_alloc_zero(&system, sizeof *line, _Alignof(nats_line));
    if (!line) return NULL;
    line->traffic = traffic;
    line->bytes_max = traffic == PHC_HALO ? HALO_BYTES : CHANNEL_BYTES;
    phx_item_queue_init(&line->waiting, queues);
    phx_item_queue_init(&line->leaving, queues);
    pthread_condattr_init(&by_monotonic);
    pthread_condattr_setclock(&by_monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&line->mutex, NULL);
    pthread_cond_init(&line->wake, &by_monotonic);
    pthread_condattr_destroy(&by_monotonic);
    return line;
}

static ph_status begin_line(nats_line *line, const phc_nats_def *def, bool is_tls, char *reason, size_t reason_size)
{
    natsStatus status = make_options(&line->options, def);
    if (status != NATS_OK && reason) (void)snprintf(reason, reason_size, "servers: %s", natsStatus_GetText(status));
    line->is_tls = is_tls;
    if (status == NATS_OK && is_tls) status = add_tls(line->options, &def->tls, reason, reason_size);
    if (status != NATS_OK) return status == NATS_NO_MEMORY ? PH_NO_MEMORY : PH_BAD_DEF;
    const int error = phx_thread_begin(&line->thread, run_line, line);
    line->is_running = error == 0;
    if (error == 0) return PH_OK;
    if (reason) (void)snprintf(reason, reason_size, "no thread for a connection: error %d", error);
    return PH_IO;
}

static bool def_is_good(const phc_nats_def *def, bool *is_tls, char *reason, size_t reason_size)
{
    static const phx_schemes schemes = {"nats://", "tls://"};
    const char *wrong = NULL;
    if (!def->servers || def->server_count == 0 || def->server_count > PHC_SERVERS_MAX ||
        !phx_tls_asked(schemes, def->servers, def->server_count, is_tls))
        wrong = "servers: 1 to 5 of the form nats://host:port, or all of the form tls://host:port";
    if (!phx_allocator_is_good(&def->allocator))
        wrong = "allocator: both functions or neither, and reserved words of 0";
    if (!phx_is_zero(def->reserved, sizeof def->reserved)) wrong = "reserved: not 0";
    if (wrong && reason) (void)snprintf(reason, reason_size, "%s", wrong);
    return !wrong && phx_tls_is_good(&def->tls, *is_tls, schemes, reason, reason_size);
}

ph_status phc_nats_open(const phc_nats_def *def, phc_transport *transport, char *reason, size_t reason_size)
{
    phx_mem outer;
    sigset_t before;
    bool is_tls = false;
    ph_status status = PH_OK;
    if (!def || !transport) return PH_BAD_ARGUMENT;
    if (!def_is_good(def, &is_tls, reason, reason_size)) return PH_BAD_DEF;
    phx_mem_init(&outer, def->allocator);
    nats_transport *made = phx_alloc_zero(&outer, sizeof *made, _Alignof(nats_transport));
    if (!made) return PH_NO_MEMORY;
    phx_mem_init(&made->mem, def->allocator);
    phx_block_signals(&before); /* libnats begins threads with its first options */
    for (uint32_t i = 0; i < PHC_TRAFFICS && status == PH_OK; i++) {
        made->lines[i] = make_line(&made->mem, (phc_traffic)i);
        status = made->lines[i] ? begin_line(made->lines[i], def, is_tls, reason, reason_size) : PH_NO_MEMORY;
    }
    phx_restore_signals(&before);
    if (status != PH_OK) {
        nats_close(made);
        return status;
    }
    *transport = (phc_transport){.listen = nats_listen,
                                 .send = nats_send,
                                 .poll = nats_poll,
                                 .state = nats_state,
                                 .close = nats_close,
                                 .user = made};
    return PH_OK;
}
