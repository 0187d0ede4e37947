import { spawn } from "node:child_process";
import { join } from "node:path";

/**
 * Every measurement, one after the other, so that none disturbs another.
 *   npm run bench              within ten minutes
 *   npm run bench -- --full    the large ones too
 */
const isFull = process.argv.includes("--full");

const measurements: readonly [file: string, ...args: string[]][] = [
  ["auth.ts", ...(isFull ? [] : ["--quick"])],
  ["mcp.ts"],
  ["mcp.ts", "--growth", ...(isFull ? [] : ["--quick"])],
  ["disk-put.ts", ...(isFull ? ["--full"] : [])],
  ["upload-page.ts", ...(isFull ? ["--full"] : [])],
  ["scale.ts", ...(isFull ? [] : ["--quick"])],
  ["assets.ts", "sqlite", "postgres", `--assets=${isFull ? 1_000_000 : 100_000}`],
  ...(isFull ? [["growth.ts", "--write"] satisfies [string, string]] : []),
];

let failedCount = 0;
for (const [file, ...args] of measurements) {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], { stdio: "inherit" });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  if (code !== 0) failedCount++;
}
if (failedCount > 0)
  process.stderr.write(`${failedCount} of ${measurements.length} did not end well, or missed a limit.\n`);
process.exitCode = failedCount > 0 ? 1 : 0;
