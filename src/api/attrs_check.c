/*
 * ph_attrs_check(): would enter or set refuse these attributes, and why? See pharos.h.
 */
#include <stdio.h>

#include "api/handles.h"
#include "base/c_locale.h"
#include "base/float_env.h"
#include "base/key_text.h"
#include "world/ingest/command_checks.h"
#include "world/queue/commands.h"

enum { VALUE_SIZE = 2 * PHX_NUMBER_SIZE };

/* Every field of ph_attrs, with its type. */
#define ATTRS_FIELDS(ROW) \
    ROW(f32, X, x) \
    ROW(f32, Y, y) \
    ROW(f32, Z, z) \
    ROW(f32, VIEW, view) \
    ROW(f32, MARGIN, margin) \
    ROW(f32, REACH, reach) \
    ROW(f32, VISIBLE, visible) \
    ROW(word, KIND, kind) \
    ROW(word, CAP, cap) \
    ROW(word, CONSUMER, consumer) \
    ROW(word, INSTANCE, instance) \
    ROW(word, LAYERS, layers) \
    ROW(word, SEES, sees) \
    ROW(word, USER_DATA, user_data) \
    ROW(word, STEALTH, stealth) \
    ROW(word, DETECT, detect) \
    ROW(word, PRIORITY, priority) \
    ROW(word, GLOBAL, global) \
    ROW(word, VEILED, veiled) \
    ROW(word, READY, ready) \
    ROW(word, REMOTE, remote)

#define COUNT_FIELD(type, name, member) +1
_Static_assert((1u << (0 ATTRS_FIELDS(COUNT_FIELD))) - 1 == PH_GIVEN_ALL, "a row for each bit of ph_attrs.given");
#undef COUNT_FIELD

static void write_f32(double value, char text[VALUE_SIZE])
{
    phx_number_write(value, false, text, PHX_NUMBER_SIZE);
}

static void write_word(uint64_t value, char text[VALUE_SIZE])
{
    snprintf(text, VALUE_SIZE, "%" PRIu64, value);
}

/* The value of a field, as a config file has it. */
static void write_value(const ph_attrs *attrs, ph_field field, char text[VALUE_SIZE])
{
    switch (field) {
#define WRITE_FIELD(type, name, member) \
    case PH_FIELD_##name: \
        write_##type(attrs->member, text); \
        return;
        ATTRS_FIELDS(WRITE_FIELD)
#undef WRITE_FIELD
    default:
        snprintf(text, VALUE_SIZE, "0x%" PRIx32, attrs->given);
    }
}

/* The range of a field that a check can refuse. */
static void write_range(const phx_world *world, ph_field field, char text[PHX_RANGE_TEXT_SIZE])
{
    phx_key range = {.type = PHX_KEY_u32};
    switch (field) {
    case PH_FIELD_X:
    case PH_FIELD_Y:
    case PH_FIELD_Z:
        range = (phx_key){.type = PHX_KEY_f32, .min = -PH_COORDINATE_MAX, .max = PH_COORDINATE_MAX};
        break;
    case PH_FIELD_KIND:
        range.max = atomic_load_explicit(&world->kind_count, memory_order_relaxed) - 1;
        break;
    case PH_FIELD_CAP:
        range.max = INT32_MAX;
        break;
    case PH_FIELD_CONSUMER:
        range.max = world->def.consumers > 0 ? world->def.consumers - 1 : 0;
        break;
    case PH_FIELD_GIVEN:
        snprintf(text, PHX_RANGE_TEXT_SIZE, "[0, 0x%x]", (unsigned)PH_GIVEN_ALL);
        return;
    default:
        range = (phx_key){.type = PHX_KEY_f32, .max = PH_LENGTH_MAX};
    }
    phx_key_range_text(&range, text);
}

static void write_refusal(const phx_world *world, const ph_attrs *attrs, phx_check check, char *reason, size_t size)
{
    char value[VALUE_SIZE], range[PHX_RANGE_TEXT_SIZE];
    const char *name = ph_field_name(check.field);
    if (check.status == PH_NOT_GIVEN) {
        snprintf(reason, size, "%s is not given: its bit is not in given", name);
        return;
    }
    write_value(attrs, check.field, value);
    write_range(world, check.field, range);
    snprintf(reason, size, "%s = %s is outside %s", name, value, range);
}

/* The first field, by its bit, that is not 0 and not given; all is well otherwise. */
static void write_ungiven(const ph_attrs *attrs, char *reason, size_t size)
{
    char value[VALUE_SIZE];
    const uint32_t bits = phx_attrs_ungiven(attrs);
    if (bits == 0) return;
    const ph_field field = (ph_field)(__builtin_ctz(bits) + 1);
    write_value(attrs, field, value);
    snprintf(reason, size, "%s = %s does not count: its bit is not in given", ph_field_name(field), value);
}

ph_status ph_attrs_check(ph_world handle, ph_command command, const ph_attrs *attrs, char *reason, size_t reason_size)
{
    PHX_FLOAT_DEFAULT;
    const phx_world *world = phx_resolve_world(handle);
    if (reason && reason_size > 0) reason[0] = '\0';
    if (!world) return PH_BAD_HANDLE;
    if (!attrs || (command != PH_COMMAND_ENTER && command != PH_COMMAND_SET)) return PH_BAD_ARGUMENT;
    const phx_check check = phx_check_attrs(world, (uint16_t)command, attrs);
    if (!reason || reason_size == 0) return check.status;
    const phx_c_locale scope = phx_c_locale_begin();
    if (check.status != PH_OK) write_refusal(world, attrs, check, reason, reason_size);
    else write_ungiven(attrs, reason, reason_size);
    phx_c_locale_end(scope);
    return check.status;
}
