/*
 * Any bytes as a cluster map, as messages to a node, as questions, as reports of a load, as registrations, as states of
 * hand-overs, and as two texts of definitions, which a refusal compares. The first byte chooses: bit 0, a map, not a
 * message; bit 1, the sum is made right first, so that the checks behind it are reached; bit 2, the head is made right
 * too; bit 3, a report of a load; bit 4, a question or an answer; bit 5, a registration; bit 6, a state; bit 7, texts.
 * What decodes has one form of bytes; behind any message the node's tables agree, and each event names an entity.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/halo/family.h"
#include "cluster/map/map_changes.h"
#include "cluster/membership/load_report.h"
#include "cluster/membership/refusal.h"
#include "cluster/membership/registration.h"
#include "cluster/node/exchange.h"
#include "cluster/node/hand_over.h"
#include "cluster/node/map_barrier.h"
#include "cluster/wire/question_wire.h"
#include "cluster/wire/sum.h"
#include "support/node_reads.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Holds in every build, unlike PHX_ASSERT. */
#define HOLDS(x) ((x) ? (void)0 : phx_panic(__FILE__, __LINE__, #x))

enum {
    IS_MAP = 1,
    SEAL = 2,
    HEAD = 4,
    IS_LOAD = 8,
    IS_QUESTION = 16,
    IS_REGISTRATION = 32,
    IS_FAMILY = 64,
    IS_TEXTS = 128
};
enum { PEER = 11, SELF = 10, OWN_IDS = 3 };

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
    if (!phx_question_open(&head, &body, PHX_FORMATS, bytes, size)) return;
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
    if (!phx_cluster_map_decode(&map, PHX_FORMATS, bytes, size)) return;
    HOLDS(phx_cluster_map_encode(&map, again, sizeof again) == size && memcmp(again, bytes, size) == 0);
    const phx_cluster_map *read = &map;
    for (uint32_t i = 0; i < read->member_count; i++)
        HOLDS(phx_cluster_map_member(read, read->members[i].registration) == &read->members[i]);
    if (map.member_count > 0) (void)phx_cluster_map_put_out(&map, map.members[0].registration);
    HOLDS(phx_cluster_map_decode(&map, PHX_FORMATS, again, phx_cluster_map_encode(&map, again, sizeof again)));
}

static void try_load(const unsigned char *bytes, size_t size)
{
    static phx_load_report report;
    static unsigned char again[PHX_LOAD_REPORT_BYTES_MAX];
    if (!phx_load_report_decode(&report, bytes, size)) return;
    HOLDS(phx_load_report_encode(&report, again, sizeof again) == size && memcmp(again, bytes, size) == 0);
}

/* As a key nodes/ and as its value; with `mend` size, magic and formats of the value are made right first. */
static void try_registration(const char *bytes, size_t size, bool mend)
{
    unsigned char own[PHX_REGISTRATION_BYTES] = {0}, again[PHX_REGISTRATION_BYTES];
    char number_text[PHC_KEY_MAX + 1];
    phx_registration read;
    uint16_t number;
    (void)snprintf(number_text, sizeof number_text, "%.*s", (int)size, bytes);
    if (phx_registration_number(number_text, &number))
        HOLDS(number > 0 && strspn(number_text, "0123456789") == strlen(number_text) &&
              strtoul(number_text, NULL, 10) == number);
    if (mend) {
        enum { HEAD_BYTES = 6 }; /* magic and formats */
        phx_registration_encode(&(phx_registration){.formats = PHX_FORMATS}, own);
        for (size_t i = HEAD_BYTES; i < sizeof own && i - HEAD_BYTES < size; i++)
            own[i] = (unsigned char)bytes[i - HEAD_BYTES];
        bytes = (const char *)own;
        size = sizeof own;
    }
    if (!phx_registration_decode(&read, bytes, size)) return;
    HOLDS(size >= sizeof again); /* a later version may append bytes */
    phx_registration_encode(&read, again);
    HOLDS(memcmp(again, bytes, sizeof again) == 0);
    HOLDS(phx_registration_of(&read, 1, size) != 0);
}

/* The state of an offer that names the ids of its members' heads, where these are: else the ids 1 and up. */
static void try_family(const unsigned char *bytes, size_t size)
{
    enum { IDS_MAX = 4 };
    unsigned char ids[IDS_MAX][sizeof(uint64_t)];
    uint64_t first = 1, sum = 0;
    phx_family family;
    phx_reader reader = phx_reader_of(bytes, size);
    const uint64_t capsule_bytes = phx_read_number(&reader, 4), count = phx_read_number(&reader, 4);
    const uint32_t named = count >= 1 && count <= IDS_MAX + 1 ? (uint32_t)count : 1;
    (void)phx_read_bytes(&reader, capsule_bytes);
    for (uint32_t i = 0; i < named; i++) {
        const uint64_t id = reader.failed ? i + 1 : phx_read_number(&reader, 8);
        phx_writer writer = phx_writer_of(ids[i > 0 ? i - 1 : 0], sizeof ids[0]);
        if (i == 0) first = id;
        else phx_write_number(&writer, 8, id);
        (void)phx_read_bytes(&reader, PHX_FAMILY_MEMBER_BYTES - 8);
    }
    const phx_offer offer = {
        .id = first, .followers = ids[0], .follower_count = named - 1, .state = bytes, .state_bytes = (uint32_t)size};
    if (!phx_family_open(&family, &offer)) return;
    HOLDS(family.count == named && PHX_FAMILY_HEAD_BYTES + (size_t)family.capsule_bytes <= size);
    for (uint32_t i = 0; i < family.count; i++) {
        const phx_family_member member = phx_family_member_at(&family, i);
        HOLDS(member.id != 0 && (i > 0 || member.id == first));
        HOLDS(member.blob >= bytes && member.blob_bytes <= (size_t)(bytes + size - member.blob));
        for (uint32_t n = 0; n < member.blob_bytes; n++) sum += member.blob[n];
    }
    HOLDS(sum <= size * UINT8_MAX);
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
    while (take_next_event(node, &event)) {
        events++;
        HOLDS(event.peer == PEER && event.offer.state_bytes <= PHX_WIRE_STATE_BYTES_MAX);
        if (event.kind == PHX_NODE_SAID) {
            try_say(&event.offer);
            continue;
        }
        HOLDS(event.offer.id != 0 && (event.kind == PHX_NODE_GAINED || event.kind == PHX_NODE_DUPLICATE));
        gained += event.offer.follower_count + 1;
    }
    HOLDS(gained == node->counts.gained + node->counts.duplicates);
    HOLDS(node->peers[0].channel.taken >= events); /* items without an event tell how far others were heard */
    HOLDS(node->holdings.count + node->replaced == OWN_IDS + node->counts.gained - node->counts.acked);
}

static void try_message(const unsigned char *bytes, size_t size)
{
    static phx_cluster_map map;
    static phx_node node;
    const phx_node_def def = {.member = {.registration = SELF, .number = 1, .format = PHX_FORMAT_MAX},
                              .unacked_max = OWN_IDS};
    phx_cluster_map_init(&map, 1, 1);
    HOLDS(phx_cluster_map_join(&map, def.member));
    HOLDS(phx_cluster_map_join(&map, (phx_member){.registration = PEER, .number = 2, .format = PHX_FORMAT_MAX}));
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

/* Bytes with a sum at their end. */
static void try_sealed(unsigned char *bytes, size_t size, unsigned choice)
{
    const bool is_question = (choice & IS_QUESTION) != 0, is_map = !is_question && choice & IS_MAP;
    if (choice & HEAD && is_question) mend_question(bytes, size);
    else if (choice & HEAD && !is_map) mend_head(bytes, size);
    if (choice & (SEAL | HEAD)) seal_bytes(bytes, size);
    if (choice & IS_LOAD) try_load(bytes, size);
    else if (is_question) try_question(bytes, size);
    else if (is_map) try_map(bytes, size);
    else try_message(bytes, size);
}

/* The first byte says how many of the bytes are the own text. The line can be shown, and no text differs from itself.
 */
static void try_texts(const unsigned char *bytes, size_t size)
{
    char line[PHC_REASON_SIZE];
    if (size == 0) return;
    const char *own = (const char *)bytes + 1;
    const size_t own_size = bytes[0] < size - 1 ? bytes[0] : size - 1;
    HOLDS(!phx_refusal_compare(own, own_size, own, own_size, line, sizeof line));
    if (!phx_refusal_compare(own, own_size, own + own_size, size - 1 - own_size, line, sizeof line)) return;
    HOLDS(memchr(line, 0, sizeof line) && strncmp(line, PHX_OTHER_DEFINITION, strlen(PHX_OTHER_DEFINITION)) == 0);
    for (const char *at = line; *at != 0; at++) HOLDS(*at >= ' ' && *at <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    const size_t count = size - 1;
    unsigned char *bytes = malloc(count > 0 ? count : 1);
    HOLDS(bytes);
    memcpy(bytes, data + 1, count);
    if (data[0] & IS_TEXTS) try_texts(bytes, count);
    else if (data[0] & IS_REGISTRATION) try_registration((const char *)bytes, count, (data[0] & HEAD) != 0);
    else if (data[0] & IS_FAMILY) try_family(bytes, count);
    else try_sealed(bytes, count, data[0]);
    free(bytes);
    return 0;
}
