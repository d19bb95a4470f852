/*
 * A store's definition; see def.h.
 */
#include "store/def.h"

#include <stdio.h>
#include <string.h>

#include "base/key_text.h"

#define KEY_OF_TEXT(...)
#define KEY_OF_NUMBER(type, name, value, min, max, meaning) \
    {#name, meaning, (double)(min), (double)(max), PHX_KEY_##type, offsetof(ph_store_def, name), false},
#define KEY_path KEY_OF_TEXT
#define KEY_label KEY_OF_TEXT
#define KEY_u32 KEY_OF_NUMBER
#define KEY_ring KEY_OF_NUMBER
#define KEY_bytes KEY_OF_NUMBER
#define STORE_KEY(type, ...) KEY_##type(type, __VA_ARGS__)

static const phx_key number_keys[] = {PHX_STORE_KEYS(STORE_KEY)};

ph_store_def ph_store_def_default(void)
{
    return (ph_store_def){PHX_STORE_KEYS(PHX_STORE_DEFAULT)};
}

static ph_status refuse_text(char *reason, size_t size, const char *text)
{
    if (size > 0) snprintf(reason, size, "%s", text);
    return PH_BAD_DEF;
}

static ph_status check_number(const ph_store_def *def, const phx_key *key, char *reason, size_t size)
{
    char range[PHX_RANGE_TEXT_SIZE];
    const double value = phx_key_number(key, def, 0);
    if (phx_key_in_range(key, value)) return PH_OK;
    if (size > 0) snprintf(reason, size, "%s = %.0f is outside %s", key->name, value, phx_key_range_text(key, range));
    return PH_BAD_DEF;
}

ph_status phx_store_check_place(const ph_store_def *def, char *reason, size_t reason_size)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (!def->folder || def->folder[0] == '\0') return refuse_text(reason, reason_size, "folder: it is not given");
    if (!def->name || def->name[0] == '\0') return refuse_text(reason, reason_size, "name: it is not given");
    const size_t bytes = strnlen(def->name, PH_STORE_NAME_MAX + 1);
    if (bytes > PH_STORE_NAME_MAX) return refuse_text(reason, reason_size, "name: it has more than 63 bytes");
    if (strspn(def->name, allowed) != bytes)
        return refuse_text(reason, reason_size, "name: it has another byte than letters, digits, - and _");
    return PH_OK;
}

ph_status phx_store_check(const ph_store_def *def, char *reason, size_t reason_size)
{
    ph_status status = phx_store_check_place(def, reason, reason_size);
    for (size_t i = 0; i < sizeof number_keys / sizeof *number_keys && status == PH_OK; i++)
        status = check_number(def, &number_keys[i], reason, reason_size);
    if (status == PH_OK && !phx_is_zero(def->reserved, sizeof def->reserved))
        return refuse_text(reason, reason_size, "reserved: it is not 0");
    return status;
}
