/*
 * Changes a config by one assignment, KEY=VALUE as on a command line: clones the config,
 * changes the clone under the C locale, and commits when all of it is good.
 */
#include <stdlib.h>

#include <pharos/pharos.h>

#include "base/c_locale.h"
#include "config/config.h"
#include "config/error.h"
#include "config/value.h"

/* Cuts blanks off both ends, in place. */
static char *trim(char *text)
{
    size_t length;

    text += strspn(text, " \t\r\n");
    for (length = strlen(text); length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL; length--) {
        text[length - 1] = '\0';
    }
    return text;
}

/* "RADIUS:EVERY,RADIUS:EVERY...", or "none": all bands of a class. The check of the definition is to come. */
static bool read_bands(ph_class *class, char *value, char reason[PHX_VALUE_REASON_SIZE])
{
    char *rest = value;

    class->band_count = 0;
    memset(class->bands, 0, sizeof class->bands);
    if (strcmp(trim(value), "none") == 0) {
        return true;
    }
    while (rest != NULL) {
        char *text = strsep(&rest, ",");
        char *mark = strchr(text, ':');
        ph_band *band = &class->bands[class->band_count];

        if (mark == NULL || class->band_count == PH_BANDS_MAX) {
            snprintf(reason, PHX_VALUE_REASON_SIZE, "band takes RADIUS:EVERY,RADIUS:EVERY,..., at most %d, or none",
                     PH_BANDS_MAX);
            return false;
        }
        *mark = '\0';
        if (!phx_value_read(&phx_config_band_keys[PHX_BAND_KEY_radius], band, 0, trim(text), reason) ||
            !phx_value_read(&phx_config_band_keys[PHX_BAND_KEY_every], band, 0, trim(mark + 1), reason)) {
            return false;
        }
        class->band_count++;
    }
    return true;
}

/* Where an assignment goes. */
typedef struct field {
    const phx_key *key; /* NULL: the bands of a class */
    void *base;
    phx_key_origin *origin;
} field;

/* The class attribute `name` of the class `class_name`, which is made when new. NULL = done, else why not. */
static const char *find_class_field(ph_config *config, const char *class_name, const char *name, field *to,
                                    ph_status *status)
{
    const char *bad = phx_config_bad_name(class_name);
    uint32_t kind;

    *status = PH_BAD_DEF;
    to->key = phx_config_class_key(name);
    if (to->key == NULL && strcmp(name, "band") != 0) {
        return "a class has no such attribute";
    }
    if (bad != NULL) {
        return bad;
    }
    kind = phx_config_find_class(config, class_name);
    if (kind == PH_KINDS_MAX) {
        return "too many classes";
    }
    if (kind == config->def.class_count && !phx_config_add_class(config, class_name)) {
        *status = PH_NO_MEMORY;
        return "out of memory";
    }
    to->base = &config->classes[kind];
    to->origin = to->key != NULL ? &config->class_origins[kind].of[to->key - phx_config_class_keys]
                                 : &config->class_origins[kind].bands[0];
    return NULL;
}

static const char *find_section_field(ph_config *config, uint32_t section, const char *name, field *to)
{
    to->key = phx_config_section_key(section, name);
    if (to->key == NULL) {
        return section == PHX_SECTION_STORE ? "a store has no such key" : "a cluster has no such key";
    }
    to->base = phx_config_section_values(config, section);
    to->origin = &config->section_origins[section][to->key - phx_config_sections[section].keys];
    return NULL;
}

static const char *find_field(ph_config *config, char *name, field *to, ph_status *status)
{
    char *dot = strrchr(name, '.'); /* the last one: class names may have dots, attributes have none */
    uint32_t section;

    *status = PH_BAD_DEF;
    if (dot != NULL) {
        *dot = '\0';
        section = phx_config_section(name, strlen(name));
        if (section < PHX_SECTIONS) {
            return find_section_field(config, section, dot + 1, to);
        }
        return find_class_field(config, name, dot + 1, to, status);
    }
    to->key = phx_config_world_key(name);
    if (to->key != NULL) {
        to->base = &config->def;
        to->origin = &config->origins[to->key - phx_config_world_keys];
        return NULL;
    }
    if (phx_config_class_key(name) == NULL && strcmp(name, "band") != 0) {
        return "no such key";
    }
    return find_class_field(config, "default", name, to, status);
}

/* "a,b"; for whole numbers also "axb". */
static bool assign_pair(const field *to, char *value, char reason[PHX_VALUE_REASON_SIZE])
{
    char *mark = strchr(value, ',');

    if (mark == NULL && to->key->type == PHX_KEY_u32x2) {
        mark = strchr(value, 'x');
    }
    if (mark == NULL || strchr(mark + 1, ',') != NULL) {
        snprintf(reason, PHX_VALUE_REASON_SIZE, "%s takes 2 values, a,b", to->key->name);
        return false;
    }
    *mark = '\0';
    return phx_value_read(to->key, to->base, 0, trim(value), reason) &&
           phx_value_read(to->key, to->base, 1, trim(mark + 1), reason);
}

/* "a,b,...", or nothing */
static bool assign_list(const field *to, char *value, char reason[PHX_VALUE_REASON_SIZE])
{
    uint32_t i = 0;

    for (char *rest = value; rest != NULL; i++) {
        if (i == phx_key_width(to->key->type)) {
            snprintf(reason, PHX_VALUE_REASON_SIZE, "%s takes at most %u values", to->key->name, i);
            return false;
        }
        if (!phx_value_read(to->key, to->base, i, trim(strsep(&rest, ",")), reason)) {
            return false;
        }
    }
    return true;
}

/* Splits `text`, which is ours, and puts the value into the staged config. */
static ph_status assign(ph_config *staged, char *text, char reason[PHX_VALUE_REASON_SIZE])
{
    char *equal = strchr(text, '=');
    field to = {NULL, NULL, NULL};
    const char *problem;
    ph_status status;
    bool good;

    if (equal == NULL) {
        snprintf(reason, PHX_VALUE_REASON_SIZE, "not of the form KEY=VALUE");
        return PH_BAD_DEF;
    }
    *equal = '\0';
    problem = find_field(staged, trim(text), &to, &status);
    if (problem != NULL) {
        snprintf(reason, PHX_VALUE_REASON_SIZE, "%s", problem);
        return status;
    }
    PHX_ASSERT(to.base != NULL && to.origin != NULL);
    if (to.key == NULL) {
        good = read_bands(to.base, equal + 1, reason);
    } else if (phx_key_is_list(to.key->type)) {
        good = assign_list(&to, trim(equal + 1), reason);
    } else if (phx_key_width(to.key->type) == 2) {
        good = assign_pair(&to, trim(equal + 1), reason);
    } else {
        good = phx_value_read(to.key, to.base, 0, trim(equal + 1), reason);
    }
    if (!good) {
        return PH_BAD_DEF;
    }
    *to.origin = (phx_key_origin){PHX_SOURCE_SET, 0};
    for (uint32_t i = 1; to.key == NULL && i < PH_BANDS_MAX; i++) {
        to.origin[i] = *to.origin;
    }
    return phx_config_check(staged, reason, PHX_VALUE_REASON_SIZE);
}

/* "--set KEY=VALUE"; a very long one is cut at its end, so that its key is seen. */
static void assignment_place(const char *assignment, char place[PHX_PLACE_SIZE])
{
    int wrote = snprintf(place, PHX_PLACE_SIZE, "--set %s", assignment);

    if (wrote >= PHX_PLACE_SIZE) {
        memcpy(place + PHX_PLACE_SIZE - sizeof "...", "...", sizeof "...");
    }
}

ph_status ph_config_set(ph_config *config, const char *assignment, ph_config_error *error)
{
    char place[PHX_PLACE_SIZE];
    char reason[PHX_VALUE_REASON_SIZE] = "out of memory";
    phx_c_locale scope;
    ph_status status = PH_NO_MEMORY;
    ph_config *staged;
    char *text;

    if (error != NULL) {
        *error = (ph_config_error){.reason = ""};
    }
    if (config == NULL || assignment == NULL) {
        return phx_config_error(error, PH_BAD_ARGUMENT, "ph_config_set", 0, "no %s",
                                config == NULL ? "config" : "assignment");
    }
    staged = phx_config_clone(config);
    text = strdup(assignment);
    scope = phx_c_locale_begin();
    if (staged != NULL && text != NULL && scope.own != (locale_t)0) {
        status = assign(staged, text, reason);
    }
    phx_c_locale_end(scope);
    free(text);
    if (status == PH_OK) {
        phx_config_commit(config, staged);
        return PH_OK;
    }
    ph_config_destroy(staged);
    assignment_place(assignment, place);
    return phx_config_error(error, status, place, 0, "%s", reason);
}
