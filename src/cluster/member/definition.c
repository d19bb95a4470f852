/*
 * Lines of the common definition; see definition.h. Numbers are written so that two that differ have other texts,
 * and in the C locale, as members of other locales read them.
 */
#include "cluster/member/definition.h"

#include <stdarg.h>

#include "base/c_locale.h"
#include "base/key_text.h"
#include "base/sum.h"
#include "cluster/member/first_defaults.h"
#include "cluster/member/phc_def.h"

enum {
    PREFIX_SIZE = PH_NAME_SIZE + 32, /* "class.NAME.band.N." */
    VALUE_SIZE = 2 * PHX_NUMBER_SIZE,
    LINE_SIZE = 256 /* a prefix, a key, a value */
};

/* How a process does its work, and how much it has room for: no list follows from these, and no other member does. */
static const char *const own_keys[] = {
    "world.shards",         "world.workers",           "world.share_min",      "world.index",
    "world.cell_size",      "world.quadtree_capacity", "world.quadtree_depth", "world.simd",
    "world.events_max",     "world.entities_max",      "world.areas_max",      "world.producers_max",
    "world.producer_bytes", "world.broadcast_bytes",   "world.refusals_max",   "world.exchange_bytes",
    "world.hash_seed",      "world.consumer_batches",  "world.consumer_bytes", "world.positions",
    "cluster.silent_ticks", "cluster.moves_per_tick",  "cluster.store_loss",   "cluster.number",
    "cluster.gateway",      "cluster.balance"};

bool phx_definition_leaves_out(const char *place, const char *name)
{
    const size_t length = strlen(place);
    for (size_t i = 0; i < sizeof own_keys / sizeof *own_keys; i++)
        if (strncmp(own_keys[i], place, length) == 0 && strcmp(own_keys[i] + length, name) == 0) return true;
    return false;
}

/* ---- lines ---- */

/* Where lines go to. */
typedef struct definition_lines {
    phx_sum sum; /* of lines that count */
    char *text;  /* NULL: none is written */
    size_t size, used;
    bool is_full; /* a line did not fit: none follows */
} definition_lines;

static void sum_line(phx_sum *sum, const char *line)
{
    uint64_t words[LINE_SIZE / sizeof(uint64_t)] = {0};
    const size_t length = strlen(line), word = sizeof(uint64_t);
    memcpy(words, line, length);
    phx_sum_add(sum, words, (length + word) / word * word); /* with the 0 behind it */
}

static void write_line(definition_lines *lines, const char *mark, const char *line)
{
    const size_t room = lines->size - lines->used;
    if (!lines->text || lines->is_full) return;
    const int wrote = snprintf(lines->text + lines->used, room, "%s%s\n", mark, line);
    lines->is_full = wrote < 0 || (size_t)wrote >= room;
    if (!lines->is_full) lines->used += (size_t)wrote;
}

/* One that counts, whatever its value. */
__attribute__((format(printf, 2, 3))) static void add_line(definition_lines *lines, const char *format, ...)
{
    char line[LINE_SIZE];
    va_list values;
    va_start(values, format);
    const int wrote = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    PHX_ASSERT(wrote > 0 && (size_t)wrote < sizeof line);
    (void)wrote;
    sum_line(&lines->sum, line);
    write_line(lines, "", line);
}

/* ---- keys ---- */

static void write_number(const phx_key *key, const void *base, uint32_t i, char text[PHX_NUMBER_SIZE])
{
    uint32_t words = 0;
    const char *const *names = phx_key_words(key->type, &words);
    const bool is_whole = phx_key_is_64_bit(key->type);
    const double value = is_whole ? 0 : phx_key_number(key, base, i) + 0.0; /* -0 is 0: the worlds are equal */
    if (is_whole) (void)snprintf(text, PHX_NUMBER_SIZE, "%" PRIu64, phx_key_64_bit(key, base));
    else if (key->type == PHX_KEY_flag) (void)snprintf(text, PHX_NUMBER_SIZE, "%s", value > 0 ? "on" : "off");
    else if (words > 0 && value < words) (void)snprintf(text, PHX_NUMBER_SIZE, "%s", names[(uint32_t)value]);
    else (void)phx_number_write(value, phx_key_is_f64(key->type), text, PHX_NUMBER_SIZE);
}

static void write_value(const phx_key *key, const void *base, char text[VALUE_SIZE])
{
    char first[PHX_NUMBER_SIZE], second[PHX_NUMBER_SIZE] = "";
    const bool is_pair = phx_key_width(key->type) == 2;
    write_number(key, base, 0, first);
    if (is_pair) write_number(key, base, 1, second);
    (void)snprintf(text, VALUE_SIZE, "%s%s%s", first, is_pair ? " " : "", second);
}

/* place: "world.", "class." ... */
static bool is_first_default(const char *place, const char *name, const char *value)
{
    static const char lines[] = "\n" PHX_FIRST_DEFAULTS;
    char line[LINE_SIZE];
    (void)snprintf(line, sizeof line, "\n%s%s %s\n", place, name, value);
    return strstr(lines, line) != NULL;
}

static void add_keys(definition_lines *lines, const char *place, const char *prefix, const phx_key *keys,
                     uint32_t count, const void *base)
{
    for (uint32_t i = 0; i < count; i++) {
        char value[VALUE_SIZE], line[LINE_SIZE];
        if (phx_definition_leaves_out(place, keys[i].name)) continue;
        write_value(&keys[i], base, value);
        (void)snprintf(line, sizeof line, "%s%s %s", prefix, keys[i].name, value);
        const bool counts = !is_first_default(place, keys[i].name, value);
        if (counts) sum_line(&lines->sum, line);
        write_line(lines, counts ? "" : "-", line);
    }
}

static void add_class(definition_lines *lines, const ph_class *class)
{
    static const phx_key class_keys[PHX_CLASS_KEY_COUNT] = PHX_CLASS_KEY_TABLE;
    static const phx_key band_keys[PHX_BAND_KEY_COUNT] = PHX_BAND_KEY_TABLE;
    char prefix[PREFIX_SIZE];
    const int length = (int)strnlen(class->name, sizeof class->name - 1);
    (void)snprintf(prefix, sizeof prefix, "class.%.*s.", length, class->name);
    add_keys(lines, "class.", prefix, class_keys, PHX_CLASS_KEY_COUNT, class);
    add_line(lines, "%sbands %u", prefix, class->band_count);
    for (uint32_t i = 0; i < class->band_count; i++) {
        (void)snprintf(prefix, sizeof prefix, "class.%.*s.band.%u.", length, class->name, i);
        add_keys(lines, "band.", prefix, band_keys, PHX_BAND_KEY_COUNT, &class->bands[i]);
    }
}

/* Keys of the cluster come first: a text that is cut has them. Behind the cut no class is looked at; the number, which
 * has no text, needs all. */
static void add_definition(definition_lines *lines, const phc_def *def)
{
    static const phx_key world_keys[PHX_WORLD_KEY_COUNT] = PHX_WORLD_KEY_TABLE;
    const ph_world_def *world = def->world_def;
    const phx_c_locale scope = phx_c_locale_begin();
    uint32_t count;
    const phx_key *cluster_keys = phx_phc_def_keys(&count);
    lines->sum = phx_sum_begin();
    add_keys(lines, "cluster.", "cluster.", cluster_keys, count, def);
    add_line(lines, "definition %" PRIu64, def->definition);
    add_keys(lines, "world.", "world.", world_keys, PHX_WORLD_KEY_COUNT, world);
    add_line(lines, "classes %u", world->class_count);
    for (uint32_t i = 0; i < world->class_count && !lines->is_full; i++) add_class(lines, &world->classes[i]);
    add_line(lines, "end of definition");
    phx_c_locale_end(scope);
}

uint64_t phx_definition_number(const phc_def *def)
{
    definition_lines lines = {.text = NULL};
    add_definition(&lines, def);
    return phx_sum_end(&lines.sum);
}

size_t phx_definition_text(const phc_def *def, char *text, size_t size)
{
    definition_lines lines = {.text = text, .size = size};
    add_definition(&lines, def);
    return lines.used;
}
