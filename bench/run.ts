import { spawn } from "node:child_process";
import { join } from "node:path";

/**
 * Every measurement, one after the other, so that none disturbs another.
 *   npm run bench              within ten minutes
 *   npm run bench -- --full    the large ones too
 */
const full = process.argv.includes("--full");

const measurements: readonly [file: string, ...args: string[]][] = [
  ["auth.ts", ...(full ? [] : ["--quick"])],
  ["mcp.ts"],
  ["mcp.ts", "--growth", ...(full ? [] : ["--quick"])],
  ["disk-put.ts", ...(full ? ["--full"] : [])],
  ["upload-page.ts", ...(full ? ["--full"] : [])],
  ["scale.ts", ...(full ? [] : ["--quick"])],
  ["assets.ts", "sqlite", "postgres", `--assets=${full ? 1_000_000 : 100_000}`],
  ...(full ? [["growth.ts", "--write"] satisfies [string, string]] : []),
];

let failed = 0;
for (const [file, ...args] of measurements) {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], { stdio: "inherit" });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  if (code !== 0) failed++;
}
if (failed > 0) process.stderr.write(`${failed} of ${measurements.length} did not end well, or missed a limit.\n`);
process.exitCode = failed > 0 ? 1 : 0;
