import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { findViolations } from "../support/axe.ts";
import { getBox } from "../support/boxes.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { fromNow } from "../support/clock.ts";
import { waitForAnnouncement } from "../support/drag-announcements.ts";
import { holdRequests, pressMenuItem, refetch, waitForMenu } from "../support/page-waits.ts";
import { jpeg } from "../support/samples.ts";
import { phone, useStudioPages } from "../support/studio-pages.ts";
import { newMember } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";

/** Runs in the browser. */
const countStoredFiles = `new Promise((resolve) => {
  const opening = indexedDB.open("atelier-uploads");
  opening.onsuccess = () => {
    const counting = opening.result.transaction("files").objectStore("files").count();
    counting.onsuccess = () => { opening.result.close(); resolve(counting.result); };
  };
})`;

/** Runs in the browser: waits until the page has not scrolled for half a second of frames. */
const readSettledScrollTop = `(async () => {
  for (let frames = 0, previous = NaN; frames < 30; frames++) {
    if (scrollY !== previous) [previous, frames] = [scrollY, 0];
    await new Promise(requestAnimationFrame);
  }
  return scrollY;
})()`;

describe("files in the post editor in a browser", { skip: skipWithoutChromium }, () => {
  const pages = useStudioPages({ accounts: ["blue-harbour"] });

  const addPost = (title: string, filenames: readonly string[] = []) => pages.addPost(title, { filenames });
  const openPost = async (postId: string, options: Parameters<typeof pages.open>[1] = {}): Promise<Page> => {
    const page = await pages.open(`posts/${postId}`, options);
    await getText(page).waitFor();
    // The accounts load later and move what is below their tabs.
    await page.getByRole("tab", { name: /^blue-harbour/ }).waitFor();
    return page;
  };
  /** A user whose browser has no stored files of other tests. */
  const newEditor = () => newMember(pages.deps, pages.owner, "member");
  const getText = (page: Page) => page.getByRole("textbox", { name: "Text", exact: true });
  const waitForOrder = (postId: string, ...expected: readonly string[]) =>
    waitUntil(
      async () => (await pages.readPost(postId)).assets.map(({ filename }) => filename).join() === expected.join(),
      { description: expected.join() },
    );
  const listTiles = (page: Page) => page.getByRole("list", { name: "Files of this post" }).getByRole("listitem");
  const addFile = async (page: Page, name: string) => {
    const file = { name, mimeType: "image/jpeg", buffer: await jpeg() };
    await page.locator("input[type=file]").first().setInputFiles(file);
  };
  const waitForStatus = (page: Page, text: string | RegExp) => page.getByText(text).waitFor({ state: "attached" });

  test("moves a file with the arrow keys and with its menu, and tells screen readers where it is (WEB-12)", async () => {
    const postId = await addPost("Keys", ["a.jpg", "b.jpg", "c.pdf"]);
    const page = await openPost(postId);
    const handle = page.getByRole("button", { name: "Move a.jpg" });
    const move = async (start: number, key: string) => {
      await handle.press("Space");
      await waitForAnnouncement(page, new RegExp(`^Picked up a\\.jpg, position ${start} of 3\\.$`));
      await page.keyboard.press("ArrowRight");
      await waitForStatus(page, `a.jpg is at position ${start + 1} of 3.`);
      await page.keyboard.press(key);
    };
    await move(1, "Space");
    await waitForOrder(postId, "b.jpg", "a.jpg", "c.pdf");
    await move(2, "Escape");
    await waitForStatus(page, "a.jpg was not moved.");
    await waitForOrder(postId, "b.jpg", "a.jpg", "c.pdf");

    const lastMenu = page.getByRole("button", { name: "Actions for c.pdf" });
    await lastMenu.press("Enter");
    await waitForMenu(page);
    assert.equal(await page.getByRole("menuitem", { name: "Move later" }).getAttribute("aria-disabled"), "true");
    assert.equal(await page.getByRole("menuitem", { name: "Move to last" }).count(), 0, "it is the last");
    await pressMenuItem(page, "menuitem", "Move earlier");
    await waitForOrder(postId, "b.jpg", "c.pdf", "a.jpg");
    await waitForStatus(page, "Moved c.pdf to position 2 of 3.");
    await lastMenu.and(page.locator(":focus")).waitFor();
    const menu = page.getByRole("button", { name: "Actions for a.jpg" });
    for (const [item, ...order] of [
      ["Move to first", "a.jpg", "b.jpg", "c.pdf"],
      ["Move to last", "b.jpg", "c.pdf", "a.jpg"],
    ] as const) {
      await menu.press("Enter");
      await pressMenuItem(page, "menuitem", item);
      await waitForOrder(postId, ...order);
      await menu.and(page.locator(":focus")).waitFor();
    }
  });

  test("moves a file with the mouse, and with a finger by its handle or after a long press (WEB-12)", async () => {
    const postId = await addPost("Drag", ["a.jpg", "b.jpg", "c.jpg"]);
    const page = await openPost(postId);
    const readCenter = async (target: Page, name: string | RegExp) => {
      const button = target.getByRole("button", { name });
      await button.scrollIntoViewIfNeeded(); // waits until the files no longer move
      const { x, y, width, height } = await getBox(button);
      return { x: x + width / 2, y: y + height / 2 };
    };
    const [first, last] = [await readCenter(page, /^a\.jpg, /), await readCenter(page, /^c\.jpg, /)];
    await page.mouse.move(first.x, first.y);
    await page.mouse.down();
    await page.mouse.move(last.x, last.y, { steps: 8 });
    await waitForStatus(page, "a.jpg is at position 3 of 3.");
    await page.mouse.up();
    await waitForOrder(postId, "b.jpg", "c.jpg", "a.jpg");
    assert.equal(await page.getByRole("dialog").count(), 0, "a drag does not open the file");

    const phonePage = await openPost(postId, { device: "phone" });
    const drag = async (handle: string | RegExp, target: RegExp, isLongPress: boolean) => {
      const [start, end] = [await readCenter(phonePage, handle), await readCenter(phonePage, target)];
      const touch = await startTouch(phonePage, start);
      if (isLongPress) await waitForStatus(phonePage, /^Picked up /);
      await touch.moveTo(end);
      await waitForStatus(phonePage, /^[bc]\.jpg is at position 2 of 3\.$/);
      await touch.end();
    };
    await drag(/^b\.jpg, /, /^c\.jpg, /, true);
    await waitForOrder(postId, "c.jpg", "b.jpg", "a.jpg");
    await drag("Move c.jpg", /^b\.jpg, /, false);
    await waitForOrder(postId, "b.jpg", "c.jpg", "a.jpg");
  });

  test("on a phone, dragging a file to the edge of the screen scrolls no further than the files (WEB-12)", async () => {
    const names = Array.from({ length: 12 }, (_, i) => `file-${i}.jpg`);
    const body = "A line of text.\n\n".repeat(80).trim();
    const postId = await pages.addPost("Long", { filenames: names, body });
    const page = await openPost(postId, { device: "phone" });
    await listTiles(page).last().scrollIntoViewIfNeeded();
    const handle = await getBox(page.getByRole("button", { name: "Move file-11.jpg" }));
    const touch = await startTouch(page, { x: handle.x + 22, y: handle.y + 22 });
    await touch.moveTo({ x: 60, y: 80 });
    await waitForStatus(page, "file-11.jpg is at position 1 of 12.");
    assert.ok((await page.evaluate<number>(readSettledScrollTop)) > 0, "the page did not scroll to its top");
    const { y } = await getBox(listTiles(page).first());
    assert.ok(y > 0 && y < phone.height / 2, `the first file is at ${y}`);
    await waitForStatus(page, "file-11.jpg is at position 1 of 12."); // scrolling can change it for a moment
    await touch.end();
    await waitForOrder(postId, "file-11.jpg", ...names.slice(0, -1));
  });

  test("a tap or a key on the empty box of files opens the file dialog (WEB-7, WEB-12)", async () => {
    const postId = await addPost("Empty");
    const phonePage = await openPost(postId, { device: "phone" });
    const tapBox = phonePage.getByRole("button", { name: "Tap to add images, videos and documents." });
    const [tappedDialog] = await Promise.all([phonePage.waitForEvent("filechooser"), tapBox.tap()]);
    assert.equal(tappedDialog.isMultiple(), true);

    const page = await openPost(postId);
    const box = page.getByRole("button", { name: /^Drop or paste images, .* or click to choose them\.$/ });
    await Promise.all([page.waitForEvent("filechooser"), box.press("Space")]);
    const [dialog] = await Promise.all([page.waitForEvent("filechooser"), box.press("Enter")]);
    await dialog.setFiles({ name: "first.jpg", mimeType: "image/jpeg", buffer: await jpeg() });
    await waitForOrder(postId, "first.jpg");
    await box.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Upload", exact: true }).and(page.locator(":focus")).waitFor();
  });

  test("shows each upload once, with its progress on the tile, and asks before it cancels one (WEB-10)", async () => {
    const postId = await addPost("Uploads", ["ready.jpg"]);
    const page = await openPost(postId, { user: await newEditor() });
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    const speed = { downloadThroughput: -1, uploadThroughput: 20_000 };
    await session.send("Network.emulateNetworkConditions", { offline: false, latency: 0, ...speed });
    const names = ["clip-0.mp4", "clip-1.mp4", "clip-2.mp4"];
    const files = names.map((name) => ({ name, mimeType: "video/mp4", buffer: Buffer.alloc(600_000) }));
    await page.locator("input[type=file]").first().setInputFiles(files);
    const tiles = listTiles(page);
    const bars = page.getByRole("progressbar");
    await bars.nth(2).waitFor();
    await waitUntil(async () => (await pages.readPost(postId)).assets.length === 4, { timeoutMs: 60_000 });
    await refetch(page, new RegExp(`/posts/${postId}$`));
    // A response can contain a file before the page knows that it is one of its uploads.
    await waitUntil(
      async () => {
        const counts = await Promise.all(names.map((name) => page.getByText(name, { exact: true }).count()));
        return (await tiles.count()) === 4 && counts.every((count) => count === 1);
      },
      { description: "each file has one tile" },
    );
    await waitUntil(async () => Number(await bars.first().getAttribute("aria-valuenow")) > 0);
    assert.deepEqual(await findViolations(page), []);
    await page.getByRole("button", { name: "Pause all" }).waitFor();
    await page.getByRole("button", { name: "Pause upload of clip-0.mp4" }).click();
    await tiles.getByText(/^Paused at/).waitFor();
    await page.getByRole("button", { name: "Cancel upload of clip-0.mp4" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard upload" }).click();
    await tiles.getByText("clip-0.mp4").waitFor({ state: "detached" });
  });

  test("removes an upload that is canceled before the server has responded (WEB-10)", async () => {
    const postId = await addPost("Autumn");
    const page = await openPost(postId);
    const { firstRequest, release } = await holdRequests(page, "**/api/uploads/files", "POST");
    const video = { name: "clip.mp4", mimeType: "video/mp4", buffer: Buffer.alloc(100_000) };
    await page.locator("input[type=file]").first().setInputFiles(video);
    await firstRequest;
    await page.getByRole("button", { name: "Cancel upload of clip.mp4" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard upload" }).click();
    const cancelResponse = page.waitForResponse((response) => response.request().method() === "DELETE");
    release();
    assert.equal((await cancelResponse).status(), 204);
    await waitForOrder(postId);
  });

  test("says which files could not be added or uploaded, failed ones first, and retries or removes them (WEB-10)", async () => {
    const postId = await addPost("Retry", ["ready.jpg"]);
    const page = await openPost(postId);
    const tiles = listTiles(page);
    await page.route("**/assets/uploader-*.js", (route) => route.abort());
    await addFile(page, "harbour.jpg");
    await page.getByText("The files couldn’t be added. Check your connection and try again.").first().waitFor();
    await page.unroute("**/assets/uploader-*.js");
    await page.locator("input[type=file]").first().setInputFiles([]);
    const problem = { code: "conflict", detail: "The file is busy.", hint: "Try again." };
    await page.route("**/complete", (route) => route.fulfill({ status: 409, json: problem }));
    for (const name of ["harbour.jpg", "fog.jpg"]) {
      await addFile(page, name);
      await tiles.filter({ hasText: name }).getByText("The file is busy. Try again.").waitFor();
    }
    const readNames = async () =>
      (await tiles.allTextContents()).map((text) => /(?:harbour|fog|ready)\.jpg/.exec(text)?.[0]).join();
    await waitUntil(async () => (await readNames()) === "harbour.jpg,fog.jpg,ready.jpg");
    await page.getByRole("button", { name: "Remove fog.jpg" }).click();
    await tiles.filter({ hasText: "fog.jpg" }).waitFor({ state: "detached" });
    await page.unroute("**/complete");
    await page.getByRole("button", { name: "Retry harbour.jpg" }).click();
    await page.getByRole("button", { name: /^harbour\.jpg, / }).waitFor();
    await waitForOrder(postId, "ready.jpg", "harbour.jpg");
    await waitUntil(async () => (await tiles.count()) === 2, { description: "2 tiles" });
  });

  test("retries with a new upload link after the first expired, and after a reload resumes the uploads of both (WEB-10)", async () => {
    const postId = await addPost("Links");
    const page = await openPost(postId, { user: await newEditor() });
    await page.route("**/files/**", (route) => (route.request().method() === "PUT" ? route.abort() : route.fallback()));
    await addFile(page, "one.jpg");
    await waitForOrder(postId, "one.jpg");
    const tokens: (string | undefined)[] = [];
    await page.route("**/api/uploads/files", (route) => {
      tokens.push(route.request().headers()["upload-token"]);
      if (tokens.length > 1) return route.continue();
      return route.fulfill({ status: 409, json: { code: "asset_limit_reached", detail: "This post is full." } });
    });
    await addFile(page, "two.jpg");
    const retryButton = page.getByRole("button", { name: "Retry two.jpg" });
    await retryButton.waitFor();
    await page.clock.setSystemTime(fromNow(31 * 60_000));
    await retryButton.click();
    await waitForOrder(postId, "one.jpg", "two.jpg");
    assert.notEqual(tokens[1], tokens[0]);
    // Only stored files can resume. The page stores a file after the server has registered its upload.
    await waitUntil(async () => (await page.evaluate<number>(countStoredFiles)) === 2, {
      description: "2 stored files",
    });
    await page.reload();
    for (const name of ["one.jpg", "two.jpg"])
      await page.getByRole("button", { name: `Pause upload of ${name}` }).waitFor();
    await page.unroute("**/files/**");
    await waitUntil(async () => (await pages.readPost(postId)).assets.every(({ status }) => status === "ready"), {
      description: "both files are uploaded",
      timeoutMs: 60_000, // the delay before a retry grows with each attempt
    });
  });
});

interface Point {
  x: number;
  y: number;
}

/** Touches the screen with one finger. */
async function startTouch(page: Page, start: Point) {
  const session = await page.context().newCDPSession(page);
  const send = (type: "touchStart" | "touchMove" | "touchEnd", touchPoints: Point[]) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints });
  await send("touchStart", [start]);
  return {
    async moveTo(end: Point): Promise<void> {
      for (const part of [0.25, 0.5, 0.75, 1])
        await send("touchMove", [{ x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part }]);
    },
    end: () => send("touchEnd", []),
  };
}
