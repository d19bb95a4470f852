/*
 * A process's membership over a control store that answers anything: any keys and values of any moment, in any order,
 * to requests that were made. The bytes are ticks, and the answers within them: lists with maps, registrations and
 * keys of a balancer, sound ones, of other members, of another format, and damaged ones; texts of definitions, its own,
 * others and any bytes; renewals, outcomes of writes.
 *
 * Its phase goes forward; its map, and the node's, go forward and are sound; it writes sound maps and registrations,
 * the text of its definition, and nothing else; a process that has ended has a reason that a terminal shows as it is,
 * and its node simulates nothing.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/membership/membership.h"
#include "cluster/membership/registration.h"
#include "cluster/membership/wishes.h"
#include "cluster/node/map_barrier.h"
#include "fuzz/drawn_entries.h"
#include "support/node_reads.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    LEASE_MS = 1000,
    LIST_NS = 100000000,
    TICK_NS = 10000000, /* times a byte: up to two leases and a half */
    TICKS_MAX = 400,
    REQUESTS_MAX = 16
};

typedef enum request_kind { ASKS_LIST, ASKS_WRITE, ASKS_LEASE, ASKS_RENEWAL, ASKS_END, ASKS_TEXT } request_kind;

static const char definition_text[] = "a 1\nb 2\nc 3\n", text_prefix[] = "ph-definition/w/";

typedef struct request {
    request_kind kind;
    uint64_t tag;
    char key[PHC_KEY_MAX + 1]; /* or prefix */
} request;

/* The store's side: bytes that are left, and requests without an answer. */
typedef struct source {
    drawn_source bytes;
    request requests[REQUESTS_MAX];
    uint32_t count;
} source;

/* ---- requests ---- */

static ph_status ask(void *user, request_kind kind, uint64_t tag, const char *key)
{
    source *of = user;
    if (of->count == REQUESTS_MAX || draw(&of->bytes) == UINT8_MAX) return PH_FULL;
    request *asked = &of->requests[of->count++];
    *asked = (request){.kind = kind, .tag = tag};
    (void)snprintf(asked->key, sizeof asked->key, "%s", key);
    return PH_OK;
}

static ph_status ask_list(void *user, uint64_t tag, const char *prefix)
{
    return ask(user, ASKS_LIST, tag, prefix);
}

static ph_status ask_write(void *user, uint64_t tag, const char *key, uint64_t revision, const void *value, size_t size,
                           uint64_t lease)
{
    static phx_cluster_map map;
    phx_registration read;
    if (strncmp(key, text_prefix, strlen(text_prefix)) == 0)
        HOLDS(size == strlen(definition_text) && memcmp(value, definition_text, size) == 0 && revision == 0 &&
              lease != 0);
    else if (strcmp(key, "ph/w/map") == 0)
        HOLDS(phx_cluster_map_decode(&map, PHX_FORMATS, value, size) && map.region_count == DRAWN_REGIONS &&
              lease == 0);
    else HOLDS(phx_registration_decode(&read, value, size) && read.definition == DRAWN_DEFINITION && lease != 0);
    return ask(user, ASKS_WRITE, tag, key);
}

static ph_status ask_lease(void *user, uint64_t tag, uint32_t ms)
{
    HOLDS(ms == LEASE_MS);
    return ask(user, ASKS_LEASE, tag, "");
}

static ph_status ask_renewal(void *user, uint64_t tag, uint64_t lease)
{
    HOLDS(lease != 0);
    return ask(user, ASKS_RENEWAL, tag, "");
}

static ph_status ask_end(void *user, uint64_t tag, uint64_t lease)
{
    HOLDS(lease != 0);
    return ask(user, ASKS_END, tag, "");
}

/* Of the process that it is refused for. */
static ph_status ask_text(void *user, uint64_t tag, const char *key)
{
    HOLDS(strncmp(key, text_prefix, strlen(text_prefix)) == 0);
    return ask(user, ASKS_TEXT, tag, key);
}

/* ---- answers ---- */

/* The own text, or one that differs in a value or a key, or any bytes. */
static void draw_text(source *of, drawn_entry *to)
{
    enum { CHANGES = 3, BYTES_MAX = 64 };
    const uint8_t choice = draw(&of->bytes);
    to->size = strlen(definition_text);
    memcpy(to->value, definition_text, to->size);
    for (uint32_t left = choice % (CHANGES + 1); left > 0 && left <= CHANGES; left--)
        to->value[draw(&of->bytes) % to->size] = draw(&of->bytes);
    if (choice < 192) return;
    to->size = choice % BYTES_MAX;
    for (size_t i = 0; i < to->size; i++) to->value[i] = draw(&of->bytes);
}

static void answer(source *of, const request *asked, phc_answer_fn fn, void *fn_user)
{
    static drawn_entry values[DRAWN_ENTRIES_MAX];
    phc_entry entries[DRAWN_ENTRIES_MAX];
    const uint8_t choice = draw(&of->bytes);
    phc_answer told = {
        .tag = asked->tag, .outcome = PHC_DONE, .revision = 1 + choice / 16 % DRAWN_NUMBERS, .reason = ""};
    if (choice % 16 >= 12) told.outcome = PHC_FAILED;
    else if (asked->kind == ASKS_WRITE && choice % 16 >= 8) told.outcome = choice % 2 ? PHC_GONE : PHC_CHANGED;
    else if (asked->kind == ASKS_RENEWAL && choice % 16 >= 10) told.outcome = PHC_GONE;
    if (told.outcome == PHC_FAILED) told.reason = "failed";
    if (asked->kind == ASKS_LEASE || asked->kind == ASKS_RENEWAL) {
        told.lease = 1 + choice / 16 % DRAWN_NUMBERS;
        told.lease_ms = LEASE_MS;
    }
    told.entries = entries;
    if (asked->kind == ASKS_LIST && told.outcome == PHC_DONE)
        told.count = draw_entries(&of->bytes, asked->key, values, entries);
    if (asked->kind == ASKS_TEXT && told.outcome == PHC_DONE && choice / 16 > 0) {
        draw_text(of, &values[0]);
        entries[0] = (phc_entry){.key = asked->key, .value = values[0].value, .size = values[0].size, .revision = 1};
        told.count = 1;
    }
    if (told.outcome == PHC_CHANGED && choice / 16 % 4 > 0) { /* else the key is not there */
        entries[0] = draw_entry(&of->bytes, "", &values[0]);
        entries[0].key = asked->key;
        told.count = 1;
    }
    fn(fn_user, &told);
}

static uint32_t give_answers(void *user, uint32_t answers_max, phc_answer_fn fn, void *fn_user)
{
    source *of = user;
    uint32_t given = 0;
    while (of->count > 0 && given < answers_max) {
        const uint8_t choice = draw(&of->bytes);
        if (choice % 4 == 3) break; /* it comes later */
        const uint32_t place = choice / 4 % of->count;
        const request asked = of->requests[place];
        of->requests[place] = of->requests[--of->count];
        answer(of, &asked, fn, fn_user);
        given++;
    }
    return given;
}

/* ---- the process ---- */

static void check_process(const phx_membership *membership, phx_membership_phase before, uint32_t version_before)
{
    const phx_node *node = membership->node;
    static unsigned char bytes[PHX_CLUSTER_MAP_BYTES_MAX];
    static phx_cluster_map map;
    HOLDS(membership->phase >= before && node->map.version >= version_before);
    HOLDS(node->map.version <= membership->map.version);
    HOLDS(membership->listed_count <= PHX_LISTED_MAX);
    HOLDS((membership->phase == PHX_MEMBERSHIP_ENDED) == (membership->reason[0] != '\0'));
    for (const char *at = membership->reason; *at; at++) HOLDS(*at >= ' ' && *at <= '~');
    if (membership->phase == PHX_MEMBERSHIP_ENDED) HOLDS(!phx_node_may_act(node) && !may_save_now(node));
    if (membership->phase == PHX_MEMBERSHIP_JOIN || membership->phase == PHX_MEMBERSHIP_MEMBER)
        HOLDS(node->def.member.registration != 0 && node->def.member.number != 0);
    if (membership->phase == PHX_MEMBERSHIP_MEMBER)
        HOLDS(phx_cluster_map_member(&node->map, node->def.member.registration));
    if (membership->map.version > 0)
        HOLDS(phx_cluster_map_decode(&map, PHX_FORMATS, bytes,
                                     phx_cluster_map_encode(&membership->map, bytes, sizeof bytes)));
}

static void wish(phx_membership *membership, uint8_t choice)
{
    if (membership->phase != PHX_MEMBERSHIP_MEMBER) return;
    if (choice % 8 == 1) phx_membership_give(membership, choice / 8 % DRAWN_REGIONS, (uint16_t)(1 + choice / 32 % 4));
    if (choice == 2) phx_membership_drain(membership);
    if (choice == 3) phx_membership_leave(membership);
    if (choice % 8 == 4) {
        const uint32_t region = choice / 8 % DRAWN_REGIONS, lost = membership->map.regions[region].lost;
        if (lost != 0) phx_membership_restored(membership, region, lost);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static phx_membership membership;
    static phx_node node;
    source of = {.bytes = {.at = data, .end = data + size}};
    const uint8_t choice = draw(&of.bytes);
    const phc_store store = {.get = ask_text,
                             .list = ask_list,
                             .cas = ask_write,
                             .lease_open = ask_lease,
                             .lease_renew = ask_renewal,
                             .lease_end = ask_end,
                             .poll = give_answers,
                             .user = &of};
    const phx_membership_def def = {.store = store,
                                    .world = "w",
                                    .number = choice % 4,
                                    .gateway = choice % 16 == 15,
                                    .region_count = DRAWN_REGIONS,
                                    .columns = DRAWN_COLUMNS,
                                    .lease_ms = LEASE_MS,
                                    .definition = DRAWN_DEFINITION,
                                    .definition_text = definition_text,
                                    .definition_size = choice & 16 ? strlen(definition_text) : 0,
                                    .list_ns = LIST_NS,
                                    .adopts = (choice & 32) != 0,
                                    .balance_ns = choice & 64 ? LIST_NS : 0};
    phx_node_init(&node, &(phx_node_def){.member = {.number = def.number, .gateway = def.gateway},
                                         .freezes = (choice & 128) != 0,
                                         .unacked_max = 4});
    HOLDS(phx_membership_init(&membership, &def, &node));
    uint64_t now = 0;
    for (uint32_t tick = 0; tick < TICKS_MAX && of.bytes.at < of.bytes.end; tick++) {
        const phx_membership_phase phase = membership.phase;
        const uint32_t version = node.map.version;
        now += (uint64_t)TICK_NS * draw(&of.bytes);
        wish(&membership, draw(&of.bytes));
        phx_membership_tick(&membership, now);
        phx_map_barrier_begin(&node, now);
        check_process(&membership, phase, version);
    }
    phx_membership_free(&membership);
    phx_node_free(&node);
    return 0;
}
