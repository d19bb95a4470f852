/* C structs from Lua tables, and back: one table of fields for each struct, of pharos_fields.h (made from the headers).
 */
#include "fields.h"
#include "pharos_fields.h"

#include <lauxlib.h>
#include <string.h>

typedef enum field_type {
    FIELD_BOOL,
    FIELD_UINT8,
    FIELD_UINT32,
    FIELD_UINT64,
    FIELD_FLOAT,
    FIELD_DOUBLE,
    FIELD_TEXT
} field_type;

typedef struct struct_field {
    const char *name;
    size_t offset;
    field_type type;
    uint32_t count; /* above 1: an array, in Lua a sequence; of a text its bytes */
} struct_field;

#define FIELD_OF(of, field, kind, many) {#field, offsetof(of, field), FIELD_##kind, many},
#define ROW_ATTRS(field, kind, many) FIELD_OF(ph_attrs, field, kind, many)
#define ROW_AREA(field, kind, many) FIELD_OF(ph_area, field, kind, many)
#define ROW_QUERY(field, kind, many) FIELD_OF(ph_query, field, kind, many)
#define ROW_DEF(field, kind, many) FIELD_OF(ph_world_def, field, kind, many)
#define ROW_CLASS(field, kind, many) FIELD_OF(ph_class, field, kind, many)
#define ROW_BAND(field, kind, many) FIELD_OF(ph_band, field, kind, many)
#define ROW_OPTIONS(field, kind, many) FIELD_OF(ph_broadcast_options, field, kind, many)
#define ROW_PLACE(field, kind, many) FIELD_OF(ph_broadcast_place, field, kind, many)
#define ROW_STATS(field, kind, many) FIELD_OF(ph_stats, field, kind, many)

static const struct_field attrs_fields[] = {PH_ATTRS_FIELDS(ROW_ATTRS){0}};
static const struct_field area_fields[] = {PH_AREA_FIELDS(ROW_AREA){0}};
static const struct_field query_fields[] = {PH_QUERY_FIELDS(ROW_QUERY){0}};
static const struct_field def_fields[] = {PH_WORLD_DEF_FIELDS(ROW_DEF){0}};
static const struct_field class_fields[] = {PH_CLASS_FIELDS(ROW_CLASS){0}};
static const struct_field band_fields[] = {PH_BAND_FIELDS(ROW_BAND){0}};
static const struct_field options_fields[] = {PH_BROADCAST_OPTIONS_FIELDS(ROW_OPTIONS){0}};
static const struct_field place_fields[] = {PH_BROADCAST_PLACE_FIELDS(ROW_PLACE){0}};
static const struct_field stats_fields[] = {PH_STATS_FIELDS(ROW_STATS){0}};

/* Bits of ph_attrs.given, by place in attrs_fields. */
static const uint32_t attrs_bits[] = {PH_ATTRS_BITS};

static const struct_field *find_field(const struct_field *fields, const char *name)
{
    for (; fields->name != NULL; fields++)
        if (strcmp(fields->name, name) == 0) return fields;
    return NULL;
}

static lua_Integer read_unsigned(lua_State *L, const char *name, lua_Integer max)
{
    int is_integer;
    lua_Integer value = lua_tointegerx(L, -1, &is_integer);
    if (!is_integer || value < 0 || value > max)
        luaL_error(L, "%s: an integer from 0 to %I is needed", name, (LUAI_UACINT)max);
    return value;
}

/* The value on the top of the stack into one element of a field. */
static void read_item(lua_State *L, const struct_field *field, char *item)
{
    int is_number = 1;
    switch (field->type) {
    case FIELD_BOOL:
        *(bool *)item = lua_toboolean(L, -1);
        break;
    case FIELD_UINT8:
        *(uint8_t *)item = (uint8_t)read_unsigned(L, field->name, UINT8_MAX);
        break;
    case FIELD_UINT32:
        *(uint32_t *)item = (uint32_t)read_unsigned(L, field->name, UINT32_MAX);
        break;
    case FIELD_UINT64:
        *(uint64_t *)item = (uint64_t)lua_tointegerx(L, -1, &is_number);
        break; /* ~0 is all bits */
    case FIELD_FLOAT:
        *(float *)item = (float)lua_tonumberx(L, -1, &is_number);
        break;
    case FIELD_DOUBLE:
        *(double *)item = lua_tonumberx(L, -1, &is_number);
        break;
    case FIELD_TEXT:
        break; /* is read whole */
    }
    if (!is_number) luaL_error(L, "%s: a number is needed", field->name);
}

static size_t item_bytes(field_type type)
{
    static const size_t bytes[] = {sizeof(bool),  sizeof(uint8_t), sizeof(uint32_t), sizeof(uint64_t),
                                   sizeof(float), sizeof(double),  sizeof(char)};
    return bytes[type];
}

static void read_field(lua_State *L, const struct_field *field, char *to)
{
    if (field->type == FIELD_TEXT) {
        size_t length;
        const char *text = lua_tolstring(L, -1, &length);
        if (text == NULL || length >= field->count) luaL_error(L, "%s: a shorter text is needed", field->name);
        memcpy(to, text, length + 1);
        return;
    }
    if (field->count == 1) {
        read_item(L, field, to);
        return;
    }
    if (!lua_istable(L, -1) || lua_rawlen(L, -1) > field->count)
        luaL_error(L, "%s: a sequence of at most %d numbers is needed", field->name, (int)field->count);
    for (lua_Unsigned i = 0, count = lua_rawlen(L, -1); i < count; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        read_item(L, field, to + i * item_bytes(field->type));
        lua_pop(L, 1);
    }
}

/* Calls `read_field` for each key; `but` is a key that the caller reads, or NULL. */
static void read_table(lua_State *L, int at, const struct_field *fields, void *to, const char *but)
{
    luaL_checktype(L, at, LUA_TTABLE);
    at = lua_absindex(L, at);
    for (lua_pushnil(L); lua_next(L, at) != 0; lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING) luaL_error(L, "a table with names is needed");
        const char *name = lua_tostring(L, -2);
        const struct_field *field = find_field(fields, name);
        if (but != NULL && strcmp(name, but) == 0) continue;
        if (field == NULL) luaL_error(L, "no field '%s'", name);
        read_field(L, field, (char *)to + field->offset);
    }
}

void lua_read_attrs(lua_State *L, int at, ph_attrs *attrs)
{
    *attrs = (ph_attrs){0};
    luaL_checktype(L, at, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, at) != 0; lua_pop(L, 1)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
        const struct_field *field = find_field(attrs_fields + 1, name);
        if (field == NULL) luaL_error(L, "no attribute '%s'", name);
        read_field(L, field, (char *)attrs + field->offset);
        attrs->given |= attrs_bits[field - attrs_fields];
    }
}

void lua_read_area(lua_State *L, int at, ph_area *area)
{
    *area = (ph_area){0};
    read_table(L, at, area_fields, area, NULL);
}

static uint32_t read_kinds(lua_State *L, int at, uint32_t *kinds)
{
    static const struct_field field = {"kinds", 0, FIELD_UINT32, LUA_KINDS_MAX};
    uint32_t count = 0;
    if (lua_istable(L, at) && lua_getfield(L, at, "kinds") != LUA_TNIL) {
        read_field(L, &field, (char *)kinds);
        count = (uint32_t)lua_rawlen(L, -1);
    }
    return count;
}

void lua_read_query(lua_State *L, int at, ph_query *query, uint32_t *kinds)
{
    *query = (ph_query){0};
    read_table(L, at, query_fields, query, "kinds");
    query->kinds = kinds;
    query->kind_count = read_kinds(L, at, kinds);
}

void lua_read_options(lua_State *L, int at, ph_broadcast_options *options, uint32_t *kinds)
{
    *options = (ph_broadcast_options){0};
    read_table(L, at, options_fields, options, "kinds");
    options->kinds = kinds;
    options->kind_count = read_kinds(L, at, kinds);
}

void lua_read_place(lua_State *L, int at, ph_broadcast_place *place, uint32_t *kinds)
{
    *place = (ph_broadcast_place){.layers = UINT64_MAX};
    read_table(L, at, place_fields, place, "kinds");
    place->kinds = kinds;
    place->kind_count = read_kinds(L, at, kinds);
}

void lua_read_world_def(lua_State *L, int at, ph_world_def *def)
{
    read_table(L, at, def_fields, def, "classes");
}

void lua_read_class(lua_State *L, int at, ph_class *from)
{
    read_table(L, at, class_fields, from, "bands");
}

void lua_read_band(lua_State *L, int at, ph_band *band)
{
    *band = (ph_band){0};
    read_table(L, at, band_fields, band, NULL);
}

static void push_item(lua_State *L, const struct_field *field, const char *item)
{
    switch (field->type) {
    case FIELD_BOOL:
        lua_pushboolean(L, *(const bool *)item);
        break;
    case FIELD_UINT8:
        lua_pushinteger(L, *(const uint8_t *)item);
        break;
    case FIELD_UINT32:
        lua_pushinteger(L, *(const uint32_t *)item);
        break;
    case FIELD_UINT64:
        lua_pushinteger(L, (lua_Integer) * (const uint64_t *)item);
        break;
    case FIELD_FLOAT:
        lua_pushnumber(L, (lua_Number) * (const float *)item);
        break;
    case FIELD_DOUBLE:
        lua_pushnumber(L, *(const double *)item);
        break;
    case FIELD_TEXT:
        lua_pushstring(L, item);
        break;
    }
}

static void push_table(lua_State *L, const struct_field *fields, const void *from)
{
    lua_newtable(L);
    for (; fields->name != NULL; fields++) {
        const char *item = (const char *)from + fields->offset;
        if (fields->count == 1 || fields->type == FIELD_TEXT) {
            push_item(L, fields, item);
        } else {
            lua_newtable(L);
            for (uint32_t i = 0; i < fields->count; i++) {
                push_item(L, fields, item + i * item_bytes(fields->type));
                lua_rawseti(L, -2, (lua_Integer)i + 1);
            }
        }
        lua_setfield(L, -2, fields->name);
    }
}

void lua_push_attrs(lua_State *L, const ph_attrs *attrs)
{
    push_table(L, attrs_fields + 1, attrs); /* all are given */
}

void lua_push_stats(lua_State *L, const ph_stats *stats)
{
    push_table(L, stats_fields, stats);
}

void lua_set_constants(lua_State *L)
{
#define ROW_CONSTANT(constant) {#constant, (lua_Integer)constant},
    static const struct {
        const char *name;
        lua_Integer value;
    } constants[] = {PH_CONSTANTS(ROW_CONSTANT)};
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        lua_pushinteger(L, constants[i].value);
        lua_setfield(L, -2, constants[i].name);
    }
}
