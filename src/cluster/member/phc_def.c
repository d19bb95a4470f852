/*
 * A member's definition: defaults and checks; see phc_def.h.
 */
#include "cluster/member/phc_def.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/cluster_rules.h"
#include "base/key_text.h"
#include "base/mem.h"

#define KEY_OF_TEXT(...)
#define KEY_OF_NUMBER(type, name, a, b, min, max, meaning) \
    {#name, meaning, (double)(min), (double)(max), PHX_KEY_##type, offsetof(phc_def, name), false},
#define KEY_label KEY_OF_TEXT
#define KEY_path KEY_OF_TEXT
#define KEY_nats KEY_OF_TEXT
#define KEY_etcd KEY_OF_TEXT
#define KEY_u16 KEY_OF_NUMBER
#define KEY_u32 KEY_OF_NUMBER
#define KEY_u32_or_0 KEY_OF_NUMBER
#define KEY_u32x2 KEY_OF_NUMBER
#define KEY_f32 KEY_OF_NUMBER
#define KEY_flag KEY_OF_NUMBER
#define KEY_store_loss KEY_OF_NUMBER
#define CLUSTER_KEY(type, ...) KEY_##type(type, __VA_ARGS__)

static const phx_key number_keys[] = {PHX_CLUSTER_KEYS(CLUSTER_KEY)};

const phx_key *phx_phc_def_keys(uint32_t *count)
{
    *count = sizeof number_keys / sizeof *number_keys;
    return number_keys;
}

phc_def phc_def_default(void)
{
    return (phc_def){PHX_CLUSTER_KEYS(PHX_CLUSTER_DEFAULT)};
}

/* A place that refusals go to. */
typedef struct refusal_text {
    char *text;
    size_t size;
} refusal_text;

__attribute__((format(printf, 2, 3))) static bool refuse(refusal_text to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (to.text && to.size > 0) (void)vsnprintf(to.text, to.size, format, arguments);
    va_end(arguments);
    return false;
}

static bool check_number(const phc_def *def, const phx_key *key, refusal_text to)
{
    char range[PHX_RANGE_TEXT_SIZE];
    for (uint32_t i = 0; i < phx_key_width(key->type); i++) {
        const double value = phx_key_number(key, def, i);
        if (!phx_key_in_range(key, value))
            return refuse(to, "%s = %g is outside %s", key->name, value, phx_key_range_text(key, range));
    }
    return true;
}

static bool check_numbers(const phc_def *def, refusal_text to)
{
    for (size_t i = 0; i < sizeof number_keys / sizeof *number_keys; i++)
        if (!check_number(def, &number_keys[i], to)) return false;
    return true;
}

static bool check_reserved(const phc_def *def, refusal_text to)
{
    for (size_t i = 0; i < sizeof def->reserved / sizeof *def->reserved; i++)
        if (def->reserved[i] != 0) return refuse(to, "reserved[%zu] is not 0", i);
    if (!phx_allocator_is_good(&def->allocator))
        return refuse(to, "allocator has one function alone, or a reserved word that is not 0");
    return true;
}

bool phx_phc_def_check(const phc_def *def, bool has_world, char *reason, size_t size)
{
    const refusal_text to = {reason, size};
    char line[PHC_REASON_SIZE];
    if (!def->name || !phx_cluster_name_is_good(def->name))
        return refuse(to, "name: 1 to %d letters, digits, - and _", PHC_NAME_MAX);
    if (!def->world_def) return refuse(to, "world_def is NULL");
    if (ph_world_def_check(def->world_def, line, sizeof line) != PH_OK) return refuse(to, "world_def: %.400s", line);
    if (has_world == def->gateway) return refuse(to, def->gateway ? "a gateway has no world" : "a node has a world");
    if (!check_numbers(def, to)) return false;
    if (!phx_cluster_rules_hold(def, line, sizeof line)) return refuse(to, "%s", line);
    return check_reserved(def, to);
}
