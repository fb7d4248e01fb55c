// Starts the program that Trunk has built, by the names that Trunk has written into the page. It is a file of its own,
// because the page's policy allows no inline script.
// The gallery is a program beside it, whose wasm its module finds by itself.
const inGallery = new URLSearchParams(location.search).has("gallery");
const { module, wasm } = inGallery
  ? { module: "./gallery/gallery.js" }
  : document.querySelector("meta[name=program]").dataset;
try {
  const { default: start } = await import(module);
  await start(wasm && { module_or_path: wasm });
} catch (problem) {
  document.querySelector("#shell [role=status]")?.replaceChildren("The page could not start. Please load it again.");
  throw problem;
}
