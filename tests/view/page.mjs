// page.html and page.csp are what build.mjs makes of src/view/page, to the byte; and small enough.
// usage: node page.mjs MODULES ...
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const GZIP_MAX = 90 * 1024;
const [modules] = process.argv.slice(2);
const view = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "src", "view");
const folder = mkdtempSync(join(tmpdir(), "view_page_"));
try {
  execFileSync(process.execPath, [join(view, "page", "build.mjs"), modules, folder]);
  for (const name of ["page.html", "page.csp"])
    assert(readFileSync(join(folder, name)).equals(readFileSync(join(view, name))), `${name} is not made of src/view/page: node src/view/page/build.mjs MODULES src/view`);
} finally {
  rmSync(folder, { recursive: true });
}
const page = readFileSync(join(view, "page.html"));
const small = gzipSync(page, { level: 9 }).length;
assert(small <= GZIP_MAX, `${small} bytes by gzip`);
for (const word of ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "https://"]) assert(!page.includes(word), `the page has ${word}`);
console.log(`page.html: ${page.length} bytes, ${small} by gzip; rebuilt to the same bytes`);
