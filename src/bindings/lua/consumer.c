/* Consumers in Lua: open, take, close. Batches are in batch.c. */
#include "consumer.h"

#include "batch.h"

int lua_consumer_open(lua_State *L)
{
    ph_world world = lua_to_world(L, 1);
    lua_Integer index = luaL_optinteger(L, 2, 0);
    luaL_argcheck(L, index >= 0 && index < PH_CONSUMERS_MAX, 2, "no such consumer");
    lua_consumer *consumer = lua_push_owner(L, LUA_CONSUMER, sizeof *consumer, 1);
    consumer->world = luaL_testudata(L, 1, LUA_WORLD);
    ph_status status = ph_consumer_open(world, (uint32_t)index, &consumer->handle);
    return status == PH_OK ? 1 : lua_return_status(L, status);
}

static int close_consumer(lua_State *L)
{
    lua_consumer *consumer = luaL_checkudata(L, 1, LUA_CONSUMER);
    if (consumer->handle.index1 != 0) ph_consumer_close(consumer->handle); /* gives its batches back */
    consumer->handle = (ph_consumer){0};
    return lua_return_status(L, PH_OK);
}

static int iterate_batches(lua_State *L)
{
    lua_pushcfunction(L, lua_batch_take);
    lua_pushvalue(L, 1);
    return 2;
}

void lua_open_consumers(lua_State *L)
{
    static const luaL_Reg methods[] = {{"batches", iterate_batches}, {"close", close_consumer},
                                       {"take", lua_batch_take},     {"__close", close_consumer},
                                       {"__gc", close_consumer},     {NULL, NULL}};
    luaL_newmetatable(L, LUA_CONSUMER);
    luaL_setfuncs(L, methods, 0);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}
