// A frame from its bytes: docs/monitor-frames.md. Columns of points are views of the same memory: nothing is copied.
const MAGIC = 0x31564850; // "PHV1"
export const FLAG = { DECIMATED: 1, SKIPPED: 2, NO_POINTS: 4, SHORT: 8, UNFOLLOWED: 16, REPLAY: 1 << 16, DIVERGED: 1 << 17 };
export const SHAPES = ["circle", "square", "cylinder", "sphere"]; // by ph_shape
const HEAD = 32, SECTION = 16;
const ATTRS = ["x", "y", "z", "kind", "view", "margin", "reach", "layers", "sees", "stealth", "detect", "global", "ready", "cap", "priority", "user_data", "consumer", "visible", "veiled", "instance", "remote"];

// Reads one number after the other.
class Reader {
  constructor(buffer, at) {
    this.view = new DataView(buffer);
    this.at = at;
  }
  u8() { return this.view.getUint8(this.at++); }
  u16() { this.at += 2; return this.view.getUint16(this.at - 2, true); }
  u32() { this.at += 4; return this.view.getUint32(this.at - 4, true); }
  f32() { this.at += 4; return this.view.getFloat32(this.at - 4, true); }
  f64() { this.at += 8; return this.view.getFloat64(this.at - 8, true); }
  u64() { this.at += 8; return this.view.getBigUint64(this.at - 8, true); }
  count() { return Number(this.u64()); }
  id() { return String(this.u64()); }
  pad() { this.at = (this.at + 7) & ~7; }
}

const list = (count, make) => Array.from({ length: count }, make);
const hex = (value) => `0x${value.toString(16)}`;

function readAttrs(r) {
  const given = r.u32(), attrs = { given: new Set(ATTRS.filter((_, bit) => given & (1 << bit))) };
  for (const name of ["x", "y", "z", "view", "margin", "reach", "visible"]) attrs[name] = r.f32();
  for (const name of ["kind", "cap", "consumer", "instance"]) attrs[name] = r.u32();
  attrs.layers = hex(r.u64());
  attrs.sees = hex(r.u64());
  attrs.user_data = r.id();
  for (const name of ["stealth", "detect", "priority"]) attrs[name] = r.u8();
  for (const name of ["global", "veiled", "ready", "remote"]) attrs[name] = r.u8() !== 0;
  r.at++;
  return attrs;
}

function readText(r, size) {
  const bytes = new Uint8Array(r.view.buffer, r.at, size), end = bytes.indexOf(0);
  r.at += size;
  return new TextDecoder().decode(bytes.subarray(0, end < 0 ? size : end));
}

function readExplanation(r) {
  const e = { reason: r.u32() };
  for (const name of ["dx", "dy", "dz", "square", "radius", "margin", "height"]) e[name] = r.f32();
  for (const name of ["towers_x", "towers_y", "span", "cap", "rank", "passing", "observer_instance", "target_instance"]) e[name] = r.u32();
  e.sees_mask = hex(r.u64());
  e.layers = hex(r.u64());
  for (const name of ["sees", "paired"]) e[name] = r.u8() !== 0;
  for (const name of ["stealth", "detect", "range", "shape"]) e[name] = r.u8();
  r.at += 2;
  return e;
}

const KINDS = ["list", "observers", "explain", "nearest", "entity"];
function readAnswer(r) {
  const answer = { tag: r.id(), id: r.id(), other: r.id(), kind: KINDS[r.u32()], status: r.u32() };
  const count = r.u32();
  answer.total = r.u32();
  answer.hits = list(count, () => ({ id: r.id(), square: r.f32(), kind: r.u32() }));
  answer.statusText = answer.status === 0 ? "" : "no such entity is in the world";
  if (answer.kind === "explain" && answer.status === 0) {
    answer.explanation = readExplanation(r);
    answer.text = readText(r, 256);
  }
  if (answer.kind === "entity" && answer.status === 0) answer.attrs = readAttrs(r);
  return answer;
}

const SECTIONS = {
  1: (r, frame) => {
    const rect = { x0: r.f32(), y0: r.f32(), x1: r.f32(), y1: r.f32(), instance: r.u32(), flags: r.u32(), stride: r.u32(), matched: r.u32() };
    frame.points.slotCount = r.u32();
    frame.points.slotEpoch = r.u32();
    Object.assign(frame, { rect, areasMatched: r.u32(), eventsLost: r.u32(), questionsWaiting: r.u32() });
    rect.spread = r.u16();
    rect.oldest = r.u16();
    frame.skipped = r.count();
    frame.fillNs = r.count();
  },
  2: (r, frame, count) => {
    const buffer = r.view.buffer, at = r.at;
    Object.assign(frame.points, { count, slots: new Uint32Array(buffer, at, count), x: new Uint16Array(buffer, at + 4 * count, count),
      y: new Uint16Array(buffer, at + 6 * count, count), kinds: new Uint16Array(buffer, at + 8 * count, count),
      bits: new Uint8Array(buffer, at + 10 * count, count), steps: new Uint8Array(buffer, at + 11 * count, count) });
  },
  3: (r, frame, cells) => {
    frame.grid = { cells, counts: new Uint32Array(r.view.buffer, r.at, cells * cells), costs: new Uint32Array(r.view.buffer, r.at + 4 * cells * cells, cells * cells) };
  },
  4: (r, frame, count) => {
    frame.shards = list(count, () => ({ x0: r.u16(), y0: r.u16(), x1: r.u16(), y1: r.u16(), entities: r.u32(), observers: r.u32(), ghosts: r.u32(), touched: r.u32(),
      listEntries: r.count(), bytes: r.count(), migrations: r.count(), haloRecords: r.count(), ingestNs: r.count(), exchangeNs: r.count(), indexNs: r.count(),
      interestNs: r.count(), publishNs: r.count(), haloTowers: r.u32(), unused: r.u32() }));
  },
  5: (r, frame, count) => {
    frame.areas = list(count, () => {
      const area = { id: r.id(), follow: r.id(), layers: hex(r.u64()), x: r.f32(), y: r.f32(), toX: r.f32(), toY: r.f32(), radius: r.f32(), margin: r.f32(),
        zLow: r.f32(), zHigh: r.f32(), corners: list(16, () => [r.f32(), r.f32()]), instance: r.u32(), shape: r.u8() };
      area.corners.length = r.u8();
      area.inInstance = r.u8() !== 0;
      r.at++;
      if (area.follow === "0") area.follow = null;
      return area;
    });
  },
  6: (r, frame, count) => {
    frame.focus = { id: r.id(), parent: r.id(), attrs: readAttrs(r), viewGiven: r.f32(), height: r.f32(), shard: r.u32(), tx: r.u16(), ty: r.u16(), listCount: r.u32(),
      found: r.u8() !== 0, awake: r.u8() !== 0, cut: r.u8() !== 0, step: r.u8() };
    frame.focus.targets = list(count, () => ({ id: r.id(), x: r.f32(), y: r.f32(), rank: r.u32(), reason: r.u8(), band: r.u8(), due: r.u16() }));
  },
  7: (r, frame, count) => {
    frame.events = list(count, () => {
      const event = { tick: r.count() + frame.offset, target: r.id(), enter: r.u8() !== 0, cause: r.u8() };
      r.pad();
      return event;
    });
  },
  8: (r, frame, count) => { frame.answers = list(count, () => readAnswer(r)); },
  9: (r, frame, count, names) => { for (let i = 0; i < count; i++) frame.stats[names[i]] = r.count(); },
  10: (r, frame) => {
    frame.keys = { generation: r.count(), sticky: r.f64(), height: r.f32(), crowd_floor: r.f32() };
    for (const name of ["shape", "span", "broadcast_bytes", "events_max", "share_min", "activation_span", "activation_linger", "crowd_entities"]) frame.keys[name] = r.u32();
    frame.keys.tower_size = r.f32();
  },
  11: (r, frame, count) => {
    const first = r.u32();
    r.pad();
    frame.classes = list(count, (_, i) => ({ kind: first + i, view: r.f32(), bands: list(r.u32(), () => ({ radius: r.f32(), every: r.u32() })) }));
  },
};

const NONE = { counts: new Uint32Array(0), costs: new Uint32Array(0), cells: 0 };

// Does a page that has these classes know all that the frame says of some of them? Of many classes each frame has a part.
export function knowsClasses(known, frame) {
  return frame.classes.every(({ kind, view, bands }) => {
    const own = known[kind];
    return own && Math.fround(own.view) === view && own.bands.length === bands.length && bands.every(({ radius, every }, i) => Math.fround(own.bands[i].radius) === radius && own.bands[i].every === every);
  });
}

// Do two frames of one tick show the same? Answers and statistics are not compared, nor classes (knowsClasses); of the rectangle not what its frame cost; of
// a step not whether a part of the points was renewed, once all are of this tick.
const SILENT = [8, 9, 11], RECT = 1, POINTS = 2, RECT_SHOWN = 48, RECT_OLDEST = 54, POINT_BYTES = 11, STEP_KEPT = 64;
export function showsSame(a, b) {
  const all = [a, b].map((buffer) => ({ head: new DataView(buffer), bytes: new Uint8Array(buffer), parts: partsOf(buffer).filter(({ type }) => !SILENT.includes(type)) }));
  const [one, two] = all, equal = (first, second, count) => {
    for (let i = 0; i < count; i++) if (one.bytes[first + i] !== two.bytes[second + i]) return false;
    return true;
  };
  const flags = ({ head }) => head.getUint32(20, true) & ~(FLAG.SKIPPED | FLAG.UNFOLLOWED);
  if (one.parts.length !== two.parts.length || !equal(8, 8, 8) || !equal(28, 28, 4) || flags(one) !== flags(two)) return false;
  return one.parts.every((part, i) => {
    const other = two.parts[i];
    if (part.type !== other.type || part.count !== other.count || part.bytes !== other.bytes) return false;
    if (part.type === RECT) return equal(part.at, other.at, RECT_SHOWN) && all.every(({ head, parts }) => head.getUint16(parts[i].at + RECT_OLDEST, true) === 0);
    if (part.type !== POINTS) return equal(part.at, other.at, part.bytes);
    for (let at = POINT_BYTES * part.count; at < (POINT_BYTES + 1) * part.count; at++) if ((one.bytes[part.at + at] ^ two.bytes[other.at + at]) & ~STEP_KEPT) return false;
    return equal(part.at, other.at, POINT_BYTES * part.count);
  });
}

// Sections of a whole frame: type, count, place and bytes of the data.
function partsOf(buffer) {
  const r = new DataView(buffer), parts = [];
  for (let i = 0, at = HEAD; i < r.getUint16(6, true); i++) {
    const part = { type: r.getUint16(at, true), count: r.getUint32(at + 4, true), bytes: r.getUint32(at + 8, true), at: at + SECTION };
    parts.push(part);
    at = part.at + part.bytes;
  }
  return parts;
}

// names: of the counts in section STATS, as the server said; offset: from the world's ticks to the host's.
export function decode(buffer, names, offset = 0) {
  const r = new Reader(buffer, 0);
  if (buffer.byteLength < HEAD || r.u32() !== MAGIC) throw new Error("no frame");
  if (r.u16() !== 1) throw new Error("a frame of another version");
  const sections = r.u16();
  const empty = new Uint8Array(0);
  const frame = { offset, tick: r.count() + offset, sequence: r.u32(), flags: r.u32(), tickMs: r.f32(), entities: r.u32(), skipped: 0, grid: NONE, shards: [], areas: [], focus: null,
    events: [], answers: [], stats: {}, keys: null, classes: [],
    points: { count: 0, slots: new Uint32Array(0), x: new Uint16Array(0), y: new Uint16Array(0), kinds: new Uint16Array(0), bits: empty, steps: empty } };
  for (let i = 0, at = HEAD; i < sections; i++) {
    r.at = at;
    const type = r.u16();
    r.u16();
    const count = r.u32(), bytes = r.u32();
    r.u32();
    if (bytes > buffer.byteLength - r.at) throw new Error("a frame that is cut");
    at += SECTION + bytes;
    SECTIONS[type]?.(r, frame, count, names);
  }
  return frame;
}
