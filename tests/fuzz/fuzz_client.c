/*
 * Any bytes as messages of nodes to the clients of a gateway. The first byte chooses: odd, the bytes are the body, and
 * each change begins at the sound head of a node's change, with their first bytes as its numbers, so that feeds go on.
 * A change that decodes has one form of bytes; the lists of clients ascend, what is held is bounded, and once all waits
 * are over a whole list makes any client right. The same bytes are read as states, and as questions of a gateway.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/core.h"
#include "tools/client_feed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Holds in every build, unlike PHX_ASSERT. */
#define HOLDS(x) ((x) ? (void)0 : phx_panic(__FILE__, __LINE__, #x))

enum { CLIENTS = 4, NODE = 5, IDS_MAX = 8 };

static phx_mem mem;
static phx_client_counts counts;
static phx_client_feed clients[CLIENTS];
static uint64_t now_ms;

static void check_form(const phx_client_change *change, const unsigned char *from, const unsigned char *to)
{
    const uint32_t ids = change->leave_count + change->enter_count;
    const size_t size = (size_t)(to - from);
    HOLDS(size == phx_client_change_bytes(ids));
    unsigned char *again = malloc(size);
    HOLDS(again);
    phx_writer writer = phx_writer_of(again, size);
    phx_client_put_change(&writer, change);
    for (uint32_t i = 0; i < ids; i++) phx_client_put_id(&writer, phx_client_id_at(change, i));
    HOLDS(!writer.failed && phx_writer_left(&writer) == 0 && memcmp(again, from, size) == 0);
    free(again);
}

static void check_client(const phx_client_feed *client)
{
    for (uint32_t i = 1; i < client->count; i++) HOLDS(client->ids[i - 1] < client->ids[i]);
    HOLDS(client->held_count <= PHX_CLIENT_HELD_MAX);
    for (uint32_t i = 0; i < client->held_count; i++) {
        const phc_feed *held = &client->held[i].change.feed, *shown = &client->shown;
        HOLDS(held->begun > shown->begun || (held->begun == shown->begun && held->number > shown->number + 1));
    }
    HOLDS(client->held_count == 0 || client->waits);
}

static void take_message(const unsigned char *bytes, size_t size)
{
    phx_client_change change;
    phx_reader reader = phx_reader_of(bytes, size);
    const uint64_t source = phx_client_get_head(&reader);
    HOLDS((source == 0) == reader.failed);
    if (phx_client_other_format(bytes, size) != 0) HOLDS(source == 0 && bytes[0] != PHX_CLIENT_FORMAT);
    if (source == 0) return;
    for (const unsigned char *from = reader.at; phx_client_get_change(&reader, &change); from = reader.at) {
        check_form(&change, from, reader.at);
        phx_client_feed *client = &clients[change.observer % CLIENTS];
        phx_client_take(client, &change, now_ms);
        check_client(client);
        if (change.feed.number % 4 == 0) phx_client_hear_last(client, &change.feed, now_ms);
        now_ms += change.feed.number % PHX_CLIENT_WAIT_MS;
        (void)phx_client_asks(client, now_ms);
    }
}

/* Each state, and each question, that decodes has one form of bytes, and can be. */
static void read_states(const unsigned char *bytes, size_t size)
{
    unsigned char again[PHX_CLIENT_STATE_BYTES];
    phx_walker_state state;
    phx_reader reader = phx_reader_of(bytes, size);
    if (phx_client_get_head(&reader) == 0) return;
    for (const unsigned char *from = reader.at; phx_client_get_state(&reader, &state); from = reader.at) {
        phx_writer writer = phx_writer_of(again, sizeof again);
        phx_client_put_state(&writer, &state);
        HOLDS(!writer.failed && phx_writer_left(&writer) == 0 && reader.at == from + sizeof again);
        HOLDS(memcmp(again, from, sizeof again) == 0);
        HOLDS(state.id != 0 && state.feed_begun != 0 && state.feed_begun <= state.ownership);
    }
    HOLDS(reader.failed || phx_reader_left(&reader) == 0);
}

static void read_questions(const unsigned char *bytes, size_t size)
{
    uint64_t id, count = 0;
    phx_reader reader = phx_reader_of(bytes, size);
    if (phx_client_get_head(&reader) == 0) return;
    for (; phx_client_get_id(&reader, &id); count++) HOLDS(id != 0);
    HOLDS(reader.failed || size == PHX_CLIENT_HEAD_BYTES + count * sizeof id);
}

/* Two bytes a change: its client, feed, number, form; and how many ids follow, of a byte each. */
static void take_drawn(const uint8_t *data, size_t size)
{
    static unsigned char bytes[PHX_CLIENT_HEAD_BYTES + PHX_CLIENT_CHANGE_BYTES + IDS_MAX * sizeof(uint64_t)];
    while (size >= 2) {
        phx_writer writer = phx_writer_of(bytes, sizeof bytes);
        const uint32_t given = data[1] % IDS_MAX, ids = given <= size - 2 ? given : (uint32_t)(size - 2);
        const bool is_whole = data[0] & 1;
        const uint64_t begun = 1 + (data[0] >> 1 & 3), number = 1 + (data[0] >> 3 & 15);
        const uint32_t leaves = is_whole || number == 1 ? 0 : ids / 2;
        phx_client_put_head(&writer, NODE);
        phx_client_put_change(&writer, &(phx_client_change){.observer = 1 + (data[0] >> 7),
                                                            .feed = {begun + number / 8, begun, number, {0}},
                                                            .is_whole = is_whole,
                                                            .leave_count = leaves,
                                                            .enter_count = ids - leaves});
        for (uint32_t i = 0; i < ids; i++) phx_client_put_id(&writer, 1 + data[2 + i] % 16u);
        HOLDS(!writer.failed);
        take_message(bytes, sizeof bytes - phx_writer_left(&writer));
        data += 2 + ids;
        size -= 2 + ids;
    }
}

/* No wait is left, and the list is as told. */
static void check_whole(phx_client_feed *client)
{
    static const unsigned char ids[] = {3, 0, 0, 0, 0, 0, 0, 0};
    phc_feed feed = client->told;
    if (feed.begun == 0) feed.begun = feed.ownership = 1;
    if (feed.number >= UINT64_MAX - 1 || feed.begun == UINT64_MAX) return;
    feed.number++;
    phx_client_take(client,
                    &(phx_client_change){.observer = 1, .feed = feed, .is_whole = true, .enter_count = 1, .ids = ids},
                    now_ms);
    check_client(client);
    HOLDS(client->held_count == 0 && !phx_client_asks(client, now_ms + PHX_CLIENT_WAIT_MS));
    HOLDS(client->count == 1 && client->ids[0] == 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    phx_mem_init(&mem, (ph_allocator){0});
    now_ms = 0;
    for (uint32_t i = 0; i < CLIENTS; i++) clients[i] = (phx_client_feed){.mem = &mem, .counts = &counts};
    if (data[0] & 1) take_drawn(data + 1, size - 1);
    else take_message(data + 1, size - 1);
    read_states(data + 1, size - 1);
    read_questions(data + 1, size - 1);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        check_whole(&clients[i]);
        phx_client_free(&clients[i]);
    }
    return 0;
}
