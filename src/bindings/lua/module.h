/*
 * The Lua module's owners: full userdata with a handle each. A producer, consumer or batch keeps its owner alive by its
 * user value. A handle whose world is gone is refused by the library; a batch, which is memory, asks its owners first.
 */
#ifndef PHAROS_LUA_MODULE_H
#define PHAROS_LUA_MODULE_H

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

/* The handle in a Lua integer, for Lua states of other threads. */
ph_world lua_to_world(lua_State *L, int at);

void lua_open_producers(lua_State *L);
void lua_open_consumers(lua_State *L);
void lua_open_batches(lua_State *L);

/* pharos.open_producer(world), pharos.open_consumer(world, index): `world` is a userdata or its handle(). */
int lua_producer_open(lua_State *L);
int lua_consumer_open(lua_State *L);

/* consumer:take(): a batch, nil when there is none, or nil, name and sentence. */
int lua_batch_take(lua_State *L);

#endif
