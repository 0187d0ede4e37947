import { execFile } from "node:child_process";
import { promisify } from "node:util";
import packageJson from "../package.json" with { type: "json" };

/**
 * Warns when the registry has a newer release of a pinned Node package in the same major version, because it may be a
 * security release. Never fails: a new release must not block unrelated changes.
 */

const execFileAsync = promisify(execFile);

const pinnedPackages = Object.entries(packageJson.optionalDependencies).filter(([name]) => name.startsWith("node-"));
const warnings = (await Promise.all(pinnedPackages.map(([name, version]) => findWarning(name, version)))).filter(
  (warning) => warning !== undefined,
);
for (const warning of warnings) console.warn(`WARNING: ${warning}`);
if (warnings.length === 0) {
  const names = pinnedPackages.map(([name, version]) => `${name} ${version}`).join(", ");
  console.log(`Every pinned Node package is the latest release of its major version: ${names}`);
}

async function findWarning(name: string, pinnedVersion: string): Promise<string | undefined> {
  try {
    const newestVersion = (await fetchVersions(name))
      .filter((version) => version.split(".", 1)[0] === pinnedVersion.split(".", 1)[0] && !version.includes("-"))
      .toSorted(compareVersions)
      .at(-1);
    if (newestVersion === undefined || compareVersions(newestVersion, pinnedVersion) <= 0) return undefined;
    return `${name} ${newestVersion} is available, ${pinnedVersion} is pinned. Pin it, immediately if it is a security release.`;
  } catch (error) {
    const reason = /npm error code (\S+)/.exec(String(error))?.[1] ?? "npm did not respond";
    return `Could not check the registry for newer releases of ${name} ${pinnedVersion} (${reason}).`;
  }
}

async function fetchVersions(name: string): Promise<string[]> {
  const options = ["--json", "--prefer-online", "--fetch-retries=0", "--fetch-timeout=15000"];
  const { stdout } = await execFileAsync("npm", ["view", name, "versions", ...options], { timeout: 30_000 });
  return [JSON.parse(stdout) as string | string[]].flat();
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
