// Plain JavaScript on purpose: an older Node must be able to read this file to say that it is too old.
import { readFileSync } from "node:fs";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const needed = engines.node.replace(">=", "");
const running = process.versions.node;

if (running.localeCompare(needed, "en", { numeric: true }) < 0) {
  process.stderr.write(
    `Atelier needs Node ${needed} or newer; this is Node ${running}.\n` +
      "On Linux and Windows `npm ci` brings it, and `npm start` uses it. Elsewhere install Node 24 first.\n",
  );
  process.exit(1);
}
