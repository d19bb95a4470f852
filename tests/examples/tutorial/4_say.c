/* Tutorial, step 4: words that reach the players near by. */
#include <pharos/pharos.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANN = 1, BEN = 2, CID = 3, PLAYERS = 3 };
static const char *const names[] = {"", "Ann", "Ben", "Cid"};
static char inbox[PLAYERS + 1][256];

static void check(ph_status status)
{
    if (status == PH_OK) return;
    fprintf(stderr, "%s: %s\n", ph_status_name(status), ph_status_text(status));
    exit(1);
}

static void enter(ph_producer producer, uint64_t id, float x)
{
    ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = x, .y = 100, .view = 50};
    check(ph_enter(producer, id, &attrs));
}

/* The payload is any bytes of the host: here a text with its 0. The library copies it. */
static void say(ph_producer producer, uint64_t speaker, const char *text)
{
    check(ph_broadcast(producer, speaker, text, (uint32_t)strlen(text) + 1, NULL));
}

/* With a radius distance decides, not the lists; SELF: the speaker hears it too. */
static void shout(ph_producer producer, uint64_t speaker, const char *text, float radius)
{
    ph_broadcast_options options = {.radius = radius, .flags = PH_BROADCAST_SELF};
    check(ph_broadcast(producer, speaker, text, (uint32_t)strlen(text) + 1, &options));
}

static void read_packet(const ph_batch *batch, const ph_packet *packet)
{
    char *in = inbox[packet->observer];
    const ph_delivery *delivery = packet->delivery;
    for (uint32_t i = 0; delivery != NULL && i < delivery->count; i++) {
        const ph_message *message = &batch->messages[batch->heard[delivery->first + i]];
        size_t length = strlen(in);
        snprintf(in + length, sizeof inbox[0] - length, " %s: %s", names[message->source],
                 (const char *)batch->payload + message->first);
    }
}

int main(void)
{
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    ph_world_def def = ph_world_def_default();
    check(ph_world_create(&def, &world));
    check(ph_producer_open(world, &producer));
    check(ph_consumer_open(world, 0, &consumer));
    enter(producer, ANN, 100);
    enter(producer, BEN, 130);
    enter(producer, CID, 300);
    say(producer, ANN, "hello");
    shout(producer, CID, "over here!", 500);
    say(producer, BEN, "coming");
    check(ph_tick(world, NULL));

    const ph_batch *batch;
    while (ph_batch_take(consumer, &batch) == PH_OK) {
        ph_packets packets;
        ph_packet packet;
        check(ph_packets_begin(consumer, batch, &packets));
        while (ph_packets_next(&packets, &packet)) read_packet(batch, &packet);
        check(ph_batch_return(consumer, batch));
    }
    for (int i = ANN; i <= CID; i++) printf("%s hears%s\n", names[i], inbox[i]);
    check(ph_world_destroy(world));
    return 0;
}
