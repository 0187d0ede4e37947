import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { createPost } from "#domain/posts/create-post.ts";
import { createUploadSession } from "#domain/uploads/create-upload-link.ts";
import { listUploadLinks, withdrawUploadLink } from "#domain/uploads/upload-link.ts";
import { hours } from "#lib/clock.ts";
import { newUser, newStudio } from "../../test/support/users.ts";
import { chooseFiles, throttleUploads, writeVideoFile } from "../../test/support/upload-fixture.ts";
import type { WebFixture } from "../../test/support/web-fixture.ts";
import { encodeSampleImage } from "./sample-images.ts";
import type { ShiftedClock } from "./studio.ts";
import type { Scene } from "./web-scenes.ts";

/** Creates a scene for every state of the upload page. The video to upload is written to `targetFolder`. */
export async function createUploadScenes(
  { service }: WebFixture,
  clock: ShiftedClock,
  targetFolder: string,
): Promise<Scene[]> {
  const { base, deps } = service;
  // A separate studio, so that uploads do not appear in other screenshots.
  const owner = await newStudio(deps, await newUser(deps, { name: "Ana Duarte" }), "Blue Door Studio");
  const [poster, door] = await Promise.all([encodeSampleImage("poster"), encodeSampleImage("door")]);
  const images = [
    { name: "cover-front.jpg", mimeType: "image/jpeg", buffer: poster },
    { name: "cover-back.jpg", mimeType: "image/jpeg", buffer: door },
  ];
  const videoPath = join(targetFolder, "a video with a long name, second cut, colour corrected.mp4");
  await writeVideoFile(videoPath, 40_000_000);

  /** Creates a post with an upload link. */
  async function createLink(): Promise<{ url: string; postId: string }> {
    const { id: postId } = await createPost(deps, owner, { title: "Spring catalogue: the cover", body: "" });
    return { url: (await createUploadSession(deps, owner, { postId })).url, postId };
  }
  async function openEmptyPage(page: Page): Promise<void> {
    await page.goto((await createLink()).url);
    await page.locator('[data-state="empty"]').waitFor();
  }
  async function openSendingPage(page: Page): Promise<void> {
    await openEmptyPage(page);
    await chooseFiles(page, images);
    await page.locator('[data-state="done"]').waitFor();
    await throttleUploads(page, 1_500_000);
    await chooseFiles(page, videoPath);
    await page.locator('[data-status="sending"]').waitFor();
    await sleep(4000);
  }
  const clickPause = (page: Page) => page.getByRole("button", { name: "Pause", exact: true }).click();

  return [
    { name: "upload-empty", prepare: openEmptyPage },
    { name: "upload-sending", prepare: openSendingPage },
    {
      name: "upload-paused",
      prepare: async (page) => {
        await openSendingPage(page);
        await clickPause(page);
      },
    },
    {
      name: "upload-offline",
      prepare: async (page) => {
        await openSendingPage(page);
        await page.context().setOffline(true);
        await page.getByText("You are offline.").first().waitFor();
      },
    },
    {
      name: "upload-failed",
      prepare: async (page) => {
        await openEmptyPage(page);
        await chooseFiles(page, [
          ...images.slice(0, 1),
          {
            name: "scan-of-the-contract.png",
            mimeType: "image/png",
            buffer: Buffer.from("<!doctype html><title>Not an image</title>"),
          },
        ]);
        await page.locator('[data-status="failed"]').waitFor();
        await page.locator('[data-status="done"]').waitFor();
      },
    },
    {
      name: "upload-done",
      prepare: async (page) => {
        await openEmptyPage(page);
        await chooseFiles(page, images);
        await page.locator('[data-state="done"]').waitFor();
      },
    },
    {
      name: "upload-reloaded",
      prepare: async (page) => {
        await openSendingPage(page);
        await page.evaluate(
          "indexedDB.databases().then((all) => all.forEach(({ name }) => indexedDB.deleteDatabase(name)))",
        );
        await page.reload();
        await page.locator("li[data-status]").first().waitFor();
        await sleep(500);
      },
    },
    {
      name: "upload-full",
      prepare: async (page) => {
        await openEmptyPage(page);
        const smallImage = await encodeSampleImage("vase", 200);
        await chooseFiles(
          page,
          Array.from({ length: 21 }, (_, i) => ({
            name: `vase-${i + 1}.jpg`,
            mimeType: "image/jpeg",
            buffer: smallImage,
          })),
        );
        await page.locator('[data-status="failed"]').waitFor({ timeout: 60_000 });
        await page.locator('[data-state="stuck"]').waitFor({ timeout: 60_000 });
      },
    },
    {
      name: "upload-phone-code",
      prepare: async (page) => {
        // On a local host, the page does not offer to continue on a phone.
        const publicBase = "https://atelier.example";
        await page.route(`${publicBase}/**`, async (route) => {
          const url = route.request().url().replace(publicBase, base);
          const headers = { ...route.request().headers(), origin: base };
          await route.fulfill({ response: await route.fetch({ url, headers }) });
        });
        await page.goto((await createLink()).url.replace(base, publicBase));
        await page.locator('[data-state="empty"]').waitFor();
        const codeButton = page.getByRole("button", { name: "Continue on a phone" });
        if (await codeButton.isVisible()) await codeButton.click();
        await sleep(300);
      },
    },
    { name: "upload-forged", prepare: async (page) => void (await page.goto(`${base}/u/nothing`)) },
    {
      name: "upload-withdrawn",
      prepare: async (page) => {
        const { url, postId } = await createLink();
        const { links } = await listUploadLinks(deps, owner, { postId });
        await withdrawUploadLink(deps, owner, { postId, linkId: links[0]?.id ?? "" });
        await page.goto(url);
      },
    },
    {
      name: "upload-finished",
      isExclusive: true,
      prepare: async (page) => {
        const { url } = await createLink();
        await page.goto(url);
        await chooseFiles(page, images.slice(0, 1));
        await page.locator('[data-state="done"]').waitFor();
        clock.setBehindNow(-hours(1));
        await page.goto(url);
        clock.setBehindNow(0);
      },
    },
  ];
}
