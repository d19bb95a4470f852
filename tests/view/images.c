/*
 * src/tools/view_images.c: key images of a world that grows stay within their bound, two of them to the byte; the first
 * one stays, and each is the world of its tick. Without room for the first there is none, and a word why.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "support/check.h"
#include "tools/view_images.h"

enum { TICKS = 400, A_TICK = 40, SIDE = 1000 };

static phx_mem mem;
static uint64_t next_id; /* of the source's world */

/* A world of its own, one entity in it. */
static void open_source(phx_view_source *source, ph_producer *producer)
{
    ph_config_error error;
    *source = (phx_view_source){.mem = &mem, .path = "the test"};
    CHECK_OK(ph_config_create(&source->config));
    CHECK_OK(ph_config_begin(source->config));
    CHECK_OK(ph_config_load_text(source->config, "the test", "world_size = {1000, 1000}\ntower_size = 50\n", &error));
    CHECK_OK(ph_config_end(source->config, &error));
    REQUIRE(phx_source_make_world(source));
    CHECK_OK(ph_producer_open(source->world, producer));
    CHECK_OK(ph_enter(*producer, 1, &(ph_attrs){.given = PH_X | PH_Y, .x = 1, .y = 1}));
    next_id = 2;
    REQUIRE(phx_source_tick(source));
}

static void close_source(phx_view_source *source)
{
    phx_source_end_world(source);
    ph_config_destroy(source->config);
}

static void grow_world(phx_view_source *source, ph_producer producer)
{
    for (uint32_t i = 0; i < A_TICK; i++, next_id++) {
        const float x = (float)(next_id % SIDE), y = (float)(next_id / 7 % SIDE);
        CHECK_OK(ph_enter(producer, next_id, &(ph_attrs){.given = PH_X | PH_Y, .x = x, .y = y}));
    }
    REQUIRE(phx_source_tick(source));
}

/* Their memory is the bound at most; each has later ticks than the one before. */
static void check_images(const phx_key_images *images, uint64_t first)
{
    uint64_t bytes = 0;
    CHECK(images->count > 0 && images->at[0].tick == first, "%u images, the first one of tick %u", images->count,
          (unsigned)images->at[0].tick);
    for (uint32_t i = 0; i < images->count; i++) {
        const phx_key_image *image = &images->at[i];
        bytes += image->size + strlen(image->config);
        CHECK(i == 0 || image->tick > images->at[i - 1].tick, "image %u is of tick %u", i, (unsigned)image->tick);
    }
    CHECK(bytes == images->bytes && bytes <= images->bytes_max, "%u images have %u bytes, not %u of %u", images->count,
          (unsigned)bytes, (unsigned)images->bytes, (unsigned)images->bytes_max);
}

static void grows(uint64_t bytes_max, uint32_t least_most)
{
    phx_view_source source;
    phx_key_images images;
    ph_producer producer;
    uint32_t most = 0;
    open_source(&source, &producer);
    const uint64_t first = source.at;
    phx_key_images_init(&images, bytes_max);
    REQUIRE(phx_key_images_begin(&images, &source));
    for (uint32_t t = 0; t < TICKS; t++) {
        grow_world(&source, producer);
        phx_key_images_keep(&images, &source);
        check_images(&images, first);
        most = images.count > most ? images.count : most;
    }
    CHECK(most >= least_most, "at most %u images", most);
    REQUIRE(phx_key_images_load(&images, &images.at[0], &source)); /* all others are of later ticks */
    ph_stats stats;
    CHECK_OK(ph_world_stats(source.world, &stats));
    CHECK(source.at == first && stats.entities == 1, "tick %u has %u entities", (unsigned)source.at,
          (unsigned)stats.entities);
    phx_key_images_free(&images);
    close_source(&source);
}

/* Returns the bytes of the images of the same two worlds, with so many bytes for both. */
static uint64_t keep_two(uint64_t bytes_max, uint32_t kept)
{
    enum { APART = 20 }; /* ticks between the first two */
    phx_view_source source;
    phx_key_images images;
    ph_producer producer;
    open_source(&source, &producer);
    const uint64_t first = source.at;
    phx_key_images_init(&images, bytes_max);
    REQUIRE(phx_key_images_begin(&images, &source));
    for (uint32_t t = 0; t < APART; t++) {
        grow_world(&source, producer);
        phx_key_images_keep(&images, &source);
    }
    check_images(&images, first);
    CHECK(images.count == kept, "%u images in %u bytes", images.count, (unsigned)bytes_max);
    const uint64_t bytes = images.bytes;
    phx_key_images_free(&images);
    close_source(&source);
    return bytes;
}

/* The second one alone has room in both, and is left out where it has none beside the first. */
static void bounds_two(void)
{
    const uint64_t both = keep_two(UINT64_C(1) << 40, 2);
    (void)keep_two(both, 2);
    (void)keep_two(both - 1, 1);
}

static void has_no_room(void)
{
    phx_view_source source;
    phx_key_images images;
    ph_producer producer;
    open_source(&source, &producer);
    phx_key_images_init(&images, 100);
    CHECK(!phx_key_images_begin(&images, &source) && images.count == 0 && images.bytes == 0, "100 bytes for a world");
    CHECK(strcmp(source.reason, "the test: its world takes more than 100 bytes, the most for going back: --images-max "
                                "gives it more") == 0,
          "%s", source.reason);
    close_source(&source);
}

int main(void)
{
    phx_mem_init(&mem, (ph_allocator){0});
    has_no_room();
    bounds_two();
    grows(UINT64_C(1) << 40, PHX_KEY_IMAGES_MAX / 2 + 1); /* their number is bound */
    grows(500 << 10, 3);
    grows(80 << 10, 2); /* soon no second one has room */
    return check_done("view_images");
}
