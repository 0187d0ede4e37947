import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { hasChromium, openChromium, openObservedPage, type Browser, type Page } from "../support/chromium.ts";
import { forEachEngine } from "../support/engines.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { jpeg } from "../support/samples.ts";
import type { RunningService } from "../support/service.ts";
import {
  chooseFiles,
  createTestUploadLink,
  throttleUploads,
  startUploadService,
  waitForProgress,
  writeVideoFile,
} from "../support/upload-fixture.ts";

const mebibyte = 1024 ** 2;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  id: string;
  impact: string | null;
  nodes: { html: string }[];
}

/** What axe-core holds against the page as it is now, from "serious" on. */
async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const run = "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)";
  const found = (await page.evaluate(run)) as Finding[];
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const state = (page: Page, name: string) => page.locator(`[data-state="${name}"]`).waitFor({ timeout: 60_000 });

if (hasChromium())
  forEachEngine(
    "the look of the upload page",
    (fixture) => {
      const folder = createTempFolder();
      const film = `${folder.path}/film.mp4`;
      let browser: Browser;
      let service: RunningService;
      before(async () => {
        browser = await openChromium(["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]);
        service = await startUploadService(fixture, "disk");
        await writeVideoFile(film, 48 * mebibyte);
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
          test(`axe finds nothing serious in any state: ${name}, ${colorScheme} (UPLOAD-12)`, async () => {
            const { page, context } = await openObservedPage(browser, {
              viewport,
              colorScheme,
              reducedMotion: "reduce",
            });
            const link = await createTestUploadLink(service);
            await page.goto(link.url);
            await state(page, "empty");
            assert.deepEqual(await faults(page), [], "empty");
            await chooseFiles(page, [
              { name: "a.jpg", mimeType: "image/jpeg", buffer: await jpeg() },
              { name: "wrong.jpg", mimeType: "image/jpeg", buffer: Buffer.from("PK\x03\x04 no image") },
            ]);
            await page.locator('[data-status="failed"]').waitFor();
            assert.deepEqual(await faults(page), [], "failed");
            await button(page, "Remove: wrong.jpg").waitFor();
            await throttleUploads(page, 8 * mebibyte);
            await chooseFiles(page, film);
            await page.locator('[data-status="sending"]').waitFor();
            assert.deepEqual(await faults(page), [], "sending");
            await page.locator(".overall").getByRole("button", { name: "Pause" }).click();
            await page.locator('[data-status="paused"]').waitFor();
            assert.deepEqual(await faults(page), [], "paused");
            await context.setOffline(true);
            await page.getByText("You are offline.").first().waitFor();
            assert.deepEqual(await faults(page), [], "offline");
            const width = await page.evaluate<number>("document.documentElement.scrollWidth");
            assert.ok(width <= viewport.width, `it is ${width} pixels wide`);
            await context.close();
          });
        }
      }

      test("axe finds nothing serious on a page that says no (UPLOAD-11, UPLOAD-12)", async () => {
        const { page, context } = await openObservedPage(browser);
        await page.goto(`${service.base}/u/nothing`);
        assert.deepEqual(await faults(page), []);
        await context.close();
      });

      test("every action by the keyboard alone (UPLOAD-10, UPLOAD-12)", async () => {
        const { page, context } = await openObservedPage(browser);
        const link = await createTestUploadLink(service);
        await page.goto(link.url);
        await state(page, "empty");
        await throttleUploads(page, 6 * mebibyte);
        const focused = () =>
          page.evaluate<string>(
            "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''",
          );
        const tabTo = async (name: string) => {
          for (let i = 0; i < 40; i++) {
            await page.keyboard.press("Tab");
            if ((await focused()) === name) return;
          }
          throw new Error(`no way to ${name} by the keyboard`);
        };
        // A browser takes no keys for a page that it has not painted yet.
        await page.evaluate("new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))");
        const chooser = page.waitForEvent("filechooser");
        await tabTo("Choose files");
        await page.keyboard.press("Space");
        await (await chooser).setFiles(film);
        await page.locator('[data-status="sending"]').waitFor();
        await tabTo("Pause: film.mp4");
        await page.keyboard.press("Enter");
        await page.locator('[data-status="paused"]').waitFor();
        await tabTo("Resume: film.mp4");
        await page.keyboard.press("Enter");
        await page.locator('[data-status="sending"]').waitFor();
        await tabTo("Cancel: film.mp4");
        await page.keyboard.press("Enter");
        await state(page, "empty");
        assert.deepEqual(await link.assets(), [], "its place is free again");
        assert.equal(await page.evaluate<string>("document.activeElement?.id"), "uploader-files", "focus is not lost");

        await chooseFiles(page, { name: "a.jpg", mimeType: "image/jpeg", buffer: await jpeg() });
        await state(page, "done");
        const aloud = page.locator(".uploader > .unseen[role=status]");
        await aloud.filter({ hasText: /Attached|All files/ }).waitFor({ state: "attached" }); // it is said aloud
        await page.keyboard.press("Tab");
        for (
          let i = 0;
          i < 20 &&
          (await page.evaluate<string>("document.activeElement?.tagName + document.activeElement?.type")) !==
            "INPUTtext";
          i++
        )
          await page.keyboard.press("Tab");
        await page.keyboard.type("A wall in the sun");
        await page.keyboard.press("Enter");
        await page.getByText("Saved").waitFor();
        assert.equal((await link.assets())[0]?.altText, "A wall in the sun");

        await tabTo("Continue on a phone").catch(async () => button(page, "Continue on a phone").focus());
        await page.keyboard.press("Enter");
        await page.getByRole("img", { name: "Continue on a phone" }).waitFor();
        assert.deepEqual(await faults(page), [], "the code");
        await page.keyboard.press("Escape");
        assert.equal(await focused(), "Continue on a phone", "focus is back where it was");
        await context.close();
      });

      test("camera, paste and a folder (UPLOAD-10)", async () => {
        const {
          page,
          context,
          consoleProblems: complaints,
        } = await openObservedPage(browser, { permissions: ["camera"] });
        const link = await createTestUploadLink(service);
        await page.goto(link.url);
        await state(page, "empty");
        await button(page, "Take a photo").click();
        await page
          .locator("video.viewfinder")
          .evaluate(
            "(video) => new Promise((ready) => (video.videoWidth > 0 ? ready() : (video.onloadeddata = ready)))",
          );
        await page.locator("dialog").getByRole("button", { name: "Take a photo" }).click();
        await button(page, "Use photo").click();
        await state(page, "done");
        await page.evaluate(`(async () => {
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = 20;
      canvas.getContext("2d").fillRect(0, 0, 9, 9);
      const blob = await new Promise((made) => canvas.toBlob(made));
      const data = new DataTransfer();
      data.items.add(new File([blob], "pasted.png", { type: "image/png" }));
      document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    })()`);
        await page.getByText("pasted.png", { exact: true }).waitFor();
        await state(page, "done");
        await page.locator("input[webkitdirectory]").setInputFiles(folder.path);
        await page.getByText("film.mp4").first().waitFor();
        await state(page, "done");
        const names = (await link.assets()).map(({ filename }) => filename);
        assert.equal(names.length, 3);
        assert.match(names[0] ?? "", /^photo-.*\.jpg$/);
        assert.deepEqual(names.slice(1), ["pasted.png", "film.mp4"]);
        assert.deepEqual(complaints, []);
        await context.close();
      });

      test("much that was sent is thrown away only after a question (UPLOAD-10)", async () => {
        const { page, context } = await openObservedPage(browser);
        const link = await createTestUploadLink(service);
        const long = `${folder.path}/long.mp4`;
        await writeVideoFile(long, 160 * mebibyte);
        await page.goto(link.url);
        await throttleUploads(page, 24 * mebibyte);
        await chooseFiles(page, long);
        await waitForProgress(page, 0.55);
        await button(page, "Cancel: long.mp4").click();
        await button(page, "Keep uploading").click();
        await page.locator('[data-status="sending"]').waitFor();
        await button(page, "Cancel: long.mp4").click();
        await button(page, "Discard upload").click();
        await state(page, "empty");
        assert.deepEqual(await link.assets(), []);
        await context.close();
        rmSync(long);
      });

      test("small files go on by themselves after a reload, nothing chosen again (UPLOAD-9)", async () => {
        const { page, context } = await openObservedPage(browser);
        const link = await createTestUploadLink(service);
        await page.goto(link.url);
        await throttleUploads(page, 4 * mebibyte);
        await chooseFiles(page, film);
        await waitForProgress(page, 0.2);
        await page.reload();
        await page.locator('[data-status="sending"], [data-status="done"]').waitFor();
        await state(page, "done");
        assert.deepEqual(
          (await link.assets()).map(({ status }) => status),
          ["ready"],
        );
        await context.close();
      });

      test("it speaks the browser's language, from Uppy's packs and ours (UPLOAD-10)", async () => {
        for (const [locale, words, direction] of [
          ["de-AT", ["Dateien auswählen", "Ein Foto"], "ltr"],
          ["fr-FR", ["Choisir des fichiers"], "ltr"],
          ["ar", [], "rtl"],
          ["eo", ["Choose files"], "ltr"],
        ] as const) {
          const { page, context, consoleProblems: complaints } = await openObservedPage(browser, { locale });
          await page.goto((await createTestUploadLink(service)).url);
          await state(page, "empty");
          for (const word of words) await page.getByText(word, { exact: false }).first().waitFor();
          assert.equal(await page.locator("#uploader").getAttribute("dir"), direction);
          assert.deepEqual(complaints, []);
          await context.close();
        }
      });

      test("names and titles with markup are shown, and nothing of them runs (W4)", async () => {
        const { page, context, consoleProblems: complaints } = await openObservedPage(browser);
        const link = await createTestUploadLink(service, `<img src=x onerror="document.title='pwned'">`);
        await page.goto(link.url);
        await chooseFiles(page, {
          name: `"><img src=x onerror=alert(1)>.jpg`,
          mimeType: "image/jpeg",
          buffer: await jpeg(),
        });
        await state(page, "done");
        assert.ok(!(await page.title()).startsWith("pwned"));
        assert.equal(await page.locator("img[src=x]").count(), 0);
        assert.deepEqual(complaints, []);
        await context.close();
      });

      test("a full post says so; retry works when there is room again (UPLOAD-3, UPLOAD-10)", async () => {
        const small = await startUploadService(fixture, "disk", { env: { MAX_ASSETS_PER_POST: "1" } });
        try {
          const { page, context } = await openObservedPage(browser);
          const link = await createTestUploadLink(small);
          await page.goto(link.url);
          await throttleUploads(page, 4 * mebibyte);
          await chooseFiles(page, film);
          await page.locator('[data-status="sending"]').waitFor();
          await chooseFiles(page, { name: "a.jpg", mimeType: "image/jpeg", buffer: await jpeg() });
          await page.getByText("the maximum").first().waitFor();
          await button(page, "Cancel: film.mp4").click();
          await button(page, "Retry: a.jpg").click();
          await state(page, "done");
          assert.deepEqual(
            (await link.assets()).map(({ filename }) => filename),
            ["a.jpg"],
          );
          await context.close();
        } finally {
          await small.close();
        }
      });
    },
    ["sqlite"],
  );
