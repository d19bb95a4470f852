-- The module for Lua 5.4 in wrong hands: each call gives nil and a status, or raises an error; none harms the process.
local pharos = require "pharos"

local function refused(name, ok, status, text)
    assert(ok == nil and status == name and #text > 0, ("%s expected, not %s %s"):format(name, ok, status))
end

local function raises(pattern, call, ...)
    local ok, message = pcall(call, ...)
    assert(not ok and message:find(pattern), ("an error '%s' expected, not %s"):format(pattern, message))
end

raises("no field 'tower'", pharos.world, { tower = 1 })
raises("world_size: a sequence of at most 2", pharos.world, { world_size = { 1, 2, 3 } })
raises("workers: an integer from 0", pharos.world, { workers = -1 })
raises("bands: at most 8", pharos.world, { classes = { { bands = { {}, {}, {}, {}, {}, {}, {}, {}, {} } } } })
raises("name: a shorter text", pharos.world, { classes = { { name = ("x"):rep(40) } } })
refused("PH_BAD_DEF", pharos.world { tower_size = -1 })
assert(select(3, pharos.world { tower_size = -1 }):find "tower_size")

local world = assert(pharos.world {
    world_size = { 1000, 1000 },
    classes = { { name = "default", view = 50, bands = { { radius = 50, every = 1 } } }, { name = "npc" } },
})
local producer, consumer = assert(world:producer()), assert(world:consumer())
refused("PH_TAKEN", world:consumer(0))
raises("no such consumer", world.consumer, world, 300)
raises("no attribute 'veiw'", producer.enter, producer, 1, { veiw = 3 })
raises("no attribute 'given'", producer.enter, producer, 1, { given = 3 })
raises("x: a number is needed", producer.enter, producer, 1, { x = {} })
raises("stealth: an integer from 0 to 255", producer.enter, producer, 1, { stealth = 256 })
raises("pharos.producer expected", producer.enter, world, 1, {})
raises("coordinate 2 is no number", producer.move_many, producer, { 1, 2 }, { 1 }, { 1, 2 })
refused("PH_NOT_GIVEN", producer:enter(1, { x = 1 }))
refused("PH_TOO_LARGE", producer:broadcast(1, ("x"):rep(70000)))

-- Each call once, in its right form.
for id = 1, 3 do assert(producer:enter(id, { x = 100 * id, y = 100, layers = ~0, user_data = 7 })) end
assert(producer:area_set(9, { shape = pharos.PH_AREA_BOX, low = { 0, 0 }, high = { 150, 150 }, kinds = { 0 }, kind_count = 1 }))
assert(producer:link(1, 2) and producer:hide(1, 3) and producer:pair(2, 3, 120, 5) and producer:attach(3, 2))
assert(producer:set(1, { view = 60 }) and producer:broadcast(2, "you", { radius = 500, kinds = { 0 } }))
assert(producer:broadcast_at({ x = 100, y = 100, radius = 10 }, "bang"))
local sequence = assert(producer:sequence())
assert(producer:leave(77))
assert(producer:move_many({ 1, 2 }, { 101, 202 }, { 100, 100 }, { 0, 5 }) == 2)
assert(world:tick() == 1)
local number, id, status, call = producer:refusal()
assert(number == sequence + 1 and id == 77 and status == "PH_UNKNOWN_ID" and call == "ph_leave")
assert(producer:refusal() == nil)
assert(world:sees(1, 2) == true and world:sees(1, 3) == false and world:list(1)[1] == 2 and #world:observers(2) == 2)
assert(world:get(3).user_data == 7 and world:get(1).view == 60)
refused("PH_UNKNOWN_ID", world:get(50))
local ids, squares = world:find { shape = pharos.PH_QUERY_CIRCLE, x = 101, y = 100, radius = 20, kinds = { 0 } }
assert(#ids == 1 and ids[1] == 1 and squares[1] == 0)
assert(world:explain(1, 2):find "link" and world:stats().entities == 3 and world:stats().refused[7] ~= nil)
assert(math.type(world:hash()) == "integer" and world:apply() == true)

local batch = assert(consumer:take())
local counts = { 0, 0, 0, 0 }
for observer, leaves, enters, flags, data in batch:changes() do
    assert(#leaves == 0 and data == 7 and flags & pharos.PH_CHANGE_FRESH ~= 0 and observer > 0)
    counts[1] = counts[1] + #enters
end
for _, source, text in batch:messages() do
    assert(source == 2 and text == "you" or source == 0 and text == "bang")
    counts[2] = counts[2] + 1
end
for _, _, x, _, _, band in batch:updates() do counts[3] = counts[3] + (x > 0 and band == 0 and 1 or 0) end
for entity, area, on in batch:edges() do
    assert(entity == 1 and area == 9 and on)
    counts[4] = counts[4] + 1
end
assert(table.concat(counts, " ") == "3 3 3 1", table.concat(counts, " "))
assert(batch:tick() == 1 and batch:dropped() == 0)

-- A producer in another Lua state has the world's handle alone.
local other = assert(pharos.open_producer(world:handle()))
assert(other:leave(3) and other:close() and other:close())
refused("PH_BAD_HANDLE", other:leave(1))
refused("PH_BAD_HANDLE", pharos.open_producer(0))

-- The world goes first: a batch that is kept has nothing any more, calls are refused.
local walk, state = batch:events()
assert(world:close() and world:close())
assert(walk(state) == nil and batch:tick() == 0 and batch:give_back())
refused("PH_BAD_HANDLE", producer:leave(1))
refused("PH_BAD_HANDLE", consumer:take())
refused("PH_BAD_HANDLE", world:tick())

-- The collector closes all, in whatever order; a batch keeps its consumer, and that its world.
local kept
for _ = 1, 200 do
    local short = assert(pharos.world {})
    local one, two = assert(short:producer()), assert(short:consumer())
    assert(one:enter(1, { x = 1, y = 1, view = 9 }) and short:tick())
    kept = two:take()
    short, one, two = nil, nil, nil
    collectgarbage()
    for observer, _, enters in kept:changes() do assert(observer == 1 and #enters == 0) end
end
kept = nil
collectgarbage()
print "each call is refused, raises an error, or gives its result"
