/*
 * Any bytes as a cluster map, as messages to a node, as questions, and as reports of a load. The first byte chooses:
 * bit 0, a map, not a message; bit 1, the sum is made right first, so that the checks behind it are reached; bit 2, the
 * head of a message is made right too; bit 3, a report of a load; bit 4, a question or an answer. What decodes has one
 * form of bytes; behind any message the node's tables agree, and each event names an entity.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/membership/load_report.h"
#include "cluster/node/exchange.h"
#include "cluster/node/hand_over.h"
#include "cluster/node/map_barrier.h"
#include "cluster/wire/question_wire.h"
#include "cluster/wire/sum.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Holds in every build, unlike PHX_ASSERT. */
#define HOLDS(x) ((x) ? (void)0 : phx_panic(__FILE__, __LINE__, #x))

enum { IS_MAP = 1, SEAL = 2, HEAD = 4, IS_LOAD = 8, IS_QUESTION = 16, PEER = 11, SELF = 10, OWN_IDS = 3 };

static void seal_bytes(unsigned char *bytes, size_t size)
{
    phx_writer writer = {.at = bytes + size - PHX_SUM_BYTES, .end = bytes + size};
    if (size >= PHX_SUM_BYTES) (void)phx_sum_seal(&writer, bytes);
}

/* Magic, format, kind and names of a channel's message; count and numbers stay as they are. */
static void mend_head(unsigned char *bytes, size_t size)
{
    if (size < PHX_WIRE_HEAD_BYTES) return;
    phx_writer writer = phx_writer_of(bytes, PHX_WIRE_HEAD_BYTES);
    phx_write_number(&writer, 8, 0x0000020157434850);
    phx_write_number(&writer, 4, size);
    writer.at += 4;
    phx_write_number(&writer, 8, PEER);
    phx_write_number(&writer, 8, SELF);
    phx_write_number(&writer, 8, 2);
}

/* All of it but kind and count, which stay. */
static void mend_question(unsigned char *bytes, size_t size)
{
    if (size < PHX_QUESTION_HEAD_BYTES) return;
    const uint64_t kind = 1 + bytes[5] % 2u;
    phx_writer writer = phx_writer_of(bytes, PHX_QUESTION_HEAD_BYTES);
    phx_write_number(&writer, 8, 0x0000000151434850 | kind << 40);
    phx_write_number(&writer, 4, size);
    writer.at += 4;
    phx_write_number(&writer, 8, PEER);
    phx_write_number(&writer, 8, SELF);
    phx_write_number(&writer, 4, 2);
    phx_write_number(&writer, 4, 1);
    phx_write_number(&writer, 8, 0);
}

static void try_question(const unsigned char *bytes, size_t size)
{
    static unsigned char again[PHX_QUESTION_BYTES_MAX];
    phx_question_head head;
    const unsigned char *body;
    if (!phx_question_open(&head, &body, bytes, size)) return;
    HOLDS(phx_question_is_meant(bytes, size) && head.count <= PHC_ASKED_MAX && head.source != 0 && head.number != 0);
    for (uint32_t i = 0; i < head.count; i++)
        HOLDS(head.answers ? body[i] <= PHX_ANSWER_LATER : phx_question_id_at(body, i) != 0);
    memcpy(phx_question_body(again), body, head.answers ? head.count : head.count * sizeof(uint64_t));
    HOLDS(phx_question_seal(again, &head) == size && memcmp(again, bytes, size) == 0);
}

static void try_map(const unsigned char *bytes, size_t size)
{
    static phx_cluster_map map;
    static unsigned char again[PHX_CLUSTER_MAP_BYTES_MAX];
    if (!phx_cluster_map_decode(&map, bytes, size)) return;
    HOLDS(phx_cluster_map_encode(&map, again, sizeof again) == size && memcmp(again, bytes, size) == 0);
    const phx_cluster_map *read = &map;
    for (uint32_t i = 0; i < read->member_count; i++)
        HOLDS(phx_cluster_map_member(read, read->members[i].registration) == &read->members[i]);
    if (map.member_count > 0) (void)phx_cluster_map_put_out(&map, map.members[0].registration);
    HOLDS(phx_cluster_map_decode(&map, again, phx_cluster_map_encode(&map, again, sizeof again)));
}

static void try_load(const unsigned char *bytes, size_t size)
{
    static phx_load_report report;
    static unsigned char again[PHX_LOAD_REPORT_BYTES_MAX];
    if (!phx_load_report_decode(&report, bytes, size)) return;
    HOLDS(phx_load_report_encode(&report, again, sizeof again) == size && memcmp(again, bytes, size) == 0);
}

/* It has one form of bytes, and is one that the world can be asked for. */
static void try_say(const phx_offer *offer)
{
    static unsigned char again[PHX_SAY_BYTES + 4 * PH_BROADCAST_KINDS_MAX + PH_PAYLOAD_MAX];
    uint32_t kinds[PH_BROADCAST_KINDS_MAX];
    phx_say say;
    HOLDS(phx_say_get(&say, offer->state, offer->state_bytes) && phx_say_bytes(&say) == offer->state_bytes);
    HOLDS(say.number != 0 && (say.source != 0) == (say.ownership != 0) && say.kind_count <= PH_BROADCAST_KINDS_MAX);
    for (uint32_t i = 0; i < say.kind_count; i++) kinds[i] = phx_say_kind_at(&say, i);
    phx_say_put(again, &say, kinds);
    HOLDS(memcmp(again, offer->state, offer->state_bytes) == 0);
}

static void check_node(phx_node *node)
{
    phx_node_event event;
    uint64_t events = 0, gained = 0;
    for (uint32_t i = 0; i < node->holdings.count; i++)
        HOLDS(phx_holdings_find(&node->holdings, node->holdings.items[i].id) == &node->holdings.items[i]);
    while (phx_node_event_next(node, &event)) {
        events++;
        HOLDS(event.peer == PEER && event.offer.state_bytes <= PHX_WIRE_STATE_BYTES_MAX);
        if (event.kind == PHX_NODE_SAID) {
            try_say(&event.offer);
            continue;
        }
        HOLDS(event.offer.id != 0 && (event.kind == PHX_NODE_GAINED || event.kind == PHX_NODE_DUPLICATE));
        if (event.kind == PHX_NODE_GAINED) gained += event.offer.follower_count + 1;
    }
    HOLDS(gained == node->counts.gained);
    HOLDS(node->peers[0].channel.taken >= events); /* items without an event tell how far others were heard */
    HOLDS(node->holdings.count == OWN_IDS + node->counts.gained - node->counts.acked);
}

static void try_message(const unsigned char *bytes, size_t size)
{
    static phx_cluster_map map;
    static phx_node node;
    const phx_node_def def = {.member = {.registration = SELF, .number = 1}, .unacked_max = OWN_IDS};
    phx_cluster_map_init(&map, 1);
    HOLDS(phx_cluster_map_join(&map, def.member));
    HOLDS(phx_cluster_map_join(&map, (phx_member){.registration = PEER, .number = 2}));
    phx_node_init(&node, &def);
    HOLDS(phx_node_map(&node, &map) == PH_OK);
    for (uint64_t id = 1; id <= OWN_IDS; id++) {
        HOLDS(phx_hand_over_enter(&node, id, 0, 0) == PH_OK);
        if (id > 1) HOLDS(phx_hand_over_send(&node, id, 2, NULL, 0, &id, sizeof id) == PH_OK);
    }
    for (uint32_t i = 0; i < 2; i++) phx_exchange_receive(&node, bytes, size); /* the second time it is a double */
    phx_map_barrier_begin(&node, 1);
    check_node(&node);
    phx_node_free(&node);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    const size_t count = size - 1;
    unsigned char *bytes = malloc(count > 0 ? count : 1);
    HOLDS(bytes);
    memcpy(bytes, data + 1, count);
    const bool is_question = (data[0] & IS_QUESTION) != 0, is_map = !is_question && data[0] & IS_MAP;
    if (data[0] & HEAD && is_question) mend_question(bytes, count);
    else if (data[0] & HEAD && !is_map) mend_head(bytes, count);
    if (data[0] & (SEAL | HEAD)) seal_bytes(bytes, count);
    if (data[0] & IS_LOAD) try_load(bytes, count);
    else if (is_question) try_question(bytes, count);
    else if (is_map) try_map(bytes, count);
    else try_message(bytes, count);
    free(bytes);
    return 0;
}
