/* C structs from Lua tables, and back, by lists of fields that the build makes from the public headers. */
#ifndef PHAROS_LUA_FIELDS_H
#define PHAROS_LUA_FIELDS_H

#include <lua.h>
#include <pharos/pharos.h>

enum { LUA_KINDS_MAX = PH_QUERY_KINDS_MAX };
_Static_assert((int)LUA_KINDS_MAX == (int)PH_BROADCAST_KINDS_MAX, "one array for both");

/* Each reads the table at `at`; a key that the struct has not, or a value of another type, is a Lua error. */
void lua_read_attrs(lua_State *L, int at, ph_attrs *attrs);
void lua_read_area(lua_State *L, int at, ph_area *area);
/* The key `kinds` goes into an array of LUA_KINDS_MAX, which the struct then names. */
void lua_read_query(lua_State *L, int at, ph_query *query, uint32_t *kinds);
void lua_read_options(lua_State *L, int at, ph_broadcast_options *options, uint32_t *kinds);
void lua_read_place(lua_State *L, int at, ph_broadcast_place *place, uint32_t *kinds);
/* The keys `classes` and `bands` are left to the caller. */
void lua_read_world_def(lua_State *L, int at, ph_world_def *def);
void lua_read_class(lua_State *L, int at, ph_class *from);
void lua_read_band(lua_State *L, int at, ph_band *band);

/* Each pushes a table. */
void lua_push_attrs(lua_State *L, const ph_attrs *attrs);
void lua_push_stats(lua_State *L, const ph_stats *stats);

/* Every constant of the headers into the table on the top of the stack. */
void lua_set_constants(lua_State *L);

#endif
