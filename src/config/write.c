/*
 * Writes a config out: as a file with the origin of each value, and the reference page of
 * all keys. Called by the host, and by pharos-config.
 */
#include <stdlib.h>

#include <pharos/pharos.h>

#include "base/c_locale.h"
#include "base/key_text.h"
#include "config/config.h"
#include "config/error.h"
#include "config/value.h"

/* Comments stand in one column behind the longest usual line. */
enum { COMMENT_COLUMN = 40 };

static ph_status finish(FILE *out)
{
    return fflush(out) == 0 && ferror(out) == 0 ? PH_OK : PH_BAD_ARGUMENT;
}

/* ================================== dump ================================== */

/* A line and where it came from. */
static void dump_line(const ph_config *config, const char *line, phx_key_origin origin, FILE *out)
{
    char place[PHX_PLACE_SIZE];

    fprintf(out, "%-*s # ", COMMENT_COLUMN, line);
    if (origin.source == PHX_SOURCE_DEFAULT) {
        fprintf(out, "default\n");
    } else if (origin.source == PHX_SOURCE_SET) {
        fprintf(out, "--set\n");
    } else {
        PHX_ASSERT(origin.source - PHX_SOURCE_FILE < config->file_count);
        fprintf(out, "%s:%u\n", phx_config_place(config->files[origin.source - PHX_SOURCE_FILE], place), origin.line);
    }
}

static void dump_value(const ph_config *config, const phx_key *key, const void *base, phx_key_origin origin,
                       const char *indent, FILE *out)
{
    char line[COMMENT_COLUMN + PHX_VALUE_SIZE + 32];
    char value[PHX_VALUE_SIZE];

    snprintf(line, sizeof line, "%s%s = %s", indent, key->name, phx_value_write(key, base, value));
    dump_line(config, line, origin, out);
}

static void dump_bands(const ph_config *config, uint32_t kind, FILE *out)
{
    const ph_class *class = &config->classes[kind];
    const phx_key_origin *origins = config->class_origins[kind].bands;

    for (uint32_t i = 0; i < class->band_count; i++) {
        char line[COMMENT_COLUMN + 2 * PHX_VALUE_SIZE];
        char radius[PHX_VALUE_SIZE];
        char every[PHX_VALUE_SIZE];

        snprintf(line, sizeof line, "    band { radius = %s every = %s }",
                 phx_value_write(&phx_config_band_keys[PHX_BAND_KEY_radius], &class->bands[i], radius),
                 phx_value_write(&phx_config_band_keys[PHX_BAND_KEY_every], &class->bands[i], every));
        dump_line(config, line, origins[i], out);
    }
}

static void dump_section(const ph_config *config, uint32_t number, FILE *out)
{
    const phx_section *section = &phx_config_sections[number];
    const void *values = (const char *)&config->sections + section->offset;

    fprintf(out, "\n%s {\n", section->name);
    for (uint32_t i = 0; i < section->key_count; i++) {
        dump_value(config, &section->keys[i], values, config->section_origins[number][i], "    ", out);
    }
    fprintf(out, "}\n");
}

ph_status ph_config_dump(const ph_config *config, FILE *out)
{
    phx_c_locale scope;

    if (config == NULL || out == NULL) {
        return PH_BAD_ARGUMENT;
    }
    scope = phx_c_locale_begin();
    for (uint32_t i = 0; i < PHX_WORLD_KEY_COUNT; i++) {
        dump_value(config, &phx_config_world_keys[i], &config->def, config->origins[i], "", out);
    }
    for (uint32_t section = 0; section < PHX_SECTIONS; section++) {
        dump_section(config, section, out);
    }
    for (uint32_t kind = 0; kind < config->def.class_count; kind++) {
        fprintf(out, "\nclass %s {\n", config->classes[kind].name);
        for (uint32_t i = 0; i < PHX_CLASS_KEY_COUNT; i++) {
            dump_value(config, &phx_config_class_keys[i], &config->classes[kind], config->class_origins[kind].of[i],
                       "    ", out);
        }
        dump_bands(config, kind, out);
        fprintf(out, "}\n");
    }
    phx_c_locale_end(scope);
    return finish(out);
}

/* ============================= reference page ============================= */

static const char reference_head[] =
    "# Keys of a Pharos config file\n"
    "\n"
    "Made by `pharos-config reference`; do not edit.\n"
    "\n"
    "A file is a list of `key = value`, in any order, and of sections `class NAME { key = value ... }`, which may\n"
    "have sections `band { key = value ... }`; one section `store { key = value ... }`, and one section\n"
    "`cluster { key = value ... }`. A pair is `{a, b}`, and so are several texts. Comments: "
    "`#` and `//` to the end of the line, and\n"
    "`/* ... */`. Words may stand in quotes. Numbers have a point, whatever the locale, and no plus sign: `1e5`, not\n"
    "`1e+5`. Masks and `hash_seed` are 64 bit, decimal or `0x` and hexadecimal. True is `true`, `yes`, `on` or `1`;\n"
    "false is `false`, `no`, `off` or `0`. Every key may be left out. A key that is unknown, or there twice, or a\n"
    "value outside its range, is refused with file and line, and nothing of the file counts. A file has at most\n"
    "16 MiB and includes no other.\n"
    "\n"
    "On the command line `--set KEY=VALUE` takes the same keys: a pair as `a,b` (`shards` also as `4x4`), a class\n"
    "attribute as `view=100` for the class `default` and as `NAME.view=100` for another; all bands of a class as\n"
    "`NAME.band=30:1,60:2` (radius:every), or `NAME.band=none`; a key of the store as `store.level=3`, of the\n"
    "cluster as `cluster.lag_max=4`, several texts as `a,b`, none as an empty one.\n"
    "\n"
    "*live*: may differ when a file is read again while the world lives; all others need a new world. (`workers` is\n"
    "neither: a different value is passed over.)\n";

static const char reference_rules[] =
    "\n"
    "Rules between keys:\n"
    "- the towers along an axis, `world_size / tower_size` rounded up (at least 1), are in [1, %d];\n"
    "- there are at most as many shards along an axis as towers, and in all, `nx * ny`, at most %d;\n"
    "- `crowd_entities` above 0 is for `range = radius`.\n"
    "\n"
    "## Attributes of a class\n"
    "\n"
    "An entity has the attributes of its class, except the ones given for it alone. The class `default` is kind 0,\n"
    "whether it is in the file or not, and serves every kind that the file does not name. The others are kinds 1, 2,\n"
    "... in the order of the file. No class inherits from another, not even from `default`: a key that a section does\n"
    "not set has the default of this table. A name has 1 to %d letters, digits, `_`, `-` and `.`, and is not `store`\n"
    "or `cluster`; a name may be there once, and %d classes in all. All attributes are live, and a file that is read "
    "again may have "
    "further classes\n"
    "behind the present ones.\n";

static const char reference_bands[] =
    "\n"
    "## Bands of a class\n"
    "\n"
    "Up to %d sections `band { radius = 30 every = 1 }` in a class, radii ascending: how often its observers get\n"
    "updates of targets that moved. Beyond the last one its `every` counts too. A class without any gets no updates.\n"
    "If a file has bands for a class, they replace all its earlier ones. Live.\n";

static const char reference_store[] = "\n"
                                      "## Keys of the store\n"
                                      "\n"
                                      "The section `store { folder = \"/var/game\" }` is for programs that keep images "
                                      "and a journal of the world in files\n"
                                      "(docs/saving.md): `ph_config_store()` gives it as the definition for "
                                      "`ph_store_open()`. Text with a `/` stands in\n"
                                      "quotes. A store that is open goes on with the keys that it was opened with.\n";

static const char reference_cluster[] =
    "\n"
    "## Keys of the cluster\n"
    "\n"
    "The section `cluster { name = arena }` is for programs whose world is shared by several machines:\n"
    "`ph_config_cluster()` gives it as the definition for `phc_open()`, `ph_config_nats()` and `ph_config_etcd()` "
    "give\n"
    "the servers. A member that is open goes on with the keys that it was opened with. Texts with other bytes than\n"
    "letters, digits, `_`, `-` and `.` stand in quotes. Rules between keys, if there is a name: `silent_ticks` is not\n"
    "below `lag_max`, `list_ms` not above a quarter of `lease_ms` and a third of `link_timeout_ms`, unless that is 0,\n"
    "and a `halo` that is given not below the largest `view + margin` of a class (`range = towers`: `tower_size *\n"
    "(span + 1)`; where a class wakes NPCs, no less than `tower_size * (activation_span + 1)`) and twice\n"
    "`hand_over_margin + speed_max * lag_max`.\n";

/* The type in words. */
static const char *type_text(phx_key_type type)
{
    static const char *const texts[] = {[PHX_KEY_f32] = "number (float32)",
                                        [PHX_KEY_f32x2] = "{number, number} (float32)",
                                        [PHX_KEY_f64] = "number (float64)",
                                        [PHX_KEY_u32] = "whole number",
                                        [PHX_KEY_u32x2] = "{whole number, whole number}",
                                        [PHX_KEY_range] = "word",
                                        [PHX_KEY_shape] = "word",
                                        [PHX_KEY_index] = "word",
                                        [PHX_KEY_simd] = "word",
                                        [PHX_KEY_u64] = "whole number (64 bit)",
                                        [PHX_KEY_mask] = "mask",
                                        [PHX_KEY_u8] = "whole number",
                                        [PHX_KEY_flag] = "true or false",
                                        [PHX_KEY_bytes] = "whole number",
                                        [PHX_KEY_ring] = "whole number",
                                        [PHX_KEY_path] = "text",
                                        [PHX_KEY_label] = "text",
                                        [PHX_KEY_nats] = "texts",
                                        [PHX_KEY_etcd] = "texts",
                                        [PHX_KEY_store_loss] = "word",
                                        [PHX_KEY_u16] = "whole number",
                                        [PHX_KEY_u32_or_0] = "whole number"};

    PHX_ASSERT(type < sizeof texts / sizeof *texts && texts[type] != NULL);
    return texts[type];
}

static void reference_row(const phx_key *key, const void *defaults, bool in_class, FILE *out)
{
    char value[PHX_VALUE_SIZE];
    char range[PHX_RANGE_TEXT_SIZE];
    const char *range_text = "";

    if (key->type != PHX_KEY_flag) {
        range_text = phx_key_range_text(key, range);
    }
    fprintf(out, "| `%s` | %s | %s | `%s` | ", key->name, type_text(key->type), range_text,
            phx_value_write(key, defaults, value));
    if (!in_class) {
        fprintf(out, "%s | ", key->live ? "live" : "");
    }
    fprintf(out, "%s |\n", key->meaning);
}

static void reference_section(const char *head, uint32_t number, const phx_sections *defaults, FILE *out)
{
    const phx_section *section = &phx_config_sections[number];

    fputs(head, out);
    fputs("\n| key | type | range | default | meaning |\n|---|---|---|---|---|\n", out);
    for (uint32_t i = 0; i < section->key_count; i++) {
        reference_row(&section->keys[i], (const char *)defaults + section->offset, true, out);
    }
}

ph_status ph_config_reference(FILE *out)
{
    ph_world_def def = ph_world_def_default();
    const phx_sections sections = phx_sections_default();
    phx_c_locale scope;

    if (out == NULL) {
        return PH_BAD_ARGUMENT;
    }
    scope = phx_c_locale_begin();
    fputs(reference_head, out);
    fputs("\n## Keys of the world\n\n", out);
    fputs("| key | type | range | default | | meaning |\n|---|---|---|---|---|---|\n", out);
    for (uint32_t i = 0; i < PHX_WORLD_KEY_COUNT; i++) {
        reference_row(&phx_config_world_keys[i], &def, false, out);
    }
    fprintf(out, reference_rules, PH_TOWERS_AXIS_MAX, PH_SHARDS_MAX, PH_NAME_SIZE - 1, PH_KINDS_MAX);
    fputs("\n| key | type | range | default | meaning |\n|---|---|---|---|---|\n", out);
    for (uint32_t i = 0; i < PHX_CLASS_KEY_COUNT; i++) {
        reference_row(&phx_config_class_keys[i], &def.classes[0], true, out);
    }
    fprintf(out, reference_bands, PH_BANDS_MAX);
    fputs("\n| key | type | range | default | meaning |\n|---|---|---|---|---|\n", out);
    for (uint32_t i = 0; i < PHX_BAND_KEY_COUNT; i++) {
        reference_row(&phx_config_band_keys[i], &(ph_band){.every = 1}, true, out);
    }
    reference_section(reference_store, PHX_SECTION_STORE, &sections, out);
    reference_section(reference_cluster, PHX_SECTION_CLUSTER, &sections, out);
    phx_c_locale_end(scope);
    return finish(out);
}
