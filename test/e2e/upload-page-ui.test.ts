import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { after, before, test, type TestContext } from "node:test";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { axeVariants, findViolations } from "../support/axe.ts";
import { expectFailure, openChromium, skipWithoutChromium, type Browser, type Page } from "../support/chromium.ts";
import { forEachEngine } from "../support/engines.ts";
import { waitForPaint } from "../support/page-waits.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { jpeg } from "../support/samples.ts";
import type { RunningService } from "../support/service.ts";
import {
  chooseFiles,
  dropFiles,
  holdLastParts,
  openUploadPage,
  throttleUploads,
  startUploadService,
  waitForProgress,
  writeVideoFile,
} from "../support/upload-fixture.ts";
import { waitUntil } from "../support/wait-until.ts";
import { attachNewFile } from "../support/web-posts.ts";

const mebibyte = 1024 ** 2;
const getButton = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const waitForState = (page: Page, state: string) =>
  page.locator(`[data-state="${state}"]`).waitFor({ timeout: 60_000 });
const waitForStatus = (page: Page, status: string) => page.locator(`[data-status="${status}"]`).waitFor();
const getFocusedId = (page: Page) => page.evaluate<string>("document.activeElement?.id");
const createImage = async (name: string) => ({ name, mimeType: "image/jpeg", buffer: await jpeg() });

async function pasteFile(page: Page, name: string, bytes: Buffer): Promise<void> {
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    const bytes = Uint8Array.fromBase64("${bytes.toString("base64")}");
    data.items.add(new File([bytes], "${name}", { type: "image/jpeg" }));
    document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  })()`);
}

forEachEngine(
  "the UI of the upload page",
  (fixture) => {
    const folder = createTempFolder();
    const videoPath = `${folder.path}/video.mp4`;
    let browser: Browser;
    let service: RunningService;
    before(async () => {
      browser = await openChromium(["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]);
      // Several tests upload files and alt texts that the server rejects; the page then also removes such a file.
      expectFailure(browser, 415, "/complete");
      expectFailure(browser, 400, /^\/api\/uploads\/files\/ast_\w+$/);
      expectFailure(browser, 404, /^\/api\/uploads\/files\/ast_\w+$/);
      expectFailure(browser, 409, "/api/uploads/files");
      expectFailure(browser, 403, "/u/nothing");
      service = await startUploadService(fixture, "disk");
      await writeVideoFile(videoPath, 48 * mebibyte);
    });
    after(async () => {
      await browser?.close();
      await service?.close();
      folder.remove();
    });

    const open = (t: TestContext, options: Parameters<typeof openUploadPage>[3] = {}) =>
      openUploadPage(t, browser, service, options);

    for (const [width, colorScheme] of axeVariants)
      test(`axe-core finds no violation in any state: ${width} px, ${colorScheme} (UPLOAD-11, UPLOAD-12)`, async (t) => {
        const viewport = { width, height: 844 };
        const { page, context } = await open(t, { viewport, colorScheme, reducedMotion: "reduce" });
        assert.deepEqual(await findViolations(page), [], "empty");
        await chooseFiles(page, [
          await createImage("a.jpg"),
          { name: "wrong.jpg", mimeType: "image/jpeg", buffer: Buffer.from("PK\x03\x04 not an image") },
        ]);
        await waitForStatus(page, "failed");
        await waitForStatus(page, "done");
        assert.deepEqual(await findViolations(page), [], "failed");
        await throttleUploads(page, mebibyte); // the upload must not finish before the checks
        await chooseFiles(page, videoPath);
        await waitForStatus(page, "sending");
        assert.deepEqual(await findViolations(page), [], "sending");
        await getButton(page, "Pause").click();
        await waitForStatus(page, "paused");
        assert.deepEqual(await findViolations(page), [], "paused");
        await context.setOffline(true);
        await page.getByText("You are offline.").first().waitFor();
        assert.deepEqual(await findViolations(page), [], "offline");
        assert.ok((await page.evaluate<number>("document.documentElement.scrollWidth")) <= width);
        await context.setOffline(false);
        await page.goto(`${service.base}/u/nothing`);
        assert.deepEqual(await findViolations(page), [], "an invalid link");
      });

    test("every action works with the keyboard alone (UPLOAD-10, UPLOAD-12)", async (t) => {
      const { page, link } = await open(t);
      await throttleUploads(page, mebibyte);
      const tabUntil = async (script: string, expected: string) => {
        for (let i = 0; i < 40; i++) {
          await page.keyboard.press("Tab");
          if ((await page.evaluate<string>(script)) === expected) return;
        }
        throw new Error(`${expected} cannot be reached with the keyboard`);
      };
      const tabTo = (name: string) =>
        tabUntil("document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent", name);
      await waitForPaint(page);
      const pendingChooser = page.waitForEvent("filechooser");
      await tabTo("Choose files");
      await page.keyboard.press("Space");
      await (await pendingChooser).setFiles(videoPath);
      await waitForStatus(page, "sending");
      for (const [action, status] of [
        ["Pause", "paused"],
        ["Resume", "sending"],
      ] as const) {
        await tabTo(`${action}: video.mp4`);
        await page.keyboard.press("Enter");
        await waitForStatus(page, status);
      }
      await tabTo("Cancel: video.mp4");
      await page.keyboard.press("Enter");
      await waitForState(page, "empty");
      await waitUntil(async () => (await link.assets()).length === 0, { description: "its position is released" });
      assert.equal(await getFocusedId(page), "uploader-files", "focus is not lost");

      await chooseFiles(page, await createImage("a.jpg"));
      await waitForState(page, "done");
      const announcement = page.locator("#uploader > [role=status]");
      await announcement.filter({ hasText: /Attached|All files/ }).waitFor({ state: "attached" });
      await tabUntil("document.activeElement?.tagName + document.activeElement?.type", "INPUTtext");
      await page.keyboard.type("A wall in the sun");
      await page.keyboard.press("Enter");
      await waitUntil(async () => (await link.assets())[0]?.altText === "A wall in the sun");
      assert.equal(await getButton(page, "Continue on a phone").count(), 0, "a phone can't open a local link");
    });

    test("while offline, says once that the uploads wait, and shows the progress of each file (UPLOAD-10)", async (t) => {
      const { page, context } = await open(t);
      const paths = ["a.mp4", "b.mp4"].map((name) => `${folder.path}/${name}`);
      t.after(() => paths.forEach((path) => rmSync(path)));
      for (const path of paths) await writeVideoFile(path, 3_000_000);
      await throttleUploads(page, 300_000);
      await chooseFiles(page, paths);
      await page.locator('[data-status="sending"]').nth(1).waitFor();
      await context.setOffline(true);
      await page.getByText(/^Waiting for connection · 0 of 2 files uploaded/).waitFor();
      assert.equal(await page.getByText("Waiting for connection").count(), 1);
      for (const row of await page.locator('[data-status="sending"]').all())
        await row.getByText(/^[\d.]+\s\w+ of 3\sMB$/).waitFor();
    });

    test("shows the link as a QR code where a phone can open it (UPLOAD-10, UPLOAD-12)", async (t) => {
      const { page, link } = await open(t);
      const publicBase = "https://atelier.example";
      await page.route(`${publicBase}/**`, async (route) => {
        const url = route.request().url().replace(publicBase, service.base);
        const headers = { ...route.request().headers(), origin: service.base };
        await route.fulfill({ response: await route.fetch({ url, headers }) });
      });
      await page.goto(link.url.replace(service.base, publicBase));
      const phoneButton = getButton(page, "Continue on a phone");
      await phoneButton.waitFor();
      await waitForPaint(page);
      await phoneButton.press("Enter");
      await page.getByRole("img", { name: "Continue on a phone" }).waitFor();
      assert.deepEqual(await findViolations(page), []);
      await page.keyboard.press("Escape");
      await page.getByRole("img", { name: "Continue on a phone" }).waitFor({ state: "detached" });
      await phoneButton.and(page.locator(":focus")).waitFor();
    });

    test("uploads photos from the camera, pasted files and folders (UPLOAD-10)", async (t) => {
      const { page, link, consoleProblems } = await open(t, { permissions: ["camera"] });
      await getButton(page, "Take a photo").click();
      await page.locator("dialog").getByRole("button", { name: "Take a photo" }).click();
      await getButton(page, "Use photo").click();
      await waitForState(page, "done");
      await pasteFile(page, "pasted.jpg", await jpeg());
      await page.getByText("pasted.jpg", { exact: true }).waitFor();
      await waitForState(page, "done");
      await page.locator("input[webkitdirectory]").setInputFiles(folder.path);
      await page.getByText("video.mp4").first().waitFor();
      await waitForState(page, "done");
      const names = (await link.assets()).map(({ filename }) => filename);
      assert.match(names[0] ?? "", /^photo-.*\.jpg$/);
      assert.deepEqual(names.slice(1), ["pasted.jpg", "video.mp4"]);
      assert.deepEqual(consoleProblems, []);
    });

    test("adds the other files of a dropped folder if some can't be read, and says so until the user acts (UPLOAD-10)", async (t) => {
      const droppedFolder = `${folder.path}/dropped`;
      t.after(() => rmSync(droppedFolder, { recursive: true }));
      mkdirSync(`${droppedFolder}/inner`, { recursive: true });
      for (const name of ["a.jpg", "b.jpg", "inner/c.jpg"]) writeFileSync(`${droppedFolder}/${name}`, await jpeg());
      // Root can read every file, so the browser's error is simulated.
      const initScript = `
        const { webkitGetAsEntry } = DataTransferItem.prototype;
        DataTransferItem.prototype.webkitGetAsEntry = function () {
          const folder = webkitGetAsEntry.call(this);
          const reader = folder.createReader();
          const readEntries = (onEntries, onError) =>
            reader.readEntries((entries) => {
              const entry = entries.find(({ name }) => name === "b.jpg");
              if (entry) entry.file = (_, onFileError) => onFileError(new DOMException("", "NotReadableError"));
              onEntries(entries);
            }, onError);
          folder.createReader = () => ({ readEntries });
          return folder;
        };
      `;
      const { page, link } = await open(t, { initScript });
      const notice = page.locator("#uploader > div:not([role])").filter({ hasText: /^Some files couldn’t be read/ });
      const dropFolder = async () => {
        await dropFiles(page, [droppedFolder]);
        await notice.waitFor();
        await waitForState(page, "done");
      };
      await dropFolder();
      const names = (await link.assets()).map(({ filename }) => filename);
      assert.deepEqual(names.toSorted(), ["a.jpg", "c.jpg"]);
      await waitForPaint(page);
      await notice.getByRole("button", { name: "Close" }).press("Enter");
      await notice.waitFor({ state: "hidden" });
      assert.equal(await getFocusedId(page), "uploader-files", "focus is not lost");

      await dropFolder();
      await throttleUploads(page, mebibyte);
      await chooseFiles(page, videoPath);
      await notice.waitFor({ state: "hidden" });
      await dropFiles(page, [droppedFolder]);
      await notice.waitFor();
      await getButton(page, "Cancel: video.mp4").click();
      await notice.waitFor({ state: "hidden" });
    });

    test("resumes a stored file once if the user clicks Resume twice (UPLOAD-9)", async (t) => {
      // The browser prompts for the permission to read the file; the user grants it after the second click.
      const initScript = `
        const { promise, resolve } = Promise.withResolvers();
        window.grantAccess = () => resolve("granted");
        FileSystemHandle.prototype.queryPermission = async () => "prompt";
        FileSystemHandle.prototype.requestPermission = () => promise;
      `;
      const { page } = await open(t, { initScript });
      await throttleUploads(page, 4 * mebibyte);
      await dropFiles(page, [videoPath]);
      await waitForProgress(page, 0.2);
      await page.reload();
      const resumeButton = getButton(page, "Resume: video.mp4");
      await resumeButton.click();
      await resumeButton.click();
      let startCount = 0;
      page.on("request", (request) => void (request.url().endsWith("/api/uploads/files") && startCount++));
      await page.evaluate("grantAccess()");
      await waitForState(page, "done");
      assert.equal(startCount, 1);
    });

    /** Opens the page of a new upload link, where no upload starts until `startUploads` is called. */
    async function openHeldPage(t: TestContext) {
      const opened = await open(t);
      const { promise: started, resolve: startUploads } = Promise.withResolvers<void>();
      await opened.page.route("**/api/uploads/files", async (route) => {
        await started;
        return route.continue();
      });
      return { ...opened, startUploads };
    }

    test("saves an alt text that is entered before the upload starts, even if the first attempt fails (UPLOAD-10)", async (t) => {
      const { page, link, startUploads } = await openHeldPage(t);
      let attemptCount = 0;
      await page.route("**/api/uploads/files/*", (route) =>
        route.request().method() === "PATCH" && attemptCount++ === 0
          ? route.fulfill({ status: 503 })
          : route.fallback(),
      );
      await chooseFiles(page, await createImage("a.jpg"));
      await page.getByLabel("Alt text").fill("A wall in the sun");
      await page.keyboard.press("Enter");
      await page.getByText("Saved").waitFor();
      startUploads();
      await waitForState(page, "done");
      await waitUntil(async () => (await link.assets())[0]?.altText === "A wall in the sun");
      assert.equal(attemptCount, 2);
    });

    test("keeps an alt text that the server rejects and says why, before and after the upload (UPLOAD-10)", async (t) => {
      const { page, link, startUploads } = await openHeldPage(t);
      await chooseFiles(page, await createImage("a.jpg"));
      const altText = page.getByLabel("Alt text");
      // A character that pasted text can contain, but the database can't store.
      const enterRejectedText = (text: string) =>
        page.evaluate(`(() => {
            const input = document.querySelector("input[id$=-alt]");
            input.value = "${text}\\0";
            input.dispatchEvent(new Event("change"));
          })()`);
      const problem = page.getByText(/^Not saved: .*text without NUL characters/);
      await altText.waitFor();
      await enterRejectedText("A wall");
      await page.getByText("Saved", { exact: true }).waitFor();
      startUploads();
      await waitForState(page, "done");
      await problem.waitFor();
      assert.equal(await altText.inputValue(), "A wall\0");
      assert.equal(await page.getByText("Saved", { exact: true }).count(), 0);

      await altText.fill("A wall in the sun");
      await page.keyboard.press("Enter");
      await problem.waitFor({ state: "hidden" });
      await waitUntil(async () => (await link.assets())[0]?.altText === "A wall in the sun");
      await enterRejectedText("A wall in the shade");
      await problem.waitFor();
      assert.equal(await altText.inputValue(), "A wall in the shade\0");
      assert.equal(await altText.getAttribute("aria-invalid"), "true");
      assert.equal((await link.assets())[0]?.altText, "A wall in the sun");
    });

    test("asks for confirmation before it discards a large upload (UPLOAD-10)", async (t) => {
      const { page, link } = await open(t);
      const longVideoPath = `${folder.path}/long.mp4`;
      t.after(() => rmSync(longVideoPath));
      await writeVideoFile(longVideoPath, 128 * mebibyte);
      await holdLastParts(page, 128 * mebibyte);
      await chooseFiles(page, longVideoPath);
      await waitForProgress(page, 0.5);
      await getButton(page, "Pause: long.mp4").click();
      await getButton(page, "Cancel: long.mp4").click();
      await getButton(page, "Keep uploading").click();
      await waitForStatus(page, "paused");
      await getButton(page, "Cancel: long.mp4").click();
      await getButton(page, "Discard upload").click();
      await waitForState(page, "empty");
      await waitUntil(async () => (await link.assets()).length === 0, { description: "the upload is discarded" });
    });

    for (const [locale, text, direction] of [
      ["de-AT", "Dateien auswählen", "ltr"],
      ["ar", undefined, "rtl"],
      ["eo", "Choose files", "ltr"],
    ] as const)
      test(`shows texts in the browser's language: ${locale} (UPLOAD-10)`, async (t) => {
        const { page, consoleProblems } = await open(t, { locale });
        if (text !== undefined) await page.getByText(text).first().waitFor();
        assert.equal(await page.locator("#uploader").getAttribute("dir"), direction);
        assert.deepEqual(consoleProblems, []);
      });

    test("shows markup in names and titles as text (W4)", async (t) => {
      const title = `<img src=x onerror="document.title='pwned'">`;
      const { page, consoleProblems } = await open(t, { title });
      await chooseFiles(page, await createImage(`"><img src=x onerror=alert(1)>.jpg`));
      await waitForState(page, "done");
      assert.ok(!(await page.title()).startsWith("pwned"));
      assert.equal(await page.locator("img[src=x]").count(), 0);
      assert.deepEqual(consoleProblems, []);
    });

    test("shows how many more files fit on the post, and failed files first (UPLOAD-3, UPLOAD-10)", async (t) => {
      const limitedService = await startUploadService(fixture, "disk", { env: { MAX_ASSETS_PER_POST: "4" } });
      t.after(() => limitedService.close());
      const { deps } = limitedService;
      const { page, link } = await openUploadPage(t, browser, limitedService);
      const { owner, postId } = link;
      const assetId = await attachNewFile(deps, owner, postId, "first.jpg");
      await page.reload();
      await page.getByText("You can add 3 more files (4 per post).").waitFor();
      await chooseFiles(page, [
        await createImage("a.jpg"),
        { name: "broken.jpg", mimeType: "image/jpeg", buffer: Buffer.from("PK\x03\x04 not an image") },
        await createImage("b.jpg"),
      ]);
      await page.getByText("You can add 1 more file (4 per post).").waitFor();
      await page.locator('[data-status="done"]').nth(1).waitFor();
      await page
        .locator('[data-status="failed"]')
        .filter({ hasText: /Upload failed.*This isn’t a valid JPEG image\. Export it again/ })
        .waitFor();
      const getNames = () => page.locator("[data-status] [id$=-name]").allTextContents();
      assert.deepEqual(await getNames(), ["broken.jpg", "a.jpg", "b.jpg"]);

      const fileInput = page.getByLabel("Choose files").and(page.locator("input"));
      await fileInput.focus();
      await chooseFiles(page, await createImage("c.jpg"));
      // The focus moves from the disabled input to the reason.
      await page.locator(":focus", { hasText: /^This post is full: it can have at most 4 files\.$/ }).waitFor();
      for (const text of [/^Drop your files/, /They upload right away/])
        assert.ok(!(await page.getByText(text).isVisible()), "a full post doesn't ask for files");
      await getButton(page, "Remove: broken.jpg").click();
      await page.getByText("All files are attached, and the post is full.").first().waitFor();
      assert.deepEqual(await getNames(), ["a.jpg", "b.jpg", "c.jpg"]);

      await detachAsset(deps, owner, { postId, assetId });
      await page.reload();
      await page.getByText("You can add 1 more file (4 per post).").waitFor();
      // The page does not know yet that another user filled the post.
      await attachAsset(deps, owner, { postId, assetId });
      await chooseFiles(page, await createImage("late.jpg"));
      await page.getByText("This post already has 4 files, the maximum.").first().waitFor();
      await page.getByText("This post is full").waitFor();
      assert.equal(await getButton(page, "Retry: late.jpg").count(), 0);
      assert.ok(await fileInput.isDisabled());
      assert.deepEqual(await getNames(), ["late.jpg", "a.jpg", "b.jpg", "c.jpg"]);
      await detachAsset(deps, owner, { postId, assetId });
      // The user returns to the page.
      await page.evaluate("dispatchEvent(new Event('focus'))");
      await getButton(page, "Retry: late.jpg").press("Enter");
      await waitForState(page, "done");
      assert.deepEqual(await getNames(), ["a.jpg", "b.jpg", "c.jpg", "late.jpg"]);
    });

    test("uploads the other files while one can't be started (UPLOAD-9)", async (t) => {
      const { page, link } = await open(t);
      await page.route("**/files", (route) =>
        route.request().postData()?.includes("one.jpg") === true ? route.fulfill({ status: 500 }) : route.continue(),
      );
      await chooseFiles(page, [await createImage("one.jpg"), await createImage("two.jpg")]);
      const listReadyFiles = async () =>
        (await link.assets()).filter(({ status }) => status === "ready").map(({ filename }) => filename);
      await waitUntil(async () => (await listReadyFiles()).join() === "two.jpg");
      await page.unroute("**/files");
      await waitForState(page, "done");
      assert.deepEqual(await listReadyFiles(), ["two.jpg", "one.jpg"]);
    });
  },
  ["sqlite"],
  skipWithoutChromium,
);
