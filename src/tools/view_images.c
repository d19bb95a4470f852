/*
 * Key images; see view_images.h. When there is no room for another image, every second one goes, and the ones to come
 * stand twice as far apart: so a long run has them farther apart, not more.
 */
#include "tools/view_images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_TICKS = 20 };
static const size_t BYTES_MAX = (size_t)256 << 20;

void phx_key_images_init(phx_key_images *images)
{
    *images = (phx_key_images){.ticks = FIRST_TICKS};
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

static void drop(phx_key_images *images, const phx_key_image *image)
{
    images->bytes -= image->size;
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

/* An image that finds no memory is left out: a seek takes longer then. */
void phx_key_images_keep(phx_key_images *images, const phx_view_source *source)
{
    const uint64_t last = images->count > 0 ? images->at[images->count - 1].tick : 0;
    if (images->count > 0 && source->at < last + images->ticks) return;
    phx_grown_bytes image = {0};
    char *config = config_text(source);
    if (!config || ph_save(source->world, phx_grow_bytes, &image) != PH_OK) {
        free(config);
        free(image.bytes);
        return;
    }
    while (images->count > 1 && (images->count == PHX_KEY_IMAGES_MAX || images->bytes + image.size > BYTES_MAX))
        thin_out(images);
    images->at[images->count++] = (phx_key_image){source->at, source->diverged, config, image.bytes, image.size};
    images->bytes += image.size;
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
