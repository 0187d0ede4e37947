import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { join, relative } from "node:path";
import { onExit } from "./support/at-exit.ts";
import { createTempFolder } from "./support/temp-folder.ts";
import { testDependencies, type TestDependency } from "./support/test-dependencies.ts";

/**
 * What `npm test` runs: the checks, the build of the web app, then every test with what it needs beside it.
 * With arguments, only those test files, without the checks: `npm test -- test/integration/posts.test.ts`.
 * With `--long`, what CI bounds is run to the full, which takes minutes a file: `npm test -- --long test/faults/kill-service.test.ts`.
 */

const root = join(import.meta.dirname, "..");
const isLong = process.argv.includes("--long");
const chosen = process.argv.slice(2).filter((argument) => argument !== "--long");
const flags = ["--test", "--test-reporter=spec", `--test-timeout=${isLong ? 7_200_000 : 300_000}`];
const isEndToEnd = (file: string): boolean => file.startsWith(join("test", "e2e"));
const stops: (() => Promise<void>)[] = [];
let running: ChildProcess | undefined;

onExit(() => running?.kill()); // what else is under way ends itself in the same manner

process.exitCode = await main().finally(stopAll);

async function main(): Promise<number> {
  // Named beside others, a file that is not there would pass in silence.
  const lost = chosen.filter((file) => globSync(file, { cwd: root }).length === 0);
  if (lost.length > 0) {
    console.error(`There is no test file ${lost.join(", ")}. They lie in test/spec, integration, e2e and faults.`);
    return 1;
  }
  if (chosen.length === 0 && !(await run(["scripts/check.ts"]))) return 1;
  if (!(await run(["scripts/build-web.ts"]))) return 1;

  // Every test file is a process, and some start dozens: they share what was compiled.
  const env: Record<string, string> = { NODE_COMPILE_CACHE: createTempFolder("atelier-compiled-").path };
  if (isLong) env["TEST_LONG"] = "1";
  const missing: TestDependency[] = [];
  for (const need of testDependencies) {
    const provided = await need.provide();
    if (!provided) missing.push(need);
    if (provided) stops.push(provided.stop);
    Object.assign(env, provided?.env);
  }

  const found = globSync("test/{spec,integration,e2e,faults}/**/*.test.ts", { cwd: root }).toSorted();
  const files = chosen.length > 0 ? chosen.map((file) => relative(root, file)) : found;
  const [outside, inside] = [files.filter(isEndToEnd), files.filter((file) => !isEndToEnd(file))];
  // Two at a time: more would measure the machine, not the code, where a test says "within 5 s". A browser takes all of it.
  const passed = [await runTests(inside, 2, env), await runTests(outside, 1, env)];
  return report(missing) && passed.every(Boolean) ? 0 : 1;
}

async function runTests(files: readonly string[], atOnce: number, env: Record<string, string>): Promise<boolean> {
  return files.length === 0 || run([...flags, `--test-concurrency=${atOnce}`, ...files], env);
}

/** Says loudly what this machine could not test; false where that is a failure. */
function report(missing: readonly TestDependency[]): boolean {
  if (missing.length === 0) return true;
  const rule = "!".repeat(100);
  const lines = missing.map(
    (need) => `  MISSING: ${need.name}\n    Not tested:   ${need.untested}\n    To bring it:  ${need.installHint}`,
  );
  console.error(`\n${rule}\n${lines.join("\n")}\n${rule}`);
  const strict = process.env["CI"] === "true";
  if (strict) console.error("CI=true: what is missing is a failure.");
  return !strict;
}

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<boolean> {
  running = spawn(process.execPath, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
  const [code] = (await once(running, "exit")) as [number | null];
  return code === 0;
}

async function stopAll(): Promise<void> {
  await Promise.allSettled(stops.splice(0).map((stop) => stop()));
}
