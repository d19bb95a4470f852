/*
 * The life of a ph_config, its classes and its memory of where values came from. Called
 * by the host and by the two ways to change a config: load.c and set.c.
 */
#include "config/config.h"

#include <stdlib.h>

#include <pharos/pharos.h>

#include "base/cluster_rules.h"

const phx_key phx_config_world_keys[PHX_WORLD_KEY_COUNT] = PHX_WORLD_KEY_TABLE;
const phx_key phx_config_class_keys[PHX_CLASS_KEY_COUNT] = PHX_CLASS_KEY_TABLE;
const phx_key phx_config_band_keys[PHX_BAND_KEY_COUNT] = PHX_BAND_KEY_TABLE;

/* Classes to begin with; a typical game has a handful. */
enum { CLASS_CAPACITY_MIN = 8 };

static void free_parts(ph_config *config)
{
    ph_config_destroy(config->before);
    free(config->classes);
    free(config->class_origins);
    for (uint32_t i = 0; i < config->file_count; i++) {
        free(config->files[i]);
    }
}

/* Both arrays, for at least `capacity` classes. false = no memory; the present ones stay good. */
static bool reserve_classes(ph_config *config, uint32_t capacity)
{
    ph_class *classes = realloc(config->classes, capacity * sizeof *classes);
    phx_class_origins *origins;

    if (classes == NULL) {
        return false;
    }
    config->classes = classes;
    config->def.classes = classes;
    origins = realloc(config->class_origins, capacity * sizeof *origins);
    if (origins == NULL) {
        return false;
    }
    config->class_origins = origins;
    config->class_capacity = capacity;
    return true;
}

ph_status ph_config_create(ph_config **config)
{
    ph_config *made;

    if (config == NULL) {
        return PH_BAD_ARGUMENT;
    }
    *config = NULL;
    made = calloc(1, sizeof *made);
    if (made == NULL) {
        return PH_NO_MEMORY;
    }
    made->def = ph_world_def_default();
    made->def.class_count = 0;
    made->sections = phx_sections_default();
    phx_cluster_section_point(&made->sections.cluster);
    if (!phx_config_add_class(made, "default")) {
        ph_config_destroy(made);
        return PH_NO_MEMORY;
    }
    PHX_ASSERT(ph_world_def_check(&made->def, NULL, 0) == PH_OK);
    *config = made;
    return PH_OK;
}

void ph_config_destroy(ph_config *config)
{
    if (config != NULL) {
        free_parts(config);
        free(config);
    }
}

const ph_world_def *ph_config_def(const ph_config *config)
{
    PHX_ASSERT(config != NULL && config->def.classes == config->classes);
    return &config->def;
}

uint32_t ph_config_kind(const ph_config *config, const char *class_name)
{
    uint32_t kind = class_name == NULL ? 0 : phx_config_find_class(config, class_name);

    return kind < config->def.class_count ? kind : PH_KIND_NONE;
}

ph_config *phx_config_clone(const ph_config *config)
{
    ph_config *clone = malloc(sizeof *clone);
    uint32_t count = config->def.class_count;

    if (clone == NULL) {
        return NULL;
    }
    *clone = *config;
    clone->before = NULL;
    clone->classes = NULL;
    clone->class_origins = NULL;
    clone->file_count = 0;
    if (!reserve_classes(clone, config->class_capacity)) {
        ph_config_destroy(clone);
        return NULL;
    }
    memcpy(clone->classes, config->classes, count * sizeof *clone->classes);
    memcpy(clone->class_origins, config->class_origins, count * sizeof *clone->class_origins);
    for (uint32_t i = 0; i < config->file_count; i++) {
        clone->files[i] = strdup(config->files[i]);
        if (clone->files[i] == NULL) {
            ph_config_destroy(clone);
            return NULL;
        }
        clone->file_count++;
    }
    return clone;
}

void phx_config_commit(ph_config *config, ph_config *staged)
{
    PHX_ASSERT(config != staged && staged->def.classes == staged->classes);
    PHX_ASSERT(staged->def.class_count >= config->def.class_count);
    PHX_ASSERT(staged->before == NULL);
    staged->before = config->before;
    config->before = NULL;
    free_parts(config);
    *config = *staged;
    free(staged);
}

void phx_config_restore(ph_config *config)
{
    ph_config *before = config->before;

    PHX_ASSERT(before != NULL && before->before == NULL);
    config->before = NULL;
    free_parts(config);
    *config = *before;
    free(before);
}

ph_status phx_config_check(const ph_config *config, char *reason, size_t size)
{
    return config->deferred ? PH_OK : phx_config_check_now(config, reason, size);
}

/* Without a name there is no cluster, and no rule. */
static ph_status check_cluster(const ph_config *config, char *reason, size_t size)
{
    const phc_def def = phx_cluster_section_def(&config->sections.cluster, &config->def);
    const size_t used = (size_t)snprintf(reason, size, PHX_CLUSTER_SECTION ": ");

    PHX_ASSERT(used < size);
    return def.name == NULL || phx_cluster_rules_hold(&def, reason + used, size - used) ? PH_OK : PH_BAD_DEF;
}

ph_status phx_config_check_now(const ph_config *config, char *reason, size_t size)
{
    const ph_status status = ph_world_def_check(&config->def, reason, size);

    return status != PH_OK ? status : check_cluster(config, reason, size);
}

const phx_key *phx_config_keys_of(const ph_config *config, const char *reason, uint32_t *count,
                                  const phx_key_origin **origins)
{
    const uint32_t section = phx_config_section(reason, strcspn(reason, ":"));

    if (section == PHX_SECTIONS) {
        *count = PHX_WORLD_KEY_COUNT;
        *origins = config->origins;
        return phx_config_world_keys;
    }
    *count = phx_config_sections[section].key_count;
    *origins = config->section_origins[section];
    return phx_config_sections[section].keys;
}

bool phx_config_file(ph_config *config, const char *name, uint32_t *source, ph_status *status)
{
    for (uint32_t i = 0; i < config->file_count; i++) {
        if (strcmp(config->files[i], name) == 0) {
            *source = PHX_SOURCE_FILE + i;
            return true;
        }
    }
    if (config->file_count == PHX_FILES_MAX) {
        *status = PH_BAD_ARGUMENT;
        return false;
    }
    config->files[config->file_count] = strdup(name);
    if (config->files[config->file_count] == NULL) {
        *status = PH_NO_MEMORY;
        return false;
    }
    *source = PHX_SOURCE_FILE + config->file_count++;
    return true;
}

uint32_t phx_config_find_class(const ph_config *config, const char *name)
{
    uint32_t kind = 0;

    while (kind < config->def.class_count && strcmp(config->classes[kind].name, name) != 0) {
        kind++;
    }
    return kind;
}

bool phx_config_add_class(ph_config *config, const char *name)
{
    uint32_t kind = config->def.class_count;

    PHX_ASSERT(kind < PH_KINDS_MAX && phx_config_bad_name(name) == NULL);
    PHX_ASSERT(phx_config_find_class(config, name) == kind);
    if (kind == config->class_capacity &&
        !reserve_classes(config, kind < CLASS_CAPACITY_MIN ? CLASS_CAPACITY_MIN : 2 * kind)) {
        return false;
    }
    config->classes[kind] = ph_class_default(name);
    memset(&config->class_origins[kind], 0, sizeof config->class_origins[kind]);
    config->def.class_count = kind + 1;
    return true;
}

const char *phx_config_bad_name(const char *name)
{
    if (*name == '\0') {
        return "a class name is empty";
    }
    for (const char *byte = name; *byte != '\0'; byte++) {
        if (!phx_is_name_byte(*byte)) {
            return "a class name has letters, digits, '_', '-' and '.' only";
        }
    }
    switch (phx_config_section(name, strlen(name))) { /* --set store.level=3 */
    case PHX_SECTION_STORE:
        return "a class can not have the name store, which is a section";
    case PHX_SECTION_CLUSTER:
        return "a class can not have the name cluster, which is a section";
    default:
        break;
    }
    return strlen(name) < PH_NAME_SIZE ? NULL : "a class name is longer than 31 bytes";
}
_Static_assert(PH_NAME_SIZE == 32, "the text above says 31");

static const phx_key *find_key(const phx_key *keys, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(keys[i].name, name) == 0) {
            return &keys[i];
        }
    }
    return NULL;
}

const phx_key *phx_config_world_key(const char *name)
{
    return find_key(phx_config_world_keys, PHX_WORLD_KEY_COUNT, name);
}

const phx_key *phx_config_class_key(const char *name)
{
    return find_key(phx_config_class_keys, PHX_CLASS_KEY_COUNT, name);
}
