/*
 * A TCP server on epoll, on a port that the system chooses. usage: epoll_server [CLIENTS-PROGRAM], which is started
 * with the port and makes LOGINS connections: epoll_clients.c.
 *
 * Two threads. The game's thread ticks the world at a fixed rate. The network thread has epoll, the sockets, a producer
 * and a consumer: it reads moves of clients as commands at any time, also in a tick; it is woken by an eventfd when a
 * tick has a batch for it (ph_world_def.batches), and makes one packet a client of it. Neither waits for the other.
 *
 * Protocol: lines. Client: "move X Y", "say TEXT". Server: one packet a tick, of "clear", "+ID", "-ID",
 * "@ID X Y", "ID: TEXT", and at its end ".".
 *
 * A slow client: what does not fit into its socket waits in `out`, up to OUT_SIZE. Packets beyond that are dropped; the
 * client is behind. Once the socket takes bytes again, the server asks for the whole list (ph_resend()): one packet,
 * however long the client slept. Batches of earlier ticks may still be on their way then, so packets are dropped until
 * the one with PH_CHANGE_FRESH comes. A client that leaves frees its slot; `session` tells the next one apart from it.
 */
#include <errno.h>
#include <netinet/in.h>
#include <pharos/pharos.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOGINS = 250, SLOTS = 256, EVENTS_AT_ONCE = 64, LISTENER = SLOTS, WAKER = SLOTS + 1 };
enum { IN_SIZE = 512, OUT_SIZE = 16384, SOCKET_BYTES = 4096, TICK_NS = 10000000 }; /* so small for the example */

typedef enum { IN_STEP, BEHIND, ASKED } pace; /* BEHIND: a packet was dropped; ASKED: the whole list is on its way */

typedef struct client {
    int fd;           /* -1: the slot is free */
    uint32_t session; /* counts the clients of all slots: user_data has it beside the slot */
    uint32_t in_bytes, out_bytes;
    pace pace;
    char in[IN_SIZE], out[OUT_SIZE];
} client;

typedef struct server {
    ph_world world;
    ph_producer producer; /* of the network thread */
    ph_consumer consumer;
    int epoll, listener, waker;
    uint32_t sessions, closed, closed_max; /* it ends when so many clients have come and gone */
    uint64_t resends;
    atomic_bool stopped;
    client clients[SLOTS];
} server;

static void check(bool good, const char *call)
{
    if (good) return;
    perror(call);
    exit(1);
}

static void expect(ph_status status, const char *call)
{
    if (status == PH_OK) return;
    fprintf(stderr, "%s: %s\n", call, ph_status_text(status));
    exit(1);
}

/* ---- sending ---- */

/* The player's id is its session: no two clients ever have the same. */
static void close_client(server *s, client *c)
{
    expect(ph_leave(s->producer, c->session), "ph_leave");
    close(c->fd); /* epoll forgets it with that */
    c->fd = -1;
    s->closed++;
}

static void watch(server *s, int fd, uint32_t place, uint32_t events, int operation)
{
    struct epoll_event event = {.events = events, .data.u32 = place};
    check(epoll_ctl(s->epoll, operation, fd, &event) == 0, "epoll_ctl");
}

/* Sends as much as the socket takes; epoll says when it takes more. */
static void flush_client(server *s, client *c)
{
    ssize_t sent = send(c->fd, c->out, c->out_bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return; /* epoll reports the end of the connection */
    bool waited = sent < (ssize_t)c->out_bytes;
    if (sent > 0) memmove(c->out, c->out + sent, c->out_bytes -= (uint32_t)sent);
    watch(s, c->fd, (uint32_t)(c - s->clients), waited ? EPOLLIN | EPOLLOUT : EPOLLIN, EPOLL_CTL_MOD);
    if (!waited && c->pace == BEHIND) { /* it reads again */
        expect(ph_resend(s->producer, c->session), "ph_resend");
        c->pace = ASKED;
        s->resends++;
    }
}

__attribute__((format(printf, 2, 3))) static void append(client *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int bytes = vsnprintf(c->out + c->out_bytes, OUT_SIZE - c->out_bytes, format, list);
    va_end(list);
    if (bytes >= (int)(OUT_SIZE - c->out_bytes))
        c->pace = BEHIND; /* the line is cut: write_packet() takes the packet back */
    else c->out_bytes += (uint32_t)bytes;
}

/* ---- one packet a client ---- */

/* A batch may be older than a logout, and the slot may have another client by now. */
static client *find_client(server *s, uint64_t user_data)
{
    client *c = &s->clients[user_data & UINT32_MAX];
    return c->fd >= 0 && c->session == user_data >> 32 ? c : NULL;
}

static void write_packet(server *s, const ph_batch *batch, const ph_packet *packet)
{
    client *c = find_client(s, packet->user_data);
    if (c == NULL) return;
    const uint32_t begin = c->out_bytes;
    const ph_change *change = packet->change;
    const bool fresh = change != NULL && change->flags & PH_CHANGE_FRESH;
    if (c->pace == ASKED && fresh) c->pace = IN_STEP;
    if (c->pace != IN_STEP) return;
    if (fresh) append(c, "clear\n");
    for (uint32_t i = 0; change != NULL && i < change->leave_count + change->enter_count; i++)
        append(c, "%c%d\n", i < change->leave_count ? '-' : '+', (int)batch->targets[change->first + i].id);
    for (uint32_t i = 0; packet->update != NULL && i < packet->update->count; i++) {
        const ph_moved *moved = &batch->moved[batch->due[packet->update->first + i]];
        append(c, "@%d %.1f %.1f\n", (int)moved->id, (double)moved->x, (double)moved->y);
    }
    for (uint32_t i = 0; packet->delivery != NULL && i < packet->delivery->count; i++) {
        const ph_message *message = &batch->messages[batch->heard[packet->delivery->first + i]];
        append(c, "%d: %.*s\n", (int)message->source, (int)message->bytes,
               (const char *)batch->payload + message->first);
    }
    append(c, ".\n");
    if (c->pace == BEHIND) c->out_bytes = begin; /* whole packets only */
    flush_client(s, c);
}

static void send_batches(server *s)
{
    const ph_batch *batch;
    while (ph_batch_take(s->consumer, &batch) == PH_OK) {
        ph_packets packets;
        ph_packet packet;
        expect(ph_packets_begin(s->consumer, batch, &packets), "ph_packets_begin");
        while (ph_packets_next(&packets, &packet)) write_packet(s, batch, &packet);
        expect(ph_batch_return(s->consumer, batch), "ph_batch_return");
    }
}

/* ---- receiving ---- */

static void accept_client(server *s)
{
    uint32_t slot = 0;
    int fd = accept(s->listener, NULL, NULL);
    if (fd < 0) return; /* it has gone already */
    while (slot < SLOTS && s->clients[slot].fd >= 0) slot++;
    if (slot == SLOTS) return (void)close(fd); /* full: a real server says so first */
    client *c = &s->clients[slot];
    c->fd = fd;
    c->session = ++s->sessions;
    c->in_bytes = c->out_bytes = 0;
    c->pace = IN_STEP;
    ph_attrs attrs = {.given = PH_X | PH_Y | PH_USER_DATA, .x = 500, .y = 500};
    attrs.user_data = (uint64_t)c->session << 32 | slot;
    expect(ph_enter(s->producer, c->session, &attrs), "ph_enter");
    watch(s, fd, slot, EPOLLIN, EPOLL_CTL_ADD);
}

/* Input of a client is checked by the library: a bad coordinate is refused and changes nothing. */
static void obey(server *s, client *c, const char *line)
{
    float x, y;
    if (sscanf(line, "move %f %f", &x, &y) == 2) (void)!ph_move(s->producer, c->session, x, y, 0);
    else if (strncmp(line, "say ", 4) == 0)
        (void)!ph_broadcast(s->producer, c->session, line + 4, (uint32_t)strlen(line + 4), NULL);
}

static void read_client(server *s, client *c)
{
    ssize_t got = recv(c->fd, c->in + c->in_bytes, IN_SIZE - c->in_bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got > 0) c->in_bytes += (uint32_t)got;
    char *end, *line = c->in;
    while ((end = memchr(line, '\n', c->in_bytes - (size_t)(line - c->in))) != NULL) {
        *end = 0;
        obey(s, c, line);
        line = end + 1;
    }
    c->in_bytes -= (uint32_t)(line - c->in);
    memmove(c->in, line, c->in_bytes);
    if (got <= 0 || c->in_bytes == IN_SIZE) close_client(s, c); /* the end, or a line without end */
}

static void *run_network(void *argument)
{
    server *s = argument;
    struct epoll_event events[EVENTS_AT_ONCE];
    while (s->closed < s->closed_max) {
        int count = epoll_wait(s->epoll, events, EVENTS_AT_ONCE, -1);
        for (int i = 0; i < count; i++) {
            uint32_t place = events[i].data.u32;
            uint64_t value;
            if (place == LISTENER) {
                accept_client(s);
            } else if (place == WAKER) {
                (void)!read(s->waker, &value, sizeof value);
                send_batches(s);
            } else {
                if (events[i].events & EPOLLOUT) flush_client(s, &s->clients[place]);
                if (events[i].events & ~(uint32_t)EPOLLOUT) read_client(s, &s->clients[place]);
            }
        }
    }
    atomic_store(&s->stopped, true);
    return NULL;
}

/* ---- the game's thread ---- */

/* In the tick, on the ticking thread: wakes the network thread, which takes the batch meanwhile. */
static void offered(void *user, uint32_t consumer)
{
    (void)consumer;
    (void)!write(((server *)user)->waker, &(uint64_t){1}, sizeof(uint64_t)); /* a full counter is awake anyway */
}

static void open_world(server *s)
{
    ph_class player = ph_class_default("default");
    player.view = 60;
    player.margin = 5;
    player.adds_max = 50; /* a crowded place comes over some ticks, the nearest first */
    player.band_count = 1;
    player.bands[0] = (ph_band){.radius = 60, .every = 2};
    ph_world_def def = ph_world_def_default();
    def.world_size[0] = def.world_size[1] = 1000;
    def.tower_size = 150;
    def.classes = &player;
    def.class_count = 1;
    def.batches = (ph_batch_hook){.offered = offered, .user = s};
    expect(ph_world_create(&def, &s->world), "ph_world_create");
    expect(ph_producer_open(s->world, &s->producer), "ph_producer_open");
    expect(ph_consumer_open(s->world, 0, &s->consumer), "ph_consumer_open");
}

static void run_game(server *s)
{
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    while (!atomic_load(&s->stopped)) {
        expect(ph_tick(s->world, NULL), "ph_tick");
        next.tv_nsec += TICK_NS;
        if (next.tv_nsec >= 1000000000) next.tv_sec++, next.tv_nsec -= 1000000000;
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR) continue;
    }
}

static in_port_t listen_anywhere(server *s)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    s->waker = eventfd(0, EFD_CLOEXEC);
    check(setsockopt(s->listener, SOL_SOCKET, SO_SNDBUF, &(int){SOCKET_BYTES}, sizeof(int)) == 0, "setsockopt");
    check(bind(s->listener, (struct sockaddr *)&address, size) == 0 && listen(s->listener, SLOTS) == 0, "listen");
    check(getsockname(s->listener, (struct sockaddr *)&address, &size) == 0, "getsockname");
    watch(s, s->listener, LISTENER, EPOLLIN, EPOLL_CTL_ADD);
    watch(s, s->waker, WAKER, EPOLLIN, EPOLL_CTL_ADD);
    return ntohs(address.sin_port);
}

int main(int argc, char **argv)
{
    static server s;
    pthread_t network;
    char port[8];
    int status = 0;
    for (uint32_t i = 0; i < SLOTS; i++) s.clients[i].fd = -1;
    snprintf(port, sizeof port, "%d", listen_anywhere(&s));
    s.closed_max = argc > 1 ? LOGINS : UINT32_MAX;
    if (argc == 1) printf("port %s\n", port);
    pid_t child = argc > 1 ? fork() : 1;
    check(child != -1, "fork");
    if (child == 0) check(execl(argv[1], argv[1], port, NULL) == 0, argv[1]);
    open_world(&s);
    check(pthread_create(&network, NULL, run_network, &s) == 0, "pthread_create");
    run_game(&s);
    pthread_join(network, NULL);
    if (argc > 1) waitpid(child, &status, 0);
    printf("%u logins, slots used again; %d resends to slow clients\n", s.sessions, (int)s.resends);
    ph_world_destroy(s.world);
    return status == 0 ? 0 : 1;
}
