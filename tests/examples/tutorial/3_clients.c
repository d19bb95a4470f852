/* Tutorial, step 3: each player has a client; one packet a client and tick; a slot that is used again. */
#include <pharos/pharos.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANN = 1, BEN = 2, CID = 3, SLOTS = 2 };

/* A connection. `out` goes to the client at the end of the tick: here text, in a server bytes. */
typedef struct client {
    uint32_t session; /* another number for each login; 0 = the slot is free */
    char out[256];
} client;

static client clients[SLOTS];
static uint32_t last_session;
static ph_producer producer;

static void check(ph_status status)
{
    if (status == PH_OK) return;
    fprintf(stderr, "%s: %s\n", ph_status_name(status), ph_status_text(status));
    exit(1);
}

__attribute__((format(printf, 2, 3))) static void append(client *c, const char *format, ...)
{
    size_t length = strlen(c->out);
    va_list list;
    va_start(list, format);
    vsnprintf(c->out + length, sizeof c->out - length, format, list);
    va_end(list);
}

/* The user data of a player is its client: the slot, and the session above it. */
static void log_in(uint32_t slot, uint64_t player, float x)
{
    clients[slot] = (client){.session = ++last_session};
    ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW | PH_USER_DATA, .x = x, .y = 100, .view = 50};
    attrs.user_data = (uint64_t)clients[slot].session << 32 | slot;
    check(ph_enter(producer, player, &attrs));
}

static void log_out(uint32_t slot, uint64_t player)
{
    clients[slot].session = 0;
    check(ph_leave(producer, player));
}

/* A batch may be older than a logout: its packet is for a session that is over. */
static client *find_client(uint64_t user_data)
{
    client *c = &clients[user_data & UINT32_MAX];
    return c->session == user_data >> 32 ? c : NULL;
}

static void write_packet(const ph_batch *batch, const ph_packet *packet)
{
    client *c = find_client(packet->user_data);
    if (c == NULL) {
        printf("a packet for %d, after the end of its session\n", (int)packet->observer);
        return;
    }
    const ph_change *change = packet->change;
    if (change == NULL) return;
    if (change->flags & PH_CHANGE_FRESH) append(c, " clear");
    for (uint32_t i = 0; i < change->leave_count + change->enter_count; i++)
        append(c, " %c%d", i < change->leave_count ? '-' : '+', (int)batch->targets[change->first + i].id);
}

static void send_packets(ph_consumer consumer)
{
    const ph_batch *batch;
    while (ph_batch_take(consumer, &batch) == PH_OK) {
        ph_packets packets;
        ph_packet packet;
        check(ph_packets_begin(consumer, batch, &packets));
        while (ph_packets_next(&packets, &packet)) write_packet(batch, &packet);
        check(ph_batch_return(consumer, batch));
    }
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (clients[i].out[0] != 0) printf("to slot %u:%s\n", i, clients[i].out);
        clients[i].out[0] = 0;
    }
}

int main(void)
{
    ph_world world;
    ph_consumer consumer;
    ph_world_def def = ph_world_def_default();
    check(ph_world_create(&def, &world));
    check(ph_producer_open(world, &producer));
    check(ph_consumer_open(world, 0, &consumer));
    log_in(0, ANN, 100);
    log_in(1, BEN, 130);
    check(ph_tick(world, NULL));
    send_packets(consumer);

    check(ph_move(producer, BEN, 400, 100, 0));
    check(ph_tick(world, NULL));
    log_out(1, BEN);     /* before the packets of this tick went out, ... */
    log_in(1, CID, 110); /* ... and another client has the slot already */
    send_packets(consumer);

    check(ph_tick(world, NULL));
    send_packets(consumer);
    check(ph_world_destroy(world));
    return 0;
}
