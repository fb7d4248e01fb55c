// Arguments in another form than the tool's own are repaired by a program that is loaded when the first of them come.

let program;

/** Promises the arguments in the tool's own form; nothing if nothing in them can be shown. */
export async function repair(text) {
  program ??= import("./wasm/repair.js").then(async (module) => {
    await module.default();
    return module;
  });
  // A failed load can be tried again.
  program.catch(() => (program = undefined));
  const repaired = (await program).repair(text);
  return repaired ? JSON.parse(repaired) : undefined;
}
