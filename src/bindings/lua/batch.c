/*
 * Batches in Lua. The place of a walk is kept in the batch's userdata, so that a loop over events makes no table: one
 * walk of each kind at a time. A batch that was given back, or whose consumer or world was closed, is empty.
 */
#include "batch.h"

typedef struct lua_batch {
    const ph_batch *batch;    /* NULL: given back */
    lua_consumer *consumer;   /* kept alive by the user value */
    uint32_t change, target;  /* events(), changes() */
    uint32_t delivery, heard; /* messages() */
    uint32_t update, due;     /* updates() */
    uint32_t edge;            /* edges(): activations, then crossings */
} lua_batch;

static const ph_batch none;

static const ph_batch *live_batch(const lua_batch *held)
{
    const lua_consumer *consumer = held->consumer;
    bool lives = held->batch != NULL && consumer->handle.index1 != 0 &&
                 (consumer->world == NULL || consumer->world->index1 != 0);
    return lives ? held->batch : &none;
}

static lua_batch *to_batch(lua_State *L)
{
    return luaL_checkudata(L, 1, LUA_BATCH);
}

static void give_back(lua_batch *held)
{
    const ph_batch *batch = live_batch(held);
    if (batch != &none) ph_batch_return(held->consumer->handle, batch);
    held->batch = NULL;
}

int lua_batch_take(lua_State *L)
{
    lua_consumer *consumer = luaL_checkudata(L, 1, LUA_CONSUMER);
    /* In a loop over batches() the second argument is the batch before, which the loop is done with. */
    lua_batch *before = luaL_testudata(L, 2, LUA_BATCH);
    if (before != NULL) give_back(before);
    lua_batch *held = lua_push_owner(L, LUA_BATCH, sizeof *held, 1);
    held->consumer = consumer;
    ph_status status = ph_batch_take(consumer->handle, &held->batch);
    if (status == PH_OK) return 1;
    held->batch = NULL;
    if (status == PH_EMPTY || status == PH_PENDING) {
        lua_pushnil(L);
        return 1;
    }
    return lua_return_status(L, status);
}

static int return_batch(lua_State *L)
{
    give_back(to_batch(L));
    return lua_return_status(L, PH_OK);
}

/* observer, target, entered, cause; of an enter x, y, z, unless the definition leaves them out */
static int next_event(lua_State *L)
{
    lua_batch *held = to_batch(L);
    const ph_batch *batch = live_batch(held);
    for (; held->change < batch->change_count; held->change++, held->target = 0) {
        const ph_change *change = &batch->changes[held->change];
        if (held->target == change->leave_count + change->enter_count) continue;
        lua_pushinteger(L, (lua_Integer)change->observer);
        const uint32_t place = change->first + held->target;
        const bool entered = held->target++ >= change->leave_count;
        lua_pushinteger(L, (lua_Integer)batch->targets[place].id);
        lua_pushboolean(L, entered);
        lua_pushinteger(L, batch->causes[place]);
        if (!entered || batch->positions == NULL) return 4;
        lua_pushnumber(L, (lua_Number)batch->positions[place].x);
        lua_pushnumber(L, (lua_Number)batch->positions[place].y);
        lua_pushnumber(L, (lua_Number)batch->positions[place].z);
        return 7;
    }
    return 0;
}

static void push_targets(lua_State *L, const ph_target *targets, uint32_t count)
{
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushinteger(L, (lua_Integer)targets[i].id);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* observer, leaves, enters, flags, user_data */
static int next_change(lua_State *L)
{
    lua_batch *held = to_batch(L);
    const ph_batch *batch = live_batch(held);
    if (held->change >= batch->change_count) return 0;
    const ph_change *change = &batch->changes[held->change++];
    lua_pushinteger(L, (lua_Integer)change->observer);
    push_targets(L, batch->targets + change->first, change->leave_count);
    push_targets(L, batch->targets + change->first + change->leave_count, change->enter_count);
    lua_pushinteger(L, change->flags);
    lua_pushinteger(L, (lua_Integer)change->user_data);
    return 5;
}

/* observer, source, payload */
static int next_message(lua_State *L)
{
    lua_batch *held = to_batch(L);
    const ph_batch *batch = live_batch(held);
    for (; held->delivery < batch->delivery_count; held->delivery++, held->heard = 0) {
        const ph_delivery *delivery = &batch->deliveries[held->delivery];
        if (held->heard == delivery->count) continue;
        const ph_message *message = &batch->messages[batch->heard[delivery->first + held->heard++]];
        lua_pushinteger(L, (lua_Integer)delivery->observer);
        lua_pushinteger(L, (lua_Integer)message->source);
        lua_pushlstring(L, (const char *)batch->payload + message->first, message->bytes);
        return 3;
    }
    return 0;
}

/* observer, target, x, y, z, band */
static int next_update(lua_State *L)
{
    lua_batch *held = to_batch(L);
    const ph_batch *batch = live_batch(held);
    for (; held->update < batch->update_count; held->update++, held->due = 0) {
        const ph_update *update = &batch->updates[held->update];
        if (held->due == update->count) continue;
        const uint32_t place = update->first + held->due++;
        const ph_moved *moved = &batch->moved[batch->due[place]];
        lua_pushinteger(L, (lua_Integer)update->observer);
        lua_pushinteger(L, (lua_Integer)moved->id);
        lua_pushnumber(L, (lua_Number)moved->x);
        lua_pushnumber(L, (lua_Number)moved->y);
        lua_pushnumber(L, (lua_Number)moved->z);
        lua_pushinteger(L, batch->bands[place]);
        return 6;
    }
    return 0;
}

/* entity, area (0: it awoke or fell asleep), on */
static int next_edge(lua_State *L)
{
    lua_batch *held = to_batch(L);
    const ph_batch *batch = live_batch(held);
    uint32_t place = held->edge;
    if (place >= batch->activation_count + batch->crossing_count) return 0;
    const ph_edge *edge = place < batch->activation_count ? &batch->activations[place]
                                                          : &batch->crossings[place - batch->activation_count];
    held->edge++;
    lua_pushinteger(L, (lua_Integer)edge->id);
    lua_pushinteger(L, (lua_Integer)edge->area);
    lua_pushboolean(L, edge->on != 0);
    return 3;
}

static int begin_walk(lua_State *L, lua_CFunction next)
{
    lua_batch *held = to_batch(L);
    *held = (lua_batch){.batch = held->batch, .consumer = held->consumer};
    lua_pushcfunction(L, next);
    lua_pushvalue(L, 1);
    return 2;
}

static int walk_events(lua_State *L)
{
    return begin_walk(L, next_event);
}

static int walk_changes(lua_State *L)
{
    return begin_walk(L, next_change);
}

static int walk_messages(lua_State *L)
{
    return begin_walk(L, next_message);
}

static int walk_updates(lua_State *L)
{
    return begin_walk(L, next_update);
}

static int walk_edges(lua_State *L)
{
    return begin_walk(L, next_edge);
}

/* batch:tick(): the last and the first tick that it covers. */
static int batch_ticks(lua_State *L)
{
    const ph_batch *batch = live_batch(to_batch(L));
    lua_pushinteger(L, (lua_Integer)batch->tick);
    lua_pushinteger(L, (lua_Integer)batch->tick_first);
    return 2;
}

/* Broadcasts that a slow consumer lost since the batch before. */
static int dropped_messages(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)live_batch(to_batch(L))->dropped);
    return 1;
}

void lua_open_batches(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"changes", walk_changes},   {"dropped", dropped_messages}, {"edges", walk_edges}, {"events", walk_events},
        {"give_back", return_batch}, {"messages", walk_messages},   {"tick", batch_ticks}, {"updates", walk_updates},
        {"__close", return_batch},   {"__gc", return_batch},        {NULL, NULL}};
    luaL_newmetatable(L, LUA_BATCH);
    luaL_setfuncs(L, methods, 0);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}
