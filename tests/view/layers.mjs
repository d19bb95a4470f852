// Each layer of the page, each colour, and each rule that an inspector tells, in chromium: on a stage where each of them has
// an entity of its own. Pixels are read where the trace put the entities; a layer that is off is not there.
// usage: node layers.mjs MODULES CHROMIUM PHAROS-REPLAY PHAROS-VIEW;  VIEW_PICTURES=FOLDER keeps what the states look like
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { COLOURS, heat } from "../../src/view/page/palette.js";
import { inBrowser, open, picture, replay, start, stop, text } from "./pharos_view.mjs";

const LOOK_MS = 60000;
const YELLOW = [0xf0, 0xe4, 0x42], GREEN = [0, 0x9e, 0x73], PINK = [0xcc, 0x79, 0xa7], BLUE = [0x56, 0xb4, 0xe9], ORANGE = [0xd5, 0x5e, 0];
const TOWER = [0x23, 0x2a, 0x33], BORDER = [0x8a, 0x97, 0xa8], CROSS = [0xb9, 0xc2, 0xcd];
const CLASSES = { default: 0, player: 1, npc: 2, ghost: 3, crier: 4 };
const CONFIG = `world_size = {800, 800}
tower_size = 50
shards = {2, 2}
entities_max = 1000
share_min = 0
crowd_entities = 30
crowd_floor = 0.25
activation_span = 1
class player { view = 60 margin = 10 wakes = true
  band { radius = 20 every = 1 } band { radius = 75 every = 4 } }
class npc { sleeps = true }
class ghost { veiled = true }
class crier { reach = 150 }
`;
const CROWD = { x: 600, y: 600, first: 201, count: 60 }, INSTANCE = 3, DUNGEON = [61, 62, 63, 64, 65], LAST = 120;

// ---- the stage ----

// tick, op, id, then columns by name
function makeStage(path) {
  const columns = ["tick", "op", "id", "x", "y", "kind", "other", "cap", "view", "visible", "ready", "instance", "remote", "radius", "x2", "y2", "corners", "follow"];
  const lines = [columns.join(",")];
  const row = (tick, op, id, more = {}) => lines.push(columns.map((name) => ({ tick, op, id, ...more })[name] ?? "").join(","));
  const enter = (id, kind, x, y, more = {}) => row(1, "enter", id, { kind, x, y, ...more });
  enter(1, "player", 150, 150, { visible: 90 });
  enter(2, "npc", 162, 150);
  enter(3, "npc", 150, 165);
  row(1, "hide", 1, { other: 3 });
  enter(4, "ghost", 140, 138);
  enter(5, "ghost", 138, 150);
  row(1, "reveal", 1, { other: 5 });
  enter(6, "npc", 500, 150);
  row(1, "link", 1, { other: 6 });
  enter(7, "crier", 250, 100, { cap: 1 });
  enter(8, "player", 60, 250);
  enter(9, "npc", 60, 240);
  row(1, "attach", 9, { other: 8 });
  enter(10, "player", 60, 60, { ready: 0 });
  enter(11, "npc", 150, 205);
  enter(12, "npc", 700, 60, { remote: 1 });
  enter(13, "npc", 390, 300);
  enter(14, "player", 250, 420, { cap: 2 });
  for (const [id, x] of [[15, 240], [16, 260], [17, 250]]) enter(id, "npc", x, 430);
  enter(21, "npc", 300, 200);
  for (const [id, x] of [[22, 120], [23, 125], [24, 130]]) enter(id, "npc", x, 130);
  enter(30, "npc", 250, 700);
  row(1, "area", 1, { x: 100, y: 500, radius: 30 });
  row(1, "area", 2, { x: 0, y: 0, radius: 25, follow: 30 });
  row(1, "area", 3, { x: 60, y: 600, x2: 140, y2: 660 });
  row(1, "area", 4, { corners: "160:600;240:600;200:660" });
  for (const id of DUNGEON) enter(id, "npc", 100 + 10 * id, 400, { instance: INSTANCE });
  enter(200, "player", CROWD.x, CROWD.y - 32);
  for (let i = 0; i < CROWD.count; i++) enter(CROWD.first + i, "npc", CROWD.x - 20 + 5 * (i % 10), CROWD.y - 20 + 7 * Math.floor(i / 10));
  row(3, "enter", 20, { kind: "npc", x: 165, y: 160 });
  row(3, "move", 21, { x: 140, y: 165 });
  row(3, "move", 11, { x: 150, y: 215 });
  row(3, "move", 13, { x: 410, y: 300 });
  row(4, "leave", 22);
  row(4, "hide", 1, { other: 23 });
  row(4, "move", 24, { x: 20, y: 20 });
  row(5, "set", 1, { cap: 4 });
  for (let tick = 2; tick <= LAST; tick++) row(tick, "move", 30, { x: 250 + 4 * tick, y: 700 });
  writeFileSync(path, `${lines.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10) || 0).join("\n")}\n`);
}

// ---- looking ----

// Runs in the page. has: is a pixel of this colour within `near` pixels of a place? ring: on which share of a circle is one?
function makeLooks() {
  // The pixels of a canvas, or of a part of it: what is read back from what draws takes time by its size.
  const data = (name, part) => {
    const canvas = document.getElementById(name), copy = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const { left, top, width, height } = part ?? { left: 0, top: 0, width: canvas.width, height: canvas.height };
    copy.canvas.width = width;
    copy.canvas.height = height;
    if (name === "points") window.pharos.map.points.draw(window.pharos.map.view, 1, window.pharos.map.layers.points);
    copy.drawImage(canvas, -left, -top);
    return { left, top, width, height, data: copy.getImageData(0, 0, width, height).data };
  };
  const find = (image, x, y, colour, near) => {
    const [px, py] = window.pharos.map.toScreen(x, y).map(Math.floor), { left, top, width, height, data } = image;
    for (let row = Math.max(py - top - near, 0); row <= Math.min(py - top + near, height - 1); row++)
      for (let column = Math.max(px - left - near, 0); column <= Math.min(px - left + near, width - 1); column++) {
        const at = 4 * (row * width + column);
        if (data[at + 3] > 60 && colour.every((value, i) => Math.abs(data[at + i] - value) < 28)) return true;
      }
    return false;
  };
  const around = (x, y, near) => { const [px, py] = window.pharos.map.toScreen(x, y).map(Math.floor); return { left: px - near, top: py - near, width: 2 * near + 1, height: 2 * near + 1 }; };
  window.looks = {
    has: ({ canvas, x, y, colour, near = 1 }) => find(data(canvas, around(x, y, near)), x, y, colour, near),
    empty: ({ x, y }) => data("points", around(x, y, 0)).data[3] === 0,
    ring: ({ canvas = "over", x, y, radius, colour }) => {
      const image = data(canvas), MANY = 180;
      let found = 0;
      for (let i = 0; i < MANY; i++) found += find(image, x + radius * Math.cos((i * 2 * Math.PI) / MANY), y + radius * Math.sin((i * 2 * Math.PI) / MANY), colour, 1);
      return found / MANY;
    },
    path: ({ canvas, from, to, colour }) => {
      const image = data(canvas), MANY = 100;
      let found = 0;
      for (let i = 10; i < MANY - 10; i++) found += find(image, from[0] + ((to[0] - from[0]) * i) / MANY, from[1] + ((to[1] - from[1]) * i) / MANY, colour, 1);
      return found / (MANY - 20);
    },
  };
}

// Waits until a look is as it should be; its words are the reason if it never is.
async function until(page, words, look, given) {
  try {
    return await (await page.waitForFunction(look, given, { timeout: LOOK_MS })).jsonValue();
  } catch (error) {
    await page.screenshot({ path: process.env.VIEW_PICTURES ? join(process.env.VIEW_PICTURES, "layers_failed.png") : undefined });
    throw new Error(`never: ${words}: ${error.message}`);
  }
}

const has = (page, words, given) => until(page, words, (given) => window.looks.has(given), given);
const hasNot = (page, words, given) => until(page, `not ${words}`, (given) => !window.looks.has(given), given);
const least = (page, words, look, given, low, high = 1) => until(page, words, ([look, given, low, high]) => { const share = window.looks[look](given); return share >= low && share <= high; }, [look, given, low, high]);

async function layer(page, name, shown) {
  await page.evaluate(([name, shown]) => { const box = document.getElementById(`layer-${name}`); if (box.checked !== shown) box.click(); }, [name, shown]);
}

// A look with the layer, and without it.
async function both(page, name, words, given) {
  await layer(page, name, true);
  await has(page, words, given);
  await layer(page, name, false);
  await hasNot(page, words, given);
}

const look = (page, x, y, scale) => page.evaluate(([x, y, scale]) => { window.pharos.map.look({ x, y, scale }); }, [x, y, scale]);
const colourBy = (page, name) => page.selectOption("#colour", name);
const point = (page, id, x, y, colour) => has(page, `${id} in colour ${colour}`, { canvas: "points", x, y, colour: COLOURS[colour] });
const tab = (page, name, words, pattern) => page.click(`#tab-${name}`).then(() => until(page, words, (source) => new RegExp(source).test(document.getElementById("panel").innerText), pattern.source));
const texts = (page) => page.evaluate(() => { const { map } = window.pharos, told = [], say = map.over.fillText; map.over.fillText = function (text, ...at) { told.push(text); return say.call(this, text, ...at); }; map.dirty = true; map.draw(1); map.over.fillText = say; return told; });

async function choose(page, id) {
  await page.evaluate((id) => window.pharos.select(id), String(id));
  await until(page, `${id} is chosen`, (id) => window.pharos.shown.focus?.id === id && window.pharos.shown.focus.found, String(id));
}

async function step(page, tick) {
  while (await page.evaluate((tick) => window.pharos.shown.tick < tick, tick)) {
    const at = await page.evaluate(() => window.pharos.shown.tick);
    await page.click("#step");
    await until(page, `tick ${at + 1}`, (at) => window.pharos.shown.tick > at, at);
  }
}

// ---- what can be seen ----

async function checkColours(page) {
  await page.evaluate(() => window.pharos.map.fit());
  for (const [id, kind, x, y] of [[1, "player", 150, 150], [6, "npc", 500, 150], [7, "crier", 250, 100]]) await point(page, id, x, y, CLASSES[kind]);
  await colourBy(page, "awake"); // 6 has no player near
  for (const [id, x, y, colour] of [[2, 162, 150, 2], [1, 150, 150, 1], [6, 500, 150, 7]]) await point(page, id, x, y, colour);
  await colourBy(page, "cap");
  for (const [id, x, y, colour] of [[14, 250, 420, 5], [1, 150, 150, 2], [6, 500, 150, 7]]) await point(page, id, x, y, colour);
  await colourBy(page, "number"); // 14 has three near, 200 a crowd; 6 and 10 do not observe
  for (const [id, x, y, colour] of [[10, 60, 60, 7], [14, 250, 420, 0], [200, CROWD.x, CROWD.y - 32, 3], [6, 500, 150, 7]]) await point(page, id, x, y, colour);
  await colourBy(page, "remote");
  for (const [id, x, y, colour] of [[12, 700, 60, 5], [6, 500, 150, 7]]) await point(page, id, x, y, colour);
  await colourBy(page, "shard");
  const apart = await until(page, "four shards", () => { const { map } = window.pharos; return map.columns?.length === 2 && map.rows.length === 2 && map.points.count > 0 && map.points.tints.slice(0, map.points.count); });
  assert.equal(new Set(Object.values(apart)).size, 4, "each shard has a colour");
  await colourBy(page, "crowd");
  const shrunk = await until(page, "a shrunk view", () => { const { steps, bits } = window.pharos.shown.points; return [...steps].map((step, i) => [step & 31, bits[i] & 1]).filter(([step]) => step > 0); });
  assert(shrunk.length === 1 && shrunk[0][1] === 1, shrunk);
  await point(page, 200, CROWD.x, CROWD.y - 32, shrunk[0][0] < 6 ? 3 : shrunk[0][0] < 11 ? 1 : 5);
  await choose(page, 200);
  await tab(page, "attributes", "its step", new RegExp(`shrunk by ${shrunk[0][0]} of 16`));
  const ring = { x: CROWD.x, y: CROWD.y - 32, radius: 60, colour: ORANGE };
  await look(page, CROWD.x, CROWD.y, 3);
  await least(page, "the view that was given, dotted", "ring", ring, 0.3);
  await picture(page, "layers_crowd");
  await page.evaluate(() => window.pharos.select("0"));
  await colourBy(page, "class");
}

// Discs observe, others are squares; a hole: veiled; a diamond: attached; a cross: not ready.
async function checkShapes(page) {
  for (const name of ["rings", "lines", "near"]) await layer(page, name, false);
  const nowhere = (words, x, y) => until(page, words, (at) => window.looks.empty(at), { x, y });
  await look(page, 150, 150, 4);
  await point(page, 4, 140 - 0.6, 138, CLASSES.ghost);
  await nowhere("a hole in 4", 140, 138);
  await nowhere("no corner of the disc 1", 150 + 5 / 4, 150 + 5 / 4);
  await until(page, "corners of the square 2", (at) => !window.looks.empty(at), { x: 162 + 2.4 / 4, y: 150 + 2.4 / 4 });
  await look(page, 60, 60, 4);
  await nowhere("no right of the cross 10", 60 + 2.2 / 4, 60);
  await until(page, "the middle of the cross 10", (at) => !window.looks.empty(at), { x: 60, y: 60 });
  await page.evaluate(() => window.pharos.map.fit());
  await until(page, "one is attached", () => [...window.pharos.shown.points.bits].filter((bits) => bits & 16).length === 1);
  await look(page, 60, 250, 4); // an attached one is where its parent is
  const pixel = (words, off, kind) => has(page, words, { canvas: "points", x: 60 + off / 4, y: 250 + off / 4, colour: COLOURS[CLASSES[kind]], near: 0 });
  await pixel("the middle of the diamond 9", 0, "npc");
  await pixel("no corner of the diamond 9 on the disc 8", 2.6, "player");
  await page.evaluate(() => window.pharos.map.fit());
  for (const name of ["rings", "lines", "near"]) await layer(page, name, true);
}

async function checkGround(page) {
  await both(page, "points", "a point", { canvas: "points", x: 700, y: 60, colour: COLOURS[CLASSES.npc] });
  await layer(page, "points", true);
  for (const name of ["shards", "areas"]) await layer(page, name, false); // they are drawn above it
  for (const name of ["density", "cost"]) {
    await layer(page, name, true);
    await until(page, `${name}: the crowd's cell is the lightest`, ([name, lightest, x, y]) => {
      const { grid, rect } = window.pharos.shown, values = name === "density" ? grid.counts : grid.costs;
      if (!grid.cells) return false;
      const most = values.indexOf(values.reduce((a, b) => Math.max(a, b), 0)), at = [0.5 + (most % grid.cells), 0.5 + Math.floor(most / grid.cells)];
      const place = [rect.x0 + (at[0] * (rect.x1 - rect.x0)) / grid.cells, rect.y0 + (at[1] * (rect.y1 - rect.y0)) / grid.cells];
      return Math.hypot(place[0] - x, place[1] - y) < 120 && window.looks.has({ canvas: "base", x: place[0], y: place[1], colour: lightest, near: 0 });
    }, [name, heat(1), CROWD.x, CROWD.y]);
    await picture(page, `layers_${name}`);
    await layer(page, name, false);
    await hasNot(page, name, { canvas: "base", x: CROWD.x, y: CROWD.y, colour: heat(1), near: 12 });
  }
  await both(page, "towers", "a tower's border", { canvas: "base", x: 350, y: 375, colour: TOWER });
  const border = await page.evaluate(() => { const { world } = window.pharos.hello, [shard] = window.pharos.shown.shards; return { x: world.x + (shard.x1 + 1) * world.towerSize, y: world.y + (shard.y1 + 1) * world.towerSize, halo: shard.haloTowers * world.towerSize }; });
  await both(page, "shards", "a shard's border", { canvas: "base", x: border.x, y: 330, colour: BORDER });
  assert(border.halo > 0, border);
  await layer(page, "halo", true);
  await least(page, "halo of shard 0, dashed", "path", { canvas: "base", from: [border.x + border.halo, 0], to: [border.x + border.halo, border.y - border.halo - 5], colour: COLOURS[0] }, 0.3, 0.95);
  await layer(page, "halo", false);
  await both(page, "areas", "an edge of a box", { canvas: "base", x: 60, y: 630, colour: GREEN });
  await layer(page, "areas", true);
  await has(page, "an edge of a polygon", { canvas: "base", x: 200, y: 600, colour: GREEN });
  await least(page, "a circle", "ring", { canvas: "base", x: 100, y: 500, radius: 30, colour: GREEN }, 0.9);
  await layer(page, "shards", true);
}

const bard = (tick) => 250 + 4 * Math.max(tick, 0);
async function checkFollow(page, tick) {
  await look(page, tick > 1 ? bard(tick) : 250, 700, 3);
  const given = { canvas: "base", x: tick > 1 ? bard(tick) : 250, y: 700, radius: 25, colour: PINK };
  await least(page, `the area that follows, dashed, at tick ${tick}`, "ring", given, 0.3);
}

async function checkFocus(page) {
  await choose(page, 1);
  await look(page, 150, 150, 1.3);
  const at = { x: 150, y: 150 };
  await page.evaluate(() => document.getElementById("layer-areas").click());
  await least(page, "view", "ring", { ...at, radius: 60, colour: YELLOW }, 0.9);
  await least(page, "view and margin, dashed", "ring", { ...at, radius: 70, colour: YELLOW }, 0.3, 0.97);
  await least(page, "visible, dashed", "ring", { ...at, radius: 90, colour: PINK }, 0.3);
  for (const radius of [20, 75]) await least(page, `band ${radius}, dotted`, "ring", { ...at, radius, colour: BLUE }, 0.2);
  await picture(page, "layers_focus");
  const reasons = await page.evaluate(() => Object.fromEntries(Object.entries(window.pharos.hello.world.reasons).map(([number, { short }]) => [short, Number(number)])));
  const line = (name, to) => ({ canvas: "over", from: [150, 150], to, colour: COLOURS[reasons[name] % COLOURS.length] });
  for (const [name, to] of [["link", [500, 150]], ["reach", [250, 100]], ["view", [150, 205]]]) await least(page, `a line: ${name}`, "path", line(name, to), 0.2);
  await layer(page, "lines", false);
  await least(page, "no line", "path", line("link", [500, 150]), 0, 0.1);
  await layer(page, "rings", false);
  await least(page, "no ring", "ring", { ...at, radius: 60, colour: YELLOW }, 0, 0.2);
  for (const [id, x, y, why] of [[3, 150, 165, "hidden from the observer"], [4, 140, 138, "is veiled"]]) {
    await has(page, `a cross on ${id}`, { canvas: "over", x: x + 4 / 1.3, y: y + 4 / 1.3, colour: CROSS });
    const box = await page.locator("#over").boundingBox(), [px, py] = await page.evaluate(([x, y]) => window.pharos.map.toScreen(x, y), [x, y]);
    await page.mouse.move(box.x + px, box.y + py);
    await until(page, `why not ${id}`, ([id, why]) => document.getElementById("hover").textContent.startsWith(`${id}: `) && document.getElementById("hover").textContent.includes(why), [id, why]);
  }
  await page.mouse.move(0, 0);
  await tab(page, "near", "hides and veils", /3\s+15\s+the target is hidden[^]*4\s+15\.62\s+the target is veiled|4\s+15\.62\s+the target is veiled[^]*3\s+15\s+the target is hidden/);
  await layer(page, "near", false);
  await hasNot(page, "a cross", { canvas: "over", x: 150 + 4 / 1.3, y: 165 + 4 / 1.3, colour: CROSS });
  await tab(page, "sees", "bands and reasons", /2\s+▬ view\s+12\s+band 0, in 0[^]*11\s+▬ view\s+55\s+band 1, in [0-3]/);
  await tab(page, "sees", "a revealed one, and a reach", /5\s+▬ view\s+12\s+band 0/);
  for (const name of ["lines", "rings", "near", "areas"]) await layer(page, name, true);
}

// Each cause has one event, and the border of a shard one migration.
async function checkCauses(page) {
  await tab(page, "events", "no event yet", /No target has entered/);
  await step(page, 2);
  await step(page, 3);
  await page.evaluate(() => window.pharos.map.fit());
  const told = await texts(page);
  assert(told.some((text) => /^1 went/.test(text)), `one that went over a border: ${told}`);
  await tab(page, "events", "who came", /3\s+\+\s+20\s+appeared/);
  await tab(page, "events", "who came", /3\s+\+\s+21\s+came/);
  await tab(page, "sees", "a margin", /11\s+▬ margin\s+65/);
  await step(page, 4);
  for (const row of [/4\s+-\s+22\s+gone/, /4\s+-\s+23\s+hidden/, /4\s+-\s+24\s+range/]) await tab(page, "events", `who left: ${row}`, row);
  await step(page, 5);
  await step(page, 6);
  await tab(page, "events", "who is below the cap", /[56]\s+-\s+\d+\s+outranked/);
  await picture(page, "layers_causes");
  await checkFollow(page, 6);
}

async function checkInstances(page) {
  await page.evaluate(() => window.pharos.map.fit());
  await until(page, "the whole world", (rest) => window.pharos.shown.points.count === window.pharos.shown.entities - rest, DUNGEON.length);
  const all = await page.evaluate(() => window.pharos.shown.entities);
  await page.fill("#instance", String(INSTANCE));
  await page.press("#instance", "Enter");
  await until(page, `instance ${INSTANCE}`, ([instance, count]) => window.pharos.shown.rect.instance === instance && window.pharos.shown.points.count === count, [INSTANCE, DUNGEON.length]);
  await point(page, DUNGEON[0], 100 + 10 * DUNGEON[0], 400, CLASSES.npc);
  await picture(page, "layers_instance");
  await page.check("#any");
  await until(page, "all instances", (all) => window.pharos.shown.points.count === all, all);
  await page.uncheck("#any");
  await page.fill("#instance", "0");
  await page.press("#instance", "Enter");
  await until(page, "instance 0", (count) => window.pharos.shown.points.count === count, all - DUNGEON.length);
}

// By the form, which has each live key exactly.
async function setKey(page, name, value) {
  await page.selectOption('select[aria-label="key"]', name);
  await page.fill('input[aria-label="value"]', value);
  await page.press('input[aria-label="value"]', "Enter");
  await step(page, (await page.evaluate(() => window.pharos.shown.tick)) + 2);
}

// A slider of a live key shows ticks, events and lists before and after.
async function checkKeys(page) {
  await page.evaluate(() => { document.getElementById("keys").open = true; });
  const slide = (value) => page.evaluate((value) => { const slider = document.querySelector('input[aria-label="crowd_entities"]'); slider.value = value; slider.dispatchEvent(new Event("change")); }, String(value));
  const effect = () => page.evaluate(() => Object.fromEntries([...document.querySelectorAll("#key-effect tr")].slice(1).map((row) => { const [name, ...numbers] = [...row.cells].slice(0, 3).map((one) => one.textContent); return [name, numbers.map((text) => Number(text.replaceAll(",", "")))]; })));
  const at = await page.evaluate(() => window.pharos.shown.tick);
  await slide(0);
  assert.equal(Object.keys(await effect()).length, 0, "no effect before a tick has it");
  await step(page, at + 3);
  await until(page, "the key", () => window.pharos.shown.keys.crowd_entities === 0);
  const { "list entries": lists, "events a tick": events, "tick p99, ms": p99 } = await effect();
  assert(lists[1] > lists[0], `the crowd's observer sees more without crowd control: ${lists}`);
  assert(events.length === 2 && events[1] > 0 && p99.length === 2 && p99.every((ms) => ms > 0), [events, p99]);
  assert.deepEqual(await page.evaluate(() => window.pharos.strips.changes.length), 1, "a line in the strips");
  const drawn = await page.evaluate(() => [...document.querySelectorAll("#key-effect canvas")].map(({ width, height, getContext }, i, all) => { const { data } = all[i].getContext("2d").getImageData(0, 0, width, height); return [[0x56, 0xb4, 0xe9], [0xe6, 0x9f, 0], [255, 255, 255]].map((colour) => { for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 60 && colour.every((value, c) => Math.abs(data[at + c] - value) < 28)) return true; return false; }); }));
  assert.deepEqual([drawn.length, drawn[0], drawn[2]], [3, [true, true, true], [true, true, true]], "ticks and lists before and after, tick by tick");
  // The colour by the number in view goes by the views of now: with a short one 14 has none around.
  const setView = async (view, colour) => {
    await page.evaluate((value) => window.pharos.link.send({ type: "set", key: "player.view", value }), String(view));
    await step(page, (await page.evaluate(() => window.pharos.shown.tick)) + 2);
    await until(page, `a view of ${view}`, (view) => window.pharos.hello.world.classes[1].view === view, view);
    await point(page, 14, 250, 420, colour);
  };
  await page.evaluate(() => window.pharos.map.fit());
  await colourBy(page, "number");
  await setView(5, 6);
  await setView(60, 0);
  await colourBy(page, "class");
  // Rings of bands go by the key of now, too.
  await choose(page, 1);
  await look(page, 150, 150, 1.3);
  for (const [value, now, before] of [["40:1,55:2", [40, 55], [20, 75]], ["20:1,75:4", [20, 75], [40, 55]]]) {
    await page.evaluate((value) => window.pharos.link.send({ type: "set", key: "player.band", value }), value);
    await step(page, (await page.evaluate(() => window.pharos.shown.tick)) + 2);
    await until(page, `bands ${value}`, (radius) => window.pharos.hello.world.classes[1].bands[0].radius === radius, now[0]);
    for (const radius of now) await least(page, `band ${radius} of the key`, "ring", { x: 150, y: 150, radius, colour: BLUE }, 0.2);
    for (const radius of before) await least(page, `no band ${radius} any more`, "ring", { x: 150, y: 150, radius, colour: BLUE }, 0, 0.1);
  }
  // So do rings by the shape of now. The world's keys stand in the form, beyond a slider's end, too.
  const side = { canvas: "over", from: [90, 210], to: [210, 210], colour: YELLOW };
  await least(page, "a round view", "path", side, 0, 0.5);
  await setKey(page, "shape", "square");
  await least(page, "a square view", "path", side, 0.9);
  await setKey(page, "shape", "circle");
  await least(page, "a round view again", "ring", { x: 150, y: 150, radius: 60, colour: YELLOW }, 0.9);
  for (const [name, value] of [["broadcast_bytes", 70001], ["activation_linger", 100001]]) {
    await setKey(page, name, String(value));
    await until(page, `${name} by the form`, ([name, value]) => window.pharos.shown.keys[name] === value, [name, value]);
  }
  await page.evaluate(() => { window.pharos.select("0"); window.pharos.map.fit(); });
  await page.evaluate(() => window.pharos.link.send({ type: "set", key: "span", value: "nonsense" }));
  await until(page, "a refusal", () => /span/.test(document.getElementById("notice").textContent));
  await picture(page, "layers_keys");
}

// Looking back shows no answer of another tick.
async function checkBack(page) {
  await choose(page, 1);
  await page.click("#tab-near");
  await until(page, "some are near", () => window.pharos.map.near.length > 0);
  await page.evaluate(() => document.getElementById("map").focus());
  const tick = await page.evaluate(() => window.pharos.shown.tick);
  while (await page.evaluate((tick) => window.pharos.shown.tick === tick, tick)) await page.keyboard.press(",");
  assert.equal(await page.evaluate(() => window.pharos.map.near.length), 0);
  assert.match(await page.evaluate(() => document.getElementById("panel").textContent), /of the live tick/);
  await page.keyboard.press("l");
  await until(page, "crosses again", () => window.pharos.map.near.length > 0);
}

// Without points nothing carries the crosses along: with each frame the page asks for each that is not of its tick, and answers come.
async function checkMarks(page) {
  const FRAMES = 25;
  await layer(page, "points", false);
  await until(page, "no points", () => window.pharos.shown.points.count === 0);
  await choose(page, 1);
  await page.click("#play");
  await until(page, "crosses", () => window.pharos.map.near.length > 0 && !window.pharos.state.paused);
  const first = await page.evaluate(() => window.pharos.map.near[0].tick);
  const { looks, silent } = await page.evaluate((FRAMES) => new Promise((told) => {
    const { map } = window.pharos, until = window.pharos.frames + FRAMES;
    let looks = 0, silent = 0;
    const look = () => {
      looks += map.near.length;
      silent += map.near.filter((one) => !one.asked && one.tick !== map.frame.tick).length;
      if (window.pharos.frames < until) requestAnimationFrame(look);
      else told({ looks, silent });
    };
    look();
  }), FRAMES);
  assert(looks > FRAMES, "crosses in each frame");
  assert.equal(silent, 0, "crosses that were not asked for");
  await until(page, "later crosses", (first) => window.pharos.map.near.some((one) => one.tick > first), first);
  await page.click("#play");
  await until(page, "a pause", () => window.pharos.state.paused);
  await layer(page, "points", true);
}

// ---- a tab that sleeps ----

async function checkSleep(page) {
  await page.click("#play");
  await until(page, "it runs", () => !window.pharos.state.paused);
  const state = (hidden) => page.evaluate((hidden) => { Object.defineProperty(document, "hidden", { value: hidden, configurable: true }); document.dispatchEvent(new Event("visibilitychange")); return window.pharos.frames; }, hidden);
  const before = await state(true), from = await page.evaluate(() => window.pharos.state.at);
  await until(page, "ticks go on", (from) => window.pharos.state.at > from + 15, from);
  const after = await page.evaluate(() => window.pharos.frames);
  assert(after - before <= 3, `${after - before} frames for a hidden page`);
  const seen = await state(false);
  await until(page, "frames again", (seen) => window.pharos.frames > seen + 2, seen);
}

// ---- a world of its own: levels, more classes than a frame has, another time ----

const MANY = 3000, SOME_TICKS = 60; // a frame has 2,048 classes
const LEVELS = `world_size = {800, 800}
tower_size = 50
entities_max = 100
class scout { view = 100 detect = 1 }
class thief { stealth = 2 }
${Array.from({ length: MANY }, (_, i) => `class c${i} { view = ${i / 10} }`).join("\n")}
`;
const THIEF = [430, 400], SNEAK = [400, 430];

// 1, a scout, has a thief and 3, of some stealth, around it; 4 comes and goes.
function makeLevels(path) {
  const lines = ["tick,op,id,x,y,kind,stealth", "1,enter,1,400,400,scout,", `1,enter,2,${THIEF},thief,`, `1,enter,3,${SNEAK},default,1`, "1,enter,4,700,700,default,"];
  for (let tick = 2; tick <= SOME_TICKS; tick++) lines.push(`${tick},move,4,${tick % 2 === 0 ? "430,430" : "700,700"},,`);
  writeFileSync(path, `${lines.join("\n")}\n`);
}

// A pause draws nothing anew, though each frame has other classes than the one before.
async function checkStill(page) {
  const FRAMES = 12;
  await until(page, "it has come to rest", (FRAMES) => {
    const { map, frames } = window.pharos, since = (window.stillSince ??= { pictures: -1 });
    if (since.pictures !== map.pictures) Object.assign(since, { pictures: map.pictures, frames });
    return frames - since.frames >= FRAMES;
  }, FRAMES);
  const wrong = await page.evaluate((MANY) => Array.from({ length: MANY }, (_, i) => i).filter((i) => Math.fround(window.pharos.hello.world.classes[3 + i].view) !== Math.fround(i / 10)), MANY);
  assert.deepEqual(wrong, [], "classes of another view");
}

async function checkLevels(page) {
  await page.evaluate(() => window.pharos.map.fit());
  await colourBy(page, "levels");
  await point(page, 2, ...THIEF, 5);
  await point(page, 3, ...SNEAK, 5);
  await choose(page, 1);
  for (const name of ["rings", "lines", "near"]) await layer(page, name, false);
  await point(page, 2, ...THIEF, 5);
  await point(page, 3, ...SNEAK, 7);
  await until(page, "its legend", () => /stealth above 1, the detect of 1: seen by a reveal alone/.test(document.getElementById("legend").textContent));
  await picture(page, "layers_levels");
}

// Sliders and flags of a class are by its keys of now, and set them.
async function checkClassKeys(page) {
  await page.evaluate(() => { document.getElementById("keys").open = true; });
  const slide = (name, value) => page.evaluate(([name, value]) => { const slider = document.querySelector(`input[aria-label="class ${name}"]`); slider.value = value; slider.dispatchEvent(new Event("change")); }, [name, String(value)]);
  const stands = (name, value) => until(page, `${name} is ${value}`, ([name, value]) => { const input = document.querySelector(`input[aria-label="class ${name}"]`); return (input.type === "checkbox" ? input.checked : Number(input.value)) === value; }, [name, value]);
  const next = async () => step(page, (await page.evaluate(() => window.pharos.shown.tick)) + 2);
  await page.selectOption('select[aria-label="class"]', "scout");
  await stands("view", 100);
  await stands("detect", 1);
  await page.selectOption('select[aria-label="class"]', "thief");
  await stands("stealth", 2);
  await stands("view", 0);
  await slide("stealth", 1);
  await next();
  await stands("stealth", 1);
  await point(page, 2, ...THIEF, 7);
  await page.evaluate(() => document.querySelector('input[aria-label="class veiled"]').click());
  await next();
  await until(page, "a veiled thief", () => [...window.pharos.shown.points.bits].filter((bits) => bits & 64).length === 1);
  await stands("veiled", true);
  await until(page, "what it did", () => /^thief.veiled = true/.test(document.getElementById("key-effect").textContent));
  for (const name of ["wakes", "sleeps"]) {
    await setKey(page, name, String(name === "wakes"));
    await until(page, `what ${name} did`, (name) => document.getElementById("key-effect").textContent.startsWith(`thief.${name} = `), name);
  }
  await page.selectOption('select[aria-label="class"]', "scout");
  await stands("view", 100); // its slider's steps are of this view: with those of 60 it could not stand at 70
  await slide("view", 60);
  await next();
  await until(page, "a shorter ring", () => window.pharos.shown.focus.attrs.view === 60);
  await page.evaluate(() => document.getElementById("key-effect").scrollIntoView({ block: "end" }));
  await picture(page, "layers_class_keys");
  // A key that changed while its slider was held stands there when it is left; a refused value goes back at once.
  await page.evaluate(() => window.pharos.link.send({ type: "set", key: "scout.view", value: "70" }));
  await page.evaluate(() => document.querySelector('input[aria-label="class view"]').focus());
  const at = await page.evaluate(() => { for (let i = 0; i < 2; i++) window.pharos.link.send({ type: "do", what: "step" }); return window.pharos.shown.tick; }); // a click would take the focus
  await until(page, "two ticks", (at) => window.pharos.shown.tick === at + 2, at);
  await until(page, "a longer ring", () => window.pharos.shown.focus.attrs.view === 70 && window.pharos.keys.classKeys.view === 70);
  const held = await page.evaluate(() => { const slider = document.activeElement, before = Number(slider.value); slider.blur(); return [before, Number(slider.value)]; });
  assert.deepEqual(held, [60, 70]);
  await page.evaluate(() => Object.assign(document.querySelector('input[aria-label="class view"]'), { max: 1e30, step: "any" }).focus());
  await slide("view", 1e25);
  await stands("view", 70);
  assert.match(await text(page, "notice"), /view/);
  await page.evaluate(() => document.activeElement.blur());
  // A box stands as it was clicked while a frame of before comes.
  const boxes = await page.evaluate(() => {
    const box = document.querySelector('input[aria-label="class veiled"]'), { kept, receive } = window.pharos, told = [box.checked];
    box.click();
    receive(kept.frames.at(-1).buffer.slice(0));
    return [...told, box.checked];
  });
  assert.deepEqual(boxes, [false, true]);
  await next();
  await stands("veiled", true);
}

// A seek is another time: of the one before nothing is left, and looking back shows nothing that came later.
async function checkSeek(page) {
  await choose(page, 1);
  await page.click("#tab-events");
  await page.fill("#why-observer", "1");
  await page.fill("#why-target", "4");
  await page.press("#why-target", "Enter");
  const seek = async (tick) => {
    await page.evaluate((tick) => window.pharos.link.send({ type: "do", what: "seek", value: tick }), tick);
    await until(page, `tick ${tick}`, (tick) => window.pharos.state.at === tick && window.pharos.shown.tick === tick && window.pharos.kept.frames.length === 1, tick);
  };
  const told = () => page.evaluate(() => [...document.querySelectorAll("#panel tr")].slice(1).map((row) => Number(row.cells[0].textContent)).filter((tick) => tick > 0));
  await seek(30);
  await step(page, 34);
  await until(page, "events", () => document.querySelectorAll("#panel tr").length > 3);
  assert(Math.max(...(await told())) > 32, await told());
  await page.evaluate(() => document.getElementById("map").focus());
  for (let i = 0; i < 2; i++) await page.keyboard.press(",");
  await until(page, "it looks back", () => window.pharos.shown.tick < 34);
  const back = await page.evaluate(() => window.pharos.shown.tick);
  assert((await told()).every((tick) => tick <= back), [back, await told()]);
  await page.keyboard.press("l");
  await seek(10);
  assert.deepEqual([await told(), await page.evaluate(() => window.pharos.inspector.events.length)], [[], 0], "events of the time before");
  assert.equal(await page.evaluate(() => document.getElementById("scrub-note").textContent), "");
  await until(page, "why, at this tick", () => /^(not )?seen/.test(document.getElementById("why-text").textContent));
  await step(page, 12);
  await until(page, "events of this time", () => document.querySelectorAll("#panel tr").length > 2);
  assert((await told()).every((tick) => tick > 10 && tick <= 12), await told());
}

// A browser may take the graphics away: the page says so, and draws again when it has them back.
async function checkGraphics(page) {
  await page.evaluate(() => { window.loser = window.pharos.map.points.gl.getExtension("WEBGL_lose_context"); window.loser.loseContext(); });
  await until(page, "it is told", () => !document.getElementById("notice").hidden && /has taken the graphics/.test(document.getElementById("notice").textContent));
  await picture(page, "layers_no_graphics");
  await step(page, (await page.evaluate(() => window.pharos.shown.tick)) + 1);
  await page.evaluate(() => window.loser.restoreContext());
  await until(page, "points again", () => !window.pharos.map.points.lost && window.pharos.map.rests && window.pharos.map.points.lit() > 0);
  await until(page, "no word of it", () => document.getElementById("notice").hidden);
}

await inBrowser(async (browser, folder) => {
  const [trace, config] = ["stage.csv", "stage.conf"].map((name) => join(folder, name));
  makeStage(trace);
  writeFileSync(config, CONFIG);
  execFileSync(replay, [trace, "--config", config], { stdio: "ignore" }); // no line of it is refused
  const one = await start("--trace", trace, "--config", config, "--at", "1", "--paused", "--allow-set");
  const page = await open(browser, one.address);
  await page.evaluate(makeLooks);
  await page.evaluate(() => window.pharos.map.fit());
  for (const check of [checkColours, checkShapes, checkGround, (page) => checkFollow(page, 1), checkFocus, checkCauses, checkInstances, checkKeys, checkBack, checkMarks, checkSleep]) {
    const begin = Date.now();
    await check(page);
    console.log(`${check.name || "follow"}: ok, ${Date.now() - begin} ms`);
  }
  await page.close();
  await stop(one);
  const [levels, classes] = ["levels.csv", "levels.conf"].map((name) => join(folder, name));
  makeLevels(levels);
  writeFileSync(classes, LEVELS);
  const other = await start("--trace", levels, "--config", classes, "--at", "4", "--paused", "--allow-set");
  const second = await open(browser, other.address);
  await second.evaluate(makeLooks);
  await second.evaluate(() => window.pharos.map.fit());
  for (const check of [checkStill, checkLevels, checkClassKeys, checkSeek, checkGraphics]) {
    const begin = Date.now();
    await check(second);
    console.log(`${check.name}: ok, ${Date.now() - begin} ms`);
  }
  await second.close();
  await stop(other);
});
