/*
 * The keys of the section `store`, and its defaults; see store_section.h.
 */
#include "config/store_section.h"

#define PLACE_OF_TEXT(name) offsetof(phx_store_section, name)
#define PLACE_OF_NUMBER(name) offsetof(phx_store_section, def.name)
#define PLACE_path PLACE_OF_TEXT
#define PLACE_label PLACE_OF_TEXT
#define PLACE_u32 PLACE_OF_NUMBER
#define PLACE_ring PLACE_OF_NUMBER
#define PLACE_bytes PLACE_OF_NUMBER
#define STORE_KEY(type, name, value, min, max, meaning) \
    {#name, meaning, (double)(min), (double)(max), PHX_KEY_##type, PLACE_##type(name), false},

const phx_key phx_config_store_keys[PHX_STORE_KEY_COUNT] = {PHX_STORE_KEYS(STORE_KEY)};

void phx_store_section_default(phx_store_section *section)
{
    *section = (phx_store_section){.def = {PHX_STORE_KEYS(PHX_STORE_DEFAULT)}, .name = "world"};
}
