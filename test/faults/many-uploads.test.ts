import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { createTempFolder } from "../support/temp-folder.ts";
import { isLongRun } from "../support/long-run.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { newStudioClient, type StudioClient } from "../support/studio-client.ts";
import { fetchDigest, writeVideoFile } from "../support/upload-fixture.ts";

const run = promisify(execFile);
const mebibyte = 1024 ** 2;
const uploads = 20;
const megabytes = isLongRun ? 500 : 20;
const mostGrowth = 300;

describe("large uploads, many at once", () => {
  const folder = createTempFolder();
  let service: MainProcess;
  let studio: StudioClient;

  before(async () => {
    const base = await findFreeBaseUrl();
    const env = { PORT: new URL(base).port, BASE_URL: base, DATA_DIR: `${folder.path}/data`, RATE_LIMITS: "off" };
    service = await startMain(env);
    studio = await newStudioClient(base);
  });
  after(async () => {
    await service?.kill();
    folder.remove();
  });

  test(`${uploads} × ${megabytes} MB: memory is bounded, and each arrives as it was sent (X3)`, async (t) => {
    const path = `${folder.path}/film.mp4`;
    const digest = await writeVideoFile(path, megabytes * mebibyte);
    const post = await studio.call("create_post", { title: "Films", body: "" });
    const before = service.getMemoryBytes();
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, service.getMemoryBytes())), 100);
    const started = performance.now();
    const sent = await Promise.all(
      Array.from({ length: uploads }, async () => {
        const wish = { kind: "video", mimeType: "video/mp4" };
        const { assetId, uploadUrl } = await studio.call("request_asset_upload", wish);
        await run("curl", ["-sS", "--fail", "-T", path, uploadUrl]);
        return assetId as string;
      }),
    );
    const seconds = (performance.now() - started) / 1000;
    clearInterval(watch);
    const grown = (most - before) / mebibyte;
    t.diagnostic(`+${grown.toFixed(0)} MB, ${((uploads * megabytes) / seconds).toFixed(0)} MB/s together`);
    for (const assetId of sent) {
      await studio.call("attach_asset", { postId: post.id, assetId });
      const { url } = await studio.call("get_asset", { assetId });
      assert.equal(await fetchDigest(url), digest);
    }
    assert.ok(grown <= mostGrowth, `memory grew by ${grown.toFixed(0)} MB`);
  });
});
