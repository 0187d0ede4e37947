import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { detachAsset } from "#domain/assets/detach-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import {
  expectFailure,
  openChromium,
  openObservedPage,
  skipWithoutChromium,
  type Browser,
  type Page,
} from "../support/chromium.ts";
import { forEachEngine } from "../support/engines.ts";
import { waitForPaint } from "../support/page-waits.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { jpeg } from "../support/samples.ts";
import type { RunningService } from "../support/service.ts";
import {
  chooseFiles,
  createTestUploadLink,
  dropFiles,
  throttleUploads,
  startUploadService,
  waitForProgress,
  writeVideoFile,
} from "../support/upload-fixture.ts";
import { waitUntil } from "../support/wait-until.ts";

const mebibyte = 1024 ** 2;
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeViolation {
  id: string;
  impact: string | null;
  nodes: { html: string }[];
}

/** The serious and critical violations that axe-core finds on the page. */
async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const run = "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)";
  const violations = (await page.evaluate(run)) as AxeViolation[];
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

const getButton = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const waitForState = (page: Page, state: string) =>
  page.locator(`[data-state="${state}"]`).waitFor({ timeout: 60_000 });

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

    for (const colorScheme of ["light", "dark"] as const) {
      for (const [name, viewport] of [
        ["desktop", { width: 1280, height: 900 }],
        ["phone", { width: 390, height: 844 }],
      ] as const) {
        test(`axe-core finds no serious violation in any state: ${name}, ${colorScheme} (UPLOAD-12)`, async () => {
          const { page, context } = await openObservedPage(browser, {
            viewport,
            colorScheme,
            reducedMotion: "reduce",
          });
          const link = await createTestUploadLink(service);
          await page.goto(link.url);
          await waitForState(page, "empty");
          assert.deepEqual(await findViolations(page), [], "empty");
          await chooseFiles(page, [
            { name: "a.jpg", mimeType: "image/jpeg", buffer: await jpeg() },
            { name: "wrong.jpg", mimeType: "image/jpeg", buffer: Buffer.from("PK\x03\x04 not an image") },
          ]);
          await page.locator('[data-status="failed"]').waitFor();
          await page.locator('[data-status="done"]').waitFor();
          assert.deepEqual(await findViolations(page), [], "failed");
          await getButton(page, "Remove: wrong.jpg").waitFor();
          await throttleUploads(page, mebibyte); // the upload must not finish before the checks
          await chooseFiles(page, videoPath);
          await page.locator('[data-status="sending"]').waitFor();
          assert.deepEqual(await findViolations(page), [], "sending");
          await page.getByRole("button", { name: "Pause", exact: true }).click();
          await page.locator('[data-status="paused"]').waitFor();
          assert.deepEqual(await findViolations(page), [], "paused");
          await context.setOffline(true);
          await page.getByText("You are offline.").first().waitFor();
          assert.deepEqual(await findViolations(page), [], "offline");
          const width = await page.evaluate<number>("document.documentElement.scrollWidth");
          assert.ok(width <= viewport.width, `the page is ${width} pixels wide`);
          await context.close();
        });
      }
    }

    test("axe-core finds no serious violation on the page of an invalid link (UPLOAD-11, UPLOAD-12)", async () => {
      const { page, context } = await openObservedPage(browser);
      await page.goto(`${service.base}/u/nothing`);
      assert.deepEqual(await findViolations(page), []);
      await context.close();
    });

    test("every action works with the keyboard alone (UPLOAD-10, UPLOAD-12)", async () => {
      const { page, context } = await openObservedPage(browser);
      const link = await createTestUploadLink(service);
      await page.goto(link.url);
      await waitForState(page, "empty");
      await throttleUploads(page, mebibyte);
      const getFocusedText = () =>
        page.evaluate<string>(
          "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''",
        );
      const tabTo = async (name: string) => {
        for (let i = 0; i < 40; i++) {
          await page.keyboard.press("Tab");
          if ((await getFocusedText()) === name) return;
        }
        throw new Error(`${name} cannot be reached with the keyboard`);
      };
      await waitForPaint(page);
      const pendingChooser = page.waitForEvent("filechooser");
      await tabTo("Choose files");
      await page.keyboard.press("Space");
      await (await pendingChooser).setFiles(videoPath);
      await page.locator('[data-status="sending"]').waitFor();
      await tabTo("Pause: video.mp4");
      await page.keyboard.press("Enter");
      await page.locator('[data-status="paused"]').waitFor();
      await tabTo("Resume: video.mp4");
      await page.keyboard.press("Enter");
      await page.locator('[data-status="sending"]').waitFor();
      await tabTo("Cancel: video.mp4");
      await page.keyboard.press("Enter");
      await waitForState(page, "empty");
      await waitUntil(async () => (await link.assets()).length === 0, { description: "its position is released" });
      assert.equal(await page.evaluate<string>("document.activeElement?.id"), "uploader-files", "focus is not lost");

      await chooseFiles(page, { name: "a.jpg", mimeType: "image/jpeg", buffer: await jpeg() });
      await waitForState(page, "done");
      const announcement = page.locator("#uploader > [role=status]");
      await announcement.filter({ hasText: /Attached|All files/ }).waitFor({ state: "attached" });
      await page.keyboard.press("Tab");
      for (
        let i = 0;
        i < 20 &&
        (await page.evaluate<string>("document.activeElement?.tagName + document.activeElement?.type")) !== "INPUTtext";
        i++
      )
        await page.keyboard.press("Tab");
      await page.keyboard.type("A wall in the sun");
      await page.keyboard.press("Enter");
      await waitUntil(async () => (await link.assets())[0]?.altText === "A wall in the sun");

      assert.equal(await getButton(page, "Continue on a phone").count(), 0, "a phone can't open a local link");
      await context.close();
    });

    test("while offline, says once that the uploads wait, and shows the progress of each file (UPLOAD-10)", async () => {
      const { page, context } = await openObservedPage(browser);
      const link = await createTestUploadLink(service);
      await page.goto(link.url);
      await throttleUploads(page, 300_000);
      await chooseFiles(
        page,
        ["a.mp4", "b.mp4"].map((name) => ({ name, mimeType: "video/mp4", buffer: Buffer.alloc(3_000_000) })),
      );
      await page.locator('[data-status="sending"]').nth(1).waitFor();
      await context.setOffline(true);
      await page.getByText(/^Waiting for connection · 0 of 2 files uploaded/).waitFor();
      assert.equal(await page.getByText("Waiting for connection").count(), 1);
      for (const row of await page.locator('[data-status="sending"]').all())
        await row.getByText(/^[\d.]+\s\w+ of 3\sMB$/).waitFor();
      await context.close();
    });

    test("shows the link as a QR code where a phone can open it (UPLOAD-10, UPLOAD-12)", async () => {
      const { page, context } = await openObservedPage(browser);
      const link = await createTestUploadLink(service);
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
      assert.equal(
        await page.evaluate<string>("document.activeElement?.textContent ?? ''"),
        "Continue on a phone",
        "focus returns to the button",
      );
      await context.close();
    });

    test("uploads photos from the camera, pasted files and folders (UPLOAD-10)", async () => {
      const { page, context, consoleProblems } = await openObservedPage(browser, { permissions: ["camera"] });
      const link = await createTestUploadLink(service);
      await page.goto(link.url);
      await waitForState(page, "empty");
      await getButton(page, "Take a photo").click();
      await page.locator("dialog").getByRole("button", { name: "Take a photo" }).click();
      await getButton(page, "Use photo").click();
      await waitForState(page, "done");
      await page.evaluate(`(async () => {
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = 20;
      canvas.getContext("2d").fillRect(0, 0, 9, 9);
      const blob = await new Promise((resolve) => canvas.toBlob(resolve));
      const data = new DataTransfer();
      data.items.add(new File([blob], "pasted.png", { type: "image/png" }));
      document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    })()`);
      await page.getByText("pasted.png", { exact: true }).waitFor();
      await waitForState(page, "done");
      await page.locator("input[webkitdirectory]").setInputFiles(folder.path);
      await page.getByText("video.mp4").first().waitFor();
      await waitForState(page, "done");
      const names = (await link.assets()).map(({ filename }) => filename);
      assert.equal(names.length, 3);
      assert.match(names[0] ?? "", /^photo-.*\.jpg$/);
      assert.deepEqual(names.slice(1), ["pasted.png", "video.mp4"]);
      assert.deepEqual(consoleProblems, []);
      await context.close();
    });

    test("adds the other files of a dropped folder if some can't be read, and says so (UPLOAD-10)", async () => {
      const { page, context } = await openObservedPage(browser);
      const link = await createTestUploadLink(service);
      const droppedFolder = `${folder.path}/dropped`;
      mkdirSync(`${droppedFolder}/inner`, { recursive: true });
      writeFileSync(`${droppedFolder}/a.jpg`, await jpeg());
      writeFileSync(`${droppedFolder}/b.jpg`, await jpeg());
      writeFileSync(`${droppedFolder}/inner/c.jpg`, await jpeg());
      // Root can read every file, so the browser's error is simulated.
      await page.addInitScript(`
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
        `);
      await page.goto(link.url);
      await waitForState(page, "empty");
      await dropFiles(page, [droppedFolder]);
      await page.getByText("Some files couldn’t be read and were not added.").first().waitFor();
      await waitForState(page, "done");
      const names = (await link.assets()).map(({ filename }) => filename);
      assert.deepEqual(names.toSorted(), ["a.jpg", "c.jpg"]);
      await context.close();
      rmSync(droppedFolder, { recursive: true });
    });

    test("resumes a stored file once if the user clicks Resume twice (UPLOAD-9)", async () => {
      const { page, context } = await openObservedPage(browser);
      const link = await createTestUploadLink(service);
      // The browser prompts for the permission to read the file; the user grants it after the second click.
      await page.addInitScript(`
          const { promise, resolve } = Promise.withResolvers();
          window.grantAccess = () => resolve("granted");
          FileSystemHandle.prototype.queryPermission = async () => "prompt";
          FileSystemHandle.prototype.requestPermission = () => promise;
        `);
      await page.goto(link.url);
      await waitForState(page, "empty");
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
      await context.close();
    });

    /** Opens the page of a new upload link, where no upload starts until `startUploads` is called. */
    async function openHeldPage() {
      const { page, context } = await openObservedPage(browser);
      const link = await createTestUploadLink(service);
      await page.goto(link.url);
      await waitForState(page, "empty");
      const { promise: started, resolve: startUploads } = Promise.withResolvers<void>();
      await page.route("**/api/uploads/files", async (route) => {
        await started;
        return route.continue();
      });
      return { page, context, link, startUploads };
    }

    test("saves an alt text that is entered before the upload starts, even if the first attempt fails (UPLOAD-10)", async () => {
      const { page, context, link, startUploads } = await openHeldPage();
      let attemptCount = 0;
      await page.route("**/api/uploads/files/*", (route) =>
        route.request().method() === "PATCH" && attemptCount++ === 0
          ? route.fulfill({ status: 503 })
          : route.fallback(),
      );
      await chooseFiles(page, { name: "a.jpg", mimeType: "image/jpeg", buffer: await jpeg() });
      const altText = page.getByLabel("Alt text");
      await altText.waitFor();
      await page.evaluate("document.fonts.ready"); // the label is as wide as its font makes it
      const widthWithButtons = (await altText.boundingBox())?.width;
      await altText.fill("A wall in the sun");
      await page.keyboard.press("Enter");
      await page.getByText("Saved").waitFor();
      startUploads();
      await waitForState(page, "done");
      await waitUntil(async () => (await link.assets())[0]?.altText === "A wall in the sun");
      assert.equal(attemptCount, 2);
      assert.equal((await altText.boundingBox())?.width, widthWithButtons, "buttons don't make the field narrower");
      await context.close();
    });

    test("keeps an alt text that the server rejects and says why, before and after the upload (UPLOAD-10)", async () => {
      const { page, context, link, startUploads } = await openHeldPage();
      await chooseFiles(page, { name: "a.jpg", mimeType: "image/jpeg", buffer: await jpeg() });
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
      await context.close();
    });

    test("hides the notice about unreadable files when the user closes it, adds files or removes one (UPLOAD-10)", async () => {
      const { page, context } = await openObservedPage(browser);
      const link = await createTestUploadLink(service);
      await page.goto(link.url);
      await waitForState(page, "empty");
      const notice = page.locator("#uploader > div:not([role])").filter({ hasText: /^Some files couldn’t be read/ });
      const dropUnreadableFile = async () => {
        await page.evaluate(`(() => {
            DataTransferItem.prototype.getAsFile = () => null;
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File(["gone"], "gone.jpg"));
            document.dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
          })()`);
        await notice.waitFor();
      };
      await dropUnreadableFile();
      await waitForPaint(page);
      await notice.getByRole("button", { name: "Close" }).press("Enter");
      await notice.waitFor({ state: "hidden" });
      assert.equal(await page.evaluate<string>("document.activeElement?.id"), "uploader-files", "focus is not lost");

      await dropUnreadableFile();
      await throttleUploads(page, mebibyte);
      await chooseFiles(page, videoPath);
      await notice.waitFor({ state: "hidden" });

      await dropUnreadableFile();
      await getButton(page, "Cancel: video.mp4").click();
      await notice.waitFor({ state: "hidden" });
      await context.close();
    });

    test("asks for confirmation before it discards a large upload (UPLOAD-10)", async () => {
      const { page, context } = await openObservedPage(browser);
      const link = await createTestUploadLink(service);
      const longVideoPath = `${folder.path}/long.mp4`;
      await writeVideoFile(longVideoPath, 160 * mebibyte);
      await page.goto(link.url);
      await throttleUploads(page, 10 * mebibyte);
      await chooseFiles(page, longVideoPath);
      await waitForProgress(page, 0.45);
      await throttleUploads(page, mebibyte); // the rest must not be uploaded before the last click
      await getButton(page, "Cancel: long.mp4").click();
      await getButton(page, "Keep uploading").click();
      await page.locator('[data-status="sending"]').waitFor();
      await getButton(page, "Cancel: long.mp4").click();
      await getButton(page, "Discard upload").click();
      await waitForState(page, "empty");
      await waitUntil(async () => (await link.assets()).length === 0, { description: "the upload is discarded" });
      await context.close();
      rmSync(longVideoPath);
    });

    test("resumes small files after a reload, without asking the user to select them again (UPLOAD-9)", async () => {
      const { page, context } = await openObservedPage(browser);
      const link = await createTestUploadLink(service);
      await page.goto(link.url);
      await throttleUploads(page, 4 * mebibyte);
      await chooseFiles(page, videoPath);
      await waitForProgress(page, 0.2);
      await page.reload();
      await page.locator('[data-status="sending"], [data-status="done"]').waitFor();
      await waitForState(page, "done");
      assert.deepEqual(
        (await link.assets()).map(({ status }) => status),
        ["ready"],
      );
      await context.close();
    });

    test("shows Uppy's and Atelier's own texts in the browser's language (UPLOAD-10)", async () => {
      for (const [locale, texts, direction] of [
        ["de-AT", ["Dateien auswählen", "Ein Foto"], "ltr"],
        ["fr-FR", ["Choisir des fichiers"], "ltr"],
        ["ar", [], "rtl"],
        ["eo", ["Choose files"], "ltr"],
      ] as const) {
        const { page, context, consoleProblems } = await openObservedPage(browser, { locale });
        await page.goto((await createTestUploadLink(service)).url);
        await waitForState(page, "empty");
        for (const text of texts) await page.getByText(text, { exact: false }).first().waitFor();
        assert.equal(await page.locator("#uploader").getAttribute("dir"), direction);
        assert.deepEqual(consoleProblems, []);
        await context.close();
      }
    });

    test("shows markup in names and titles as text (W4)", async () => {
      const { page, context, consoleProblems } = await openObservedPage(browser);
      const link = await createTestUploadLink(service, `<img src=x onerror="document.title='pwned'">`);
      await page.goto(link.url);
      await chooseFiles(page, {
        name: `"><img src=x onerror=alert(1)>.jpg`,
        mimeType: "image/jpeg",
        buffer: await jpeg(),
      });
      await waitForState(page, "done");
      assert.ok(!(await page.title()).startsWith("pwned"));
      assert.equal(await page.locator("img[src=x]").count(), 0);
      assert.deepEqual(consoleProblems, []);
      await context.close();
    });

    test("shows how many more files fit on the post, and failed files first (UPLOAD-3, UPLOAD-10)", async () => {
      const limitedService = await startUploadService(fixture, "disk", { env: { MAX_ASSETS_PER_POST: "4" } });
      try {
        const { page, context } = await openObservedPage(browser);
        const link = await createTestUploadLink(limitedService);
        const { assetId } = await uploadAssetInline(limitedService.deps, link.owner, {
          kind: "image",
          mimeType: "image/jpeg",
          base64: (await jpeg()).toString("base64"),
        });
        await attachAsset(limitedService.deps, link.owner, { postId: link.postId, assetId });
        await page.goto(link.url);
        await page.getByText("You can add 3 more files (4 per post).").waitFor();
        const createFile = async (name: string) => ({ name, mimeType: "image/jpeg", buffer: await jpeg() });
        await chooseFiles(page, [
          await createFile("a.jpg"),
          { name: "broken.jpg", mimeType: "image/jpeg", buffer: Buffer.from("PK\x03\x04 not an image") },
          await createFile("b.jpg"),
        ]);
        await page.getByText("You can add 1 more file (4 per post).").waitFor();
        await page.locator('[data-status="done"]').nth(1).waitFor();
        await page.locator('[data-status="failed"]').waitFor();
        const getNames = () => page.locator("[data-status] [id$=-name]").allTextContents();
        assert.deepEqual(await getNames(), ["broken.jpg", "a.jpg", "b.jpg"]);
        assert.match(
          (await page.locator('[data-status="failed"]').textContent()) ?? "",
          /Upload failed.*This isn’t a valid JPEG image\. Export it again/,
        );

        await page.getByLabel("Choose files").and(page.locator("input")).focus();
        await chooseFiles(page, [await createFile("c.jpg")]);
        await page.getByText("This post is full: it can have at most 4 files.").waitFor();
        // The focus moves from the disabled input to the reason.
        await page.locator(":focus", { hasText: /^This post is full: it can have at most 4 files\.$/ }).waitFor();
        for (const text of [/^Drop your files/, /They upload right away/])
          assert.ok(!(await page.getByText(text).isVisible()), "a full post doesn't ask for files");
        await getButton(page, "Remove: broken.jpg").click();
        await page.getByText("All files are attached, and the post is full.").first().waitFor();
        assert.deepEqual(await getNames(), ["a.jpg", "b.jpg", "c.jpg"]);

        await detachAsset(limitedService.deps, link.owner, { postId: link.postId, assetId });
        await page.reload();
        await page.getByText("You can add 1 more file (4 per post).").waitFor();
        // The page does not know yet that another user filled the post.
        await attachAsset(limitedService.deps, link.owner, { postId: link.postId, assetId });
        await chooseFiles(page, [await createFile("late.jpg")]);
        await page.getByText("This post already has 4 files, the maximum.").first().waitFor();
        await page.getByText("This post is full").waitFor();
        assert.equal(await getButton(page, "Retry: late.jpg").count(), 0);
        assert.ok(await page.getByLabel("Choose files").and(page.locator("input")).isDisabled());
        assert.deepEqual(await getNames(), ["late.jpg", "a.jpg", "b.jpg", "c.jpg"]);
        await detachAsset(limitedService.deps, link.owner, { postId: link.postId, assetId });
        // The user returns to the page.
        await page.evaluate("dispatchEvent(new Event('focus'))");
        await getButton(page, "Retry: late.jpg").press("Enter");
        await waitForState(page, "done");
        assert.deepEqual(await getNames(), ["a.jpg", "b.jpg", "c.jpg", "late.jpg"]);
        await context.close();
      } finally {
        await limitedService.close();
      }
    });

    test("explains that a post is full; a retry succeeds once a position is free (UPLOAD-3, UPLOAD-10)", async () => {
      const limitedService = await startUploadService(fixture, "disk", { env: { MAX_ASSETS_PER_POST: "1" } });
      try {
        const { page, context } = await openObservedPage(browser);
        const link = await createTestUploadLink(limitedService);
        await page.goto(link.url);
        await throttleUploads(page, 4 * mebibyte);
        await chooseFiles(page, videoPath);
        await page.locator('[data-status="sending"]').waitFor();
        await pasteFile(page, "a.jpg", await jpeg());
        await page.getByText("This post already has 1 file, the maximum.").first().waitFor();
        await getButton(page, "Cancel: video.mp4").click();
        await waitUntil(async () => (await link.assets()).length === 0, { description: "the position is free" });
        await getButton(page, "Retry: a.jpg").click();
        await waitForState(page, "done");
        assert.deepEqual(
          (await link.assets()).map(({ filename }) => filename),
          ["a.jpg"],
        );
        await context.close();
      } finally {
        await limitedService.close();
      }
    });
  },
  ["sqlite"],
  skipWithoutChromium,
);
