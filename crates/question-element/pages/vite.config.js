// Builds the page that PAGE names, as a team of its framework would.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import react from "@vitejs/plugin-react";
import vue from "@vitejs/plugin-vue";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const page = process.env.PAGE;
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
  root: fileURLToPath(new URL(page, import.meta.url)),
  base: "./",
  plugins: plugins[page]?.() ?? [react()],
  build: { outDir: fileURLToPath(new URL(`dist/${page}`, import.meta.url)), emptyOutDir: true, target: "esnext", modulePreload: { polyfill: false } },
  logLevel: "warn",
});
