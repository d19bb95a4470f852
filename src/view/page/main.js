// The page: brings the parts together. A frame comes in, is kept, and shown; the map, the inspector, strips, tables and
// keys draw it. Everything that a click does, a key does, too.
import { $, fill, make, say, short } from "./dom.js";
import { decode, FLAG, knowsClasses, SHAPES, showsSame } from "./frame.js";
import { BYTES_MAX, History } from "./history.js";
import { Inspector } from "./inspector.js";
import { Keys } from "./keys.js";
import { Link } from "./link.js";
import { LAYERS, WorldMap } from "./map.js";
import * as place from "./place.js";
import { BY, Strips } from "./strips.js";
import { Longest } from "./longest.js";
import { drawLegend, drawTables } from "./tables.js";

// ASKED_QUIET: of ASKED_MAX questions on their way, so many may be the page's own; the others are for clicks.
const HZ = 10, GLIDE_MS = 1000 / HZ, SEND_MS = 120, TABLES_MS = 500, ASKED_MAX = 100, ASKED_QUIET = 70, POINTS_MAX = 100000;
const HELP = [["Space", "pause, go on"], [".", "one tick"], [", and ;", "one kept frame back, forth"], ["l", "live again"], ["arrows", "move the map"],
  ["+ and -", "zoom"], ["0", "the whole world"], ["n", "choose the entity next to the middle"], ["f", "follow the chosen one, in a table: look at the row's id"],
  ["1 to 5", "tabs of the inspector"], ["t", "strips by tick, second, minute, hour"], ["/", "find an id"], ["w", "why: two ids"], ["Escape", "choose nothing"], ["?", "this table"]];

const NO_GRAPHICS = "The browser has taken the graphics from this page, and points are not drawn until it gives them back.\nIf it does not, load the page anew. The inspector, tables and strips work.";

const start = place.read();
const map = new WorldMap();
const kept = new History();
const asked = new Map();
let hello, connected = false, state = {}, shown, live = true, focus = start.focus ?? "0", tag = 0, lastSent = "", timer = 0, glideFrom = 0, drawnTables = 0, tablesDue = false;
let frames = 0, lost = 0, waitingAck = null, decodeMs = 0, refusal = "", begins = true; // begins: the next one that comes is a world's first

// ---- what goes to the server ----

// false: too many are on their way already; who clicked is told.
function ask(question, then) {
  if (!connected) return false;
  if (asked.size >= ASKED_MAX) return refuse("Too many questions wait for an answer: the program is busy. Try again."), false;
  tag++;
  asked.set(String(tag), { question, then });
  link.send({ type: "ask", tag: String(tag), ...question });
  return true;
}

// A question that nobody clicked for: the page asks it again, later.
function askQuietly(question, then) {
  return asked.size < ASKED_QUIET && ask(question, then);
}

// No frame answers them: the world that was asked is shown no more, after a seek. The present one is asked.
function askAgain(tags) {
  const lost = tags.map((tag) => asked.get(tag)).filter(Boolean);
  for (const tag of tags) asked.delete(tag);
  for (const { question, then } of lost) ask(question, then);
}

function watch() {
  if (!connected) return;
  const parts = { points: map.layers.points, grid: map.layers.density || map.layers.cost || $("tables").open, shards: true, areas: map.layers.areas,
    stats: true, keys: true, any: $("any").checked };
  const view = { type: "view", ...map.watched(), instance: Number($("instance").value) || 0, parts: Object.keys(parts).filter((name) => parts[name]).join(","),
    points: POINTS_MAX, focus, class: keys.kind, hz: HZ };
  const text = JSON.stringify(view);
  if (text !== lastSent) link.send(view);
  lastSent = text;
}

function remember() {
  place.write({ token: start.token, x: Number(map.view.x.toPrecision(7)), y: Number(map.view.y.toPrecision(7)), scale: Number(map.view.scale.toPrecision(4)),
    id: focus === "0" ? undefined : focus, observer: inspector.why?.observer, target: inspector.why?.target, tab: inspector.tab, colour: map.colour,
    layers: LAYERS.map(([name]) => name).filter((name) => map.layers[name]).join(","), instance: $("any").checked ? "all" : $("instance").value,
    follow: $("follow").checked, strips: strips.by === "tick" ? undefined : strips.by });
}

// Many small moves are one message.
function changed() {
  if (!connected || timer) return;
  timer = setTimeout(() => {
    timer = 0;
    watch();
    remember();
  }, SEND_MS);
}

function act(what, value) {
  link.send({ type: "do", what, ...(value === undefined ? {} : { value }) });
}

// ---- choosing ----

function select(id) {
  focus = id;
  $("find-id").value = id === "0" ? "" : id;
  inspector.wantsNear = map.layers.near && id !== "0";
  changed();
}

function chooseNear(x, y, radius) {
  const any = $("any").checked;
  ask({ kind: "nearest", x, y, radius, most: 1, instance: Number($("instance").value) || 0, any }, (answer) => {
    if (answer.hits.length > 0) select(answer.hits[0].id);
  });
}

const inspector = new Inspector(ask, askQuietly, select);
inspector.changed = changed;
const keys = new Keys((message) => link.send(message), changed);
const longest = new Longest(askQuietly, select);
// A tick that is not among the kept ones is one to seek, in a trace.
const keeps = (tick) => kept.frames[0]?.tick <= tick && tick <= kept.frames.at(-1).tick;
const strips = new Strips((tick) => (connected && hello.seek && !keeps(tick) ? act("seek", tick) : scrubTo(kept.find(tick))));
map.clicked = chooseNear;
map.moved = changed;
map.graphics = () => shown && drawHeader(shown);
function stay() {
  $("follow").checked = map.follows = false;
}
map.dragged = stay;
function showAll() {
  stay();
  map.fit();
}

// ---- frames ----

function show(frame, isLive) {
  if (frame.keys) { // the size of towers may be chosen with the first entities, the others set while it runs
    hello.world.towerSize = frame.keys.tower_size;
    hello.world.crowdFloor = frame.keys.crowd_floor;
    hello.world.shape = SHAPES[frame.keys.shape];
  }
  for (const { kind, view, bands } of frame.classes) hello.world.classes[kind] = { name: `kind ${kind}`, ...hello.world.classes[kind], view, bands };
  const jumped = begins || frame.tick < shown.tick || frame.tick > shown.tick + 40;
  begins = begins && !isLive; // one of the time before may be shown anew
  shown = frame;
  const found = frame.focus?.found;
  inspector.instance = $("any").checked ? undefined : frame.rect.instance;
  inspector.back = !live;
  inspector.take(frame, hello.world, isLive);
  map.near = live ? inspector.near : [];
  map.follows = found && $("follow").checked;
  map.take(frame, jumped || !isLive);
  if (isLive) inspector.askPlaces((other) => map.isCarried(other));
  if (map.follows) changed();
  glideFrom = performance.now();
  drawHeader(frame);
  tablesDue = true;
  drawBeside(glideFrom, !isLive);
}

// What is beside the map: twice a second, as a person reads it.
function drawBeside(now, atOnce) {
  if (now - drawnTables <= TABLES_MS && !atOnce) return;
  drawnTables = now;
  if (tablesDue) drawLegend(map, hello.world, shown);
  if (tablesDue && $("tables").open) drawTables(shown, (x, y) => map.look({ x, y }));
  if ($("tables").open) longest.take(shown, now);
  if (tablesDue || strips.by !== "tick") strips.draw(); // seconds go on in a pause
  tablesDue = false;
}

// A frame of a pause that shows what is shown: nothing of the map is drawn anew, but answers may have come with it.
function rest(frame) {
  shown = frame;
  inspector.askMore(frame.tick);
  if (map.near !== inspector.near) map.mark(inspector.near);
  drawHeader(frame);
  drawBeside(performance.now(), false);
}

function receive(buffer) {
  const begin = performance.now();
  let frame;
  try {
    frame = decode(buffer, hello.stats, state.offset);
  } catch (error) {
    link.refuse(error);
    return null;
  }
  decodeMs = performance.now() - begin;
  const rests = live && frame.tick === shown?.tick && kept.frames.length > 0 && showsSame(buffer, kept.frames.at(-1).buffer) && knowsClasses(hello.world.classes, frame) && map.isStill();
  frames++;
  lost += frame.skipped;
  kept.add(frame.tick, buffer);
  strips.add(frame);
  keys.take(frame);
  inspector.answers = frame;
  for (const answer of frame.answers) {
    const one = asked.get(answer.tag);
    asked.delete(answer.tag);
    one?.then(answer);
  }
  $("scrub").max = kept.frames.length - 1;
  if (live) {
    $("scrub").value = kept.frames.length - 1;
    if (rests) rest(frame);
    else show(frame, true);
  }
  if (!document.hidden) return frame.sequence;
  waitingAck = frame.sequence; // a hidden page takes no further frames: nothing is made for it
  return null;
}

function scrubTo(at) {
  if (kept.frames.length === 0) return;
  at = Math.min(Math.max(at, 0), kept.frames.length - 1);
  live = at === kept.frames.length - 1 && !state.paused ? live : false;
  $("scrub").value = at;
  show(decode(kept.frames[at].buffer, hello.stats, state.offset), false);
  say($("scrub-note"), `${at + 1} of ${kept.frames.length}`);
  drawState();
}

function goLive() {
  live = true;
  say($("scrub-note"), "");
  if (kept.frames.length > 0) show(decode(kept.frames.at(-1).buffer, hello.stats, state.offset), false);
  drawState();
}

// ---- the header, and notices ----

function drawHeader(frame) {
  say($("tick"), `tick ${frame.tick}: ${short(frame.tickMs)} ms`);
  say($("counts"), `${short(frame.entities)} entities, ${short(frame.rect.matched)} in view, ${short(frame.points.count)} drawn`);
  const flags = [frame.flags & FLAG.REPLAY && "REPLAY", frame.flags & FLAG.DIVERGED && "DIVERGED", frame.flags & FLAG.DECIMATED && `1 of ${frame.rect.stride}`, frame.flags & FLAG.SHORT && "SHORT TICK"];
  say($("flags"), flags.filter(Boolean).join(" · "));
  say($("lost"), lost > 0 ? `shown ${short(frames)} of ${short(frames + lost)} ticks` : "");
  const mib = (bytes) => (bytes / 1048576).toFixed(1), heap = performance.memory?.usedJSHeapSize;
  say($("memory"), `kept ${mib(kept.bytes)} of ${BYTES_MAX >> 20} MiB${heap ? `; tab ${mib(heap)} MiB` : ""}${state.resident ? `; program ${mib(state.resident)} MiB` : ""}; world ${mib(frame.stats.bytes ?? 0)} MiB`);
  if (!connected) return; // that it is lost stays to be read
  if (refusal) notice(refusal);
  else if (map.points.lost) notice(NO_GRAPHICS);
  else if (frame.entities === 0) notice(`The world is empty at tick ${frame.tick}.\nEntities that enter are shown at once.`);
  else if (frame.rect.matched === 0 && map.layers.points) notice(`None of ${short(frame.entities)} entities is in view${$("any").checked ? "" : ` (instance ${frame.rect.instance})`}.\nPress 0 for the whole world, or tick "all" instances on the left.`);
  else notice("");
}

// A refusal stays until the next click or key: the next frame comes too soon to read it.
function refuse(text) {
  refusal = text;
  notice(text);
}

for (const input of ["pointerdown", "keydown"]) document.addEventListener(input, () => (refusal = ""), true);

function notice(text) {
  $("notice").hidden = text === "";
  say($("notice"), text);
}

function drawState() {
  const name = !connected ? "lost" : !live ? "kept" : state.paused ? "paused" : "live";
  $("state").dataset.state = name;
  say($("state"), { lost: "no connection", kept: "looking back", paused: state.over ? "at the end" : "paused", live: "live" }[name]);
  say($("play"), state.paused ? "Play" : "Pause");
}

// Names of the world stay: its kept frames are looked at.
function isLost(reason, retry) {
  connected = false;
  asked.clear();
  lastSent = "";
  drawState();
  notice(/token/.test(reason) ? `${reason}.\nEach start of the program makes a new token: open the address that it prints.`
    : `The connection is lost: ${reason}.\nIs the program still running? Trying again in ${short(retry / 1000)} s; what came before can be looked at meanwhile.`);
}

// ---- messages ----

function open(message) {
  hello = message;
  connected = true;
  document.title = `${message.title} · Pharos`;
  say($("title"), message.title.split("/").at(-1));
  $("title").title = message.title;
  const first = !map.world;
  if (first) map.open(message.world);
  if (first && start.scale) map.look({ x: start.x ?? map.view.x, y: start.y ?? map.view.y, scale: start.scale });
  kept.clear();
  strips.open(message.title);
  keys.open(message);
  longest.clear();
  inspector.begin();
  map.begin();
  begins = true;
  waitingAck = null;
  say($("scrub-note"), "");
  for (const name of ["play", "step", "speed"]) $(name).disabled = !message.controls;
  $("seek-box").hidden = !message.seek;
  $("slice").hidden = !message.slice;
  live = true;
  refuse("");
  watch();
  drawState();
}

function take(message) {
  if (message.type === "hello") open(message);
  else if (message.type === "state") {
    state = message;
    $("seek").min = message.first ?? 0;
    $("seek").max = message.last ?? 0;
    if (document.activeElement !== $("seek")) $("seek").value = message.at ?? 0;
    say($("seek-tick"), message.last ? `${message.at} of ${message.last}` : "");
    if (message.speed && document.activeElement !== $("speed")) $("speed").value = String(message.speed);
    drawState();
  } else if (message.type === "refused") {
    say($("export-note"), "");
    keys.refused();
    refuse(message.text);
  } else if (message.type === "class") {
    keys.takeClass(message);
  } else if (message.type === "lost") {
    askAgain(message.tags);
  } else if (message.type === "slice") {
    save(new Blob([message.text], { type: "text/csv" }), "slice.csv");
    say($("export-note"), `Its definition is in its head: pharos-replay slice.csv --skip-bad.${state.diverged ? " It is the recording, without the keys that were changed here." : ""}`);
  }
}

const link = new Link(start.token, { message: take, frame: receive, lost: isLost });

// ---- export ----

function save(blob, name) {
  const anchor = make("a", { href: URL.createObjectURL(blob), download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 1000);
}

function savePicture() {
  const picture = document.createElement("canvas"), context = picture.getContext("2d");
  picture.width = $("base").width;
  picture.height = $("base").height;
  context.fillStyle = "#0c0f13";
  context.fillRect(0, 0, picture.width, picture.height);
  for (const name of ["base", "points", "over"]) context.drawImage($(name), 0, 0);
  picture.toBlob((blob) => save(blob, `pharos-${shown?.tick ?? 0}.png`));
}

const plain = (name, value) => (value instanceof Set ? [...value] : ArrayBuffer.isView(value) ? Array.from(value) : typeof value === "bigint" ? String(value) : value);

// ---- controls and keys ----

const play = () => act(state.paused ? "play" : "pause");
const step = () => act("step");
function follow() {
  $("follow").checked = !$("follow").checked;
  if (shown) show(shown, false);
  changed();
}

function stripsBy(name) {
  strips.show(name);
  $("strips-by").value = strips.by;
  changed();
}

function nextStrips() {
  const names = Object.keys(BY);
  stripsBy(names[(names.indexOf(strips.by) + 1) % names.length]);
}

const KEYS = { " ": play, ".": step, ",": () => scrubTo(Number($("scrub").value) - 1), ";": () => scrubTo(Number($("scrub").value) + 1), l: goLive, t: nextStrips, "+": () => map.zoom(1.4), "=": () => map.zoom(1.4),
  "-": () => map.zoom(1 / 1.4), 0: showAll, f: follow, n: () => chooseNear(map.view.x, map.view.y, 1e9), "/": () => $("find-id").focus(), w: () => $("why-observer").focus(),
  "?": () => $("help").showModal(), Escape: () => (stay(), select("0")), ArrowLeft: () => map.pan(-60, 0), ArrowRight: () => map.pan(60, 0), ArrowUp: () => map.pan(0, 60), ArrowDown: () => map.pan(0, -60) };
["attributes", "sees", "observers", "near", "events"].forEach((name, i) => (KEYS[i + 1] = () => inspector.show(name)));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || $("help").open) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName), pressing = event.target.tagName === "BUTTON" && event.key === " ";
  if (typing && event.key === "Escape") event.target.blur();
  if (typing || pressing || !KEYS[event.key]) return;
  if (event.key === "f" && event.target.tagName === "TR") return;
  event.preventDefault();
  KEYS[event.key]();
});

$("play").addEventListener("click", play);
$("step").addEventListener("click", step);
$("live").addEventListener("click", goLive);
$("speed").addEventListener("change", () => act("speed", Number($("speed").value)));
$("seek").addEventListener("input", () => say($("seek-tick"), $("seek").value));
$("seek").addEventListener("change", () => act("seek", Number($("seek").value)));
$("scrub").addEventListener("input", () => scrubTo(Number($("scrub").value)));
$("follow").addEventListener("change", () => { if (shown) show(shown, false); changed(); });
fill($("strips-by"), ...Object.keys(BY).map((name) => make("option", {}, name)));
$("strips-by").addEventListener("change", () => stripsBy($("strips-by").value));
$("find").addEventListener("submit", (event) => {
  event.preventDefault();
  const id = $("find-id").value.trim();
  if (!/^\d{1,20}$/.test(id)) return refuse(`"${id}" is no id: ids are whole numbers from 1.`);
  select(id);
  $("follow").checked = true;
});
for (const name of ["instance", "any"]) $(name).addEventListener("change", changed);
$("colour").addEventListener("change", () => {
  map.colour = $("colour").value;
  if (shown) show(shown, false);
  changed();
});
$("help-button").addEventListener("click", () => $("help").showModal());
fill($("help-keys"), ...HELP.map(([key, text]) => make("tr", {}, make("td", {}, key), make("td", {}, text))));
$("export-png").addEventListener("click", savePicture);
$("export-json").addEventListener("click", () => shown && save(new Blob([JSON.stringify(shown, plain, 1)]), `pharos-${shown.tick}.json`));
$("export-trace").addEventListener("click", () => {
  const from = $("slice-from").value.trim(), last = shown?.tick ?? 0;
  if (!/^\d{0,15}$/.test(from) || Number(from) > last) return refuse(`"${from}" is no tick up to the shown one, ${last}.`);
  say($("export-note"), `The program makes the trace${from ? ` from tick ${from}` : ""} up to tick ${last} ...`);
  link.send({ type: "do", what: "slice", value: last, from: Number(from) });
});
$("tables").addEventListener("toggle", () => {
  tablesDue = true;
  changed();
});
for (const [name, text] of LAYERS) {
  const box = make("input", { type: "checkbox", id: `layer-${name}` });
  box.addEventListener("change", () => {
    map.layers[name] = box.checked;
    map.dirty = tablesDue = true;
    inspector.wantsNear = map.layers.near && focus !== "0";
    changed();
  });
  if (start.layers) map.layers[name] = start.layers.includes(name);
  box.checked = map.layers[name];
  $("layers").append(make("label", {}, box, ` ${text}`));
}
document.addEventListener("visibilitychange", () => {
  if (document.hidden || waitingAck === null) return;
  link.send({ type: "ack", sequence: waitingAck });
  waitingAck = null;
});

// ---- as the address says ----

$("colour").value = map.colour = ["shard", "awake", "crowd", "number", "levels", "cap", "remote"].includes(start.colour) ? start.colour : "class";
$("any").checked = start.instance === "all";
if (/^\d+$/.test(start.instance ?? "")) $("instance").value = start.instance;
$("follow").checked = start.follow;
if (start.strips) stripsBy(start.strips);
if (start.tab && document.getElementById(`tab-${start.tab}`)) inspector.show(start.tab);
select(focus);
if (start.observer && start.target) {
  inspector.why = { observer: start.observer, target: start.target };
  $("why-observer").value = start.observer;
  $("why-target").value = start.target;
}
if (!map.points.gl) refuse("This browser has no WebGL2: points can not be drawn. The inspector, tables and strips work.");

function draw(now) {
  map.draw(Math.min((now - glideFrom) / GLIDE_MS, 1));
  requestAnimationFrame(draw);
}
requestAnimationFrame(draw);

// For tests.
window.pharos = { map, keys, ask, askQuietly, refuse, asked, inspector, kept, strips, receive, decode, select, chooseNear, get shown() { return shown; }, get hello() { return hello; }, get state() { return state; },
  get frames() { return frames; }, get lost() { return lost; }, get decodeMs() { return decodeMs; }, get link() { return link; } };
