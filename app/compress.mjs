// Writes copies of all files in a folder by Brotli and gzip, beside each. Trunk runs it after a build for release.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

const [, , folder] = process.argv;
for (const name of fs.readdirSync(folder, { recursive: true })) {
  const file = path.join(folder, name);
  if (/\.(br|gz)$/.test(name) || !fs.statSync(file).isFile()) continue;
  const bytes = fs.readFileSync(file);
  fs.writeFileSync(`${file}.br`, zlib.brotliCompressSync(bytes));
  fs.writeFileSync(`${file}.gz`, zlib.gzipSync(bytes, { level: 9 }));
}
