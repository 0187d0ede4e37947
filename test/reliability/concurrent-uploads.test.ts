import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, describe, test } from "node:test";
import { promisify } from "node:util";
import { createTempFolder } from "../support/temp-folder.ts";
import { isLongRun } from "../support/long-run.ts";
import { useServiceProcess } from "../support/service-process.ts";
import { fetchDigest, writeVideoFile } from "../support/upload-fixture.ts";
import { skipWithout } from "../support/find-program.ts";

const runProgram = promisify(execFile);
const mebibyte = 1024 ** 2;
const uploadCount = 20;
const uploadMb = isLongRun ? 500 : 20;
const maxGrowthMb = 300;

describe("concurrent large uploads", { skip: skipWithout("curl") }, () => {
  const folder = createTempFolder();
  after(() => folder.remove());
  const service = useServiceProcess();

  test(`${uploadCount} × ${uploadMb} MB: memory is bounded, and each file is stored unchanged (X3)`, async (t) => {
    const path = `${folder.path}/video.mp4`;
    const digest = await writeVideoFile(path, uploadMb * mebibyte);
    const post = await service.studio.call("create_post", { title: "Videos", body: "" });
    const memoryBefore = service.main.getMemoryBytes();
    let peakMemory = memoryBefore;
    const samplingTimer = setInterval(() => (peakMemory = Math.max(peakMemory, service.main.getMemoryBytes())), 100);
    t.after(() => clearInterval(samplingTimer));
    const startedAt = performance.now();
    const assetIds = await Promise.all(
      Array.from({ length: uploadCount }, async () => {
        const declaredType = { kind: "video", mimeType: "video/mp4" };
        const { assetId, uploadUrl } = await service.studio.call("request_asset_upload", declaredType);
        await runProgram("curl", ["-sS", "--fail", "-T", path, uploadUrl]);
        return assetId as string;
      }),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    const growthMb = (peakMemory - memoryBefore) / mebibyte;
    t.diagnostic(`+${growthMb.toFixed(0)} MB, ${((uploadCount * uploadMb) / seconds).toFixed(0)} MB/s in total`);
    for (const assetId of assetIds) {
      await service.studio.call("attach_asset", { postId: post.id, assetId });
      const { url } = await service.studio.call("get_asset", { assetId, includeUrls: true });
      assert.equal(await fetchDigest(url), digest);
    }
    assert.ok(growthMb <= maxGrowthMb, `memory grew by ${growthMb.toFixed(0)} MB`);
  });
});
