/*
 * The Lua module's owners: full userdata with a handle each. A producer, consumer or batch keeps its owner alive by its
 * user value. A handle whose world is gone is refused by the library; a batch, which is memory, asks its owners first.
 */
#ifndef PHAROS_LUA_OWNER_H
#define PHAROS_LUA_OWNER_H

#include <lauxlib.h>
#include <lua.h>
#include <pharos/pharos.h>

#define LUA_WORLD "pharos.world"
#define LUA_PRODUCER "pharos.producer"
#define LUA_CONSUMER "pharos.consumer"
#define LUA_BATCH "pharos.batch"

typedef struct lua_consumer {
    ph_consumer handle;
    const ph_world *world; /* of this Lua state, null once closed; NULL: another state's, opened by its handle() */
} lua_consumer;

/* Gives `true`, or nil, the status' name and its sentence. */
int lua_return_status(lua_State *L, ph_status status);

/* Pushes a new userdata of a type, zeroed; its user value is the value at `owner`, or none with 0. */
void *lua_push_owner(lua_State *L, const char *type, size_t bytes, int owner);

/* A ph_world as a number: the place below, the generation above. */
enum { HANDLE_HALF_BITS = 16 };

/* The world of a userdata, or of such a number: for Lua states of other threads. */
ph_world lua_to_world(lua_State *L, int at);

#endif
