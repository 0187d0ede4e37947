import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { minutes } from "#lib/clock.ts";
import { hasChromium, openChromium, openObservedPage, type Browser, type Page } from "../support/chromium.ts";
import { forEachEngine } from "../support/engines.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { jpeg, png } from "../support/samples.ts";
import type { RunningService } from "../support/service.ts";
import { listStoreNames } from "../support/stores.ts";
import {
  chooseFiles,
  fetchDigest,
  createTestUploadLink,
  throttleUploads,
  startUploadService,
  waitForProgress,
  writeVideoFile,
} from "../support/upload-fixture.ts";
import { createUploadProcess } from "../support/upload-process.ts";

const mebibyte = 1024 ** 2;
/** `UPLOAD_MB=1024` for a large file indeed; less by default, so that a run stays quick. */
const largeBytes = Number(process.env["UPLOAD_MB"] ?? 200) * mebibyte;
const patience = { timeout: 60_000 + largeBytes / 5000 };
const done = (page: Page) => page.locator('[data-state="done"]').waitFor(patience);

if (hasChromium())
  for (const store of listStoreNames())
    forEachEngine(
      `the upload page on ${store}`,
      (fixture) => {
        const folder = createTempFolder();
        const film = { path: `${folder.path}/film.mp4`, digest: "" };
        let browser: Browser;
        let service: RunningService;
        before(async () => {
          browser = await openChromium();
          service = await startUploadService(fixture, store);
          film.digest = await writeVideoFile(film.path, largeBytes);
        });
        after(async () => {
          await browser?.close();
          await service?.close();
          folder.remove();
        });

        test("a JPEG named .png, and one without an extension, are accepted as what they are (UPLOAD-4)", async () => {
          const link = await createTestUploadLink(service);
          const { page, context } = await openObservedPage(browser);
          await page.goto(link.url);
          await chooseFiles(page, [
            { name: "door.png", mimeType: "image/png", buffer: await jpeg(900, 600) },
            { name: "window", mimeType: "", buffer: await jpeg(300, 300) },
          ]);
          await done(page);
          const assets = (await link.assets()).map(({ filename, mimeType, status }) => [filename, mimeType, status]);
          assert.deepEqual(
            assets.toSorted(([a = ""], [b = ""]) => a.localeCompare(b)),
            [
              ["door.jpg", "image/jpeg", "ready"],
              ["window.jpg", "image/jpeg", "ready"],
            ],
          );
          await page.getByLabel("Alt text").nth(1).waitFor();
          await page.getByText("window.jpg", { exact: true }).waitFor();
          await context.close();
        });

        test("several files at once arrive, whole, and are on the post (UPLOAD-2, UPLOAD-9, W7)", async () => {
          const link = await createTestUploadLink(service);
          const { page, consoleProblems: complaints, requestedUrls: asked, context } = await openObservedPage(browser);
          const files = [
            { name: "one.jpg", mimeType: "image/jpeg", buffer: await jpeg(900, 600) },
            { name: "two.png", mimeType: "image/png", buffer: await png(300, 300) },
            { name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("# Notes\n") },
          ];
          await page.goto(link.url);
          assert.equal(await page.locator("h1").textContent(), "Spring catalogue");
          await chooseFiles(page, files);
          await chooseFiles(page, film.path);
          await done(page);
          const assets = await link.assets();
          assert.deepEqual(assets.map(({ filename, status }) => `${filename} ${status}`).toSorted(), [
            "film.mp4 ready",
            "notes.md ready",
            "one.jpg ready",
            "two.png ready",
          ]);
          for (const { filename, url } of assets) {
            const wanted = files.find(({ name }) => name === filename)?.buffer;
            assert.equal(
              await fetchDigest(url ?? ""),
              wanted ? createHash("sha256").update(wanted).digest("hex") : film.digest,
              filename,
            );
          }
          assert.deepEqual(complaints, []);
          const origins = new Set(asked.filter((url) => !url.startsWith("blob:")).map((url) => new URL(url).origin));
          assert.deepEqual(
            [...origins].toSorted(),
            [...new Set([service.base, service.deps.files.origin])].toSorted(),
            "no third party",
          );
          assert.deepEqual(await context.cookies(), []);
          await context.close();
        });

        test("a network that is cut in the middle: it says so, and goes on by itself (UPLOAD-9)", async () => {
          const link = await createTestUploadLink(service);
          const { page, context } = await openObservedPage(browser);
          await page.goto(link.url);
          await throttleUploads(page, largeBytes / 8);
          await chooseFiles(page, film.path);
          await waitForProgress(page, 0.25);
          await context.setOffline(true);
          await page.getByText("You are offline.").first().waitFor();
          await sleep(1500);
          assert.equal((await link.assets())[0]?.status, "pending");
          await context.setOffline(false);
          await done(page);
          const [asset] = await link.assets();
          assert.equal(await fetchDigest(asset?.url ?? ""), film.digest);
          await context.close();
        });

        test("a page that is loaded again in the middle goes on from the parts that are there (UPLOAD-9)", async () => {
          const link = await createTestUploadLink(service);
          const { page, context, requestedUrls: asked } = await openObservedPage(browser);
          await page.goto(link.url);
          await throttleUploads(page, largeBytes / 8);
          await chooseFiles(page, film.path);
          await waitForProgress(page, 0.5);
          await page.reload();
          await page.getByText("Choose this file again").waitFor();
          const sentBefore = asked.length;
          await throttleUploads(page, largeBytes);
          await chooseFiles(page, film.path);
          await done(page);
          const parts = asked.slice(sentBefore).filter((url) => /\/files\/(?!thumb)|partNumber=/.test(url)).length;
          assert.ok(parts < (largeBytes / (8 * mebibyte)) * 0.75, `${parts} parts were sent after the reload`);
          assert.equal(await page.locator(".file").count(), 1);
          const assets = await link.assets();
          assert.equal(assets.length, 1);
          assert.equal(await fetchDigest(assets[0]?.url ?? ""), film.digest);
          await context.close();
        });
      },
      ["sqlite"],
    );

if (hasChromium())
  for (const store of listStoreNames())
    describe(`the upload page and a server that is killed, on ${store}`, () => {
      test("a process restart in the middle: the page goes on by itself, and the file is whole (UPLOAD-9, C5)", async () => {
        const folder = createTempFolder();
        const path = `${folder.path}/film.mp4`;
        const digest = await writeVideoFile(path, largeBytes);
        const service = await createUploadProcess(store);
        const browser = await openChromium();
        try {
          const link = await createTestUploadLink(service);
          const { page } = await openObservedPage(browser);
          await page.goto(link.url);
          await throttleUploads(page, largeBytes / 8);
          await chooseFiles(page, path);
          await waitForProgress(page, 0.3);
          await service.kill();
          if (store === "disk") await page.getByText("The server isn’t responding.").first().waitFor();
          await sleep(1000);
          await service.start();
          await done(page);
          const [asset] = await link.assets();
          assert.equal(await fetchDigest(asset?.url ?? ""), digest);
        } finally {
          await browser.close();
          await service.close();
          folder.remove();
        }
      });
    });

if (hasChromium())
  forEachEngine(
    "the upload page and its time",
    (fixture) => {
      test("what began before the 30 minutes ended finishes after them; what begins after is refused (UPLOAD-5)", async () => {
        const service = await startUploadService(fixture, "disk");
        const browser = await openChromium();
        const folder = createTempFolder();
        try {
          const path = `${folder.path}/film.mp4`;
          const digest = await writeVideoFile(path, 40 * mebibyte);
          const link = await createTestUploadLink(service);
          const { page } = await openObservedPage(browser);
          await page.goto(link.url);
          await throttleUploads(page, 10 * mebibyte);
          await chooseFiles(page, path);
          await waitForProgress(page, 0.2);
          fixture.clock.advance(minutes(31));
          await chooseFiles(page, { name: "late.jpg", mimeType: "image/jpeg", buffer: await jpeg() });
          await page.getByText("its 30 minutes are over").first().waitFor();
          await page.locator('.file[data-status="done"]').waitFor(patience);
          assert.deepEqual(
            (await link.assets()).map(({ filename, status }) => `${filename} ${status}`),
            ["film.mp4 ready"],
          );
          assert.equal(await fetchDigest((await link.assets())[0]?.url ?? ""), digest);
        } finally {
          await browser.close();
          await service.close();
          folder.remove();
        }
      });
    },
    ["sqlite"],
  );
