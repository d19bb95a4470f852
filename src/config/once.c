/*
 * Changes that are checked together: ph_config_begin() keeps a clone, ph_config_end() checks the whole definition and
 * goes back to the clone if a rule between keys is broken.
 */
#include <stdio.h>

#include <pharos/pharos.h>

#include "config/config.h"
#include "config/error.h"
#include "config/value.h"

ph_status ph_config_begin(ph_config *config)
{
    if (config == NULL || config->before != NULL) {
        return PH_BAD_ARGUMENT;
    }
    config->before = phx_config_clone(config);
    config->deferred = config->before != NULL;
    return config->deferred ? PH_OK : PH_NO_MEMORY;
}

/* The origin of the bands or of the class in a reason of a class: "class 1 'a': band 2: ..." */
static phx_key_origin class_origin(const ph_config *config, const char *reason)
{
    phx_key_origin none = {PHX_SOURCE_DEFAULT, 0};
    const char *band_text = strstr(reason, ": band ");
    unsigned kind = 0;
    unsigned band = 1;

    if (sscanf(reason, "class %u", &kind) != 1 || kind >= config->def.class_count) {
        return none;
    }
    if (band_text != NULL && sscanf(band_text, ": band %u", &band) == 1 && band >= 1 && band <= PH_BANDS_MAX) {
        return config->class_origins[kind].bands[band - 1];
    }
    return none;
}

/* The key that the reason begins with, or else one in it that was set; NULL: none. */
static const phx_key *key_of_reason(const ph_config *config, const char *reason, phx_key_origin *origin)
{
    uint32_t count;
    const phx_key_origin *origins;
    const phx_key *keys = phx_config_keys_of(config, reason, &count, &origins);
    const char *begin = keys == phx_config_world_keys ? reason : strchr(reason, ' ') + 1; /* behind "cluster: " */
    const phx_key *named = NULL;

    for (uint32_t i = 0; i < count; i++) {
        const char *at = strstr(begin, keys[i].name);

        if (at == NULL || origins[i].source == PHX_SOURCE_DEFAULT) {
            continue;
        }
        named = &keys[i];
        *origin = origins[i];
        if (at == begin) {
            break;
        }
    }
    return named;
}

static ph_status blame_origin(const ph_config *config, const char *reason, ph_config_error *error)
{
    phx_key_origin origin = class_origin(config, reason);
    const phx_key *key = key_of_reason(config, reason, &origin);
    char place[PHX_PLACE_SIZE];

    if (origin.source >= PHX_SOURCE_FILE) {
        return phx_config_error(error, PH_BAD_DEF, config->files[origin.source - PHX_SOURCE_FILE], origin.line, "%s",
                                reason);
    }
    snprintf(place, sizeof place, "--set %s", key != NULL ? key->name : "band");
    return phx_config_error(error, PH_BAD_DEF, origin.source == PHX_SOURCE_SET ? place : "the definition", 0, "%s",
                            reason);
}

ph_status ph_config_end(ph_config *config, ph_config_error *error)
{
    char reason[PHX_VALUE_REASON_SIZE];
    ph_status status;

    if (error != NULL) {
        *error = (ph_config_error){.reason = ""};
    }
    if (config == NULL || config->before == NULL) {
        return phx_config_error(error, PH_BAD_ARGUMENT, "ph_config_end", 0, "no %s",
                                config == NULL ? "config" : "ph_config_begin() before it");
    }
    status = phx_config_check_now(config, reason, sizeof reason);
    if (status == PH_OK) {
        ph_config_destroy(config->before);
        config->before = NULL;
        config->deferred = false;
        return PH_OK;
    }
    status = blame_origin(config, reason, error);
    phx_config_restore(config);
    return status;
}
