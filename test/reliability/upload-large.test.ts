import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openChromium, openObservedPage, skipWithoutChromium } from "../support/chromium.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { listStoreNames } from "../support/stores.ts";
import { chooseFiles, fetchDigest, createTestUploadLink, writeVideoFile } from "../support/upload-fixture.ts";
import { createUploadProcess } from "../support/upload-process.ts";

const mebibyte = 1024 ** 2;
/** `UPLOAD_MB=6144` tests the documented size; the default is smaller to keep runs short. */
const uploadMb = Number(process.env["UPLOAD_MB"] ?? 200);

describe("uploading a large file", { skip: skipWithoutChromium }, () => {
  for (const store of listStoreNames())
    test(
      `does not increase the memory of the service (${store}) (UPLOAD-10, X3)`,
      { timeout: 3_600_000 },
      async (t) => {
        const folder = createTempFolder();
        const path = `${folder.path}/video.mp4`;
        const digest = await writeVideoFile(path, uploadMb * mebibyte);
        const service = await createUploadProcess(store);
        const browser = await openChromium();
        let samplingTimer: NodeJS.Timeout | undefined;
        try {
          const link = await createTestUploadLink(service);
          const { page } = await openObservedPage(browser);
          await page.goto(link.url);
          await page.locator('[data-state="empty"]').waitFor();
          const memoryBefore = service.getMemoryBytes();
          let peakMemory = memoryBefore;
          samplingTimer = setInterval(() => (peakMemory = Math.max(peakMemory, service.getMemoryBytes())), 200);
          const startedAt = performance.now();
          await chooseFiles(page, path);
          await page.locator('[data-state="done"]').waitFor({ timeout: 3_000_000 });
          const seconds = (performance.now() - startedAt) / 1000;
          const growthMb = (peakMemory - memoryBefore) / mebibyte;
          t.diagnostic(
            `${uploadMb} MB in ${seconds.toFixed(1)} s, ${(uploadMb / seconds).toFixed(0)} MB/s; service ${(memoryBefore / mebibyte).toFixed(0)} MB, +${growthMb.toFixed(0)} MB`,
          );
          const [asset] = await link.assets();
          assert.deepEqual([asset?.status, asset?.bytes], ["ready", uploadMb * mebibyte]);
          assert.equal(await fetchDigest(asset?.url ?? ""), digest);
          assert.ok(growthMb <= 150, `memory grew by ${growthMb.toFixed(0)} MB`);
        } finally {
          clearInterval(samplingTimer);
          await browser.close();
          await service.close();
          folder.remove();
        }
      },
    );
});
