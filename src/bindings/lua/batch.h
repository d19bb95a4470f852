/* Batches in Lua. */
#ifndef PHAROS_LUA_BATCH_H
#define PHAROS_LUA_BATCH_H

#include "owner.h"

void lua_open_batches(lua_State *L);

/* consumer:take(): a batch, nil when there is none, or nil, name and sentence. */
int lua_batch_take(lua_State *L);

#endif
