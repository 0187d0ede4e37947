import { spawn } from "node:child_process";
import { join } from "node:path";

/**
 * Runs every benchmark, one after another so that they do not disturb each other.
 *   npm run bench              about ten minutes
 *   npm run bench -- --full    also the large ones
 */
const isFull = process.argv.includes("--full");

const benchmarks: readonly [file: string, ...args: string[]][] = [
  ["auth.ts", ...(isFull ? [] : ["--quick"])],
  ["mcp.ts"],
  ["mcp.ts", "--growth", ...(isFull ? [] : ["--quick"])],
  ["disk-put.ts", ...(isFull ? ["--full"] : [])],
  ["upload-page.ts", ...(isFull ? ["--full"] : [])],
  ["scale.ts", ...(isFull ? [] : ["--quick"])],
  ["assets.ts", "sqlite", "postgres", `--assets=${isFull ? 1_000_000 : 100_000}`],
  ...(isFull ? [["growth.ts", "--write"] satisfies [string, string]] : []),
];

let failed = 0;
for (const [file, ...args] of benchmarks) {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], { stdio: "inherit" });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  if (code !== 0) failed++;
}
if (failed > 0) process.stderr.write(`${failed} of ${benchmarks.length} benchmarks failed or missed a limit.\n`);
process.exitCode = failed > 0 ? 1 : 0;
