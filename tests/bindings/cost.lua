-- The cost of the bindings of Lua 5.4 and LuaJIT: see cost.c.
local pharos = require "pharos"

local ENTITIES, TICKS = 10000, 40
local world = assert(pharos.world { world_size = { 1000, 1000 }, classes = { { name = "default", view = 20 } } })
local producer, consumer = assert(world:producer()), assert(world:consumer(0))
local ids, xs, ys = {}, {}, {}

local function place(tick)
    for id = 1, ENTITIES do
        xs[id], ys[id] = (id * 37 + tick * (id % 7 + 1)) % 1000, (id * 91 + tick * (id % 5 + 1)) % 1000
    end
end

place(0)
for id = 1, ENTITIES do
    ids[id] = id
    assert(producer:enter(id, { x = xs[id], y = ys[id] }))
end
local events, sum, move_s, event_s = 0, 0, 0, 0
for tick = 1, TICKS do
    place(tick)
    local begin = os.clock()
    assert(producer:move_many(ids, xs, ys) == ENTITIES)
    move_s = move_s + os.clock() - begin
    assert(world:tick())
    begin = os.clock()
    for batch in consumer:batches() do
        for observer, target, entered in batch:events() do
            events = events + 1
            sum = sum + observer + (entered and 2 or 3) * target
        end
    end
    event_s = event_s + os.clock() - begin
end
print(("events %d sum %d"):format(events, sum))
print(("%s: %.1f ns a move, %.1f ns an event"):format(_VERSION == "Lua 5.4" and _VERSION or "LuaJIT",
    move_s * 1e9 / (TICKS * ENTITIES), event_s * 1e9 / events))
world:close()
