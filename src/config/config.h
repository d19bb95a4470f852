/*
 * The inside of a ph_config: the definition, its classes and where each value came from.
 * Every change is made on a clone, which takes the place of the old state when all of it
 * is good. One thread at a time per ph_config.
 */
#ifndef PHX_CONFIG_CONFIG_H
#define PHX_CONFIG_CONFIG_H

#include <pharos/config.h>

#include "base/key_table.h"
#include "config/sections.h"

/* The keys, in the order of base/keys.h; places in them are places in the origins below. */
extern const phx_key phx_config_world_keys[PHX_WORLD_KEY_COUNT];
extern const phx_key phx_config_class_keys[PHX_CLASS_KEY_COUNT];
extern const phx_key phx_config_band_keys[PHX_BAND_KEY_COUNT];

/* ph_config_set() in origins; files count from PHX_SOURCE_FILE. */
enum { PHX_SOURCE_DEFAULT = 0, PHX_SOURCE_SET = 1, PHX_SOURCE_FILE = 2 };

/* File names that one config can remember. */
enum { PHX_FILES_MAX = 64 };

/* Where a value came from. */
typedef struct phx_key_origin {
    uint32_t source; /* PHX_SOURCE_..., or PHX_SOURCE_FILE + place in files */
    uint32_t line;
} phx_key_origin;

typedef struct phx_class_origins {
    phx_key_origin of[PHX_CLASS_KEY_COUNT];
    phx_key_origin bands[PH_BANDS_MAX];
} phx_class_origins;

struct ph_config {
    ph_config *before; /* the state at ph_config_begin(); NULL: not begun */
    bool deferred;     /* begun, or a clone of one that is: rules between keys are checked at the end */
    ph_world_def def;  /* its classes are ours */
    ph_class *classes;
    phx_class_origins *class_origins;
    uint32_t class_capacity; /* of the two arrays above */
    uint32_t file_count;
    phx_key_origin origins[PHX_WORLD_KEY_COUNT];
    phx_sections sections;
    phx_key_origin section_origins[PHX_SECTIONS][PHX_SECTION_KEYS_MAX];
    char *files[PHX_FILES_MAX];
};

/* A copy of all of it but `before`; NULL = no memory. */
ph_config *phx_config_clone(const ph_config *config);

/* *config gets the state of *staged; its old state is freed with staged. */
void phx_config_commit(ph_config *config, ph_config *staged);

/* *config gets the state of config->before, which is freed. */
void phx_config_restore(ph_config *config);

/* ph_world_def_check(), and the rules of the cluster if it has a name; the first, unless that is deferred. */
ph_status phx_config_check(const ph_config *config, char *reason, size_t size);
ph_status phx_config_check_now(const ph_config *config, char *reason, size_t size);

/*
 * The keys that the reason of a check is about, and their origins: of the section whose name and a colon it begins
 * with, or of the world.
 */
const phx_key *phx_config_keys_of(const ph_config *config, const char *reason, uint32_t *count,
                                  const phx_key_origin **origins);

/* The number of this file in origins. false: PHX_FILES_MAX others are known, or no memory; *status says which. */
bool phx_config_file(ph_config *config, const char *name, uint32_t *source, ph_status *status);

/* The class of this name, or class_count when there is none. */
uint32_t phx_config_find_class(const ph_config *config, const char *name);

/* Adds a class, all defaults; the name is good and new, and there is room for one more. false = no memory. */
bool phx_config_add_class(ph_config *config, const char *name);

/* NULL when it can name a class, else the reason; static. */
const char *phx_config_bad_name(const char *name);

/* The key of this name in the list of the world or of classes, or NULL. */
const phx_key *phx_config_world_key(const char *name);
const phx_key *phx_config_class_key(const char *name);

/* Where the values of a section are. */
static inline void *phx_config_section_values(ph_config *config, uint32_t section)
{
    return (char *)&config->sections + phx_config_sections[section].offset;
}

#endif
