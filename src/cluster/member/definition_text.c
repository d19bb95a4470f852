/*
 * Lines of the common definition; see definition_text.h. Numbers are written so that two that differ have other texts,
 * and in the C locale, as members of other locales read them.
 */
#include "cluster/member/definition_text.h"

#include <stdarg.h>

#include "base/c_locale.h"
#include "base/key_text.h"
#include "cluster/member/definition.h"

enum { KEY_SIZE = PH_NAME_SIZE + 64 };

typedef struct definition_lines {
    char *text;
    size_t size, used;
    bool is_full; /* a line did not fit: none follows */
} definition_lines;

__attribute__((format(printf, 2, 3))) static void add_line(definition_lines *lines, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const size_t room = lines->size - lines->used;
    const int wrote = vsnprintf(lines->text + lines->used, room, format, values);
    va_end(values);
    lines->is_full |= wrote < 0 || (size_t)wrote >= room;
    if (!lines->is_full) lines->used += (size_t)wrote;
}

static void write_value(const phx_key *key, const void *base, uint32_t i, char text[PHX_NUMBER_SIZE])
{
    uint32_t words = 0;
    const char *const *names = phx_key_words(key->type, &words);
    const bool is_whole = phx_key_is_64_bit(key->type);
    const double value = is_whole ? 0 : phx_key_number(key, base, i);
    if (is_whole) (void)snprintf(text, PHX_NUMBER_SIZE, "%" PRIu64, phx_key_64_bit(key, base));
    else if (words > 0 && value < words) (void)snprintf(text, PHX_NUMBER_SIZE, "%s", names[(uint32_t)value]);
    else (void)phx_number_write(value, phx_key_is_f64(key->type), text, PHX_NUMBER_SIZE);
}

static void add_keys(definition_lines *lines, const char *prefix, const phx_key *keys, uint32_t count, const void *base)
{
    for (uint32_t i = 0; i < count; i++) {
        char first[PHX_NUMBER_SIZE], second[PHX_NUMBER_SIZE] = "";
        if (phx_definition_leaves_out(keys[i].name)) continue;
        write_value(&keys[i], base, 0, first);
        const bool is_pair = phx_key_width(keys[i].type) == 2;
        if (is_pair) write_value(&keys[i], base, 1, second);
        add_line(lines, "%s%s %s%s%s\n", prefix, keys[i].name, first, is_pair ? " " : "", second);
    }
}

static void add_class(definition_lines *lines, const ph_class *class)
{
    static const phx_key class_keys[PHX_CLASS_KEY_COUNT] = PHX_CLASS_KEY_TABLE;
    static const phx_key band_keys[PHX_BAND_KEY_COUNT] = PHX_BAND_KEY_TABLE;
    char prefix[KEY_SIZE];
    const int length = (int)strnlen(class->name, sizeof class->name - 1);
    (void)snprintf(prefix, sizeof prefix, "class.%.*s.", length, class->name);
    add_keys(lines, prefix, class_keys, PHX_CLASS_KEY_COUNT, class);
    add_line(lines, "%sbands %u\n", prefix, class->band_count);
    for (uint32_t i = 0; i < class->band_count; i++) {
        (void)snprintf(prefix, sizeof prefix, "class.%.*s.band.%u.", length, class->name, i);
        add_keys(lines, prefix, band_keys, PHX_BAND_KEY_COUNT, &class->bands[i]);
    }
}

static void add_number(definition_lines *lines, const char *key, float value)
{
    char text[PHX_NUMBER_SIZE];
    (void)phx_number_write((double)value, false, text, sizeof text);
    add_line(lines, "%s %s\n", key, text);
}

/* What belongs to the cluster comes first: a text that is cut has it. */
size_t phx_definition_text(const phc_def *def, char *text, size_t size)
{
    static const phx_key world_keys[PHX_WORLD_KEY_COUNT] = PHX_WORLD_KEY_TABLE;
    definition_lines lines = {.text = text, .size = size};
    const ph_world_def *world = def->world_def;
    const phx_c_locale scope = phx_c_locale_begin();
    add_line(&lines, "cluster.regions %u %u\n", def->regions[0], def->regions[1]);
    add_number(&lines, "cluster.hand_over_margin", def->hand_over_margin);
    add_number(&lines, "cluster.speed_max", def->speed_max);
    add_number(&lines, "cluster.halo", def->halo);
    add_line(&lines, "cluster.lag_max %u\n", def->lag_max);
    add_line(&lines, "cluster.lease_ms %u\n", def->lease_ms);
    add_line(&lines, "cluster.list_ms %u\n", def->list_ms);
    add_line(&lines, "cluster.link_timeout_ms %u\n", def->link_timeout_ms);
    add_line(&lines, "cluster.adopt_map %s\n", def->adopt_map ? "on" : "off");
    add_line(&lines, "definition %" PRIu64 "\n", def->definition);
    add_keys(&lines, "world.", world_keys, PHX_WORLD_KEY_COUNT, world);
    add_line(&lines, "classes %u\n", world->class_count);
    for (uint32_t i = 0; i < world->class_count; i++) add_class(&lines, &world->classes[i]);
    phx_c_locale_end(scope);
    return lines.used;
}
