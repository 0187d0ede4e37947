import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startFaultyProxy, type FaultyProxy } from "../support/faulty-proxy.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { getTestS3Environment, getTestS3Settings, skipWithoutS3 } from "../support/stores.ts";
import { newStudioClient, type StudioClient } from "../support/studio-client.ts";

const uploadCount = 50;
const maxMs = 15_000;

describe("the whole service on an S3 store that hangs", { skip: skipWithoutS3 }, () => {
  const folder = createTempFolder();
  let proxy: FaultyProxy;
  let service: MainProcess;
  let studio: StudioClient;

  before(async () => {
    proxy = await startFaultyProxy(getTestS3Settings().endpoint ?? "");
    const base = await findFreeBaseUrl();
    service = await startMain({
      PORT: new URL(base).port,
      BASE_URL: base,
      DATA_DIR: folder.path,
      RATE_LIMITS: "off",
      ...getTestS3Environment(),
      S3_ENDPOINT: proxy.endpoint,
    });
    studio = await newStudioClient(base);
  });
  after(async () => {
    await service?.kill();
    await proxy?.close();
    folder.remove();
  });

  const file = { kind: "document", mimeType: "text/plain", base64: Buffer.from("hello").toString("base64") };
  const uploadFile = () => studio.call("upload_asset_inline", file);

  async function measureP99(postId: string): Promise<number> {
    const times: number[] = [];
    for (let i = 0; i < 300; i++) {
      const startedAt = performance.now();
      await studio.call("get_post", { postId });
      times.push(performance.now() - startedAt);
    }
    return times.toSorted((a, b) => a - b)[296] ?? 0;
  }

  test(`${uploadCount} waiting uploads: each gets an error within 15 s, and other calls stay fast (S3)`, async (t) => {
    const { id: postId } = await studio.call("create_post", { title: "A", body: "" });
    const { assetId } = await uploadFile();
    await studio.call("attach_asset", { postId, assetId });
    await measureP99(postId);
    const baselineBeforeMs = await measureP99(postId);

    proxy.chooseFault = () => "hang";
    const startedAt = performance.now();
    const pendingUploads = Array.from({ length: uploadCount }, async () => {
      await assert.rejects(uploadFile(), /storage_unavailable/);
      return performance.now() - startedAt;
    });
    const underLoadMs = Math.min(await measureP99(postId), await measureP99(postId));
    const slowest = Math.max(...(await Promise.all(pendingUploads)));
    proxy.chooseFault = () => undefined;
    // Measures again afterwards, so that other load on this machine does not count against the waiting uploads.
    const baselineMs = Math.max(baselineBeforeMs, await measureP99(postId));
    t.diagnostic(
      `p99 ${baselineMs.toFixed(1)} ms without waiting uploads, ${underLoadMs.toFixed(1)} ms with them; last error after ${(slowest / 1000).toFixed(1)} s`,
    );
    assert.ok(slowest < maxMs, `${slowest} ms`);
    // At most twice as slow, plus noise of a busy machine.
    assert.ok(
      underLoadMs < baselineMs * 2 + 25,
      `${baselineMs} ms without waiting uploads, ${underLoadMs} ms with them`,
    );
    assert.ok((await uploadFile()).assetId, "uploads succeed once the store responds again");
  });
});
