// The page's decoder on the bytes of tests/view/golden.hex, which golden.c compares with the encoder: each field has a
// number of its own there. A frame that is cut or of another version is refused, and the page's connection with it. Steps of crowd control have their colours.
// usage: node frame.mjs
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { decode, FLAG, knowsClasses, showsSame } from "../../src/view/page/frame.js";
import { Link } from "../../src/view/page/link.js";
import { crowdColour } from "../../src/view/page/palette.js";

const STATS = 39, FIRST_STAT = 1000, OFFSET = 100;
const text = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "golden.hex"), "utf8").replaceAll("\n", "");
const { buffer } = Uint8Array.from(text.match(/../g), (digits) => parseInt(digits, 16));
const names = Array.from({ length: STATS }, (_, i) => `s${i}`);
const frame = decode(buffer, names, OFFSET);
const is = (got, want) => assert.deepEqual(JSON.parse(JSON.stringify(got, (_, value) => (value instanceof Set ? [...value] : ArrayBuffer.isView(value) ? [...value] : value))), want);

is([frame.tick, frame.sequence, frame.tickMs, frame.entities, frame.skipped, frame.fillNs, frame.areasMatched, frame.eventsLost, frame.questionsWaiting], [107, 3, 2.5, 14, 2, 600, 2, 7, 3]);
assert.equal(frame.flags, FLAG.DECIMATED | FLAG.SKIPPED | FLAG.REPLAY | FLAG.DIVERGED);
is(frame.rect, { x0: -1, y0: -2, x1: 3, y1: 4, instance: 5, flags: 127, stride: 4, matched: 13, spread: 6, oldest: 65535 });
is(frame.points, { count: 3, slots: [1, 2, 70000], x: [0, 32768, 65535], y: [65535, 1, 2], kinds: [0, 1, 256], bits: [1, 64, 128], steps: [0, 16, 67], slotCount: 70001, slotEpoch: 5 });
is(frame.grid, { cells: 2, counts: [1, 0, 2, 3], costs: [40, 50, 60, 70000] });
is(frame.shards, [{ x0: 1, y0: 2, x1: 3, y1: 4, entities: 5, observers: 6, ghosts: 7, touched: 8, listEntries: 9, bytes: 10, migrations: 11, haloRecords: 12, ingestNs: 13, exchangeNs: 14, indexNs: 15, interestNs: 16, publishNs: 17, haloTowers: 18, unused: 0 }]);
is(frame.areas, [{ id: "21", follow: "22", layers: "0xff", x: 1, y: 2, toX: 3, toY: 4, radius: 5, margin: 6, zLow: 7, zHigh: 8, corners: [[9, 10], [11, 12], [13, 14]], instance: 15, shape: 2, inInstance: true }]);
const attrs = { given: ["x", "view"], x: 1.5, y: -2.5, z: 3, view: 4, margin: 5, reach: 6, visible: 7, kind: 8, cap: 9, consumer: 10, instance: 11, layers: "0xc", sees: "0xd",
  user_data: "18446744073709551615", stealth: 14, detect: 15, priority: 16, global: true, veiled: false, ready: true, remote: true };
is(frame.focus, { id: "40", parent: "39", attrs, viewGiven: 8.5, height: 9.5, shard: 2, tx: 3, ty: 4, listCount: 5, found: true, awake: true, cut: true, step: 6,
  targets: [{ id: "41", x: 1, y: 2, rank: 1, reason: 10, band: 255, due: 0 }, { id: "42", x: 3, y: 4, rank: 2, reason: 11, band: 1, due: 9 }] });
is(frame.events.map(({ tick, target, enter }) => [tick, target, enter]), [[151, "41", true], [152, "43", false]]);
is(frame.answers.map(({ tag, id, other, kind, total }) => [tag, id, other, kind, total]), [["71", "0", "0", "nearest", 9], ["72", "40", "41", "explain", 0], ["73", "40", "0", "entity", 0], ["74", "99", "0", "entity", 0], ["75", "44", "0", "entity", 0]]);
is(frame.answers[0].hits, [{ id: "61", square: 0.25, kind: 1 }, { id: "62", square: 4, kind: 2 }]);
const { explanation, text: sentence } = frame.answers[1];
is(explanation, { reason: explanation.reason, dx: 3, dy: 4, dz: 0, square: 25, radius: 4, margin: 1, height: 0, towers_x: 1, towers_y: 2, span: 1, cap: 3, rank: 4, passing: 5,
  observer_instance: 8, target_instance: 9, sees_mask: "0x6", layers: "0x7", sees: false, paired: false, stealth: 10, detect: 11, range: 0, shape: 0 });
assert.equal(sentence, "not seen: the target is beyond the radius (distance 5, radius 4, margin 1; rank 4 of 5, cap 3)");
is(frame.answers[2].attrs, { ...attrs, veiled: true, ready: false });
is(frame.answers[4].attrs, { ...attrs, global: false, veiled: true, ready: false });
assert(frame.answers[3].status !== 0 && !("attrs" in frame.answers[3]));
is(frame.stats, Object.fromEntries(names.map((name, i) => [name, FIRST_STAT + i])));
is(frame.keys, { generation: 31, sticky: 1.25, height: 2, crowd_floor: 0.5, shape: 3, span: 4, broadcast_bytes: 5, events_max: 6, share_min: 7, activation_span: 8, activation_linger: 9, crowd_entities: 10, tower_size: 32.5 });
is(frame.classes, [{ kind: 0, view: 81, bands: [] }, { kind: 1, view: 82.5, bands: [{ radius: 83, every: 84 }, { radius: 85, every: 86 }] }]);

// Of one tick: what is shown, byte by byte. Behind the head stands the rectangle, then the points.
const changed = (...places) => {
  const copy = buffer.slice(0), bytes = new Uint8Array(copy);
  new DataView(copy).setUint16(RECT + 54, 0, true); // oldest: all points are of the tick
  for (const at of places) bytes[at] ^= 64;
  return copy;
};
const RECT = 48, AFTER_RECT = RECT + 72, STEPS = AFTER_RECT + 16 + 3 * 11;
assert.deepEqual([new DataView(buffer).getUint16(RECT + 54, true), new DataView(buffer).getUint16(AFTER_RECT, true)], [65535, 2]);
assert(showsSame(changed(), changed()) && !showsSame(buffer, buffer), "a frame is the same as itself, but while parts of it are older");
for (const at of [RECT + 48, RECT + 56, RECT + 64, STEPS, STEPS + 2, 16, 24]) assert(showsSame(changed(), changed(at)), `byte ${at}: questions that wait, costs, a part that was renewed, a sequence`);
const skipped = [8, 9, 11], silent = new Set();
let places = 0;
for (let i = 0, at = 32, view = new DataView(buffer); i < view.getUint16(6, true); at += 16 + view.getUint32(at + 8, true), i++)
  if (skipped.includes(view.getUint16(at, true))) for (let j = 0; j < view.getUint32(at + 8, true); j++) silent.add(at + 16 + j);
for (let at = RECT + 72 + 16; at < buffer.byteLength; at++) {
  const inHead = [...changedHeads(buffer)].some((head) => at >= head && at < head + 16);
  if (inHead || (at >= STEPS && at < STEPS + 7)) continue; // with what pads them
  assert.equal(showsSame(changed(), changed(at)), silent.has(at), `byte ${at}`);
  places++;
}
assert(places > 1000 && silent.size > 300, [places, silent.size]);
for (const at of [8, 28, 20, RECT, RECT + 44]) assert(!showsSame(changed(), changed(at)), `byte ${at}: tick, entities, flags, place, events that were lost`);
const stepped = changed();
new Uint8Array(stepped)[STEPS] ^= 1;
assert(!showsSame(changed(), stepped), "a step of crowd control");

// Of many classes each frame has a part: a pause rests once the page knows them all. Its first message has decimals, a frame float32.
const known = [{ view: 81, bands: [] }, { view: 82.5, bands: [{ radius: 83, every: 84 }, { radius: 85, every: 86 }] }];
assert(knowsClasses(known, frame) && knowsClasses([], { classes: [] }) && !knowsClasses(known.slice(0, 1), frame) && !knowsClasses([{ ...known[0], view: 80 }, known[1]], frame));
for (const bands of [known[1].bands.slice(0, 1), [known[1].bands[0], { radius: 85, every: 87 }], [known[1].bands[0], { radius: 84, every: 86 }]]) assert(!knowsClasses([known[0], { view: 82.5, bands }], frame), bands);
assert(knowsClasses([{ view: 0.1, bands: [{ radius: 0.3, every: 1 }] }], { classes: [{ kind: 0, view: Math.fround(0.1), bands: [{ radius: Math.fround(0.3), every: 1 }] }] }));

function* changedHeads(buffer) {
  const view = new DataView(buffer);
  for (let i = 0, at = 32; i < view.getUint16(6, true); at += 16 + view.getUint32(at + 8, true), i++) yield at;
}

for (const size of [0, 4, 31, 47, 200, buffer.byteLength - 8]) assert.throws(() => decode(buffer.slice(0, size), names), `${size} bytes`);
const other = buffer.slice(0);
new DataView(other).setUint16(4, 2, true);
assert.throws(() => decode(other, names), /another version/);
is(Array.from({ length: 17 }, (_, step) => crowdColour(step)), [7, 3, 3, 3, 3, 3, 1, 1, 1, 1, 1, 5, 5, 5, 5, 5, 5]);

// A frame that can not be read ends the connection, with a word why; the next one is tried later each time.
const sockets = [], waits = [], reasons = [];
globalThis.location = { host: "host" };
globalThis.WebSocket = class {
  static OPEN = 1;
  constructor() {
    this.readyState = 1;
    sockets.push(this);
  }
  send() {}
  close() { this.closed = true; }
};
globalThis.setTimeout = (open, wait) => waits.push({ open, wait });
const link = new Link("token", {
  message() {},
  frame(data) {
    link.refuse(new Error(`${data.byteLength} bytes`));
    return null;
  },
  lost: (reason) => reasons.push(reason),
});
for (let i = 0; i < 3; i++) {
  sockets[i].onmessage({ data: '{"type":"hello"}' });
  sockets[i].onmessage({ data: new ArrayBuffer(4) });
  assert(sockets[i].closed && sockets[i].onmessage === null && reasons.length === i + 1 && /4 bytes/.test(reasons[i]), reasons);
  waits[i].open();
}
assert(waits[0].wait < waits[1].wait && waits[1].wait < waits[2].wait, waits);
console.log(`${buffer.byteLength} bytes of a frame: every section, decoded`);
