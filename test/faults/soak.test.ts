import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createTempFolder } from "../support/temp-folder.ts";
import { isLongRun } from "../support/long-run.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { putBytes } from "../support/stores.ts";
import { newStudioClient, type StudioClient } from "../support/studio-client.ts";

/** By `SOAK_MINUTES`; what is promised is said of sixty. */
const minutes = Number(process.env["SOAK_MINUTES"] ?? 1);
const callsPerSecond = 50;
const renewSeconds = 1200;

describe("a long time under steady load", { skip: !isLongRun }, () => {
  const folder = createTempFolder();
  const dataDir = `${folder.path}/data`;
  let service: MainProcess;
  let studio: StudioClient;

  before(async () => {
    const base = await findFreeBaseUrl();
    service = await startMain({ PORT: new URL(base).port, BASE_URL: base, DATA_DIR: dataDir, RATE_LIMITS: "off" });
    studio = await newStudioClient(base);
  });
  after(async () => {
    await service?.kill();
    folder.remove();
  });

  /** A file comes, is put on the post, taken off and deleted: nothing of it stays. */
  async function oneFile(postId: string): Promise<void> {
    const kind = { kind: "document", mimeType: "text/plain" };
    const { assetId, uploadUrl } = await studio.call("request_asset_upload", kind);
    assert.equal(await putBytes(uploadUrl, Buffer.from(randomBytes(100_000).toString("hex"))), 200);
    await studio.call("attach_asset", { postId, assetId });
    await studio.call("detach_asset", { postId, assetId });
    await studio.call("delete_asset", { assetId });
  }

  test(`${minutes} min at ${callsPerSecond} calls a second with uploads: memory and descriptors stay level, no temporary file stays`, async (t) => {
    const { id: postId } = await studio.call("create_post", { title: "A", body: "" });
    const samples: { minute: number; memory: number; descriptors: number }[] = [];
    const running = new Set<Promise<void>>();
    let calls = 0;
    const begin = (work: Promise<unknown>) => {
      const one: Promise<void> = work.then(() => void running.delete(one));
      running.add(one);
    };
    const started = performance.now();
    const elapsed = () => (performance.now() - started) / 60_000;
    for (let tick = 0; elapsed() < minutes; tick++) {
      begin(studio.call("get_post", { postId }));
      calls++;
      if (tick % callsPerSecond === 0) begin(oneFile(postId));
      if (tick % (callsPerSecond * renewSeconds) === 1) begin(studio.refreshTokens());
      if (tick % callsPerSecond === 25)
        samples.push({ minute: elapsed(), memory: service.getMemoryBytes(), descriptors: service.countDescriptors() });
      const due = (tick + 1) * (1000 / callsPerSecond) - (performance.now() - started);
      await sleep(Math.max(0, due));
    }
    await Promise.all(running);

    // The first third is for what fills once: caches, compiled code, the heap's own room.
    const settled = samples.slice(Math.floor(samples.length / 3));
    const slope = slopeOf(settled.map(({ minute, memory }) => [minute, memory / 1024 ** 2]));
    // Connections come and go in bursts when the machine has other things to do; what leaks stays.
    const counts = settled.map(({ descriptors }) => descriptors);
    const quarter = Math.ceil(counts.length / 4);
    const [early, late] = [median(counts.slice(0, quarter)), median(counts.slice(-quarter))];
    const level = (settled.at(-1)?.memory ?? 0) / 1024 ** 2;
    t.diagnostic(
      `${calls} calls; memory ${level.toFixed(0)} MB, ${slope.toFixed(2)} MB a minute; descriptors ${early} early, ${late} late, ${Math.max(...counts)} at most`,
    );
    assert.deepEqual(readdirSync(`${dataDir}/files/.tmp`), []);
    assert.ok(late - early < 10, `${early} descriptors early, ${late} late`);
    // Over a few minutes a garbage collection more or less is steeper than any leak.
    const mostSlope = minutes >= 10 ? 1 : 20;
    assert.ok(slope < mostSlope, `${slope} MB a minute`);
  });
});

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Of the line that lies closest to the points. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const [x, y] = [mean(points.map(([a]) => a)), mean(points.map(([, b]) => b))];
  const [up, down] = [
    points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0),
    points.reduce((sum, [a]) => sum + (a - x) ** 2, 0),
  ];
  return up / down;
}
