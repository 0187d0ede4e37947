import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { startFaultyProxy, type FaultyProxy } from "../support/faulty-proxy.ts";
import { measurePercentile } from "../support/latency.ts";
import { useServiceProcess } from "../support/service-process.ts";
import { getTestS3Environment, getTestS3Settings, skipWithoutS3 } from "../support/stores.ts";

const uploadCount = 50;
const maxMs = 15_000;

describe("the whole service on an S3 store that hangs", { skip: skipWithoutS3 }, () => {
  let proxy: FaultyProxy;
  const service = useServiceProcess(async () => {
    proxy = await startFaultyProxy(getTestS3Settings().endpoint ?? "");
    return { env: { ...getTestS3Environment(), S3_ENDPOINT: proxy.endpoint } };
  });
  after(() => proxy?.close());

  const file = { kind: "document", mimeType: "text/plain", base64: Buffer.from("hello").toString("base64") };
  const uploadFile = () => service.studio.call("upload_asset_inline", file);

  const measureP99 = (postId: string) => measurePercentile(99, 300, () => service.studio.call("get_post", { postId }));

  test(`${uploadCount} waiting uploads: each gets an error within 15 s, and other calls stay fast (S3)`, async (t) => {
    const { id: postId } = await service.studio.call("create_post", { title: "A", body: "" });
    const { assetId } = await uploadFile();
    await service.studio.call("attach_asset", { postId, assetId });
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
