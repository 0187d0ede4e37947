import { execFile, fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * PUT of one file with curl: to the disk store behind the real door, and beside it to a bare Node server that pipes
 * into a file, hashes with sha256 and syncs. By turns, each in a process of its own; the best of the rounds counts, since
 * whatever else the machine does can only slow one down.
 *
 *   node bench/disk-put.ts          1 GB
 *   node bench/disk-put.ts --full   also 5 GB
 */

const run = promisify(execFile);
const mebibyte = 1024 * 1024;
const measurements = [
  { size: 1024, rounds: 5 },
  ...(process.argv.includes("--full") ? [{ size: 5120, rounds: 2 }] : []),
];

interface BenchServer {
  child: ChildProcess;
  /** An address for one PUT. */
  createUrl: () => Promise<string>;
  /** The most memory the process ever had, in MB. */
  getPeakMb: () => Promise<number>;
  /** Seconds of processor time so far, its own and the system's for it. */
  getCpuSeconds: () => Promise<number>;
}

async function start(kind: "ours" | "bare", folder: string): Promise<BenchServer> {
  const child = fork(join(import.meta.dirname, "servers/put.ts"), [kind, folder]);
  const request = async (command: string): Promise<string> => {
    const reply = once(child, "message");
    child.send(command);
    return String((await reply)[0]);
  };
  await once(child, "message");
  const figure = (name: string) => async () => Number(await request(name));
  return { child, createUrl: () => request("address"), getPeakMb: figure("peak"), getCpuSeconds: figure("cpu") };
}

async function put(server: BenchServer, file: string): Promise<number> {
  const address = await server.createUrl();
  const started = performance.now();
  const { stdout } = await run("curl", ["-sS", "-w", "%{http_code}", "-T", file, address]);
  if (!stdout.endsWith("200")) throw new Error(`PUT answered ${stdout}`);
  return (performance.now() - started) / 1000;
}

/** One line a measure: what, ours, the limit, the peer, and ours in terms of the peer's. */
function printLine(label: string, [ours, theirs]: readonly [number, number], limit: string, unit: string): void {
  const figure = (value: number) => `${value.toFixed(unit === "s" ? 2 : 0).padStart(6)} ${unit}`;
  console.log(
    `${label.padEnd(50)} ours ${figure(ours)}   limit ${limit.padStart(6)}   ${"bare Node".padEnd(17)} ${figure(theirs)}   ${(ours / theirs).toFixed(2)} x`,
  );
}

const folder = mkdtempSync(join(tmpdir(), "atelier-bench-"));
let hasMissedLimit = false;
try {
  for (const { size, rounds } of measurements) {
    const file = join(folder, "file.bin");
    writeFileSync(file, "");
    truncateSync(file, size * mebibyte);
    const [ours, bare] = [await start("ours", join(folder, "ours")), await start("bare", folder)];
    const before = {
      peak: [await ours.getPeakMb(), await bare.getPeakMb()],
      cpu: [await ours.getCpuSeconds(), await bare.getCpuSeconds()],
    } as const;
    const speeds: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
    for (let round = 0; round < rounds; round++) {
      speeds.bare.push(size / (await put(bare, file)));
      speeds.ours.push(size / (await put(ours, file)));
    }
    const speed = [Math.max(...speeds.ours), Math.max(...speeds.bare)] as const;
    const memoryGrowth = [
      (await ours.getPeakMb()) - before.peak[0],
      (await bare.getPeakMb()) - before.peak[1],
    ] as const;
    const cpu = [
      ((await ours.getCpuSeconds()) - before.cpu[0]) / rounds,
      ((await bare.getCpuSeconds()) - before.cpu[1]) / rounds,
    ] as const;
    const name = `PUT of ${size / 1024} GB to the disk store`;
    printLine(`${name}, speed`, speed, "0.90 x", "MB/s");
    printLine(`${name}, CPU`, cpu, "-", "s");
    printLine(`${name}, memory on top`, memoryGrowth, "150 MB", "MB");
    hasMissedLimit ||= speed[0] / speed[1] < 0.9 || memoryGrowth[0] > 150;
    for (const { child } of [ours, bare]) child.kill();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(hasMissedLimit ? 1 : 0);
