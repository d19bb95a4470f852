// Makes page.html, the one file that the page is, and page.csp, the policy with the hashes of its script and style.
// usage: node build.mjs MODULES OUT   (MODULES: the folder node_modules of package.json; OUT: the folder to write to)
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [modules, out] = process.argv.slice(2).map((path) => resolve(path));
const esbuild = createRequire(join(modules, "x"))("esbuild");
const common = { bundle: true, minify: true, write: false, nodePaths: [modules], legalComments: "none", charset: "utf8", absWorkingDir: here };

const code = await esbuild.build({ ...common, entryPoints: ["main.js"], format: "iife", target: "es2022" });
const look = await esbuild.build({ ...common, stdin: { contents: '@import "uplot/dist/uPlot.min.css"; @import "./style.css";', resolveDir: here, loader: "css" } });
const script = code.outputFiles[0].text.trim().replaceAll("</script", "<\\/script");
const style = look.outputFiles[0].text.trim();
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const html = readFileSync(join(here, "index.html"), "utf8")
  .replace("<!-- style -->", () => `<style>${style}</style>`)
  .replace("<!-- script -->", () => `<script>${script}</script>`)
  .replace(/^<!doctype html>/, (first) => `${first}\n<!-- Made by src/view/page/build.mjs; has uPlot (c) Leon Sorokin, MIT licence -->`);
const policy = ["default-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(style)}`, "connect-src 'self'", "img-src data: blob:",
  "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join("; ");
writeFileSync(join(out, "page.html"), html);
writeFileSync(join(out, "page.csp"), `${policy}\n`);
