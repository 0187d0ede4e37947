import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openLivePage, type LivePage } from "../support/live-page.ts";
import { listen, type TestEventStream } from "../support/event-stream.ts";
import { putBytes } from "../support/stores.ts";
import { useServiceProcess } from "../support/service-process.ts";
import type { StudioClient } from "../support/studio-client.ts";
import { waitUntil } from "../support/wait-until.ts";
import { skipInShortRun } from "../support/long-run.ts";

/** Set by `SOAK_MINUTES`; docs/reliability.md states the guarantee for 60 minutes. */
const minutes = Number(process.env["SOAK_MINUTES"] ?? 1);
const callsPerSecond = 50;
const refreshSeconds = 1200;
/** Open pages of the web app, which fetch their lists again after changes. */
const livePageCount = 20;
const subscriberCount = 20;
const reopenSeconds = 15;

describe("steady load for a long time", { skip: skipInShortRun }, () => {
  const service = useServiceProcess();
  let studio: StudioClient;
  let connectionId: string;

  before(async () => {
    ({ studio } = service);
    await studio.connectSandbox("harbour");
    const { connections } = await studio.callApi("GET", `/studios/${studio.studioId}/platforms`);
    connectionId = connections[0].id;
  });

  /** Uploads, attaches, detaches and deletes a file. */
  async function uploadAndDelete(postId: string): Promise<void> {
    const declaredType = { kind: "document", mimeType: "text/plain" };
    const { assetId, uploadUrl } = await studio.call("request_asset_upload", declaredType);
    assert.equal(await putBytes(uploadUrl, Buffer.from(randomBytes(100_000).toString("hex"))), 200);
    await studio.call("attach_asset", { postId, assetId });
    await studio.call("detach_asset", { postId, assetId });
    await studio.call("delete_asset", { assetId });
  }

  async function publish(round: number): Promise<void> {
    const { id } = await studio.call("create_post", { title: "Published", body: `Publication ${round}` });
    const path = `/studios/${studio.studioId}/posts/${id}/publications`;
    await studio.callApi("POST", path, { connectionIds: [connectionId] });
  }

  async function countPublications(state: string): Promise<number> {
    const path = `/studios/${studio.studioId}/publications?state=${state}&limit=100`;
    return (await studio.callApi("GET", path)).publications.length;
  }

  function openPage(): LivePage {
    const queries = ["posts", "publications", "publications?state=proposed&limit=100"];
    return openLivePage(
      studio.studioId,
      queries.map((path) => [path, path.replace(/\?.*/, ""), path]),
      (path, signal) => studio.browser.send(`${service.base}${path}`, { signal: signal ?? null }),
    );
  }

  test(`${minutes} min at ${callsPerSecond} calls per second with uploads, publications, live pages and subscribers: memory and descriptors are stable, and no temp file is left`, async (t) => {
    const { id: postId } = await studio.call("create_post", { title: "A", body: "" });
    const livePages = Array.from({ length: livePageCount }, openPage);
    const subscribers: TestEventStream[] = [];
    let updateCount = 0;
    let publicationCount = 0;
    const reopenSubscriber = async (index: number): Promise<void> => {
      updateCount += subscribers[index]?.listUpdates().length ?? 0;
      subscribers[index]?.close();
      subscribers[index] = await listen(studio.caller, { resourceSubscriptions: [`atelier://posts/${postId}`] });
      assert.equal(subscribers[index].status, 200);
    };
    await Promise.all(Array.from({ length: subscriberCount }, (_, index) => reopenSubscriber(index)));
    const samples: { minute: number; memory: number; descriptors: number }[] = [];
    const pendingOperations = new Set<Promise<void>>();
    let callCount = 0;
    const track = (operation: Promise<unknown>) => {
      const trackedOperation: Promise<void> = operation.then(() => void pendingOperations.delete(trackedOperation));
      pendingOperations.add(trackedOperation);
    };
    const startedAt = performance.now();
    const elapsedMinutes = () => (performance.now() - startedAt) / 60_000;
    for (let tick = 0; elapsedMinutes() < minutes; tick++) {
      track(studio.call("get_post", { postId }));
      callCount++;
      if (tick % callsPerSecond === 0) track(uploadAndDelete(postId));
      const second = Math.floor(tick / callsPerSecond);
      if (tick % callsPerSecond === 10) track(publish(publicationCount++));
      // Each page connects again now and then.
      if (tick % (callsPerSecond * reopenSeconds) === 45)
        livePages[(second / reopenSeconds) % livePageCount]?.stream.handleOnline();
      if (tick % (callsPerSecond * reopenSeconds) === 35)
        track(reopenSubscriber((second / reopenSeconds) % subscriberCount));
      if (tick % (callsPerSecond * refreshSeconds) === 1) track(studio.refreshTokens());
      if (tick % callsPerSecond === 25)
        samples.push({
          minute: elapsedMinutes(),
          memory: service.main.getMemoryBytes(),
          descriptors: service.main.countDescriptors(),
        });
      const delayMs = (tick + 1) * (1000 / callsPerSecond) - (performance.now() - startedAt);
      await sleep(Math.max(0, delayMs));
    }
    await Promise.all(pendingOperations);
    for (const page of livePages) {
      await waitUntil(() => page.isOpen && !page.list().includes(undefined), { description: "the page is open" });
      page.close();
    }
    for (const subscriber of subscribers) {
      updateCount += subscriber.listUpdates().length;
      subscriber.close();
    }
    for (const state of ["scheduled", "publishing"])
      await waitUntil(async () => (await countPublications(state)) === 0, { description: `nothing is ${state}` });
    for (const state of ["failed", "unconfirmed", "missed"]) assert.equal(await countPublications(state), 0, state);

    // Skips the first third, in which caches, compiled code and the heap reach their size.
    const steadySamples = samples.slice(Math.floor(samples.length / 3));
    const slope = computeSlope(steadySamples.map(({ minute, memory }) => [minute, memory / 1024 ** 2]));
    // Compares medians, because connections come and go in bursts on a busy machine.
    const descriptorCounts = steadySamples.map(({ descriptors }) => descriptors);
    const quarter = Math.ceil(descriptorCounts.length / 4);
    const [earlyCount, lateCount] = [
      median(descriptorCounts.slice(0, quarter)),
      median(descriptorCounts.slice(-quarter)),
    ];
    const finalMb = (steadySamples.at(-1)?.memory ?? 0) / 1024 ** 2;
    t.diagnostic(
      `${callCount} calls, ${publicationCount} publications, ${updateCount} updates; memory ${finalMb.toFixed(0)} MB, ${slope.toFixed(2)} MB per minute; descriptors ${earlyCount} early, ${lateCount} late, ${Math.max(...descriptorCounts)} at most`,
    );
    assert.ok(updateCount > 0, "subscribers received updates");
    assert.deepEqual(readdirSync(`${service.location.dataDir}/files/.tmp`), []);
    assert.ok(lateCount - earlyCount < 10, `${earlyCount} descriptors early, ${lateCount} late`);
    // In a few minutes, one garbage collection changes the slope more than a leak would.
    const maxSlope = minutes >= 10 ? 1 : 20;
    assert.ok(slope < maxSlope, `${slope} MB per minute`);
  });
});

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** The slope of the least-squares line. */
function computeSlope(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const variance = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return covariance / variance;
}
