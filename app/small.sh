# Makes the files of a page that Trunk has built small: its scripts by esbuild, and a copy of each file by Brotli and by gzip in Node.
set -e
cd "$TRUNK_STAGING_DIR"
if command -v esbuild >/dev/null; then
  esbuild ./*.js --minify --charset=utf8 --format=esm --log-level=error --outdir=. --allow-overwrite
fi
if command -v node >/dev/null; then
  node "$TRUNK_SOURCE_DIR/app/compress.mjs" .
fi
