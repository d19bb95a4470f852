/*
 * Any bytes as a message of a halo. The first byte chooses: odd, the head and the sum are made right first, so that the
 * checks behind them are reached. A sound message is read to its end, by a halo too; its world ticks and verifies.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/core.h"
#include "cluster/halo/halo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Holds in every build, unlike PHX_ASSERT. */
#define HOLDS(x) ((x) ? (void)0 : phx_panic(__FILE__, __LINE__, #x))

enum { OWN = 1, PEER = 2, PAIRS = 1000, SUM_BYTES = 8 };

/* Takes room for some items of that size, if there is so much. Returns how many. */
static uint32_t take_room(size_t *left, uint32_t wanted, size_t bytes)
{
    const uint32_t count = *left < wanted * bytes ? 0 : wanted;
    *left -= count * bytes;
    return count;
}

/* Some sets, pins and needs, by the first bytes; the rest are copies. A map that was heard may be later than the own.
 */
static size_t seal(uint8_t *bytes, size_t size)
{
    enum { FEW = 4, VERSION = 3 };
    phx_halo_head head = {.source = PEER, .target = OWN, .version = VERSION, .tick = 7};
    if (size < PHX_HALO_HEAD_BYTES + PHX_HALO_SET_BYTES + SUM_BYTES) return size;
    size_t left = size - PHX_HALO_HEAD_BYTES - SUM_BYTES - PHX_HALO_SET_BYTES;
    head.sets = 1 + take_room(&left, bytes[0] % FEW, PHX_HALO_SET_BYTES);
    head.pins = take_room(&left, bytes[1] % FEW, PHX_HALO_PIN_BYTES);
    head.needs = take_room(&left, bytes[2] % FEW, PHX_HALO_NEED_BYTES);
    head.heard_version = bytes[3] % (2 * VERSION);
    head.echo = bytes[4] % FEW; /* of ticks that have not come, too */
    head.part = bytes[5] % FEW;
    head.pins_echo = bytes[7] % (head.echo + 1);
    head.pins_since = bytes[8] % FEW;
    head.last = bytes[6] & 1;
    head.copies = (uint32_t)(left / PHX_HALO_COPY_BYTES);
    left -= head.copies * (size_t)PHX_HALO_COPY_BYTES;
    head.gone = (uint32_t)(left / PHX_HALO_GONE_BYTES);
    return phx_halo_seal(bytes, &head);
}

static void receive(const uint8_t *bytes, size_t size)
{
    static phx_halo halo;
    static phx_cluster_map map;
    static phx_node node;
    ph_world world;
    ph_producer producer;
    ph_verification progress = {0};
    ph_difference difference;
    const ph_world_def def = ph_world_def_default();
    HOLDS(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    phx_node_init(&node, &(phx_node_def){.member = {.registration = OWN, .number = OWN}, .unacked_max = 4});
    phx_cluster_map_init(&map, 4);
    HOLDS(phx_cluster_map_join(&map, node.def.member) &&
          phx_cluster_map_join(&map, (phx_member){.registration = PEER, .number = PEER}) &&
          phx_node_map(&node, &map) == PH_OK);
    phx_halo_init(&halo, &(phx_halo_def){.world = world,
                                         .producer = producer,
                                         .node = &node,
                                         .grid = {.size = {100, 100}, .columns = 2, .rows = 2},
                                         .width = 10});
    phx_halo_receive(&halo, bytes, size);
    HOLDS(ph_tick(world, NULL) == PH_OK);
    for (uint32_t i = 0; i < 3; i++) {
        phx_halo_begin_tick(&halo);
        HOLDS(ph_tick(world, NULL) == PH_OK);
    }
    if (ph_verify(world, PAIRS, &progress, &difference) == PH_OK) HOLDS(difference.kind == PH_DIFFERENCE_NONE);
    phx_halo_free(&halo);
    phx_node_free(&node);
    HOLDS(ph_world_destroy(world) == PH_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    phx_halo_head head;
    phx_halo_parts parts;
    if (size == 0) return 0;
    uint8_t *bytes = malloc(size);
    HOLDS(bytes);
    memcpy(bytes, data + 1, size - 1);
    const size_t used = data[0] & 1 ? seal(bytes, size - 1) : size - 1;
    if (phx_halo_open(&head, &parts, bytes, used) == PHX_WIRE_GOOD) {
        for (uint32_t i = 0; i < head.copies; i++) HOLDS(phx_halo_copy_at(&parts, i).id != 0);
        for (uint32_t i = 0; i < head.gone; i++) HOLDS(phx_halo_gone_at(&parts, i).id != 0);
        for (uint32_t i = 0; i < head.pins; i++) HOLDS(phx_halo_pin_at(&parts, i).place < PHC_PINS_MAX);
        for (uint32_t i = 0; i < head.needs; i++) HOLDS(phx_halo_need_at(&parts, i) < PHX_CLUSTER_REGIONS_MAX);
    }
    receive(bytes, used);
    free(bytes);
    return 0;
}
