import { execFile, fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { machineSpread } from "./report.ts";

/**
 * Measures a PUT of one file with curl to the disk store behind the HTTP entry point, compared with a bare Node server
 * that pipes into a file, hashes with SHA-256 and syncs. Each runs in its own process, in alternating rounds; the best
 * round counts, because other load on the machine can only slow a round down.
 *
 *   node bench/disk-put.ts          1 GB, two rounds
 *   node bench/disk-put.ts --full   1 GB, five rounds, and 5 GB
 */

const runProgram = promisify(execFile);
const mebibyte = 1024 * 1024;
/** Measured: 1.25 to 1.32. A regression of 15 % fails. */
const minSpeedRatio = 1.15 / machineSpread;
const sizes = process.argv.includes("--full")
  ? [
      { megabytes: 1024, rounds: 5 },
      { megabytes: 5120, rounds: 2 },
    ]
  : [{ megabytes: 1024, rounds: 2 }];

interface Server {
  child: ChildProcess;
  /** Creates a URL for one PUT. */
  createUrl: () => Promise<string>;
  /** Returns the peak memory of the process in MB. */
  readPeakMemory: () => Promise<number>;
  /** Returns the seconds of CPU since the process started, user and system. */
  readCpuSeconds: () => Promise<number>;
}

async function startServer(kind: "ours" | "bare", folder: string): Promise<Server> {
  const child = fork(join(import.meta.dirname, "servers/put.ts"), [kind, folder]);
  const request = async (name: string): Promise<string> => {
    const reply = once(child, "message");
    child.send(name);
    return String((await reply)[0]);
  };
  await once(child, "message");
  const requestNumber = (name: string) => async () => Number(await request(name));
  return {
    child,
    createUrl: () => request("url"),
    readPeakMemory: requestNumber("peak"),
    readCpuSeconds: requestNumber("cpu"),
  };
}

async function put(server: Server, file: string): Promise<number> {
  const url = await server.createUrl();
  const startedAt = performance.now();
  const { stdout } = await runProgram("curl", ["-sS", "-w", "%{http_code}", "-T", file, url]);
  if (!stdout.endsWith("200")) throw new Error(`PUT returned ${stdout}`);
  return (performance.now() - startedAt) / 1000;
}

/** Prints one line: the measurement, our value, the limit, the baseline, its value, and the ratio. */
function printLine(name: string, [ours, baseline]: readonly [number, number], limit: string, unit: string): void {
  const format = (value: number) => `${value.toFixed(unit === "s" ? 2 : 0).padStart(6)} ${unit}`;
  console.log(
    `${name.padEnd(50)} ours ${format(ours)}   limit ${limit.padStart(6)}   ${"bare Node".padEnd(17)} ${format(baseline)}   ${(ours / baseline).toFixed(2)} x`,
  );
}

const folder = mkdtempSync(join(tmpdir(), "atelier-bench-"));
let isOutsideLimits = false;
try {
  for (const { megabytes, rounds } of sizes) {
    const file = join(folder, "file.bin");
    writeFileSync(file, "");
    truncateSync(file, megabytes * mebibyte);
    const [ours, bare] = [await startServer("ours", join(folder, "ours")), await startServer("bare", folder)];
    const before = {
      peak: [await ours.readPeakMemory(), await bare.readPeakMemory()],
      cpu: [await ours.readCpuSeconds(), await bare.readCpuSeconds()],
    } as const;
    const speeds: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
    for (let round = 0; round < rounds; round++) {
      speeds.bare.push(megabytes / (await put(bare, file)));
      speeds.ours.push(megabytes / (await put(ours, file)));
    }
    const speed = [Math.max(...speeds.ours), Math.max(...speeds.bare)] as const;
    const memoryGrowth = [
      (await ours.readPeakMemory()) - before.peak[0],
      (await bare.readPeakMemory()) - before.peak[1],
    ] as const;
    const cpu = [
      ((await ours.readCpuSeconds()) - before.cpu[0]) / rounds,
      ((await bare.readCpuSeconds()) - before.cpu[1]) / rounds,
    ] as const;
    const name = `PUT of ${megabytes / 1024} GB to the disk store`;
    printLine(`${name}, speed`, speed, `${minSpeedRatio.toFixed(2)} x`, "MB/s");
    printLine(`${name}, CPU`, cpu, "-", "s");
    printLine(`${name}, memory growth`, memoryGrowth, "150 MB", "MB");
    isOutsideLimits ||= speed[0] / speed[1] < minSpeedRatio || memoryGrowth[0] > 150;
    for (const { child } of [ours, bare]) child.kill();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(isOutsideLimits ? 1 : 0);
