"""Pharos for Python: the C interface by cffi, with batches as NumPy arrays.

Statuses other than PH_OK become PharosError, but for PH_EMPTY and PH_PENDING of Consumer.take(). Arrays of a batch are
views of the library's memory: they are valid until the batch is given back (the end of its `with` block); copy what has
to live longer. Thread rules are those of <pharos/pharos.h>; cffi releases the interpreter's lock in every call.

    with pharos.World(world_size=(1000, 1000)) as world:
        producer, consumer = world.producer(), world.consumer(0)
        producer.enter(1, x=100, y=100, view=50)
        producer.enter(2, x=130, y=100, view=50)
        world.tick()
        for batch in consumer.batches():
            for change in batch.changes:
                print(change["observer"], batch.enters(change)["id"])
"""
import os

import numpy
from cffi import FFI

_HERE = os.path.dirname(__file__)
ffi = FFI()
with open(os.path.join(_HERE, "pharos.h"), encoding="utf-8") as _file:
    # The loader of config files is another library.
    ffi.cdef("".join(line for line in _file if "ph_config" not in line))
C = ffi.dlopen(os.environ.get("PHAROS_LIBRARY", "libpharos.so.0.1"))

_GIVEN = {"x": C.PH_X, "y": C.PH_Y, "z": C.PH_Z, "kind": C.PH_KIND, "view": C.PH_VIEW, "margin": C.PH_MARGIN,
          "reach": C.PH_REACH, "layers": C.PH_LAYERS, "sees": C.PH_SEES, "stealth": C.PH_STEALTH,
          "detect": C.PH_DETECT, "global": C.PH_GLOBAL, "ready": C.PH_READY, "cap": C.PH_CAP,
          "priority": C.PH_PRIORITY, "user_data": C.PH_USER_DATA, "consumer": C.PH_CONSUMER,
          "visible": C.PH_VISIBLE, "veiled": C.PH_VEILED, "instance": C.PH_INSTANCE,
          "remote": C.PH_REMOTE}


class PharosError(Exception):
    """A call was refused; `status` is the ph_status."""

    def __init__(self, status, reason=""):
        self.status = status
        name = ffi.string(C.ph_status_name(status)).decode()
        super().__init__(f"{name}: {reason or ffi.string(C.ph_status_text(status)).decode()}")


def _check(status):
    if status != C.PH_OK:
        raise PharosError(status)


def _record_type(name):
    """The NumPy record of a C struct, with the C offsets."""
    struct = ffi.typeof(name)
    names, formats, offsets = [], [], []
    for field, info in struct.fields:
        kind = {"float": "f", "double": "f", "_Bool": "?"}.get(info.type.cname, "u")
        names.append(field)
        formats.append("?" if kind == "?" else f"{kind}{ffi.sizeof(info.type)}")
        offsets.append(info.offset)
    return numpy.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(name)})


TARGET, CHANGE, MESSAGE, DELIVERY, EDGE, MOVED, UPDATE, POSITION = (
    _record_type(f"ph_{name}")
    for name in ("target", "change", "message", "delivery", "edge", "moved", "update", "position"))


def _view(pointer, count, dtype):
    if count == 0:
        return numpy.empty(0, dtype)
    array = numpy.frombuffer(ffi.buffer(pointer, count * dtype.itemsize), dtype)
    array.flags.writeable = False
    return array


def cause_name(cause):
    """The word of a ph_cause: "gone", "came", ..."""
    return ffi.string(C.ph_cause_name(int(cause))).decode()


def make_attrs(**values):
    """ph_attrs with these attributes given."""
    attrs = ffi.new("ph_attrs *")
    for name, value in values.items():
        if name not in _GIVEN:
            raise TypeError(f"no attribute '{name}'; there are {', '.join(_GIVEN)}")
        setattr(attrs, name, value)
        attrs.given |= _GIVEN[name]
    return attrs


class Batch:
    """One tick's events for one consumer: structured arrays of the records of types.h."""

    def __init__(self, consumer, pointer):
        self._consumer, self._pointer = consumer, pointer
        self.tick, self.tick_first, self.dropped = pointer.tick, pointer.tick_first, pointer.dropped
        self.changes = _view(pointer.changes, pointer.change_count, CHANGE)
        self.targets = _view(pointer.targets, pointer.target_count, TARGET)
        self.kinds = _view(pointer.kinds, pointer.target_count, numpy.dtype("u2"))
        self.causes = _view(pointer.causes, pointer.target_count, numpy.dtype("u1"))
        # Of enters; leaves are at 0. None: the definition leaves them out.
        self.positions = (_view(pointer.positions, pointer.target_count, POSITION)
                          if pointer.positions != ffi.NULL else None)
        self.messages = _view(pointer.messages, pointer.message_count, MESSAGE)
        self.payload = _view(pointer.payload, pointer.payload_bytes, numpy.dtype("u1"))
        self.deliveries = _view(pointer.deliveries, pointer.delivery_count, DELIVERY)
        self.heard = _view(pointer.heard, pointer.heard_count, numpy.dtype("u4"))
        self.activations = _view(pointer.activations, pointer.activation_count, EDGE)
        self.crossings = _view(pointer.crossings, pointer.crossing_count, EDGE)
        self.updates = _view(pointer.updates, pointer.update_count, UPDATE)
        self.due = _view(pointer.due, pointer.due_count, numpy.dtype("u4"))
        self.bands = _view(pointer.bands, pointer.due_count, numpy.dtype("u1"))
        self.moved = _view(pointer.moved, pointer.moved_count, MOVED)

    def leaves(self, change):
        """Targets that left the list of a row of `changes`."""
        first = int(change["first"])
        return self.targets[first:first + int(change["leave_count"])]

    def enters(self, change):
        """Targets that entered the list of a row of `changes`."""
        first = int(change["first"]) + int(change["leave_count"])
        return self.targets[first:first + int(change["enter_count"])]

    def give_back(self):
        """Gives it back; its arrays must not be used any more. Again: nothing."""
        if self._pointer is not None:
            pointer, self._pointer = self._pointer, None
            _check(C.ph_batch_return(self._consumer, pointer))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.give_back()


class Consumer:
    """Takes batches; one thread at a time."""

    def __init__(self, world, index):
        handle = ffi.new("ph_consumer *")
        _check(C.ph_consumer_open(world, index, handle))
        self.handle = handle[0]

    def take(self):
        """The oldest batch, or None."""
        pointer = ffi.new("const ph_batch **")
        status = C.ph_batch_take(self.handle, pointer)
        if status in (C.PH_EMPTY, C.PH_PENDING):
            return None
        _check(status)
        return Batch(self.handle, pointer[0])

    def batches(self):
        """All waiting batches, each given back when the loop goes on."""
        while (batch := self.take()) is not None:
            with batch:
                yield batch

    def close(self):
        _check(C.ph_consumer_close(self.handle))


class Producer:
    """Submits commands; one thread at a time."""

    def __init__(self, world):
        handle = ffi.new("ph_producer *")
        _check(C.ph_producer_open(world, handle))
        self.handle = handle[0]

    def enter(self, id, **values):
        _check(C.ph_enter(self.handle, id, make_attrs(**values)))

    def set(self, id, **values):
        _check(C.ph_set(self.handle, id, make_attrs(**values)))

    def leave(self, id):
        _check(C.ph_leave(self.handle, id))

    def move(self, id, x, y, z=0.0):
        _check(C.ph_move(self.handle, id, x, y, z))

    def move_many(self, ids, positions):
        """ids: N of uint64; positions: N x 3 of float32. Other types are copied. Gives the number queued or refused."""
        ids = numpy.ascontiguousarray(ids, dtype=numpy.uint64)
        positions = numpy.ascontiguousarray(positions, dtype=numpy.float32)
        if positions.shape != (len(ids), 3):
            raise ValueError(f"positions have the shape {positions.shape}, not {(len(ids), 3)}")
        done = ffi.new("uint32_t *")
        _check(C.ph_move_many(self.handle, len(ids), ffi.from_buffer("uint64_t[]", ids),
                              ffi.cast("ph_position *", ffi.from_buffer(positions)), done))
        return done[0]

    def broadcast(self, source, payload):
        _check(C.ph_broadcast(self.handle, source, payload, len(payload), ffi.NULL))

    def refusals(self, capacity=1024):
        """Up to `capacity` refusals as (sequence, tick, id, status)."""
        rows, count = ffi.new("ph_refusal[]", capacity), ffi.new("uint32_t *")
        _check(C.ph_producer_refusals(self.handle, rows, capacity, count))
        return [(row.sequence, row.tick, row.id, row.status) for row in rows[0:count[0]]]

    def close(self):
        _check(C.ph_producer_close(self.handle))


class World:
    """A world; fields of ph_world_def by name. `classes` is a list of dicts of the fields of ph_class."""

    def __init__(self, classes=(), **fields):
        definition = ffi.new("ph_world_def *", C.ph_world_def_default())
        for name, value in fields.items():
            setattr(definition, name, value)
        rows = ffi.new("ph_class[]", max(len(classes), 1))
        rows[0] = C.ph_class_default(b"default")
        for place, values in enumerate(classes):
            rows[place] = C.ph_class_default(values.get("name", "default").encode())
            for name, value in values.items():
                if name == "bands":
                    rows[place].band_count = len(value)
                    for at, (radius, every) in enumerate(value):
                        rows[place].bands[at].radius, rows[place].bands[at].every = radius, every
                elif name != "name":
                    setattr(rows[place], name, value)
        definition.classes, definition.class_count = rows, len(rows)
        reason = ffi.new("char[]", 512)
        status = C.ph_world_def_check(definition, reason, 512)
        if status != C.PH_OK:
            raise PharosError(status, ffi.string(reason).decode())
        handle = ffi.new("ph_world *")
        _check(C.ph_world_create(definition, handle))
        self.handle = handle[0]

    def producer(self):
        return Producer(self.handle)

    def consumer(self, index=0):
        return Consumer(self.handle, index)

    def tick(self):
        """Runs a tick; gives its number."""
        number = ffi.new("uint64_t *")
        _check(C.ph_tick(self.handle, number))
        return number[0]

    def list(self, observer):
        """The ids of the observer's list, an array of its own."""
        count = ffi.new("uint32_t *")
        _check(C.ph_list(self.handle, observer, ffi.NULL, 0, count))
        ids = numpy.empty(count[0], numpy.uint64)
        if len(ids):
            _check(C.ph_list(self.handle, observer, ffi.from_buffer("uint64_t[]", ids), len(ids), count))
        return ids

    def close(self):
        """Destroys the world; batches and handles of it are gone then. Again: nothing."""
        if self.handle is not None:
            _check(C.ph_world_destroy(self.handle))
            self.handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
