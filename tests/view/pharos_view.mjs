// For the tests in chromium: pharos-view as a process, and its page without a screen. Each test's command line is
// MODULES CHROMIUM PHAROS-REPLAY PHAROS-VIEW; VIEW_PICTURES=FOLDER keeps what the states look like.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";

const [modules, chromium, replayPath, view] = process.argv.slice(2);
const browsers = createRequire(join(modules, "x"))("playwright-core").chromium;
const FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--js-flags=--expose-gc", "--enable-precise-memory-info"];
const TOKEN = "browserbrowserbrowser", HANGS_MS = 120000;
// Pages are drawn by the processor here: few pixels, but where pictures are kept.
const VIEWPORT = process.env.VIEW_PICTURES ? { width: 1280, height: 800 } : { width: 900, height: 560 };

export const replay = replayPath;
export const launch = () => browsers.launch({ executablePath: chromium, args: FLAGS });

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

export const faults = [];
export async function open(browser, address, more = "") {
  const page = await browser.newPage({ viewport: VIEWPORT });
  page.setDefaultTimeout(HANGS_MS);
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && !/GPU stall|ERR_CONNECTION_REFUSED|WebSocket connection/.test(message.text()) && faults.push(message.text()));
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
