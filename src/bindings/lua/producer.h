/* Producers in Lua. */
#ifndef PHAROS_LUA_PRODUCER_H
#define PHAROS_LUA_PRODUCER_H

#include "owner.h"

void lua_open_producers(lua_State *L);

/* open_producer(world): `world` is a userdata or its handle(). */
int lua_producer_open(lua_State *L);

#endif
