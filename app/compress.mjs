// Drops comments and indents of the scripts in a folder, whose syntax Trunk's own minifier does not know. Then writes copies of all files by
// Brotli and gzip, beside each. Trunk runs it after a build for release.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

const [, , folder] = process.argv;
for (const name of fs.readdirSync(folder, { recursive: true })) {
  const file = path.join(folder, name);
  if (/\.(br|gz)$/.test(name) || !fs.statSync(file).isFile()) continue;
  if (name.endsWith(".js")) {
    const script = fs.readFileSync(file, "utf8").replace(/^\s*\/\*\*[^]*?\*\/$/gm, "");
    fs.writeFileSync(file, script.replace(/^\s*(\/\/.*)?\n?/gm, ""));
  }
  const bytes = fs.readFileSync(file);
  fs.writeFileSync(`${file}.br`, zlib.brotliCompressSync(bytes));
  fs.writeFileSync(`${file}.gz`, zlib.gzipSync(bytes, { level: 9 }));
}
