import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { axeVariants, findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { waitForAnnouncement } from "../support/drag-announcements.ts";
import { pressMenuItem, resizeWindow, waitForMenu } from "../support/page-waits.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { jpeg } from "../support/samples.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";
import { createOwner, createPostWithFiles, openStudioPage } from "../support/web-posts.ts";

const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

/** Runs in the browser. */
const countStoredFiles = `new Promise((resolve, reject) => {
  const opening = indexedDB.open("atelier-uploads");
  opening.onerror = reject;
  opening.onsuccess = () => {
    const counting = opening.result.transaction("files").objectStore("files").count();
    counting.onerror = reject;
    counting.onsuccess = () => { opening.result.close(); resolve(counting.result); };
  };
})`;

describe("the post editor in a browser", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let connectionId: string;
  const pageErrors: string[] = [];

  before(async () => {
    fixture = await startWebFixture();
    const { deps } = fixture.service;
    owner = await createOwner(deps);
    connectionId = await newConnection(deps, owner, "blue-harbour", "sandbox");
    await newConnection(deps, owner, "north-words", "mastodon");
  });
  after(() => fixture?.close());

  const addPost = (title: string, filenames: readonly string[] = []) =>
    createPostWithFiles(fixture.service.deps, owner, title, { filenames });
  const openPost = async (postId: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const errors = pageErrors;
    const page = await openStudioPage(fixture, owner, `posts/${postId}`, { errors, viewport: desktop, ...options });
    await page.getByRole("textbox", { name: "Text", exact: true }).waitFor();
    // The accounts load later and move what is below their tabs.
    await page.getByRole("tab", { name: /^blue-harbour/ }).waitFor();
    return page;
  };
  /** Holds these requests until `release`; `firstRequest` resolves when the first one arrives. */
  const holdRequests = async (page: Page, url: string, method: string) => {
    const firstRequest = Promise.withResolvers<void>();
    const hold = Promise.withResolvers<void>();
    await page.route(url, async (route) => {
      if (route.request().method() !== method) return route.fallback();
      firstRequest.resolve();
      await hold.promise;
      return route.continue();
    });
    return { firstRequest: firstRequest.promise, release: () => hold.resolve() };
  };
  const readPost = (postId: string) => getPost(fixture.service.deps, owner, { postId });
  const readOrder = async (postId: string) => (await readPost(postId)).assets.map(({ filename }) => filename);
  const waitForOrder = (postId: string, expected: readonly string[]) =>
    waitUntil(async () => (await readOrder(postId)).join() === expected.join(), { description: expected.join() });
  const listTiles = (page: Page) => page.getByRole("list", { name: "Files of this post" }).getByRole("listitem");
  /** Waits until the page no longer scrolls. */
  const readSettledScrollTop = async (page: Page): Promise<number> => {
    let [previous, current] = [NaN, NaN];
    await waitUntil(async () => {
      await page.waitForTimeout(300);
      [previous, current] = [current, await page.evaluate<number>("scrollY")];
      return current === previous;
    });
    return current;
  };
  const fileInput = (page: Page) => page.locator("input[type=file]").first();

  test("moves a file with the arrow keys, and tells screen readers where it is (WEB-12)", async () => {
    const postId = await addPost("Keys", ["a.jpg", "b.jpg", "c.pdf"]);
    const page = await openPost(postId);
    const handle = page.getByRole("button", { name: "Move a.jpg" });
    await handle.press("Space");
    await waitForAnnouncement(page, /^Picked up a\.jpg, position 1 of 3\.$/);
    await page.keyboard.press("ArrowRight");
    await page.getByText("a.jpg is at position 2 of 3.").waitFor({ state: "attached" });
    await page.keyboard.press("Space");
    await waitForOrder(postId, ["b.jpg", "a.jpg", "c.pdf"]);
    await handle.press("Space");
    await waitForAnnouncement(page, /^Picked up a\.jpg, position 2 of 3\.$/);
    await page.keyboard.press("ArrowRight");
    await page.getByText("a.jpg is at position 3 of 3.").waitFor({ state: "attached" });
    await page.keyboard.press("Escape");
    await page.getByText("a.jpg was not moved.").waitFor({ state: "attached" });
    assert.deepEqual(await readOrder(postId), ["b.jpg", "a.jpg", "c.pdf"]);

    const otherMenu = page.getByRole("button", { name: "Actions for c.pdf" });
    await otherMenu.press("Enter");
    assert.equal(await page.getByRole("menuitem", { name: "Move later" }).getAttribute("aria-disabled"), "true");
    await pressMenuItem(page, "menuitem", "Move earlier");
    await waitForOrder(postId, ["b.jpg", "c.pdf", "a.jpg"]);
    await page.getByText("Moved c.pdf to position 2 of 3.").waitFor({ state: "attached" });
    await otherMenu.and(page.locator(":focus")).waitFor();

    const menu = page.getByRole("button", { name: "Actions for a.jpg" });
    await menu.press("Enter");
    await waitForMenu(page);
    assert.equal(await page.getByRole("menuitem", { name: "Move to last" }).count(), 0, "it is the last");
    await pressMenuItem(page, "menuitem", "Move to first");
    await waitForOrder(postId, ["a.jpg", "b.jpg", "c.pdf"]);
    await page.getByText("Moved a.jpg to position 1 of 3.").waitFor({ state: "attached" });
    await menu.and(page.locator(":focus")).waitFor();
    await menu.press("Enter");
    await waitForMenu(page);
    assert.equal(await page.getByRole("menuitem", { name: "Move to first" }).count(), 0, "it is the first");
    await pressMenuItem(page, "menuitem", "Move to last");
    await waitForOrder(postId, ["b.jpg", "c.pdf", "a.jpg"]);
    await menu.and(page.locator(":focus")).waitFor();
    await page.context().close();
  });

  test("moves a file with the mouse, and with a finger by its handle or after a long press (WEB-12)", async () => {
    const postId = await addPost("Drag", ["a.jpg", "b.jpg", "c.jpg"]);
    const page = await openPost(postId);
    await page.getByRole("button", { name: "Move a.jpg" }).waitFor();
    const readCenter = async (target: Page, name: string) => {
      const box = await target.getByRole("button", { name: new RegExp(`^${name}, `) }).boundingBox();
      assert.ok(box, name);
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    const [first, last] = [await readCenter(page, "a.jpg"), await readCenter(page, "c.jpg")];
    await page.mouse.move(first.x, first.y);
    await page.mouse.down();
    await page.mouse.move(last.x, last.y, { steps: 8 });
    await page.getByText("a.jpg is at position 3 of 3.").waitFor({ state: "attached" });
    await page.mouse.up();
    await waitForOrder(postId, ["b.jpg", "c.jpg", "a.jpg"]);
    assert.equal(await page.getByRole("dialog").count(), 0, "a drag does not open the file");
    await page.context().close();

    const phonePage = await openPost(postId, { viewport: phone, hasTouch: true, isMobile: true });
    await phonePage.getByRole("button", { name: "Move b.jpg" }).scrollIntoViewIfNeeded();
    const [from, to] = [await readCenter(phonePage, "b.jpg"), await readCenter(phonePage, "c.jpg")];
    const session = await phonePage.context().newCDPSession(phonePage);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", points: { x: number; y: number }[]) =>
      session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    await touch("touchStart", [from]);
    await phonePage.getByText("Picked up b.jpg").waitFor({ state: "attached" });
    for (const part of [0.5, 1])
      await touch("touchMove", [{ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }]);
    await phonePage.getByText("b.jpg is at position 2 of 3.").waitFor({ state: "attached" });
    await touch("touchEnd", []);
    await waitForOrder(postId, ["c.jpg", "b.jpg", "a.jpg"]);

    const handleButton = listTiles(phonePage).first().getByRole("button", { name: "Move c.jpg" });
    await handleButton.scrollIntoViewIfNeeded(); // waits until the files no longer move
    const handle = await handleButton.boundingBox();
    assert.ok(handle);
    const start = { x: handle.x + handle.width / 2, y: handle.y + handle.height / 2 };
    const end = await readCenter(phonePage, "b.jpg");
    await touch("touchStart", [start]);
    for (const part of [0.25, 0.5, 0.75, 1])
      await touch("touchMove", [{ x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part }]);
    await phonePage.getByText("c.jpg is at position 2 of 3.").waitFor({ state: "attached" });
    await touch("touchEnd", []);
    await waitForOrder(postId, ["b.jpg", "c.jpg", "a.jpg"]);
    await phonePage.context().close();
  });

  test("on a phone, dragging a file to the edge of the screen scrolls no further than the files (WEB-12)", async () => {
    const names = Array.from({ length: 12 }, (_, i) => `file-${i}.jpg`);
    const postId = await addPost("Long", names);
    await updatePost(fixture.service.deps, owner, { postId, body: "A line of text.\n\n".repeat(80) });
    const page = await openPost(postId, { viewport: phone, hasTouch: true, isMobile: true });
    await listTiles(page).last().scrollIntoViewIfNeeded();
    const session = await page.context().newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", touchPoints: { x: number; y: number }[]) =>
      session.send("Input.dispatchTouchEvent", { type, touchPoints });
    const handle = await page.getByRole("button", { name: "Move file-11.jpg" }).boundingBox();
    assert.ok(handle);
    const start = { x: handle.x + 22, y: handle.y + 22 };
    await touch("touchStart", [start]);
    for (const part of [0.25, 0.5, 0.75, 1]) await touch("touchMove", [{ x: 60, y: start.y * (1 - part) + 80 * part }]);
    await page.getByText("file-11.jpg is at position 1 of 12.").waitFor({ state: "attached" });
    const scrollTop = await readSettledScrollTop(page);
    const firstTile = await listTiles(page).first().boundingBox();
    assert.ok(firstTile && firstTile.y > 0 && firstTile.y < phone.height / 2, `the first file is at ${firstTile?.y}`);
    assert.ok(scrollTop > 0, "the page did not scroll to its top");
    await touch("touchEnd", []);
    await waitForOrder(postId, ["file-11.jpg", ...names.slice(0, -1)]);
    await page.context().close();
  });

  test("a tap or a key on the empty box of files opens the file dialog (WEB-7, WEB-12)", async () => {
    const postId = await addPost("Empty");
    const page = await openPost(postId, { viewport: phone, hasTouch: true, isMobile: true });
    const tapBox = page.getByRole("button", { name: "Tap to add images, videos and documents." });
    const [tappedDialog] = await Promise.all([page.waitForEvent("filechooser"), tapBox.tap()]);
    assert.equal(tappedDialog.isMultiple(), true);
    await page.context().close();

    const desktopPage = await openPost(postId);
    const box = desktopPage.getByRole("button", { name: /^Drop or paste images, .* or click to choose them\.$/ });
    for (const key of ["Space", "Enter"]) {
      const [dialog] = await Promise.all([desktopPage.waitForEvent("filechooser"), box.press(key)]);
      if (key === "Enter") await dialog.setFiles({ name: "first.jpg", mimeType: "image/jpeg", buffer: await jpeg() });
    }
    await waitForOrder(postId, ["first.jpg"]);
    await box.waitFor({ state: "detached" });
    await desktopPage.getByRole("button", { name: "Upload", exact: true }).and(desktopPage.locator(":focus")).waitFor();
    await desktopPage.context().close();
  });

  test("shows each upload once, with its progress on the tile, and asks before it cancels one (WEB-10)", async () => {
    const postId = await addPost("Uploads", ["ready.jpg"]);
    const page = await openPost(postId);
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    const limitUploads = (bytesPerSecond: number) =>
      session.send("Network.emulateNetworkConditions", {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: bytesPerSecond,
      });
    await limitUploads(20_000);
    const names = Array.from({ length: 6 }, (_, i) => `clip-${i}.mp4`);
    await fileInput(page).setInputFiles(
      names.map((name) => ({ name, mimeType: "video/mp4", buffer: Buffer.alloc(600_000) })),
    );
    const tiles = listTiles(page);
    const bars = page.getByRole("progressbar");
    await bars.nth(5).waitFor();
    await waitUntil(async () => (await readPost(postId)).assets.length >= 4, {
      description: "uploads started",
      timeoutMs: 60_000,
    });
    await page.waitForTimeout(2000); // the page has polled the post since
    // A poll can return a file before the page knows that it is one of its uploads.
    await waitUntil(
      async () => {
        const counts = names.map((name) => page.getByText(name, { exact: true }).count());
        return (await tiles.count()) === 7 && (await Promise.all(counts)).every((count) => count === 1);
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
    await waitUntil(async () => (await tiles.count()) === 6, { description: "6 tiles" });
    await page.context().close();
  });

  test("says that the accounts are loading, instead of an empty card (WEB-12)", async () => {
    const page = await openPost(await addPost("Slow"));
    const { firstRequest, release } = await holdRequests(page, "**/platforms", "GET");
    await page.reload();
    await firstRequest;
    const card = page.getByRole("region", { name: "Publishing" });
    await card.getByText("Loading…").waitFor();
    release();
    await card.getByRole("button", { name: "Text and preview for blue-harbour" }).waitFor();
    assert.equal(await card.getByText("Loading…").count(), 0);
    await page.route("**/platforms", (route) => route.fulfill({ status: 403, json: {} }));
    await page.reload();
    await card.getByRole("button", { name: "Try again" }).waitFor();
    assert.equal(await card.getByText("Loading…").count(), 0);
    await page.context().close();
  });

  test("removes an upload that is canceled before the server has responded (WEB-10)", async () => {
    const postId = await addPost("Autumn");
    const page = await openPost(postId);
    const { firstRequest, release } = await holdRequests(page, "**/api/uploads/files", "POST");
    await page
      .locator("input[type=file]")
      .first()
      .setInputFiles({ name: "clip.mp4", mimeType: "video/mp4", buffer: Buffer.alloc(100_000) });
    await firstRequest;
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    await page.getByRole("button", { name: "Cancel upload of clip.mp4" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard upload" }).click();
    const cancelResponse = page.waitForResponse((response) => response.request().method() === "DELETE");
    release();
    assert.equal((await cancelResponse).status(), 204);
    assert.deepEqual(await readOrder(postId), []);
    await page.context().close();
  });

  test("saves text that was typed during a save, even if the user then leaves the page (WEB-6)", async () => {
    const postId = await addPost("Winter");
    const page = await openPost(postId);
    const text = page.getByRole("textbox", { name: "Text", exact: true });
    const { firstRequest, release } = await holdRequests(page, `**/posts/${postId}`, "PATCH");
    await text.fill("First");
    await firstRequest;
    await text.fill("First and second");
    await page.getByRole("link", { name: "Posts", exact: true }).first().click();
    release();
    await text.waitFor({ state: "detached" });
    assert.equal((await readPost(postId)).body, "First and second");
    await page.context().close();
  });

  test("says that the post is being saved while a new status is sent (WEB-6)", async () => {
    const postId = await addPost("Status");
    const page = await openPost(postId);
    await page.getByText("Saved", { exact: true }).waitFor();
    const { firstRequest, release } = await holdRequests(page, `**/posts/${postId}`, "PATCH");
    await page.getByLabel("Status").selectOption("ready");
    await firstRequest;
    await page.getByText("Saving…", { exact: true }).waitFor();
    release();
    await page.getByText("Saved", { exact: true }).waitFor();
    assert.equal((await readPost(postId)).status, "ready");
    await page.context().close();
  });

  test("merges and saves edits when another member changes the post while the user leaves (WEB-6)", async () => {
    const postId = await addPost("Spring");
    const page = await openPost(postId);
    let isChanged = false;
    await page.route(`**/posts/${postId}`, async (route) => {
      if (route.request().method() === "PATCH" && !isChanged) {
        isChanged = true;
        await updatePost(fixture.service.deps, owner, { postId, title: "Spring tide" });
      }
      return route.continue();
    });
    const text = page.getByRole("textbox", { name: "Text", exact: true });
    await text.fill("The harbour in spring.");
    await page.getByRole("link", { name: "Posts", exact: true }).first().click();
    await text.waitFor({ state: "detached" });
    const { title, body } = await readPost(postId);
    assert.deepEqual([title, body], ["Spring tide", "The harbour in spring."]);
    await page.context().close();
  });

  test("reports files that can't be added while the server is unreachable, and adds them later (WEB-10)", async () => {
    const postId = await addPost("Offline");
    const page = await openPost(postId);
    const file = { name: "pier.jpg", mimeType: "image/jpeg", buffer: await jpeg() };
    await page.route("**/assets/uploader-*.js", (route) => route.abort());
    await fileInput(page).setInputFiles(file);
    await page.getByText("The files couldn’t be added. Check your connection and try again.").first().waitFor();
    await page.unroute("**/assets/uploader-*.js");
    await fileInput(page).setInputFiles([]);
    await fileInput(page).setInputFiles(file);
    await waitForOrder(postId, ["pier.jpg"]);
    await page.context().close();
  });

  test("shows a failed upload first, and retries or removes it", async () => {
    const postId = await addPost("Retry", ["ready.jpg"]);
    const page = await openPost(postId);
    const tiles = listTiles(page);
    await page.route("**/complete", (route) =>
      route.fulfill({ status: 409, json: { code: "conflict", detail: "The file is busy.", hint: "Try again." } }),
    );
    for (const name of ["harbour.jpg", "fog.jpg"]) {
      await fileInput(page).setInputFiles({ name, mimeType: "image/jpeg", buffer: await jpeg() });
      await tiles.filter({ hasText: name }).getByText("The file is busy. Try again.").waitFor();
    }
    const readNames = async () =>
      (await tiles.allTextContents()).map((text) => /(?:harbour|fog|ready)\.jpg/.exec(text)?.[0]).join();
    await waitUntil(async () => (await readNames()) === "harbour.jpg,fog.jpg,ready.jpg", {
      description: "failed uploads first",
    });
    await page.getByRole("button", { name: "Remove fog.jpg" }).click();
    await tiles.filter({ hasText: "fog.jpg" }).waitFor({ state: "detached" });
    await page.unroute("**/complete");
    await page.getByRole("button", { name: "Retry harbour.jpg" }).click();
    await page.getByRole("button", { name: /^harbour\.jpg, / }).waitFor();
    await waitForOrder(postId, ["ready.jpg", "harbour.jpg"]);
    await waitUntil(async () => (await tiles.count()) === 2, { description: "2 tiles" });
    await page.context().close();
  });

  test("retries with a new upload link after the first expired, and after a reload resumes the uploads of both (WEB-10)", async () => {
    const postId = await addPost("Links");
    const page = await openPost(postId);
    await page.route("**/files/**", (route) => (route.request().method() === "PUT" ? route.abort() : route.fallback()));
    const buffer = await jpeg();
    await fileInput(page).setInputFiles({ name: "one.jpg", mimeType: "image/jpeg", buffer });
    await waitForOrder(postId, ["one.jpg"]);
    const tokens: (string | undefined)[] = [];
    await page.route("**/api/uploads/files", (route) => {
      tokens.push(route.request().headers()["upload-token"]);
      if (tokens.length > 1) return route.continue();
      return route.fulfill({ status: 409, json: { code: "asset_limit_reached", detail: "This post is full." } });
    });
    await fileInput(page).setInputFiles({ name: "two.jpg", mimeType: "image/jpeg", buffer });
    const retryButton = page.getByRole("button", { name: "Retry two.jpg" });
    await retryButton.waitFor();
    await page.evaluate("{ const now = Date.now; Date.now = () => now() + 31 * 60_000; }");
    await retryButton.click();
    await waitForOrder(postId, ["one.jpg", "two.jpg"]);
    assert.notEqual(tokens[1], tokens[0]);
    // Only stored files can resume. The page stores a file after the server has registered its upload.
    await waitUntil(async () => (await page.evaluate<number>(countStoredFiles)) === 2, {
      description: "2 stored files",
    });
    await page.reload();
    for (const name of ["one.jpg", "two.jpg"])
      await page.getByRole("button", { name: `Pause upload of ${name}` }).waitFor();
    await page.unroute("**/files/**");
    await waitUntil(async () => (await readPost(postId)).assets.every(({ status }) => status === "ready"), {
      description: "both files are uploaded",
      timeoutMs: 60_000, // the delay before a retry grows with each attempt
    });
    await page.context().close();
  });

  test("on a phone, status and next action are first and stay in view (WEB-12)", async () => {
    const { deps } = fixture.service;
    const postId = await addPost(
      "Phone",
      Array.from({ length: 8 }, (_, i) => `file-${i}.jpg`),
    );
    await updatePost(deps, owner, { postId, body: "A line of text.\n\n".repeat(80) });
    const page = await openPost(postId, { viewport: phone, hasTouch: true, isMobile: true });
    const status = page.getByLabel("Status");
    const nextAction = page.getByRole("button", { name: "Mark ready" });
    await nextAction.waitFor(); // it is above the title
    const title = await page.getByRole("textbox", { name: "Title" }).boundingBox();
    const isInView = async () =>
      (await Promise.all([status.boundingBox(), nextAction.boundingBox()])).every(
        (box) => box !== null && box.y >= 0 && box.y + box.height <= (title?.y ?? 0),
      );
    await waitUntil(isInView, { description: "above the title" });
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await waitUntil(isInView, { description: "in view at the end of the page" });
    await page.getByRole("button", { name: "Actions for this post" }).click();
    await page.getByRole("menuitem", { name: "Back to posts" }).waitFor();
    await page.getByRole("menuitem", { name: "Comments" }).click();
    await page.getByRole("dialog", { name: "Comments" }).getByRole("button", { name: "Close" }).click();
    await nextAction.click();
    await page.getByRole("button", { name: "Publish…" }).waitFor();
    await waitUntil(async () => (await readPost(postId)).status === "ready", { description: "the post is ready" });
    assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
    const smallTargets = await page.evaluate(`[...document.querySelectorAll("main button, main select")]
      .map((element) => [element, element.getBoundingClientRect()])
      .filter(([, { width, height }]) => width > 0 && (height < 43.5 || width < 43.5))
      .map(([element]) => element.outerHTML.slice(0, 120))`);
    assert.deepEqual(smallTargets, []);
    await page.context().close();
  });

  test("plays a video, and the Content Security Policy allows it", async () => {
    const { deps } = fixture.service;
    const postId = await addPost("Video");
    const page = await openPost(postId, { bypassCSP: false });
    const base64 = await recordVideo(page);
    const upload = { kind: "video", mimeType: "video/webm", base64, filename: "clip.webm" } as const;
    const { assetId } = await uploadAssetInline(deps, owner, upload);
    await attachAsset(deps, owner, { postId, assetId });
    await listTiles(page).locator("video").waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Play clip.webm" }).click();
    const player = page.getByRole("dialog").locator("video");
    await player.waitFor();
    assert.equal(await player.getAttribute("controls"), "");
    await page.waitForFunction("document.querySelector('dialog video').readyState >= 2");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    assert.match(String(await page.evaluate("document.activeElement?.getAttribute('aria-label')")), /^Play clip/);
    await page.context().close();
  });

  test("each account has a tab with its character count, own text and preview, saved while the user types (PUB-6, PUB-20, WEB-6)", async () => {
    const { deps } = fixture.service;
    const postId = await addPost("Vases");
    const page = await openPost(postId);
    const tab = page.getByRole("tab", { name: /^blue-harbour/ });
    await tab.getByText("6 / 280").waitFor();
    await tab.click();
    const field = page.getByRole("textbox", { name: "Text for blue-harbour" });
    assert.equal(await field.inputValue(), "Vases.");
    await field.fill("Vases, for the harbour.");
    await tab.getByText("23 / 280").waitFor();
    await page.getByRole("group", { name: "Post on Sandbox" }).getByText("Vases, for the harbour.").waitFor();
    await page.getByText("Saved", { exact: true }).waitFor();
    assert.deepEqual((await readPost(postId)).variants, [{ connectionId, body: "Vases, for the harbour." }]);
    assert.deepEqual(await findViolations(page), []);

    // Another person changes the same text while the user types.
    const firstPoll = Promise.withResolvers<void>();
    await page.route("**/posts/*", (route) => {
      if (route.request().method() !== "GET") return route.continue();
      firstPoll.resolve();
      return route.abort();
    });
    await firstPoll.promise; // no earlier poll can return the change
    await updatePost(deps, owner, { postId, variants: [{ connectionId, body: "Vases, for everyone." }] });
    const conflictResponse = page.waitForResponse((response) => response.status() === 409);
    await field.fill("Vases, for the whole harbour.");
    await conflictResponse;
    await page.unroute("**/posts/*");
    const alert = page.getByRole("alert").filter({ hasText: "changed while you were editing" });
    await alert.waitFor();
    await page.getByText("Not saved", { exact: true }).waitFor();
    await alert.getByRole("button", { name: "Keep mine" }).click();
    await waitUntil(async () => (await readPost(postId)).variants[0]?.body === "Vases, for the whole harbour.");
    await page.getByRole("button", { name: "Use post’s text for blue-harbour" }).click();
    await waitUntil(async () => (await readPost(postId)).variants.length === 0);
    await waitUntil(async () => (await field.inputValue()) === "Vases.", { description: "the post's text" });

    // The user takes an edit back while it is being saved.
    const { firstRequest, release } = await holdRequests(page, "**/posts/*", "PATCH");
    await field.fill("Vases!");
    await firstRequest;
    await page.getByRole("button", { name: "Use post’s text for blue-harbour" }).click();
    const firstResponse = page.waitForResponse((response) => response.request().method() === "PATCH");
    release();
    assert.equal((await (await firstResponse).json()).variants.length, 1);
    await waitUntil(async () => (await readPost(postId)).variants.length === 0);
    await waitUntil(async () => (await field.inputValue()) === "Vases.", { description: "the post's text" });
    await page.context().close();
  });

  test("the history is beside the post on a desktop, above it on a tablet, and covers a phone (HIST-1, WEB-12)", async () => {
    const postId = await addPost("Panel");
    const page = await openStudioPage(fixture, owner, "posts", { errors: pageErrors, viewport: desktop });
    await page.getByRole("link", { name: "Panel" }).click();
    await page.waitForURL(`**/posts/${postId}`);
    const field = page.getByRole("textbox", { name: "Text", exact: true });
    await page.getByRole("tab", { name: /^blue-harbour/ }).waitFor(); // the preview beside the text needs the accounts
    const fieldWidth = (await field.boundingBox())?.width;
    await page.getByText("Preview", { exact: true }).click();
    assert.equal((await page.getByText("Panel.", { exact: true }).locator("..").boundingBox())?.width, fieldWidth);
    await page.getByRole("button", { name: "Write" }).press("Enter");
    const toggle = page.getByRole("button", { name: "History" });
    await toggle.press("Enter");
    const panel = page.getByRole("complementary", { name: "History" });
    await panel.getByText("Ada Berg created the post").waitFor();
    assert.equal(await toggle.getAttribute("aria-expanded"), "true");
    const [panelBox, textBox] = await Promise.all([
      panel.boundingBox(),
      page.getByRole("textbox", { name: "Text", exact: true }).boundingBox(),
    ]);
    assert.ok((panelBox?.x ?? 0) >= (textBox?.x ?? 0) + (textBox?.width ?? 0), "beside the text");
    const header = page.getByRole("combobox", { name: "Status" }).locator("xpath=../..");
    const headerHeight = (await header.boundingBox())?.height;
    const checkHeader = async (): Promise<void> => {
      assert.equal(await header.evaluate((element) => element.scrollWidth - element.clientWidth), 0, "the header fits");
      assert.equal((await header.boundingBox())?.height, headerHeight, "the header has one row");
    };
    await resizeWindow(page, { width: 1200, height: 900 });
    await checkHeader();
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "hidden" });
    await toggle.and(page.locator(":focus")).waitFor();

    // The text of a post keeps its width.
    const dialog = page.getByRole("dialog", { name: "History" });
    await resizeWindow(page, { width: 1180, height: 900 });
    await toggle.press("Enter");
    await dialog.waitFor();
    await checkHeader();
    await resizeWindow(page, { width: 880, height: 900 });
    await checkHeader();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await toggle.and(page.locator(":focus")).waitFor();

    await resizeWindow(page, phone);
    await toggle.click();
    await dialog.getByText("Ada Berg created the post").waitFor();
    const dialogBox = await dialog.boundingBox();
    assert.deepEqual([dialogBox?.width, dialogBox?.height], [phone.width, phone.height]);
    assert.deepEqual(await findViolations(page), []);
    await page.evaluate("history.back()");
    await dialog.waitFor({ state: "hidden" });
    await page.waitForURL(`**/posts/${postId}`);
    await page.evaluate("history.back()");
    await page.waitForURL(/\/posts$/);
    await page.context().close();
  });

  for (const [width, colorScheme] of axeVariants)
    test(`a long post with 20 files has no axe violations at ${width} px, ${colorScheme} (WEB-12)`, async () => {
      const names = Array.from({ length: 20 }, (_, i) => (i === 3 ? "prices.pdf" : `a-long-name-for-a-file-${i}.jpg`));
      const postId = await addPost("A title that is much longer than the titles of most posts are", names);
      await updatePost(fixture.service.deps, owner, { postId, body: "A longer text. ".repeat(300) });
      const page = await openPost(postId, { viewport: { width, height: 900 }, colorScheme });
      await page.getByRole("button", { name: "Move prices.pdf" }).waitFor();
      assert.deepEqual(await findViolations(page), []);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
      await page.getByRole("tab", { name: /^north-words/ }).click();
      await page.getByRole("group", { name: "Post on Mastodon" }).waitFor();
      assert.deepEqual(await findViolations(page), []);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
      await page.context().close();
    });

  test("no page logged an error", () => assert.deepEqual(pageErrors, []));
});

/** Half a second of a moving square, recorded by the browser. */
const recordVideo = (page: Page): Promise<string> =>
  page.evaluate<string>(`(async () => {
    const canvas = document.createElement("canvas");
    const [width, height] = [(canvas.width = 160), (canvas.height = 120)];
    const context = canvas.getContext("2d");
    const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: "video/webm;codecs=vp8" });
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    const stopped = new Promise((resolve) => (recorder.onstop = resolve));
    recorder.start();
    for (let i = 0; i < 12; i++) {
      context.fillStyle = i % 2 ? "teal" : "orange";
      context.fillRect(i * 8, 20, width / 3, height / 2);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    recorder.stop();
    await stopped;
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  })()`);
