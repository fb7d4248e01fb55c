// Released clients of AG-UI against the server itself: `node main.mjs SERVER PACKAGES`, where PACKAGES is a folder in which versions of
// `@ag-ui/client` are installed as `client-VERSION`. `cargo xtask test clients` brings and runs them.

import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Houses } from "./house.mjs";
import * as booking from "./booking.mjs";
import * as coding from "./coding.mjs";
import * as interrupts from "./interrupts.mjs";
import * as stopping from "./stopping.mjs";
import * as tools from "./tools.mjs";

const [server, packages] = process.argv.slice(2);
const versions = readdirSync(join(packages, "node_modules")).flatMap((name) => name.match(/^client-(.+)$/)?.[1] ?? []);
if (versions.length === 0) throw new Error(`${packages} has no client`);
const journeys = [booking, coding, interrupts, stopping, tools].flatMap((module) =>
  Object.entries(module),
);

// The clients' lines on the console are about an error that they throw as well.
console.error = () => {};
console.warn = () => {};

const houses = new Houses(server);
let failures = 0;
try {
  for (const version of versions) {
    const client = createRequire(join(packages, "/"))(`client-${version}`);
    for (const [name, journey] of journeys) {
      const title = `@ag-ui/client ${version}: ${name.replaceAll("_", " ")}`;
      try {
        await inTime(journey({ houses, client, version }));
        console.log(`ok      ${title}`);
      } catch (problem) {
        failures += 1;
        console.log(`FAILED  ${title}\n${problem?.stack ?? problem}`);
      }
    }
  }
} finally {
  await houses.close();
}
console.log(`${versions.length * journeys.length} journeys, ${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;

/** A journey that hangs is a failed one. */
function inTime(journey) {
  const patience = 60_000;
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing happens any more`)), patience);
  });
  return Promise.race([journey, late]).finally(() => clearTimeout(timer));
}
