// For the tests in chromium: pharos-view as a process, and its page without a screen. Each test's command line is
// MODULES CHROMIUM PHAROS-REPLAY PHAROS-VIEW; VIEW_PICTURES=FOLDER keeps what the states look like.
import assert from "node:assert";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [modules, chromium, replayPath, view] = process.argv.slice(2);
const browsers = createRequire(resolve(modules, "x"))("playwright-core").chromium;
const FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--js-flags=--expose-gc", "--enable-precise-memory-info"];
const TOKEN = "browserbrowserbrowser", HANGS_MS = 120000, POLL_MS = 20;
// Pages are drawn by the processor here: few pixels, but where pictures are kept.
const VIEWPORT = process.env.VIEW_PICTURES ? { width: 1280, height: 800 } : { width: 900, height: 560 };

export const replay = replayPath;

const running = new Set();
process.on("exit", () => running.forEach((program) => program.kill()));

export function start(...options) {
  const program = spawn(view, ["--token", TOKEN, ...options], { stdio: ["ignore", "pipe", "inherit"] });
  running.add(program);
  program.once("exit", () => running.delete(program));
  return new Promise((found, failed) => {
    program.stdout.once("data", (text) => found({ program, address: String(text).trim() }));
    program.once("exit", (code) => failed(new Error(`pharos-view ended: ${code}`)));
  });
}

export function stop({ program }) {
  return new Promise((gone) => {
    program.removeAllListeners("exit");
    program.once("exit", gone);
    program.kill("SIGTERM");
  });
}

const faults = [];
export async function open(browser, address, more = "") {
  const page = await browser.newPage({ viewport: VIEWPORT });
  page.setDefaultTimeout(HANGS_MS);
  // A question waits for no picture: the processor may draw three a second, and a test has hundreds of questions.
  const wait = page.waitForFunction.bind(page);
  page.waitForFunction = (look, given, options) => wait(look, given, { polling: POLL_MS, ...options });
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && !/GPU stall|CONTEXT_LOST_WEBGL|ERR_CONNECTION_REFUSED|WebSocket connection/.test(message.text()) && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.stack));
  await page.goto(address + more);
  await page.waitForFunction(() => window.pharos?.shown?.stats?.ticks > 0);
  return page;
}

export async function picture(page, name) {
  if (process.env.VIEW_PICTURES) await page.screenshot({ path: join(process.env.VIEW_PICTURES, `${name}.png`) });
}

export async function frames(page, count) {
  const until = await page.evaluate((count) => window.pharos.frames + count, count);
  await page.waitForFunction((until) => window.pharos.frames >= until, until);
}
export const text = (page, id) => page.evaluate((id) => document.getElementById(id).textContent, id);

// Milliseconds of processor that this test's processes have taken: the program, the page, what draws it, the browser's others.
export function processorMs() {
  const TICK_MS = 10, parents = new Map([[process.pid, 0]]), sums = { program: 0, page: 0, drawing: 0, others: 0 };
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).sort((a, b) => a - b)) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1"), fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "), command = readFileSync(`/proc/${pid}/cmdline`, "latin1");
      if (!parents.has(Number(fields[1]))) continue; // a child has a larger number than its parent, but where numbers begin anew
      parents.set(pid, Number(fields[1]));
      const kind = command.startsWith(view) ? "program" : command.includes("--type=renderer") ? "page" : command.includes("--type=gpu-process") ? "drawing" : "others";
      sums[kind] += (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    } catch {
      continue; // it has ended
    }
  }
  return sums;
}

// Runs checks with a browser and a folder of their own, which end with them. A page that warned or threw has failed.
export async function inBrowser(checks) {
  const folder = mkdtempSync(join(tmpdir(), "view_"));
  const browser = await browsers.launch({ executablePath: chromium, args: FLAGS });
  try {
    await checks(browser, folder);
    assert.deepEqual(faults, []);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}
