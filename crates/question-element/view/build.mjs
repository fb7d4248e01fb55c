// Makes the scripts of a page small, then the element without WebAssembly, and from it the view for MCP hosts, in a package that has all else:
// `node build.mjs PROGRAMS PACKAGE`, with binaryen, wasm-bindgen and esbuild on the PATH. PROGRAMS is the folder of `card.wasm` and `repair.wasm` as
// cargo has built them.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [programs, out] = process.argv.slice(2).map((path) => resolve(path));
const here = dirname(fileURLToPath(import.meta.url));
const stage = join(out, "../no-wasm");
const inStage = (name) => join(stage, name);
const run = (tool, ...given) => execFileSync(tool, given, { cwd: stage, stdio: ["ignore", "ignore", "inherit"] });
const edit = (name, change) => writeFileSync(inStage(name), change(readFileSync(inStage(name), "utf8")));

rmSync(stage, { recursive: true, force: true });
mkdirSync(inStage("wasm"), { recursive: true });
execFileSync("node", ["manifest.mjs"], { cwd: out });
const minified = ["--minify", "--charset=utf8", "--log-level=error"];
// The modules that are the element's alone go into its own.
const parts = ["call.js", "reader.js", "repair.js", "languages.js"];
for (const name of [...parts, "question-card.js", "languages", "properties.js", "styles.js"]) cpSync(join(out, name), inStage(name), { recursive: true });
const others = ["languages/*", "properties", "styles", "wasm/repair", "wasm/card"].map((name) => `--external:./${name}.js`);
execFileSync("esbuild", ["question-card.js", "--bundle", ...others, ...minified, "--format=esm", "--outfile=question-card.js", "--allow-overwrite"], { cwd: out });
execFileSync("esbuild", ["define.js", "wasm/card.js", "wasm/repair.js", ...minified, "--format=esm", "--outdir=.", "--allow-overwrite"], { cwd: out });
for (const name of parts) rmSync(join(out, name));

// The features that the compiler used, except references: wasm-bindgen then keeps the page's objects in a list, where wasm2js knows no table of them.
const features = ["--mvp-features", ...["bulk-memory", "bulk-memory-opt", "nontrapping-float-to-int", "sign-ext", "mutable-globals"].map((name) => `--enable-${name}`)];

/** Replaces what has to be there. */
const replaced = (text, from, to) => {
  if (!text.includes(from)) throw new Error(`there is no ${from}`);
  return text.replace(from, to);
};

/** Makes a program JavaScript, with the interface that it has as WebAssembly. */
function lower(name) {
  run("wasm-opt", ...features, "--strip-target-features", join(programs, `${name}.wasm`), "-o", "bare.wasm");
  run("wasm-opt", ...features, "--emit-target-features", "bare.wasm", "-o", "told.wasm");
  run("wasm-bindgen", "--target", "bundler", "--no-typescript", "--out-name", name, "--out-dir", "wasm", "told.wasm");
  const lowered = ["--llvm-memory-copy-fill-lowering", "--signext-lowering", "--llvm-nontrapping-fptoint-lowering"];
  run("wasm-opt", ...features, ...lowered, "-Oz", "--flatten", "--rereloop", "-Oz", "-Oz", `wasm/${name}_bg.wasm`, "-o", "plain.wasm");
  run("wasm2js", "-Oz", "plain.wasm", "-o", `wasm/${name}_program.js`);
  // The end of the values that the list has from the beginning, which wasm-bindgen knows of tables alone.
  const glue = readFileSync(inStage(`wasm/${name}_bg.js`), "utf8");
  const [, fixed] = /new Array\((\d+)\)\.fill\(undefined\);\s*heap\.push\(undefined, null, true, false\);/.exec(glue) ?? [];
  edit(`wasm/${name}_program.js`, (text) => text.replace(/^import \* as (\w+) from '__wbindgen_externref_xform__';/m, `const $1 = { __wbindgen_externref_statics_end: () => ${+fixed + 4} };`));
  // A memory that has grown leaves its old buffer as it was.
  const byte = "cachedUint8ArrayMemory0.byteLength === 0";
  const view = "cachedDataViewMemory0.buffer.detached === true || (cachedDataViewMemory0.buffer.detached === undefined && cachedDataViewMemory0.buffer !== wasm.memory.buffer)";
  edit(`wasm/${name}_bg.js`, (text) => replaced(text, byte, "cachedUint8ArrayMemory0.buffer !== wasm.memory.buffer").replace(view, "cachedDataViewMemory0.buffer !== wasm.memory.buffer"));
  // There is nothing to load.
  edit(`wasm/${name}.js`, (text) => `${replaced(text, `./${name}_bg.wasm`, `./${name}_program.js`)}\nexport default () => {};\n`);
}
for (const name of ["card", "repair"]) lower(name);

const bundle = (entry, format, ...more) => run("esbuild", entry, "--bundle", ...minified, `--format=${format}`, ...more);
const another = "./no-wasm-repair.js";
bundle("wasm/repair.js", "esm", `--outfile=${join(out, another)}`);
edit("repair.js", (text) => replaced(text, "./wasm/repair.js", another));
bundle("question-card.js", "esm", `--external:${another}`, `--outfile=${join(out, "no-wasm.js")}`);

const sheets = join(here, "../../question-card/languages");
const words = readdirSync(sheets).map((name) => JSON.parse(readFileSync(join(sheets, name), "utf8")));
writeFileSync(inStage("words.js"), `export default ${JSON.stringify(Object.fromEntries(words.map(({ lang, copy, copied, copyFailed, view }) => [lang, { copy, copied, copyFailed, ...view }])))};\n`);
const { version } = JSON.parse(readFileSync(join(out, "package.json"), "utf8"));
for (const name of ["view.js", "repair.js"]) cpSync(join(here, name), inStage(name));
bundle("view.js", "iife", `--define:VERSION="${version}"`, "--outfile=view.min.js");
const script = readFileSync(inStage("view.min.js"), "utf8");
if (/<\/script|<!--/i.test(script)) throw new Error("the script would end early");
const page = readFileSync(join(here, "card.html"), "utf8").replace(/\n */g, "\n");
writeFileSync(join(out, "card.html"), replaced(page, "SCRIPT", "").replace("<script></script>", () => `<script>${script}</script>`));
