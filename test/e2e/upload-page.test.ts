import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test, type TestContext } from "node:test";
import {
  openChromium,
  openObservedPage,
  skipWithoutChromium,
  type Browser,
  type ObservedPage,
  type Page,
} from "../support/chromium.ts";
import { forEachEngine } from "../support/engines.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { jpeg } from "../support/samples.ts";
import type { RunningService } from "../support/service.ts";
import { listStoreNames } from "../support/stores.ts";
import {
  chooseFiles,
  createTestUploadLink,
  fetchDigest,
  holdLastParts,
  isPartUrl,
  openUploadPage,
  partBytes,
  throttleUploads,
  startUploadService,
  waitForProgress,
  writeVideoFile,
  type TestUploadLink,
} from "../support/upload-fixture.ts";
import { createUploadProcess } from "../support/upload-process.ts";
import { waitUntil } from "../support/wait-until.ts";

const mebibyte = 1024 ** 2;
/** `UPLOAD_MB=1024` tests a large file. The default is just too large for a copy in the browser's database. */
const largeBytes = Number(process.env["UPLOAD_MB"] ?? 72) * mebibyte;
const partCount = Math.ceil(largeBytes / partBytes);
const timeout = { timeout: 60_000 + largeBytes / 5000 };
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
        service = await startUploadService(fixture, store);
        video.digest = await writeVideoFile(video.path, largeBytes);
      });
      after(async () => {
        await browser?.close();
        await service?.close();
        folder.remove();
      });

      /** Opens the page of a new upload link, and uploads this fraction of the video, slowly. */
      async function startVideo(t: TestContext, fraction: number) {
        const opened = await openUploadPage(t, browser, service);
        await chooseVideo(opened.page, fraction);
        return { ...opened, countPartRequests: () => countParts(opened) };
      }
      async function chooseVideo(page: Page, fraction: number): Promise<void> {
        await throttleUploads(page, largeBytes / 8);
        await chooseFiles(page, video.path);
        await waitForProgress(page, fraction);
      }
      /** Like `startVideo`, and keeps the last parts from arriving, so that the upload can't end before `release`. */
      async function startHeldVideo(t: TestContext, fraction: number) {
        const opened = await openUploadPage(t, browser, service);
        const release = await holdLastParts(opened.page, largeBytes);
        await chooseVideo(opened.page, fraction);
        return { ...opened, release, countPartRequests: () => countParts(opened) };
      }
      const countParts = ({ requestedUrls }: ObservedPage) => requestedUrls.filter(isPartUrl).length;

      async function assertVideoIsUploaded(link: TestUploadLink): Promise<void> {
        const assets = await link.assets();
        assert.deepEqual(
          assets.map(({ filename, status }) => `${filename} ${status}`),
          ["video.mp4 ready"],
        );
        assert.equal(await fetchDigest(assets[0]?.url ?? ""), video.digest);
      }

      test("uploads several files at once and attaches them to the post (UPLOAD-2, UPLOAD-9, W7)", async (t) => {
        const { page, link, consoleProblems, requestedUrls, context } = await openUploadPage(t, browser, service);
        const files = [
          { name: "one.jpg", mimeType: "image/jpeg", buffer: await jpeg(900, 600) },
          { name: "window", mimeType: "", buffer: await jpeg(300, 300) },
          { name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("# Notes\n") },
        ];
        assert.equal(await page.locator("h1").textContent(), "Spring catalogue");
        await chooseFiles(page, files);
        await chooseFiles(page, video.path);
        await waitUntilDone(page);
        await page.getByText("window.jpg", { exact: true }).waitFor();
        await page.getByLabel("Alt text").nth(1).waitFor();
        const assets = await link.assets();
        assert.deepEqual(
          assets.map(({ filename, status }) => `${filename} ${status}`),
          ["one.jpg ready", "window.jpg ready", "notes.md ready", "video.mp4 ready"],
          "in the order of their selection",
        );
        const digests = files.map(({ buffer }) => createHash("sha256").update(buffer).digest("hex"));
        assert.deepEqual(await Promise.all(assets.map(({ url }) => fetchDigest(url ?? ""))), [
          ...digests,
          video.digest,
        ]);
        assert.deepEqual(consoleProblems, []);
        const origins = requestedUrls.filter((url) => !url.startsWith("blob:")).map((url) => new URL(url).origin);
        assert.deepEqual(
          new Set(origins),
          new Set([service.base, service.deps.files.origin]),
          "no requests to third parties",
        );
        assert.deepEqual(await context.cookies(), []);
      });

      test("resumes from the uploaded parts after a reload (UPLOAD-9)", async (t) => {
        const { page, link, countPartRequests } = await startVideo(t, 0);
        // At most four parts are sent in parallel, so the others have arrived.
        await waitUntil(() => countPartRequests() >= partCount - 1, { timeoutMs: timeout.timeout });
        await page.reload();
        await page.getByText(/ · Upload interrupted$/).waitFor();
        await page.getByText("Choose this file again").waitFor();
        await throttleUploads(page, largeBytes);
        const pendingChooser = page.waitForEvent("filechooser");
        await page.getByRole("button", { name: /^Choose file…: / }).click();
        await (await pendingChooser).setFiles(video.path);
        await waitUntilDone(page);
        const resentParts = countPartRequests() - partCount;
        assert.ok(resentParts <= 4, `${resentParts} parts were sent twice`);
        assert.equal(await page.locator("li[data-status]").count(), 1);
        await assertVideoIsUploaded(link);
      });

      if (store !== "disk") return; // the other tests do not depend on the store

      test("reports a lost connection, and resumes when it is back (UPLOAD-9)", async (t) => {
        const { page, context, link, release } = await startHeldVideo(t, 0.25);
        await context.setOffline(true);
        release();
        await page.getByText("You are offline.").first().waitFor();
        assert.equal((await link.assets())[0]?.status, "pending");
        await context.setOffline(false);
        await waitUntilDone(page);
        await assertVideoIsUploaded(link);
      });

      test("keeps the progress when the user pauses, and sends no part twice (UPLOAD-9)", async (t) => {
        const { page, link, release, countPartRequests } = await startHeldVideo(t, 0.15);
        await page.evaluate(`{
          const progressBar = document.querySelector("[data-status] progress");
          globalThis.progressValues = [];
          new MutationObserver(() => progressValues.push(progressBar.value)).observe(progressBar, { attributes: true });
        }`);
        let endedParts = 0;
        page.on("requestfinished", (request) => void (isPartUrl(request.url()) && endedParts++));
        const partsBefore = countPartRequests();
        const click = (name: string) => page.getByRole("button", { name, exact: true }).click();
        await click("Pause");
        await click("Resume"); // while the paused parts are still in flight
        await waitForProgress(page, 0.4);
        await click("Pause");
        await page
          .getByText(/^Paused · \d/)
          .first()
          .waitFor();
        const sentParts = countPartRequests();
        assert.ok(sentParts < partCount);
        release();
        await waitUntil(() => countPartRequests() - partsBefore <= endedParts);
        assert.equal(countPartRequests(), sentParts, "a paused file sends no more parts");
        assert.equal((await link.assets())[0]?.status, "pending");
        const values = await page.evaluate<number[]>("progressValues");
        assert.deepEqual(
          values,
          values.toSorted((a, b) => a - b),
          "the progress never drops",
        );
        await click("Resume");
        await waitUntilDone(page);
        assert.equal(countPartRequests(), partCount);
        await assertVideoIsUploaded(link);
      });

      test("resumes after the server was killed and restarted, and the file is complete (UPLOAD-9, C5)", async (t) => {
        const killedService = await createUploadProcess("disk");
        t.after(() => killedService.close());
        const link = await createTestUploadLink(killedService);
        const { page, context } = await openObservedPage(browser);
        t.after(() => context.close());
        await page.goto(link.url);
        const release = await holdLastParts(page, largeBytes);
        await chooseVideo(page, 0.3);
        await killedService.kill();
        release();
        await page.getByText("The server isn’t responding.").first().waitFor();
        await killedService.start();
        await waitUntilDone(page);
        await assertVideoIsUploaded(link);
      });
    },
    ["sqlite"],
    skipWithoutChromium,
  );
