// Plain JavaScript, so that an older Node can run this file and report that it is too old.
import { readFileSync } from "node:fs";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const required = engines.node.replace(">=", "");
const running = process.versions.node;

if (running.localeCompare(required, "en", { numeric: true }) < 0) {
  process.stderr.write(
    `Atelier needs Node ${required} or newer; this is Node ${running}.\n` +
      "On Linux and Windows, run `npm ci` to install it and `npm start` to use it. On other systems, install Node 24 first.\n",
  );
  process.exit(1);
}
