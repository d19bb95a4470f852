-- docs/recipes.md, "A Lua service": services with mailboxes, as Skynet has them, here as coroutines of one process.
local pharos = require "pharos"

local mailboxes, services, order = {}, {}, {}
local function send(address, ...) table.insert(mailboxes[address], { ... }) end
local function start(address, service)
    mailboxes[address], services[address] = {}, coroutine.create(service)
    table.insert(order, address)
    coroutine.resume(services[address])
end
local function dispatch() -- runs each service that has mail, until none has
    local busy
    repeat
        busy = false
        for _, address in ipairs(order) do
            local mail = mailboxes[address]
            while mail[1] do
                busy = true
                assert(coroutine.resume(services[address], table.unpack(table.remove(mail, 1))))
            end
        end
    until not busy
end

-- The scene: one service owns the world. Its address book says which agent is which entity.
local function scene()
    local world = assert(pharos.world { world_size = { 1000, 1000 }, classes = { { name = "default", view = 50 } } })
    local producer, consumer = assert(world:producer()), assert(world:consumer(0))
    local agents = {} -- entity -> address
    local handlers = {
        enter = function(id, address, x, y)
            agents[id] = address
            assert(producer:enter(id, { x = x, y = y }))
        end,
        move = function(id, x, y) assert(producer:move(id, x, y)) end,
        leave = function(id)
            agents[id] = nil
            assert(producer:leave(id))
        end,
    }
    function handlers.tick()
        assert(world:tick())
        for batch in consumer:batches() do
            for observer, leaves, enters in batch:changes() do -- one message for an agent and tick
                send(agents[observer], "view", leaves, enters)
            end
        end
        for _, id, status in producer.refusal, producer do
            if agents[id] then send(agents[id], "refused", status) end
        end
    end
    while true do
        local arguments = { coroutine.yield() }
        handlers[arguments[1]](table.unpack(arguments, 2))
    end
end

-- An agent: the service of one client.
local function agent(name)
    return function()
        while true do
            local kind, leaves, enters = coroutine.yield()
            if kind == "view" then
                print(("%s: -%d +%d"):format(name, #leaves, #enters))
            else
                print(("%s: %s"):format(name, leaves))
            end
        end
    end
end

start("scene", scene)
start("agent.ann", agent "ann")
start("agent.bob", agent "bob")
send("scene", "enter", 1, "agent.ann", 100, 100)
send("scene", "enter", 2, "agent.bob", 130, 100)
send("scene", "tick")
send("scene", "move", 2, 500, 100)
send("scene", "tick")
send("scene", "enter", 2, "agent.bob", 1, 1)
send("scene", "tick")
dispatch()
