/*
 * A definition's keys; see definition.h.
 */
#include "world/image/definition.h"

#include <inttypes.h>

#include "base/key_table.h"

static const phx_key world_keys[PHX_WORLD_KEY_COUNT] = PHX_WORLD_KEY_TABLE;
static const phx_key class_keys[PHX_CLASS_KEY_COUNT] = PHX_CLASS_KEY_TABLE;
static const phx_key band_keys[PHX_BAND_KEY_COUNT] = PHX_BAND_KEY_TABLE;

/* ---- capture ---- */

/* Adds the keys of a world, class or band; room was reserved. */
static void put_keys(phx_image *image, phx_image_table table, const phx_key *keys, uint32_t count, const void *base,
                     phx_saved_key of)
{
    for (uint32_t i = 0; i < count; i++) {
        phx_saved_key *key = phx_image_add(image, table);
        const size_t bytes = phx_key_bytes(keys[i].type);
        *key = of;
        PHX_ASSERT(strlen(keys[i].name) < sizeof key->name);
        memcpy(key->name, keys[i].name, strlen(keys[i].name));
        for (uint32_t j = 0; j < phx_key_width(keys[i].type); j++)
            memcpy(&key->bits[j], (const char *)base + keys[i].offset + j * bytes, bytes);
    }
}

static uint64_t count_keys(const ph_world_def *def)
{
    uint64_t keys = PHX_WORLD_KEY_COUNT + (uint64_t)def->class_count * PHX_CLASS_KEY_COUNT;
    for (uint32_t kind = 0; kind < def->class_count; kind++)
        keys += (uint64_t)def->classes[kind].band_count * PHX_BAND_KEY_COUNT;
    return keys;
}

bool phx_image_put_def(phx_image *image, phx_image_def_tables tables, const ph_world_def *def)
{
    if (!phx_image_reserve(image, tables.keys, count_keys(def)) ||
        !phx_image_reserve(image, tables.classes, def->class_count))
        return false;
    put_keys(image, tables.keys, world_keys, PHX_WORLD_KEY_COUNT, def, (phx_saved_key){.class1 = 0});
    for (uint32_t kind = 0; kind < def->class_count; kind++) {
        const ph_class *class = &def->classes[kind];
        phx_saved_class *saved = phx_image_add(image, tables.classes);
        memcpy(saved->name, class->name, strnlen(class->name, sizeof class->name - 1));
        saved->band_count = class->band_count;
        put_keys(image, tables.keys, class_keys, PHX_CLASS_KEY_COUNT, class, (phx_saved_key){.class1 = kind + 1});
        for (uint32_t band = 0; band < class->band_count; band++)
            put_keys(image, tables.keys, band_keys, PHX_BAND_KEY_COUNT, &class->bands[band],
                     (phx_saved_key){.class1 = kind + 1, .band1 = band + 1});
    }
    return true;
}

/* ---- load ---- */

static const phx_key *find_key(const phx_key *keys, uint32_t count, const phx_saved_key *saved)
{
    for (uint32_t i = 0; i < count; i++)
        if (strncmp(keys[i].name, (const char *)saved->name, sizeof saved->name) == 0) return &keys[i];
    return NULL;
}

/* The key that a record names, and where its value goes. NULL: there is none. */
static const phx_key *locate_key(const phx_saved_key *saved, ph_world_def *def, ph_class *classes, void **base)
{
    *base = def;
    if (saved->class1 == 0) return saved->band1 == 0 ? find_key(world_keys, PHX_WORLD_KEY_COUNT, saved) : NULL;
    if (saved->class1 > def->class_count) return NULL;
    ph_class *class = &classes[saved->class1 - 1];
    *base = class;
    if (saved->band1 == 0) return find_key(class_keys, PHX_CLASS_KEY_COUNT, saved);
    if (saved->band1 > class->band_count) return NULL;
    *base = &class->bands[saved->band1 - 1];
    return find_key(band_keys, PHX_BAND_KEY_COUNT, saved);
}

static ph_status read_saved_key(const phx_saved_key *saved, uint32_t at, ph_world_def *def, ph_class *classes,
                                phx_image_reason reason)
{
    void *base;
    const phx_key *key = locate_key(saved, def, classes, &base);
    if (!key)
        return phx_image_refuse(reason,
                                "definition: key %" PRIu32 ": no key of this name is known, or no such class or "
                                "band (class %" PRIu32 ", band %" PRIu32 ")",
                                at, saved->class1, saved->band1);
    const size_t bytes = phx_key_bytes(key->type);
    for (uint32_t j = 0; j < 2; j++) {
        const bool used = j < phx_key_width(key->type);
        const uint64_t high = bytes < sizeof(uint64_t) ? saved->bits[j] >> 8 * bytes : 0;
        if (high != 0 || (!used && saved->bits[j] != 0) || (key->type == PHX_KEY_flag && saved->bits[j] > 1))
            return phx_image_refuse(reason, "definition: key %" PRIu32 ": %s = 0x%" PRIx64 " has bits that it has not",
                                    at, key->name, saved->bits[j]);
        if (used) memcpy((char *)base + key->offset + j * bytes, &saved->bits[j], bytes);
    }
    return PH_OK;
}

static ph_status read_classes(const phx_saved_class *saved, ph_class *classes, const ph_class *class, uint32_t count,
                              phx_image_reason reason)
{
    for (uint32_t kind = 0; kind < count; kind++) {
        classes[kind] = *class;
        memcpy(classes[kind].name, saved[kind].name, sizeof classes[kind].name);
        classes[kind].band_count = saved[kind].band_count;
        if (saved[kind].band_count > PH_BANDS_MAX)
            return phx_image_refuse(reason,
                                    "definition: class %" PRIu32 ": band_count = %" PRIu32 " is outside [0, %d]", kind,
                                    saved[kind].band_count, PH_BANDS_MAX);
    }
    return PH_OK;
}

ph_status phx_image_read_def(phx_image *image, phx_image_def_tables tables, const ph_class *class, ph_world_def *def,
                             phx_image_reason reason)
{
    const phx_image_rows *keys = &image->tables[tables.keys], *saved = &image->tables[tables.classes];
    def->classes = NULL;
    def->class_count = 0;
    if (saved->count < 1 || saved->count > PH_KINDS_MAX)
        return phx_image_refuse(reason, "definition: %" PRIu32 " classes are outside [1, %d]", saved->count,
                                PH_KINDS_MAX);
    ph_class *classes = phx_alloc_zero(&image->mem, saved->count * sizeof *classes, PHX_CACHE_LINE);
    if (!classes) return PH_NO_MEMORY;
    def->classes = classes;
    def->class_count = saved->count;
    ph_status status = read_classes(saved->at, classes, class, saved->count, reason);
    for (uint32_t i = 0; status == PH_OK && i < keys->count; i++)
        status = read_saved_key(&((const phx_saved_key *)keys->at)[i], i, def, classes, reason);
    return status;
}

void phx_image_free_classes(phx_image *image, ph_world_def *def)
{
    phx_free(&image->mem, (void *)(uintptr_t)def->classes, def->class_count * sizeof *def->classes, PHX_CACHE_LINE);
    def->classes = NULL;
    def->class_count = 0;
}
