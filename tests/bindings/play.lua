-- Plays a trace through the bindings of Lua 5.4 and LuaJIT: see compare.py.
local pharos = require "pharos"

local world = assert(pharos.world { world_size = { 1000, 1000 } })
local producer, consumer = assert(world:producer()), assert(world:consumer(0))

local function run_tick(tick)
    assert(world:tick())
    for batch in consumer:batches() do
        for observer, target, entered, cause, x, y, z in batch:events() do
            local place = entered and ("%.9g,%.9g,%.9g"):format(x, y, z) or ",,"
            local event, word = entered and "enter" or "leave", pharos.cause_name(cause)
            print(("%d,%d,%s,%d,%s,%s"):format(tick, observer, event, target, word, place))
        end
    end
end

local function submit(op, id, x, y, view)
    if op == "leave" then return producer:leave(id) end
    if op == "move" then return producer:move(id, x, y) end
    return producer:enter(id, { x = x, y = y, view = view })
end

print "tick,observer,event,target,cause,x,y,z"
local tick
io.read() -- the header
for line in io.lines() do
    local at, op, id, x, y, view = line:match "^(%d+),(%a+),(%d+),([^,]*),([^,]*),([^,]*)$"
    at = tonumber(at)
    while tick and tick < at do
        run_tick(tick)
        tick = tick + 1
    end
    tick = at
    assert(submit(op, tonumber(id), tonumber(x), tonumber(y), tonumber(view)))
end
run_tick(tick)
world:close()
