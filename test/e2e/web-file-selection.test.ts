import assert from "node:assert/strict";
import { afterEach, before, describe, test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { detachAsset } from "#domain/assets/attach-asset.ts";
import type { Caller } from "#domain/caller.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { holdToasts, pressMenuItem, waitForFit, waitForPaint } from "../support/page-waits.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture } from "../support/web-fixture.ts";
import { attachNewFile, createOwner, createPostWithFiles, openStudioPage } from "../support/web-posts.ts";
import { startForSuite } from "../support/start-for-suite.ts";

const names = ["a.jpg", "b.jpg", "c.pdf", "d.jpg", "e.jpg"];
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describe("the selection of a post's files", { skip: skipWithoutChromium }, () => {
  const fixture = startForSuite(() => startWebFixture());
  let owner: Caller;
  before(async () => {
    owner = await createOwner(fixture.service.deps);
  });
  afterEach(() => fixture.closeContexts());

  async function openPostWithFiles(options: BrowserContextOptions = {}): Promise<{ page: Page; postId: string }> {
    const postId = await createPostWithFiles(fixture.service.deps, owner, "Boats", { filenames: names });
    const page = await openStudioPage(fixture, owner, `posts/${postId}`, options);
    await page.getByRole("button", { name: "Move e.jpg" }).waitFor();
    await waitForPaint(page);
    return { page, postId };
  }
  const waitForFiles = (postId: string, expected: readonly string[]) =>
    waitUntil(
      async () => {
        const { assets } = await getPost(fixture.service.deps, owner, { postId });
        return assets.map(({ filename }) => filename).join() === expected.join();
      },
      { description: expected.join() },
    );
  const checkbox = (page: Page, name: string) => page.getByRole("checkbox", { name: `Select ${name}` });
  const tiles = (page: Page) => page.getByRole("list", { name: "Files of this post" }).getByRole("listitem");
  const selectionBar = (page: Page) => page.getByRole("region", { name: "Selection" });
  const toasts = (page: Page) => page.getByRole("region", { name: /^Notifications/ }).getByRole("listitem");

  const waitForFocus = (page: Page, labelOrId: string) =>
    page.waitForFunction(
      `(document.activeElement?.ariaLabel ?? document.activeElement?.id) === ${JSON.stringify(labelOrId)}`,
    );

  test("removes several files by keyboard, and Undo puts each back at its position (WEB-7, WEB-12)", async () => {
    const { page, postId } = await openPostWithFiles();
    const selectButton = page.getByRole("button", { name: "Select files" });
    await selectButton.press("Enter");
    await checkbox(page, "b.jpg").press("Space");
    await checkbox(page, "d.jpg").focus();
    await page.keyboard.press("x");
    await selectionBar(page).getByText("2 selected").waitFor();
    assert.equal(await page.getByRole("button", { name: "Move a.jpg" }).count(), 0);
    assert.deepEqual(await findViolations(page), []);
    await selectionBar(page).getByRole("button", { name: "Remove from post" }).press("Enter");
    await toasts(page).filter({ hasText: "Removed 2 files from the post. Still in your library." }).waitFor();
    await holdToasts(page);
    await waitForFiles(postId, ["a.jpg", "c.pdf", "e.jpg"]);
    await checkbox(page, "a.jpg").waitFor({ state: "detached" });
    await waitForFocus(page, "media"); // the heading of the file list

    await page.getByRole("button", { name: "Actions for c.pdf" }).press("Enter");
    await pressMenuItem(page, "menuitem", "Remove from post");
    await waitForFiles(postId, ["a.jpg", "e.jpg"]);
    await waitForFocus(page, "media");
    await toasts(page).filter({ hasText: "2 files" }).getByRole("button", { name: "Undo" }).press("Enter");
    await waitForFiles(postId, ["a.jpg", "b.jpg", "d.jpg", "e.jpg"]);
    await toasts(page).filter({ hasText: "c.pdf" }).getByRole("button", { name: "Undo" }).press("Enter");
    await waitForFiles(postId, names);
    await page.getByRole("button", { name: "Move c.pdf" }).waitFor();

    await selectButton.press("Enter");
    await checkbox(page, "a.jpg").focus();
    await page.keyboard.press("Control+a");
    await selectionBar(page).getByText("5 selected").waitFor();
    await page.keyboard.press("Escape");
    await selectionBar(page).waitFor({ state: "detached" });
    assert.equal(await checkbox(page, "a.jpg").count(), 0);
    await waitForFocus(page, "Select files");
  });

  test("selects with the mouse anywhere on a tile, and keeps files selected that could not be removed (WEB-12)", async () => {
    const { page, postId } = await openPostWithFiles();
    await page.getByRole("button", { name: /^a\.jpg, / }).click({ modifiers: ["Control"] });
    await tiles(page)
      .nth(2)
      .click({ modifiers: ["Shift"] });
    await selectionBar(page).getByText("3 selected").waitFor();
    await tiles(page).nth(1).click();
    await selectionBar(page).getByText("2 selected").waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0, "no file was opened");

    const { assets } = await getPost(fixture.service.deps, owner, { postId });
    const blockedUrl = `**/assets/${assets[2]?.id}`;
    await page.route(blockedUrl, (route) => (route.request().method() === "DELETE" ? route.abort() : route.fallback()));
    const removeButton = selectionBar(page).getByRole("button", { name: "Remove from post" });
    await removeButton.click();
    const report = page.getByRole("dialog", { name: "1 file not removed from the post" });
    await report.getByText("c.pdf").waitFor();
    await report.getByRole("button", { name: "Close" }).click();
    await waitForFiles(postId, names.slice(1));
    assert.equal(await checkbox(page, "c.pdf").isChecked(), true);
    await page.unroute(blockedUrl);
    await removeButton.click();
    await waitForFiles(postId, ["b.jpg", "d.jpg", "e.jpg"]);
  });

  test("keeps the focus in the list, and starts without an earlier range (WEB-7, WEB-12)", async () => {
    const { page } = await openPostWithFiles();
    await page.getByRole("button", { name: /^b\.jpg, / }).press("Shift+Enter");
    await selectionBar(page).getByText("1 selected").waitFor();
    await waitForFocus(page, "Select b.jpg");
    await page.getByRole("button", { name: "Comments" }).press("Enter");
    const panel = page.getByRole("complementary", { name: "Comments" });
    await panel.getByRole("button", { name: "Close panel" }).press("Escape");
    await panel.waitFor({ state: "detached" });
    assert.equal(await checkbox(page, "b.jpg").isChecked(), true, "Escape only closed the panel");
    await checkbox(page, "b.jpg").press("Escape");
    await page.getByRole("button", { name: "Select files" }).press("Enter");
    await tiles(page)
      .nth(3)
      .click({ modifiers: ["Shift"] });
    await selectionBar(page).getByText("1 selected").waitFor();
    await waitForFocus(page, "Select d.jpg");
  });

  test("ends when another user removes the files, and doesn't start again by itself (WEB-5, WEB-12)", async () => {
    const { page, postId } = await openPostWithFiles();
    const { deps } = fixture.service;
    const { assets } = await getPost(deps, owner, { postId });
    const detachAll = async (removedAssets: typeof assets) => {
      for (const { id } of removedAssets) await detachAsset(deps, owner, { postId, assetId: id });
      await checkbox(page, removedAssets.at(-1)?.filename ?? "").waitFor({ state: "detached" });
    };
    await page.getByRole("button", { name: "Select files" }).press("Enter");
    await checkbox(page, "a.jpg").focus();
    await detachAll(assets.slice(1));
    await page.getByRole("button", { name: "Stop selecting" }).press("Enter");
    await checkbox(page, "a.jpg").waitFor({ state: "detached" });
    await waitForFocus(page, "media"); // one file is left, so the button disappears

    await attachNewFile(deps, owner, postId, "f.jpg");
    await page.getByRole("button", { name: "Select files" }).press("Enter");
    await checkbox(page, "f.jpg").waitFor();
    await detachAll((await getPost(deps, owner, { postId })).assets);
    await page.getByText("Drop or paste images").waitFor();
    await attachNewFile(deps, owner, postId, "g.jpg");
    await page.getByRole("button", { name: /^g\.jpg, / }).waitFor();
    assert.equal(await checkbox(page, "g.jpg").count(), 0);
  });

  test("works by touch; a toast replaces the earlier one, whose files stay removed (WEB-7, WEB-12)", async () => {
    const { page, postId } = await openPostWithFiles({ ...phone, colorScheme: "dark" });
    await page.getByRole("button", { name: "Select files" }).tap();
    await page.getByRole("button", { name: "Select all" }).tap();
    await selectionBar(page).getByText("5 selected").waitFor();
    for (const index of [0, 3, 4]) await tiles(page).nth(index).tap();
    await selectionBar(page).getByText("2 selected").waitFor();
    assert.deepEqual(await findViolations(page), []);
    await waitForFit(page);
    await selectionBar(page).getByRole("button", { name: "Remove from post" }).tap();
    await waitForFiles(postId, ["a.jpg", "d.jpg", "e.jpg"]);
    await page.getByRole("button", { name: "Actions for d.jpg" }).tap();
    await page.getByRole("menuitem", { name: "Remove from post" }).tap();
    await toasts(page).getByText("Removed d.jpg from the post.").waitFor();
    assert.equal(await toasts(page).count(), 1);
    await page.getByRole("button", { name: "Undo" }).tap();
    await waitForFiles(postId, ["a.jpg", "d.jpg", "e.jpg"]);
  });
});
