import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { onExit } from "../support/at-exit.ts";
import { writeFileGroups } from "../support/file-group.ts";
import type { ReportedTest } from "../support/outcome-reporter.ts";
import { createTempFolder } from "../support/temp-folder.ts";

const toSupportPath = (name: string): string => join(import.meta.dirname, "../support", name);

/** Runs test files as `npm test` does, but without any program in PATH; resolves when the runner exits by itself. */
async function runTestFiles(...files: string[]): Promise<{ code: number; reports: ReportedTest[] }> {
  const folder = createTempFolder();
  const reportsPath = join(folder.path, "reports.jsonl");
  const args = [
    "--test",
    "--test-concurrency=5",
    `--import=${pathToFileURL(toSupportPath("exit-limit.ts")).href}`,
    `--test-reporter=${toSupportPath("outcome-reporter.ts")}`,
    `--test-reporter-destination=${reportsPath}`,
  ];
  const child = spawn(process.execPath, [...args, ...writeFileGroups("file", files, 1, folder.path)], {
    env: { PATH: "", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    stdio: "ignore",
  });
  const unregister = onExit(() => child.kill());
  const [code] = (await once(child, "exit")) as [number];
  unregister();
  const lines = readFileSync(reportsPath, "utf8").split("\n").slice(0, -1);
  folder.remove();
  const reports = lines.map((line) => JSON.parse(line) as ReportedTest);
  return { code, reports: reports.filter(({ outcome }) => outcome !== "passed") };
}

test("a file whose setup throws, or that leaves a server or process open, ends by itself and names what is open", async () => {
  const folder = createTempFolder();
  const header = `import { spawn } from "node:child_process";
    import { createServer } from "node:http";
    import { before, describe, test } from "node:test";
    const leaveServerOpen = () => createServer().listen(0);
    const startProcess = () =>
      spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit", detached: true });\n`;
  const sources = {
    "leak.test.mjs": `test("passes", leaveServerOpen);`,
    "setup.test.mjs": `describe("suite", () => {
      before(() => { leaveServerOpen(); throw new Error("setup failed"); });
      test("does not run", () => {});
    });`,
    "process.test.mjs": `test("passes", () => void startProcess());`,
    "background-process.test.mjs": `test("passes", () => startProcess().unref());`,
    "import.test.mjs": `leaveServerOpen(); throw new Error("import failed");`,
  };
  const paths = Object.entries(sources).map(([name, source]) => {
    const path = join(folder.path, name);
    writeFileSync(path, header + source);
    return path;
  });
  const { code, reports } = await runTestFiles(...paths);
  folder.remove();
  assert.equal(code, 1);
  const failures = reports.map(({ location, name, reason }) => `${location} ${name}: ${reason}`).join("\n");
  assert.match(failures, /process of \S+leak\.test\.mjs: still running 10 s after its last test.*TCPServerWrap/);
  assert.match(failures, /process of \S+process\.test\.mjs: still running.*ProcessWrap/);
  assert.doesNotMatch(failures, /background-process/);
  assert.match(failures, /suite: setup failed/);
  assert.match(failures, /import\.test\.mjs: import failed/);
});

test("without snac, the suites that publish to a Mastodon server are skipped and reported", async () => {
  const { code, reports } = await runTestFiles(
    join(import.meta.dirname, "../integration/mastodon.test.ts"),
    join(import.meta.dirname, "../reliability/kill-mastodon.test.ts"),
  );
  assert.equal(code, 0);
  assert.deepEqual(reports.map(({ outcome, location, reason }) => [outcome, basename(location), reason]).toSorted(), [
    ["skipped", "kill-mastodon.test.ts", "not installed: snac"],
    ["skipped", "mastodon.test.ts", "not installed: snac"],
  ]);
});
