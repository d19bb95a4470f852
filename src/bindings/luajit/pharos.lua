-- Pharos for LuaJIT: the C interface by FFI. The same calls as the C module for Lua 5.4 (src/bindings/lua), for the part
-- that a game loop needs; `pharos.C` has all others. Ids are Lua numbers here, exact up to 2^53.
local ffi = require "ffi"

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local declarations = {}
for line in io.lines(here .. "pharos.h") do -- the loader of config files is another library
    if not line:find("ph_config", 1, true) then declarations[#declarations + 1] = line end
end
ffi.cdef(table.concat(declarations, "\n"))
local C = ffi.load(os.getenv "PHAROS_LIBRARY" or "libpharos.so.0.1")
local OK = tonumber(ffi.cast("int", C.PH_OK))

local pharos = {C = C, ffi = ffi, version = ffi.string(C.ph_version())}

-- A status: true; or nil, its name, its sentence.
local function result(status)
    if tonumber(ffi.cast("int", status)) == OK then return true end
    return nil, ffi.string(C.ph_status_name(status)), ffi.string(C.ph_status_text(status))
end

function pharos.cause_name(cause) return ffi.string(C.ph_cause_name(cause)) end

local given = {}
for field = 1, 63 do
    local name = ffi.string(C.ph_field_name(field))
    if name ~= "" then given[name] = bit.lshift(1, field - 1) end
end

local function fill(struct, fields, but)
    for name, value in pairs(fields) do
        if name ~= but then struct[name] = value end
    end
    return struct
end

-- A ph_attrs with the attributes of a table given.
local function make_attrs(fields)
    local attrs, bits = ffi.new "ph_attrs", 0
    for name, value in pairs(fields) do
        if not given[name] then error("no attribute '" .. tostring(name) .. "'", 3) end
        attrs[name] = value
        bits = bit.bor(bits, given[name])
    end
    attrs.given = bits
    return attrs
end

local Producer, Consumer, Batch, World = {}, {}, {}, {}
Producer.__index, Consumer.__index, Batch.__index, World.__index = Producer, Consumer, Batch, World

function Producer:enter(id, fields) return result(C.ph_enter(self.handle, id, make_attrs(fields))) end
function Producer:set(id, fields) return result(C.ph_set(self.handle, id, make_attrs(fields))) end
function Producer:leave(id) return result(C.ph_leave(self.handle, id)) end
function Producer:move(id, x, y, z) return result(C.ph_move(self.handle, id, x, y, z or 0)) end
function Producer:close() return result(C.ph_producer_close(self.handle)) end
function Producer:broadcast(source, payload) -- to all observers of the source
    return result(C.ph_broadcast(self.handle, source, payload, #payload, nil))
end

-- Sequences of the same length. Gives the number queued or refused; behind it the name and sentence of a status.
function Producer:move_many(ids, xs, ys, zs)
    local count = #ids
    if count > self.capacity then
        self.capacity = count
        self.ids, self.positions = ffi.new("uint64_t[?]", count), ffi.new("ph_position[?]", count)
    end
    local room, positions = self.ids, self.positions
    for i = 1, count do
        local position = positions[i - 1]
        room[i - 1], position.x, position.y, position.z = ids[i], xs[i], ys[i], zs and zs[i] or 0
    end
    local ok, name, text = result(C.ph_move_many(self.handle, count, room, positions, self.done))
    if ok then return self.done[0] end
    return self.done[0], name, text
end

-- The oldest batch, or nil; in a loop over batches() the batch before is given back.
function Consumer:take(before)
    if before then before:give_back() end
    local status = C.ph_batch_take(self.handle, self.pointer)
    if status == C.PH_EMPTY or status == C.PH_PENDING then return nil end
    local ok, name, text = result(status)
    if not ok then return nil, name, text end
    return setmetatable({batch = self.pointer[0], consumer = self.handle}, Batch)
end

function Consumer:batches() return Consumer.take, self end
function Consumer:close() return result(C.ph_consumer_close(self.handle)) end -- gives its batches back

-- Its arrays, and what was read from them as cdata, must not be used any more. Again: nothing.
function Batch:give_back()
    if self.batch then C.ph_batch_return(self.consumer, self.batch) end
    self.batch = nil
    return true
end

-- Goes on to the next change that has targets.
local function next_change(batch)
    local raw = batch.batch
    repeat
        if not raw or batch.change >= raw.change_count then return false end
        local change = raw.changes[batch.change]
        batch.change = batch.change + 1
        batch.observer, batch.target = tonumber(change.observer), change.first
        batch.first_enter = change.first + change.leave_count
        batch.last = batch.first_enter + change.enter_count
    until batch.target < batch.last
    return true
end

local function next_event(batch)
    if batch.target >= batch.last and not next_change(batch) then return nil end
    local place = batch.target
    batch.target = place + 1
    local id, cause = tonumber(batch.targets[place].id), batch.causes[place]
    if place < batch.first_enter then return batch.observer, id, false, cause end
    if batch.positions == nil then return batch.observer, id, true, cause end
    local at = batch.positions[place]
    return batch.observer, id, true, cause, at.x, at.y, at.z
end

-- for observer, target, entered, cause, x, y, z in batch:events() do; the place is that of an enter
function Batch:events()
    self.change, self.target, self.last = 0, 0, 0
    local raw = self.batch
    if raw then self.targets, self.causes, self.positions = raw.targets, raw.causes, raw.positions end
    return next_event, self
end

local function next_message(batch)
    local raw = batch.batch
    while raw and batch.delivery < raw.delivery_count do
        local delivery = raw.deliveries[batch.delivery]
        if batch.heard < delivery.count then
            local message = raw.messages[raw.heard[delivery.first + batch.heard]]
            batch.heard = batch.heard + 1
            return tonumber(delivery.observer), tonumber(message.source),
                ffi.string(raw.payload + message.first, message.bytes)
        end
        batch.delivery, batch.heard = batch.delivery + 1, 0
    end
end

-- for observer, source, payload in batch:messages() do
function Batch:messages()
    self.delivery, self.heard = 0, 0
    return next_message, self
end

-- A world of the fields of ph_world_def; `classes` is a sequence of tables with fields of ph_class.
function pharos.world(fields)
    local def, reason = ffi.new("ph_world_def[1]", {C.ph_world_def_default()}), ffi.new "char[256]"
    local rows = fields.classes or {{}}
    local classes = ffi.new("ph_class[?]", #rows)
    for i, row in ipairs(rows) do
        classes[i - 1] = C.ph_class_default(row.name or "default")
        fill(classes[i - 1], row, "bands")
        for place, band in ipairs(row.bands or {}) do
            fill(classes[i - 1].bands[place - 1], band)
            classes[i - 1].band_count = place
        end
    end
    fill(def[0], fields, "classes")
    def[0].classes, def[0].class_count = classes, #rows
    local ok, name = result(C.ph_world_def_check(def, reason, 256))
    if not ok then return nil, name, ffi.string(reason) end
    local handle, text = ffi.new "ph_world[1]"
    ok, name, text = result(C.ph_world_create(def, handle))
    if not ok then return nil, name, text end
    return setmetatable({handle = handle[0], number = ffi.new "uint64_t[1]", keep = handle}, World)
end

function World:producer()
    local handle = ffi.new "ph_producer[1]"
    local ok, name, text = result(C.ph_producer_open(self.handle, handle))
    if not ok then return nil, name, text end
    return setmetatable({handle = handle[0], capacity = 0, done = ffi.new "uint32_t[1]", keep = handle}, Producer)
end

function World:consumer(index)
    local handle = ffi.new "ph_consumer[1]"
    local ok, name, text = result(C.ph_consumer_open(self.handle, index or 0, handle))
    if not ok then return nil, name, text end
    return setmetatable({handle = handle[0], pointer = ffi.new "const ph_batch *[1]", keep = handle}, Consumer)
end

-- Runs a tick; its number.
function World:tick()
    local ok, name, text = result(C.ph_tick(self.handle, self.number))
    if not ok then return nil, name, text end
    return tonumber(self.number[0])
end

-- Destroys the world: its producers and consumers are closed with it, its batches are gone.
function World:close() return result(C.ph_world_destroy(self.handle)) end

return pharos
