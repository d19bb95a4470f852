/*
 * Golden images: a file of each format that was ever written is loaded for ever, and is the world that it was. The
 * digest is made of what the public calls answer, so it outlives changes of ph_world_hash().
 *
 * usage: save_golden FOLDER        loads FOLDER/world.1.image
 *        save_golden --make FILE   writes the image of this program's world
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/image_bytes.h"
#include "world/image/read.h"

enum { ENTITIES = 60, TICKS = 12, KINDS = 3, ROOM = 4096 };
enum { GIVEN_THEN = 2 * PH_INSTANCE - 1 }; /* PH_GIVEN_ALL as the digest was made; later bits do not change it */

static const uint64_t GOLDEN_DIGEST = 0x55fde8e40af8f67c; /* of the world in world.1.image, and of its next tick */

/* ---- the world ---- */

static ph_world_def definition(ph_class classes[KINDS])
{
    ph_world_def def = ph_world_def_default();
    classes[0] = ph_class_default("default");
    classes[0].view = 30;
    classes[0].margin = 10;
    classes[0].wakes = true;
    classes[0].updates_max = 1;
    classes[0].band_count = 2;
    classes[0].bands[0] = (ph_band){.radius = 20, .every = 1};
    classes[0].bands[1] = (ph_band){.radius = 60, .every = 4};
    classes[1] = ph_class_default("npc");
    classes[1].view = 15;
    classes[2] = ph_class_default("slow");
    classes[2].view = 40;
    classes[2].adds_max = 1;
    def.world_size[0] = def.world_size[1] = 200;
    def.tower_size = 25;
    def.activation_span = 0;
    def.activation_linger = 50;
    def.crowd_entities = 12;
    def.classes = classes;
    def.class_count = KINDS;
    return def;
}

static ph_world make_world(ph_class classes[KINDS], ph_consumer *c)
{
    ph_world_def def = definition(classes);
    ph_world world;
    ph_producer p;
    uint64_t rng = 31;
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &p) == PH_OK);
    REQUIRE(ph_consumer_open(world, 0, c) == PH_OK);
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        ph_attrs attrs = {.given = PH_X | PH_Y | PH_KIND | PH_USER_DATA | PH_LAYERS, .kind = (uint32_t)(id % KINDS)};
        attrs.x = phx_rng_unit(&rng) * 150;
        attrs.y = phx_rng_unit(&rng) * 150;
        attrs.user_data = id * 7;
        attrs.layers = 1 + id % 2;
        if (id % 9 == 0) attrs.given |= PH_VIEW | PH_INSTANCE;
        attrs.view = 25;
        attrs.instance = 3;
        CHECK_OK(ph_enter(p, id, &attrs));
    }
    CHECK_OK(ph_pair(p, 3, 7, 80, 5));
    CHECK_OK(ph_link(p, 3, 8));
    CHECK_OK(ph_hide(p, 4, 5));
    CHECK_OK(ph_reveal(p, 5, 10));
    CHECK_OK(ph_attach(p, 20, 21));
    ph_area area = {.shape = PH_AREA_CIRCLE, .center = {75, 75}, .radius = 50, .margin = 20, .layers = 1};
    CHECK_OK(ph_area_set(p, 5, &area));
    area = (ph_area){.shape = PH_AREA_POLYGON, .corner_count = 3, .corners = {{0, 0}, {90, 0}, {0, 90}}};
    CHECK_OK(ph_area_set(p, 6, &area));
    area = (ph_area){.shape = PH_AREA_BOX, .flags = PH_AREA_FOLLOW, .follow = 21, .low = {-20, -20}, .high = {20, 20}};
    CHECK_OK(ph_area_set(p, 7, &area));
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        for (uint64_t id = 1; tick > 0 && id <= ENTITIES; id++)
            if (id != 20) CHECK_OK(ph_move(p, id, phx_rng_unit(&rng) * 150, phx_rng_unit(&rng) * 150, 0));
        CHECK_OK(ph_tick(world, NULL));
    }
    for (const ph_batch *batch; ph_batch_take(*c, &batch) == PH_OK;) CHECK_OK(ph_batch_return(*c, batch));
    classes[1].view = 16;
    CHECK_OK(ph_world_reconfigure(world, &def, NULL, 0));
    return world;
}

/* ---- digest ---- */

static uint64_t mix(uint64_t digest, uint64_t value)
{
    return phx_mix64(digest ^ value) + 1;
}

static uint64_t mix_float(uint64_t digest, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return mix(digest, bits);
}

static uint64_t digest_lists(ph_world world, uint64_t digest)
{
    uint64_t ids[ENTITIES];
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        ph_attrs attrs;
        uint32_t count = 0;
        CHECK_OK(ph_entity_get(world, id, &attrs));
        digest = mix_float(mix_float(mix_float(digest, attrs.x), attrs.y), attrs.view);
        digest = mix(mix(mix(digest, attrs.given & GIVEN_THEN), attrs.kind), attrs.user_data);
        digest = mix(mix(digest, attrs.instance), attrs.layers);
        CHECK_OK(ph_list(world, id, ids, ENTITIES, &count));
        for (uint32_t i = 0; i < count; i++) digest = mix(digest, ids[i]);
    }
    return digest;
}

/* The next tick moves one entity: changes, edges and updates follow from all that is saved. */
static uint64_t digest_tick(ph_world world, ph_consumer consumer, uint64_t digest)
{
    ph_producer producer;
    const ph_batch *batch;
    uint64_t tick = 0, sum = 0;
    REQUIRE(ph_producer_open(world, &producer) == PH_OK);
    CHECK_OK(ph_move(producer, 21, 10, 10, 0));
    CHECK_OK(ph_tick(world, &tick));
    while (ph_batch_take(consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++) {
            const ph_change *change = &batch->changes[i];
            sum += mix(mix(change->observer, change->leave_count), change->enter_count);
        }
        for (uint32_t i = 0; i < batch->crossing_count; i++)
            sum += mix(mix(batch->crossings[i].id, batch->crossings[i].area), batch->crossings[i].on);
        for (uint32_t i = 0; i < batch->activation_count; i++)
            sum += mix(batch->activations[i].id, batch->activations[i].on);
        for (uint32_t i = 0; i < batch->update_count; i++)
            sum += mix(batch->updates[i].observer, batch->updates[i].count);
        CHECK_OK(ph_batch_return(consumer, batch));
    }
    return mix(mix(digest, sum), tick);
}

/* ---- the file ---- */

static image_bytes read_file(const char *path)
{
    image_bytes bytes = {0};
    uint8_t piece[ROOM];
    FILE *file = fopen(path, "rb");
    REQUIRE(file != NULL);
    for (size_t size; (size = fread(piece, 1, sizeof piece, file)) > 0;) (void)image_bytes_write(&bytes, piece, size);
    (void)fclose(file);
    return bytes;
}

/* Has the file each kind of section? */
static void check_whole(image_bytes bytes)
{
    phx_image image;
    char reason[256] = "";
    phx_image_init(&image, (ph_allocator){0});
    CHECK_OK(phx_image_read(&image, image_bytes_read, &bytes, (phx_image_reason){reason, sizeof reason}));
    for (uint32_t i = 0; i < PHX_TABLES; i++) CHECK(image.tables[i].count > 0, "%s is empty", phx_image_kinds[i].tag);
    phx_image_release(&image);
}

static int make_file(const char *path)
{
    ph_class classes[KINDS];
    image_bytes bytes = {0};
    ph_consumer consumer;
    ph_world world = make_world(classes, &consumer);
    CHECK_OK(ph_save(world, image_bytes_write, &bytes));
    (void)printf("digest of the world that was not saved: %016" PRIx64 "\n",
                 digest_tick(world, consumer, digest_lists(world, 0)));
    CHECK_OK(ph_world_destroy(world));
    check_whole(bytes);
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL && fwrite(bytes.items, 1, bytes.count, file) == bytes.count && fclose(file) == 0);
    free(bytes.items);
    return check_done("save_golden");
}

static void check_file(const char *folder)
{
    char path[ROOM], reason[256] = "";
    ph_world world;
    (void)snprintf(path, sizeof path, "%s/world.1.image", folder);
    image_bytes bytes = read_file(path);
    check_whole(bytes);
    if (CHECK(ph_load(NULL, image_bytes_read, &bytes, &world, reason, sizeof reason) == PH_OK, "%s: %s", path,
              reason)) {
        ph_consumer consumer;
        REQUIRE(ph_consumer_open(world, 0, &consumer) == PH_OK);
        const uint64_t digest = digest_tick(world, consumer, digest_lists(world, 0));
        CHECK(digest == GOLDEN_DIGEST, "%s: digest %016" PRIx64 ", expected %016" PRIx64, path, digest, GOLDEN_DIGEST);
        CHECK_OK(ph_world_destroy(world));
    }
    free(bytes.items);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--make") == 0) return make_file(argv[2]);
    REQUIRE(argc == 2);
    check_file(argv[1]);
    return check_done("save_golden");
}
