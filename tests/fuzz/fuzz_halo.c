/*
 * A halo that hears any messages of two peers, one after the other. The bytes are steps: ticks, own entities that enter
 * and leave, that go to a peer, which takes them later, pins, and messages: sound ones of a next, late or far tick,
 * with parts, echoes, pins and copies of few ids, own ones among them, some forwarded; and ones with damaged bytes, of
 * which some have a right sum, and some end early. Each is read to its end; the world ticks and verifies; what the halo
 * writes is sound.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/core.h"
#include "cluster/halo/halo.h"
#include "cluster/halo/halo_family.h"
#include "cluster/halo/halo_in.h"
#include "cluster/halo/halo_out.h"
#include "cluster/halo/halo_pins.h"
#include "cluster/halo/halo_table.h"
#include "cluster/map/map_changes.h"
#include "cluster/node/hand_over.h"
#include "cluster/wire/sum.h"
#include "fuzz/drawn_entries.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OWN = 1, PEERS = 2, IDS = 8, SIDE = 100, FEW = 4, PAIRS = 1000, STEPS_MAX = 200, BYTES_MAX = 4096 };

typedef enum step {
    STEP_TICK,
    STEP_ENTER,
    STEP_LEAVE,
    STEP_PIN,
    STEP_MESSAGE,
    STEP_GIVE = 7,
    STEPS = 8
} step; /* the rest: messages */

typedef struct fuzzed {
    drawn_source bytes;
    ph_world world;
    ph_producer producer;
    phx_node node;
    phx_halo halo;
} fuzzed;

static uint64_t draw_id(fuzzed *of)
{
    return 1 + draw(&of->bytes) % IDS;
}

static ph_attrs draw_attrs(fuzzed *of)
{
    return (ph_attrs){
        .given = PH_POSITION, .x = (float)(draw(&of->bytes) % SIDE), .y = (float)(draw(&of->bytes) % SIDE), .kind = 0};
}

/* ---- messages ---- */

static void read_through(const unsigned char *bytes, size_t size)
{
    phx_halo_head head;
    phx_halo_parts parts;
    if (phx_halo_open(&head, &parts, PHX_FORMATS, bytes, size) != PHX_WIRE_GOOD) return;
    for (uint32_t i = 0; i < head.copies; i++) HOLDS(phx_halo_copy_at(&parts, i).id != 0);
    for (uint32_t i = 0; i < head.forwards; i++) HOLDS(phx_halo_forward_at(&parts, i).copy < head.copies);
    for (uint32_t i = 0; i < head.gone; i++) HOLDS(phx_halo_gone_at(&parts, i).id != 0);
    for (uint32_t i = 0; i < head.pins; i++) HOLDS(phx_halo_pin_at(&parts, i).place < PHC_PINS_MAX);
    for (uint32_t i = 0; i < head.needs; i++) HOLDS(phx_halo_need_at(&parts, i) < PHX_CLUSTER_REGIONS_MAX);
}

static void check_written(void *user, uint64_t target, const void *bytes, size_t size)
{
    phx_halo_head head;
    phx_halo_parts parts;
    const fuzzed *of = user;
    HOLDS(phx_halo_open(&head, &parts, PHX_FORMATS, bytes, size) == PHX_WIRE_GOOD);
    HOLDS(head.target == target && head.source == OWN && head.tick == of->halo.now && head.echo >= head.pins_echo);
}

/* By what the halo has heard of that peer: the same tick, the next ones, an earlier one, or one far ahead. */
static phx_halo_head draw_head(fuzzed *of, uint64_t source)
{
    enum { FAR = 1 << 20, IS_FAR = 7 };
    const uint32_t version = of->node.map.version;
    const phx_halo_peer *peer = phx_halo_peer_find(&of->halo, source);
    const uint64_t newest = peer ? peer->newest : 0, now = of->halo.now;
    const uint8_t ticks = draw(&of->bytes), echo = draw(&of->bytes), part = draw(&of->bytes), pins = draw(&of->bytes);
    phx_halo_head head = {.format = PHX_FORMAT_MAX, .source = source, .target = OWN, .version = version + echo / 128};
    head.tick = newest + ticks % FEW;
    if (ticks / FEW % FEW == FEW - 1) head.tick = newest > FEW ? newest - FEW : 1;
    if (head.tick == 0) head.tick = 1;
    if (ticks / 16 % (IS_FAR + 1) == IS_FAR) head.tick = newest + FAR;
    head.heard_version = echo / 16 % (2 * version);
    head.settled_version = version - echo % 2;
    head.echo = now + 1 > echo % FEW ? now + 1 - echo % FEW : 0; /* of a tick that has not come, too */
    head.pins_echo = head.echo > echo / FEW % FEW ? head.echo - echo / FEW % FEW : 0;
    head.part = part % FEW;
    head.last = (part & 128) != 0;
    head.pins_since = head.tick > pins % FEW ? head.tick - 1 - pins % FEW : 0;
    head.copies = pins / 16 % FEW;
    head.sets = head.copies > 0;
    head.gone = pins / 64;
    head.pins = part / 4 % FEW;
    head.needs = part / 16 % FEW;
    return head;
}

/* Some copies are another node's, as it told of them in a tick about the newest one; sets head->forwards. */
static unsigned char *put_copies(fuzzed *of, unsigned char *at, phx_halo_head *head)
{
    enum { IS_FORWARDED = 3, FAR = 1 << 20 };
    phx_halo_forward forwards[FEW];
    for (uint32_t i = 0; i < head->copies; i++, at += PHX_HALO_COPY_BYTES) {
        const uint8_t choice = draw(&of->bytes);
        const phx_halo_copy copy = {.id = draw_id(of),
                                    .stay = choice % FEW,
                                    .turn = (uint8_t)(choice / 16 % FEW * 100),
                                    .sending = choice >= 128,
                                    .attrs = draw_attrs(of)};
        phx_halo_put_copy(at, &copy, 0);
        if (choice / FEW % FEW != IS_FORWARDED) continue;
        const uint8_t origin = draw(&of->bytes);
        const phx_halo_peer *peer = phx_halo_peer_find(&of->halo, OWN + origin % (PEERS + 2));
        phx_halo_forward forward = {.copy = i, .source = OWN + origin % (PEERS + 2)};
        forward.tick = 1 + (peer ? peer->newest : 0) + origin / 16 % FEW;
        if (origin >= 192) forward.tick += FAR;
        if (forward.source != head->source) forwards[head->forwards++] = forward;
    }
    for (uint32_t i = 0; i < head->forwards; i++, at += PHX_HALO_FORWARD_BYTES) phx_halo_put_forward(at, &forwards[i]);
    return at;
}

static void put_items(fuzzed *of, unsigned char *at, phx_halo_head *head)
{
    if (head->sets > 0) {
        const ph_attrs attrs = draw_attrs(of);
        phx_halo_put_set(at, &attrs);
        at += PHX_HALO_SET_BYTES;
    }
    at = put_copies(of, at, head);
    for (uint32_t i = 0; i < head->gone; i++, at += PHX_HALO_GONE_BYTES)
        phx_halo_put_gone(at, (phx_halo_gone){.id = draw_id(of), .stay = draw(&of->bytes) % FEW});
    phx_writer writer = {.at = at, .end = at + head->pins * PHX_HALO_PIN_BYTES + head->needs * PHX_HALO_NEED_BYTES};
    for (uint32_t i = 0; i < head->pins; i++) {
        const uint8_t place = draw(&of->bytes);
        phx_halo_put_pin(&writer, place % FEW, place >= 128 ? 0 : draw_id(of));
    }
    for (uint32_t i = 0; i < head->needs; i++) phx_write_number(&writer, 4, draw(&of->bytes));
}

/* Bytes of a sound one are others; with a right sum the checks behind it are reached. */
static void damage(fuzzed *of, unsigned char *bytes, size_t size, uint8_t choice)
{
    for (uint32_t left = choice / 2 % FEW; left > 0; left--) {
        const uint32_t high = draw(&of->bytes), place = high << 8 | draw(&of->bytes);
        bytes[place % size] = draw(&of->bytes);
    }
    if ((choice & 1) == 0) return;
    phx_writer writer = {.at = bytes + size - PHX_SUM_BYTES, .end = bytes + size};
    (void)phx_sum_seal(&writer, bytes);
}

static void hear_message(fuzzed *of)
{
    static unsigned char room[BYTES_MAX];
    const uint8_t choice = draw(&of->bytes);
    phx_halo_head head = draw_head(of, OWN + 1 + choice % (PEERS + 1)); /* one of them is no member */
    memset(room, 0, sizeof room);
    HOLDS(phx_halo_bytes(&head) <= sizeof room);
    put_items(of, room + PHX_HALO_HEAD_BYTES, &head);
    HOLDS(phx_halo_bytes(&head) <= sizeof room);
    size_t size = phx_halo_seal(room, &head);
    if (choice >= 192) damage(of, room, size, choice / 4);
    if (choice >= 240) size = size * draw(&of->bytes) / UINT8_MAX; /* it ends early */
    unsigned char *bytes = malloc(size);                           /* so that a read beyond its end is seen */
    HOLDS(bytes);
    memcpy(bytes, room, size);
    read_through(bytes, size);
    phx_halo_receive(&of->halo, bytes, size);
    free(bytes);
}

/* ---- the halo ---- */

static void enter_own(fuzzed *of)
{
    const uint64_t id = draw_id(of);
    const ph_attrs attrs = draw_attrs(of);
    const uint32_t region = phx_halo_region(&of->halo.def.grid, attrs.x, attrs.y);
    if (phx_hand_over_enter(&of->node, id, region, 0) != PH_OK) return;
    if (phx_halo_enter(&of->halo, id, &attrs) != PH_OK) HOLDS(phx_hand_over_leave(&of->node, id) == PH_OK);
}

static void leave_own(fuzzed *of)
{
    const uint64_t id = draw_id(of);
    if (phx_hand_over_leave(&of->node, id) == PH_OK) (void)phx_halo_leave(&of->halo, id);
}

/* To a peer; or that one takes the oldest that it was given. */
static void give_own(fuzzed *of)
{
    const uint8_t choice = draw(&of->bytes);
    const uint16_t number = (uint16_t)(OWN + 1 + choice % PEERS);
    phx_peer *peer = phx_node_peer(&of->node, number);
    phx_family family;
    if (choice < 128) (void)phx_halo_give(&of->halo, draw_id(of), number, &family);
    else if (peer->channel.unacked.count > 0) phx_hand_over_finish(&of->node, peer);
}

static void tick_halo(fuzzed *of)
{
    phx_halo_try_again(&of->halo);
    phx_halo_begin_tick(&of->halo);
    HOLDS(ph_tick(of->world, NULL) == PH_OK);
    phx_halo_end_tick(&of->halo, true);
    phx_halo_write(&of->halo, check_written, of);
}

static void take_step(fuzzed *of)
{
    switch (draw(&of->bytes) % STEPS) {
    case STEP_TICK:
        tick_halo(of);
        break;
    case STEP_ENTER:
        enter_own(of);
        break;
    case STEP_LEAVE:
        leave_own(of);
        break;
    case STEP_PIN: {
        const uint8_t choice = draw(&of->bytes);
        HOLDS(phx_halo_pin(&of->halo, 1 + choice % IDS, choice >= 128) == PH_OK);
        break;
    }
    case STEP_GIVE:
        give_own(of);
        break;
    default:
        hear_message(of);
        break;
    }
}

static void open_halo(fuzzed *of)
{
    static phx_cluster_map map;
    ph_world_def def = ph_world_def_default();
    def.world_size[0] = def.world_size[1] = SIDE;
    HOLDS(ph_world_create(&def, &of->world) == PH_OK && ph_producer_open(of->world, &of->producer) == PH_OK);
    phx_node_init(&of->node, &(phx_node_def){.member = {.registration = OWN, .number = OWN}, .unacked_max = 4});
    phx_cluster_map_init(&map, 4, 1);
    for (uint16_t i = OWN; i <= OWN + PEERS; i++)
        HOLDS(phx_cluster_map_join(&map, (phx_member){.registration = i, .number = i, .format = PHX_FORMAT_MAX}));
    HOLDS(phx_node_map(&of->node, &map) == PH_OK);
    phx_node_lease(&of->node, UINT64_MAX);
    phx_halo_init(&of->halo, &(phx_halo_def){.world = of->world,
                                             .producer = of->producer,
                                             .node = &of->node,
                                             .grid = {.size = {SIDE, SIDE}, .columns = 2, .rows = 2},
                                             .width = SIDE / 4,
                                             .grace_ticks = 3,
                                             .passed_ticks = 4,
                                             .quiet_ticks = 6});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fuzzed all;
    ph_verification progress = {0};
    ph_difference difference;
    fuzzed *of = &all;
    *of = (fuzzed){.bytes = {.at = data, .end = data + size}};
    open_halo(of);
    for (uint32_t i = 0; i < STEPS_MAX && of->bytes.at < of->bytes.end; i++) take_step(of);
    for (uint32_t i = 0; i < 3; i++) tick_halo(of);
    if (ph_verify(of->world, PAIRS, &progress, &difference) == PH_OK) HOLDS(difference.kind == PH_DIFFERENCE_NONE);
    phx_halo_free(&of->halo);
    phx_node_free(&of->node);
    HOLDS(ph_world_destroy(of->world) == PH_OK);
    return 0;
}
