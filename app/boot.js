// Starts the program that Trunk has built, by the names that Trunk has written into the page. It is a file of its own,
// because the page's policy allows no inline script.
const { module, wasm } = document.querySelector("meta[name=program]").dataset;
try {
  const { default: start } = await import(module);
  await start({ module_or_path: wasm });
} catch (problem) {
  document.querySelector("#shell [role=status]")?.replaceChildren("The page could not start. Please load it again.");
  throw problem;
}
