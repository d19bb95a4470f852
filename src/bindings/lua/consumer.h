/* Consumers in Lua. */
#ifndef PHAROS_LUA_CONSUMER_H
#define PHAROS_LUA_CONSUMER_H

#include "owner.h"

void lua_open_consumers(lua_State *L);

/* open_consumer(world, index): `world` is a userdata or its handle(). */
int lua_consumer_open(lua_State *L);

#endif
