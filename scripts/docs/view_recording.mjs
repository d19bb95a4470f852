#!/usr/bin/env node
// Makes docs/viewing.webp, the moving picture of docs/viewing.md: the demo in chromium, an entity chosen, followed from
// near, and a why asked; and docs/viewing.png, its end at rest. By playwright-core and img2webp (scripts/install_deps.sh --view).
// Called by viewing_pictures.sh.
// usage: view_recording.mjs MODULES CHROMIUM PHAROS-VIEW OUT.webp OUT.png
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [modules, chromium, view, out, still] = process.argv.slice(2);
const browsers = createRequire(resolve(modules, "x"))("playwright-core").chromium;
const FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
const SIZE = { width: 960, height: 600 }, STILL = { width: 1400, height: 860 }, FRAME_MS = 250, QUALITY = "25", BYTES_MAX = 1 << 20;
const folder = mkdtempSync(join(tmpdir(), "view_recording_"));
const program = spawn(view, ["--demo", "--token", "recordingrecording"], { stdio: ["ignore", "pipe", "inherit"] });
const files = [];

try {
  const address = await new Promise((found) => program.stdout.once("data", (text) => found(String(text).trim())));
  const browser = await browsers.launch({ executablePath: chromium, args: FLAGS });
  const page = await browser.newPage({ viewport: SIZE });
  await page.goto(address);
  await page.waitForFunction(() => window.pharos?.shown?.stats?.ticks > 40);
  const record = async (count, each = async () => {}) => {
    for (let i = 0; i < count; i++) {
      await each(i);
      await page.waitForTimeout(FRAME_MS / 2);
      files.push(join(folder, `${String(files.length).padStart(3, "0")}.png`));
      await page.screenshot({ path: files.at(-1) });
    }
  };
  await record(4);
  await page.evaluate(() => window.pharos.select("700"));
  await page.waitForFunction(() => window.pharos.shown.focus?.found);
  await page.evaluate(() => { const { x, y } = window.pharos.shown.focus.attrs; window.pharos.map.look({ x, y }); });
  await record(8, () => page.evaluate(() => window.pharos.map.zoom(1.3)));
  await page.click("#tab-sees");
  await page.check("#follow");
  await record(8);
  await page.evaluate(() => document.querySelector("#panel tr[tabindex]")?.click());
  await record(8);
  await page.setViewportSize(STILL);
  await page.click("#play");
  await page.waitForFunction(() => window.pharos.state.paused);
  const frames = await page.evaluate(() => window.pharos.frames);
  await page.waitForFunction((frames) => window.pharos.frames > frames + 2, frames); // of the larger view
  await page.screenshot({ path: still });
  await browser.close();
  execFileSync("img2webp", ["-lossy", "-q", QUALITY, "-m", "6", "-d", String(FRAME_MS), "-loop", "0", ...files, "-o", out]);
  const bytes = statSync(out).size;
  if (bytes > BYTES_MAX) throw new Error(`${out} has ${bytes} bytes, more than ${BYTES_MAX}`);
  console.log(`${out}: ${files.length} pictures, ${bytes} bytes`);
} finally {
  program.kill();
  if (process.env.KEEP_PICTURES) console.log(folder);
  else rmSync(folder, { recursive: true });
}
