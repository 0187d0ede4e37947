import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { minutes } from "#lib/clock.ts";
import {
  expectFailure,
  openChromium,
  openObservedPage,
  skipWithoutChromium,
  type Browser,
  type Page,
} from "../support/chromium.ts";
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
import { waitUntil } from "../support/wait-until.ts";

const mebibyte = 1024 ** 2;
/** `UPLOAD_MB=1024` tests a large file; the default is smaller to keep runs short. */
const largeBytes = Number(process.env["UPLOAD_MB"] ?? 100) * mebibyte;
const timeout = { timeout: 60_000 + largeBytes / 5000 };
const isPartUrl = (url: string) => new URL(url).pathname.startsWith("/files/") || url.includes("partNumber=");
const waitUntilDone = (page: Page) => page.locator('[data-state="done"]').waitFor(timeout);

for (const store of listStoreNames())
  forEachEngine(
    `the upload page on ${store}`,
    (fixture) => {
      const folder = createTempFolder();
      const video = { path: `${folder.path}/video.mp4`, digest: "" };
      let browser: Browser;
      let service: RunningService;
      before(async () => {
        browser = await openChromium();
        expectFailure(browser, 410, "/api/uploads/files");
        service = await startUploadService(fixture, store);
        video.digest = await writeVideoFile(video.path, largeBytes);
      });
      after(async () => {
        await browser?.close();
        await service?.close();
        folder.remove();
      });

      test("accepts a JPEG with a wrong or missing extension, and corrects the name (UPLOAD-4)", async () => {
        const link = await createTestUploadLink(service);
        const { page, context } = await openObservedPage(browser);
        await page.goto(link.url);
        await chooseFiles(page, [
          { name: "vase.png", mimeType: "image/png", buffer: await jpeg(900, 600) },
          { name: "window", mimeType: "", buffer: await jpeg(300, 300) },
        ]);
        await waitUntilDone(page);
        const assets = (await link.assets()).map(({ filename, mimeType, status }) => [filename, mimeType, status]);
        assert.deepEqual(
          assets.toSorted(([a = ""], [b = ""]) => a.localeCompare(b)),
          [
            ["vase.jpg", "image/jpeg", "ready"],
            ["window.jpg", "image/jpeg", "ready"],
          ],
        );
        await page.getByLabel("Alt text").nth(1).waitFor();
        await page.getByText("window.jpg", { exact: true }).waitFor();
        await context.close();
      });

      test("uploads several files at once and attaches them to the post (UPLOAD-2, UPLOAD-9, W7)", async () => {
        const link = await createTestUploadLink(service);
        const { page, consoleProblems, requestedUrls, context } = await openObservedPage(browser);
        const files = [
          { name: "one.jpg", mimeType: "image/jpeg", buffer: await jpeg(900, 600) },
          { name: "two.png", mimeType: "image/png", buffer: await png(300, 300) },
          { name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("# Notes\n") },
        ];
        await page.goto(link.url);
        assert.equal(await page.locator("h1").textContent(), "Spring catalogue");
        await page.locator('[data-state="empty"]').waitFor();
        await chooseFiles(page, files);
        await chooseFiles(page, video.path);
        await waitUntilDone(page);
        const assets = await link.assets();
        assert.deepEqual(
          assets.map(({ filename, status }) => `${filename} ${status}`),
          ["one.jpg ready", "two.png ready", "notes.md ready", "video.mp4 ready"],
          "in the order of their selection",
        );
        for (const { filename, url } of assets) {
          const expected = files.find(({ name }) => name === filename)?.buffer;
          assert.equal(
            await fetchDigest(url ?? ""),
            expected ? createHash("sha256").update(expected).digest("hex") : video.digest,
            filename,
          );
        }
        assert.deepEqual(consoleProblems, []);
        const origins = new Set(
          requestedUrls.filter((url) => !url.startsWith("blob:")).map((url) => new URL(url).origin),
        );
        assert.deepEqual(
          [...origins].toSorted(),
          [...new Set([service.base, service.deps.files.origin])].toSorted(),
          "no requests to third parties",
        );
        assert.deepEqual(await context.cookies(), []);
        await context.close();
      });

      test("uploads the other files while one can't be started (UPLOAD-9)", async () => {
        const link = await createTestUploadLink(service);
        const { page, context } = await openObservedPage(browser);
        await page.goto(link.url);
        await page.route("**/files", (route) =>
          route.request().postData()?.includes("one.jpg") === true ? route.fulfill({ status: 500 }) : route.continue(),
        );
        await chooseFiles(page, [
          { name: "one.jpg", mimeType: "image/jpeg", buffer: await jpeg(90, 60) },
          { name: "two.png", mimeType: "image/png", buffer: await png(30, 30) },
        ]);
        const listReadyFiles = async () =>
          (await link.assets()).filter(({ status }) => status === "ready").map(({ filename }) => filename);
        await waitUntil(async () => (await listReadyFiles()).includes("two.png"));
        assert.deepEqual(await listReadyFiles(), ["two.png"]);
        await page.unroute("**/files");
        await waitUntilDone(page);
        assert.deepEqual(await listReadyFiles(), ["two.png", "one.jpg"]);
        await context.close();
      });

      test("reports a lost connection, and resumes when it is back (UPLOAD-9)", async () => {
        const link = await createTestUploadLink(service);
        const { page, context } = await openObservedPage(browser);
        await page.goto(link.url);
        await throttleUploads(page, largeBytes / 8);
        await chooseFiles(page, video.path);
        await waitForProgress(page, 0.25);
        await context.setOffline(true);
        await page.getByText("You are offline.").first().waitFor();
        await sleep(1500);
        assert.equal((await link.assets())[0]?.status, "pending");
        await context.setOffline(false);
        await waitUntilDone(page);
        const [asset] = await link.assets();
        assert.equal(await fetchDigest(asset?.url ?? ""), video.digest);
        await context.close();
      });

      test("keeps the progress when the user pauses, and sends no part twice (UPLOAD-9)", async () => {
        const link = await createTestUploadLink(service);
        const { page, context, requestedUrls } = await openObservedPage(browser);
        await page.goto(link.url);
        await throttleUploads(page, largeBytes / 8);
        await chooseFiles(page, video.path);
        const click = (name: string) => page.getByRole("button", { name, exact: true }).click();
        await waitForProgress(page, 0.15);
        await click("Pause");
        await click("Resume"); // while the paused parts are still in flight
        await waitForProgress(page, 0.4);
        const progressBar = page.locator("[data-status] progress");
        const readProgress = () => progressBar.evaluate((element) => (element as unknown as { value: number }).value);
        const values = [await readProgress()];
        await click("Pause");
        await page
          .getByText(/^Paused · \d/)
          .first()
          .waitFor();
        const startedAt = Date.now();
        while (Date.now() - startedAt < 3000) {
          values.push(await readProgress());
          await sleep(50);
        }
        const drops = values.filter((value, i) => value < (values[i - 1] ?? 0));
        assert.deepEqual(drops, [], "the progress never drops");
        const partRequests = requestedUrls.filter(isPartUrl).length;
        await sleep(500);
        assert.equal(requestedUrls.filter(isPartUrl).length, partRequests, "a paused file sends no more parts");
        assert.equal((await link.assets())[0]?.status, "pending");
        await click("Resume");
        await waitUntilDone(page);
        assert.equal(requestedUrls.filter(isPartUrl).length, Math.ceil(largeBytes / (8 * mebibyte)));
        assert.equal(await fetchDigest((await link.assets())[0]?.url ?? ""), video.digest);
        await context.close();
      });

      test("resumes from the uploaded parts after a reload (UPLOAD-9)", async () => {
        const link = await createTestUploadLink(service);
        const { page, context, requestedUrls } = await openObservedPage(browser);
        await page.goto(link.url);
        await throttleUploads(page, largeBytes / 8);
        await chooseFiles(page, video.path);
        const countPartRequests = () => requestedUrls.filter(isPartUrl).length;
        while (countPartRequests() < 9) await sleep(20);
        await page.reload();
        await page.getByText(/ · Upload interrupted$/).waitFor();
        await page.getByText("Choose this file again").waitFor();
        await throttleUploads(page, largeBytes);
        const pendingChooser = page.waitForEvent("filechooser");
        await page.getByRole("button", { name: /^Choose file…: / }).click();
        await (await pendingChooser).setFiles(video.path);
        await waitUntilDone(page);
        // At most the four parallel requests that the reload aborted.
        const resentParts = countPartRequests() - Math.ceil(largeBytes / (8 * mebibyte));
        assert.ok(resentParts <= 4, `${resentParts} parts were sent twice`);
        assert.equal(await page.locator("li[data-status]").count(), 1);
        const assets = await link.assets();
        assert.equal(assets.length, 1);
        assert.equal(await fetchDigest(assets[0]?.url ?? ""), video.digest);
        await context.close();
      });
    },
    ["sqlite"],
    skipWithoutChromium,
  );

for (const store of listStoreNames())
  describe(`the upload page when the server is killed, on ${store}`, { skip: skipWithoutChromium }, () => {
    test("resumes after a restart of the server, and the file is complete (UPLOAD-9, C5)", async () => {
      const folder = createTempFolder();
      const path = `${folder.path}/video.mp4`;
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
        await waitUntilDone(page);
        const [asset] = await link.assets();
        assert.equal(await fetchDigest(asset?.url ?? ""), digest);
      } finally {
        await browser.close();
        await service.close();
        folder.remove();
      }
    });
  });

forEachEngine(
  "expiry of the upload page",
  (fixture) => {
    test("finishes uploads started within the 30 minutes, and rejects later ones (UPLOAD-5)", async () => {
      const service = await startUploadService(fixture, "disk");
      const browser = await openChromium();
      expectFailure(browser, 410, "/api/uploads/files");
      const folder = createTempFolder();
      try {
        const path = `${folder.path}/video.mp4`;
        const digest = await writeVideoFile(path, 40 * mebibyte);
        const link = await createTestUploadLink(service);
        const { page } = await openObservedPage(browser);
        await page.goto(link.url);
        await throttleUploads(page, 10 * mebibyte);
        await chooseFiles(page, path);
        await waitForProgress(page, 0.2);
        fixture.clock.advance(minutes(31));
        await chooseFiles(page, { name: "late.jpg", mimeType: "image/jpeg", buffer: await jpeg() });
        await page.getByText("it expired after 30 minutes").first().waitFor();
        await page.locator('[data-status="done"]').waitFor(timeout);
        assert.deepEqual(
          (await link.assets()).map(({ filename, status }) => `${filename} ${status}`),
          ["video.mp4 ready"],
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
  skipWithoutChromium,
);
