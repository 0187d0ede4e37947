// Plain JavaScript, so that an older Node can run this file and report that it is too old.
import { readFileSync } from "node:fs";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const requiredVersion = engines.node.replace(">=", "");
const runningVersion = process.versions.node;

if (runningVersion.localeCompare(requiredVersion, "en", { numeric: true }) < 0) {
  process.stderr.write(
    `Atelier needs Node ${requiredVersion} or newer; this is Node ${runningVersion}.\n` +
      "On Linux and Windows, run `npm ci` to install it and `npm start` to use it. On other systems, install Node 24 first.\n",
  );
  process.exit(1);
}
