/* Producers in Lua: a method for each command. Bulk moves go in pieces of the stack. */
#include "producer.h"

#include "fields.h"

/* Items that a bulk call copies at once. */
enum { MOVE_PIECE = 256 };

static ph_producer to_producer(lua_State *L)
{
    return *(const ph_producer *)luaL_checkudata(L, 1, LUA_PRODUCER);
}

static uint64_t to_id(lua_State *L, int at)
{
    return (uint64_t)luaL_checkinteger(L, at);
}

int lua_producer_open(lua_State *L)
{
    ph_world world = lua_to_world(L, 1);
    ph_producer *producer = lua_push_owner(L, LUA_PRODUCER, sizeof *producer, 1);
    ph_status status = ph_producer_open(world, producer);
    return status == PH_OK ? 1 : lua_return_status(L, status);
}

static int close_producer(lua_State *L)
{
    ph_producer *producer = luaL_checkudata(L, 1, LUA_PRODUCER);
    if (producer->index1 != 0) ph_producer_close(*producer); /* of a world that is gone: there is nothing to close */
    *producer = (ph_producer){0};
    return lua_return_status(L, PH_OK);
}

static int enter_entity(lua_State *L)
{
    ph_attrs attrs;
    ph_producer producer = to_producer(L);
    lua_read_attrs(L, 3, &attrs);
    return lua_return_status(L, ph_enter(producer, to_id(L, 2), &attrs));
}

static int set_entity(lua_State *L)
{
    ph_attrs attrs;
    ph_producer producer = to_producer(L);
    lua_read_attrs(L, 3, &attrs);
    return lua_return_status(L, ph_set(producer, to_id(L, 2), &attrs));
}

static int move_entity(lua_State *L)
{
    return lua_return_status(L, ph_move(to_producer(L), to_id(L, 2), (float)luaL_checknumber(L, 3),
                                        (float)luaL_checknumber(L, 4), (float)luaL_optnumber(L, 5, 0)));
}

static float read_coordinate(lua_State *L, int at, lua_Integer place)
{
    int is_number;
    lua_rawgeti(L, at, place);
    float value = (float)lua_tonumberx(L, -1, &is_number);
    if (!is_number) luaL_error(L, "coordinate %I is no number", (LUAI_UACINT)place);
    lua_pop(L, 1);
    return value;
}

/* producer:move_many(ids, xs, ys [, zs]): sequences of the same length. Gives the number queued or refused, and with a
 * status other than PH_OK its name and sentence behind. */
static int move_entities(lua_State *L)
{
    ph_producer producer = to_producer(L);
    bool has_z = !lua_isnoneornil(L, 5);
    for (int at = 2; at <= (has_z ? 5 : 4); at++) luaL_checktype(L, at, LUA_TTABLE);
    lua_Integer count = (lua_Integer)lua_rawlen(L, 2), place = 0;
    ph_status first = PH_OK;
    while (place < count && first != PH_FULL) {
        uint64_t ids[MOVE_PIECE];
        ph_position positions[MOVE_PIECE];
        uint32_t piece = 0, done = 0;
        for (; piece < MOVE_PIECE && place + piece < count; piece++) {
            lua_Integer at = place + piece + 1;
            lua_rawgeti(L, 2, at);
            ids[piece] = to_id(L, -1);
            lua_pop(L, 1);
            positions[piece].x = read_coordinate(L, 3, at);
            positions[piece].y = read_coordinate(L, 4, at);
            positions[piece].z = has_z ? read_coordinate(L, 5, at) : 0;
        }
        ph_status status = ph_move_many(producer, piece, ids, positions, &done);
        if (first == PH_OK || status == PH_FULL) first = status;
        place += done;
        if (done < piece) break;
    }
    lua_pushinteger(L, place);
    if (first == PH_OK) return 1;
    lua_pushstring(L, ph_status_name(first));
    lua_pushstring(L, ph_status_text(first));
    return 3;
}

static int leave_entity(lua_State *L)
{
    return lua_return_status(L, ph_leave(to_producer(L), to_id(L, 2)));
}

static int pair_entities(lua_State *L)
{
    return lua_return_status(L, ph_pair(to_producer(L), to_id(L, 2), to_id(L, 3), (float)luaL_checknumber(L, 4),
                                        (float)luaL_checknumber(L, 5)));
}

typedef ph_status (*two_ids_fn)(ph_producer producer, uint64_t first, uint64_t second);

/* A command of two ids, whose function is number `upvalue` of the table. */
static int submit_two_ids(lua_State *L)
{
    static const two_ids_fn calls[] = {ph_unpair, ph_link,   ph_unlink,   ph_hide,
                                       ph_unhide, ph_reveal, ph_unreveal, ph_attach};
    two_ids_fn call = calls[lua_tointeger(L, lua_upvalueindex(1))];
    return lua_return_status(L, call(to_producer(L), to_id(L, 2), to_id(L, 3)));
}

static int detach_entity(lua_State *L)
{
    return lua_return_status(L, ph_detach(to_producer(L), to_id(L, 2)));
}

static int resend_list(lua_State *L)
{
    return lua_return_status(L, ph_resend(to_producer(L), to_id(L, 2)));
}

static int broadcast_payload(lua_State *L)
{
    ph_broadcast_options options;
    uint32_t kinds[LUA_KINDS_MAX];
    size_t bytes;
    ph_producer producer = to_producer(L);
    const char *payload = luaL_checklstring(L, 3, &bytes);
    bool has_options = !lua_isnoneornil(L, 4);
    if (bytes > PH_PAYLOAD_MAX) return lua_return_status(L, PH_TOO_LARGE);
    if (has_options) lua_read_options(L, 4, &options, kinds);
    return lua_return_status(
        L, ph_broadcast(producer, to_id(L, 2), payload, (uint32_t)bytes, has_options ? &options : NULL));
}

/* producer:broadcast_at(place, payload): all layers unless the place has `layers`. */
static int broadcast_at_place(lua_State *L)
{
    ph_broadcast_place place;
    uint32_t kinds[LUA_KINDS_MAX];
    size_t bytes;
    ph_producer producer = to_producer(L);
    const char *payload = luaL_checklstring(L, 3, &bytes);
    if (bytes > PH_PAYLOAD_MAX) return lua_return_status(L, PH_TOO_LARGE);
    lua_read_place(L, 2, &place, kinds);
    return lua_return_status(L, ph_broadcast_at(producer, &place, payload, (uint32_t)bytes));
}

static int set_area(lua_State *L)
{
    ph_area area;
    ph_producer producer = to_producer(L);
    lua_read_area(L, 3, &area);
    return lua_return_status(L, ph_area_set(producer, to_id(L, 2), &area));
}

static int remove_area(lua_State *L)
{
    return lua_return_status(L, ph_area_remove(to_producer(L), to_id(L, 2)));
}

/* producer:sequence(): the number of the last command. */
static int last_sequence(lua_State *L)
{
    uint64_t sequence = 0;
    ph_status status = ph_producer_sequence(to_producer(L), &sequence);
    if (status != PH_OK) return lua_return_status(L, status);
    lua_pushinteger(L, (lua_Integer)sequence);
    return 1;
}

/* producer:refusal(): nil, or sequence, id, and the names of status, command and field of the first that waits. */
static int next_refusal(lua_State *L)
{
    ph_refusal refusal;
    uint32_t count = 0;
    if (ph_producer_refusals(to_producer(L), &refusal, 1, &count) != PH_OK || count == 0) return 0;
    lua_pushinteger(L, (lua_Integer)refusal.sequence);
    lua_pushinteger(L, (lua_Integer)refusal.id);
    lua_pushstring(L, ph_status_name(refusal.status));
    lua_pushstring(L, ph_command_name((ph_command)refusal.command));
    lua_pushstring(L, ph_field_name((ph_field)refusal.field));
    return 5;
}

void lua_open_producers(lua_State *L)
{
    static const luaL_Reg methods[] = {{"area_remove", remove_area},
                                       {"area_set", set_area},
                                       {"broadcast", broadcast_payload},
                                       {"broadcast_at", broadcast_at_place},
                                       {"close", close_producer},
                                       {"detach", detach_entity},
                                       {"enter", enter_entity},
                                       {"leave", leave_entity},
                                       {"move", move_entity},
                                       {"move_many", move_entities},
                                       {"pair", pair_entities},
                                       {"refusal", next_refusal},
                                       {"resend", resend_list},
                                       {"sequence", last_sequence},
                                       {"set", set_entity},
                                       {"__close", close_producer},
                                       {"__gc", close_producer},
                                       {NULL, NULL}};
    /* In the order of submit_two_ids(). */
    static const char *const two_ids[] = {"unpair", "link", "unlink", "hide", "unhide", "reveal", "unreveal", "attach"};
    luaL_newmetatable(L, LUA_PRODUCER);
    luaL_setfuncs(L, methods, 0);
    for (size_t i = 0; i < sizeof two_ids / sizeof two_ids[0]; i++) {
        lua_pushinteger(L, (lua_Integer)i);
        lua_pushcclosure(L, submit_two_ids, 1);
        lua_setfield(L, -2, two_ids[i]);
    }
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}
