import { spawn } from "node:child_process";
import { join } from "node:path";
import { buildWeb } from "../scripts/build-web.ts";

/**
 * Builds the web app and runs the benchmarks, one at a time so that they do not affect each other. One that exceeds a
 * limit runs a second time, because other load on the machine can cause that; only if it does so again, the run fails.
 *   npm run bench              without the large ones, about ten minutes
 *   npm run bench -- --full    all of them, about an hour
 */
const isFullRun = process.argv.includes("--full");
const quickFlag = isFullRun ? [] : ["--quick"];

const largeBenchmarks: readonly [file: string, ...args: string[]][] = [
  ["live-pages.ts"],
  ["growth.ts", "--write"],
  ["database-size.ts", "--posts=100000"],
  ["migrations.ts", "--posts=10000"],
];

const benchmarks: readonly [file: string, ...args: string[]][] = [
  ["start.ts"],
  ["auth.ts", ...quickFlag],
  ["mcp.ts", ...quickFlag],
  ["mcp.ts", "--growth", ...quickFlag],
  ["disk-put.ts", ...(isFullRun ? ["--full"] : [])],
  ["upload-page.ts", ...(isFullRun ? ["--full"] : [])],
  ["first-page.ts"],
  ["scroll.ts", ...quickFlag],
  ["scale.ts", ...quickFlag],
  ["assets.ts", "sqlite", "postgres", `--assets=${isFullRun ? 1_000_000 : 20_000}`],
  ["history.ts", ...quickFlag],
  ["search.ts", isFullRun ? "--full" : "--quick"],
  ["publishing.ts", ...quickFlag],
  ["subscriptions.ts", ...quickFlag],
  ["renditions.ts", ...quickFlag],
  ...(isFullRun ? largeBenchmarks : []),
];

/** Resolves with whether every value was within its limit. */
async function run(file: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], { stdio: "inherit" });
  const startedAt = performance.now();
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  process.stderr.write(`${file}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`);
  return code === 0;
}

await buildWeb();
let failureCount = 0;
for (const [file, ...args] of benchmarks) {
  if (await run(file, args)) continue;
  process.stderr.write(`${file} failed or exceeded a limit. It runs once more.\n`);
  if (!(await run(file, args))) failureCount++;
}
if (failureCount > 0)
  process.stderr.write(`${failureCount} of ${benchmarks.length} benchmarks failed or exceeded a limit twice.\n`);
process.exitCode = failureCount > 0 ? 1 : 0;
