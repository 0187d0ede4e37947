import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { hasChromium, launchChromium, openPage, type Browser } from "../support/chromium.ts";
import { forEachEngine } from "../support/engines.ts";
import { temporaryFolder } from "../support/folder.ts";
import { jpeg, png } from "../support/samples.ts";
import type { RunningService } from "../support/service.ts";
import { storeNames } from "../support/stores.ts";
import { digestOfUrl, newLink, startUploadService, writeFilm } from "../support/upload-bed.ts";

const mebibyte = 1024 ** 2;
/** `UPLOAD_MB=1000` for the figure of the issue; smaller, so that a run stays quick. */
const largeBytes = Number(process.env["UPLOAD_MB"] ?? 200) * mebibyte;
const patience = { timeout: 60_000 + largeBytes / 10_000 };

for (const store of storeNames()) {
  forEachEngine(
    `the upload page on ${store}`,
    (bed) => {
      const folder = temporaryFolder();
      let browser: Browser;
      let service: RunningService;
      before(async () => {
        browser = await launchChromium();
        service = await startUploadService(bed, store);
      });
      after(async () => {
        await browser?.close();
        await service?.close();
        folder.remove();
      });

      test("[UPLOAD-2] [UPLOAD-9] [W7] several files at once arrive, whole, and are on the post", async () => {
        const link = await newLink(service);
        const { page, complaints, asked, context } = await openPage(browser);
        const files = [
          { name: "one.jpg", mimeType: "image/jpeg", buffer: await jpeg(900, 600) },
          { name: "two.png", mimeType: "image/png", buffer: await png(300, 300) },
          { name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("# Notes\n") },
        ];
        const film = `${folder.path}/film.mp4`;
        const digest = await writeFilm(film, 30 * mebibyte + 12_345);
        await page.goto(link.url);
        assert.equal(await page.locator("h1").textContent(), "Spring catalogue");
        await page.locator("input[type=file]").first().setInputFiles(files);
        await page.locator("input[type=file]").first().setInputFiles(film);
        await page.locator('[data-state="done"]').waitFor(patience);
        const assets = await link.assets();
        assert.deepEqual(assets.map(({ filename, status }) => `${filename} ${status}`).toSorted(), [
          "film.mp4 ready",
          "notes.md ready",
          "one.jpg ready",
          "two.png ready",
        ]);
        for (const { filename, url } of assets) {
          const wanted = files.find(({ name }) => name === filename)?.buffer;
          assert.equal(await digestOfUrl(url ?? ""), wanted ? createHash("sha256").update(wanted).digest("hex") : digest, filename);
        }
        assert.deepEqual(complaints, []);
        const origins = new Set(asked.filter((url) => !url.startsWith("blob:")).map((url) => new URL(url).origin));
        assert.deepEqual([...origins].toSorted(), [...new Set([service.base, service.deps.files.origin])].toSorted(), "no third party");
        assert.deepEqual(await context.cookies(), []);
        await context.close();
      });
    },
    ["sqlite"],
  );
}
void [sleep, writeFileSync, hasChromium, largeBytes];
