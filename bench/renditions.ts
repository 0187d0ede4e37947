import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import sharp from "sharp";
import { planRendition } from "#domain/model/renditions/plan-rendition.ts";
import type { ExecutablePlan } from "#domain/ports/media.ts";
import { createNoise } from "../test/support/samples.ts";
import { createTempFolder } from "../test/support/temp-folder.ts";
import { createReport } from "./report.ts";

/**
 * Measures converting photos of 12 megapixels for one platform: the time, compared with a bare loop over sharp, and
 * the p95 of other requests in the meantime, compared with an idle server.
 *   node bench/renditions.ts [--quick]
 */

const [width, height] = [4000, 3000];
const isQuick = process.argv.includes("--quick");
const photoCount = isQuick ? 6 : 10;
const rounds = isQuick ? 2 : 5;
const idleMs = isQuick ? 2500 : 5000;

const report = createReport({ fractionDigits: 1 });
const folder = createTempFolder();

/** Writes images of large shapes with some grain, about as hard to encode as photos, and returns their paths. */
async function createPhotos(): Promise<string[]> {
  const paths: string[] = [];
  for (let i = 0; i < photoCount; i++) {
    const shapes = await createNoise(250, 188);
    const large = sharp(shapes.data, { raw: shapes.info }).resize(width, height, { kernel: "cubic" });
    const grain = sharp({
      create: { width, height, channels: 3, noise: { type: "gaussian", mean: 128, sigma: 6 }, background: "#888" },
    });
    const photo = large.composite([
      { input: await grain.png({ compressionLevel: 0 }).toBuffer(), blend: "soft-light" },
    ]);
    const path = join(folder.path, `${i}.jpg`);
    writeFileSync(path, await photo.jpeg({ quality: 92 }).withMetadata({ orientation: 3 }).toBuffer());
    paths.push(path);
  }
  return paths;
}

const source = { mimeType: "image/jpeg", bytes: 6_000_000, width, height, frames: 1, hasAlpha: false };
const plan = planRendition(
  { ...source, hasMetadata: true, canStripMetadata: false },
  { types: ["image/jpeg"], maxBytes: 8_000_000, maxWidth: 2048 },
);
if (plan.kind !== "render") throw new Error("the photos need no conversion");
const quality = plan.encodings[0]?.quality ?? 0;
const size = plan.layouts[0]?.canvas;
if (!size) throw new Error("the plan has no size");

async function runBareLoop(paths: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  for (const path of paths) await sharp(path).autoOrient().resize(size).jpeg({ quality }).toBuffer();
  return performance.now() - startedAt;
}

async function startServer(): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(join(import.meta.dirname, "servers/renditions.ts"), {
    env: { ...process.env, BENCH_DATABASE_URL: "", BENCH_DATA_DIR: join(folder.path, "data") },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [message] = (await once(child, "message")) as [{ url: string }];
  return { child, url: message.url };
}

async function convert(child: ChildProcess, paths: readonly string[], executablePlan: ExecutablePlan): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const onMessage = (message: { ms?: number }): void => {
    if (message.ms !== undefined) resolve(message.ms);
  };
  child.on("message", onMessage).send({ paths, plan: executablePlan });
  const ms = await promise;
  child.off("message", onMessage);
  return ms;
}

/** Sends a request every few milliseconds until `isDone`; returns the p95 of their times. */
async function measureRequests(url: string, isDone: () => boolean): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  while (!isDone()) {
    const startedAt = performance.now();
    const outgoingRequest = request(url, { method: "POST", agent }).end();
    const [response] = (await once(outgoingRequest, "response")) as [NodeJS.ReadableStream];
    response.resume();
    await once(response, "end");
    times.push(performance.now() - startedAt);
    await sleep(4);
  }
  agent.destroy();
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Infinity;
}

async function measureIdle(url: string): Promise<number> {
  const endAt = performance.now() + idleMs;
  return measureRequests(url, () => performance.now() >= endAt);
}

const paths = await createPhotos();
const { child, url } = await startServer();
try {
  await measureIdle(url); // warms up
  await convert(child, paths, plan);
  const [ours, bare, idle, busy] = [[Infinity], [Infinity], [Infinity], [Infinity]] as number[][];
  for (let round = 0; round < rounds; round++) {
    bare?.push(await runBareLoop(paths));
    ours?.push(await convert(child, paths, plan));
    idle?.push(await measureIdle(url));
    let isDone = false;
    const conversion = convert(child, paths, plan).finally(() => (isDone = true));
    busy?.push(await measureRequests(url, () => isDone));
    await conversion;
  }
  const best = (values: readonly number[] = []): number => Math.min(...values);
  const name = `${photoCount} photos of 12 MP to ${size.width} × ${size.height}`;
  report.printLine(name, best(ours), 0.71, "bare loop over sharp", best(bare), "ms");
  report.printLine("p95 of other requests meanwhile", best(busy), 3, "idle server", best(idle), "ms");
} finally {
  child.kill();
  folder.remove();
}
process.exit(report.hasExceededLimit ? 1 : 0);
