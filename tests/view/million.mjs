// A million entities in chromium: a heat map that counts all, a sample of always the same ids, at most 100,000; frames go on
// while it ticks, and the tab keeps its bound; and a page that drops its frames. Times are printed, and none is asserted.
// usage: node million.mjs MODULES CHROMIUM PHAROS-REPLAY PHAROS-VIEW;  VIEW_PICTURES=FOLDER keeps what it looks like;
// VIEW_SECONDS=N: beside no browser alone, so long, in turns, from a tick on by which key images are seldom
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { frames, inBrowser, open, picture, processorMs, start, stop } from "./pharos_view.mjs";

const MANY = 1000000, SIDE = 10000, TICKS = 1200, MOVES = 100, POINTS_MAX = 100000, CELLS = 64, FRAMES = 10, PIECE = 10000;
const SETTINGS = ["--set", `world_size=${SIDE},${SIDE}`, "--set", "tower_size=100", "--set", "view=12", "--set", "shards=2,2", "--set", "workers=2", "--set", `entities_max=${MANY}`];

// Two towns in a plain; some walk in each tick.
function makeTrace(path) {
  const file = openSync(path, "w"), step = 7919;
  let lines = ["tick,op,id,x,y"];
  const place = (i) => {
    const [u, v] = [(i * step) % MANY / MANY, (i * 104729) % MANY / MANY], far = 1500 * Math.sqrt(u), turn = 2 * Math.PI * v;
    if (i % 3 === 0) return [u * SIDE, v * SIDE];
    return [(i % 3 === 1 ? 3000 : 7000) + far * Math.cos(turn), (i % 3 === 1 ? 3500 : 6500) + far * Math.sin(turn)];
  };
  const row = (tick, op, id, x, y) => {
    lines.push(`${tick},${op},${id},${x.toFixed(1)},${y.toFixed(1)}`);
    if (lines.length < PIECE) return;
    writeSync(file, `${lines.join("\n")}\n`);
    lines = [];
  };
  for (let i = 0; i < MANY; i++) row(1, "enter", i + 1, ...place(i));
  for (let tick = 2; tick <= TICKS; tick++) for (let i = 0; i < MOVES; i++) { const [x, y] = place(i * 97); row(tick, "move", i * 97 + 1, Math.min(x + tick, SIDE), y); }
  writeSync(file, `${lines.join("\n")}\n`);
  closeSync(file);
}

await inBrowser(async (browser, folder) => {
  const trace = join(folder, "million.csv");
  makeTrace(trace);
  const one = await start("--trace", trace, "--unpack-max", "1G", "--at", process.env.VIEW_SECONDS ? "400" : "1", "--paused", ...SETTINGS);
  // What the program does beside no browser that draws.
  const dropping = join(dirname(fileURLToPath(import.meta.url)), "drop_frames.py"), seconds = process.env.VIEW_SECONDS ?? "1";
  console.log(execFileSync("python3", [dropping, one.address, String(one.program.pid), seconds, process.env.VIEW_SECONDS ? "3" : "1"], { encoding: "utf8" }).trim());
  if (process.env.VIEW_SECONDS) return stop(one);
  const page = await open(browser, one.address, "&layers=points,density,shards");
  await page.waitForFunction(({ MANY, CELLS }) => window.pharos.shown.entities === MANY && window.pharos.shown.grid.cells === CELLS && window.pharos.shown.rect.stride > 1, { MANY, CELLS });
  const slots = () => page.evaluate(() => { const { points, grid, rect } = window.pharos.shown; return { slots: [...points.slots], counted: grid.counts.reduce((a, b) => a + b, 0), matched: rect.matched, stride: rect.stride }; });
  const before = await slots();
  assert.deepEqual([before.counted, before.matched], [MANY, MANY]);
  assert(before.slots.length <= POINTS_MAX && before.slots.length > MANY / before.stride * 0.9, before.slots.length);
  // Most of the map is heat: the sample's points do not cover it.
  const covered = await page.evaluate(() => { const { map } = window.pharos; map.draw(1); return map.points.lit() / (map.view.width * map.view.height); });
  assert(covered > 0.05 && covered < 0.6, `points cover ${covered} of the map`);
  await page.click("#play");
  await page.waitForFunction(() => !window.pharos.state.paused && window.pharos.shown.tick > 2);
  const now = () => page.evaluate(() => [performance.now(), window.pharos.frames, window.pharos.shown.tick]);
  const costsBefore = processorMs(), begin = await now();
  await frames(page, FRAMES);
  const end = await now(), over = await page.evaluate(() => window.pharos.state.over);
  const costsAfter = processorMs(), ofFrame = (name) => ((costsAfter[name] - costsBefore[name]) / (end[1] - begin[1])).toFixed(0);
  const after = await slots();
  assert(!over && end[2] - begin[2] >= end[1] - begin[1], `frames of a world that runs: from tick ${begin[2]} to ${end[2]}`);
  assert(Math.abs(after.counted - MANY) <= MOVES, `${after.counted} are counted`); // in parts of several ticks: who went to another shard may count twice
  const same = new Set(before.slots), kept = after.slots.filter((slot) => same.has(slot)).length;
  assert(after.stride !== before.stride || kept >= before.slots.length * 0.99, `${kept} of ${before.slots.length} ids stay in the sample`); // who goes to another shard has another slot
  // At a usual size all of the header is seen.
  await page.setViewportSize({ width: 1280, height: 800 });
  await frames(page, 2);
  const hidden = await page.evaluate(() => { const header = document.querySelector("header"), { right, bottom } = header.getBoundingClientRect(); return [...header.children].filter((one) => { const box = one.getBoundingClientRect(); return one.textContent && (box.right > right || box.bottom > bottom || one.scrollWidth > one.clientWidth + 1); }).map((one) => one.id); });
  assert.deepEqual(hidden, [], "parts of the header are cut");
  await picture(page, "million");
  const told = await page.evaluate(() => { const { shown, decodeMs, kept } = window.pharos; return { fillMs: shown.fillNs / 1e6, tickMs: shown.tickMs, decodeMs, bytes: kept.frames.at(-1).buffer.byteLength, heap: performance.memory.usedJSHeapSize }; });
  console.log(`${MANY} entities: ${before.slots.length} drawn, 1 of ${before.stride}; ${((end[1] - begin[1]) * 1000 / (end[0] - begin[0])).toFixed(1)} frames and ${((end[2] - begin[2]) * 1000 / (end[0] - begin[0])).toFixed(1)} ticks a second; ` +
    `a frame of ${told.bytes} bytes: ${told.fillMs.toFixed(1)} ms to fill, ${told.decodeMs.toFixed(1)} ms to decode; tab ${(told.heap / 1048576).toFixed(0)} MiB`);
  console.log(`of the processor a frame and its ticks take ${ofFrame("program")} ms of the program, ${ofFrame("page")} ms of the page, ${ofFrame("drawing")} ms to draw it, ${ofFrame("others")} ms of the browser's others`);
  await page.close();
  await stop(one);
});
