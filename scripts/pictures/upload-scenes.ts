import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { createPost } from "#domain/posts/create-post.ts";
import { createUploadSession } from "#domain/uploads/create-upload-session.ts";
import { listUploadSessions } from "#domain/uploads/list-upload-sessions.ts";
import { withdrawUploadSession } from "#domain/uploads/withdraw-upload-session.ts";
import { hours } from "#lib/clock.ts";
import { newPerson, newStudio } from "../../test/support/people.ts";
import { choose, slowDown, writeFilm } from "../../test/support/upload-bed.ts";
import { png } from "../../test/support/samples.ts";
import type { WebBed } from "../../test/support/web-bed.ts";
import { paint } from "./motifs.ts";
import type { MovedClock } from "./studio.ts";
import type { Scene } from "./web-scenes.ts";

/** The upload page in every state. `into` is a folder for what is sent. */
export async function uploadScenes({ service }: WebBed, clock: MovedClock, into: string): Promise<Scene[]> {
  const { base, deps } = service;
  // A studio of its own, so that what is sent does not show on the pages of the other.
  const owner = await newStudio(deps, await newPerson(deps, { name: "Ana Duarte" }), "Blue Door Studio");
  const [poster, door] = await Promise.all([paint("poster"), paint("door")]);
  const pictures = [
    { name: "cover-front.jpg", mimeType: "image/jpeg", buffer: poster },
    { name: "cover-back.jpg", mimeType: "image/jpeg", buffer: door },
  ];
  const film = join(into, "a film with a long name, second cut, colour corrected.mp4");
  await writeFilm(film, 40_000_000);

  /** A link to a post of its own. */
  async function link(): Promise<{ url: string; postId: string }> {
    const { id: postId } = await createPost(deps, owner, { title: "Spring catalogue: the cover", body: "" });
    return { url: (await createUploadSession(deps, owner, { postId })).url, postId };
  }
  async function visit(page: Page): Promise<void> {
    await page.goto((await link()).url);
    await page.locator('[data-state="empty"]').waitFor();
  }
  async function sending(page: Page): Promise<void> {
    await visit(page);
    await choose(page, pictures);
    await page.locator('[data-state="done"]').waitFor();
    await slowDown(page, 1_500_000);
    await choose(page, film);
    await page.locator('[data-status="sending"]').waitFor();
    await sleep(4000);
  }
  const pause = (page: Page) => page.locator(".overall").getByRole("button", { name: "Pause" }).click();

  return [
    { name: "upload-empty", go: visit },
    { name: "upload-sending", go: sending },
    {
      name: "upload-paused",
      go: async (page) => {
        await sending(page);
        await pause(page);
      },
    },
    {
      name: "upload-offline",
      go: async (page) => {
        await sending(page);
        await page.context().setOffline(true);
        await page.getByText("You are offline.").first().waitFor();
      },
    },
    {
      name: "upload-failed",
      go: async (page) => {
        await visit(page);
        await choose(page, [
          ...pictures.slice(0, 1),
          { name: "scan-of-the-contract.jpg", mimeType: "image/jpeg", buffer: await png() },
        ]);
        await page.locator('[data-status="failed"]').waitFor();
        await page.locator('[data-status="done"]').waitFor();
      },
    },
    {
      name: "upload-done",
      go: async (page) => {
        await visit(page);
        await choose(page, pictures);
        await page.locator('[data-state="done"]').waitFor();
      },
    },
    {
      name: "upload-reloaded",
      go: async (page) => {
        await sending(page);
        await page.evaluate(
          "indexedDB.databases().then((all) => all.forEach(({ name }) => indexedDB.deleteDatabase(name)))",
        );
        await page.reload();
        await page.locator(".file").first().waitFor();
        await sleep(500);
      },
    },
    {
      name: "upload-full",
      go: async (page) => {
        await visit(page);
        const small = await paint("vase", 200);
        await choose(
          page,
          Array.from({ length: 21 }, (_, i) => ({ name: `vase-${i + 1}.jpg`, mimeType: "image/jpeg", buffer: small })),
        );
        await page.locator('[data-status="failed"]').waitFor({ timeout: 60_000 });
        await page.locator('[data-state="stuck"]').waitFor({ timeout: 60_000 });
      },
    },
    {
      name: "upload-phone-code",
      go: async (page) => {
        await visit(page);
        const code = page.getByRole("button", { name: "Continue on a phone" });
        if (await code.isVisible()) await code.click();
        await sleep(300);
      },
    },
    { name: "upload-forged", go: async (page) => void (await page.goto(`${base}/u/nothing`)) },
    {
      name: "upload-withdrawn",
      go: async (page) => {
        const { url, postId } = await link();
        const { links } = await listUploadSessions(deps, owner, { postId });
        await withdrawUploadSession(deps, owner, { postId, linkId: links[0]?.id ?? "" });
        await page.goto(url);
      },
    },
    {
      name: "upload-finished",
      alone: true,
      go: async (page) => {
        const { url } = await link();
        await page.goto(url);
        await choose(page, pictures.slice(0, 1));
        await page.locator('[data-state="done"]').waitFor();
        clock.ago(-hours(1));
        await page.goto(url);
        clock.ago(0);
      },
    },
  ];
}
