import { execFile } from "node:child_process";
import { promisify } from "node:util";
import packageJson from "../package.json" with { type: "json" };

/**
 * Warns when the registry has a newer release of the pinned Node line, because it may be a security release.
 * Never fails: a new release must not block unrelated changes.
 */

const run = promisify(execFile);

const pins = Object.entries(packageJson.optionalDependencies).filter(([name]) => name.startsWith("node-"));
const warnings = (await Promise.all(pins.map(([name, version]) => findWarning(name, version)))).filter(
  (warning) => warning !== undefined,
);
for (const warning of warnings) console.warn(`WARNING: ${warning}`);
if (warnings.length === 0)
  console.log(`Each pinned Node is the newest of its line: ${pins.map((pin) => pin.join(" ")).join(", ")}`);

async function findWarning(name: string, pinned: string): Promise<string | undefined> {
  try {
    const newest = (await readVersions(name))
      .filter((version) => version.split(".", 1)[0] === pinned.split(".", 1)[0] && !version.includes("-"))
      .toSorted(compareVersions)
      .at(-1);
    if (newest === undefined || compareVersions(newest, pinned) <= 0) return undefined;
    return `${name} ${newest} is available, ${pinned} is pinned. Check whether it is a security release, and pin it.`;
  } catch (error) {
    const reason = /npm error code (\S+)/.exec(String(error))?.[1] ?? "npm did not respond";
    return `could not check the registry for newer releases of ${name} ${pinned} (${reason}).`;
  }
}

async function readVersions(name: string): Promise<string[]> {
  const options = ["--json", "--prefer-online", "--fetch-retries=0", "--fetch-timeout=15000"];
  const { stdout } = await run("npm", ["view", name, "versions", ...options], { timeout: 30_000 });
  return [JSON.parse(stdout) as string | string[]].flat();
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
