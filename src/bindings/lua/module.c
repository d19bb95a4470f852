/*
 * require "pharos": the C interface for Lua 5.4. Opens the module and owns worlds; producers, consumers and batches are
 * in their own files. A refused call gives nil, the status' name and its sentence; a wrong type is a Lua error.
 */
#include "batch.h"
#include "consumer.h"
#include "fields.h"
#include "owner.h"
#include "producer.h"

static ph_world to_own_world(lua_State *L)
{
    return *(const ph_world *)luaL_checkudata(L, 1, LUA_WORLD);
}

/* Reads def.classes into a userdata, which is left on the stack; class 0 is "default" whatever its name. */
static void read_classes(lua_State *L, ph_world_def *def)
{
    lua_Integer count = 1;
    if (lua_getfield(L, 1, "classes") == LUA_TTABLE) count = (lua_Integer)lua_rawlen(L, -1);
    if (count < 1 || count > PH_KINDS_MAX) luaL_error(L, "classes: 1 to %d", PH_KINDS_MAX);
    ph_class *classes = lua_newuserdatauv(L, (size_t)count * sizeof(ph_class), 0);
    classes[0] = ph_class_default("default");
    for (lua_Integer i = 0; lua_istable(L, -2) && i < count; i++) {
        lua_rawgeti(L, -2, i + 1);
        if (i != 0) classes[i] = ph_class_default("");
        lua_read_class(L, -1, &classes[i]);
        if (lua_getfield(L, -1, "bands") == LUA_TTABLE) {
            lua_Integer bands = (lua_Integer)lua_rawlen(L, -1);
            if (bands > PH_BANDS_MAX) luaL_error(L, "bands: at most %d", PH_BANDS_MAX);
            for (lua_Integer band = 0; band < bands; band++) {
                lua_rawgeti(L, -1, band + 1);
                lua_read_band(L, -1, &classes[i].bands[band]);
                lua_pop(L, 1);
            }
            classes[i].band_count = (uint32_t)bands;
        }
        lua_pop(L, 2);
    }
    def->classes = classes;
    def->class_count = (uint32_t)count;
}

/* pharos.world(fields): the fields of ph_world_def, `classes` a sequence of tables. */
static int create_world(lua_State *L)
{
    char reason[256];
    ph_world_def def = ph_world_def_default();
    lua_settop(L, 1);
    if (lua_isnil(L, 1)) {
        lua_newtable(L);
        lua_replace(L, 1);
    }
    lua_read_world_def(L, 1, &def);
    read_classes(L, &def);
    ph_status status = ph_world_def_check(&def, reason, sizeof reason);
    if (status == PH_OK) {
        ph_world *world = lua_push_owner(L, LUA_WORLD, sizeof *world, 0);
        status = ph_world_create(&def, world);
        if (status == PH_OK) return 1;
        return lua_return_status(L, status);
    }
    lua_return_status(L, status);
    lua_pushstring(L, reason);
    lua_replace(L, -2);
    return 3;
}

static int close_world(lua_State *L)
{
    ph_world *world = luaL_checkudata(L, 1, LUA_WORLD);
    ph_status status = world->index1 != 0 ? ph_world_destroy(*world) : PH_OK;
    if (status == PH_OK) *world = (ph_world){0};
    return lua_return_status(L, status);
}

static int world_handle(lua_State *L)
{
    ph_world world = to_own_world(L);
    lua_pushinteger(L, (lua_Integer)world.generation << HANDLE_HALF_BITS | world.index1);
    return 1;
}

static int return_number(lua_State *L, ph_status status, uint64_t number)
{
    if (status != PH_OK) return lua_return_status(L, status);
    lua_pushinteger(L, (lua_Integer)number);
    return 1;
}

static int tick_world(lua_State *L)
{
    uint64_t tick = 0;
    ph_status status = ph_tick(to_own_world(L), &tick);
    return return_number(L, status, tick);
}

static int finish_tick(lua_State *L)
{
    uint64_t tick = 0;
    ph_status status = ph_tick_finish(to_own_world(L), &tick);
    return return_number(L, status, tick);
}

static int apply_world(lua_State *L)
{
    return lua_return_status(L, ph_apply(to_own_world(L)));
}

static int hash_world(lua_State *L)
{
    uint64_t hash = 0;
    ph_status status = ph_world_hash(to_own_world(L), &hash);
    return return_number(L, status, hash);
}

static int world_stats(lua_State *L)
{
    ph_stats stats;
    ph_status status = ph_world_stats(to_own_world(L), &stats);
    if (status != PH_OK) return lua_return_status(L, status);
    lua_push_stats(L, &stats);
    return 1;
}

static int get_entity(lua_State *L)
{
    ph_attrs attrs;
    ph_status status = ph_entity_get(to_own_world(L), (uint64_t)luaL_checkinteger(L, 2), &attrs);
    if (status != PH_OK) return lua_return_status(L, status);
    lua_push_attrs(L, &attrs);
    return 1;
}

static int sees_target(lua_State *L)
{
    bool sees = false;
    ph_status status =
        ph_sees(to_own_world(L), (uint64_t)luaL_checkinteger(L, 2), (uint64_t)luaL_checkinteger(L, 3), &sees);
    if (status != PH_OK) return lua_return_status(L, status);
    lua_pushboolean(L, sees);
    return 1;
}

/* list() and observers(): ids of an entity's list, or of its observers, as a sequence. */
static int push_ids(lua_State *L, ph_status (*read)(ph_world, uint64_t, uint64_t *, uint32_t, uint32_t *))
{
    ph_world world = to_own_world(L);
    uint64_t id = (uint64_t)luaL_checkinteger(L, 2);
    uint32_t count = 0;
    ph_status status = read(world, id, NULL, 0, &count);
    if (status != PH_OK) return lua_return_status(L, status);
    uint64_t *ids = lua_newuserdatauv(L, sizeof *ids * (count + (size_t)1), 0);
    status = read(world, id, ids, count, &count);
    if (status != PH_OK) return lua_return_status(L, status);
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushinteger(L, (lua_Integer)ids[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static int list_targets(lua_State *L)
{
    return push_ids(L, ph_list);
}

static int list_observers(lua_State *L)
{
    return push_ids(L, ph_observers);
}

/* world:find(query): ids and distances squared, as two sequences. */
static int find_entities(lua_State *L)
{
    ph_world world = to_own_world(L);
    ph_query query;
    uint32_t kinds[LUA_KINDS_MAX], count = 0;
    lua_read_query(L, 2, &query, kinds);
    ph_status status = ph_find(world, &query, NULL, 0, &count);
    if (status != PH_OK) return lua_return_status(L, status);
    ph_hit *hits = lua_newuserdatauv(L, sizeof *hits * (count + (size_t)1), 0);
    status = ph_find(world, &query, hits, count, &count);
    if (status != PH_OK) return lua_return_status(L, status);
    lua_createtable(L, (int)count, 0);
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushinteger(L, (lua_Integer)hits[i].id);
        lua_rawseti(L, -3, (lua_Integer)i + 1);
        lua_pushnumber(L, (lua_Number)hits[i].square);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 2;
}

/* world:explain(observer, target): the line of ph_explanation_text(). */
static int explain_pair(lua_State *L)
{
    ph_explanation explanation;
    char text[256];
    ph_status status =
        ph_explain(to_own_world(L), (uint64_t)luaL_checkinteger(L, 2), (uint64_t)luaL_checkinteger(L, 3), &explanation);
    if (status != PH_OK) return lua_return_status(L, status);
    lua_pushstring(L, ph_explanation_text(&explanation, text, sizeof text));
    return 1;
}

/* pharos.cause_name(cause): its word, "range"; "" of another number. */
static int cause_name(lua_State *L)
{
    const lua_Integer cause = luaL_checkinteger(L, 1);
    const bool is_one = cause >= 0 && cause < PH_CAUSE_COUNT;
    lua_pushstring(L, is_one ? ph_cause_name((ph_cause)cause) : "");
    return 1;
}

/* The one name that Lua looks for. */
__attribute__((visibility("default"))) int luaopen_pharos(lua_State *L);

int luaopen_pharos(lua_State *L)
{
    static const luaL_Reg methods[] = {{"apply", apply_world},          {"close", close_world},
                                       {"consumer", lua_consumer_open}, {"explain", explain_pair},
                                       {"find", find_entities},         {"get", get_entity},
                                       {"handle", world_handle},        {"hash", hash_world},
                                       {"list", list_targets},          {"observers", list_observers},
                                       {"producer", lua_producer_open}, {"sees", sees_target},
                                       {"stats", world_stats},          {"tick", tick_world},
                                       {"tick_finish", finish_tick},    {"__close", close_world},
                                       {"__gc", close_world},           {NULL, NULL}};
    static const luaL_Reg functions[] = {{"world", create_world},
                                         {"cause_name", cause_name},
                                         {"open_producer", lua_producer_open},
                                         {"open_consumer", lua_consumer_open},
                                         {NULL, NULL}};
    luaL_newmetatable(L, LUA_WORLD);
    luaL_setfuncs(L, methods, 0);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    lua_open_producers(L);
    lua_open_consumers(L);
    lua_open_batches(L);
    luaL_newlib(L, functions);
    lua_set_constants(L);
    lua_pushstring(L, ph_version());
    lua_setfield(L, -2, "version");
    return 1;
}
