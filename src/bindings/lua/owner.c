/* Results, userdata and handles of worlds, for all types of the Lua module. */
#include "owner.h"

#include <string.h>

int lua_return_status(lua_State *L, ph_status status)
{
    if (status == PH_OK) {
        lua_pushboolean(L, 1);
        return 1;
    }
    lua_pushnil(L);
    lua_pushstring(L, ph_status_name(status));
    lua_pushstring(L, ph_status_text(status));
    return 3;
}

void *lua_push_owner(lua_State *L, const char *type, size_t bytes, int owner)
{
    if (owner != 0) owner = lua_absindex(L, owner);
    void *made = lua_newuserdatauv(L, bytes, owner != 0);
    memset(made, 0, bytes);
    luaL_setmetatable(L, type);
    if (owner != 0) {
        lua_pushvalue(L, owner);
        lua_setiuservalue(L, -2, 1);
    }
    return made;
}

ph_world lua_to_world(lua_State *L, int at)
{
    const ph_world *world = luaL_testudata(L, at, LUA_WORLD);
    if (world != NULL) return *world;
    lua_Unsigned number = (lua_Unsigned)luaL_checkinteger(L, at);
    return (ph_world){.index1 = (uint16_t)number, .generation = (uint16_t)(number >> HANDLE_HALF_BITS)};
}
