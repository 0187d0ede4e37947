import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onExit } from "./support/at-exit.ts";
import { createTemplates } from "./support/engines.ts";
import { writeFileGroups, type FileTimes } from "./support/file-group.ts";
import { findProgram } from "./support/find-program.ts";
import { hidePrograms } from "./support/hide-programs.ts";
import { longRunReason } from "./support/long-run.ts";
import type { ReportedTest } from "./support/outcome-reporter.ts";
import { startPgBouncer } from "./support/pgbouncer.ts";
import { createTempFolder } from "./support/temp-folder.ts";
import { testDependencies, type TestDependency } from "./support/test-dependencies.ts";

/**
 * `npm test`: runs the checks, builds the web app, starts the servers that tests need, and runs every test whose outcome
 * does not depend on the speed of the machine. With file arguments, runs only those tests, without the checks:
 * `npm test -- test/integration/posts.test.ts`.
 * `npm run reliability`: runs the tests of test/reliability, one file at a time, and prints a line per guarantee.
 * With `--long`, runs tests at full size, which takes minutes per file:
 * `npm run reliability -- --long test/reliability/kill-service.test.ts`.
 * With `--pgbouncer`, suites that run on each database run only on PostgreSQL, through PgBouncer in transaction mode:
 * `npm test -- --pgbouncer test/integration/*.test.ts`.
 * With `--without-programs`, hides every program that npm does not install, as on a machine without them.
 * With `--slow-pages`, delays some of what pages request by up to 2.5 s, so that tests in a browser that act too early fail:
 * `npm test -- --slow-pages test/e2e/*.test.ts`.
 * Writes the time and CPU of each test file to build/test-times.tsv.
 */

const root = join(import.meta.dirname, "..");
const isLong = process.argv.includes("--long");
const usesPgBouncer = process.argv.includes("--pgbouncer");
const hidesPrograms = process.argv.includes("--without-programs");
const isReliability = process.argv.includes("--reliability");
const hasSlowPages = process.argv.includes("--slow-pages");
const flags = ["--long", "--pgbouncer", "--without-programs", "--reliability", "--slow-pages"];
const requestedFiles = process.argv.slice(2).filter((argument) => !flags.includes(argument));
const maxMinutes = isReliability ? 15 : 10;
/** A process loads the server's modules once for its files. More files per process leave the other processes idle at the end. */
const maxFilesPerProcess = isReliability ? { browser: 1, other: 1 } : { browser: 3, other: 9 };
/** Most tests wait more than they compute. Reliability is measured on an otherwise idle machine. */
const processCount = isReliability ? 1 : 6;
const timeoutFlag = `--test-timeout=${(isLong ? 120 : maxMinutes) * 60_000}`;
const isBrowserTest = (file: string): boolean => file.startsWith(join("test", "e2e"));
const stops: (() => Promise<void>)[] = [];
const missingDependencies: TestDependency[] = [];
let runningChild: ChildProcess | undefined;

onExit(() => runningChild?.kill());

process.exitCode = await main().finally(stopAll);

async function main(): Promise<number> {
  if (hidesPrograms) hidePrograms();
  if (!isReliability) useMemoryForTempFiles();
  // node --test ignores a missing file if others are listed.
  const missingFiles = requestedFiles.filter((file) => globSync(file, { cwd: root }).length === 0);
  if (missingFiles.length > 0) {
    console.error(
      `No such test file: ${missingFiles.join(", ")}. Tests are in test/spec, integration, e2e, faults and reliability.`,
    );
    return 1;
  }
  if (requestedFiles.length === 0 && !isReliability && !(await run(["scripts/check.ts"]))) return 1;
  if (!(await run(["scripts/build-web.ts"]))) return 1;

  const env = await prepare();
  if (!env) return 1;
  const folders = isReliability ? "reliability" : "{spec,integration,e2e,faults}";
  const patterns = requestedFiles.length > 0 ? requestedFiles : [`test/${folders}/**/*.test.ts`];
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted();
  const { passed, reports } = await runTests(files, env);
  writeTimes(env["TEST_TIMES"] ?? "");
  if (isReliability) printGuarantees(reports.filter(({ outcome }) => outcome !== "skipped"));
  const skippedTests = reports.filter(({ outcome, reason }) => outcome === "skipped" && reason !== longRunReason);
  printTests(
    "Failed tests",
    reports.filter(({ outcome }) => outcome === "failed"),
  );
  const isIncomplete = missingDependencies.length > 0 || skippedTests.length > 0;
  const mustBeComplete = process.env["CI"] === "true" && !hidesPrograms;
  if (mustBeComplete || missingDependencies.length === 0) printTests("Skipped tests", skippedTests);
  printMissing(missingDependencies, skippedTests.length);
  if (isIncomplete && mustBeComplete) console.error("CI=true: a missing program or a skipped test is a failure.");
  return passed && !(isIncomplete && mustBeComplete) ? 0 : 1;
}

/** Starts the servers, and returns the environment of the tests; undefined if they can't run. */
async function prepare(): Promise<Record<string, string> | undefined> {
  // Every test file is a process, and some start dozens, so they share a compile cache.
  const env: Record<string, string> = {
    NODE_COMPILE_CACHE: createTempFolder("atelier-compiled-").path,
    TEST_TIMES: join(createTempFolder("atelier-test-times-").path, "times.jsonl"),
  };
  if (isLong) env["TEST_LONG"] = "1";
  if (hasSlowPages) env["TEST_SLOW_PAGES"] = "1";
  for (const dependency of testDependencies) {
    const provided = await dependency.provide();
    if (!provided) missingDependencies.push(dependency);
    if (provided) stops.push(provided.stop);
    Object.assign(env, provided?.env);
  }
  Object.assign(process.env, env);
  const templates = await createTemplates();
  stops.unshift(templates.remove);
  Object.assign(env, templates.env);
  const visibleDependencies = testDependencies.filter((dependency) => !missingDependencies.includes(dependency));
  if (hidesPrograms && visibleDependencies.length > 0) {
    console.error(`--without-programs did not hide: ${visibleDependencies.map(({ name }) => name).join(", ")}`);
    return undefined;
  }
  if (usesPgBouncer) {
    const pooler = await startPgBouncer(findProgram("pgbouncer") ?? "pgbouncer", env["TEST_DATABASE_URL"] ?? "");
    stops.unshift(pooler.stop);
    env["TEST_POOLER_URL"] = pooler.url;
  }
  return env;
}

async function runTests(
  files: readonly string[],
  env: Record<string, string>,
): Promise<{ passed: boolean; reports: ReportedTest[] }> {
  const supportFile = (name: string): string => join(import.meta.dirname, "support", name);
  const folder = createTempFolder("atelier-test-reports-").path;
  const reportsPath = join(folder, "reports.jsonl");
  // The runner starts processes in the order of their names: browsers first, because they take longest.
  const groups = [
    ...writeFileGroups("browser", files.filter(isBrowserTest), maxFilesPerProcess.browser, folder),
    ...writeFileGroups(
      "other",
      files.filter((file) => !isBrowserTest(file)),
      maxFilesPerProcess.other,
      folder,
    ),
  ];
  const reporterFlags = [
    ["spec", "stdout"],
    [supportFile("outcome-reporter.ts"), reportsPath],
  ].flatMap(([reporter, destination]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`]);
  const importFlag = `--import=${pathToFileURL(supportFile("exit-limit.ts")).href}`;
  const passed = await run(
    ["--test", importFlag, timeoutFlag, ...reporterFlags, `--test-concurrency=${processCount}`, ...groups],
    env,
  );
  return { passed, reports: readJsonLines<ReportedTest>(reportsPath) };
}

function readJsonLines<T>(path: string): T[] {
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as T);
}

/** Writes to memory, where the system has a file system in memory that is large enough. */
function useMemoryForTempFiles(): void {
  const path = "/dev/shm";
  const minBytes = 4 * 1024 ** 3;
  if (process.env["TMPDIR"] !== undefined || !existsSync(path)) return;
  const { bavail, bsize } = statfsSync(path);
  if (bavail * bsize >= minBytes) process.env["TMPDIR"] = path;
}

/** Writes the slowest files first. */
function writeTimes(path: string): void {
  const times = readJsonLines<FileTimes>(path).toSorted((a, b) => b.cpuSeconds - a.cpuSeconds);
  const lines = times.map(({ file, seconds, cpuSeconds }) => [cpuSeconds.toFixed(1), seconds.toFixed(1), file]);
  mkdirSync(join(root, "build"), { recursive: true });
  const rows = [["CPU s", "s", "file"], ...lines].map((row) => `${row.join("\t")}\n`);
  writeFileSync(join(root, "build/test-times.tsv"), rows.join(""));
}

function printGuarantees(tests: readonly ReportedTest[]): void {
  const lines = tests.map(({ outcome, name, location, seconds }) => {
    const mark = outcome === "passed" ? "holds " : "FAILED";
    return `  ${mark} ${seconds.toFixed(0).padStart(5)} s  ${location.replace(/^.*\/|\.test\.ts.*$/g, "")}: ${name}`;
  });
  console.log(`\nGuarantees:\n${lines.join("\n")}`);
}

function printTests(heading: string, tests: readonly ReportedTest[]): void {
  if (tests.length === 0) return;
  const lines = tests.map(({ location, name, reason }) => `  ${location}  ${name}: ${reason}`);
  console.error(`\n${heading}:\n${lines.join("\n")}`);
}

/** Prints in three lines what was not tested because a dependency is missing. */
function printMissing(dependencies: readonly TestDependency[], skippedCount: number): void {
  if (dependencies.length === 0) return;
  const list = (key: "name" | "untested" | "installHint"): string =>
    [...new Set(dependencies.map((dependency) => dependency[key]))].join("; ");
  console.error(`
MISSING:        ${list("name")}
Not tested:     ${list("untested")}; ${skippedCount} tests were skipped
To install it:  ${list("installHint")}`);
}

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<boolean> {
  runningChild = spawn(process.execPath, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
  const [code] = (await once(runningChild, "exit")) as [number | null];
  return code === 0;
}

async function stopAll(): Promise<void> {
  await Promise.allSettled(stops.splice(0).map((stop) => stop()));
}
