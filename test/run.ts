import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { onExit } from "./support/at-exit.ts";
import { findProgram } from "./support/find-program.ts";
import { hidePrograms } from "./support/hide-programs.ts";
import { longRunReason } from "./support/long-run.ts";
import type { ReportedTest } from "./support/outcome-reporter.ts";
import { startPgBouncer } from "./support/pgbouncer.ts";
import { createTempFolder } from "./support/temp-folder.ts";
import { testDependencies, type TestDependency } from "./support/test-dependencies.ts";

/**
 * `npm test`: runs the checks, builds the web app, starts the servers that tests need, and runs every test.
 * With file arguments, runs only those tests, without the checks: `npm test -- test/integration/posts.test.ts`.
 * With `--long`, runs tests at full size (CI uses a smaller size), which takes minutes per file:
 * `npm test -- --long test/faults/kill-service.test.ts`.
 * With `--pgbouncer`, suites that run on each database run only on PostgreSQL, through PgBouncer in transaction mode:
 * `npm test -- --pgbouncer test/integration/*.test.ts`.
 * With `--without-programs`, hides every program that npm does not install, as on a machine without them.
 */

const root = join(import.meta.dirname, "..");
const isLong = process.argv.includes("--long");
const usesPgBouncer = process.argv.includes("--pgbouncer");
const hidesPrograms = process.argv.includes("--without-programs");
const flags = ["--long", "--pgbouncer", "--without-programs"];
const requestedFiles = process.argv.slice(2).filter((argument) => !flags.includes(argument));
const timeoutFlag = `--test-timeout=${isLong ? 7_200_000 : 300_000}`;
const isEndToEnd = (file: string): boolean => file.startsWith(join("test", "e2e"));
const stops: (() => Promise<void>)[] = [];
let runningChild: ChildProcess | undefined;

onExit(() => runningChild?.kill());

process.exitCode = await main().finally(stopAll);

async function main(): Promise<number> {
  if (hidesPrograms) hidePrograms();
  // node --test ignores a missing file if others are listed.
  const missingFiles = requestedFiles.filter((file) => globSync(file, { cwd: root }).length === 0);
  if (missingFiles.length > 0) {
    console.error(
      `No such test file: ${missingFiles.join(", ")}. Tests are in test/spec, integration, e2e and faults.`,
    );
    return 1;
  }
  if (requestedFiles.length === 0 && !(await run(["scripts/check.ts"]))) return 1;
  if (!(await run(["scripts/build-web.ts"]))) return 1;

  // Every test file is a process, and some start dozens, so they share a compile cache.
  const env: Record<string, string> = { NODE_COMPILE_CACHE: createTempFolder("atelier-compiled-").path };
  if (isLong) env["TEST_LONG"] = "1";
  const missingDependencies: TestDependency[] = [];
  for (const dependency of testDependencies) {
    const provided = await dependency.provide();
    if (!provided) missingDependencies.push(dependency);
    if (provided) stops.push(provided.stop);
    Object.assign(env, provided?.env);
  }
  const visibleDependencies = testDependencies.filter((dependency) => !missingDependencies.includes(dependency));
  if (hidesPrograms && visibleDependencies.length > 0) {
    console.error(`--without-programs did not hide: ${visibleDependencies.map(({ name }) => name).join(", ")}`);
    return 1;
  }
  if (usesPgBouncer) {
    const pooler = await startPgBouncer(findProgram("pgbouncer") ?? "pgbouncer", env["TEST_DATABASE_URL"] ?? "");
    stops.unshift(pooler.stop);
    env["TEST_POOLER_URL"] = pooler.url;
  }

  const allFiles = globSync("test/{spec,integration,e2e,faults}/**/*.test.ts", { cwd: root }).toSorted();
  const files = requestedFiles.length > 0 ? requestedFiles.map((file) => relative(root, file)) : allFiles;
  const [browserTests, otherTests] = [files.filter(isEndToEnd), files.filter((file) => !isEndToEnd(file))];
  // Most tests wait more than they compute, so two cores run four files at a time. Browsers have a
  // phase of their own, because they would disturb tests that measure response times, and need more of a core.
  const phases = [await runTests(otherTests, 4, env), await runTests(browserTests, 3, env)];
  const reports = phases.flatMap((phase) => phase.reports);
  const skippedTests = reports.filter(({ outcome, reason }) => outcome === "skipped" && reason !== longRunReason);
  printTests(
    "Failed tests",
    reports.filter(({ outcome }) => outcome === "failed"),
  );
  printTests("Skipped tests", skippedTests);
  printMissing(missingDependencies);
  const isIncomplete = missingDependencies.length > 0 || skippedTests.length > 0;
  const mustBeComplete = process.env["CI"] === "true" && !hidesPrograms;
  if (isIncomplete && mustBeComplete) console.error("CI=true: a missing program or a skipped test is a failure.");
  return phases.every((phase) => phase.passed) && !(isIncomplete && mustBeComplete) ? 0 : 1;
}

async function runTests(
  files: readonly string[],
  concurrency: number,
  env: Record<string, string>,
): Promise<{ passed: boolean; reports: ReportedTest[] }> {
  if (files.length === 0) return { passed: true, reports: [] };
  const supportFile = (name: string): string => join(import.meta.dirname, "support", name);
  const reportsPath = join(createTempFolder("atelier-test-reports-").path, "reports.jsonl");
  const reporterFlags = [
    ["spec", "stdout"],
    [supportFile("outcome-reporter.ts"), reportsPath],
  ].flatMap(([reporter, destination]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`]);
  const importFlag = `--import=${pathToFileURL(supportFile("exit-limit.ts")).href}`;
  const passed = await run(
    ["--test", importFlag, timeoutFlag, ...reporterFlags, `--test-concurrency=${concurrency}`, ...files],
    env,
  );
  const lines = readFileSync(reportsPath, "utf8").split("\n").slice(0, -1);
  return { passed, reports: lines.map((line) => JSON.parse(line) as ReportedTest) };
}

function printTests(heading: string, tests: readonly ReportedTest[]): void {
  if (tests.length === 0) return;
  const lines = tests.map(({ location, name, reason }) => `  ${location}  ${name}: ${reason}`);
  console.error(`\n${heading}:\n${lines.join("\n")}`);
}

/** Prints what was not tested because a dependency is missing. */
function printMissing(dependencies: readonly TestDependency[]): void {
  if (dependencies.length === 0) return;
  const separator = "!".repeat(100);
  const lines = dependencies.map(
    ({ name, untested, installHint }) =>
      `  MISSING: ${name}\n    Not tested:     ${untested}\n    To install it:  ${installHint}`,
  );
  console.error(`\n${separator}\n${lines.join("\n")}\n${separator}`);
}

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<boolean> {
  runningChild = spawn(process.execPath, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
  const [code] = (await once(runningChild, "exit")) as [number | null];
  return code === 0;
}

async function stopAll(): Promise<void> {
  await Promise.allSettled(stops.splice(0).map((stop) => stop()));
}
