// Builds the page that PAGE names, as a team of its framework would.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import react from "@vitejs/plugin-react";
import vue from "@vitejs/plugin-vue";
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const page = process.env.PAGE;
const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const main = ["main.js", "main.jsx"].find((name) => existsSync(at(`${page}/${name}`)));
writeFileSync(at(`${page}/index.html`), `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${page}</title>
    <link rel="icon" href="data:,">
    <script type="module" src="./${main}"></script>
  </head>
  <body><div id="app"></div></body>
</html>
`);
const isElement = (tag) => tag === "question-card";
const asVue = () => [vue({ template: { compilerOptions: { isCustomElement: isElement } } })];
const plugins = {
  plain: () => [],
  "mcp-host": () => [],
  vue: asVue,
  keyless: asVue,
  svelte: () => [svelte({ configFile: false })],
};

export default defineConfig({
  root: at(page),
  base: "./",
  plugins: plugins[page]?.() ?? [react()],
  build: { outDir: at(`dist/${page}`), emptyOutDir: true, target: "esnext", modulePreload: { polyfill: false } },
  logLevel: "warn",
});
