import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { createTempFolder } from "../test/support/temp-folder.ts";

/**
 * Measures a start with a built web app and an existing data folder, and the memory of the idle server, compared with a
 * bare `node:http` server. A start ends when the server is ready.
 *   node bench/start.ts
 */

const rounds = 3;
/** The bare server hardly varies. */
const bareRounds = 1;
const limits = { seconds: 1.2, megabytes: 130 };
const root = join(import.meta.dirname, "..");
/** After this time, the start is over and its memory is released. */
const idleMs = 3000;

interface Measurement {
  seconds: number;
  cpuSeconds: number;
  megabytes: number;
}

/** Runs a server until it prints a line that contains `ready`, then until it is idle. */
async function measureStart(args: readonly string[], env: Record<string, string>): Promise<Measurement> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  try {
    for await (const line of createInterface({ input: child.stdout })) if (line.includes("ready")) break;
    const seconds = (performance.now() - startedAt) / 1000;
    const cpuSeconds = readCpuSeconds(child.pid);
    child.stdout.resume();
    await sleep(idleMs);
    return { seconds, cpuSeconds, megabytes: readMegabytes(child.pid) };
  } finally {
    child.kill();
    await exited;
  }
}

const readMegabytes = (pid = 0): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

/** User plus system time. `/proc` counts it in clock ticks of 10 ms. */
function readCpuSeconds(pid = 0): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

function keepBest(best: Measurement | undefined, next: Measurement): Measurement {
  if (!best) return next;
  return {
    seconds: Math.min(best.seconds, next.seconds),
    cpuSeconds: Math.min(best.cpuSeconds, next.cpuSeconds),
    megabytes: Math.min(best.megabytes, next.megabytes),
  };
}

if (!existsSync(join(root, "web/dist"))) throw new Error("build the web app first: npm run build");
const folder = createTempFolder("atelier-bench-");
const bareProgram = `require("node:http").createServer().listen(0, () => console.log("ready"))`;
let ours: Measurement | undefined;
let bare: Measurement | undefined;
try {
  // The first start creates the data folder and the cache of compiled modules, and does not count.
  for (let round = -1; round < rounds; round++) {
    // The cache of compiled modules is set as in deploy/atelier.service.
    const cacheSetting = { NODE_COMPILE_CACHE: join(folder.path, "cache") };
    const env = {
      ...cacheSetting,
      DATA_DIR: join(folder.path, "data"),
      PORT: String(await findFreePort()),
      HOST: "127.0.0.1",
    };
    const measurement = await measureStart(["--max-semi-space-size=16", join(root, "src/main.ts")], env);
    if (round < 0) continue;
    ours = keepBest(ours, measurement);
    if (round < bareRounds) bare = keepBest(bare, await measureStart(["-e", bareProgram], {}));
  }
} finally {
  folder.remove();
}
if (!ours || !bare) throw new Error("nothing was measured");

const printLine = (name: string, value: number, limit: string, baseline: number, unit: string): void =>
  void process.stdout.write(
    `${name.padEnd(54)} ours ${value.toFixed(2).padStart(7)} ${unit}   limit ${limit.padStart(8)}   bare node:http ${baseline.toFixed(2).padStart(7)} ${unit}   ${(value / baseline).toFixed(2)} x\n`,
  );
printLine("start to ready, web app built, data folder exists", ours.seconds, `${limits.seconds} s`, bare.seconds, "s ");
printLine("start to ready, CPU", ours.cpuSeconds, "-", bare.cpuSeconds, "s ");
printLine("idle memory after start", ours.megabytes, `${limits.megabytes} MB`, bare.megabytes, "MB");
process.exitCode = ours.seconds > limits.seconds || ours.megabytes > limits.megabytes ? 1 : 0;
