// The page in chromium without a screen. A click on a point and "why" give the sentence of pharos-replay --explain; points
// are drawn; a frame of 100,000 points is decoded; memory stays over 2,000 frames; a lost connection comes back; all of it
// works by keyboard; the picture is as it was, about. Times are printed, and none is asserted.
// usage: node browser.mjs MODULES CHROMIUM PHAROS-REPLAY PHAROS-VIEW;  VIEW_PICTURES=FOLDER keeps what the states look like
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { frames, inBrowser, open, picture, replay, start, stop, text } from "./pharos_view.mjs";

const PLACES = 16, STEP = 60, FLAT_FRAMES = 2000, BIG = 100000, CLICK_MS = 30000;
const SETTINGS = ["--set", "view=130", "--set", "margin=10", "--set", "cap=6", "--set", "world_size=1000,1000", "--set", "tower_size=100"];

// ---- a trace: PLACES x PLACES entities, which circle ----

function makeTrace(path) {
  const lines = ["tick,op,id,x,y"];
  for (let tick = 1; tick <= 40; tick++)
    for (let i = 0; i < PLACES * PLACES; i++) {
      const x = 50 + (i % PLACES) * STEP + 12 * Math.cos(tick / 6 + i), y = 50 + Math.floor(i / PLACES) * STEP + 12 * Math.sin(tick / 6 + i);
      lines.push(`${tick},${tick === 1 ? "enter" : "move"},${i + 1},${x.toFixed(3)},${y.toFixed(3)}`);
    }
  writeFileSync(path, `${lines.join("\n")}\n`);
}

function explain(path, observer, target, tick) {
  const said = execFileSync(replay, [path, ...SETTINGS, "--explain", `${observer},${target}@${tick}`], { encoding: "utf8" });
  return said.match(/^tick \d+: observer \d+, target \d+: (.*)$/m)[1];
}

// A click on the point of an id: where the frame has it, found by asking the page for its place.
async function clickId(page, id) {
  const at = await page.evaluate(async (id) => {
    window.pharos.select(id);
    while (!(window.pharos.shown.focus?.id === id && window.pharos.shown.focus.found)) await new Promise((then) => setTimeout(then, 20));
    const { x, y } = window.pharos.shown.focus.attrs;
    window.pharos.select("0");
    while (window.pharos.shown.focus) await new Promise((then) => setTimeout(then, 20));
    window.pharos.map.measure();
    return window.pharos.map.toScreen(x, y);
  }, id);
  const box = await page.locator("#over").boundingBox();
  await page.mouse.click(box.x + at[0], box.y + at[1]);
  await page.waitForFunction((id) => document.getElementById("who").textContent.startsWith(`${id},`), id);
}

// A click counts whatever the page itself has asked, where a notice lies above the map, and when the layout has just changed.
async function checkClicks(page) {
  const choose = async (id, words) => {
    try {
      await page.waitForFunction((id) => document.getElementById("who").textContent.startsWith(`${id},`), id, { timeout: CLICK_MS });
    } catch {
      throw new Error(`a click is lost: ${words}; chosen is ${await text(page, "who")}`);
    }
  };
  const place = (id) => page.evaluate((id) => { const { map } = window.pharos, { x, y } = window.pharos.shown.focus.id === id ? window.pharos.shown.focus.attrs : {}; return x === undefined ? null : [x, y, ...map.toScreen(x, y)]; }, id);
  await clickId(page, "137");
  const at = await place("137");
  await clickId(page, "120");
  await page.evaluate(([x, y]) => {
    const { askQuietly, chooseNear, map } = window.pharos;
    for (let i = 0; i < 500; i++) askQuietly({ kind: "entity", id: "7" }, () => {});
    chooseNear(x, y, 14 / map.view.scale);
  }, at);
  await choose("137", "the page asks much");
  await clickId(page, "120");
  await page.evaluate((at) => {
    const notice = document.getElementById("notice");
    window.pharos.refuse("A notice above the map, and above an entity.");
    notice.style.top = `${at[3] - 20}px`;
    notice.style.left = `${at[2]}px`;
  }, at);
  const box = await page.locator("#over").boundingBox();
  await page.mouse.click(box.x + at[2], box.y + at[3]);
  await choose("137", "a notice is above the map");
  await page.evaluate(() => document.getElementById("notice").removeAttribute("style"));
  await clickId(page, "120");
  await page.evaluate(([x, y]) => { // the map gets lower, and is clicked before a picture of it is drawn
    const { map } = window.pharos, over = document.getElementById("over"), footer = document.querySelector("footer");
    footer.style.paddingTop = "90px";
    const { left, top, height } = over.getBoundingClientRect();
    const px = map.toScreen(x, y)[0], py = (map.view.y - y) * map.view.scale + height / 2;
    for (const type of ["pointerdown", "pointerup"]) over.dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: left + px, clientY: top + py, bubbles: true }));
  }, at);
  await choose("137", "the layout has changed");
  await page.evaluate(() => (document.querySelector("footer").style.paddingTop = ""));
  await page.waitForFunction(() => Math.abs(document.getElementById("map").clientHeight - window.pharos.map.view.height) < 1);
  console.log("clicks count beside the page's own questions, under a notice, and in a new layout");
}

// A mark goes with its point by steps; it does not go with another entity that came to the slot.
async function checkMark(page) {
  await page.waitForFunction(() => window.pharos.map.near.some((one) => one.slot !== undefined));
  const told = await page.evaluate(() => {
    const { map, shown } = window.pharos, mark = map.near.find((one) => one.slot !== undefined), { slot } = mark, i = shown.points.slots.indexOf(slot), told = [];
    const columns = (more) => ({ ...shown, tick: shown.tick + 1, points: { ...shown.points, ...more } });
    const moved = (far) => { const x = shown.points.x.slice(); x[i] += far; return columns({ x }); };
    const place = () => map.toScreen(...map.placeOf(mark)), before = place();
    map.take(moved(Math.round(5 / map.view.scale / (shown.rect.x1 - shown.rect.x0) * 65536)), false); // five pixels
    map.share = 1;
    told.push(["a step", mark.slot === slot, Math.round(place()[0] - before[0])]);
    map.take(shown, false);
    map.take(moved(20000 * (shown.points.x[i] > 32768 ? -1 : 1)), false);
    told.push(["another one's place", mark.slot === undefined, Math.round(Math.hypot(place()[0] - before[0], place()[1] - before[1]))]);
    const kinds = shown.points.kinds.slice();
    map.take(shown, false);
    map.bind(mark, slot);
    kinds[i]++;
    map.take(columns({ kinds }), false);
    told.push(["another kind", mark.slot === undefined, Math.round(place()[0] - before[0])]);
    map.take(shown, false);
    return told;
  });
  assert.deepEqual(told, [["a step", true, 5], ["another one's place", true, 0], ["another kind", true, 0]]);
  await page.waitForFunction(() => window.pharos.map.near.every((one) => one.slot !== undefined)); // it is asked for
  console.log("a mark goes with its entity, and with no other one");
}

// What a button of Export saves, as bytes.
async function saved(page, button, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
  assert.equal(download.suggestedFilename(), name);
  return readFileSync(await download.path());
}

// The picture has the map's size, and its points; the frame is the one that is shown; the trace has its events, and needs
// nothing beside it.
async function checkExport(page, path, folder) {
  await page.evaluate(() => (document.getElementById("export").open = true));
  const shown = await page.evaluate(() => {
    const { shown, map } = window.pharos, { width, height } = document.getElementById("base");
    map.draw(1);
    return { tick: shown.tick, focus: shown.focus.id, slots: [...shown.points.slots], x: [...shown.points.x], stats: shown.stats, width, height, lit: map.points.lit() };
  });
  const png = await saved(page, "#export-png", `pharos-${shown.tick}.png`);
  assert.deepEqual([png.toString("latin1", 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)], ["PNG", shown.width, shown.height]);
  const lit = await page.evaluate(async (base64) => {
    const image = new Image(), context = document.createElement("canvas").getContext("2d");
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    [context.canvas.width, context.canvas.height] = [image.width, image.height];
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) count += data[i] + data[i + 1] + data[i + 2] > 120;
    return count;
  }, png.toString("base64"));
  assert(lit > shown.lit * 0.8, `${lit} pixels of the picture are lit, ${shown.lit} of the points`);
  const frame = JSON.parse(await saved(page, "#export-json", `pharos-${shown.tick}.json`));
  assert.deepEqual([frame.tick, frame.focus.id, frame.points.slots, frame.points.x, frame.stats], [shown.tick, shown.focus, shown.slots, shown.x, shown.stats]);
  const part = join(folder, "slice.csv");
  writeFileSync(part, await saved(page, "#export-trace", "slice.csv"));
  const events = (...options) => execFileSync(replay, [...options, "--events", "-"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).split("\n");
  const whole = events(path, ...SETTINGS).filter((line, i) => i === 0 || line === "" || Number(line.split(",")[0]) <= shown.tick);
  assert.deepEqual(events(part, "--skip-bad"), whole);
  assert(whole.length > 100, whole.length);
  const FROM = 11; // a slice that begins with the state
  await page.fill("#slice-from", String(FROM));
  writeFileSync(part, await saved(page, "#export-trace", "slice.csv"));
  assert.deepEqual(events(part, "--skip-bad"), whole.filter((line, i) => i === 0 || line === "" || Number(line.split(",")[0]) >= FROM));
  await page.fill("#slice-from", "99");
  await page.click("#export-trace");
  await page.waitForFunction(() => /"99" is no tick up to the shown one/.test(document.getElementById("notice").textContent));
  await page.fill("#slice-from", "");
  assert.match(await text(page, "export-note"), /pharos-replay slice\.csv --skip-bad/);
  await picture(page, "export");
  console.log(`exports: a picture of ${png.length} bytes, frame ${shown.tick} as JSON, a trace of ${whole.length - 2} events`);
}

async function checkWhy(browser, folder) {
  const path = join(folder, "circles.csv");
  makeTrace(path);
  const one = await start("--trace", path, "--at", "17", "--paused", ...SETTINGS);
  const page = await open(browser, one.address);
  assert.equal(await page.evaluate(() => window.pharos.shown.tick), 17);
  await page.waitForFunction((all) => window.pharos.shown.points.count === all, PLACES * PLACES);
  const lit = await page.evaluate(() => { window.pharos.map.draw(1); return window.pharos.map.points.lit(); });
  assert(lit > PLACES * PLACES * 4 && lit < 200000, `${lit} pixels are lit`);
  const compared = [];
  for (const [observer, target] of [[120, 121], [120, 137], [120, 1], [88, 87], [17, 1], [256, 239]]) {
    await clickId(page, String(observer));
    await page.fill("#why-observer", String(observer));
    await page.fill("#why-target", String(target));
    await page.click("#why button");
    await page.waitForFunction(() => /^(not )?seen: /.test(document.getElementById("why-text").textContent));
    const said = await text(page, "why-text"), right = explain(path, observer, target, 17);
    assert.equal(said, right);
    compared.push(said);
    await page.evaluate(() => { document.getElementById("why-text").textContent = ""; });
  }
  assert(compared.some((one) => one.startsWith("seen")) && compared.some((one) => one.startsWith("not seen")), compared);
  await clickId(page, "120");
  await page.click("#tab-sees");
  // The pointer above a mark on the map: why it is seen, or not.
  for (const find of [() => { const { map } = window.pharos, one = map.near[0]; return [...map.toScreen(one.x, one.y), `${one.id}: ${one.text}`]; },
    () => { const { map } = window.pharos, one = map.frame.focus.targets[0]; return [...map.toScreen(one.x, one.y), `${one.id}: seen, view; rank 1`]; }]) {
    await page.waitForFunction(() => window.pharos.map.near.length > 0);
    const [x, y, right] = await page.evaluate(find), box = await page.locator("#over").boundingBox();
    await page.mouse.move(box.x + x, box.y + y);
    assert.equal(await text(page, "hover"), right);
    assert(/: not seen: |: seen, view/.test(right) && await page.locator("#hover").isVisible(), right);
    await picture(page, `hover_${right.split(":")[0]}`);
  }
  const off = await page.evaluate(() => { const { map } = window.pharos; return map.near.map((one) => { const [x, y] = map.points.placeOf(one.slot, 1) ?? [1e9, 1e9]; return Math.max(Math.abs(x - one.x), Math.abs(y - one.y)); }); });
  assert(Math.max(...off) < 0.1, `marks of the ones that are not seen are ${off} from their points`);
  await page.mouse.move(0, 0);
  assert(!(await page.locator("#hover").isVisible()), "a word about a mark stays");
  await checkMark(page);
  await checkClicks(page);
  await clickId(page, "120");
  await picture(page, "why");
  // Back and forth over ticks, by the slider's message. Questions that meet the change of the world have answers, too.
  await page.evaluate(() => (window.answered = 0));
  for (const tick of [3, 39, 20]) {
    await page.evaluate((tick) => {
      const seek = document.getElementById("seek"), ask = () => { for (let i = 0; i < 10; i++) window.pharos.ask({ kind: "entity", id: "7" }, () => window.answered++); };
      seek.value = tick;
      ask();
      seek.dispatchEvent(new Event("change"));
      ask();
    }, tick);
    await page.waitForFunction((tick) => window.pharos.shown.tick === tick, tick);
  }
  await page.waitForFunction(() => window.answered === 60 && window.pharos.asked.size === 0);
  await checkBegin(page, path);
  await checkExport(page, path, folder);
  // A picture that may differ a little: the share of lit pixels in each ninth of the map.
  const parts = await page.evaluate(() => {
    const { map } = window.pharos, canvas = document.getElementById("points"), context = document.createElement("canvas").getContext("2d");
    window.pharos.select("0");
    map.fit();
    map.draw(1);
    const side = Math.floor(Math.min(canvas.width, canvas.height) * 0.96);
    context.canvas.width = context.canvas.height = side;
    context.drawImage(canvas, (canvas.width - side) / 2, (canvas.height - side) / 2, side, side, 0, 0, side, side);
    const { data } = context.getImageData(0, 0, side, side), lit = new Array(9).fill(0);
    for (let i = 0; i < side * side; i++) lit[Math.floor((i % side) * 3 / side) + 3 * Math.floor(i / side / side * 3)] += data[4 * i + 3] > 0;
    return lit;
  });
  assert(Math.min(...parts) > 0 && Math.max(...parts) <= 2 * Math.min(...parts), `points are where they were: ${parts}`);
  await comparePicture(page);
  await page.close();
  await stop(one);
  console.log(`${compared.length} sentences of the page are those of pharos-replay; ${lit} pixels lit`);
}

// Another time: "why" is answered again with nothing chosen, and with an id that is not there; and its first frame lets no
// point glide there, even if a frame of the time before is shown anew meanwhile.
async function checkBegin(page, path) {
  const seek = (tick) => page.evaluate((tick) => { const seek = document.getElementById("seek"); seek.value = tick; seek.dispatchEvent(new Event("change")); }, tick);
  const answered = (right) => page.waitForFunction((right) => document.getElementById("why-text").textContent === right, right);
  await page.fill("#why-observer", "120");
  await page.fill("#why-target", "121");
  await page.click("#why button");
  await answered(explain(path, 120, 121, 20));
  for (const [id, tick] of [["0", 7], ["99999", 9]]) {
    await page.evaluate((id) => window.pharos.select(id), id);
    await page.waitForFunction((id) => (window.pharos.shown.focus?.id ?? "0") === id, id);
    await seek(tick);
    await answered(explain(path, 120, 121, tick));
  }
  await page.evaluate(() => {
    const { map } = window.pharos, { begin, take } = map;
    map.begin = () => {
      window.jumps = [];
      begin.call(map);
      queueMicrotask(() => { // behind the message, before the first frame
        window.pharos.shown.tick = 0;
        document.getElementById("colour").dispatchEvent(new Event("change"));
      });
    };
    map.take = (frame, jumped) => {
      window.jumps.push([frame.tick, jumped]);
      take.call(map, frame, jumped);
    };
  });
  await seek(3);
  await page.waitForFunction(() => window.jumps?.some(([tick]) => tick === 3));
  assert.deepEqual(await page.evaluate(() => window.jumps.slice(0, 2)), [[0, true], [3, true]]);
  await page.evaluate(() => { delete window.pharos.map.begin; delete window.pharos.map.take; });
  await seek(20);
  await page.waitForFunction(() => window.pharos.shown.tick === 20 && window.pharos.asked.size === 0);
  await clickId(page, "120");
  console.log("another time: why is answered anew, with nothing chosen; points do not glide there");
}

// The map with a chosen entity, its rings and lines, beside picture.txt: the brightness of small squares, each a hexadecimal
// digit. Another version of the browser may draw edges otherwise. VIEW_WRITE=1 writes it anew: look at it before.
async function comparePicture(page) {
  const SQUARES = 48, MEAN_MAX = 0.35, FAR = 4, FAR_MAX = 0.02;
  if (process.env.VIEW_PICTURES) return; // of another size
  await page.waitForFunction(() => !window.pharos.shown.focus?.found); // or a frame without the entity comes after it is chosen anew
  await page.evaluate(() => window.pharos.select("120"));
  await page.waitForFunction(() => { const { asked, inspector, map, shown } = window.pharos; return shown.focus?.found && asked.size === 0 && map.near === inspector.near && map.near.length > 0 && map.isStill() && !map.dirty; });
  const now = await page.evaluate((SQUARES) => {
    const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true }), names = ["base", "points", "over"].map((name) => document.getElementById(name));
    const side = Math.min(names[0].width, names[0].height), [left, top] = [(names[0].width - side) / 2, (names[0].height - side) / 2], sums = new Array(SQUARES * SQUARES).fill(0), counts = sums.slice();
    window.pharos.map.draw(1);
    context.canvas.width = context.canvas.height = side;
    for (const canvas of names) context.drawImage(canvas, left, top, side, side, 0, 0, side, side);
    const { data } = context.getImageData(0, 0, side, side);
    for (let i = 0; i < side * side; i++) {
      const square = Math.floor((i % side) * SQUARES / side) + SQUARES * Math.floor(Math.floor(i / side) * SQUARES / side);
      sums[square] += ((data[4 * i] + data[4 * i + 1] + data[4 * i + 2]) / 3) * (data[4 * i + 3] / 255);
      counts[square]++;
    }
    return sums.map((sum, i) => Math.min(15, Math.round(Math.sqrt(sum / counts[i] / 255) * 15)));
  }, SQUARES);
  const path = join(dirname(fileURLToPath(import.meta.url)), "picture.txt");
  const lines = now.map((level) => level.toString(16)).join("").match(new RegExp(`.{${SQUARES}}`, "g"));
  if (process.env.VIEW_WRITE) writeFileSync(path, `${lines.join("\n")}\n`);
  const was = [...readFileSync(path, "utf8").replaceAll("\n", "")].map((digit) => parseInt(digit, 16));
  const differ = now.map((level, i) => Math.abs(level - was[i])), mean = differ.reduce((a, b) => a + b, 0) / differ.length, far = differ.filter((by) => by > FAR).length / differ.length;
  assert(was.length === now.length && mean <= MEAN_MAX && far <= FAR_MAX, `the map differs from picture.txt by ${mean} levels, ${(100 * far).toFixed(1)} % of it by more than ${FAR}:\n${lines.join("\n")}`);
  console.log(`the map is as in picture.txt, to ${mean.toFixed(3)} of 15 levels`);
}

// ---- keyboard alone ----

// Enter on a row of the list. The world goes on: the row may leave the list before the key comes, so there are some tries.
async function enterRow(page) {
  const TRIES = 5, ANSWER_MS = 10000;
  for (let i = 0; i < TRIES; i++) {
    await page.waitForFunction(() => document.querySelector("#panel tr[tabindex]"));
    await page.evaluate(() => document.querySelector("#panel tr[tabindex]")?.focus());
    await page.keyboard.press("Enter");
    const said = page.waitForFunction(() => /^(not )?seen: /.test(document.getElementById("why-text").textContent), undefined, { timeout: ANSWER_MS });
    if (await said.then(() => true, () => false)) return;
  }
  assert.fail(`Enter on a row of the list asks nothing, ${TRIES} times`);
}

async function checkKeys(browser, address) {
  const page = await open(browser, address);
  await page.keyboard.press("/");
  await page.keyboard.type("700");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.getElementById("who").textContent.startsWith("700,"));
  await page.keyboard.press("Escape");
  for (const key of ["+", "+", "+", "ArrowLeft", "2"]) await page.keyboard.press(key);
  assert.equal(await page.evaluate(() => document.getElementById("tab-sees").getAttribute("aria-selected")), "true");
  await enterRow(page);
  await picture(page, "sees");
  await page.evaluate(() => document.getElementById("map").focus());
  await page.keyboard.press(" ");
  await page.waitForFunction(() => window.pharos.state.paused);
  const paused = await page.evaluate(() => window.pharos.state.at);
  await frames(page, 3);
  assert(await page.evaluate(() => window.pharos.strips.rows.tick.length > 1), "strips stay in a pause");
  await checkPause(page);
  await page.keyboard.press(".");
  await page.waitForFunction((at) => window.pharos.state.at === at + 1, paused);
  await page.keyboard.press(",");
  await page.waitForFunction(() => document.getElementById("state").textContent === "looking back");
  await page.keyboard.press("l");
  await page.keyboard.press(" ");
  await page.waitForFunction(() => !window.pharos.state.paused && document.getElementById("state").textContent === "live");
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await page.waitForFunction(() => document.getElementById("who").textContent !== "Nothing chosen");
  await page.keyboard.press("?");
  await page.waitForFunction(() => document.getElementById("help").open);
  await picture(page, "keys");
  await page.keyboard.press("Enter");
  // The address keeps the look.
  await page.waitForFunction(() => [/token=/, /id=\d+/, /tab=sees/].every((part) => part.test(location.hash)));
  await checkStrips(page);
  await page.close();
  console.log("all of it by keyboard; strips by tick, second, minute and hour");
}

// A key turns them; what is drawn is what came; a place has the last tick of its time.
async function checkStrips(page) {
  const drawn = () => page.evaluate(() => { const { strips } = window.pharos, { data } = strips.tick; return { by: strips.by, chosen: document.getElementById("strips-by").value, x: [...data[0]], p99: [...data.at(-1)], enters: [...strips.events.data[1]] }; });
  await page.keyboard.press("t");
  await page.waitForFunction(() => window.pharos.strips.by === "second" && window.pharos.strips.tick.data[0].length > 1 && /strips=second/.test(location.hash));
  const seconds = await drawn();
  assert(seconds.chosen === "second" && seconds.x.at(-1) <= 0 && seconds.x.every((x, i) => Number.isInteger(x) && (i === 0 || x > seconds.x[i - 1])), seconds);
  assert(seconds.p99[0] > 0 && seconds.enters[0] >= 0, seconds);
  await picture(page, "strips_second");
  // Hours would take hours: frames by a clock of their own, one each half of an hour.
  const told = await page.evaluate(() => {
    const HALF = 1800000, FRAMES = 300, { strips, shown, hello } = window.pharos, begin = 1000000 * HALF, told = [];
    strips.open("another world");
    for (let i = 1; i <= FRAMES; i++) strips.add({ ...shown, tick: i, keys: { generation: i < 200 ? 1 : 2 } }, begin + i * HALF);
    for (const by of ["minute", "hour", "tick"]) {
      strips.show(by);
      strips.draw(begin + FRAMES * HALF);
      const [x] = strips.tick.data;
      told.push([by, x.length, x[0], x.at(-1), strips.shown.changes.length, strips.tickOf(0)]);
    }
    strips.open(hello.title);
    strips.draw();
    return told;
  });
  assert.deepEqual(told, [["minute", 3, -30, 0, 0, 299], ["hour", 60, -59, 0, 1, 183], ["tick", 300, 1, 300, 1, 1]]);
}

// A pause draws nothing anew, and pushes no frame out; what is chosen in it is drawn, and answered.
async function checkPause(page) {
  const still = () => page.evaluate(() => { const { map, kept } = window.pharos; return { pictures: map.pictures, kept: kept.frames.length }; });
  const drawn = () => page.waitForFunction(() => { const { asked, inspector, map } = window.pharos; return asked.size === 0 && map.near === inspector.near && map.isStill() && map.rests && !map.dirty; });
  // A new layout (the panel's) moves the map a little later, and with it the view that is asked for.
  const settled = async () => {
    const LOOKS = 10, FRAMES = 4; // less than a second, in which a page that asks again would do so
    for (let i = 0; i < LOOKS; i++) {
      const first = await still();
      await frames(page, FRAMES);
      if (JSON.stringify(first) === JSON.stringify(await still())) return first;
    }
    return assert.fail("a paused page does not come to rest");
  };
  await page.evaluate(() => window.pharos.select("0"));
  await page.waitForFunction(() => !window.pharos.shown.focus);
  await frames(page, 2);
  await drawn();
  const before = await settled();
  await frames(page, 10);
  assert.deepEqual(await still(), before, "a paused page draws");
  await page.evaluate(() => window.pharos.select("701"));
  await page.keyboard.press("3");
  await page.waitForFunction(() => window.pharos.shown.focus?.found && /observers/.test(document.getElementById("panel").textContent));
  await page.keyboard.press("4");
  await page.waitForFunction(() => /near/.test(document.getElementById("panel").textContent));
  await drawn();
  const chosen = await settled();
  assert(chosen.pictures > before.pictures && chosen.kept === before.kept, [before, chosen]);
  await frames(page, 15); // more than a second: nothing is asked again
  assert.deepEqual(await still(), chosen, "a paused page asks again");
  await page.keyboard.press("2");
  await page.evaluate(() => window.pharos.select("0"));
  await page.waitForFunction(() => !window.pharos.shown.focus);
}

// A click on a strip goes to its tick: to a kept frame, or, where the tab has none any more, by a seek of the trace.
async function checkStripClicks(browser, folder) {
  const path = join(folder, "circles.csv"), FROM = 17, STEPS = 8;
  const one = await start("--trace", path, "--at", String(FROM), "--paused", ...SETTINGS);
  const page = await open(browser, one.address);
  for (let tick = FROM + 1; tick <= FROM + STEPS; tick++) {
    await page.click("#step");
    await page.waitForFunction((tick) => window.pharos.shown.tick === tick, tick);
  }
  // The pointer's events of one click, at once: frames would move the strip between them, and the clock its seconds. No
  // value: the first second with a tick behind the 19th. Returns the last tick of the place.
  const click = (plot, value) => page.evaluate(([name, value]) => {
    const { strips } = window.pharos, plot = strips[name];
    strips.draw();
    const { x, periods } = strips.shown, at = value === null ? periods.findIndex((period) => period?.tick > 19) : 0;
    const box = plot.over.getBoundingClientRect(), clientX = box.left + plot.valToPos(value ?? x[at], "x"), clientY = box.top + box.height / 2;
    for (const type of ["mousemove", "mousedown", "mouseup", "click"]) plot.over.dispatchEvent(new MouseEvent(type, { clientX, clientY, bubbles: true, detail: 1 }));
    return value ?? periods[at].tick;
  }, [plot, value]);
  const said = () => page.evaluate(() => ({ shown: window.pharos.shown.tick, at: window.pharos.state.at, state: document.getElementById("state").textContent, kept: window.pharos.kept.frames.map(({ tick }) => tick) }));
  await click("tick", FROM + 2);
  await page.waitForFunction((tick) => window.pharos.shown.tick === tick, FROM + 2);
  let now = await said();
  assert.deepEqual([now.state, now.at, now.kept.length], ["looking back", FROM + STEPS, STEPS + 1], "a kept tick needs no seek");
  await click("events", FROM + 5);
  await page.waitForFunction((tick) => window.pharos.shown.tick === tick, FROM + 5);
  assert.equal((await said()).at, FROM + STEPS);
  // The oldest frames are pushed out: their ticks are in the strip alone.
  await page.keyboard.press("l");
  await page.evaluate(() => { const { kept } = window.pharos; kept.bytesMax = 3 * kept.frames[0].buffer.byteLength; });
  await page.click("#step");
  await page.waitForFunction((tick) => window.pharos.shown.tick === tick && window.pharos.kept.frames.length <= 3, FROM + STEPS + 1);
  now = await said();
  assert(now.kept[0] > FROM + 3, now);
  await click("tick", FROM + 3);
  await page.waitForFunction((tick) => window.pharos.state.at === tick && window.pharos.shown.tick === tick, FROM + 3);
  // The second of the ticks before the seek: the tab has none of them.
  await page.evaluate(() => window.pharos.strips.show("second"));
  const last = await click("tick", null);
  await page.waitForFunction((tick) => window.pharos.state.at === tick && window.pharos.shown.tick === tick, last);
  await page.close();
  await stop(one);
  console.log("a click on a strip goes to a kept tick, and seeks one that the tab has no more");
}

// ---- frames: decoding, memory ----

async function checkFrames(browser, address) {
  const page = await open(browser, address);
  await frames(page, 5);
  // A frame of BIG points made of this one's bytes: the sections that are not points, then a longer section of points.
  const ms = await page.evaluate((BIG) => {
    const { kept, decode, hello, map } = window.pharos;
    const from = new DataView(kept.frames.at(-1).buffer), sections = from.getUint16(6, true), pieces = [];
    let at = 32, bytes = 32;
    for (let i = 0; i < sections; i++) {
      const size = 16 + from.getUint32(at + 8, true);
      if (from.getUint16(at, true) !== 2) pieces.push([at, size]);
      at += size;
    }
    bytes += pieces.reduce((sum, [, size]) => sum + size, 0) + 16 + 12 * BIG;
    const buffer = new ArrayBuffer(bytes), to = new DataView(buffer), all = new Uint8Array(buffer);
    all.set(new Uint8Array(from.buffer, 0, 32));
    to.setUint16(6, pieces.length + 1, true);
    at = 32;
    for (const [begin, size] of pieces) {
      all.set(new Uint8Array(from.buffer, begin, size), at);
      if (to.getUint16(at, true) === 1) to.setUint32(at + 16 + 32, BIG, true); // slot_count
      at += size;
    }
    to.setUint16(at, 2, true);
    to.setUint32(at + 4, BIG, true);
    to.setUint32(at + 8, 12 * BIG, true);
    for (let i = 0; i < BIG; i++) {
      to.setUint32(at + 16 + 4 * i, i, true);
      to.setUint16(at + 16 + 4 * BIG + 2 * i, (i * 7919) % 65536, true);
      to.setUint16(at + 16 + 6 * BIG + 2 * i, (i * 104729) % 65536, true);
    }
    const times = [];
    let frame;
    for (let turn = 0; turn < 20; turn++) {
      const begin = performance.now();
      frame = decode(buffer, hello.stats);
      map.take(frame, false);
      times.push(performance.now() - begin);
    }
    if (frame.points.count !== BIG || frame.points.slots.buffer !== buffer || map.points.count !== BIG) throw new Error("points were copied, or lost");
    if (frame.points.x[3] !== 3 * 7919 || map.points.now.length < 2 * BIG) throw new Error("points differ");
    map.draw(1);
    if (map.points.lit() < 1000) throw new Error("points are not drawn");
    return times.sort((a, b) => a - b)[10];
  }, BIG);
  console.log(`a frame of ${BIG} points: ${ms.toFixed(2)} ms to decode, place and upload; nothing is copied but their places`);
  const grown = await page.evaluate(async (FLAT_FRAMES) => {
    const { kept, receive } = window.pharos, buffer = kept.frames.at(-1).buffer;
    const size = async () => { for (let i = 0; i < 3; i++) { gc(); await new Promise((then) => setTimeout(then, 30)); } return performance.memory.usedJSHeapSize; };
    kept.bytesMax = 4 << 20;
    let tick = BigInt(kept.frames.at(-1).tick);
    const next = () => { const copy = buffer.slice(0); new DataView(copy).setBigUint64(8, ++tick, true); receive(copy); }; // one of each tick is kept
    for (let i = 0; i < FLAT_FRAMES / 4; i++) next();
    const before = await size();
    for (let i = 0; i < FLAT_FRAMES; i++) { next(); if (i % 100 === 0) await new Promise((then) => setTimeout(then)); }
    if (kept.bytes > kept.bytesMax || kept.frames.length < 2) throw new Error(`${kept.bytes} bytes are kept`);
    return (await size()) - before;
  }, FLAT_FRAMES);
  assert(grown < 8 << 20, `${grown} bytes more after ${FLAT_FRAMES} frames`);
  console.log(`${FLAT_FRAMES} frames: ${grown} bytes more`);
  await page.close();
}

// ---- a connection that is lost ----

// A port that stays, in front of programs that come and go: none of them needs a port that may be taken.
async function makeDoor() {
  const door = {};
  const server = createServer((near) => {
    const far = connect(door.to, "127.0.0.1");
    for (const [from, to] of [[near, far], [far, near]]) from.pipe(to).on("error", () => from.destroy()), from.on("close", () => to.destroy());
  });
  await new Promise((then) => server.listen(0, "127.0.0.1", then));
  return Object.assign(door, { port: server.address().port, close: () => server.close() });
}
const portOf = ({ address }) => Number(new URL(address).port);

async function checkLost(browser) {
  let one = await start("--demo", "--allow-set");
  const door = await makeDoor();
  door.to = portOf(one);
  const page = await open(browser, one.address.replace(`:${door.to}/`, `:${door.port}/`));
  await page.evaluate(() => { document.getElementById("keys").open = true; document.getElementById("tables").open = true; });
  await page.evaluate(() => { document.getElementById("layer-density").click(); });
  await page.waitForFunction(() => document.querySelectorAll("#table-lists tr[tabindex]").length === 10);
  const lengths = await page.evaluate(() => [...document.querySelectorAll("#table-lists td.number")].map((cell) => Number(cell.textContent)));
  assert(lengths.every((length, i) => length > 0 && (i === 0 || length <= lengths[i - 1])), lengths);
  await page.waitForFunction(() => /kept .* of 128 MiB; tab .* MiB; program .* MiB; world/.test(document.getElementById("memory").textContent));
  // A live key by its slider: the next frames have it.
  await page.evaluate(() => { const slider = document.querySelector('input[aria-label="crowd_entities"]'); slider.value = "300"; slider.dispatchEvent(new Event("change")); });
  await page.waitForFunction(() => window.pharos.shown.keys?.crowd_entities === 300);
  await page.evaluate(() => window.pharos.link.send({ type: "set", key: "span", value: "nonsense" }));
  await page.waitForFunction(() => /span/.test(document.getElementById("notice").textContent));
  await picture(page, "keys_and_heat");
  await stop(one);
  await page.waitForFunction(() => /connection is lost/.test(document.getElementById("notice").textContent));
  await picture(page, "lost");
  assert.equal(await text(page, "state"), "no connection");
  // What came before is looked at: by the bar, by the key, and when the browser gives the graphics back.
  const looked = await page.evaluate(() => {
    const { kept, map } = window.pharos, scrub = document.getElementById("scrub"), told = [];
    scrub.value = 0;
    scrub.dispatchEvent(new Event("input"));
    told.push(window.pharos.shown.tick === kept.frames[0].tick);
    document.getElementById("live").click();
    told.push(window.pharos.shown.tick === kept.frames.at(-1).tick);
    map.graphics();
    return told;
  });
  assert.deepEqual(looked, [true, true]);
  assert.match(await text(page, "notice"), /connection is lost/);
  assert.equal(await text(page, "state"), "no connection");
  const before = await page.evaluate(() => window.pharos.frames);
  one = await start("--demo");
  door.to = portOf(one);
  await page.waitForFunction((before) => window.pharos.frames > before + 3, before);
  assert.equal(await text(page, "state"), "live");
  await stop(one);
  one = await start("--demo", "--token", "another0another0another0");
  door.to = portOf(one);
  await page.waitForFunction(() => /wrong token/.test(document.getElementById("notice").textContent));
  await page.close();
  await stop(one);
  door.close();
  console.log("a lost connection is told, and comes back; a new token is told");
}

async function checkEmpty(browser, address) {
  const page = await open(browser, address, "&instance=77");
  await page.waitForFunction(() => /is in view \(instance 77\)/.test(document.getElementById("notice").textContent));
  await picture(page, "empty");
  await page.close();
  console.log("an empty view is told");
}

await inBrowser(async (browser, folder) => {
  await checkWhy(browser, folder);
  await checkStripClicks(browser, folder);
  const demo = await start("--demo");
  await checkKeys(browser, demo.address);
  await checkFrames(browser, demo.address);
  await checkEmpty(browser, demo.address);
  await stop(demo);
  await checkLost(browser);
});
