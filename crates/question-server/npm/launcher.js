#!/usr/bin/env node
// Starts the program that npm has installed beside this package, for this platform alone.
"use strict";

const { spawn } = require("node:child_process");
const path = require("node:path");
const { name, version, optionalDependencies } = require("./package.json");

/** The path of the program, or a sentence about why there is none. */
function program() {
  const wanted = `${name}-${process.platform}-${process.arch}`;
  if (!(wanted in optionalDependencies)) {
    const known = Object.keys(optionalDependencies).map((one) => one.slice(name.length + 1));
    fail(
      `there is no program for ${process.platform}-${process.arch}, but for ${known.join(", ")}. ` +
        `With Rust it can be built: cargo install ${name}`,
    );
  }
  let manifest;
  try {
    manifest = require.resolve(`${wanted}/package.json`);
  } catch {
    fail(
      `the package ${wanted} is missing, which npm leaves out with --omit=optional, or with a lock file of another platform. ` +
        `Install it: npm install ${wanted}@${version}`,
    );
  }
  const installed = require(manifest).version;
  if (installed !== version) {
    fail(`${name} ${version} has found ${wanted} ${installed}. Install the same version of both: npm install ${name}@${version}`);
  }
  return path.join(path.dirname(manifest), process.platform === "win32" ? `${name}.exe` : name);
}

function fail(why) {
  console.error(`${name}: ${why}`);
  process.exit(1);
}

// A terminal sends these to both; an npx, a client of MCP or a supervisor to this process alone. Taken before there is a program, so that
// none ends this process and leaves that one.
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
for (const signal of signals) {
  process.on(signal, () => child.kill(signal));
}
const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
child.on("error", (problem) => fail(`can't start ${child.spawnfile}: ${problem.message}`));
// Npx starts this in a shell, which a signal ends and does not pass on.
if (process.env.npm_command === "exec") {
  const shell = process.ppid;
  setInterval(() => process.ppid === shell || child.kill("SIGTERM"), 500).unref();
}
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  // Ends as the program did.
  for (const one of signals) {
    process.removeAllListeners(one);
  }
  process.kill(process.pid, signal);
});
