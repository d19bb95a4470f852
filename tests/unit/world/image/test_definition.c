/*
 * src/world/image/definition.c: a definition becomes keys by name, and is the same when it is read; keys of an older
 * version leave the caller's values, and keys that do not exist are refused.
 */
#include "unit/world/image/image_case.h"

#include <pharos/pharos.h>

#include "base/key_table.h"
#include "world/image/definition.h"

static const phx_key world_keys[PHX_WORLD_KEY_COUNT] = PHX_WORLD_KEY_TABLE;
static const phx_key class_keys[PHX_CLASS_KEY_COUNT] = PHX_CLASS_KEY_TABLE;

static phx_image image;
static ph_class classes[2];
static ph_world_def def;

/* Another value for every key of the table: 1 + its place, in the type of the key. */
static void number_keys(const phx_key *keys, uint32_t count, void *base)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < phx_key_width(keys[i].type); j++) {
            char *at = (char *)base + keys[i].offset;
            const uint32_t number = 1 + i + 7 * j;
            switch (keys[i].type) {
            case PHX_KEY_f64:
                ((double *)(void *)at)[j] = number;
                break;
            case PHX_KEY_u64:
            case PHX_KEY_mask:
                ((uint64_t *)(void *)at)[j] = number;
                break;
            case PHX_KEY_flag:
                ((bool *)(void *)at)[j] = true;
                break;
            case PHX_KEY_u8:
                ((uint8_t *)(void *)at)[j] = (uint8_t)number;
                break;
            default:
                ((uint32_t *)(void *)at)[j] = number;
                break; /* f32 too: any bits */
            }
        }
}

static void set_up(void)
{
    memory_set_up();
    phx_image_init(&image, watched_memory_allocator(&watched));
    def = ph_world_def_default();
    for (int kind = 0; kind < 2; kind++) {
        classes[kind] = ph_class_default("plain");
        number_keys(class_keys, PHX_CLASS_KEY_COUNT, &classes[kind]);
        snprintf(classes[kind].name, sizeof classes[kind].name, "class %d", kind);
        classes[kind].band_count = (uint32_t)kind * 2;
        for (int band = 0; band < 2 * kind; band++)
            classes[kind].bands[band] = (ph_band){.radius = 10.0f * (float)(band + 1), .every = 1u << band};
    }
    number_keys(world_keys, PHX_WORLD_KEY_COUNT, &def);
    def.classes = classes;
    def.class_count = 2;
}

static void tear_down(void)
{
    phx_image_release(&image);
    memory_tear_down();
}

TestSuite(definition, .init = set_up, .fini = tear_down);

static void expect_same_keys(const phx_key *keys, uint32_t count, const void *got, const void *expected)
{
    for (uint32_t i = 0; i < count; i++) {
        const size_t number = keys[i].type == PHX_KEY_f64 || keys[i].type == PHX_KEY_u64 || keys[i].type == PHX_KEY_mask
                                  ? sizeof(uint64_t)
                              : keys[i].type == PHX_KEY_u8 || keys[i].type == PHX_KEY_flag ? sizeof(uint8_t)
                                                                                           : sizeof(uint32_t);
        cr_assert_eq(memcmp((const char *)got + keys[i].offset, (const char *)expected + keys[i].offset,
                            number * phx_key_width(keys[i].type)),
                     0, "%s", keys[i].name);
    }
}

Test(definition, every_key_comes_back)
{
    const ph_class plain = ph_class_default("plain");
    ph_world_def got = ph_world_def_default();
    cr_assert(phx_image_put_def(&image, PHX_IMAGE_DEF, &def));
    cr_assert_eq(phx_image_read_def(&image, PHX_IMAGE_DEF, &plain, &got, reason), PH_OK, "%s", reason_text);
    expect_same_keys(world_keys, PHX_WORLD_KEY_COUNT, &got, &def);
    cr_assert_eq(got.class_count, 2);
    for (int kind = 0; kind < 2; kind++) {
        expect_same_keys(class_keys, PHX_CLASS_KEY_COUNT, &got.classes[kind], &classes[kind]);
        cr_assert_str_eq(got.classes[kind].name, classes[kind].name);
        cr_assert_eq(got.classes[kind].band_count, classes[kind].band_count);
        for (uint32_t band = 0; band < classes[kind].band_count; band++) {
            cr_assert_eq(got.classes[kind].bands[band].radius, classes[kind].bands[band].radius);
            cr_assert_eq(got.classes[kind].bands[band].every, classes[kind].bands[band].every);
        }
    }
    phx_image_free_classes(&image, &got);
}

Test(definition, a_key_that_an_older_version_did_not_have_keeps_the_value_of_the_caller)
{
    const ph_class plain = ph_class_default("plain");
    ph_world_def got = ph_world_def_default();
    cr_assert(phx_image_put_def(&image, PHX_IMAGE_DEF, &def));
    phx_saved_key *keys = PHX_IMAGE_ROWS(&image, keys, key);
    cr_assert_str_eq((const char *)keys[0].name, world_keys[0].name);
    memmove(keys, keys + 1, (--image.tables[PHX_TABLE_keys].count) * sizeof *keys); /* without the first one */
    cr_assert_eq(phx_image_read_def(&image, PHX_IMAGE_DEF, &plain, &got, reason), PH_OK, "%s", reason_text);
    const ph_world_def expected = ph_world_def_default();
    expect_same_keys(world_keys, 1, &got, &expected);
    expect_same_keys(world_keys + 1, PHX_WORLD_KEY_COUNT - 1, &got, &def);
    phx_image_free_classes(&image, &got);
}

/* Reads the definition, which is refused with a reason that has the text. */
static void expect_refused(const char *text)
{
    const ph_class plain = ph_class_default("plain");
    ph_world_def got = ph_world_def_default();
    cr_assert_eq(phx_image_read_def(&image, PHX_IMAGE_DEF, &plain, &got, reason), PH_BAD_IMAGE, "%s", text);
    cr_assert_not_null(strstr(reason_text, text), "%s: %s", text, reason_text);
    phx_image_free_classes(&image, &got);
}

Test(definition, keys_and_classes_that_can_not_be_are_refused_by_name)
{
    cr_assert(phx_image_put_def(&image, PHX_IMAGE_DEF, &def));
    phx_saved_key *key = PHX_IMAGE_ROWS(&image, keys, key);
    phx_saved_class *class = PHX_IMAGE_ROWS(&image, classes, class);
    const phx_saved_key good = *key;
    key->name[0] ^= 1;
    expect_refused("no key of this name");
    *key = good;
    key->class1 = 3;
    expect_refused("class 3");
    *key = good;
    key->band1 = 1;
    expect_refused("band 1");
    *key = good;
    for (uint32_t i = 0; i < PHX_WORLD_KEY_COUNT; i++) {
        const phx_saved_key whole = key[i];
        if (world_keys[i].type == PHX_KEY_flag) key[i].bits[0] = 2;
        else if (phx_key_width(world_keys[i].type) == 1) key[i].bits[1] = 1;
        else continue;
        expect_refused(world_keys[i].name);
        key[i] = whole;
    }
    class[1].band_count = PH_BANDS_MAX + 1;
    expect_refused("band_count");
    class[1].band_count = 1; /* the keys of its second band have no band */
    expect_refused("no such class or band");
    class[1].band_count = 2;
    image.tables[PHX_TABLE_classes].count = 0;
    expect_refused("0 classes");
    image.tables[PHX_TABLE_classes].count = 2;
}

Test(definition, memory_that_ends_is_named)
{
    const ph_class plain = ph_class_default("plain");
    ph_world_def got = ph_world_def_default();
    for (uint64_t calls = 0; calls < 2; calls++) {
        memory_for(calls);
        cr_assert_not(phx_image_put_def(&image, PHX_IMAGE_DEF, &def), "%zu calls", (size_t)calls);
        cr_assert_eq(PHX_IMAGE_COUNT(&image, keys) + PHX_IMAGE_COUNT(&image, classes), 0, "half of it was added");
        phx_image_release(&image);
        phx_image_init(&image, watched_memory_allocator(&watched));
    }
    memory_enough();
    cr_assert(phx_image_put_def(&image, PHX_IMAGE_DEF, &def));
    memory_for(0);
    cr_assert_eq(phx_image_read_def(&image, PHX_IMAGE_DEF, &plain, &got, reason), PH_NO_MEMORY);
    cr_assert_null(got.classes);
}
