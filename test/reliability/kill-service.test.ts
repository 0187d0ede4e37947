import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { listEngines } from "../support/engines.ts";
import { isLongRun } from "../support/long-run.ts";
import { useServiceProcess } from "../support/service-process.ts";
import { assertStored, uploadAndAttach, type AcknowledgedAsset } from "../support/studio-files.ts";
import { waitUntil } from "../support/wait-until.ts";

const killCount = isLongRun ? 200 : 3;
const maxStartMs = 10_000;
const workerCount = 4;

for (const engine of listEngines()) {
  describe(`kill -9 of the whole service under load (${engine}, disk)`, () => {
    const service = useServiceProcess(undefined, engine);
    const acknowledgedAssets = new Map<string, AcknowledgedAsset>();
    let acknowledgedCount = 0;
    let slowestStartMs = 0;
    const acknowledge = () => acknowledgedCount++;

    async function checkAssets(assets: Iterable<[string, AcknowledgedAsset]>): Promise<void> {
      for (const [assetId, expected] of assets) await assertStored(service.studio, assetId, expected);
    }

    test(`${killCount} kills: no acknowledged write is lost or changed, and the service is ready again within 10 s (RUN-8, C2)`, async (t) => {
      for (let round = 0; round < killCount; round++) {
        const earlierIds = new Set(acknowledgedAssets.keys());
        const stop = new AbortController();
        const work = async (worker: number): Promise<void> => {
          for (let i = worker; !stop.signal.aborted; i++)
            await uploadAndAttach(service.studio, i % 2 === 0, acknowledgedAssets, acknowledge);
        };
        const workersDone = Promise.allSettled(Array.from({ length: workerCount }, (_, worker) => work(worker)));
        // Waits for enough writes even on a slow machine; the kill still comes at a random moment.
        await waitUntil(() => acknowledgedCount >= (round + 1) * 10, { timeoutMs: 20_000 });
        await sleep(Math.random() * 400);
        await service.main.kill();
        stop.abort();
        await workersDone;
        const startedAt = performance.now();
        await service.start();
        slowestStartMs = Math.max(slowestStartMs, performance.now() - startedAt);
        await checkAssets([...acknowledgedAssets].filter(([assetId]) => !earlierIds.has(assetId)));
      }
      await checkAssets(acknowledgedAssets);
      t.diagnostic(
        `${acknowledgedCount} acknowledged writes, ${killCount} kills, ready again within ${Math.round(slowestStartMs)} ms`,
      );
      assert.ok(acknowledgedCount >= killCount * 10, `only ${acknowledgedCount} writes were acknowledged`);
      assert.ok(slowestStartMs < maxStartMs, `${slowestStartMs} ms`);
    });
  });
}
