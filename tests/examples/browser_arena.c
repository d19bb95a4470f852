/*
 * A world that a browser walks in: a WebSocket server (libwebsockets) that serves its one page itself.
 * usage: browser_arena PAGE [PORT [RECORD]]: the page is browser_arena.html; PORT 0 lets the system choose; RECORD gets
 * a line a tick for each entity: tick, id, x, y, kind, stealth. Ends by SIGINT or SIGTERM.
 *
 * One thread: a timer ticks the world, libwebsockets calls back when a socket has bytes or takes some. Each connection
 * has a slot, and the slot is the number of its consumer. So a client that does not read needs no buffer here: its
 * batches stay with the library, consumer_batches of them; behind these the library keeps the net difference, and the
 * client gets it as one packet when it reads again. (At most 256 consumers: epoll_server.c has one for all clients.)
 *
 * Protocol: text frames. Client: "walk DX DY" (each from -1 to 1), "sneak 0|1", "why ID". Server: one packet a tick,
 * of lines "tick LAST FIRST", "you ID X Y", "clear", "-ID", "+ID KIND", "@ID X Y"; between packets "why ID REASON" and
 * "error TEXT". A client with ERRORS_MAX errors is sent away.
 */
#include <libwebsockets.h>
#include <pharos/pharos.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { SLOTS = 64, NPCS = 60, ENTITIES_MAX = SLOTS + NPCS, TICK_US = 50000, TURN_TICKS = 40 };
enum { SHEEP = 1, GUARD = 2, GUARD_EVERY = 6, NPC_FIRST = 1000000000 }; /* kinds; ids: players count from 1 */
enum { MESSAGE_SIZE = 64, MESSAGES_A_TICK = 20, ERRORS_MAX = 20, REPLIES_SIZE = 2048, SOCKET_BYTES = 4096 };
enum { LINE_BYTES = 48, PACKET_SIZE = LINE_BYTES * (3 + 3 * ENTITIES_MAX) }; /* a line a leave, an enter, a position */
static const float WORLD_SIZE = 1000, STEP = 5, NPC_STEP = 2;

typedef struct client {
    struct lws *wsi; /* NULL: the slot is free */
    ph_consumer consumer;
    uint64_t id; /* counts the connections of all slots: no two clients ever have the same */
    float x, y, dx, dy;
    uint8_t stealth;
    uint32_t messages, errors, in_bytes, reply_bytes;
    char in[MESSAGE_SIZE], replies[LWS_PRE + REPLIES_SIZE];
} client;

typedef struct server {
    ph_world world;
    ph_producer producer;
    struct lws_context *context;
    lws_sorted_usec_list_t timer;
    const char *page;
    FILE *record;
    uint64_t tick, ids, refused, net_packets;
    float npcs[NPCS][2];
    client clients[SLOTS];
} server;

static volatile sig_atomic_t stopped;

static void expect(ph_status status, const char *call)
{
    if (status == PH_OK) return;
    fprintf(stderr, "%s: %s\n", call, ph_status_text(status));
    exit(1);
}

/* ---- the game: a tick every 50 ms ---- */

static float inside(float coordinate)
{
    return coordinate < 0 ? 0 : coordinate > WORLD_SIZE ? WORLD_SIZE : coordinate;
}

static void enter_npcs(server *s)
{
    for (uint32_t i = 0; i < NPCS; i++) {
        ph_attrs attrs = {.given = PH_X | PH_Y | PH_KIND, .kind = i % GUARD_EVERY == 0 ? GUARD : SHEEP};
        s->npcs[i][0] = attrs.x = (float)(i * 379 % 1000);
        s->npcs[i][1] = attrs.y = (float)(i * 617 % 1000);
        expect(ph_enter(s->producer, NPC_FIRST + i, &attrs), "ph_enter");
    }
}

/* An NPC turns now and then, each at its own time. */
static void walk_npcs(server *s)
{
    static const float headings[4][2] = {{1, 0.5F}, {-0.5F, 1}, {-1, -0.5F}, {0.5F, -1}};
    for (uint32_t i = 0; i < NPCS; i++) {
        const float *heading = headings[((s->tick + i * 7) / TURN_TICKS * (i % 3 + 1) + i) % 4];
        for (uint32_t axis = 0; axis < 2; axis++)
            s->npcs[i][axis] = inside(s->npcs[i][axis] + heading[axis] * NPC_STEP);
        expect(ph_move(s->producer, NPC_FIRST + i, s->npcs[i][0], s->npcs[i][1], 0), "ph_move");
    }
}

static void walk_player(server *s, client *c)
{
    c->messages = 0;
    if (c->dx == 0 && c->dy == 0) return;
    c->x = inside(c->x + c->dx * STEP);
    c->y = inside(c->y + c->dy * STEP);
    expect(ph_move(s->producer, c->id, c->x, c->y, 0), "ph_move");
}

static void write_record(const server *s)
{
    for (uint32_t i = 0; i < NPCS; i++)
        fprintf(s->record, "%d %d %.9g %.9g %d 0\n", (int)s->tick, NPC_FIRST + (int)i, (double)s->npcs[i][0],
                (double)s->npcs[i][1], i % GUARD_EVERY == 0 ? GUARD : SHEEP);
    for (const client *c = s->clients; c < s->clients + SLOTS; c++)
        if (c->wsi != NULL)
            fprintf(s->record, "%d %d %.9g %.9g 0 %u\n", (int)s->tick, (int)c->id, (double)c->x, (double)c->y,
                    c->stealth);
}

/* Batches of a free slot, which has no observer. */
static void drop_batches(client *c)
{
    const ph_batch *batch;
    while (ph_batch_take(c->consumer, &batch) == PH_OK) expect(ph_batch_return(c->consumer, batch), "ph_batch_return");
}

static void run_tick(lws_sorted_usec_list_t *timer)
{
    server *s = lws_container_of(timer, server, timer);
    walk_npcs(s);
    for (client *c = s->clients; c < s->clients + SLOTS; c++)
        if (c->wsi != NULL) walk_player(s, c);
    expect(ph_tick(s->world, &s->tick), "ph_tick");
    if (s->record != NULL) write_record(s);
    for (client *c = s->clients; c < s->clients + SLOTS; c++)
        if (c->wsi != NULL) lws_callback_on_writable(c->wsi);
        else drop_batches(c);
    lws_sul_schedule(s->context, 0, timer, run_tick, TICK_US);
}

static void open_world(server *s)
{
    ph_class classes[] = {ph_class_default("default"), ph_class_default("sheep"), ph_class_default("guard")};
    ph_world_def def = ph_world_def_default();
    classes[0].view = 120;
    classes[0].margin = 15;
    classes[0].band_count = 1;
    classes[0].bands[0] = (ph_band){.radius = 120, .every = 1};
    classes[GUARD].reach = 200; /* seen from afar */
    def.world_size[0] = def.world_size[1] = WORLD_SIZE;
    def.tower_size = 250;
    def.entities_max = ENTITIES_MAX;
    def.classes = classes;
    def.class_count = 3;
    def.consumers = SLOTS;
    def.consumer_batches = 2;
    expect(ph_world_create(&def, &s->world), "ph_world_create");
    expect(ph_producer_open(s->world, &s->producer), "ph_producer_open");
    for (uint32_t i = 0; i < SLOTS; i++)
        expect(ph_consumer_open(s->world, i, &s->clients[i].consumer), "ph_consumer_open");
    enter_npcs(s);
}

/* ---- sending: one frame each time that the socket takes one ---- */

static char packet_bytes[LWS_PRE + PACKET_SIZE]; /* libwebsockets puts the frame's head before the text */

__attribute__((format(printf, 2, 3))) static void append(uint32_t *bytes, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(packet_bytes + LWS_PRE + *bytes, PACKET_SIZE - *bytes, format, list);
    va_end(list);
    if (length > 0 && (uint32_t)length < PACKET_SIZE - *bytes) *bytes += (uint32_t)length;
    else expect(PH_TOO_LARGE, "append"); /* LINE_BYTES is too small */
}

static void append_packet(uint32_t *bytes, const ph_batch *batch, const ph_packet *packet)
{
    const ph_change *change = packet->change;
    if (change != NULL && change->flags & PH_CHANGE_FRESH) append(bytes, "clear\n");
    for (uint32_t i = 0; change != NULL && i < change->leave_count; i++)
        append(bytes, "-%d\n", (int)batch->targets[change->first + i].id);
    for (uint32_t i = 0; change != NULL && i < change->enter_count; i++) {
        const uint32_t at = change->first + change->leave_count + i;
        append(bytes, "+%d %d\n", (int)batch->targets[at].id, batch->kinds[at]);
    }
    for (uint32_t i = 0; packet->update != NULL && i < packet->update->count; i++) {
        const ph_moved *moved = &batch->moved[batch->due[packet->update->first + i]];
        append(bytes, "@%d %.1f %.1f\n", (int)moved->id, (double)moved->x, (double)moved->y);
    }
}

static int send_text(client *c, char *text, uint32_t bytes)
{
    const int sent = lws_write(c->wsi, (unsigned char *)text + LWS_PRE, bytes, LWS_WRITE_TEXT);
    return lws_callback_on_writable(c->wsi) < 0 || sent < (int)bytes ? -1 : 0; /* it may take the next one, too */
}

static int send_packet(server *s, client *c)
{
    const ph_batch *batch;
    ph_packets packets;
    ph_packet packet;
    uint32_t bytes = 0;
    if (ph_batch_take(c->consumer, &batch) != PH_OK) return 0;
    append(&bytes, "tick %d %d\nyou %d %.1f %.1f\n", (int)batch->tick, (int)batch->tick_first, (int)c->id, (double)c->x,
           (double)c->y);
    expect(ph_packets_begin(c->consumer, batch, &packets), "ph_packets_begin");
    while (ph_packets_next(&packets, &packet))
        if (packet.observer == c->id) append_packet(&bytes, batch, &packet); /* else of the slot's last client */
    if (batch->tick_first < batch->tick) s->net_packets++;
    expect(ph_batch_return(c->consumer, batch), "ph_batch_return");
    return send_text(c, packet_bytes, bytes);
}

static int send_next(server *s, client *c)
{
    if (c->reply_bytes == 0) return send_packet(s, c);
    const uint32_t bytes = c->reply_bytes;
    c->reply_bytes = 0;
    return send_text(c, c->replies, bytes);
}

/* An answer that has no room is dropped: a client that asks and does not read. */
static void reply(client *c, const char *verb, const char *text)
{
    const uint32_t room = REPLIES_SIZE - c->reply_bytes;
    int length = snprintf(c->replies + LWS_PRE + c->reply_bytes, room, "%s %s\n", verb, text);
    if (length > 0 && (uint32_t)length < room) c->reply_bytes += (uint32_t)length;
    lws_callback_on_writable(c->wsi);
}

/* ---- receiving: what a client sends is checked here ---- */

static int send_away(client *c, enum lws_close_status status, const char *reason)
{
    lws_close_reason(c->wsi, status, (unsigned char *)reason, strlen(reason));
    return -1;
}

static int refuse(server *s, client *c, const char *reason)
{
    s->refused++;
    reply(c, "error", reason);
    return ++c->errors < ERRORS_MAX ? 0 : send_away(c, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many errors");
}

/* Reads " NUMBER" and goes behind it. NaN is in no range. */
static bool read_number(const char **at, double low, double high, double *value)
{
    char *end;
    if (**at != ' ') return false;
    *value = strtod(*at + 1, &end);
    if (end == *at + 1 || !(*value >= low && *value <= high)) return false;
    *at = end;
    return true;
}

static int obey(server *s, client *c, const char *message)
{
    double a, b;
    const char *at = strchr(message, ' ');
    if (++c->messages > MESSAGES_A_TICK) return refuse(s, c, "too many messages in a tick");
    if (at == NULL) return refuse(s, c, "no such message");
    if (strncmp(message, "walk ", 5) == 0) {
        if (!read_number(&at, -1, 1, &a) || !read_number(&at, -1, 1, &b) || *at != 0)
            return refuse(s, c, "walk needs two numbers from -1 to 1");
        c->dx = (float)a;
        c->dy = (float)b;
    } else if (strncmp(message, "sneak ", 6) == 0) {
        if (!read_number(&at, 0, 1, &a) || (a != 0 && a != 1) || *at != 0) return refuse(s, c, "sneak needs 0 or 1");
        c->stealth = (uint8_t)a;
        expect(ph_set(s->producer, c->id, &(ph_attrs){.given = PH_STEALTH, .stealth = c->stealth}), "ph_set");
    } else if (strncmp(message, "why ", 4) == 0) {
        ph_explanation explanation;
        char reason[200], text[256];
        if (!read_number(&at, 1, UINT32_MAX, &a) || a != (double)(uint32_t)a || *at != 0)
            return refuse(s, c, "why needs the id of an entity");
        ph_status status = ph_explain(s->world, c->id, (uint64_t)a, &explanation); /* one thread: no tick runs now */
        if (status == PH_OK) ph_explanation_text(&explanation, reason, sizeof reason);
        snprintf(text, sizeof text, "%u %s", (uint32_t)a, status == PH_OK ? reason : ph_status_text(status));
        reply(c, "why", text);
    } else {
        return refuse(s, c, "no such message");
    }
    return 0;
}

/* A message may come in pieces. */
static int receive_bytes(server *s, client *c, const char *bytes, size_t count)
{
    if (count >= MESSAGE_SIZE - c->in_bytes) {
        s->refused++;
        return send_away(c, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "a message has at most 63 bytes");
    }
    memcpy(c->in + c->in_bytes, bytes, count);
    c->in_bytes += (uint32_t)count;
    if (!lws_is_final_fragment(c->wsi)) return 0;
    c->in[c->in_bytes] = 0;
    const bool is_text = !lws_frame_is_binary(c->wsi) && strlen(c->in) == c->in_bytes;
    c->in_bytes = 0;
    return is_text ? obey(s, c, c->in) : refuse(s, c, "a message is text");
}

/* ---- connections ---- */

/* Other sites' pages may open sockets to this server, too: the browser names the page's site as the origin. */
static bool is_own_page(struct lws *wsi)
{
    char origin[128], host[128];
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) == 0) return true; /* no browser */
    if (lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) <= 0) return false;
    if (lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) <= 0) return false;
    return strncmp(origin, "http://", 7) == 0 && strcmp(origin + 7, host) == 0;
}

static client *open_client(server *s, struct lws *wsi)
{
    client *c = s->clients;
    while (c < s->clients + SLOTS && c->wsi != NULL) c++;
    if (c == s->clients + SLOTS) return NULL;
    *c = (client){.wsi = wsi, .consumer = c->consumer, .id = ++s->ids};
    c->x = 450 + (float)(c->id * 37 % 100); /* near the middle, and not on one spot */
    c->y = 450 + (float)(c->id * 61 % 100);
    ph_attrs attrs = {.given = PH_X | PH_Y | PH_CONSUMER, .x = c->x, .y = c->y, .consumer = (uint32_t)(c - s->clients)};
    expect(ph_enter(s->producer, c->id, &attrs), "ph_enter");
    setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &(int){SOCKET_BYTES},
               sizeof(int)); /* small for the test */
    return c;
}

static void close_client(server *s, client *c)
{
    expect(ph_leave(s->producer, c->id), "ph_leave");
    c->wsi = NULL;
}

static int serve(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t bytes)
{
    server *s = lws_context_user(lws_get_context(wsi));
    client **c = user;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        if (strcmp(in, "/") == 0) {
            const int sent = lws_serve_http_file(wsi, s->page, "text/html", NULL, 0);
            return sent < 0 || (sent > 0 && lws_http_transaction_completed(wsi)) ? -1 : 0;
        }
        lws_return_http_status(wsi, HTTP_STATUS_NOT_FOUND, NULL);
        return -1;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return is_own_page(wsi) ? 0 : -1;
    case LWS_CALLBACK_ESTABLISHED:
        *c = open_client(s, wsi);
        if (*c != NULL) return 0;
        return send_away(&(client){.wsi = wsi}, LWS_CLOSE_STATUS_UNEXPECTED_CONDITION, "all slots are taken");
    case LWS_CALLBACK_RECEIVE:
        return receive_bytes(s, *c, in, bytes);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return *c == NULL ? 0 : send_next(s, *c);
    case LWS_CALLBACK_CLOSED:
        if (*c != NULL) close_client(s, *c);
        return 0;
    default:
        return lws_callback_http_dummy(wsi, reason, user, in, bytes);
    }
}

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

int main(int argc, char **argv)
{
    static server s;
    static const struct lws_protocols protocols[] = {
        {.name = "arena", .callback = serve, .per_session_data_size = sizeof(client *), .rx_buffer_size = 512},
        {.name = NULL},
    };
    struct lws_context_creation_info info = {
        .protocols = protocols, .iface = "127.0.0.1", .user = &s, .gid = -1, .uid = -1};
    if (argc < 2) return fprintf(stderr, "usage: browser_arena PAGE [PORT [RECORD]]\n"), 2;
    s.page = argv[1];
    info.port = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 8080;
    info.options = LWS_SERVER_OPTION_VALIDATE_UTF8 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
    lws_set_log_level(LLL_ERR, NULL);
    if (argc > 3 && (s.record = fopen(argv[3], "w")) == NULL) return perror(argv[3]), 1;
    s.context = lws_create_context(&info);
    if (s.context == NULL) return fprintf(stderr, "port %d is taken\n", info.port), 1;
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
    open_world(&s);
    printf("http://127.0.0.1:%d/\n", lws_get_vhost_listen_port(lws_get_vhost_by_name(s.context, "default")));
    fflush(stdout);
    run_tick(&s.timer);
    while (!stopped && lws_service(s.context, 0) >= 0) continue;
    lws_context_destroy(s.context); /* closes the clients */
    printf("%d clients came, %d messages were refused, %d packets had the net difference of several ticks\n",
           (int)s.ids, (int)s.refused, (int)s.net_packets);
    ph_world_destroy(s.world);
    if (s.record != NULL) fclose(s.record);
    return 0;
}
