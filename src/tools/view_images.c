/*
 * Key images; see view_images.h. When there is no room for another image, every second one goes, and the ones to come
 * stand twice as far apart: so a long run has them farther apart, not more. One that has no room beside the first is
 * left out, and so are the ones to come until twice as many ticks have passed.
 */
#include "tools/view_images.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_TICKS = 20 };

void phx_key_images_init(phx_key_images *images, uint64_t bytes_max)
{
    *images = (phx_key_images){.ticks = FIRST_TICKS, .bytes_max = bytes_max};
}

bool phx_grow_bytes(void *grown, const void *bytes, size_t size)
{
    phx_grown_bytes *to = grown;
    if (!to->bytes || to->size + size > to->capacity) {
        const size_t capacity = 2 * (to->size + size);
        char *more = realloc(to->bytes, capacity);
        if (!more) return false;
        to->bytes = more;
        to->capacity = capacity;
    }
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    return true;
}

static size_t bytes_of(const phx_key_image *image)
{
    return image->size + strlen(image->config);
}

static void drop(phx_key_images *images, const phx_key_image *image)
{
    images->bytes -= bytes_of(image);
    free(image->bytes);
    free(image->config);
}

static void drop_last(phx_key_images *images)
{
    drop(images, &images->at[--images->count]);
}

void phx_key_images_free(phx_key_images *images)
{
    while (images->count > 0) drop_last(images);
}

static void thin_out(phx_key_images *images)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < images->count; i++) {
        if (i % 2 == 0) {
            images->at[kept++] = images->at[i];
        } else {
            drop(images, &images->at[i]);
        }
    }
    images->count = kept;
    images->ticks *= 2;
}

/* The present config as text. NULL: no memory. */
static char *config_text(const phx_view_source *source)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return NULL;
    const bool dumped = ph_config_dump(source->config, out) == PH_OK;
    if (fclose(out) == 0 && dumped) return text;
    free(text);
    return NULL;
}

/* An image in the making. */
typedef struct image_writer {
    phx_grown_bytes bytes;
    uint64_t room;
    bool too_large;
} image_writer;

static bool write_image(void *user, const void *bytes, size_t size)
{
    image_writer *to = user;
    to->too_large = size > to->room - to->bytes.size;
    return !to->too_large && phx_grow_bytes(&to->bytes, bytes, size);
}

/* Room for another image of this size beside the kept ones, if the first one leaves as much. */
static void make_room(phx_key_images *images, uint64_t size)
{
    while (images->count > 1 && (images->count == PHX_KEY_IMAGES_MAX || images->bytes + size > images->bytes_max))
        thin_out(images);
}

/* PH_FULL: it has no room beside the first image; PH_NO_MEMORY. */
static ph_status add_image(phx_key_images *images, const phx_view_source *source)
{
    const phx_key_image *last = images->count > 0 ? &images->at[images->count - 1] : NULL;
    if (last) make_room(images, bytes_of(last)); /* about as large: while this one is made, too */
    char *config = config_text(source);
    const size_t config_bytes = config ? strlen(config) : 0;
    image_writer image = {.room = images->bytes_max - (last ? bytes_of(&images->at[0]) : 0)};
    image.too_large = config_bytes > image.room;
    image.room -= image.too_large ? 0 : config_bytes;
    if (!config || image.too_large || ph_save(source->world, write_image, &image) != PH_OK) {
        free(config);
        free(image.bytes.bytes);
        return image.too_large ? PH_FULL : PH_NO_MEMORY;
    }
    make_room(images, image.bytes.size + config_bytes);
    char *fitting = realloc(image.bytes.bytes, image.bytes.size);
    images->at[images->count++] =
        (phx_key_image){source->at, source->diverged, config, fitting ? fitting : image.bytes.bytes, image.bytes.size};
    images->bytes += image.bytes.size + config_bytes;
    return PH_OK;
}

bool phx_key_images_begin(phx_key_images *images, phx_view_source *source)
{
    const ph_status status = add_image(images, source);
    if (status == PH_OK) return true;
    if (status != PH_FULL) return phx_source_fail(source, "the first key image", status);
    snprintf(source->reason, sizeof source->reason,
             "%s: its world takes more than %" PRIu64 " bytes, the most for going back: --images-max gives it more",
             source->path, images->bytes_max);
    return false;
}

void phx_key_images_keep(phx_key_images *images, const phx_view_source *source)
{
    PHX_ASSERT(images->count > 0);
    if (source->at < images->at[images->count - 1].tick + images->ticks) return;
    if (add_image(images, source) == PH_FULL) images->ticks *= 2;
}

const phx_key_image *phx_key_images_before(const phx_key_images *images, uint64_t tick)
{
    const phx_key_image *best = &images->at[0];
    PHX_ASSERT(images->count > 0);
    for (uint32_t i = 0; i < images->count; i++)
        if (images->at[i].tick <= tick) best = &images->at[i];
    return best;
}

/* An image that is read. */
typedef struct image_reader {
    const phx_key_image *image;
    size_t at;
} image_reader;

static bool read_image(void *user, void *bytes, size_t size)
{
    image_reader *from = user;
    if (size > from->image->size - from->at) return false;
    memcpy(bytes, from->image->bytes + from->at, size);
    from->at += size;
    return true;
}

bool phx_key_image_load(const phx_key_image *image, phx_view_source *source)
{
    image_reader from = {.image = image};
    phx_source_end_world(source);
    ph_load_options options = {.given = PH_LOAD_REPLAY, .allocator = source->mem->allocator};
    ph_status status = ph_load(&options, read_image, &from, &source->world, source->reason, sizeof source->reason);
    if (status != PH_OK) return phx_source_fail(source, "loading a key image", status);
    ph_config_error error = {.reason = ""};
    status = ph_config_load_text(source->config, "key image", image->config, &error);
    if (status != PH_OK) return phx_source_fail(source, "the config of a key image", status);
    status = phx_source_open_consumers(source);
    if (status != PH_OK) return phx_source_fail(source, "the consumers of a key image", status);
    source->diverged = image->diverged;
    source->at = image->tick;
    return true;
}

bool phx_key_images_load(phx_key_images *images, const phx_key_image *image, phx_view_source *source)
{
    if (!phx_key_image_load(image, source)) return false;
    if (!source->diverged) phx_key_images_undo(images);
    return true;
}

void phx_key_images_undo(phx_key_images *images)
{
    while (images->count > 0 && images->at[images->count - 1].diverged) drop_last(images);
}

void phx_key_images_drop_after(phx_key_images *images, uint64_t tick)
{
    while (images->count > 1 && images->at[images->count - 1].tick > tick) drop_last(images);
}
