local pharos = require "pharos"

local world = assert(pharos.world { world_size = { 1000, 1000 }, classes = { { name = "default", view = 50 } } })
local producer = assert(world:producer())
local consumer = assert(world:consumer(0))

local function tick_and_print()
    local tick = assert(world:tick())
    for batch in consumer:batches() do
        for observer, target, entered in batch:events() do
            print(("tick %d: %d %s %d"):format(tick, observer, entered and "sees" or "loses", target))
        end
        for observer, source, payload in batch:messages() do
            print(("tick %d: %d hears %d: %s"):format(tick, observer, source, payload))
        end
    end
end

assert(producer:enter(1, { x = 100, y = 100 })) -- ids are yours: any integer but 0
assert(producer:enter(2, { x = 130, y = 100, view = 20 }))
tick_and_print()
assert(producer:broadcast(2, "hello"))
assert(producer:move(2, 105, 100))
tick_and_print()
print(producer:leave(0)) -- a refusal: nil, its name, its sentence
assert(producer:leave(2))
tick_and_print()
world:close()
